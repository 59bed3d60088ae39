/* lorentz.h: one friction cone in an interior point: Nesterov and Todd's scaling, reach, corrector.
 *
 * x = T y and s = T^-1 v, T = diag(mu, 1, 1), both in the Lorentz cone; G^2 x = s with G positive:
 * eigenvalues eta a, eta / a, eta along (1, t), (1, -t) and across. S = G^-1 T^-1 in the
 * eigenvectors' frame. One row is a half-line, mu = 1. In double precision. */
#ifndef TL_ITEM_LORENTZ_H
#define TL_ITEM_LORENTZ_H

#include "kernels/item/real.h"

/* What is not a number gives way to b. */
TL_ITEM double tl_larger(double a, double b) {
  return a > b ? a : b;
}
TL_ITEM double tl_lesser(double a, double b) {
  return a < b ? a : b;
}

/* The scaling of one cone: eigenvalues of G and the direction t. */
typedef struct tl_scaling {
  double g[3];      /* along (1, t)/sqrt 2, (1, -t)/sqrt 2, across */
  double t[2];      /* unit */
  double lambda[3]; /* G x = G^-1 s in the eigenvectors' frame */
} tl_scaling;

TL_ITEM double tl_hyperbolic(const double *x, int32_t rows) {
  double m = 0;
  for (int32_t i = 1; i < rows; i++) {
    m += x[i] * x[i];
  }
  m = sqrt(m);
  return (x[0] - m) * (x[0] + m);
}

/* Into the eigenvectors' frame and back; the frame is orthonormal. */
TL_ITEM void tl_scaling_into(const tl_scaling *s, const double *x, int32_t rows, double *e) {
  const double along = rows > 2 ? s->t[0] * x[1] + s->t[1] * x[2] : rows > 1 ? s->t[0] * x[1] : 0;
  const double half = sqrt(0.5);
  e[0] = rows > 1 ? half * (x[0] + along) : x[0];
  e[1] = half * (x[0] - along);
  e[2] = rows > 2 ? s->t[0] * x[2] - s->t[1] * x[1] : 0;
}

TL_ITEM void tl_scaling_back(const tl_scaling *s, const double *e, int32_t rows, double *x) {
  const double half = sqrt(0.5), along = half * (e[0] - e[1]);
  x[0] = rows > 1 ? half * (e[0] + e[1]) : e[0];
  if (rows == 2) {
    x[1] = s->t[0] * along;
  } else if (rows > 2) {
    x[1] = s->t[0] * along - s->t[1] * e[2];
    x[2] = s->t[1] * along + s->t[0] * e[2];
  }
}

/* Of x and s inside the cone. */
TL_ITEM tl_scaling tl_scaling_make(const double *x, const double *s, int32_t rows) {
  tl_scaling made = {{1, 1, 1}, {1, 0}, {0, 0, 0}};
  if (rows == 1) {
    made.g[0] = sqrt(s[0] / x[0]);
    made.lambda[0] = sqrt(s[0] * x[0]);
    return made;
  }
  const double nx = sqrt(tl_larger(tl_hyperbolic(x, rows), 1e-300));
  const double ns = sqrt(tl_larger(tl_hyperbolic(s, rows), 1e-300));
  double dot = 0, w[3] = {0, 0, 0}, m = 0;
  for (int32_t i = 0; i < rows; i++) {
    dot += x[i] / nx * (s[i] / ns);
  }
  const double gamma = sqrt(tl_larger(0.5 * (1 + dot), 1));
  for (int32_t i = 1; i < rows; i++) {
    w[i] = (s[i] / ns - x[i] / nx) / (2 * gamma);
    m += w[i] * w[i];
  }
  m = sqrt(m);
  for (int32_t i = 1; i < rows && m > 0; i++) {
    made.t[i - 1] = w[i] / m;
  }
  const double eta = sqrt(ns / nx), a = sqrt(1 + m * m) + m;
  made.g[0] = eta * a;
  made.g[1] = eta / a;
  made.g[2] = eta;
  tl_scaling_into(&made, x, rows, made.lambda);
  for (int i = 0; i < 3; i++) {
    made.lambda[i] *= made.g[i];
  }
  return made;
}

/* x = T y, s = T^-1 v of one cone; 0 beyond its rows. */
TL_ITEM void tl_cone_space(const double *y, const double *v, int32_t rows, double mu, double *x,
                           double *s) {
  for (int32_t i = 0; i < 3; i++) {
    x[i] = i >= rows ? 0 : i == 0 ? mu * y[i] : y[i];
    s[i] = i >= rows ? 0 : i == 0 ? v[i] / mu : v[i];
  }
}

