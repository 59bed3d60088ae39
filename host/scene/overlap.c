/* overlap.c: bodies that overlap at the start: named, pushed apart, or left alone.
 *
 * A second world of the same bodies, without gravity, motions and velocities, makes one step: its
 * contacts tell gaps of all kinds of shapes, and its projection of positions pushes apart. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "host/scene/build.h"

/* Deeper than this part of the smaller radius is an overlap; rounding and slop are not. */
static const double limit = 1e-3;
enum { PUSHES = 500 };

typedef struct overlap_found {
  int32_t count, a, b; /* the deepest pair */
  double depth, relative;
} overlap_found;

static overlap_found find_overlaps(const talus_scene *scene, const talus_world *world) {
  overlap_found found = {.a = TALUS_NONE, .b = TALUS_NONE};
  const talus_contact *contact = NULL;
  const int32_t count = talus_world_contacts(world, &contact);
  for (int32_t i = 0; i < count; i++) {
    const double size = fmin(talus_scene_body_radius(scene, contact[i].body_a),
                             talus_scene_body_radius(scene, contact[i].body_b));
    const double relative = -contact[i].gap / size;
    found.count += relative > limit;
    if (relative > limit && relative > found.relative) {
      found.a = contact[i].body_a;
      found.b = contact[i].body_b;
      found.depth = -contact[i].gap;
      found.relative = relative;
    }
  }
  return found;
}

void tl_body_words(const talus_scene *scene, int32_t body, char *text, size_t capacity) {
  const tl_scene_definition *def = &scene->def;
  for (int32_t i = 0; i < def->walls.count; i++) {
    if (scene->wall_id[i] == body) {
      const char *name = ((const tl_scene_wall *)def->walls.item)[i].name;
      snprintf(text, capacity, "walls[%d]%s%.40s", (int)i, name != NULL ? " " : "",
               name != NULL ? name : "");
      return;
    }
  }
  for (int32_t i = 0; i < def->bodies.count; i++) {
    if (scene->body_id[i] == body) {
      const char *name = ((const tl_scene_body *)def->bodies.item)[i].name;
      snprintf(text, capacity, "bodies[%d]%s%.40s", (int)i, name != NULL ? " " : "",
               name != NULL ? name : "");
      return;
    }
  }
  for (int32_t i = 0; i < def->mechanisms.count; i++) {
    const int32_t link = body - scene->mechanism[i].first_body;
    if (link >= 0 && link < scene->mechanism[i].link_count) {
      snprintf(text, capacity, "mechanisms[%d] link %d", (int)i, (int)link);
      return;
    }
  }
  snprintf(text, capacity, "grain %d", (int)(body - scene->grain_first));
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

static talus_status complain(const talus_scene *scene, const overlap_found *found,
                             const char *advice) {
  char a[96], b[96];
  tl_body_words(scene, found->a, a, sizeof a);
  tl_body_words(scene, found->b, b, sizeof b);
  return tl_fail(scene->context, TALUS_FILE_FORMAT,
                 "%s: %s and %s overlap by %.3g m (%.2g of the radius)%s; world.overlap: %s",
                 scene->path, a, b, found->depth, found->relative,
                 found->count > 1 ? " and more pairs do" : "", advice);
}

static talus_status push_apart(talus_scene *scene, talus_world *relaxed, talus_world *world) {
  overlap_found found = {.count = 1};
  const int resolve = scene->def.world.overlap == TL_OVERLAP_RESOLVE;
  for (int i = 0; i < (resolve ? PUSHES : 1) && found.count > 0; i++) {
    TL_TRY(stop_all(relaxed));
    TL_TRY(talus_world_step(relaxed, NULL));
    found = find_overlaps(scene, relaxed);
    if (found.count == 0 && i == 0) {
      return TALUS_OK; /* nothing to do: positions stay as written */
    }
  }
  if (!resolve) {
    return complain(scene, &found, "`resolve` pushes them apart, `ignore` goes on");
  }
  if (found.count > 0) {
    return complain(scene, &found, "there was no room to push them apart");
  }
  TL_TRY(take_positions(world, relaxed));
  tl_log(scene->context, TALUS_LOG_INFO, "overlapping bodies were pushed apart");
  return TALUS_OK;
}

talus_status tl_build_overlaps(talus_scene *scene, talus_world *world) {
  if (scene->def.world.overlap == TL_OVERLAP_IGNORE) {
    return TALUS_OK;
  }
  const tl_build_mode mode = {.relaxing = 1};
  talus_world *relaxed = NULL;
  talus_status status = tl_build_world(scene, mode, &relaxed);
  if (status == TALUS_OK) {
    status = tl_build_bodies(scene, mode, relaxed);
  }
  if (status == TALUS_OK) {
    status = push_apart(scene, relaxed, world);
  }
  talus_world_destroy(relaxed);
  return status;
}
