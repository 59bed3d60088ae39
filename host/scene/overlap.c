/* overlap.c: bodies that overlap at the start: named, pushed apart, or left alone.
 *
 * Pairs are found one by one in a grid and never kept, but for the deepest: memory grows with the
 * bodies alone, however many lie in one place. To push them apart a second world of the same
 * bodies, without gravity, motions and velocities, makes steps, whose projection of positions does
 * it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "host/scene/occupancy.h"
#include "host/world/world.h"

/* Deeper than this part of the smaller radius is an overlap; rounding and slop are not. */
static const double limit = 1e-3;
enum { PUSHES = 500, WORST = 3, PAIRS_PER_BODY = 64 };
/* The search ends after so much work; pairs that are not two balls cost more. */
enum { WORK = 1 << 24, WORK_OTHERS = 16 };

typedef struct overlap {
  int32_t a, b;
  double depth, relative;
} overlap;

typedef struct overlap_search {
  const talus_scene *scene;
  const talus_world *world;
  tl_occupancy occupancy;
  int32_t body;               /* whose neighbours are being looked at */
  double place[TL_PLACES][3]; /* where it stands, and its images */
  int places;
  double shift[3]; /* from the body to the place that is being looked at */
  int64_t pairs, work;
  int cut;              /* 1: the work became too much; there may be more pairs */
  overlap worst[WORST]; /* the deepest first */
} overlap_search;

static void note(overlap_search *search, int32_t other, double depth) {
  const overlap found = {search->body < other ? search->body : other,
                         search->body < other ? other : search->body, depth,
                         depth / fmin(talus_scene_body_radius(search->scene, search->body),
                                      talus_scene_body_radius(search->scene, other))};
  if (!(found.relative > limit) || tl_joints_part(search->scene, found.a, found.b)) {
    return;
  }
  int place = search->pairs < WORST ? (int)search->pairs : WORST;
  search->pairs++;
  for (; place > 0 && found.relative > search->worst[place - 1].relative; place--) {
    if (place < WORST) {
      search->worst[place] = search->worst[place - 1];
    }
  }
  if (place < WORST) {
    search->worst[place] = found;
  }
}

/* How deep the body at hand, where it is looked at, is in a shape of another one. */
static talus_status body_depth(overlap_search *search, const tl_collider *other,
                               const tl_box *other_box, double *deepest) {
  const talus_world *const world = search->world;
  int32_t i = tl_body_at(world, search->body)->first_shape;
  for (; i >= 0; i = world->shape[i].next) {
    tl_collider own;
    double arm[3], depth;
    tl_shape_collider(world, i, &own, arm);
    tl_along3(own.pose.position, own.pose.position, 1, search->shift);
    const tl_box box = tl_collider_box(&own);
    if (tl_box_meets(&box, other_box)) {
      TL_TRY(tl_occupancy_depth(&search->occupancy, &own, other, &depth));
      *deepest = fmax(*deepest, depth);
    }
  }
  return TALUS_OK;
}

/* To place k of those where it stands. */
static void stand_at(overlap_search *search, int k) {
  tl_sub3(search->shift, search->place[k], tl_body_at(search->world, search->body)->position);
}

static bool collide(const tl_body *a, int32_t group, uint32_t collides) {
  return (a->collides >> group & 1u) && (collides >> a->group & 1u);
}

static talus_status look_at(void *user, int32_t index, int *stop) {
  overlap_search *const search = user;
  const talus_world *const world = search->world;
  const int32_t other = search->occupancy.body[index];
  const tl_body *const a = tl_body_at(world, search->body), *const b = tl_body_at(world, other);
  /* pairs of free bodies once */
  if (other == search->body || (b->type == TALUS_BODY_FREE && other > search->body) ||
      !collide(a, b->group, b->collides)) {
    return TALUS_OK;
  }
  double depth = 0;
  if (a->round && b->round) {
    double way[3];
    tl_sub3(way, search->occupancy.ball + 4 * (size_t)index, a->position);
    tl_sub3(way, way, search->shift);
    depth = world->shape[a->first_shape].geometry.radius +
            world->shape[b->first_shape].geometry.radius - tl_norm3(way);
  } else {
    for (int32_t i = b->first_shape; i >= 0; i = world->shape[i].next) {
      const tl_collider shape = tl_occupancy_shape(&search->occupancy, index, i);
      const tl_box box = tl_collider_box(&shape);
      TL_TRY(body_depth(search, &shape, &box, &depth));
    }
  }
  note(search, other, depth);
  search->work += a->round && b->round ? 1 : WORK_OTHERS;
  search->cut = *stop = search->work >= WORK;
  return TALUS_OK;
}

