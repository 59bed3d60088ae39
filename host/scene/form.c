/* form.c: a grain that is no body yet: its parts, whether a region holds them, whether bodies are
 * in their way, and the search for a free place. */
#include <math.h>
#include <string.h>

#include "host/math/pose.h"
#include "host/scene/occupancy.h"
#include "host/world/world.h"

/* Beyond this part of its radius a grain counts as outside; rounding is not. */
static const double slack = 1e-9;

void tl_form_begin(talus_scene *scene, const tl_scene_grain *grain, tl_form *form) {
  memset(form, 0, sizeof *form);
  form->scene = scene;
  form->grain = grain;
}

static void release_parts(tl_form *form) {
  for (int32_t i = 0; i < form->count; i++) {
    tl_geometry_destroy(form->scene->context, form->geometry[i]);
  }
  form->count = 0;
}

void tl_form_end(tl_form *form) {
  talus_context *const context = form->scene->context;
  release_parts(form);
  tl_free(context, form->geometry);
  tl_free(context, form->local);
  tl_free(context, form->part);
  tl_free(context, form->arm);
  memset(form, 0, sizeof *form);
  form->scene = NULL;
}

static talus_status reserve(tl_form *form, int32_t count) {
  talus_context *const context = form->scene->context;
  void *memory = NULL;
  if (count <= form->capacity) {
    return TALUS_OK;
  }
  tl_free(context, form->geometry);
  tl_free(context, form->local);
  tl_free(context, form->part);
  tl_free(context, form->arm);
  form->geometry = NULL;
  form->local = NULL;
  form->part = NULL;
  form->arm = NULL;
  form->capacity = 0;
  TL_TRY(tl_alloc(context, &memory, (size_t)count, sizeof *form->geometry, "parts of a grain"));
  form->geometry = memory;
  TL_TRY(tl_alloc(context, &memory, (size_t)count, sizeof *form->local, "parts of a grain"));
  form->local = memory;
  TL_TRY(tl_alloc(context, &memory, (size_t)count, sizeof *form->part, "parts of a grain"));
  form->part = memory;
  TL_TRY(tl_alloc(context, &memory, (size_t)count, 3 * sizeof *form->arm, "parts of a grain"));
  form->arm = memory;
  form->capacity = count;
  return TALUS_OK;
}

talus_status tl_form_make(tl_form *form, tl_variation variation) {
  const tl_scene_shape *const shape = &form->grain->shape;
  const int32_t count = shape->kind == TL_SHAPE_CLUMP ? shape->parts.count : 1;
  if (form->count > 0 && form->variation.factor == variation.factor &&
      form->variation.stretch == variation.stretch) {
    return TALUS_OK;
  }
  release_parts(form);
  TL_TRY(reserve(form, count));
  for (int32_t i = 0; i < count; i++) {
    const tl_scene_part *const from =
        shape->kind == TL_SHAPE_CLUMP ? (const tl_scene_part *)shape->parts.item + i : NULL;
    talus_shape_def def;
    TL_TRY(tl_shape_def(form->scene, from != NULL ? &from->shape : shape, variation, from, &def));
    TL_TRY(tl_geometry_create(form->scene->context, &def, &form->geometry[i], NULL));
    form->count = i + 1;
    memcpy(form->local[i].position, def.position, sizeof def.position);
    tl_quaternion_matrix(def.orientation, form->local[i].rotation);
    memset(&form->part[i], 0, sizeof form->part[i]);
    form->part[i].geometry = form->geometry[i];
    form->part[i].movable = 1;
    form->part[i].group = (int32_t)form->grain->group;
    form->part[i].collides = form->grain->collides;
  }
  form->variation = variation;
  form->round = shape->kind == TL_SHAPE_SPHERE || shape->kind == TL_SHAPE_DISK;
  form->radius = variation.factor * tl_shape_radius(shape);
  return TALUS_OK;
}

