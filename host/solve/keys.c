/* keys.c: a table of names with open addresses; equal names form a list, first come first. */
#include "host/solve/keys.h"

#include <string.h>

talus_status tl_keys_save(talus_context *context, tl_keys *keys, const uint64_t *key,
                          const double *value, int32_t count, int32_t width) {
  keys->count = 0;
  TL_TRY(tl_buffer_reserve(context, &keys->names, (size_t)count, sizeof *key, "names"));
  TL_TRY(tl_buffer_reserve(context, &keys->values, (size_t)count, (size_t)width * sizeof *value,
                           "impulses by name"));
  keys->key = keys->names.memory;
  keys->value = keys->values.memory;
  memcpy(keys->key, key, (size_t)count * sizeof *key);
  memcpy(keys->value, value, (size_t)count * (size_t)width * sizeof *value);
  keys->count = count;
  keys->width = width;
  return TALUS_OK;
}

/* Spreads the names, which may be small numbers in a row, over all bits. */
static uint64_t mix(uint64_t key) {
  key = (key ^ (key >> 32)) * 0x9e3779b97f4a7c15u;
  key = (key ^ (key >> 29)) * 0xbf58476d1ce4e5b9u;
  return key ^ (key >> 32);
}

/* The table: place of a name is the one where it is, or where it would be put. */
typedef struct table {
  int32_t *first; /* [mask + 1] the first unused value of a name; see next; EMPTY */
  int32_t *name;  /* [mask + 1] some value that has this name; EMPTY: none */
  int32_t *next;  /* [count] the next value of the same name; EMPTY */
  uint64_t mask;
} table;

enum { EMPTY = -1 };

static uint64_t place_of(const table *t, const uint64_t *key, uint64_t wanted) {
  uint64_t place = mix(wanted) & t->mask;
  while (t->name[place] != EMPTY && key[t->name[place]] != wanted) {
    place = (place + 1) & t->mask;
  }
  return place;
}

static talus_status table_make(talus_context *context, tl_keys *keys, table *t) {
  uint64_t size = 4;
  while (size < 2 * (uint64_t)keys->count) {
    size *= 2;
  }
  TL_TRY(tl_buffer_reserve(context, &keys->table, 2 * size + (size_t)keys->count, sizeof(int32_t),
                           "table of names"));
  t->mask = size - 1;
  t->first = keys->table.memory;
  t->name = t->first + size;
  t->next = t->name + size;
  memset(t->first, 0xff, 2 * size * sizeof *t->first);
  for (int32_t i = keys->count - 1; i >= 0; i--) { /* backwards: the first comes to stand first */
    const uint64_t place = place_of(t, keys->key, keys->key[i]);
    t->next[i] = t->first[place];
    t->first[place] = t->name[place] = i;
  }
  return TALUS_OK;
}

talus_status tl_keys_match(talus_context *context, tl_keys *keys, const uint64_t *key,
                           double *value, int32_t count, int32_t width, int32_t *matched) {
  memset(value, 0, (size_t)count * (size_t)width * sizeof *value);
  if (keys->count == 0 || keys->width != width) {
    return TALUS_OK;
  }
  table t;
  TL_TRY(table_make(context, keys, &t));
  for (int64_t k = 0; k < count; k++) {
    const uint64_t place = place_of(&t, keys->key, key[k]);
    const int64_t found = t.name[place] != EMPTY ? t.first[place] : EMPTY;
    if (found >= 0) {
      memcpy(value + width * k, keys->value + width * found, (size_t)width * sizeof *value);
      t.first[place] = t.next[found];
      ++*matched;
    }
  }
  return TALUS_OK;
}

void tl_keys_release(talus_context *context, tl_keys *keys) {
  tl_buffer_release(context, &keys->names);
  tl_buffer_release(context, &keys->values);
  tl_buffer_release(context, &keys->table);
  keys->count = 0;
}

int64_t tl_keys_bytes(const tl_keys *keys) {
  return (int64_t)(keys->names.capacity + keys->values.capacity + keys->table.capacity);
}
