/* spread_contacts.c: contacts that change their rank, with impulses and springs, since their bodies
 * have moved on to bricks of another; and all contacts to all ranks, or to the first one, for those
 * who read them. */
#include <string.h>

#include "host/math/radix.h"
#include "host/world/spread_local.h"

/* ---- to their owners ------------------------------------------------------------------------- */

/* A body's slot and with it the brick; slots that are not known to hold are found by the id. */
static int32_t slot_of(const talus_world *world, bool known, int32_t slot, int32_t id) {
  return known ? slot : tl_body_slot(world, id);
}

/* -1: of a body that is gone, which nothing is matched to. */
static int32_t owner_of(const talus_world *world, bool known, const tl_world_contact *contact) {
  const int32_t a = slot_of(world, known, contact->body_a, contact->shown.body_a);
  const int32_t b = slot_of(world, known, contact->body_b, contact->shown.body_b);
  const tl_world_spread *const spread = world->spread;
  return a >= 0 && b >= 0 ? tl_spread_owner(spread, a, b) : -1;
}

/* A contact on its way: itself, normal, impulse, what it has besides. */
enum { VECTOR = 3 * sizeof(double), HEAD = sizeof(tl_world_contact) + 2 * VECTOR };

static size_t record_bytes(const talus_world *world) {
  return HEAD + (world->extra != NULL ? sizeof *world->extra : 0);
}

static void record_pack(const talus_world *world, int32_t k, char *record) {
  memcpy(record, &world->contact[k], sizeof *world->contact);
  memcpy(record + HEAD - 2 * VECTOR, world->normal + 3 * (int64_t)k, VECTOR);
  memcpy(record + HEAD - VECTOR, world->impulse + 3 * (int64_t)k, VECTOR);
  if (world->extra != NULL) {
    memcpy(record + HEAD, &world->extra[k], sizeof *world->extra);
  }
}

static void record_unpack(const talus_world *world, int32_t k, const char *record) {
  memcpy(&world->contact[k], record, sizeof *world->contact);
  memcpy(world->normal + 3 * (int64_t)k, record + HEAD - 2 * VECTOR, VECTOR);
  memcpy(world->impulse + 3 * (int64_t)k, record + HEAD - VECTOR, VECTOR);
  if (world->extra != NULL) {
    memcpy(&world->extra[k], record + HEAD, sizeof *world->extra);
  }
}

/* owner: [contact_count]; how many go to other ranks. */
static talus_status leaving_count(talus_world *world, bool known, int32_t **owner) {
  tl_world_spread *const spread = world->spread;
  TL_TRY(tl_route_begin(world->context, &spread->route));
  TL_TRY(tl_buffer_reserve(world->context, &spread->in, (size_t)world->contact_count,
                           sizeof(int32_t), "owners of contacts"));
  *owner = spread->in.memory;
  for (int32_t k = 0; k < world->contact_count; k++) {
    (*owner)[k] = owner_of(world, known, &world->contact[k]);
    if ((*owner)[k] >= 0 && (*owner)[k] != spread->owners.rank) {
      spread->route.send[(*owner)[k]]++;
    }
  }
  return TALUS_OK;
}

/* Packs those that leave; the others close up. send: the firsts of all ranks, which move on. */
static void contacts_part(talus_world *world, const int32_t *owner, int64_t *send, char *out) {
  const int32_t rank = world->spread->owners.rank;
  const size_t bytes = record_bytes(world);
  int32_t kept = 0;
  for (int32_t k = 0; k < world->contact_count; k++) {
    if (owner[k] >= 0 && owner[k] != rank && out != NULL) {
      record_pack(world, k, out + (int64_t)bytes * send[owner[k]]++);
    }
    if (owner[k] == rank) {
      world->contact[kept] = world->contact[k];
      memmove(world->normal + 3 * (int64_t)kept, world->normal + 3 * (int64_t)k,
              3 * sizeof(double));
      memmove(world->impulse + 3 * (int64_t)kept, world->impulse + 3 * (int64_t)k,
              3 * sizeof(double));
      if (world->extra != NULL) {
        world->extra[kept] = world->extra[k];
      }
      kept++;
    }
  }
  world->contact_count = kept;
}

/* Those of this rank of a list that all have. */
static talus_status contacts_choose(talus_world *world) {
  int32_t *owner = NULL;
  TL_TRY(tl_ranks_agree(world->context, leaving_count(world, false, &owner)));
  contacts_part(world, owner, NULL, NULL);
  world->contacts_local = true;
  return tl_ranks_agree(world->context, tl_contacts_store_keys(world));
}