/* About its origin. */
static void form_turn(tl_form *form, const double orientation[4]) {
  double rotation[9];
  tl_quaternion_matrix(orientation, rotation);
  for (int32_t i = 0; i < form->count; i++) {
    tl_collider *const part = &form->part[i];
    const double *const turn = form->local[i].rotation;
    tl_turn3(part->pose.position, rotation, form->local[i].position);
    for (int c = 0; c < 3; c++) {
      for (int d = 0; d < 3; d++) {
        part->pose.rotation[3 * c + d] = rotation[3 * c] * turn[d] +
                                         rotation[3 * c + 1] * turn[3 + d] +
                                         rotation[3 * c + 2] * turn[6 + d];
      }
    }
    const tl_box box = tl_collider_box(part);
    tl_copy3(form->arm + 3 * i, part->pose.position);
    for (int c = 0; c < 3; c++) {
      form->around.lower[c] = i > 0 ? fmin(form->around.lower[c], box.lower[c]) : box.lower[c];
      form->around.upper[c] = i > 0 ? fmax(form->around.upper[c], box.upper[c]) : box.upper[c];
    }
  }
}

static void form_move(tl_form *form, const double position[3]) {
  tl_copy3(form->position, position);
  tl_along3(form->box.lower, position, 1, form->around.lower);
  tl_along3(form->box.upper, position, 1, form->around.upper);
  for (int32_t i = 0; i < form->count; i++) {
    tl_along3(form->part[i].pose.position, position, 1, form->arm + 3 * i);
  }
}

void tl_form_place(tl_form *form, const double position[3], const double orientation[4]) {
  form_turn(form, orientation);
  form_move(form, position);
}

/* ---- against bodies -------------------------------------------------------------------------- */

static bool collide(const tl_collider *part, int32_t group, uint32_t collides) {
  return (part->collides >> group & 1u) && (collides >> part->group & 1u);
}

typedef struct encounter {
  tl_occupancy *occupancy;
  const tl_form *form;
  double tolerance; /* m */
  int32_t body;     /* that it meets */
} encounter;

static talus_status meet_shape(encounter *e, const tl_collider *shape, const tl_box *box) {
  const tl_form *const form = e->form;
  if (!collide(&form->part[0], shape->group, shape->collides) || !tl_box_meets(&form->box, box)) {
    return TALUS_OK;
  }
  for (int32_t i = 0; i < form->count && e->body == TALUS_NONE; i++) {
    double depth;
    TL_TRY(tl_occupancy_depth(e->occupancy, &form->part[i], shape, &depth));
    if (depth > e->tolerance) {
      e->body = shape->body;
    }
  }
  return TALUS_OK;
}

static talus_status meet_ball(void *user, int32_t index, int *stop) {
  encounter *const e = user;
  const talus_world *const world = e->occupancy->world;
  const int32_t id = e->occupancy->body[index];
  const tl_body *const body = tl_body_at(world, id);
  if (!collide(&e->form->part[0], body->group, body->collides)) {
    return TALUS_OK;
  }
  if (e->form->round && body->round) { /* the balls are the bodies */
    e->body = id;
  }
  for (int32_t i = body->first_shape; i >= 0 && e->body == TALUS_NONE; i = world->shape[i].next) {
    const tl_collider shape = tl_occupancy_shape(e->occupancy, index, i);
    const tl_box box = tl_collider_box(&shape);
    TL_TRY(meet_shape(e, &shape, &box));
  }
  *stop = e->body != TALUS_NONE;
  return TALUS_OK;
}

/* Where it stands now. */
static talus_status meet_all(encounter *e, int32_t among) {
  const tl_occupancy *const o = e->occupancy;
  TL_TRY(tl_occupancy_visit(o, e->form->position, e->form->radius, among, meet_ball, e));
  for (int32_t i = 0; i < o->wall_count && e->body == TALUS_NONE; i++) {
    const tl_collider wall = tl_occupancy_wall(o, i);
    TL_TRY(meet_shape(e, &wall, &o->wall_box[i]));
  }
  return TALUS_OK;
}

