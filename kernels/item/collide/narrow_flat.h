/* narrow_flat.h: finds the faces that a contact's normal almost belongs to; see solid.h. */
#ifndef TL_ITEM_NARROW_FLAT_H
#define TL_ITEM_NARROW_FLAT_H

#include "kernels/item/collide/narrow_axis.h"

/* Cosine of a fiftieth. */
#define TL_ALMOST_ONE 0.9998

/* The face that looks in the direction, or -1. */
TL_ITEM_LARGE int32_t tl_flat_face_towards(const tl_solid *s, const double direction[3]) {
  if (s->is_cylinder) {
    return fabs(direction[2]) > TL_ALMOST_ONE ? direction[2] > 0 : -1;
  }
  double best = TL_ALMOST_ONE;
  int32_t found = -1;
  for (int32_t f = 0; f < s->face_count; f++) {
    const double here = tl_dot3(s->plane + 4 * f, direction);
    if (here > best) {
      best = here;
      found = f;
    }
  }
  return found;
}

TL_ITEM_LARGE double tl_flat_area_of(const tl_solid *s, int32_t face) {
  double sum[3] = {0, 0, 0}, u[3], v[3], turned[3];
  if (s->is_cylinder) {
    return 2 * 3.14159265358979323846 * s->radius * s->radius;
  }
  const int32_t *const corner = s->face_point + s->face_first[face];
  const int32_t count = s->face_first[face + 1] - s->face_first[face];
  for (int32_t k = 2; k < count; k++) {
    tl_sub3(u, s->point + 3 * corner[k - 1], s->point + 3 * corner[0]);
    tl_sub3(v, s->point + 3 * corner[k], s->point + 3 * corner[0]);
    tl_cross3(turned, u, v);
    tl_along3(sum, sum, 1, turned);
  }
  return tl_norm3(sum);
}

TL_ITEM_LARGE void tl_flat_normal_of(const tl_solid *s, int32_t face, double normal[3]) {
  if (s->is_cylinder) {
    tl_set3(normal, 0, 0, face ? 1 : -1);
  } else {
    tl_copy3(normal, s->plane + 4 * face);
  }
}

/* The face of a or b whose normal is that of the axis within a fiftieth, as an axis of its own; of
 * two the larger one, so that the choice does not change while the solids move a little. */
TL_ITEM_LARGE bool tl_axis_search_flat(const tl_axis_search *search, const tl_separating_axis *axis,
                                       tl_separating_axis *flat) {
  double towards[3];
  tl_turn_back3(towards, search->place.rotation, axis->normal);
  tl_scale3(towards, -1, towards);
  const int32_t of_a = tl_flat_face_towards(search->a, axis->normal);
  const int32_t of_b = tl_flat_face_towards(search->b, towards);
  /* against a mesh its triangle has the word: neighbours then agree on the normal */
  const bool take_b =
      of_b >= 0 &&
      (of_a < 0 || (search->mesh == NULL && tl_flat_area_of(search->b, of_b) >
                                                tl_flat_area_of(search->a, of_a) * (1 + 1e-9)));
  if ((of_a < 0 && of_b < 0) || (take_b && search->mesh != NULL)) {
    return false;
  }
  flat->index_a = of_a;
  flat->index_b = of_b;
  if (take_b) {
    double outward[3];
    flat->kind = TL_AXIS_FACE_B;
    tl_flat_normal_of(search->b, of_b, towards);
    tl_turn3(outward, search->place.rotation, towards);
    tl_scale3(flat->normal, -1, outward);
  } else {
    flat->kind = TL_AXIS_FACE_A;
    tl_flat_normal_of(search->a, of_a, flat->normal);
  }
  flat->separation = tl_axis_search_separation(search, flat->normal);
  return true;
}

#endif
