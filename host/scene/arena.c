/* arena.c: blocks of memory, chained; requests are cut from the newest. */
#include "host/scene/arena.h"

#include <string.h>

enum { ALIGNMENT = 16, BLOCK = 16384 };

typedef struct arena_block {
  void *before;
  char padding[ALIGNMENT - sizeof(void *)];
} arena_block;

static talus_status new_block(tl_arena *arena, size_t wanted) {
  const size_t capacity =
      wanted + sizeof(arena_block) > BLOCK ? wanted + sizeof(arena_block) : (size_t)BLOCK;
  void *memory = NULL;
  TL_TRY(tl_alloc(arena->context, &memory, capacity, 1, "the scene"));
  ((arena_block *)memory)->before = arena->last;
  arena->last = memory;
  arena->used = sizeof(arena_block);
  arena->capacity = capacity;
  return TALUS_OK;
}

talus_status tl_arena_take(tl_arena *arena, size_t count, size_t size, void **memory) {
  *memory = NULL;
  size_t wanted = tl_size_product(count > 0 ? count : 1, size);
  if (wanted > (size_t)PTRDIFF_MAX / 2) {
    return tl_fail(arena->context, TALUS_OUT_OF_MEMORY, "the scene: %zu elements of %zu bytes",
                   count, size);
  }
  wanted = (wanted + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  if (arena->last == NULL || arena->capacity - arena->used < wanted) {
    TL_TRY(new_block(arena, wanted));
  }
  *memory = (char *)arena->last + arena->used;
  arena->used += wanted;
  memset(*memory, 0, wanted);
  return TALUS_OK;
}

talus_status tl_arena_text(tl_arena *arena, const char *text, size_t length, const char **copy) {
  void *memory = NULL;
  TL_TRY(tl_arena_take(arena, length + 1, 1, &memory));
  memcpy(memory, text, length);
  *copy = memory;
  return TALUS_OK;
}

void tl_arena_release(tl_arena *arena) {
  while (arena->last != NULL) {
    void *before = ((arena_block *)arena->last)->before;
    tl_free(arena->context, arena->last);
    arena->last = before;
  }
  arena->used = arena->capacity = 0;
}
