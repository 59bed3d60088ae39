/* names.h: names of things that stand in lists, found by binary search.
 *
 * Files may name tens of thousands of materials, bodies and links: comparing each with all others
 * would take longer than the simulation. Sorted texts, not hashes: no file can make it slow. */
#ifndef TL_SCENE_NAMES_H
#define TL_SCENE_NAMES_H

#include "host/scene/arena.h"

typedef struct tl_name {
  const char *text; /* borrowed */
  int32_t index;
} tl_name;

typedef struct tl_names {
  tl_name *name;
  int32_t count;
} tl_names;

/* Empty, with room for so many names. Status: OUT_OF_MEMORY. */
talus_status tl_names_begin(tl_arena *arena, int32_t capacity, tl_names *names);
/* text may be NULL: a thing without a name is not kept. Indices come ascending. */
void tl_names_add(tl_names *names, const char *text, int32_t index);
/* Sorts them; due before the functions below. Returns the lowest index whose name a lower one has
 * already, or -1. */
int32_t tl_names_sort(tl_names *names);

/* The lowest index of a name, or -1. The second takes the first `length` bytes of the text. */
int32_t tl_names_find(const tl_names *names, const char *text);
int32_t tl_names_find_part(const tl_names *names, const char *text, size_t length);
/* The name nearest to a mistyped one, or NULL. */
const char *tl_names_nearest(const tl_names *names, const char *typed);
/* " (did you mean x?)" of the nearest, or "". Returns text. */
const char *tl_names_suggest(const tl_names *names, const char *typed, char *text, size_t capacity);

#endif
