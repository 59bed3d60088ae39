/* servo.c: plates and walls that are driven to a force or a pressure along an axis.
 *
 * After each (sub-)step the contacts' force along the axis is compared with what is wanted, and the
 * speed of the next is v = s + g e with the missing force e, s += g e: a plate that is as heavy as
 * lets it follow within some steps, K dt^2/gain, and damped. g = gain/(K dt), K the sum of the
 * stiffnesses of the contacts that press: a speed g e changes the force by at most gain e in a
 * step, whatever lies behind the contacts, which is softer. The sum lets a plate follow a sample
 * that steadily gives way without an error that stays. Against rigid contacts K has no end, and no
 * speed would do. */
#include "host/world/servo.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/base/structs.h"
#include "host/world/spread.h"

static const double FORGET = 0.98;

/* What presses against a plate, along its axis: sums over its contacts, and one more than the
 * largest id of a body whose contact does not give way. */
enum {
  FORCE,      /* N */
  STIFFNESS,  /* N/m */
  RADIUS_SUM, /* m, of the grains that touch ... */
  COUNT,      /* ... and their number */
  RIGID,
  PRESS_VALUES
};

tl_servo *tl_servo_of(const talus_world *world, int32_t body) {
  for (int32_t i = 0; i < world->servo_count; i++) {
    if (world->servo[i].body == body) {
      return &world->servo[i];
    }
  }
  return NULL;
}

void tl_servo_offset(const talus_world *world, int32_t body, double dt, double position[3]) {
  const tl_servo *const servo = tl_servo_of(world, body);
  if (servo != NULL) {
    tl_along3(position, position, servo->now.travel + dt * servo->now.speed, servo->def.axis);
  }
}

/* ---- area ------------------------------------------------------------------------------------ */

typedef struct point2 {
  double x, y;
} point2;

static int compare_points(const void *left, const void *right) {
  const point2 *const p = left, *const q = right;
  return p->x != q->x ? (p->x < q->x ? -1 : 1) : (p->y > q->y) - (p->y < q->y);
}

static double turn_of(const point2 *a, const point2 *b, const point2 *c) {
  return (b->x - a->x) * (c->y - a->y) - (b->y - a->y) * (c->x - a->x);
}

/* The convex hull of sorted points, [2 count] of them at most (Andrew's chains); returns how
 * many. */
static int32_t hull_find(const point2 *point, int32_t count, point2 *hull) {
  int32_t n = 0;
  for (int32_t i = 0; i < count; i++) {
    while (n >= 2 && turn_of(&hull[n - 2], &hull[n - 1], &point[i]) <= 0) {
      n--;
    }
    hull[n++] = point[i];
  }
  const int32_t lower = n;
  for (int32_t i = count - 2; i >= 0; i--) {
    while (n > lower && turn_of(&hull[n - 2], &hull[n - 1], &point[i]) <= 0) {
      n--;
    }
    hull[n++] = point[i];
  }
  return n > 1 ? n - 1 : n;
}

/* The hull widened by a radius: A + P r + pi r^2; in the plane its width, one metre deep. */
static double hull_area(const point2 *hull, int32_t count, double radius, bool plane) {
  double area = 0, around = 0, low = INFINITY, high = -INFINITY;
  for (int32_t i = 0; i < count; i++) {
    const point2 *const p = &hull[i], *const q = &hull[(i + 1) % count];
    area += 0.5 * (p->x * q->y - p->y * q->x);
    around += sqrt((q->x - p->x) * (q->x - p->x) + (q->y - p->y) * (q->y - p->y));
    low = fmin(low, p->x);
    high = fmax(high, p->x);
  }
  return plane ? high - low + 2 * radius
               : area + around * radius + 3.14159265358979323846 * radius * radius;
}

/* Two directions across the axis; the first lies in the plane of a plane world. */
static void directions_across(const double *axis, double first[3], double second[3]) {
  const double flat = axis[0] * axis[0] + axis[2] * axis[2];
  if (flat > 1e-12) {
    tl_set3(first, axis[2] / sqrt(flat), 0, -axis[0] / sqrt(flat));
  } else {
    tl_set3(first, 1, 0, 0);
  }
  tl_cross3(second, axis, first);
}

