/* fclib.h: contact problems as FCLIB keeps them in HDF5.
 *
 *   fclib_local/   spacedim, W, vectors/{q, mu}, with bilateral rows also V, R, vectors/s
 *                  u = W r + V l + q,  0 = V^T r + R l + s
 *   fclib_global/  spacedim, M, H, vectors/{f, w, mu}, with bilateral rows also G, vectors/b
 *                  M v = f + H r + G l,  u = H^T v + w,  0 = G^T v + b
 *   talus/         row_lower, row_upper of the bilateral rows where some have bounds, infinite
 *                  where there is none; compliance, target_impulse, row_compliance and
 *                  row_target_impulse where something gives way; torque_friction and
 *                  cross_friction of contacts of six rows (spacedim 6) and elliptic cones;
 *                  velocity_scale: our own, where FCLIB does not look
 *   info/title in either; solution/{r, u, l, v} and guesses/1/{...} beside them
 *   a matrix is a group {m, n, nzmax, nz, p, i, x}: nz >= 0 triplets, -1 by columns, -2 by rows
 * Triplets are written with i = row, p = column, as Siconos does. FCLIB's own header says the
 * opposite; a reader takes what fits the sizes. */
#ifndef TL_FCLIB_H
#define TL_FCLIB_H

#include "host/io/output_file.h"
#include "host/io/stored.h"

/* Fills stored->problem and the guess. Statuses: FILE_FORMAT, OUT_OF_MEMORY. */
talus_status tl_fclib_read(talus_stored *stored, const char *path);

/* Impulses to store beside a problem; any pointer may be NULL, and is left out then. */
typedef struct tl_fclib_solution {
  const double *r; /* [dimension contact_count] (n, t1, t2) */
  const double *u; /* the same */
  const double *v; /* [n], form GLOBAL */
} tl_fclib_solution;

/* Writes a checked problem of form DELASSUS or GLOBAL; whole in memory first, since HDF5 does not
 * survive a full disk well. The caller commits. Statuses: FILE_WRITE, UNSUPPORTED,
 * OUT_OF_MEMORY. */
talus_status tl_fclib_write(talus_stored *scratch, tl_output *output, const talus_problem *problem,
                            const tl_fclib_solution *solution);

#endif