/* Room for those that go, those that come, and the list that they come to: once contacts are on
 * their way, missing memory must not lose them. */
static talus_status move_reserve(talus_world *world, const int32_t *owner) {
  tl_world_spread *const spread = world->spread;
  const tl_route *const route = &spread->route;
  const int32_t size = spread->owners.size, before = world->contact_count;
  const size_t bytes = record_bytes(world);
  int64_t room = route->receive[size];
  for (int32_t k = 0; k < before; k++) {
    room += owner[k] == spread->owners.rank;
  }
  TL_TRY(tl_buffer_reserve(world->context, &spread->out, (size_t)route->send[size], bytes,
                           "contacts for other ranks"));
  TL_TRY(tl_buffer_reserve(world->context, &spread->stash, (size_t)route->receive[size], bytes,
                           "contacts of other ranks"));
  TL_TRY(tl_contacts_resize(world, room > before ? (int32_t)room : before));
  world->contact_count = before;
  return TALUS_OK;
}

/* Appends what has come, for which there is room. It names slots of the ranks that it comes from:
 * bodies are found by their ids until contacts are found again. */
static void contacts_append(talus_world *world, const char *in, int32_t count) {
  const size_t bytes = record_bytes(world);
  const int32_t first = world->contact_count;
  world->contact_count = first + count;
  for (int32_t i = 0; i < count; i++) {
    record_unpack(world, first + i, in + bytes * (size_t)i);
  }
  if (count > 0) {
    world->spread->found.body_count = -1;
  }
}

static talus_status contacts_send(talus_world *world) {
  talus_context *const context = world->context;
  tl_world_spread *const spread = world->spread;
  tl_route *const route = &spread->route;
  const int32_t size = spread->owners.size;
  const tl_slot_stamp now = tl_spread_stamp(world);
  const bool known = memcmp(&now, &spread->found, sizeof now) == 0;
  int32_t *owner = NULL;
  TL_TRY(tl_ranks_agree(context, leaving_count(world, known, &owner)));
  TL_TRY(tl_route_open(context, route));
  TL_TRY(tl_ranks_agree(context, move_reserve(world, owner)));
  contacts_part(world, owner, route->send, spread->out.memory);
  tl_route_rewind(route->send, size);
  TL_TRY(tl_route_carry(context, route, record_bytes(world), spread->out.memory,
                        spread->stash.memory));
  contacts_append(world, spread->stash.memory, (int32_t)route->receive[size]);
  return tl_ranks_agree(context, tl_contacts_store_keys(world));
}

talus_status tl_spread_move(talus_world *world) {
  return world->contacts_local ? contacts_send(world) : contacts_choose(world);
}

/* ---- to all ---------------------------------------------------------------------------------- */

/* Memory while contacts are gathered: of all ranks, behind each other; their order. */
typedef struct gathering {
  int64_t *count; /* [size] of each rank */
  int64_t total;
  tl_world_contact *contact;
  tl_contact_terms *terms;
  double *normal, *impulse;
  tl_contact_extra *extra; /* NULL: none */
  uint64_t *key;           /* twice */
  int32_t *order;          /* twice */
  void *memory[4];
} gathering;

static talus_status counts_gather(talus_world *world, gathering *g) {
  const talus_transport *const t = tl_ranks_of(world->context);
  const int64_t own = world->contact_count;
  TL_TRY(tl_ranks_agree(world->context, tl_alloc(world->context, &g->memory[0], (size_t)t->size,
                                                 sizeof *g->count, "counts of ranks")));
  g->count = g->memory[0];
  const int code = t->gather(t->user, &own, sizeof own, g->count);
  if (code != 0) {
    return tl_ranks_lost(world->context, code);
  }
  for (int32_t r = 0; r < t->size; r++) {
    g->total += g->count[r];
  }
  return TALUS_OK;
}

/* The contacts of this rank in their place. */
static void gathering_put_own(const talus_world *world, const gathering *g, int64_t first) {
  const size_t own = (size_t)world->contact_count;
  if (own == 0) { /* there may be no arrays */
    return;
  }
  memcpy(g->contact + first, world->contact, own * sizeof *g->contact);
  memcpy(g->terms + first, world->terms, own * sizeof *g->terms);
  memcpy(g->normal + 3 * first, world->normal, 3 * own * sizeof *g->normal);
  memcpy(g->impulse + 3 * first, world->impulse, 3 * own * sizeof *g->impulse);
  if (g->extra != NULL) {
    memcpy(g->extra + first, world->extra, own * sizeof *g->extra);
  }
}