talus_status tl_form_meets(tl_occupancy *occupancy, tl_form *form, int32_t among, double tolerance,
                           int32_t *body) {
  encounter e = {occupancy, form, tolerance * form->radius, TALUS_NONE};
  const double home[3] = {form->position[0], form->position[1], form->position[2]};
  double place[TL_PLACES][3];
  const int places = tl_occupancy_places(occupancy, home, form->radius, place);
  talus_status status = TALUS_OK;
  for (int i = 0; i < places && status == TALUS_OK && e.body == TALUS_NONE; i++) {
    form_move(form, place[i]);
    status = meet_all(&e, among);
  }
  form_move(form, home);
  *body = e.body;
  return status;
}

/* ---- in regions ------------------------------------------------------------------------------ */

/* The space of a region that is taken out of another one, as a shape. Where it has no end it is as
 * long as `far`. */
static void hole_def(const tl_scene_region *hole, int plane, double far, talus_shape_def *def) {
  *def = talus_shape_def_default(hole->kind == TL_REGION_BOX    ? TALUS_SHAPE_BOX
                                 : hole->kind == TL_REGION_BALL ? TALUS_SHAPE_SPHERE
                                                                : TALUS_SHAPE_CYLINDER);
  if (hole->kind == TL_REGION_BOX) {
    for (int c = 0; c < 3; c++) {
      const bool flat = plane && c == 1;
      const double lower = flat ? -far : fmax(hole->lower[c], -far);
      const double upper = flat ? far : fmin(hole->upper[c], far);
      def->position[c] = 0.5 * (lower + upper);
      def->half_edge[c] = 0.5 * (upper - lower);
    }
    return;
  }
  memcpy(def->position, hole->centre, sizeof def->position);
  def->radius = hole->radius;
  if (hole->kind == TL_REGION_CYLINDER) {
    const double height = fmin(hole->height, 2 * far), *const a = hole->axis;
    const double length = tl_norm3(a);
    tl_turn_z_to(a, def->orientation);
    def->half_length = 0.5 * height;
    tl_along3(def->position, def->position, 0.5 * height / length, a);
  }
  if (plane) {
    def->position[1] = 0;
  }
}

/* Larger than any coordinate that has an end. */
static double far_of(const tl_scene_region *region) {
  double far = fabs(region->radius) + (isfinite(region->height) ? region->height : 0);
  for (int c = 0; c < 3; c++) {
    far = isfinite(region->lower[c]) ? fmax(far, fabs(region->lower[c])) : far;
    far = isfinite(region->upper[c]) ? fmax(far, fabs(region->upper[c])) : far;
    far += fabs(region->centre[c]);
  }
  for (int32_t i = 0; i < region->without.count; i++) {
    far = fmax(far, far_of((const tl_scene_region *)region->without.item + i));
  }
  return far;
}

static talus_status add_hole(tl_room *room, const tl_scene_region *region, double far) {
  const int32_t i = room->hole_count;
  talus_shape_def def;
  hole_def(region, room->plane, far, &def);
  TL_TRY(tl_geometry_create(room->context, &def, &room->hole_geometry[i], NULL));
  room->hole_count++;
  memset(&room->hole[i], 0, sizeof room->hole[i]);
  room->hole[i].geometry = room->hole_geometry[i];
  memcpy(room->hole[i].pose.position, def.position, sizeof def.position);
  tl_quaternion_matrix(def.orientation, room->hole[i].pose.rotation);
  return TALUS_OK;
}

talus_status tl_room_begin(talus_context *context, const tl_scene_region *region, int plane,
                           tl_room *room) {
  const int32_t count = region->without.count;
  const double far = 8 * far_of(region);
  void *memory = NULL;
  memset(room, 0, sizeof *room);
  room->context = room->points.context = context;
  room->region = *region;
  room->plane = plane;
  TL_TRY(tl_alloc(context, &memory, (size_t)count + 1, sizeof *room->hole, "parts of a region"));
  room->hole = memory;
  TL_TRY(tl_alloc(context, &memory, (size_t)count + 1, sizeof *room->hole_geometry,
                  "parts of a region"));
  room->hole_geometry = memory;
  for (int32_t i = 0; i < count; i++) {
    TL_TRY(add_hole(room, (const tl_scene_region *)region->without.item + i, far));
  }
  if (region->kind == TL_REGION_ANNULUS && region->inner > 0) { /* a core that goes through */
    tl_scene_region core = *region;
    const double length = tl_norm3(region->axis);
    core.kind = TL_REGION_CYLINDER;
    core.radius = region->inner;
    core.height = fmin(region->height, far);
    tl_along3(core.centre, core.centre, -core.height / length, region->axis);
    core.height *= 3;
    TL_TRY(add_hole(room, &core, 2 * far));
  }
  return TALUS_OK;
}

