/* names.c: sorting and searching of names. */
#include "host/scene/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/base/words.h"

talus_status tl_names_begin(tl_arena *arena, int32_t capacity, tl_names *names) {
  void *memory = NULL;
  names->count = 0;
  TL_TRY(tl_arena_take(arena, (size_t)capacity, sizeof *names->name, &memory));
  names->name = memory;
  return TALUS_OK;
}

void tl_names_add(tl_names *names, const char *text, int32_t index) {
  if (text != NULL) {
    names->name[names->count++] = (tl_name){text, index};
  }
}

static int by_text(const void *left, const void *right) {
  const tl_name *const a = left, *const b = right;
  const int order = strcmp(a->text, b->text);
  return order != 0 ? order : (a->index > b->index) - (a->index < b->index);
}

int32_t tl_names_sort(tl_names *names) {
  int32_t repeated = -1;
  if (names->count > 1) {
    qsort(names->name, (size_t)names->count, sizeof *names->name, by_text);
  }
  for (int32_t i = 1; i < names->count; i++) {
    const tl_name *const name = &names->name[i];
    if (strcmp(name[-1].text, name->text) == 0 && (repeated < 0 || name->index < repeated)) {
      repeated = name->index;
    }
  }
  return repeated;
}

/* As strcmp with a text that ends after `length` bytes. */
static int compare(const char *name, const char *text, size_t length) {
  const int order = strncmp(name, text, length);
  return order != 0 ? order : name[length] != '\0';
}

int32_t tl_names_find_part(const tl_names *names, const char *text, size_t length) {
  int32_t low = 0, high = names->count; /* the first that is not below the text lies there */
  while (low < high) {
    const int32_t middle = low + (high - low) / 2;
    if (compare(names->name[middle].text, text, length) < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < names->count && compare(names->name[low].text, text, length) == 0
             ? names->name[low].index
             : -1;
}

int32_t tl_names_find(const tl_names *names, const char *text) {
  return tl_names_find_part(names, text, strlen(text));
}

const char *tl_names_nearest(const tl_names *names, const char *typed) {
  const char *nearest = NULL;
  int best = tl_words_tolerance(typed);
  for (int32_t i = 0; i < names->count && best >= 0; i++) {
    const int distance = tl_words_distance(typed, names->name[i].text);
    if (distance <= best) {
      best = distance - 1;
      nearest = names->name[i].text;
    }
  }
  return nearest;
}

const char *tl_names_suggest(const tl_names *names, const char *typed, char *text,
                             size_t capacity) {
  const char *const near = tl_names_nearest(names, typed);
  text[0] = '\0';
  if (near != NULL) {
    snprintf(text, capacity, " (did you mean %.60s?)", near);
  }
  return text;
}