TL_ITEM tl_scaling tl_cone_scaling(const double *y, const double *v, int32_t rows, double mu) {
  double x[3], s[3];
  tl_cone_space(y, v, rows, mu, x, s);
  return tl_scaling_make(x, s, rows);
}

/* S, 3 x 3, row-major; column j is G^-1 in its frame of T^-1 e_j. */
TL_ITEM void tl_cone_scale(const tl_scaling *made, int32_t rows, double mu, double *scale) {
  for (int32_t j = 0; j < rows; j++) {
    double e[3], unit[3] = {0, 0, 0};
    unit[j] = j == 0 ? 1 / mu : 1;
    tl_scaling_into(made, unit, rows, e);
    for (int32_t i = 0; i < rows; i++) {
      scale[3 * i + j] = e[i] / made->g[i];
    }
  }
}

/* v = q, moved into its cone along n by `size`; y its inverse times `product`: the start is
 * centred, and nothing but that move is off. */
TL_ITEM void tl_cone_start(const double *q, int32_t rows, double mu, double size, double product,
                           double *y, double *v) {
  double m = 0, s[3] = {0, 0, 0};
  for (int32_t i = 1; i < rows; i++) {
    s[i] = q[i];
    m += q[i] * q[i];
  }
  s[0] = tl_larger(q[0] / mu, sqrt(m)) + size;
  const double inverse = product / tl_hyperbolic(s, rows);
  v[0] = mu * s[0];
  y[0] = inverse * s[0] / mu;
  for (int32_t i = 1; i < rows; i++) {
    v[i] = s[i];
    y[i] = -inverse * s[i];
  }
}

/* The way from x inside the Lorentz cone along d to its boundary. */
TL_ITEM double tl_lorentz_reach(const double *x, const double *d, int32_t rows) {
  double a = d[0] * d[0], b = x[0] * d[0];
  for (int32_t i = 1; i < rows; i++) {
    a -= d[i] * d[i];
    b -= x[i] * d[i];
  }
  const double c = tl_larger(tl_hyperbolic(x, rows), 0), root = b * b - a * c;
  const double below = -b + sqrt(root > 0 ? root : 0);
  double reach = root >= 0 && below > 0 ? c / below : HUGE_VAL;
  if (d[0] < 0) {
    reach = tl_lesser(reach, -x[0] / d[0]);
  }
  return reach;
}

/* The way along a step to where y or v meets its cone's boundary. */
TL_ITEM double tl_cone_reach(const double *y, const double *v, const double *dy, const double *dv,
                             int32_t rows, double mu) {
  double x[3], s[3], dx[3], ds[3];
  tl_cone_space(y, v, rows, mu, x, s);
  tl_cone_space(dy, dv, rows, mu, dx, ds);
  return tl_lesser(tl_lorentz_reach(x, dx, rows), tl_lorentz_reach(s, ds, rows));
}

/* lambda \ (target e - lambda o lambda - dx o ds) in the eigenvectors' frame; dy and dv of the
 * affine step. */
TL_ITEM void tl_cone_correct(const tl_scaling *made, const double *dy, const double *dv,
                             int32_t rows, double mu, double target, double *rc) {
  double dx[3], ds[3], e[3], wx[3] = {0, 0, 0}, ws[3] = {0, 0, 0}, l[3] = {0, 0, 0},
                             r[3] = {0, 0, 0}, z[3] = {0, 0, 0};
  tl_cone_space(dy, dv, rows, mu, dx, ds);
  tl_scaling_into(made, dx, rows, e);
  for (int i = 0; i < 3; i++) {
    e[i] *= made->g[i];
  }
  tl_scaling_back(made, e, rows, wx);
  tl_scaling_into(made, ds, rows, e);
  for (int i = 0; i < 3; i++) {
    e[i] /= made->g[i];
  }
  tl_scaling_back(made, e, rows, ws);
  tl_scaling_back(made, made->lambda, rows, l);
  r[0] = target;
  double dot = 0;
  for (int32_t i = 0; i < rows; i++) {
    r[0] -= l[i] * l[i] + wx[i] * ws[i];
    if (i > 0) {
      r[i] = -2 * l[0] * l[i] - wx[0] * ws[i] - ws[0] * wx[i];
      dot += l[i] * r[i];
    }
  }
  z[0] = (l[0] * r[0] - dot) / tl_hyperbolic(l, rows);
  for (int32_t i = 1; i < rows; i++) {
    z[i] = (r[i] - z[0] * l[i]) / l[0];
  }
  tl_scaling_into(made, z, rows, e);
  for (int32_t i = 0; i < rows; i++) {
    rc[i] = e[i];
  }
}

#endif
