/* vtk_read_bodies.c: what files tell of bodies beside their points: the centre and mass of a clump,
 * the place of a wall. Files of 0.1 tell neither. */
#include <string.h>

#include "host/io/vtk_read.h"
#include "host/math/vector.h"

/* The velocity of the centre of mass from that of a point of the body. */
static void velocity_at_centre(double velocity[3], const double spin[3], const double point[3],
                               const double centre[3]) {
  double arm[3], turned[3];
  tl_sub3(arm, point, centre);
  if (tl_dot3(arm, arm) > 0) {
    tl_cross3(turned, spin, arm);
    tl_along3(velocity, velocity, -1, turned);
  }
}

/* Moves what the arrays hold of point `from` to body `to`, which is not behind it. */
static void move_point(tl_frame_filler *f, int32_t from, int32_t to) {
  f->id[to] = f->id[from];
  f->material[to] = f->material[from];
  f->type[to] = f->type[from];
  f->radius[to] = f->radius[from];
  memmove(f->orientation + 4 * (size_t)to, f->orientation + 4 * (size_t)from, 4 * sizeof(double));
  memmove(f->velocity + 3 * (size_t)to, f->velocity + 3 * (size_t)from, 3 * sizeof(double));
  memmove(f->spin + 3 * (size_t)to, f->spin + 3 * (size_t)from, 3 * sizeof(double));
}

talus_status tl_frame_join_parts(tl_frame_filler *f, int32_t *point, int64_t *count) {
  const tl_frame_source *const source = &f->source[TL_FRAME_GRAINS];
  const double *mass, *centre;
  const int32_t *part;
  int32_t bodies = 0;
  if (!tl_vtk_has(&source->content, TL_VTK_POINT, "centre")) {
    return TALUS_OK;
  }
  TL_TRY(tl_vtk_get(&source->content, source->path, TL_VTK_POINT, "mass", TL_VTK_FLOAT64, 1, count,
                    (const void **)&mass));
  TL_TRY(tl_vtk_get(&source->content, source->path, TL_VTK_POINT, "centre", TL_VTK_FLOAT64, 3,
                    count, (const void **)&centre));
  TL_TRY(tl_vtk_get(&source->content, source->path, TL_VTK_POINT, "part", TL_VTK_INT32, 1, count,
                    (const void **)&part));
  TL_TRY(tl_frame_take(f, (void **)&f->mass, f->body_room, sizeof(double)));
  for (int32_t k = 0; k < (int32_t)*count; k++) {
    if (part[k] == 0) {
      const double *const at = f->position + 3 * (size_t)k, *const c = centre + 3 * (size_t)k;
      point[k] = bodies++;
      velocity_at_centre(f->velocity + 3 * (size_t)k, f->spin + 3 * (size_t)k, at, c);
      move_point(f, k, point[k]);
      tl_copy3(f->position + 3 * (size_t)point[k], c);
      f->mass[point[k]] = mass[k];
      continue;
    }
    int32_t body = bodies - 1; /* nearly always the last one */
    while (body >= 0 && f->id[body] != f->id[k]) {
      body--;
    }
    if (body < 0) {
      return tl_fail(f->context, TALUS_FILE_FORMAT, "%s: a part of body %d stands before its first",
                     source->path, (int)f->id[k]);
    }
    point[k] = body;
  }
  *count = bodies;
  return TALUS_OK;
}

talus_status tl_frame_place_body(tl_frame_filler *f, int32_t body) {
  const tl_frame_source *const source = &f->source[TL_FRAME_GRAINS];
  const size_t b = (size_t)body;
  const struct {
    const char *name;
    int32_t components;
    double *to;
  } array[] = {{"body_position", 3, f->position + 3 * b},
               {"body_orientation", 4, f->orientation + 4 * b},
               {"body_velocity", 3, f->velocity + 3 * b},
               {"body_spin", 3, f->spin + 3 * b}};
  const int32_t *id;
  int64_t count = -1, found = 0;
  if (!tl_vtk_has(&source->content, TL_VTK_FIELD, "body_id")) {
    return TALUS_OK;
  }
  TL_TRY(tl_vtk_get(&source->content, source->path, TL_VTK_FIELD, "body_id", TL_VTK_INT32, 1,
                    &count, (const void **)&id));
  while (found < count && id[found] != f->id[body]) {
    found++;
  }
  for (size_t k = 0; k < sizeof array / sizeof *array && found < count; k++) {
    const double *value;
    TL_TRY(tl_vtk_get(&source->content, source->path, TL_VTK_FIELD, array[k].name, TL_VTK_FLOAT64,
                      array[k].components, &count, (const void **)&value));
    memcpy(array[k].to, value + array[k].components * found,
           (size_t)array[k].components * sizeof(double));
  }
  return TALUS_OK;
}
