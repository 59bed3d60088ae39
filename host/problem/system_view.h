/* system_view.h: a system as the kernels see it, on the host: for what is found by pushing. */
#ifndef TL_SYSTEM_VIEW_H
#define TL_SYSTEM_VIEW_H

#include <string.h>

#include "kernels/data/system.h"
#include "kernels/item/view.h"

/* The arrays alone, without a state. */
static inline tl_view tl_system_view(const tl_system *system) {
  tl_view view;
  memset(&view, 0, sizeof view);
  view.shape = system->shape;
#define TL_VIEW(type, name, count) view.name = system->name;
#define TL_VIEW_REALS(name, count) view.name = system->name;
  TL_ARRAY_LIST(TL_VIEW, TL_VIEW_REALS)
#undef TL_VIEW
#undef TL_VIEW_REALS
  return view;
}

/* Velocities of nothing: 0 but for the masses in the records of spheres. */
static inline void tl_system_still(const tl_view *view, double *velocity) {
  const tl_shape *const shape = &view->shape;
  memset(velocity, 0, (size_t)shape->velocity_size * sizeof *velocity);
  for (int64_t i = 0; shape->body_kind == TL_SPHERES && i < shape->rigid_count; i++) {
    velocity[TL_RECORD * i + 3] = view->body[4 * i];
    velocity[TL_RECORD * i + 7] = view->body[4 * i + 1];
  }
}

#endif
