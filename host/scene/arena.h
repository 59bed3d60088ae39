/* arena.h: memory that lives as long as a scene and is given back at once. */
#ifndef TL_SCENE_ARENA_H
#define TL_SCENE_ARENA_H

#include "host/base/base.h"

typedef struct tl_arena {
  talus_context *context;
  void *last; /* the newest block; blocks know the one before */
  size_t used, capacity;
} tl_arena;

/* Zeroed room, aligned for anything. Status: OUT_OF_MEMORY. */
talus_status tl_arena_take(tl_arena *arena, size_t count, size_t size, void **memory);
talus_status tl_arena_text(tl_arena *arena, const char *text, size_t length, const char **copy);
/* Gives everything back; the arena can be used again. */
void tl_arena_release(tl_arena *arena);

#endif