/* How deep the body at hand or one of its images is in shape i of the walls. Half-spaces are the
 * same at all places. */
static talus_status wall_depth(overlap_search *search, int32_t i, double *depth) {
  const tl_occupancy *const o = &search->occupancy;
  const tl_collider wall = tl_occupancy_wall(o, i);
  const int places = wall.geometry->kind == TALUS_SHAPE_HALFSPACE ? 1 : search->places;
  for (int k = 0; k < places; k++) {
    stand_at(search, k);
    TL_TRY(body_depth(search, &wall, &o->wall_box[i], depth));
  }
  return TALUS_OK;
}

/* Walls have several shapes: the deepest counts. They come body by body. */
static talus_status look_at_walls(overlap_search *search) {
  const tl_occupancy *const o = &search->occupancy;
  const tl_body *const body = tl_body_at(search->world, search->body);
  double depth = 0;
  for (int32_t i = 0; i < o->wall_count; i++) {
    if (collide(body, o->wall[i].group, o->wall[i].collides)) {
      TL_TRY(wall_depth(search, i, &depth));
    }
    if (i + 1 == o->wall_count || o->wall[i + 1].body != o->wall[i].body) {
      note(search, o->wall[i].body, depth);
      depth = 0;
    }
  }
  return TALUS_OK;
}

/* What the body of ball i and its images meet. */
static talus_status look_around(overlap_search *search, int32_t i) {
  const tl_occupancy *const o = &search->occupancy;
  const double *const ball = o->ball + 4 * (size_t)i;
  search->body = o->body[i];
  search->places = tl_occupancy_places(o, ball, ball[3], search->place);
  for (int k = 0; k < search->places && !search->cut; k++) {
    stand_at(search, k);
    TL_TRY(tl_occupancy_visit(o, search->place[k], ball[3], o->count, look_at, search));
  }
  return look_at_walls(search);
}

static talus_status search_all(overlap_search *search) {
  TL_TRY(tl_occupancy_add_all(&search->occupancy));
  const tl_occupancy *const o = &search->occupancy;
  for (int32_t i = 0; i < o->count && !search->cut; i++) {
    if (talus_body_kind(search->world, o->body[i]) == TALUS_BODY_FREE) {
      TL_TRY(look_around(search, i));
    }
  }
  return TALUS_OK;
}

static talus_status find_overlaps(const talus_scene *scene, const talus_world *world,
                                  overlap_search *search) {
  memset(search, 0, sizeof *search);
  search->scene = scene;
  search->world = world;
  tl_occupancy_begin(scene, world, &search->occupancy);
  const talus_status status = search_all(search);
  tl_occupancy_end(&search->occupancy);
  return status;
}

static talus_status stop_all(talus_world *world) {
  for (int32_t body = 0; body < talus_body_capacity(world); body++) {
    talus_body_state state;
    if (!talus_body_exists(world, body) || talus_body_kind(world, body) != TALUS_BODY_FREE) {
      continue;
    }
    TL_TRY(talus_body_get(world, body, &state));
    memset(state.velocity, 0, sizeof state.velocity);
    memset(state.spin, 0, sizeof state.spin);
    TL_TRY(talus_body_set(world, body, &state));
  }
  return TALUS_OK;
}

static talus_status take_positions(talus_world *world, const talus_world *from) {
  for (int32_t body = 0; body < talus_body_capacity(world); body++) {
    talus_body_state state, moved;
    if (talus_body_exists(world, body) && talus_body_kind(world, body) == TALUS_BODY_FREE) {
      TL_TRY(talus_body_get(world, body, &state));
      TL_TRY(talus_body_get(from, body, &moved));
      memcpy(state.position, moved.position, sizeof state.position);
      memcpy(state.orientation, moved.orientation, sizeof state.orientation);
      TL_TRY(talus_body_set(world, body, &state));
    }
  }
  return TALUS_OK;
}

