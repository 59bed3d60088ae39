/* spread_first.c: all bodies and contacts to the first rank, which writes files for all. The others
 * keep what they have, so that writing takes the memory of one world, not one for each rank. */
#include "host/world/spread_local.h"

/* Records of the bodies that this rank answers for: in spread->out. */
static talus_status records_pack(talus_world *world, int64_t words) {
  TL_TRY(tl_buffer_reserve(world->context, &world->spread->out, (size_t)words, sizeof(uint64_t),
                           "bodies for the first rank"));
  tl_body_records_pack(world, false, world->spread->out.memory);
  return TALUS_OK;
}

static talus_status records_send(talus_world *world, tl_newcomers *list) {
  talus_context *const context = world->context;
  tl_world_spread *const spread = world->spread;
  tl_route *const route = &spread->route;
  const int32_t size = spread->owners.size;
  const bool first = tl_ranks_first(context);
  tl_record_count count;
  TL_TRY(tl_spread_arrange(world));
  TL_TRY(tl_ranks_agree(context, tl_route_begin(context, route)));
  tl_body_records_count(world, false, &count);
  route->send[0] = first ? 0 : count.words;
  TL_TRY(tl_route_open(context, route));
  const int64_t others = tl_spread_body_count(world) - world->body_count;
  TL_TRY(tl_ranks_agree(context,
                        first ? tl_newcomers_reserve(world, others, route->receive[size], list)
                              : records_pack(world, route->send[size])));
  TL_TRY(tl_route_carry(context, route, sizeof(uint64_t), spread->out.memory, list->memory));
  for (int32_t r = 0; r < size && first; r++) {
    tl_newcomers_find(world, route->receive[r], route->receive[r + 1], r, list);
  }
  /* the others wait for how that comes out */
  return first ? tl_bodies_rebuild(world, NULL, list) : tl_ranks_agree(context, TALUS_OK);
}

static talus_status bodies_show(talus_world *world) {
  tl_newcomers list = {.count = 0};
  const talus_status status = records_send(world, &list);
  tl_buffer_release(world->context, &list.buffer);
  tl_buffer_release(world->context, &world->spread->out);
  if (status == TALUS_OK && tl_ranks_first(world->context)) {
    world->bodies_local = false;
    world->spread->bodies_shown = true;
  }
  return status;
}

static talus_status contacts_show(talus_world *world) {
  TL_TRY(tl_contacts_to_first(world));
  world->spread->contacts_shown = tl_ranks_first(world->context);
  return TALUS_OK;
}

talus_status tl_first_read(const talus_world *shown, bool contacts) {
  TL_TRY(contacts ? tl_world_read(shown) : tl_bodies_read(shown));
  if (shown->spread == NULL) {
    return TALUS_OK;
  }
  talus_world *const world = shown->spread->world;
  talus_status status = world->bodies_local ? bodies_show(world) : TALUS_OK;
  if (status == TALUS_OK && contacts && world->contacts_local) {
    status = contacts_show(world);
  }
  if (status != TALUS_OK) {
    tl_first_done(world);
  }
  return status;
}

void tl_first_done(const talus_world *shown) {
  tl_world_spread *const spread = shown->spread;
  if (spread == NULL) {
    return;
  }
  talus_world *const world = spread->world;
  if (spread->contacts_shown) {
    tl_contacts_put_back(world, &spread->aside);
  }
  if (spread->bodies_shown) { /* others' are copies, which go as the next step begins */
    world->bodies_local = true;
    tl_spread_bricks(world);
    tl_spread_boxes(world);
  }
  spread->contacts_shown = spread->bodies_shown = false;
}