void tl_room_end(tl_room *room) {
  for (int32_t i = 0; i < room->hole_count; i++) {
    tl_geometry_destroy(room->context, room->hole_geometry[i]);
  }
  tl_free(room->context, room->hole_geometry);
  tl_free(room->context, room->hole);
  tl_contact_points_release(&room->points);
  room->hole_geometry = NULL;
  room->hole = NULL;
  room->hole_count = 0;
}

/* Whether a convex region holds a point of a part's frame, with a ball about it. */
static bool holds_point(const tl_scene_region *region, int plane, const tl_collider *part, double x,
                        double y, double z, double clearance) {
  const double local[3] = {x, y, z};
  double point[3];
  tl_place3(point, &part->pose, local);
  return tl_region_contains(region, plane, point, clearance);
}

/* Whether a convex region holds a part: its corners, or the balls at its ends. The rim of a
 * cylinder is taken as a polygon around it. */
static bool holds_part(const tl_scene_region *region, int plane, const tl_collider *part,
                       double outside) {
  enum { RIM = 24 };
  const tl_geometry *const g = part->geometry;
  const double *const half = g->half_edge, rim = g->radius / cos(3.14159265358979323846 / RIM);
  int holds = 1;
  switch (g->kind) {
  case TALUS_SHAPE_SPHERE:
    return holds_point(region, plane, part, 0, 0, 0, g->radius - outside);
  case TALUS_SHAPE_CAPSULE:
    for (int side = -1; side <= 1; side += 2) {
      holds &= holds_point(region, plane, part, 0, 0, side * g->half_length, g->radius - outside);
    }
    return holds;
  case TALUS_SHAPE_BOX:
    for (int k = 0; k < 8; k++) {
      holds &= holds_point(region, plane, part, k & 1 ? half[0] : -half[0],
                           k & 2 ? half[1] : -half[1], k & 4 ? half[2] : -half[2], -outside);
    }
    return holds;
  case TALUS_SHAPE_CYLINDER:
    for (int k = 0; k < 2 * RIM; k++) {
      const double angle = 2 * 3.14159265358979323846 * (k / 2) / RIM;
      holds &= holds_point(region, plane, part, rim * cos(angle), rim * sin(angle),
                           k % 2 ? g->half_length : -g->half_length, -outside);
    }
    return holds;
  default:
    for (int32_t k = 0; k < g->hull->point_count && holds; k++) {
      const double *const p = g->hull->point + 3 * k;
      holds &= holds_point(region, plane, part, p[0], p[1], p[2], -outside);
    }
    return holds;
  }
}

static talus_status misses_holes(tl_room *room, const tl_form *form, int *misses) {
  for (int32_t i = 0; i < room->hole_count && *misses; i++) {
    for (int32_t k = 0; k < form->count && *misses; k++) {
      room->points.count = 0;
      TL_TRY(tl_narrow_pair(&form->part[k], &room->hole[i], 0, 1, &room->points));
      for (int64_t n = 0; n < room->points.count; n++) {
        *misses &= room->points.point[n].gap >= -slack * form->radius;
      }
    }
  }
  return TALUS_OK;
}

/* The region, with as much beyond the faces that the form may lie across as its origin needs to be
 * anywhere between them. */
static tl_scene_region region_for(const tl_room *room, const tl_form *form) {
  tl_scene_region region = room->region;
  for (int c = 0; c < 3; c++) {
    if (room->across >> c & 1u) {
      region.lower[c] += form->round ? -form->radius : form->around.lower[c];
      region.upper[c] += form->round ? form->radius : form->around.upper[c];
    }
  }
  return region;
}

