/* kernel.h: functions that spread a point over space, of integral one, and their integrals along
 * lines: what coarse graining multiplies with (Goldhirsch 2010; Weinhart, Thornton, Luding,
 * Bokhove 2012; MercuryCG has the same two).
 *
 *   gaussian  exp(-r^2 / (2 w^2)), cut at three widths w and scaled to integral one again
 *   lucy      (1 + 3 r/c)(1 - r/c)^3 up to c, twice the width: smooth to its end
 *
 * In a plane world they are functions of x and z. All integrals are closed forms. */
#ifndef TL_MEASURE_KERNEL_H
#define TL_MEASURE_KERNEL_H

#include <stdbool.h>

#define TL_KERNEL_LIST(X) \
  X(GAUSSIAN, "gaussian") \
  X(LUCY, "lucy")
typedef enum tl_kernel_kind {
#define TL_X(name, word) TL_KERNEL_##name,
  TL_KERNEL_LIST(TL_X)
#undef TL_X
} tl_kernel_kind;

typedef struct tl_kernel {
  tl_kernel_kind kind;
  double width, scale; /* scale: 1 / (sqrt(2) width) */
  double reach;        /* 0 from here on */
  double height;       /* at the centre, 1/m3 (plane: 1/m2) */
  const double *table; /* tl_kernel_table_fill, or NULL: no table */
} tl_kernel;

/* Cubic pieces of exp and erf for the Gaussian's lines: good to 1e-12, and faster. table: room for
 * TL_KERNEL_TABLE numbers; belongs to the caller, who sets kernel.table. */
enum { TL_KERNEL_PIECES = 1024, TL_KERNEL_TABLE = 8 * TL_KERNEL_PIECES };
void tl_kernel_table_fill(double *table);

tl_kernel tl_kernel_make(tl_kernel_kind kind, double width, bool plane);
/* At a distance whose square is given. */
double tl_kernel_at(const tl_kernel *kernel, double square);
/* Mean over a straight line: its square distance from the centre, and where it begins and ends as
 * seen from the foot of the perpendicular. Without length: the value. */
double tl_kernel_along(const tl_kernel *kernel, double square, double begin, double end);
/* The same at so many places by one line of this length: its square distance from them, and where
 * the foot of the perpendicular is along it. The numbers are those of tl_kernel_along. */
void tl_kernel_along_all(const tl_kernel *kernel, double length, int count, const double *square,
                         const double *foot, double *mean);

#endif
