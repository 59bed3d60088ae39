/* tree.c: finding, changing and naming nodes of a document. */
#include "host/scene/tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

tl_node *tl_tree_find(const tl_node *map, const char *key) {
  if (map == NULL || map->kind != TL_NODE_MAP) {
    return NULL;
  }
  for (tl_node *child = map->first; child != NULL; child = child->next) {
    if (strcmp(child->key->text, key) == 0) {
      return child;
    }
  }
  return NULL;
}

bool tl_tree_blank(const tl_node *node) {
  return node == NULL || (node->kind == TL_NODE_SCALAR && node->plain &&
                          (node->text[0] == '\0' || strcmp(node->text, "~") == 0 ||
                           strcmp(node->text, "null") == 0));
}

bool tl_tree_empty(const tl_node *root) {
  return tl_tree_blank(root) || (root->kind == TL_NODE_MAP && root->count == 0);
}

const char *tl_node_place(const tl_node *node, char *text, size_t capacity) {
  if (node == NULL) {
    snprintf(text, capacity, "default");
  } else if (node->line > 0) {
    snprintf(text, capacity, "%s:%d:%d", node->source, (int)node->line, (int)node->column);
  } else {
    snprintf(text, capacity, "%s", node->source);
  }
  return text;
}

talus_status tl_node_fail(talus_context *context, const tl_node *node, const char *format, ...) {
  char place[256], words[768];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(words, sizeof words, format, arguments);
  va_end(arguments);
  return tl_fail(context, TALUS_FILE_FORMAT, "%s: %s", tl_node_place(node, place, sizeof place),
                 words);
}

/* A list's item by number or by its key `name`. */
static tl_node *find_item(const tl_node *list, const char *word) {
  char *end;
  const long index = strtol(word, &end, 10);
  const bool by_number = end != word && *end == '\0';
  long position = 0;
  for (tl_node *child = list->first; child != NULL; child = child->next, position++) {
    const tl_node *name = tl_tree_find(child, "name");
    if (by_number ? position == index
                  : name != NULL && name->kind == TL_NODE_SCALAR && strcmp(name->text, word) == 0) {
      return child;
    }
  }
  return NULL;
}

/* Adds an empty map under a key. */
static talus_status add_key(tl_arena *arena, tl_node *map, const char *source, const char *key,
                            tl_node **child) {
  void *memory = NULL;
  TL_TRY(tl_arena_take(arena, 2, sizeof(tl_node), &memory));
  tl_node *node = memory;
  node[0].kind = TL_NODE_MAP;
  node[0].source = node[1].source = source;
  node[0].key = &node[1];
  node[1].kind = TL_NODE_SCALAR;
  node[1].plain = 1;
  TL_TRY(tl_arena_text(arena, key, strlen(key), &node[1].text));
  if (map->last != NULL) {
    map->last->next = node;
  } else {
    map->first = node;
  }
  map->last = node;
  map->count++;
  *child = node;
  return TALUS_OK;
}

static talus_status step_down(tl_arena *arena, tl_node *node, const char *source, const char *word,
                              tl_node **child) {
  if (node->kind == TL_NODE_LIST) {
    *child = find_item(node, word);
    if (*child == NULL) {
      return tl_fail(arena->context, TALUS_FILE_FORMAT,
                     "%s: the list has %d items and none called '%s'", source, (int)node->count,
                     word);
    }
    return TALUS_OK;
  }
  if (node->kind == TL_NODE_SCALAR) {
    return tl_fail(arena->context, TALUS_FILE_FORMAT, "%s: there is nothing below the value '%s'",
                   source, node->text);
  }
  *child = tl_tree_find(node, word);
  return *child != NULL ? TALUS_OK : add_key(arena, node, source, word, child);
}

/* Follows a path of keys, names and numbers, which is cut into its words. */
static talus_status walk(tl_arena *arena, tl_node *root, const char *source, char *path,
                         tl_node **found) {
  *found = root;
  for (char *word = path; word != NULL;) {
    char *dot = strpbrk(word, ".[");
    if (dot != NULL) {
      *dot++ = '\0';
    }
    const size_t length = strlen(word);
    if (length > 0 && word[length - 1] == ']') {
      word[length - 1] = '\0'; /* grains[0].count reads as grains.0.count */
    }
    if (word[0] != '\0') {
      TL_TRY(step_down(arena, *found, source, word, found));
    }
    word = dot;
  }
  return *found != root ? TALUS_OK
                        : tl_fail(arena->context, TALUS_FILE_FORMAT, "%s: names no key", source);
}