/* The area between four bodies: the ways from one to the other of each pair span it. */
static talus_status area_across(const talus_world *world, const tl_servo *servo, double *area) {
  const double depth[3] = {0, 1, 0};
  double way[2][3], normal[3];
  tl_copy3(way[1], depth);
  for (int pair = 0; pair < (world->def.plane ? 1 : 2); pair++) {
    const tl_body *const a = tl_body_at(world, servo->def.across[2 * pair]);
    const tl_body *const b = tl_body_at(world, servo->def.across[2 * pair + 1]);
    if (a == NULL || b == NULL) {
      return tl_fail(world->context, TALUS_UNSUPPORTED,
                     "servo of body %d: a body of `across` does not exist any more",
                     world->body[servo->body].id);
    }
    tl_sub3(way[pair], b->position, a->position);
  }
  tl_cross3(normal, way[0], way[1]);
  *area = fabs(tl_dot3(normal, servo->def.axis));
  return TALUS_OK;
}

/* ---- what presses ---------------------------------------------------------------------------- */

static bool is_across(const tl_servo *servo) {
  return servo->def.across[0] != TALUS_NONE;
}

typedef struct press_task {
  const talus_world *world;
  const tl_servo *servo;
  double dt;
} press_task;

static bool is_pressed(const talus_world *world, const tl_servo *servo, int64_t k) {
  const tl_world_contact *const contact = &world->contact[k];
  return contact->body_a == servo->body || contact->body_b == servo->body;
}

/* Whether a contact of the plate carries anything. */
static bool is_loaded(const talus_world *world, int64_t k) {
  return tl_dot3(world->normal + 3 * k, world->impulse + 3 * k) > 0;
}

static void press_values(const press_task *t, int64_t k, double value[PRESS_VALUES]) {
  const talus_world *const world = t->world;
  const tl_world_contact *const contact = &world->contact[k];
  const double *const axis = t->servo->def.axis;
  const bool is_a = contact->body_a == t->servo->body;
  const double along = tl_dot3(world->normal + 3 * k, axis);
  const double size = world->shape[is_a ? contact->shape_b : contact->shape_a].size;
  const double stiffness = tl_contact_stiffness(world, k);
  value[FORCE] = (is_a ? 1 : -1) * tl_dot3(world->impulse + 3 * k, axis) / t->dt;
  if (is_loaded(world, k)) {
    const tl_contact_shown *const shown = &contact->shown;
    value[STIFFNESS] = stiffness * along * along;
    value[RADIUS_SUM] = isfinite(size) ? size : 0;
    value[COUNT] = 1;
    value[RIGID] = stiffness > 0 ? 0 : 1 + (is_a ? shown->body_b : shown->body_a);
  }
}

static void press_chunk(void *arguments, int64_t first, int32_t count,
                        double (*leaf)[TL_REDUCE_CHUNK]) {
  const press_task *const t = arguments;
  for (int32_t i = 0; i < count; i++) {
    double value[PRESS_VALUES] = {0};
    if (is_pressed(t->world, t->servo, first + i)) {
      press_values(t, first + i, value);
    }
    for (int n = 0; n < PRESS_VALUES; n++) {
      leaf[n][i] = value[n];
    }
  }
}

/* Where contacts press, across the axis: how many, in servo_memory. */
static talus_status points_find(talus_world *world, const tl_servo *servo, int64_t *count) {
  double first[3], second[3];
  int64_t found = 0;
  TL_TRY(tl_buffer_reserve(world->context, &world->servo_memory, (size_t)world->contact_count + 1,
                           sizeof(point2), "contacts of a servo"));
  point2 *const point = world->servo_memory.memory;
  directions_across(servo->def.axis, first, second);
  for (int64_t k = 0; k < world->contact_count; k++) {
    if (is_pressed(world, servo, k) && is_loaded(world, k)) {
      const double *const at = world->contact[k].shown.point;
      point[found++] = (point2){tl_dot3(at, first), tl_dot3(at, second)};
    }
  }
  *count = found;
  return TALUS_OK;
}

/* The area that contacts of all ranks lie in. */
static talus_status area_pressed(talus_world *world, const tl_servo *servo, double radius,
                                 double *area) {
  int64_t count = 0;
  const talus_status status = points_find(world, servo, &count);
  TL_TRY(tl_spread_collect(world, status, sizeof(point2), &world->servo_memory, &count));
  TL_TRY(tl_buffer_reserve(world->context, &world->servo_hull, 2 * (size_t)count, sizeof(point2),
                           "contacts of a servo"));
  point2 *const point = world->servo_memory.memory, *const hull = world->servo_hull.memory;
  qsort(point, (size_t)count, sizeof *point, compare_points);
  *area = hull_area(hull, hull_find(point, (int32_t)count, hull), radius, world->def.plane != 0);
  return TALUS_OK;
}

