/* law.h: the law of a constraint as equations, branch by branch.
 *
 * With z = y - rho u each constraint of Alart and Curnier's function (or, for the convex law, of
 * the natural map) is smooth where z stays within a branch: open, sliding, sticking, at a bound.
 * F is continuous from branch to branch, its derivatives jump by a matrix of rank one. */
#ifndef TL_LAW_H
#define TL_LAW_H

#include "host/problem/scaled.h"

/* A talus_law, or one more: normals only, tangential impulses 0. */
enum { TL_LAW_NORMAL = TALUS_LAW_COUNT };

/* The law whose residual tells how far its equations are solved. */
static inline talus_law tl_law_measure(int law) {
  return law == TALUS_LAW_COULOMB ? TALUS_LAW_COULOMB : TALUS_LAW_CCP;
}

typedef enum tl_branch {
  TL_BRANCH_OPEN,  /* y = 0 */
  TL_BRANCH_STICK, /* u = 0; a row within its bounds, a bilateral row */
  TL_BRANCH_SLIP,  /* exact law: u_n = 0, y_t = mu z_n along z_t */
  TL_BRANCH_EDGE,  /* convex law: y is where z projects to on the cone's boundary */
  TL_BRANCH_PUSH,  /* normals only: u_n = 0, y_t = 0 */
  TL_BRANCH_LOWER, /* a row at a bound */
  TL_BRANCH_UPPER
} tl_branch;

/* z of constraint k; rows it does not have are 0. */
void tl_law_point(const tl_scaled *scaled, int32_t k, const double *y, const double *u, double rho,
                  double *z);
/* The branch in which z lies. */
tl_branch tl_law_branch(const tl_scaled *scaled, int32_t k, int law, const double *z);
/* -F of all constraints, u being pulled by alpha (y - centre) and rho = 1 / (1 + alpha); returns
 * |F|. branch: of each, NULL: where z lies. a, b: A + alpha B and B, 9 reals each; NULL: not
 * wanted. */
double tl_law_equations(const tl_scaled *scaled, int law, const int32_t *branch, double alpha,
                        const double *y, const double *u, double *f, double *a, double *b);

/* ---- borders between branches of the exact law ----------------------------------------------- */

/* The branches next to one; returns how many. */
int tl_law_exits(const tl_scaled *scaled, int32_t k, tl_branch from, tl_branch to[2]);
/* How far z is from leaving for the branch `to`, below 0: beyond it; and the gradient of that. */
double tl_law_margin(const tl_scaled *scaled, int32_t k, tl_branch from, tl_branch to,
                     const double *z, double *gradient);
/* The first t >= 0 at which z + t d leaves for the branch `to`; INFINITY: never. */
double tl_law_leave(const tl_scaled *scaled, int32_t k, tl_branch from, tl_branch to,
                    const double *z, const double *d);

#endif
