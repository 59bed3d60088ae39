/* contact_list.c: memory of the contacts: of this step, of the one before, of the step's beginning.
 *
 * Contacts are made anew in each (sub-)step, and matched to the old ones. Those with which a step
 * began are kept to restore it. */
#include <string.h>

#include "host/world/world.h"

static tl_contact_list contacts_change(talus_world *world, tl_contact_list list) {
  const tl_contact_list old = {.contact = world->contact,
                               .normal = world->normal,
                               .impulse = world->impulse,
                               .extra = world->extra,
                               .count = world->contact_count,
                               .capacity = world->contact_capacity,
                               .vector_capacity = world->vector_capacity,
                               .extra_capacity = world->extra_capacity,
                               .local = world->contacts_local};
  world->contact = list.contact;
  world->normal = list.normal;
  world->impulse = list.impulse;
  world->vector_capacity = list.vector_capacity;
  world->extra = list.extra;
  world->contact_count = list.count;
  world->contact_capacity = list.capacity;
  world->extra_capacity = list.extra_capacity;
  world->contacts_local = list.local;
  return old;
}

/* Room for `count` elements and some more, contents not preserved. */
static talus_status array_reserve(talus_context *context, void **array, int32_t *capacity,
                                  int32_t count, size_t size) {
  if (*array != NULL && count <= *capacity) {
    return TALUS_OK;
  }
  const int32_t room = count + count / 16;
  tl_free(context, *array);
  *capacity = 0;
  TL_TRY(tl_alloc(context, array, (size_t)room, size, "contacts"));
  *capacity = room;
  return TALUS_OK;
}

static talus_status list_reserve(const talus_world *world, tl_contact_list *list, int32_t count) {
  TL_TRY(array_reserve(world->context, (void **)&list->contact, &list->capacity, count,
                       sizeof *list->contact));
  TL_TRY(array_reserve(world->context, (void **)&list->normal, &list->vector_capacity, count,
                       6 * sizeof *list->normal));
  list->impulse = list->normal + 3 * (int64_t)list->vector_capacity;
  if (world->soft || world->resists || world->cohesive) {
    return array_reserve(world->context, (void **)&list->extra, &list->extra_capacity, count,
                         sizeof *list->extra);
  }
  tl_free(world->context, list->extra);
  list->extra = NULL;
  list->extra_capacity = 0;
  return TALUS_OK;
}

static talus_status terms_reserve(talus_world *world, int32_t count) {
  return array_reserve(world->context, (void **)&world->terms, &world->terms_capacity, count,
                       sizeof *world->terms);
}

talus_status tl_contacts_reserve(talus_world *world, int32_t count) {
  tl_contact_list list = contacts_change(world, (tl_contact_list){.contact = NULL});
  const talus_status status = list_reserve(world, &list, count);
  list.count = 0;
  list.local = false;
  contacts_change(world, list);
  TL_TRY(status);
  TL_TRY(terms_reserve(world, count));
  memset(world->terms, 0, (size_t)count * sizeof *world->terms);
  return TALUS_OK;
}

talus_status tl_contacts_replace(talus_world *world, int32_t count, const tl_contact_list **old) {
  /* until contacts are replaced, what was saved for the last step is free: two lists do but where
   * contacts are found several times in a step */
  if (world->contacts_saved && world->spare.contact == NULL) {
    world->spare = world->saved;
    world->saved = (tl_contact_list){.contact = NULL};
  }
  TL_TRY(list_reserve(world, &world->spare, count));
  TL_TRY(terms_reserve(world, count));
  world->spare.count = count;
  world->spare.local = world->contacts_local;
  const tl_contact_list present = contacts_change(world, world->spare);
  if (world->contacts_saved) {
    world->spare = world->saved;
    world->saved = present;
    world->contacts_saved = 0;
    *old = &world->saved;
  } else {
    world->spare = present;
    *old = &world->spare;
  }
  return TALUS_OK;
}

