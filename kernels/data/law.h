/* law.h: the contact laws, as kernels know them; the values are those of talus_law. */
#ifndef TL_DATA_LAW_H
#define TL_DATA_LAW_H

typedef enum tl_law {
  TL_LAW_COULOMB = 0, /* exact */
  TL_LAW_CCP = 1,     /* convex */
  TL_LAW_COUNT = 2
} tl_law;

#endif
