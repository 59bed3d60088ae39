/* select_parts.h: the arrays of a changed frame while they are filled; see select.h. */
#ifndef TL_VIEW_SELECT_PARTS_H
#define TL_VIEW_SELECT_PARTS_H

#include "host/view/select.h"

typedef struct tl_select_arrays {
  int32_t *id, *material, *type, *shape_body, *shape_material, *of;
  double *position, *orientation, *velocity, *spin, *radius, *mass, *value;
  const tl_geometry **geometry;
  tl_pose *pose;
} tl_select_arrays;

/* How far copy number i of the cell stands off. */
void tl_select_shift(const tl_frame *frame, const tl_select *select, int32_t i, double shift[3]);
/* A frame whose third column is a unit vector. */
void tl_select_axes(const double along[3], double axes[9]);
/* Adds a shape to a body, `place` along the third of the axes, all in the body's frame. Statuses:
 * those of tl_geometry_create. */
talus_status tl_select_part_add(tl_selected *to, tl_select_arrays *arrays, int32_t body,
                                const talus_shape_def *def, const double axes[9], double place);
/* Adds a body, which is a rod, for each contact with a force, in so many copies of the cell. */
talus_status tl_select_chains(tl_selected *to, const tl_frame *frame, const tl_select *select,
                              int32_t images, tl_select_arrays *arrays);

#endif
