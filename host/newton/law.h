/* law.h: the law of a constraint as equations, branch by branch.
 *
 * With z = y - rho u each constraint of Alart and Curnier's function (or, for the convex law, of
 * the natural map) is smooth where z stays within a branch: open, sliding, sticking, at a bound.
 * F is continuous from branch to branch, its derivatives jump by a matrix of rank one. */
#ifndef TL_LAW_H
#define TL_LAW_H

#include "host/newton/sheet.h"

/* Beside the convex law 0 and the exact law 1: normals only, tangential impulses 0. */
enum { TL_LAW_NORMAL = 2 };

typedef enum tl_branch {
  TL_BRANCH_OPEN,  /* y = 0 */
  TL_BRANCH_STICK, /* u = 0; a row within its bounds, a bilateral row */
  TL_BRANCH_SLIP,  /* exact law: u_n = 0, y_t = mu z_n along z_t */
  TL_BRANCH_EDGE,  /* convex law: y is where z projects to on the cone's boundary */
  TL_BRANCH_PUSH,  /* normals only: u_n = 0, y_t = 0 */
  TL_BRANCH_LOWER, /* a row at a bound */
  TL_BRANCH_UPPER
} tl_branch;

/* F of one constraint, and its derivatives: dF = A dy + B du. Row-major. */
typedef struct tl_local {
  double f[3], a[9], b[9];
} tl_local;

/* z of constraint k; rows it does not have are 0. */
void tl_law_point(const tl_sheet *sheet, int32_t k, const double *y, const double *u, double rho,
                  double *z);
/* The branch in which z lies. */
tl_branch tl_law_branch(const tl_sheet *sheet, int32_t k, int law, const double *z);
/* F, A and B as on a branch, whether z lies in it or not. */
void tl_law_set(const tl_sheet *sheet, int32_t k, tl_branch branch, const double *y,
                const double *u, const double *z, double rho, tl_local *l);

/* ---- borders between branches of the exact law --------------------------------------------------
 */

/* The branches next to one; returns how many. */
int tl_law_exits(const tl_sheet *sheet, int32_t k, tl_branch from, tl_branch to[2]);
/* How far z is from leaving for the branch `to`, below 0: beyond it; and the gradient of that. */
double tl_law_margin(const tl_sheet *sheet, int32_t k, tl_branch from, tl_branch to,
                     const double *z, double *gradient);
/* The first t >= 0 at which z + t d leaves for the branch `to`; INFINITY: never. */
double tl_law_leave(const tl_sheet *sheet, int32_t k, tl_branch from, tl_branch to, const double *z,
                    const double *d);

#endif
