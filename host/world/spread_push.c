/* spread_push.c: contacts of several ranks that push one body.
 *
 * A body gets its pushes in the order of contacts, on which the last bits depend. Where only this
 * rank has contacts of it they are added at once; others go to the rank that answers for the body,
 * which puts them in order and tells those that have the body what it has come to. */
#include <stdlib.h>
#include <string.h>

#include "host/world/spread_local.h"

/* What a contact, named by its shapes and its place on its rank, does to a body. Contacts of one
 * pair of shapes are on one rank. Ids. */
typedef struct tl_push_record {
  int32_t body, shape_a, shape_b, place;
  double change[6];
} tl_push_record;

/* Of a world that has all bodies any rank may push any. */
static void pushed_mark(const talus_world *world) {
  const tl_world_spread *const spread = world->spread;
  for (int32_t i = 0; i < world->body_count; i++) {
    spread->pushed[i] = world->body[i].inverse_mass > 0 &&
                        (!world->bodies_local || spread->holder[i] != spread->owners.rank);
  }
  const int64_t given = world->bodies_local ? spread->held.receive[spread->owners.size] : 0;
  for (int64_t i = 0; i < given; i++) {
    spread->pushed[spread->given[i]] = true;
  }
}

static talus_status records_reserve(talus_world *world) {
  tl_world_spread *const spread = world->spread;
  const size_t contacts = (size_t)world->contact_count, bodies = (size_t)world->body_count;
  spread->push_count = 0;
  TL_TRY(tl_buffer_reserve(world->context, &spread->push_memory,
                           2 * contacts * sizeof *spread->push + bodies * sizeof *spread->pushed, 1,
                           "pushes of contacts"));
  spread->push = spread->push_memory.memory;
  spread->pushed = (bool *)(spread->push + 2 * contacts);
  pushed_mark(world);
  return TALUS_OK;
}

talus_status tl_spread_push_begin(talus_world *world) {
  return world->contacts_local ? tl_ranks_agree(world->context, records_reserve(world)) : TALUS_OK;
}

bool tl_spread_push(talus_world *world, int32_t k, int32_t body, const double change[6]) {
  tl_world_spread *const spread = world->spread;
  if (!world->contacts_local || !spread->pushed[body]) {
    return false;
  }
  const tl_contact_shown *const shown = &world->contact[k].shown;
  tl_push_record *const record = &spread->push[spread->push_count++];
  *record = (tl_push_record){world->body[body].id, shown->shape_a, shown->shape_b, k, {0}};
  memcpy(record->change, change, sizeof record->change);
  return true;
}

/* Records by the ranks that answer for their bodies: in spread->out. */
static void records_pack(const talus_world *world, int64_t *at, tl_push_record *out) {
  const tl_world_spread *const spread = world->spread;
  for (int32_t i = 0; i < spread->push_count; i++) {
    const int32_t holder = spread->holder[tl_body_slot(world, spread->push[i].body)];
    if (out != NULL) {
      out[at[holder]] = spread->push[i];
    }
    at[holder]++;
  }
}

static talus_status rooms_take(talus_world *world) {
  tl_world_spread *const spread = world->spread;
  const int32_t size = spread->owners.size;
  TL_TRY(tl_buffer_reserve(world->context, &spread->out, (size_t)spread->push_count,
                           sizeof(tl_push_record), "pushes for other ranks"));
  return tl_buffer_reserve(world->context, &spread->in, (size_t)spread->route.receive[size],
                           sizeof(tl_push_record), "pushes of other ranks");
}

static talus_status records_carry(talus_world *world) {
  talus_context *const context = world->context;
  tl_world_spread *const spread = world->spread;
  tl_route *const route = &spread->route;
  TL_TRY(tl_ranks_agree(context, tl_route_begin(context, route)));
  records_pack(world, route->send, NULL);
  TL_TRY(tl_route_open(context, route));
  TL_TRY(tl_ranks_agree(context, rooms_take(world)));
  records_pack(world, route->send, spread->out.memory);
  tl_route_rewind(route->send, spread->owners.size);
  return tl_route_carry(context, route, sizeof(tl_push_record), spread->out.memory,
                        spread->in.memory);
}

static int compare_records(const void *left, const void *right) {
  const tl_push_record *const p = left, *const q = right;
  const int32_t a[4] = {p->body, p->shape_a, p->shape_b, p->place};
  const int32_t b[4] = {q->body, q->shape_a, q->shape_b, q->place};
  int order = 0;
  for (int i = 0; i < 4 && order == 0; i++) {
    order = (a[i] > b[i]) - (a[i] < b[i]);
  }
  return order;
}

talus_status tl_spread_push_end(talus_world *world, double *velocity) {
  if (!world->contacts_local) {
    return TALUS_OK;
  }
  TL_TRY(records_carry(world));
  tl_push_record *const record = world->spread->in.memory;
  const int64_t count = world->spread->route.receive[world->spread->owners.size];
  if (count > 0) {
    qsort(record, (size_t)count, sizeof *record, compare_records);
  }
  for (int64_t i = 0; i < count; i++) {
    double *const v = velocity + 6 * (int64_t)tl_body_slot(world, record[i].body);
    for (int c = 0; c < 6; c++) {
      v[c] += record[i].change[c];
    }
  }
  return tl_spread_velocities(world, velocity);
}
