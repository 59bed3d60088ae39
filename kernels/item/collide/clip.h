/* clip.h: cutting of a face, line or point to what lies over a face (Sutherland and Hodgman), plane
 * by plane. Every corner carries a name that tells from which features it came: a corner of the
 * other solid, or one of its edges and the side that cut it.
 *
 * A cylinder's cap counts as a sixteen-sided polygon around it where it cuts, and as eight points
 * of its rim, fixed to it, where it is cut. Faces with more than 64 corners are thinned out. */
#ifndef TL_ITEM_CLIP_H
#define TL_ITEM_CLIP_H

#include <string.h>

#include "kernels/item/collide/clip_lines.h"
#include "kernels/item/collide/spread.h"

/* The face that cuts, and the solid that is cut; `place` of the second in the first's frame. */
typedef struct tl_clip_cutting {
  const tl_solid *face_solid, *other;
  tl_pose place;
  int32_t face;
  double plane[4];
  double tolerance;
} tl_clip_cutting;

/* Cosines of one, two and three sixteenths of a turn. */
#define TL_SIXTEENTH_1 0.92387953251128675613
#define TL_SIXTEENTH_2 0.70710678118654752440
#define TL_SIXTEENTH_3 0.38268343236508977173

/* Cosine and sine of k sixteenths of a turn. */
TL_ITEM_LARGE void tl_clip_direction_of_sixteen(int k, double out[2]) {
  const double cosine[5] = {1, TL_SIXTEENTH_1, TL_SIXTEENTH_2, TL_SIXTEENTH_3, 0};
  const int quarter = k / 4, rest = k % 4;
  const double c = cosine[rest], s = cosine[4 - rest];
  const double x[4] = {c, -s, -c, s}, y[4] = {s, c, -s, -c};
  out[0] = x[quarter];
  out[1] = y[quarter];
}

TL_ITEM_LARGE void tl_clip_add_corner(const tl_clip_cutting *cut, tl_clip_polygon *p,
                                      const double local[3], uint32_t name) {
  tl_clip_corner *const c = &p->at[p->count++];
  tl_place3(c->at, &cut->place, local);
  c->name = tl_feature(1, name, 0);
  c->edge = tl_feature(2, name, 0);
}

/* The face through the deepest corner that looks most towards the cutting face. */
TL_ITEM_LARGE int32_t tl_clip_nearest_face(const tl_solid *s, const double towards[3],
                                           double tolerance) {
  double point[3], best = -INFINITY;
  int32_t index, found = 0;
  const double deepest = tl_solid_support(s, towards, point, &index);
  for (int32_t f = 0; f < s->face_count; f++) {
    const double looks = tl_dot3(s->plane + 4 * f, towards);
    if (!(looks > best)) {
      continue;
    }
    for (int32_t k = s->face_first[f]; k < s->face_first[f + 1]; k++) {
      if (tl_dot3(s->point + 3 * s->face_point[k], towards) >= deepest - tolerance) {
        best = looks;
        found = f;
        break;
      }
    }
  }
  return found;
}

TL_ITEM_LARGE void tl_clip_cylinder_feature(const tl_clip_cutting *cut, const double towards[3],
                                            tl_clip_polygon *p) {
  const tl_solid *const s = cut->other;
  const double across = sqrt(towards[0] * towards[0] + towards[1] * towards[1]);
  const double high = towards[2] >= 0 ? s->half_length : -s->half_length;
  if (across < TL_SIXTEENTH_2) {
    for (int k = 0; k < 8; k++) {
      double d[2];
      tl_clip_direction_of_sixteen(2 * k, d);
      const double point[3] = {s->radius * d[0], s->radius * d[1], high};
      tl_clip_add_corner(cut, p, point, (uint32_t)k);
    }
    return;
  }
  for (int k = 0; k < 2; k++) {
    const double end[3] = {s->radius * towards[0] / across, s->radius * towards[1] / across,
                           k ? s->half_length : -s->half_length};
    tl_clip_add_corner(cut, p, end, 8u + (uint32_t)k);
  }
}