/* Where the scene says that a body is there, or NULL. */
static const tl_node *body_node(const talus_scene *scene, int32_t body) {
  const tl_scene_definition *const def = &scene->def;
  for (int32_t i = 0; i < def->bodies.count; i++) {
    if (scene->body_id[i] == body) {
      return ((const tl_scene_body *)def->bodies.item)[i].item.node;
    }
  }
  for (int32_t i = 0; i < def->grains.count && scene->grains_first != NULL; i++) {
    if (body >= scene->grains_first[i] && body < scene->grains_first[i + 1]) {
      return ((const tl_scene_grains *)def->grains.item)[i].item.node;
    }
  }
  return NULL;
}

/* The deepest pair in full, the next ones in short, and how many there are. */
static talus_status complain(const talus_scene *scene, const overlap_search *search,
                             const char *advice) {
  char a[96], b[96], others[300] = "";
  const overlap *const worst = &search->worst[0];
  if (search->pairs > 1) {
    int used = snprintf(others, sizeof others,
                        ", and so do %s%lld other pairs: ", search->cut ? "more than " : "",
                        (long long)search->pairs - 1);
    for (int i = 1; i < WORST && i < search->pairs; i++) {
      tl_body_words(scene, search->worst[i].a, a, sizeof a);
      tl_body_words(scene, search->worst[i].b, b, sizeof b);
      used += snprintf(others + used, sizeof others - (size_t)used, "%s%.40s and %.40s by %.3g m",
                       i > 1 ? ", " : "", a, b, search->worst[i].depth);
    }
    if (search->pairs > WORST) {
      snprintf(others + used, sizeof others - (size_t)used, " ...");
    }
  }
  tl_body_words(scene, worst->a, a, sizeof a);
  tl_body_words(scene, worst->b, b, sizeof b);
  const tl_node *const node =
      body_node(scene, worst->b) != NULL ? body_node(scene, worst->b) : body_node(scene, worst->a);
  return tl_node_fail(scene->context, node != NULL ? node : scene->root,
                      "%s and %s overlap by %.3g m (%.2g of the radius)%s; world.overlap: %s", a, b,
                      worst->depth, worst->relative, others, advice);
}

static talus_status push_apart(talus_scene *scene, talus_world *relaxed, talus_world *world) {
  overlap_search search = {.pairs = 1};
  for (int i = 0; i < PUSHES && search.pairs > 0; i++) {
    TL_TRY(stop_all(relaxed));
    TL_TRY(talus_world_step(relaxed, NULL));
    TL_TRY(find_overlaps(scene, relaxed, &search));
  }
  if (search.pairs > 0) {
    return complain(scene, &search, "there was no room to push them apart");
  }
  TL_TRY(take_positions(world, relaxed));
  tl_log(scene->context, TALUS_LOG_INFO, "overlapping bodies were pushed apart");
  return TALUS_OK;
}

talus_status tl_build_overlaps(talus_scene *scene, talus_world *world) {
  if (scene->def.world.overlap == TL_OVERLAP_IGNORE) {
    return TALUS_OK;
  }
  overlap_search search;
  TL_TRY(find_overlaps(scene, world, &search));
  if (search.pairs == 0) {
    return TALUS_OK; /* positions stay as written */
  }
  if (scene->from.body_count > 0 && scene->def.world.overlap == TL_OVERLAP_REFUSE) {
    complain(scene, &search, "bodies of a checkpoint are taken as they are");
    tl_log(scene->context, TALUS_LOG_WARNING, "%s", talus_context_message(scene->context));
    return TALUS_OK;
  }
  if (scene->def.world.overlap == TL_OVERLAP_REFUSE) {
    return complain(scene, &search, "`resolve` pushes them apart, `ignore` goes on");
  }
  if (search.pairs > (int64_t)PAIRS_PER_BODY * talus_body_capacity(world)) {
    return complain(scene, &search, "too many lie in one place to push them apart");
  }
  const tl_build_mode mode = {.relaxing = 1};
  talus_world *relaxed = NULL;
  talus_status status = tl_build_world(scene, mode, &relaxed);
  if (status == TALUS_OK) {
    status = tl_build_bodies(scene, mode, relaxed);
  }
  if (status == TALUS_OK) { /* joined bodies go together, and may overlap */
    status = tl_build_joints(scene, mode, relaxed);
  }
  if (status == TALUS_OK) {
    status = push_apart(scene, relaxed, world);
  }
  talus_world_destroy(relaxed);
  return status;
}
