/* cell_lattice.c: the lattice that a cell's edges span. */
#include <math.h>

#include "host/math/lattice.h"
#include "host/world/cell.h"

void tl_image_steps(int32_t image, double m[3]) {
  const int32_t code = image + TL_IMAGE_COUNT;
  m[0] = code % 3 - 1;
  m[1] = code / 3 % 3 - 1;
  m[2] = code / 9 - 1;
}

void tl_cell_shift(const tl_cell *cell, int32_t image, double shift[3]) {
  double m[3];
  tl_image_steps(image, m);
  tl_lattice_point(cell->def.edge, m, shift);
}

void tl_cell_drift(const tl_cell *cell, int32_t image, double drift[3]) {
  double shift[3];
  tl_cell_shift(cell, image, shift);
  tl_lattice_point(cell->def.rate, shift, drift);
}

void tl_cell_nearest(const tl_cell *cell, double way[3]) {
  tl_lattice_nearest(cell->def.edge, cell->def.periodic, way);
}

double tl_cell_volume(const tl_cell *cell) {
  return cell->def.edge[TL_XX] * (cell->plane ? 1 : cell->def.edge[TL_YY]) * cell->def.edge[TL_ZZ];
}

void tl_cell_heights(const double *e, double height[3]) {
  const double y[2] = {1 / e[TL_YY], -e[TL_YZ] / (e[TL_YY] * e[TL_ZZ])};
  const double x[3] = {1 / e[TL_XX], -e[TL_XY] / (e[TL_XX] * e[TL_YY]),
                       (e[TL_XY] * e[TL_YZ] - e[TL_XZ] * e[TL_YY]) /
                           (e[TL_XX] * e[TL_YY] * e[TL_ZZ])};
  height[0] = 1 / sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
  height[1] = 1 / sqrt(y[0] * y[0] + y[1] * y[1]);
  height[2] = e[TL_ZZ];
}

double tl_cell_width(const tl_cell *cell) {
  double height[3], width = INFINITY;
  if (cell->def.periodic != 0) {
    tl_cell_heights(cell->def.edge, height);
  }
  for (int c = 0; c < 3; c++) {
    width = cell->def.periodic >> c & 1 ? fmin(width, height[c]) : width;
  }
  return width;
}
