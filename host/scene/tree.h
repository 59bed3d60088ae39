/* tree.h: a YAML document as a tree of nodes that know where they were written.
 *
 * Keeps libyaml in one file (tree_yaml.c), and lets `--set a.b=c` change the tree before anybody
 * reads it. Aliases are followed; a document that is nested too deeply, or unfolds into too many
 * nodes, is refused, and so is anything behind the first document. */
#ifndef TL_SCENE_TREE_H
#define TL_SCENE_TREE_H

#include <stdio.h>

#include "host/scene/arena.h"

typedef enum tl_node_kind { TL_NODE_SCALAR, TL_NODE_LIST, TL_NODE_MAP } tl_node_kind;

typedef struct tl_node {
  tl_node_kind kind;
  const char *source;                  /* file, or "--set a.b=c" */
  int32_t line, column;                /* from 1; 0 for --set */
  const char *text;                    /* scalar */
  int32_t plain;                       /* scalar without quotes: may be a number */
  struct tl_node *key;                 /* map entries: the key's node, a scalar */
  struct tl_node *first, *last, *next; /* children; siblings */
  int32_t count;                       /* of children */
} tl_node;

/* Statuses: FILE_OPEN, FILE_FORMAT (message with file:line:column), UNSUPPORTED (built without
 * libyaml), OUT_OF_MEMORY. An empty document gives an empty map. */
talus_status tl_tree_read(tl_arena *arena, const char *path, tl_node **root);
talus_status tl_tree_parse(tl_arena *arena, const char *source, const char *text, size_t length,
                           tl_node **root);

/* The value of a map's key, or NULL. */
tl_node *tl_tree_find(const tl_node *map, const char *key);
/* A key without a value, written as nothing, ~ or null (NULL counts). */
bool tl_tree_blank(const tl_node *node);
/* The root of a document with nothing in it. */
bool tl_tree_empty(const tl_node *root);

/* Carries out "world.step=1 ms", "grains.0.count=50", "bodies.nut.radius=3 cm" (list items by
 * number, or by their `name`). Keys that are not there are made. */
talus_status tl_tree_set(tl_arena *arena, tl_node *root, const char *assignment);

/* As tl_tree_set, by a path and a value; maps are merged key by key, all else is replaced. source:
 * names what is made, for messages. */
talus_status tl_tree_merge(tl_arena *arena, tl_node *root, const char *source, const char *path,
                           const tl_node *value);
/* A copy that can be changed by itself. */
talus_status tl_tree_copy(tl_arena *arena, const tl_node *from, tl_node **copy);

/* FILE_FORMAT, or the status given, with "file:line:column: " before the words. */
talus_status tl_node_fail(talus_context *context, const tl_node *node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* "file:line:column", or the source alone for --set. */
const char *tl_node_place(const tl_node *node, char *text, size_t capacity);

/* Writes a map as YAML that reads as the same tree; comments and aliases are gone. */
void tl_tree_write(FILE *stream, const tl_node *root);

/* Text of a comment in one line, whatever is in it. */
void tl_tree_comment(FILE *stream, const char *before, const char *text, const char *after);
/* Whether YAML can hold a text: names of files may be no UTF-8. */
bool tl_tree_text_fits(const char *text);

/* The first key in which two trees differ, "world.step", and its values in words. */
typedef struct tl_tree_difference {
  char path[200], a[48], b[48];
} tl_tree_difference;
/* Whether two maps or lists differ; found begins with an empty path. */
bool tl_tree_differs(const tl_node *a, const tl_node *b, tl_tree_difference *found);

#define TL_HASH_START UINT64_C(14695981039346656037)

/* A number that changes with the content of a tree, not with its layout. */
uint64_t tl_tree_hash(const tl_node *node, uint64_t hash);
uint64_t tl_text_hash(const char *text, uint64_t hash);
uint64_t tl_bytes_hash(const void *bytes, size_t count, uint64_t hash);

#endif
