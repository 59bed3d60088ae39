/* occupancy.c: bodies in a hashed grid of balls, with one level per power of two.
 *
 * A ball is entered once, in the cell of its centre on the level of its size; a question looks at
 * the few cells of each level that its ball could reach, or at the whole level where that is
 * shorter. Walls and whatever else has no end are kept shape by shape. */
#include "host/scene/occupancy.h"

#include <math.h>
#include <string.h>

#include "host/world/world.h"

enum { LEVEL_ZERO = 128 };

void tl_occupancy_begin(const talus_scene *scene, const talus_world *world,
                        tl_occupancy *occupancy) {
  memset(occupancy, 0, sizeof *occupancy);
  occupancy->context = scene->context;
  occupancy->scene = scene;
  occupancy->world = world;
  occupancy->points.context = scene->context;
  occupancy->cell = world->cell.def.periodic != 0 ? &world->cell : NULL;
  for (int i = 0; i < 256; i++) {
    occupancy->level_first[i] = -1;
  }
}

void tl_occupancy_end(tl_occupancy *occupancy) {
  talus_context *const context = occupancy->context;
  tl_free(context, occupancy->ball);
  tl_free(context, occupancy->body);
  tl_free(context, occupancy->next);
  tl_free(context, occupancy->level_next);
  tl_free(context, occupancy->head);
  tl_free(context, occupancy->wall);
  tl_free(context, occupancy->wall_box);
  tl_contact_points_release(&occupancy->points);
  memset(occupancy, 0, sizeof *occupancy);
}

static int level_of(double radius) {
  int exponent;
  frexp(radius, &exponent);
  exponent += LEVEL_ZERO;
  return exponent < 0 ? 0 : exponent > 255 ? 255 : exponent;
}

/* Radii of a level are below this; cells are twice as wide. */
static double level_radius(int level) {
  return ldexp(1, level - LEVEL_ZERO);
}

static uint32_t cell_hash(const tl_occupancy *occupancy, int level, const int64_t cell[3]) {
  uint64_t hash = (uint64_t)level * UINT64_C(0x9E3779B97F4A7C15);
  for (int c = 0; c < 3; c++) {
    hash = (hash ^ (uint64_t)cell[c]) * UINT64_C(0xBF58476D1CE4E5B9);
    hash ^= hash >> 29;
  }
  return (uint32_t)hash & (uint32_t)(occupancy->head_count - 1);
}

static int64_t cell_at(double x, double edge) {
  const double cell = floor(x / edge);
  return cell < -9e15 ? -9000000000000000 : cell > 9e15 ? 9000000000000000 : (int64_t)cell;
}

static void enter(tl_occupancy *occupancy, int32_t index) {
  const double *ball = occupancy->ball + 4 * (size_t)index;
  const int level = level_of(ball[3]);
  const double edge = 2 * level_radius(level);
  const int64_t cell[3] = {cell_at(ball[0], edge), cell_at(ball[1], edge), cell_at(ball[2], edge)};
  const uint32_t hash = cell_hash(occupancy, level, cell);
  occupancy->next[index] = occupancy->head[hash];
  occupancy->head[hash] = index;
}

/* Another array with room for `count`, the first `old` copied. */
static talus_status grow_array(talus_context *context, void **array, size_t old, size_t count,
                               size_t size) {
  void *memory = NULL;
  TL_TRY(tl_alloc(context, &memory, count, size, "places of bodies"));
  if (old > 0) {
    memcpy(memory, *array, old * size);
  }
  tl_free(context, *array);
  *array = memory;
  return TALUS_OK;
}

