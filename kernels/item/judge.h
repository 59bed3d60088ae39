/* judge.h: the certificate of one contact of three rows, from the caller's own numbers, in double.
 *
 *   R(x)^2 = sum over contacts of w |x - P(x - (u + [mu |u_t| n]) / w)|^2
 * No solver calls these items and they call none of theirs. Host and device give the same bits. */
#ifndef TL_ITEM_JUDGE_H
#define TL_ITEM_JUDGE_H

#include "kernels/data/law.h"
#include "kernels/item/compliance.h"
#include "kernels/item/real.h"

/* x, u = W x + q, q, the scale of q's rounding error, w = tr(W_kk) / rows. */
typedef struct tl_judge_fact {
  double impulse[3], velocity[3], free[3], rounding[3], weight;
} tl_judge_fact;

/* Sums over constraints, then the largest of some. TL_JUDGE_SUMS and TL_JUDGE_MOST count them. */
typedef struct tl_judge_sums {
  double residual[TL_LAW_COUNT], reference[TL_LAW_COUNT]; /* weighted squares, by law */
  double faceted[TL_LAW_COUNT],
      faceted_reference[TL_LAW_COUNT]; /* the same for the cone of the settings */
  double rigid[TL_LAW_COUNT], rigid_reference[TL_LAW_COUNT]; /* the same as if nothing gave way */
  double natural[TL_LAW_COUNT]; /* unweighted squares, rho = 1: Siconos' numerator */
  double product[TL_LAW_COUNT], size[TL_LAW_COUNT]; /* complementarity */
  double impulse, velocity, free;                   /* squares of norms */
  double rounding;
  double load;           /* weighted squares of the impulses */
  double inverse_weight; /* sum of 1 / w_k over the contacts */
  double dissipation;
  double fastest; /* largest term of the rounding, before it is squared; largest, here and below */
  double violation, largest, closing, bilateral;
} tl_judge_sums;

enum { TL_JUDGE_ADDED = 25, TL_JUDGE_MOST = 5, TL_JUDGE_SUMS = TL_JUDGE_ADDED + TL_JUDGE_MOST };

/* A vector split about the cone's axis. */
typedef struct tl_judge_point {
  double normal, tangential[3];
} tl_judge_point;

TL_ITEM tl_judge_point tl_judge_split(const double *v, const double *n) {
  tl_judge_point p;
  p.normal = n[0] * v[0] + n[1] * v[1] + n[2] * v[2];
  for (int c = 0; c < 3; c++) {
    p.tangential[c] = v[c] - p.normal * n[c];
  }
  return p;
}

