/* scaled_entry.h: J of one constraint against one unit. */
#ifndef TL_DATA_SCALED_ENTRY_H
#define TL_DATA_SCALED_ENTRY_H

#include <stdint.h>

/* rows x size reals from `jacobian` on, row-major. */
typedef struct tl_scaled_entry {
  int32_t unit;
  int64_t jacobian;
} tl_scaled_entry;

#endif