static talus_status grow(tl_occupancy *occupancy) {
  talus_context *const context = occupancy->context;
  const size_t old = (size_t)occupancy->count, wanted = old > 0 ? 2 * old : 1024;
  TL_TRY(grow_array(context, (void **)&occupancy->ball, 4 * old, 4 * wanted, sizeof(double)));
  TL_TRY(grow_array(context, (void **)&occupancy->body, old, wanted, sizeof(int32_t)));
  TL_TRY(grow_array(context, (void **)&occupancy->next, old, wanted, sizeof(int32_t)));
  TL_TRY(grow_array(context, (void **)&occupancy->level_next, old, wanted, sizeof(int32_t)));
  TL_TRY(grow_array(context, (void **)&occupancy->head, 0, 2 * wanted, sizeof(int32_t)));
  occupancy->capacity = (int32_t)wanted;
  occupancy->head_count = (int32_t)(2 * wanted);
  memset(occupancy->head, 0xFF, (size_t)occupancy->head_count * sizeof(int32_t));
  for (int32_t i = 0; i < occupancy->count; i++) {
    enter(occupancy, i);
  }
  return TALUS_OK;
}

static talus_status add_ball(tl_occupancy *occupancy, int32_t body, const double position[3],
                             double radius) {
  if (occupancy->count == occupancy->capacity) {
    TL_TRY(grow(occupancy));
  }
  const int32_t index = occupancy->count++;
  double *ball = occupancy->ball + 4 * (size_t)index;
  memcpy(ball, position, 3 * sizeof(double));
  ball[3] = radius;
  occupancy->largest = fmax(occupancy->largest, radius);
  occupancy->body[index] = body;
  const int level = level_of(radius);
  occupancy->level_next[index] = occupancy->level_first[level];
  occupancy->level_first[level] = index;
  occupancy->level_count[level]++;
  enter(occupancy, index);
  return TALUS_OK;
}

static talus_status add_wall(tl_occupancy *occupancy, int32_t shape) {
  if (occupancy->wall_count == occupancy->wall_capacity) {
    const size_t old = (size_t)occupancy->wall_count, wanted = old > 0 ? 2 * old : 16;
    TL_TRY(grow_array(occupancy->context, (void **)&occupancy->wall, old, wanted,
                      sizeof(tl_collider)));
    TL_TRY(
        grow_array(occupancy->context, (void **)&occupancy->wall_box, old, wanted, sizeof(tl_box)));
    occupancy->wall_capacity = (int32_t)wanted;
  }
  tl_collider *const wall = &occupancy->wall[occupancy->wall_count];
  double arm[3];
  tl_shape_collider(occupancy->world, shape, wall, arm);
  const tl_box box = tl_collider_box(wall);
  if (occupancy->cell != NULL && wall->geometry->kind != TALUS_SHAPE_HALFSPACE) {
    tl_occupancy_extend(occupancy, &box);
  }
  occupancy->wall_box[occupancy->wall_count++] = box;
  wall->geometry = NULL;
  return TALUS_OK;
}

tl_collider tl_occupancy_wall(const tl_occupancy *occupancy, int32_t i) {
  const talus_world *const world = occupancy->world;
  tl_collider wall = occupancy->wall[i];
  wall.geometry = &world->shape[tl_shape_slot_of(world, wall.shape)].geometry;
  return wall;
}

talus_status tl_occupancy_add(tl_occupancy *occupancy, int32_t body) {
  const talus_world *const world = occupancy->world;
  const double radius = talus_scene_body_radius(occupancy->scene, body);
  const tl_body *const of = tl_body_at(world, body);
  talus_body_state state;
  if (of == NULL || of->first_shape < 0) {
    return TALUS_OK;
  }
  TL_TRY(talus_body_get(world, body, &state)); /* of a link: where its mechanism has it */
  if (isfinite(radius)) {
    double place[TL_PLACES][3];
    const bool wraps = of->type == TALUS_BODY_FREE;
    tl_occupancy_places(occupancy, state.position, 0, place);
    return add_ball(occupancy, body, wraps ? place[0] : state.position, radius);
  }
  for (int32_t i = of->first_shape; i >= 0; i = world->shape[i].next) {
    TL_TRY(add_wall(occupancy, i));
  }
  return TALUS_OK;
}