/* What of the other solid is nearest to the face, in the face's frame. */
TL_ITEM_LARGE void tl_clip_nearest_feature(const tl_clip_cutting *cut, tl_clip_polygon *p) {
  const tl_solid *const s = cut->other;
  double towards[3];
  tl_turn_back3(towards, cut->place.rotation, cut->plane);
  tl_scale3(towards, -1, towards);
  p->count = 0;
  if (s->is_cylinder) {
    tl_clip_cylinder_feature(cut, towards, p);
    return;
  }
  if (s->face_count == 0) {
    for (int32_t k = 0; k < s->point_count; k++) {
      tl_clip_add_corner(cut, p, s->point + 3 * k, (uint32_t)k);
    }
    return;
  }
  const int32_t f = tl_clip_nearest_face(s, towards, cut->tolerance), first = s->face_first[f];
  const int32_t count = s->face_first[f + 1] - first;
  const int32_t stride = (count + TL_CLIP_FACE_ROOM - 1) / TL_CLIP_FACE_ROOM;
  for (int32_t k = 0; k < count; k += stride) {
    const int32_t index = s->face_point[first + k];
    tl_clip_add_corner(cut, p, s->point + 3 * index, (uint32_t)index);
  }
}

TL_ITEM_LARGE tl_clip_corner tl_clip_cut_edge(const tl_clip_corner *p, const tl_clip_corner *q,
                                              double height_p, double height_q, uint32_t side) {
  tl_clip_corner c;
  const double s = tl_clamp(height_p / (height_p - height_q), 0, 1);
  for (int i = 0; i < 3; i++) {
    c.at[i] = p->at[i] + s * (q->at[i] - p->at[i]);
  }
  c.name = tl_feature(3, p->edge, side);
  c.edge = p->edge;
  return c;
}

/* Keeps what lies below the plane n . x = d. Two corners are a line, not a polygon run twice. */
TL_ITEM_LARGE void tl_clip_cut_by(tl_clip_room *room, const double n[3], double d, double tolerance,
                                  uint32_t side) {
  tl_clip_polygon *const p = &room->polygon, *const rest = &room->next.rest;
  rest->count = 0;
  const int edges = p->count == 2 ? 1 : p->count;
  for (int k = 0; k < p->count && rest->count < TL_CLIP_ROOM - 3; k++) {
    const tl_clip_corner *const from = &p->at[k], *const to = &p->at[(k + 1) % p->count];
    const double here = tl_dot3(n, from->at) - d, there = tl_dot3(n, to->at) - d;
    const int in_here = here <= tolerance, in_there = there <= tolerance;
    if (in_here) {
      rest->at[rest->count++] = *from;
    }
    if (k < edges && in_here != in_there) {
      tl_clip_corner *const c = &rest->at[rest->count++];
      *c = tl_clip_cut_edge(from, to, here, there, side);
      if (in_here) {
        c->edge = tl_feature(4, side, 0);
      }
    }
  }
  memcpy(p->at, rest->at, (size_t)rest->count * sizeof *rest->at);
  p->count = rest->count;
}

TL_ITEM_LARGE void tl_clip_cut_by_cap(const tl_clip_cutting *cut, tl_clip_room *room) {
  for (int k = 0; k < 16 && room->polygon.count > 0; k++) {
    double d[2];
    tl_clip_direction_of_sixteen(k, d);
    const double n[3] = {d[0], d[1], 0};
    tl_clip_cut_by(room, n, cut->face_solid->radius, cut->tolerance, (uint32_t)k);
  }
}

TL_ITEM_LARGE void tl_clip_cut_by_sides(const tl_clip_cutting *cut, tl_clip_room *room) {
  const tl_solid *const s = cut->face_solid;
  if (s->is_cylinder) {
    tl_clip_cut_by_cap(cut, room);
    return;
  }
  const int32_t first = s->face_first[cut->face];
  const int32_t count = s->face_first[cut->face + 1] - first;
  const int32_t stride = (count + TL_CLIP_SIDE_ROOM - 1) / TL_CLIP_SIDE_ROOM;
  for (int32_t k = 0; k < count && room->polygon.count > 0; k += stride) {
    const double *const from = s->point + 3 * s->face_point[first + k];
    const double *const to = s->point + 3 * s->face_point[first + (k + 1) % count];
    double along[3], outward[3];
    tl_sub3(along, to, from);
    tl_cross3(outward, along, cut->plane);
    tl_unit3(outward);
    tl_clip_cut_by(room, outward, tl_dot3(outward, from), cut->tolerance, (uint32_t)k);
  }
}

/* Drops what is too far along the normal or lies on another corner. Where it is wanted, adds the
 * deepest point of all if nothing else is left or, on a rim, if it is not among the eight. */
