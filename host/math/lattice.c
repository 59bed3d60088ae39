/* lattice.c: see lattice.h. */
#include "host/math/lattice.h"

#include <math.h>

#include "host/math/vector.h"

enum { XX, YY, ZZ, XY, XZ, YZ };

void tl_lattice_point(const double u[6], const double m[3], double point[3]) {
  const double x = m[0], y = m[1], z = m[2];
  point[0] = u[XX] * x + u[XY] * y + u[XZ] * z;
  point[1] = u[YY] * y + u[YZ] * z;
  point[2] = u[ZZ] * z;
}

void tl_lattice_parts(const double u[6], const double vector[3], double part[3]) {
  part[2] = vector[2] / u[ZZ];
  part[1] = (vector[1] - u[YZ] * part[2]) / u[YY];
  part[0] = (vector[0] - u[XY] * part[1] - u[XZ] * part[2]) / u[XX];
}

void tl_lattice_steps(const double edge[6], uint32_t periodic, const double vector[3],
                      double offset, double m[3]) {
  double left[3];
  tl_copy3(left, vector);
  for (int c = 2; c >= 0; c--) {
    double step[3] = {0, 0, 0}, away[3], part[3];
    tl_lattice_parts(edge, left, part);
    m[c] = periodic >> c & 1 ? floor(part[c] + offset) : 0;
    step[c] = m[c];
    tl_lattice_point(edge, step, away);
    tl_sub3(left, left, away);
  }
}

void tl_lattice_nearest(const double edge[6], uint32_t periodic, double vector[3]) {
  double m[3], shift[3];
  if (periodic != 0) {
    tl_lattice_steps(edge, periodic, vector, 0.5, m);
    tl_lattice_point(edge, m, shift);
    tl_sub3(vector, vector, shift);
  }
}