/* Room for all; this rank's from `first` on. */
static talus_status gathering_take(talus_world *world, gathering *g, int64_t first) {
  const size_t total = (size_t)g->total;
  if (g->total > INT32_MAX / 8) {
    return tl_fail(world->context, TALUS_SIZE_OVERFLOW, "%lld contacts are too many to be read",
                   (long long)g->total);
  }
  TL_TRY(tl_alloc(world->context, &g->memory[1], total,
                  sizeof *g->contact + sizeof *g->terms + 6 * sizeof(double),
                  "contacts of all ranks"));
  TL_TRY(tl_alloc(world->context, &g->memory[2], 2 * total, sizeof *g->key + sizeof *g->order,
                  "contacts of all ranks"));
  g->contact = g->memory[1];
  g->terms = (tl_contact_terms *)(g->contact + total);
  g->normal = (double *)(g->terms + total);
  g->impulse = g->normal + 3 * total;
  g->key = g->memory[2];
  g->order = (int32_t *)(g->key + 2 * total);
  if (world->extra != NULL) {
    TL_TRY(
        tl_alloc(world->context, &g->memory[3], total, sizeof *g->extra, "contacts of all ranks"));
    g->extra = g->memory[3];
  }
  gathering_put_own(world, g, first);
  return TALUS_OK;
}

/* By pairs of shapes, as one rank finds them; contacts of one pair come from one rank. */
static void gathering_sort(gathering *g) {
  for (int64_t k = 0; k < g->total; k++) {
    const tl_contact_shown *const shown = &g->contact[k].shown;
    g->key[k] = (uint64_t)(uint32_t)shown->shape_a << 32 | (uint32_t)shown->shape_b;
    g->order[k] = (int32_t)k;
  }
  tl_radix_sort(g->key, g->order, g->key + g->total, g->order + g->total, g->total);
}

/* Slots by ids: those of contacts are of the ranks that found them, or of a step before. */
static void slots_find(const talus_world *world, tl_world_contact *list, int64_t count) {
  for (int64_t k = 0; k < count; k++) {
    tl_world_contact *const contact = &list[k];
    contact->body_a = tl_body_slot(world, contact->shown.body_a);
    contact->body_b = tl_body_slot(world, contact->shown.body_b);
    contact->shape_a = tl_shape_slot_of(world, contact->shown.shape_a);
    contact->shape_b = tl_shape_slot_of(world, contact->shown.shape_b);
  }
}

/* The world, which has room for them, has all contacts. */
static void gathering_copy(talus_world *world, gathering *g) {
  const tl_slot_stamp now = tl_spread_stamp(world);
  gathering_sort(g);
  if (memcmp(&now, &world->spread->found, sizeof now) != 0) {
    slots_find(world, g->contact, g->total);
  }
  for (int64_t k = 0; k < g->total; k++) {
    const int32_t from = g->order[k];
    world->contact[k] = g->contact[from];
    world->terms[k] = g->terms[from];
    tl_copy3(world->normal + 3 * k, g->normal + 3 * (int64_t)from);
    tl_copy3(world->impulse + 3 * k, g->impulse + 3 * (int64_t)from);
    if (g->extra != NULL) {
      world->extra[k] = g->extra[from];
    }
  }
  world->contacts_local = false;
}

static talus_status gathering_keep(talus_world *world, gathering *g) {
  TL_TRY(tl_contacts_resize(world, (int32_t)g->total));
  gathering_copy(world, g);
  return tl_contacts_store_keys(world);
}

static void gathering_release(const talus_world *world, gathering *g) {
  for (int i = 0; i < 4; i++) {
    tl_free(world->context, g->memory[i]);
  }
}

void tl_contacts_follow(talus_world *world) {
  slots_find(world, world->contact, world->contact_count);
  world->spread->found = tl_spread_stamp(world);
}

static talus_status contacts_gather(talus_world *world, gathering *g) {
  talus_context *const context = world->context;
  int64_t first = 0;
  TL_TRY(counts_gather(world, g));
  for (int32_t r = 0; r < tl_ranks_of(context)->rank; r++) {
    first += g->count[r];
  }
  TL_TRY(tl_ranks_agree(context, gathering_take(world, g, first)));
  TL_TRY(tl_ranks_share_parts(context, g->contact, g->count, sizeof *g->contact));
  TL_TRY(tl_ranks_share_parts(context, g->terms, g->count, sizeof *g->terms));
  TL_TRY(tl_ranks_share_parts(context, g->normal, g->count, 3 * sizeof *g->normal));
  TL_TRY(tl_ranks_share_parts(context, g->impulse, g->count, 3 * sizeof *g->impulse));
  if (g->extra != NULL) {
    TL_TRY(tl_ranks_share_parts(context, g->extra, g->count, sizeof *g->extra));
  }
  return tl_ranks_agree(context, gathering_keep(world, g));
}