TL_ITEM double tl_judge_length(const double *v) {
  return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

TL_ITEM double tl_judge_inner(tl_judge_point a, tl_judge_point b) {
  return a.normal * b.normal + a.tangential[0] * b.tangential[0] +
         a.tangential[1] * b.tangential[1] + a.tangential[2] * b.tangential[2];
}

/* fmax forgets what is not a number; an error must not. One choice after the other, here and below,
 * so that a compiler can treat several contacts at once. */
TL_ITEM double tl_judge_larger(double a, double b) {
  const double larger = a >= b ? a : b;
  return a != a ? a : larger;
}

/* What the natural maps of one contact share: friction and 1 / (1 + mu^2). */
typedef struct tl_judge_cone {
  double mu, inverse;
} tl_judge_cone;

/* w |x - P(x - u/w)|^2 with the Euclidean projection P on the cone of half-angle atan(mu), as
 * |x' - P(x' - u')|^2 of x' = sqrt(w) x and u' = u / sqrt(w): the cone is the same, and neither 1/w
 * nor a square leaves the range of numbers early. scale: sqrt(w) and its inverse; z: x' - u', of
 * tangential length m. */
TL_ITEM double tl_judge_natural(const tl_judge_point *x, const tl_judge_point *u, tl_judge_cone k,
                                const double *scale, const double *z, double m) {
  const double zn = scale[0] * x->normal - scale[1] * u->normal;
  const double along = (zn + k.mu * m) * k.inverse;
  const double turn = m > 0 ? k.mu * along / m : 0; /* at most 1 where it is used */
  double edge = 0;
  for (int c = 0; c < 3; c++) {
    const double d = scale[0] * x->tangential[c] - turn * z[c];
    edge += d * d;
  }
  edge += (scale[0] * x->normal - along) * (scale[0] * x->normal - along);
  const double apex = scale[0] * scale[0] * tl_judge_inner(*x, *x);
  const double inside = scale[1] * scale[1] * tl_judge_inner(*u, *u);
  const double lost = along != along ? along : apex;
  const double outside = along > 0 ? edge : lost;
  /* without friction 0 <= mu z_n says nothing */
  const double within = m <= k.mu * zn ? inside : outside;
  return zn >= 0 ? within : outside;
}

/* The same of both laws' velocities, which differ along the normal alone. */
TL_ITEM void tl_judge_naturals(const tl_judge_point *x, const tl_judge_point *u, tl_judge_cone k,
                               const double *scale, double *squares) {
  double z[3], m = 0;
  for (int c = 0; c < 3; c++) {
    z[c] = scale[0] * x->tangential[c] - scale[1] * u[0].tangential[c];
    m += z[c] * z[c];
  }
  m = sqrt(m);
  for (int law = 0; law < TL_LAW_COUNT; law++) {
    squares[law] = tl_judge_natural(x, &u[law], k, scale, z, m);
  }
}

/* The law's velocity: u, or u + mu |u_t| n. Without friction the normal row alone counts. */
TL_ITEM tl_judge_point tl_judge_lawful(tl_judge_point u, double mu, tl_law law) {
  if (!(mu > 0)) {
    u.tangential[0] = u.tangential[1] = u.tangential[2] = 0;
  }
  if (law == TL_LAW_COULOMB) {
    u.normal += mu * tl_judge_length(u.tangential);
  }
  return u;
}

/* R(x)^2 and R(0)^2 of both laws. */
TL_ITEM void tl_judge_squares(const tl_judge_fact *f, double mu, const double *n, double *residual,
                              double *reference) {
  const tl_judge_point x = tl_judge_split(f->impulse, n), zero = {0, {0, 0, 0}};
  const tl_judge_point u = tl_judge_split(f->velocity, n), q = tl_judge_split(f->free, n);
  const tl_judge_cone k = {mu, 1 / (1 + mu * mu)};
  const double scale[2] = {sqrt(f->weight), 1 / sqrt(f->weight)};
  const tl_judge_point lawful[TL_LAW_COUNT] = {tl_judge_lawful(u, mu, TL_LAW_COULOMB),
                                               tl_judge_lawful(u, mu, TL_LAW_CCP)};
  const tl_judge_point before[TL_LAW_COUNT] = {tl_judge_lawful(q, mu, TL_LAW_COULOMB),
                                               tl_judge_lawful(q, mu, TL_LAW_CCP)};
  tl_judge_naturals(&x, lawful, k, scale, residual);
  tl_judge_naturals(&zero, before, k, scale, reference);
}

/* All that is summed of a contact with friction mu and cone axis n, added to s but for the faceted
 * sums: those have these squares, or others where the cone has facets. */
TL_ITEM void tl_judge_contact(const tl_judge_fact *f, double mu, const double *n, double *residual,
                              double *reference, tl_judge_sums *s) {
  const tl_judge_point x = tl_judge_split(f->impulse, n), u = tl_judge_split(f->velocity, n);
  const tl_judge_point q = tl_judge_split(f->free, n);
  const tl_judge_cone k = {mu, 1 / (1 + mu * mu)};
  const double inverse = 1 / sqrt(f->weight), plain[2] = {1, 1};
  const tl_judge_point lawful[TL_LAW_COUNT] = {tl_judge_lawful(u, mu, TL_LAW_COULOMB),
                                               tl_judge_lawful(u, mu, TL_LAW_CCP)};
  const double square = tl_judge_inner(x, x);
  double unweighted[TL_LAW_COUNT], work = 0, rounding = 0;
  tl_judge_squares(f, mu, n, residual, reference);
  tl_judge_naturals(&x, lawful, k, plain, unweighted);
  for (int law = 0; law < TL_LAW_COUNT; law++) {
    s->residual[law] += residual[law];
    s->reference[law] += reference[law];
    s->natural[law] += unweighted[law];
    s->product[law] += fabs(tl_judge_inner(x, lawful[law]));
    s->size[law] += sqrt(square * tl_judge_inner(lawful[law], lawful[law]));
  }
  const double outside = tl_judge_larger(tl_judge_length(x.tangential) - mu * x.normal, -x.normal);
  s->violation = tl_judge_larger(s->violation, outside);
  s->largest = tl_judge_larger(s->largest, sqrt(square));
  s->closing = tl_judge_larger(s->closing, -u.normal);
  for (int c = 0; c < 3; c++) {
    const double r = f->rounding[c] * inverse;
    work += x.tangential[c] * u.tangential[c];
    rounding += r * r;
    s->fastest = tl_judge_larger(s->fastest, r);
  }
  s->dissipation += work;
  s->rounding += rounding;
  s->load += f->weight * square;
  s->inverse_weight += inverse * inverse;
  s->impulse += square;
  s->velocity += tl_judge_inner(u, u);
  s->free += tl_judge_inner(q, q);
}

/* C v, C about the axis. */
TL_ITEM void tl_judge_yield(const tl_yielding *c, const double *n, const double *v,
                            double *result) {
  const double along = n[0] * v[0] + n[1] * v[1] + n[2] * v[2];
  for (int i = 0; i < 3; i++) {
    result[i] = c->tangential * (v[i] - along * n[i]) + c->normal * along * n[i];
  }
}

/* A fact with its compliance. rows: of the constraint. */
TL_ITEM void tl_judge_comply(tl_judge_fact *f, const tl_yielding *c, const double *n,
                             int32_t rows) {
  double given[3], wanted[3];
  tl_judge_yield(c, n, f->impulse, given);
  tl_judge_yield(c, n, c->target, wanted);
  for (int i = 0; i < 3; i++) {
    f->velocity[i] += given[i] - wanted[i];
    f->free[i] -= wanted[i];
    f->rounding[i] += fabs(wanted[i]);
  }
  f->weight += (c->normal + (rows - 1) * c->tangential) / rows;
}

#endif