/* The place in the tree stays, the value changes. */
static void replace(tl_node *node, const tl_node *value) {
  tl_node *const key = node->key, *const next = node->next;
  *node = *value;
  node->key = key;
  node->next = next;
}

talus_status tl_tree_copy(tl_arena *arena, const tl_node *from, tl_node **copy) {
  void *memory = NULL;
  TL_TRY(tl_arena_take(arena, 1, sizeof(tl_node), &memory));
  tl_node *const node = *copy = memory;
  *node = *from;
  node->first = node->last = node->next = NULL;
  for (const tl_node *child = from->first; child != NULL; child = child->next) {
    tl_node *made = NULL;
    TL_TRY(tl_tree_copy(arena, child, &made));
    if (node->last != NULL) {
      node->last->next = made;
    } else {
      node->first = made;
    }
    node->last = made;
  }
  return TALUS_OK;
}

/* Maps are merged, into maps and into the items of lists; all else is replaced. */
static talus_status merge(tl_arena *arena, tl_node *node, const char *source,
                          const tl_node *value) {
  if (value->kind != TL_NODE_MAP || node->kind == TL_NODE_SCALAR) {
    tl_node *copy = NULL;
    TL_TRY(tl_tree_copy(arena, value, &copy));
    replace(node, copy);
    return TALUS_OK;
  }
  for (const tl_node *child = value->first; child != NULL; child = child->next) {
    tl_node *below = NULL;
    TL_TRY(step_down(arena, node, source, child->key->text, &below));
    TL_TRY(merge(arena, below, source, child));
  }
  return TALUS_OK;
}

talus_status tl_tree_merge(tl_arena *arena, tl_node *root, const char *source, const char *path,
                           const tl_node *value) {
  char words[160];
  tl_node *node = NULL;
  if (snprintf(words, sizeof words, "%s", path) >= (int)sizeof words) {
    return tl_node_fail(arena->context, value, "the path is too long");
  }
  TL_TRY(walk(arena, root, source, words, &node));
  return merge(arena, node, source, value);
}

talus_status tl_tree_set(tl_arena *arena, tl_node *root, const char *assignment) {
  char source[160], path[128];
  snprintf(source, sizeof source, "--set %s", assignment);
  const char *kept = NULL;
  TL_TRY(tl_arena_text(arena, source, strlen(source), &kept));
  const char *equals = strchr(assignment, '=');
  if (equals == NULL || equals == assignment || (size_t)(equals - assignment) >= sizeof path) {
    return tl_fail(arena->context, TALUS_FILE_FORMAT,
                   "%s: wants key=value, such as world.step=1 ms", source);
  }
  snprintf(path, sizeof path, "%.*s", (int)(equals - assignment), assignment);
  tl_node *value = NULL;
  TL_TRY(tl_tree_parse(arena, kept, equals + 1, strlen(equals + 1), &value));
  tl_node *node = NULL;
  TL_TRY(walk(arena, root, kept, path, &node));
  replace(node, value);
  return TALUS_OK;
}

/* FNV-1a. */
uint64_t tl_bytes_hash(const void *bytes, size_t count, uint64_t hash) {
  const unsigned char *const byte = bytes;
  for (size_t i = 0; i < count; i++) {
    hash = (hash ^ byte[i]) * UINT64_C(1099511628211);
  }
  return hash;
}

uint64_t tl_text_hash(const char *text, uint64_t hash) {
  return tl_bytes_hash(text, strlen(text) + 1, hash);
}

uint64_t tl_tree_hash(const tl_node *node, uint64_t hash) {
  hash = tl_bytes_hash(node->kind == TL_NODE_SCALAR ? "s"
                       : node->kind == TL_NODE_LIST ? "l"
                                                    : "m",
                       1, hash);
  if (node->kind == TL_NODE_SCALAR) {
    return tl_text_hash(node->text, hash);
  }
  for (const tl_node *child = node->first; child != NULL; child = child->next) {
    if (child->key != NULL && node->kind == TL_NODE_MAP) {
      hash = tl_text_hash(child->key->text, hash);
    }
    hash = tl_tree_hash(child, hash);
  }
  return tl_bytes_hash(".", 1, hash);
}
