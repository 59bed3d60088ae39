/* frame.h: what the world looks like at one instant, for files and pictures.
 *
 * Plain arrays that belong to the caller and are only read. The world fills one for every output
 * step; the directory of a run gives it back (vtk.h). Bodies that were removed are not in it: a
 * body's place in the arrays (its index) is not its id. Units: those of the world. */
#ifndef TL_FRAME_H
#define TL_FRAME_H

#include "host/collide/collide.h"
#include "talus/talus_io.h"

typedef struct tl_frame {
  int64_t step;  /* steps since the beginning of the run, restarts included */
  double time;   /* s */
  int32_t plane; /* 1: a world of disks and polygons in the x-z plane */

  uint32_t periodic;         /* bits of x, y, z: the cell goes on there; 0: there is none */
  double origin[3], edge[6]; /* of the cell, as in talus_cell, m */
  double rate[6];            /* of the cell, 1/s; 0: at rest, or not known (older frames) */

  /* bodies */
  int32_t body_count;
  const int32_t *id;         /* as the world calls them */
  const double *position;    /* [3 body_count] centres of mass, m */
  const double *orientation; /* [4 body_count] w x y z */
  const double *velocity;    /* [3 body_count] m/s */
  const double *spin;        /* [3 body_count] rad/s, world frame */
  const double *radius;      /* of the ball around the centre of mass that holds the body, m; of a
                                single sphere its radius; not finite for half-spaces */
  const int32_t *material;   /* of the body's first shape */
  const int32_t *type;       /* talus_body_type */
  const double *mass;        /* kg, 0 of bodies that are not free; NULL: not known */
  const double *value;       /* a number of each body that a picture shows as its colour, nan: none;
                                NULL: there are none */

  /* shapes, in any order */
  int32_t shape_count;
  const int32_t *shape_body; /* index of the body, not its id */
  const tl_geometry *const *shape_geometry;
  const tl_pose *shape_pose; /* in the body's frame: origin the centre of mass */
  const int32_t *shape_material;

  /* contacts */
  int32_t contact_count;
  const double *contact_point;  /* [3 contact_count] m */
  const double *contact_normal; /* [3 contact_count] unit, from a to b */
  const double *contact_force;  /* [3 contact_count] impulse over step, on b, N */
  const double *contact_gap;    /* m, < 0: penetration */
  const int32_t *contact_body;  /* [2 contact_count] ids of a and b */

  /* bonds */
  int32_t bond_count;
  const talus_bond *bond;

  /* scalars of this instant */
  int32_t scalar_count;
  const talus_column *scalar_column;
  const double *scalar;
} tl_frame;

/* Whether a body is free or a link: part of the scene's subject, not of its walls. */
static inline bool tl_frame_loose(const tl_frame *frame, int32_t body) {
  return frame->type[body] == TALUS_BODY_FREE || frame->type[body] == TALUS_BODY_LINK;
}
/* Where a shape of the frame is in the world. */
tl_pose tl_frame_shape_pose(const tl_frame *frame, int32_t shape);
/* Holds indices and pointers against the counts and looks for positions that are not finite; files
 * and pictures call it before anything else. Statuses: MISSING_ARRAY, INDEX_RANGE, NOT_FINITE,
 * SIZE_OVERFLOW; the message names array and index. */
talus_status tl_frame_check(talus_context *context, const tl_frame *frame);

#endif