talus_status tl_contacts_read(const talus_world *world) {
  TL_TRY(tl_world_read(world));
  TL_TRY(tl_bodies_whole(world));
  if (!world->contacts_local) {
    return TALUS_OK;
  }
  gathering g = {.total = 0};
  const talus_status status = contacts_gather(world->spread->world, &g);
  gathering_release(world, &g);
  return status;
}

/* ---- to the first ---------------------------------------------------------------------------- */

/* Others' contacts behind the first rank's own. */
static talus_status contacts_carry(talus_world *world, const gathering *g) {
  talus_context *const context = world->context;
  const tl_route *const route = &world->spread->route;
  const int64_t own = g->contact != NULL ? world->contact_count : 0;
  const size_t vector = 3 * sizeof(double);
  TL_TRY(tl_route_carry(context, route, sizeof *g->contact, world->contact, g->contact + own));
  TL_TRY(tl_route_carry(context, route, sizeof *g->terms, world->terms, g->terms + own));
  TL_TRY(tl_route_carry(context, route, vector, world->normal, g->normal + 3 * own));
  TL_TRY(tl_route_carry(context, route, vector, world->impulse, g->impulse + 3 * own));
  return world->extra != NULL
             ? tl_route_carry(context, route, sizeof *g->extra, world->extra, g->extra + own)
             : TALUS_OK;
}

static talus_status gathering_show(talus_world *world, gathering *g) {
  tl_contacts_lay_aside(world, &world->spread->aside);
  const talus_status status = tl_contacts_reserve(world, (int32_t)g->total);
  if (status != TALUS_OK) {
    tl_contacts_put_back(world, &world->spread->aside);
    return status;
  }
  world->contact_count = (int32_t)g->total;
  gathering_copy(world, g);
  return TALUS_OK;
}

static talus_status contacts_show(talus_world *world, gathering *g) {
  talus_context *const context = world->context;
  tl_route *const route = &world->spread->route;
  const int32_t size = world->spread->owners.size;
  const bool first = tl_ranks_first(context);
  TL_TRY(tl_ranks_agree(context, tl_route_begin(context, route)));
  route->send[0] = first ? 0 : world->contact_count;
  TL_TRY(tl_route_open(context, route));
  g->total = world->contact_count + route->receive[size];
  TL_TRY(tl_ranks_agree(context, first ? gathering_take(world, g, 0) : TALUS_OK));
  TL_TRY(contacts_carry(world, g));
  return tl_ranks_agree(context, first ? gathering_show(world, g) : TALUS_OK);
}

talus_status tl_contacts_to_first(talus_world *world) {
  gathering g = {.total = 0};
  const talus_status status = contacts_show(world, &g);
  gathering_release(world, &g);
  return status;
}

/* ---- a search for contacts ------------------------------------------------------------------- */

talus_status tl_spread_prepare(talus_world *world, double dt, const double **least_margin) {
  tl_world_spread *const spread = world->spread;
  const int64_t slots = world->slots_changed;
  if (spread == NULL || !tl_spread_serves(world)) {
    return tl_contacts_read(world);
  }
  spread->raised_count = *least_margin == NULL ? 0 : spread->raised_count;
  TL_TRY(tl_spread_look(world, dt, *least_margin));
  if (slots != world->slots_changed && *least_margin != NULL) {
    TL_TRY(tl_ranks_agree(world->context, tl_spread_margins_fill(world)));
    *least_margin = world->least_margins.memory;
  }
  return tl_spread_move(world);
}

talus_status tl_spread_finish(talus_world *world, talus_status status) {
  tl_world_spread *const spread = world->spread;
  if (!world->contacts_local) {
    return status;
  }
  TL_TRY(tl_ranks_agree(world->context, status));
  int64_t sum[2] = {world->contact_count, !world->contacts_spherical};
  TL_TRY(tl_ranks_sum(world->context, sum, 2));
  world->contacts_spherical = sum[1] == 0;
  spread->contact_count = sum[0];
  spread->found = tl_spread_stamp(world);
  spread->few = sum[0] < TL_SPREAD_CONTACTS;
  return spread->few ? tl_contacts_read(world) : TALUS_OK;
}