static talus_status press_find(talus_world *world, const tl_servo *servo, double dt,
                               double sum[PRESS_VALUES], double *area) {
  press_task task = {world, servo, dt};
  const tl_reduction reduction = {press_chunk, &task, RIGID, PRESS_VALUES - RIGID};
  TL_TRY(tl_spread_reduce(world, &reduction, sum));
  if (is_across(servo)) {
    return area_across(world, servo, area);
  }
  *area = servo->def.area > 0 ? servo->def.area : *area; /* while nothing presses: the last */
  return servo->def.area == 0 && sum[COUNT] > 0
             ? area_pressed(world, servo, sum[RADIUS_SUM] / sum[COUNT], area)
             : TALUS_OK;
}

/* ---- control --------------------------------------------------------------------------------- */

/* The speed of the next (sub-)step. */
static void speed_choose(tl_servo *servo, const double sum[PRESS_VALUES], double dt) {
  const talus_servo_def *const def = &servo->def;
  tl_servo_motion *const now = &servo->now;
  const double wanted = def->pressure > 0 ? def->pressure * now->area : def->force;
  const double error = wanted - sum[FORCE], limit = def->speed;
  /* what lost touch is looked for ever faster, and not met at full speed */
  now->stiffness = fmax(sum[STIFFNESS], FORGET * now->stiffness);
  if (!(now->stiffness > 0)) { /* nothing has been met yet */
    now->speed = def->pressure > 0 || def->force > 0 ? limit : 0;
    return;
  }
  const double step = def->gain * error / (now->stiffness * dt);
  const double next = step + now->sum;
  now->speed = fmin(limit, fmax(-limit, next));
  if (now->speed == next) {
    now->sum += step;
  }
}

static talus_status follow(talus_world *world, tl_servo *servo, double dt) {
  double sum[PRESS_VALUES];
  servo->now.travel += dt * servo->now.speed;
  TL_TRY(press_find(world, servo, dt, sum, &servo->now.area));
  if (sum[RIGID] > 0) {
    return tl_fail(world->context, TALUS_UNSUPPORTED,
                   "servo of body %d: its contact with body %d is rigid, and rigid contacts carry "
                   "any force: give the world softness AUTO, or materials a stiffness or young (a "
                   "free plate on a slider whose motor has the force as effort needs neither)",
                   world->body[servo->body].id, (int)sum[RIGID] - 1);
  }
  servo->now.force = sum[FORCE];
  speed_choose(servo, sum, dt);
  return TALUS_OK;
}

talus_status tl_servos_follow(talus_world *world, double dt) {
  for (int32_t i = 0; i < world->servo_count; i++) {
    TL_TRY(follow(world, &world->servo[i], dt));
  }
  return TALUS_OK;
}

void tl_servos_save(talus_world *world) {
  for (int32_t i = 0; i < world->servo_count; i++) {
    world->servo[i].saved = world->servo[i].now;
  }
}

void tl_servos_restore(talus_world *world) {
  for (int32_t i = 0; i < world->servo_count; i++) {
    world->servo[i].now = world->servo[i].saved;
  }
}

/* ---- public ---------------------------------------------------------------------------------- */

void talus_servo_def_init(talus_servo_def *def, size_t size) {
  static const talus_servo_def defaults = {
      .axis = {0, 0, 1}, .gain = 0.6, .across = {TALUS_NONE, TALUS_NONE, TALUS_NONE, TALUS_NONE}};
  tl_struct_init(&tl_struct_servo_def, &defaults, def, size);
}

void talus_servo_state_init(talus_servo_state *state, size_t size) {
  static const talus_servo_state defaults;
  tl_struct_init(&tl_struct_servo_state, &defaults, state, size);
}

