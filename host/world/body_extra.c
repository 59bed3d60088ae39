/* body_extra.c: what a body has besides where it stands and moves: forces, an origin beside its
 * centre of mass, what kinematic bodies and such as tumble keep. Most bodies are balls that have
 * nothing of it, and a step that reads all bodies does not read it. */
#include <string.h>

#include "host/world/world.h"

const tl_body_extra *tl_body_extra_of(const talus_world *world, const tl_body *body) {
  static const tl_body_extra none;
  return body->extra >= 0 ? &world->body_extra[body->extra] : &none;
}

talus_status tl_body_extra_take(talus_world *world, int32_t body) {
  if (world->body[body].extra >= 0) {
    return TALUS_OK;
  }
  TL_TRY(tl_world_grow(world, (void **)&world->body_extra, &world->body_extra_capacity,
                       world->body_extra_count + 1, sizeof *world->body_extra, "bodies"));
  tl_body_extra *const extra = &world->body_extra[world->body_extra_count];
  memset(extra, 0, sizeof *extra);
  extra->body = body;
  world->body[body].extra = world->body_extra_count++;
  return TALUS_OK;
}

void tl_body_extra_drop(talus_world *world, int32_t body) {
  const int32_t at = world->body[body].extra;
  if (at < 0) {
    return;
  }
  world->body_extra[at] = world->body_extra[--world->body_extra_count];
  world->body[world->body_extra[at].body].extra = at; /* the last one's, perhaps this body's own */
  world->body[body].extra = -1;
}