talus_status tl_occupancy_add_all(tl_occupancy *occupancy) {
  const talus_world *const world = occupancy->world;
  for (int32_t body = talus_body_after(world, TALUS_NONE); body != TALUS_NONE;
       body = talus_body_after(world, body)) {
    TL_TRY(tl_occupancy_add(occupancy, body));
  }
  return TALUS_OK;
}

static bool apart(const tl_occupancy *occupancy, int32_t index, const double position[3],
                  double radius) {
  const double *ball = occupancy->ball + 4 * (size_t)index;
  const double x = ball[0] - position[0], y = ball[1] - position[1], z = ball[2] - position[2];
  const double reach = ball[3] + radius;
  return x * x + y * y + z * z >= reach * reach;
}

/* A question on its way through the grid. */
typedef struct question {
  const tl_occupancy *occupancy;
  const double *position;
  double radius;
  int32_t among;
  tl_occupancy_fn function;
  void *user;
  int stop;
} question;

static talus_status ask(question *q, int32_t index) {
  return index < q->among && !apart(q->occupancy, index, q->position, q->radius)
             ? q->function(q->user, index, &q->stop)
             : TALUS_OK;
}

static talus_status ask_cell(question *q, int level, const int64_t cell[3]) {
  const tl_occupancy *const o = q->occupancy;
  const double edge = 2 * level_radius(level);
  for (int32_t i = o->head[cell_hash(o, level, cell)]; i >= 0 && !q->stop; i = o->next[i]) {
    /* other cells and levels share the list */
    const double *ball = o->ball + 4 * (size_t)i;
    if (level_of(ball[3]) == level && cell_at(ball[0], edge) == cell[0] &&
        cell_at(ball[1], edge) == cell[1] && cell_at(ball[2], edge) == cell[2]) {
      TL_TRY(ask(q, i));
    }
  }
  return TALUS_OK;
}

static talus_status ask_level(question *q, int level) {
  const tl_occupancy *const o = q->occupancy;
  const double edge = 2 * level_radius(level), reach = q->radius + level_radius(level);
  int64_t first[3], last[3], cell[3];
  double cells = 1;
  for (int c = 0; c < 3; c++) {
    first[c] = cell_at(q->position[c] - reach, edge);
    last[c] = cell_at(q->position[c] + reach, edge);
    cells *= (double)(last[c] - first[c] + 1);
  }
  if (cells > o->level_count[level]) {
    for (int32_t i = o->level_first[level]; i >= 0 && !q->stop; i = o->level_next[i]) {
      TL_TRY(ask(q, i));
    }
    return TALUS_OK;
  }
  for (cell[0] = first[0]; cell[0] <= last[0]; cell[0]++) {
    for (cell[1] = first[1]; cell[1] <= last[1]; cell[1]++) {
      for (cell[2] = first[2]; cell[2] <= last[2] && !q->stop; cell[2]++) {
        TL_TRY(ask_cell(q, level, cell));
      }
    }
  }
  return TALUS_OK;
}

talus_status tl_occupancy_visit(const tl_occupancy *occupancy, const double position[3],
                                double radius, int32_t among, tl_occupancy_fn function,
                                void *user) {
  question q = {occupancy, position, radius, among, function, user, 0};
  for (int level = 0; level < 256 && !q.stop; level++) {
    if (occupancy->level_count[level] > 0) {
      TL_TRY(ask_level(&q, level));
    }
  }
  return TALUS_OK;
}

talus_status tl_occupancy_depth(tl_occupancy *occupancy, const tl_collider *a, const tl_collider *b,
                                double *depth) {
  tl_contact_point_list *const list = &occupancy->points;
  *depth = 0;
  list->count = 0;
  TL_TRY(tl_narrow_pair(a, b, 0, 1, list));
  for (int64_t k = 0; k < list->count; k++) {
    *depth = fmax(*depth, -list->point[k].gap);
  }
  return TALUS_OK;
}

bool tl_box_meets(const tl_box *a, const tl_box *b) {
  int meets = 1;
  for (int c = 0; c < 3; c++) {
    meets &= a->lower[c] <= b->upper[c] && b->lower[c] <= a->upper[c];
  }
  return meets;
}