static talus_status def_check(const talus_world *world, int32_t id, const talus_servo_def *def) {
  const double length = tl_norm3(def->axis);
  const struct {
    const char *name;
    double value;
    bool good;
  } checks[] = {
      {"the length of axis", length, fabs(length - 1) < 1e-9},
      {"force", def->force, def->force >= 0 && isfinite(def->force)},
      {"pressure", def->pressure, def->pressure >= 0 && isfinite(def->pressure)},
      {"pressure (force is given too)", def->pressure, def->pressure == 0 || def->force == 0},
      {"area", def->area, def->area >= 0 && isfinite(def->area)},
      {"gain", def->gain, def->gain > 0 && def->gain <= 1},
      {"speed", def->speed, def->speed > 0 && isfinite(def->speed)},
      {"the y of axis in a plane world", def->axis[1], !world->def.plane || def->axis[1] == 0},
  };
  for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
    if (!checks[i].good) {
      return tl_fail(world->context, TALUS_BAD_SETTING, "servo of body %d: %s is %g: out of range",
                     id, checks[i].name, checks[i].value);
    }
  }
  const int needed = world->def.plane ? 2 : 4;
  for (int i = 0; i < needed && def->across[0] != TALUS_NONE; i++) {
    int32_t slot;
    TL_TRY(tl_body_find(world, def->across[i], &slot));
  }
  return TALUS_OK;
}

static void servo_remove(talus_world *world, int32_t body) {
  int32_t kept = 0;
  for (int32_t i = 0; i < world->servo_count; i++) {
    if (world->servo[i].body != body) {
      world->servo[kept++] = world->servo[i];
    }
  }
  world->servo_count = kept;
}

/* What its servo has done so far becomes part of where the body is. */
static void servo_end(talus_world *world, int32_t slot) {
  const tl_servo *const servo = tl_servo_of(world, slot);
  if (servo != NULL) {
    tl_body_extra *const extra = &world->body_extra[world->body[slot].extra];
    tl_along3(extra->carried_by_servo, extra->carried_by_servo, servo->now.travel, servo->def.axis);
    servo_remove(world, slot);
  }
}

talus_status talus_servo_set(talus_world *world, int32_t id, const talus_servo_def *given) {
  int32_t slot;
  TL_TRY(tl_body_find(world, id, &slot));
  TL_TRY(tl_world_edit(world));
  if (given == NULL) {
    servo_end(world, slot);
    return TALUS_OK;
  }
  talus_servo_def def = talus_servo_def_default();
  TL_TRY(tl_struct_read(world->context, &tl_struct_servo_def, "servo def", given, &def));
  TL_TRY(def_check(world, id, &def));
  if (world->body[slot].type != TALUS_BODY_KINEMATIC) {
    return tl_fail(
        world->context, TALUS_CALL_ORDER,
        "body %d is not kinematic, and a servo moves nothing else%s", id,
        world->body[slot].type == TALUS_BODY_FREE ? ": a free body takes a force as it is" : "");
  }
  tl_servo *servo = tl_servo_of(world, slot);
  if (servo == NULL) {
    TL_TRY(tl_world_grow(world, (void **)&world->servo, &world->servo_capacity,
                         world->servo_count + 1, sizeof *world->servo, "servos"));
    servo = &world->servo[world->servo_count++];
    memset(servo, 0, sizeof *servo);
    servo->body = slot;
  } else if (memcmp(servo->def.axis, def.axis, sizeof def.axis) != 0) {
    tl_body_extra *const extra = &world->body_extra[world->body[slot].extra];
    tl_along3(extra->carried_by_servo, extra->carried_by_servo, servo->now.travel, servo->def.axis);
    memset(&servo->now, 0, sizeof servo->now);
  }
  servo->def = def;
  return TALUS_OK;
}

talus_status talus_servo_get(const talus_world *world, int32_t id, talus_servo_state *given) {
  int32_t slot;
  TL_TRY(tl_body_find(world, id, &slot));
  TL_TRY(tl_struct_check(world->context, &tl_struct_servo_state, "servo state", given));
  const tl_servo *const servo = tl_servo_of(world, slot);
  if (servo == NULL) {
    return tl_fail(world->context, TALUS_CALL_ORDER, "body %d has no servo", id);
  }
  const tl_servo_motion *const now = &servo->now;
  talus_servo_state state = talus_servo_state_default();
  state.force = now->force;
  state.area = now->area;
  state.pressure = now->area > 0 ? now->force / now->area : 0;
  state.travel = now->travel;
  state.speed = now->speed;
  tl_struct_write(&tl_struct_servo_state, &state, given);
  return TALUS_OK;
}