talus_status tl_room_holds(tl_room *room, const tl_form *form, int *holds) {
  tl_scene_region outer = region_for(room, form);
  const double outside = slack * form->radius;
  if (form->round) { /* also where the region is without something */
    *holds = tl_region_contains(&outer, room->plane, form->position, form->radius - outside);
    return TALUS_OK;
  }
  *holds = 1;
  outer.without.count = 0;
  outer.kind = outer.kind == TL_REGION_ANNULUS ? TL_REGION_CYLINDER : outer.kind;
  if (outer.kind == TL_REGION_BOX) {
    for (int c = 0; c < 3; c++) {
      *holds &= (room->plane && c == 1) || (form->box.lower[c] >= outer.lower[c] - outside &&
                                            form->box.upper[c] <= outer.upper[c] + outside);
    }
  } else {
    for (int32_t i = 0; i < form->count && *holds; i++) {
      *holds = holds_part(&outer, room->plane, &form->part[i], outside);
    }
  }
  return *holds ? misses_holes(room, form, holds) : TALUS_OK;
}

bool tl_room_draw(const tl_room *room, tl_random *random, tl_form *form) {
  tl_scene_region region = region_for(room, form);
  double point[3];
  if (form->round) {
    const bool found = tl_region_draw(&region, room->plane, form->radius, random, point);
    form_move(form, point);
    return found;
  }
  if (region.kind == TL_REGION_BOX) { /* with room for the box around the form */
    for (int c = 0; c < 3; c++) {
      const double half = 0.5 * (form->around.upper[c] - form->around.lower[c]);
      region.lower[c] += room->plane && c == 1 ? 0 : half;
      region.upper[c] -= room->plane && c == 1 ? 0 : half;
    }
  }
  if (!tl_region_draw(&region, room->plane, 0, random, point)) {
    return false;
  }
  for (int c = 0; c < 3; c++) { /* the middle of that box to the point */
    point[c] -= room->plane && c == 1 ? 0 : 0.5 * (form->around.lower[c] + form->around.upper[c]);
  }
  form_move(form, point);
  return true;
}

/* ---- the search ------------------------------------------------------------------------------ */

static talus_status try_once(tl_occupancy *occupancy, tl_room *room, tl_form *form,
                             tl_placement *search, int32_t *by) {
  int holds = 1;
  *by = TALUS_NONE;
  if (!form->round) { /* balls were drawn inside */
    TL_TRY(tl_room_holds(room, form, &holds));
  }
  search->fits |= holds;
  if (holds) {
    TL_TRY(tl_form_meets(occupancy, form, occupancy->count, 0, by));
  }
  search->found = holds && *by == TALUS_NONE;
  return TALUS_OK;
}

talus_status tl_form_place_randomly(tl_occupancy *occupancy, tl_room *room, tl_form *form,
                                    tl_random *random, tl_placement *search) {
  enum { SAME_TURN = 50 }; /* long grains find room by another turn, where they may turn */
  const bool turns = form->grain->turned && !form->round;
  int32_t votes = 0;
  search->found = search->fits = 0;
  search->by = TALUS_NONE;
  tl_set3(search->orientation + 1, 0, 0, 0);
  search->orientation[0] = 1;
  form_turn(form, search->orientation);
  for (int32_t i = 0; i < search->tries && !search->found; i++) {
    int32_t by;
    if (turns && i % SAME_TURN == 0) {
      tl_random_turn(random, room->plane, search->orientation);
      form_turn(form, search->orientation);
    }
    if (!tl_room_draw(room, random, form)) {
      if (!turns) {
        return TALUS_OK;
      }
      i += SAME_TURN - 1 - i % SAME_TURN; /* no place for it as it is turned */
      continue;
    }
    TL_TRY(try_once(occupancy, room, form, search, &by));
    if (by != TALUS_NONE) { /* the most frequent one has a majority of votes, if any has */
      votes += by == search->by ? 1 : -1;
      search->by = votes < 0 ? by : search->by;
      votes = votes < 0 ? 1 : votes;
    }
  }
  tl_copy3(search->position, form->position);
  if (form->grain->turned && form->round && search->found) {
    tl_random_turn(random, room->plane, search->orientation);
  }
  return TALUS_OK;
}
