/* team.h: items that are whole small problems, worked on by a team: one thread on the CPU, a block
 * of threads on a device.
 *
 * Every element of an array is computed by one member, from the same numbers in the same order
 * whoever it is; sums over elements are formed by every member for itself. So a team of any size
 * gives the same bits, and all members take the same branches. A function finds its arrays complete
 * and leaves them complete: it ends with TL_MEET where it wrote.
 *
 * A device defines TL_TEAM_LANE, TL_TEAM_SIZE and TL_MEET before it includes this. */
#ifndef TL_ITEM_TEAM_H
#define TL_ITEM_TEAM_H

#include "kernels/item/dense_problem.h"
#include "kernels/item/real.h"

#ifndef TL_TEAM_LANE
#define TL_TEAM_LANE 0
#define TL_TEAM_SIZE 1
#define TL_MEET() ((void)0)
#define TL_STRIP 8 /* elements summed side by side, so that they stay in registers */
#define TL_INDEPENDENT _Pragma("GCC ivdep")
#define TL_ASKED(phase, result, within)        \
  ((phase) != NULL && (phase)->stop != NULL && \
   (phase)->stop((phase)->stop_self, (result), (within)))
#else
/* only counts are limits to a device */
#define TL_ASKED(phase, result, within) ((void)(phase), (void)(result), 0)
#define TL_STRIP 1
#define TL_INDEPENDENT
#endif

#if defined(__CUDACC__)
#define TL_TEAM static __device__ __forceinline__
#else
#define TL_TEAM TL_ITEM
#endif

/* Columns of matrices are padded to whole strips, with zeros. */
enum { TL_PAD = 8 };
TL_ITEM int32_t tl_padded(int32_t n) {
  return (n + TL_PAD - 1) / TL_PAD * TL_PAD;
}

/* Before a step; and within the k-th part of one, where all n parts would take long. */
enum { TL_LONG = 256, TL_ASK_EVERY = 8 };
#define TL_STOPPED(phase, result) TL_ASKED(phase, result, 0)
#define TL_INTERRUPTED(phase, result, n, k) \
  ((n) >= TL_LONG && (k) % TL_ASK_EVERY == 0 && TL_ASKED(phase, result, 1))

/* The elements from .. to - 1, shared out among the team; none reads what another writes. */
#define TL_TEAM_EACH(i, from, to) \
  TL_INDEPENDENT                  \
  for (int32_t i = (from) + TL_TEAM_LANE; i < (to); i += TL_TEAM_SIZE)
/* The same by strips, of which `from` and `to` are multiples of TL_PAD away: i is a strip's first,
 * l runs within. */
#define TL_EACH_STRIP(i, from, to) \
  for (int32_t i = (from) + TL_STRIP * TL_TEAM_LANE; i < (to); i += TL_STRIP * TL_TEAM_SIZE)
#define TL_WITHIN(l) \
  TL_INDEPENDENT     \
  for (int l = 0; l < TL_STRIP; l++)

TL_TEAM void tl_team_copy(int32_t n, const double *from, double *to) {
  TL_TEAM_EACH(i, 0, n) {
    to[i] = from[i];
  }
  TL_MEET();
}

/* Four sums side by side, then theirs: by every member for itself. */
TL_TEAM double tl_team_square(int32_t n, const double *v) {
  double sum[4] = {0, 0, 0, 0};
  for (int32_t i = 0; i < n; i++) {
    sum[i % 4] += v[i] * v[i];
  }
  return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

#endif