TL_ITEM_LARGE void tl_clip_sift(const tl_clip_cutting *cut, tl_clip_polygon *p, double margin,
                                double deepest, int complete, double *gap) {
  int kept = 0;
  double least = INFINITY;
  for (int k = 0; k < p->count; k++) {
    const double here = tl_dot3(cut->plane, p->at[k].at) - cut->plane[3];
    bool wanted = here < margin;
    for (int j = 0; j < kept && wanted; j++) {
      double apart[3];
      tl_sub3(apart, p->at[j].at, p->at[k].at);
      wanted = tl_dot3(apart, apart) > 4 * cut->tolerance * cut->tolerance;
    }
    if (wanted) {
      least = tl_min(least, here);
      gap[kept] = here;
      p->at[kept++] = p->at[k];
    }
  }
  p->count = kept;
  const double missing = cut->other->is_cylinder ? deepest + cut->tolerance : margin;
  if (complete && deepest < margin && least > missing) {
    double towards[3], point[3];
    int32_t index;
    tl_turn_back3(towards, cut->place.rotation, cut->plane);
    tl_scale3(towards, -1, towards);
    tl_solid_support(cut->other, towards, point, &index);
    gap[p->count] = deepest;
    tl_clip_add_corner(cut, p, point, 16u + (uint32_t)index);
  }
}

TL_ITEM_LARGE void tl_clip_cap_plane(const tl_solid *s, int32_t cap, double plane[4]) {
  tl_set3(plane, 0, 0, cap ? 1 : -1);
  plane[3] = s->half_length;
}

/* Thins out to what a manifold holds and brings the points to a's frame and surface. */
TL_ITEM_LARGE void tl_clip_report(const tl_axis_search *search, const tl_clip_cutting *cut,
                                  int of_b, tl_manifold *m) {
  const tl_clip_polygon *const p = &search->room->polygon;
  const double *const gap = search->room->gap;
  tl_clip_choice *const choice = &search->room->next.choice;
  for (int k = 0; k < p->count; k++) {
    tl_copy3(choice->point[k], p->at[k].at);
  }
  tl_narrow_spread(cut->plane, (const double(*)[3])choice->point, gap, p->count, TL_CLIP_MOST,
                   choice->keep);
  for (int k = 0; k < p->count; k++) {
    if (!choice->keep[k]) {
      continue;
    }
    double *const target = m->point[m->count];
    if (of_b) {
      tl_place3(target, &search->place, p->at[k].at); /* a is the one that was cut */
    } else {
      tl_along3(target, p->at[k].at, -gap[k], cut->plane);
    }
    m->gap[m->count] = gap[k];
    m->feature[m->count++] = tl_feature(of_b ? 6 : 5, p->at[k].name, (uint32_t)cut->face);
  }
}

TL_ITEM_LARGE void tl_clip_over_face(const tl_axis_search *search, const tl_separating_axis *axis,
                                     double margin, int complete, tl_manifold *m) {
  const bool of_b = axis->kind == TL_AXIS_FACE_B;
  tl_clip_polygon *const p = &search->room->polygon;
  tl_clip_cutting cut;
  cut.face_solid = of_b ? search->b : search->a;
  cut.other = of_b ? search->a : search->b;
  cut.place = of_b ? tl_pose_inverse(&search->place) : search->place;
  cut.face = of_b ? axis->index_b : axis->index_a;
  cut.tolerance = 0.5 * search->tolerance;
  if (cut.face_solid->is_cylinder) {
    tl_clip_cap_plane(cut.face_solid, cut.face, cut.plane);
  } else {
    tl_copy3(cut.plane, cut.face_solid->plane + 4 * cut.face);
    cut.plane[3] = cut.face_solid->plane[4 * cut.face + 3];
  }
  tl_clip_nearest_feature(&cut, p);
  tl_clip_cut_by_sides(&cut, search->room);
  tl_clip_sift(&cut, p, margin, axis->separation, complete, search->room->gap);
  tl_clip_report(search, &cut, of_b, m);
}

/* Points closer than `margin` along the axis, on a's surface. complete: the deepest point is wanted
 * even if nothing lies over the face. closest: nearest points where they are known, or NULL. */
TL_ITEM_LARGE void tl_clip_manifold(const tl_axis_search *search, const tl_separating_axis *axis,
                                    double margin, int complete, const tl_closest *closest,
                                    tl_manifold *m) {
  m->count = 0;
  tl_copy3(m->normal, axis->normal);
  if (axis->kind == TL_AXIS_FACE_A || axis->kind == TL_AXIS_FACE_B) {
    tl_clip_over_face(search, axis, margin, complete, m);
  } else {
    tl_clip_lines(search, axis, margin, closest, m);
  }
}

#endif
