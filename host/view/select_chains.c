/* select_chains.c: force chains: a rod for each contact, from centre to centre, whose thickness
 * grows as the square root of the normal force, so that sections are proportional to forces; see
 * select.h. A rod to a wall ends at the point of contact. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/math/lattice.h"
#include "host/math/vector.h"
#include "host/view/select_parts.h"

#define FAINTEST 1e-3 /* rods below this share of the strongest force are left out */
#define THICKEST \
  0.5 /* radius of the strongest and of what is beyond, in mean radii of the grains */

typedef struct place {
  int32_t id, index;
} place;

typedef struct chains {
  const tl_frame *frame;
  const tl_select *select;
  place *body;              /* sorted by id */
  double strongest, radius; /* normal force; mean radius of the free bodies */
} chains;

static int by_id(const void *a, const void *b) {
  const place *const x = a, *const y = b;
  return (x->id > y->id) - (x->id < y->id);
}

static double normal_force(const tl_frame *frame, size_t contact) {
  return tl_dot3(frame->contact_force + 3 * contact, frame->contact_normal + 3 * contact);
}

/* What all rods are measured by. */
static void scale_find(chains *c) {
  const tl_frame *const frame = c->frame;
  int32_t count = 0;
  for (int32_t k = 0; k < frame->body_count; k++) {
    c->body[k] = (place){frame->id[k], k};
    if (frame->type[k] == TALUS_BODY_FREE && isfinite(frame->radius[k])) {
      c->radius += frame->radius[k];
      count++;
    }
  }
  qsort(c->body, (size_t)frame->body_count, sizeof *c->body, by_id);
  c->radius /= count > 0 ? count : 1;
  c->strongest = c->select->strongest;
  for (int32_t k = 0; k < frame->contact_count && !(c->select->strongest > 0); k++) {
    c->strongest = fmax(c->strongest, normal_force(frame, (size_t)k));
  }
}

/* From the point of contact to a grain's centre; nothing to a wall's. */
static void arm_find(const chains *c, size_t contact, size_t side, double arm[3]) {
  const place wanted = {c->frame->contact_body[2 * contact + side], 0};
  const place *const found =
      bsearch(&wanted, c->body, (size_t)c->frame->body_count, sizeof wanted, by_id);
  tl_set3(arm, 0, 0, 0);
  if (found != NULL && tl_frame_loose(c->frame, found->index)) {
    tl_sub3(arm, c->frame->position + 3 * (size_t)found->index,
            c->frame->contact_point + 3 * contact);
    tl_lattice_nearest(c->frame->edge, c->frame->periodic, arm);
  }
}

static bool is_clipped(const tl_select *select, const double at[3]) {
  bool clipped = false;
  for (int32_t i = 0; i < select->clip_count; i++) {
    const tl_clip *const clip = &select->clip[i];
    clipped = clipped || clip->sign * (at[clip->axis] - clip->at) > 0;
  }
  return clipped;
}

/* A body at rest that is not turned. Returns its index. */
static int32_t body_add(tl_selected *to, tl_select_arrays *a, const double at[3], double radius,
                        double value) {
  static const double level[4] = {1, 0, 0, 0};
  const size_t n = (size_t)to->frame.body_count++;
  memcpy(a->position + 3 * n, at, 3 * sizeof(double));
  memcpy(a->orientation + 4 * n, level, sizeof level);
  memset(a->velocity + 3 * n, 0, 3 * sizeof(double));
  memset(a->spin + 3 * n, 0, 3 * sizeof(double));
  a->radius[n] = radius;
  a->mass[n] = 0;
  a->value[n] = value;
  a->id[n] = (int32_t)n;
  a->material[n] = 0;
  a->type[n] = TALUS_BODY_FREE;
  return (int32_t)n;
}

static talus_status rod_add(tl_selected *to, tl_select_arrays *a, const chains *c, size_t contact,
                            const double shift[3]) {
  double from[3], end[3], way[3], middle[3], axes[9];
  const double force = normal_force(c->frame, contact);
  arm_find(c, contact, 0, from);
  arm_find(c, contact, 1, end);
  tl_sub3(way, end, from);
  const double length = tl_norm3(way);
  for (size_t i = 0; i < 3; i++) {
    middle[i] = c->frame->contact_point[3 * contact + i] + 0.5 * (from[i] + end[i]) + shift[i];
  }
  if (!(force > FAINTEST * c->strongest) || !(length > 0) || is_clipped(c->select, middle)) {
    return TALUS_OK;
  }
  talus_shape_def rod = talus_shape_def_default(TALUS_SHAPE_CAPSULE);
  rod.radius = THICKEST * c->radius * sqrt(fmin(1, force / c->strongest));
  rod.half_length = 0.5 * length;
  tl_scale3(way, 1 / length, way);
  tl_select_axes(way, axes);
  const int32_t body = body_add(to, a, middle, rod.radius + rod.half_length, force);
  return tl_select_part_add(to, a, body, &rod, axes, 0);
}

talus_status tl_select_chains(tl_selected *to, const tl_frame *frame, const tl_select *select,
                              int32_t images, tl_select_arrays *a) {
  void *memory;
  chains c = {.frame = frame, .select = select};
  TL_TRY(
      tl_alloc(to->context, &memory, (size_t)frame->body_count + 1, sizeof(place), "force chains"));
  c.body = memory;
  scale_find(&c);
  talus_status status = TALUS_OK;
  for (int32_t i = 0; i < images; i++) {
    double shift[3];
    tl_select_shift(frame, select, i, shift);
    for (int32_t k = 0; k < frame->contact_count && status == TALUS_OK; k++) {
      status = rod_add(to, a, &c, (size_t)k, shift);
    }
  }
  tl_free(to->context, memory);
  return status;
}