/* Room for `count` elements, of which the first `kept` stay. */
static talus_status array_grow(talus_context *context, void **array, int32_t *capacity,
                               int32_t count, int32_t kept, size_t size) {
  void *larger;
  if (*array != NULL && count <= *capacity) {
    return TALUS_OK;
  }
  const int32_t room = count + count / 8;
  TL_TRY(tl_alloc(context, &larger, (size_t)room, size, "contacts"));
  if (*array != NULL) {
    memcpy(larger, *array, (size_t)kept * size);
    tl_free(context, *array);
  }
  *array = larger;
  *capacity = room;
  return TALUS_OK;
}

/* The same of normals and impulses, which share their memory. */
static talus_status vectors_grow(talus_world *world, int32_t count, int32_t kept) {
  const double *const old = world->impulse;
  double *const normal = world->normal;
  if (normal != NULL && count <= world->vector_capacity) {
    return TALUS_OK;
  }
  world->normal = NULL;
  const talus_status status = array_grow(world->context, (void **)&world->normal,
                                         &world->vector_capacity, count, 0, 6 * sizeof *normal);
  if (status != TALUS_OK) {
    world->normal = normal;
    return status;
  }
  world->impulse = world->normal + 3 * (int64_t)world->vector_capacity;
  if (normal != NULL) {
    memcpy(world->normal, normal, 3 * (size_t)kept * sizeof *normal);
    memcpy(world->impulse, old, 3 * (size_t)kept * sizeof *normal);
    tl_free(world->context, normal);
  }
  return TALUS_OK;
}

talus_status tl_contacts_resize(talus_world *world, int32_t count) {
  talus_context *const context = world->context;
  const int32_t kept = world->contact_count < count ? world->contact_count : count;
  TL_TRY(array_grow(context, (void **)&world->contact, &world->contact_capacity, count, kept,
                    sizeof *world->contact));
  TL_TRY(vectors_grow(world, count, kept));
  if (world->extra != NULL) {
    TL_TRY(array_grow(context, (void **)&world->extra, &world->extra_capacity, count, kept,
                      sizeof *world->extra));
  }
  const int32_t terms = kept < world->terms_capacity ? kept : world->terms_capacity;
  TL_TRY(array_grow(context, (void **)&world->terms, &world->terms_capacity, count, terms,
                    sizeof *world->terms));
  world->contact_count = count;
  return TALUS_OK;
}

void tl_contacts_save(talus_world *world) {
  world->contacts_saved = 1;
}

talus_status tl_contacts_restore(talus_world *world) {
  if (!world->contacts_saved) {
    world->saved = contacts_change(world, world->saved);
    world->contacts_saved = 1;
  }
  TL_TRY(tl_contacts_store_keys(world));
  return terms_reserve(world, world->contact_count);
}

static void list_release(const talus_world *world, const tl_contact_list *list) {
  tl_free(world->context, list->contact);
  tl_free(world->context, list->normal);
  tl_free(world->context, list->extra);
}

void tl_contacts_lay_aside(talus_world *world, tl_contacts_aside *aside) {
  *aside = (tl_contacts_aside){contacts_change(world, (tl_contact_list){.contact = NULL}),
                               world->terms, world->terms_capacity};
  world->terms = NULL;
  world->terms_capacity = 0;
}

void tl_contacts_put_back(talus_world *world, tl_contacts_aside *aside) {
  const tl_contact_list list = contacts_change(world, aside->list);
  list_release(world, &list);
  tl_free(world->context, world->terms);
  world->terms = aside->terms;
  world->terms_capacity = aside->terms_capacity;
}

void tl_contacts_release(talus_world *world) {
  tl_contact_list lists[] = {contacts_change(world, (tl_contact_list){.contact = NULL}),
                             world->spare, world->saved};
  for (int i = 0; i < 3; i++) {
    list_release(world, &lists[i]);
  }
  tl_free(world->context, world->terms);
}
