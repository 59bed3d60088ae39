/* tree_yaml.c: libyaml's events to our tree. The only file that knows libyaml.
 *
 * Hostile documents: the tree is built event by event, so that nesting is refused at the depth
 * where it gets too deep (libyaml's scanner takes quadratic time in it, and its document would be
 * complete before anybody could count). Aliases can unfold without end, so that nodes are counted;
 * keys written twice are refused, because one of them would be lost, and so is whatever stands
 * behind the document. */
#include <stdio.h>
#include <string.h>

#include "host/io/text_file.h"
#include "host/scene/names.h"
#include "host/scene/tree.h"

#if TL_HAVE_YAML
#include <yaml.h>

enum { MAX_NODES = 1000000, MAX_DEPTH = 32, ANCHOR_HEADS = 1024 };

/* A node that aliases may name. */
typedef struct yaml_anchor {
  const char *name;
  const tl_node *node; /* NULL until it is complete */
  struct yaml_anchor *next;
} yaml_anchor;

typedef struct yaml_reader {
  tl_arena *arena;
  const char *source;
  yaml_parser_t parser;
  int32_t with_place; /* 0: text of --set, whose lines mean nothing */
  int32_t count;
  yaml_anchor *anchor[ANCHOR_HEADS]; /* lists by hash of the name */
} yaml_reader;

static tl_node place_of(const yaml_reader *reader, const yaml_mark_t *mark) {
  return (tl_node){.source = reader->source,
                   .line = reader->with_place ? (int32_t)mark->line + 1 : 0,
                   .column = (int32_t)mark->column + 1};
}

static talus_status refuse(yaml_reader *reader, const yaml_mark_t *mark, const char *words) {
  const tl_node at = place_of(reader, mark);
  return tl_node_fail(reader->arena->context, &at, "%s", words);
}

/* The next event, to be deleted by the caller. */
static talus_status next_event(yaml_reader *reader, yaml_event_t *event) {
  yaml_parser_t *const parser = &reader->parser;
  if (yaml_parser_parse(parser, event)) {
    return TALUS_OK;
  }
  if (parser->error == YAML_MEMORY_ERROR) {
    return tl_fail(reader->arena->context, TALUS_OUT_OF_MEMORY, "%s: no memory to read it",
                   reader->source);
  }
  const tl_node at =
      place_of(reader, parser->error == YAML_READER_ERROR ? &parser->mark : &parser->problem_mark);
  return tl_node_fail(reader->arena->context, &at, "not YAML: %s%s%s",
                      parser->problem != NULL ? parser->problem : "unreadable",
                      parser->context != NULL ? " " : "",
                      parser->context != NULL ? parser->context : "");
}

/* ---- anchors --------------------------------------------------------------------------------- */

static yaml_anchor **anchor_find(yaml_reader *reader, const char *name) {
  yaml_anchor **at = &reader->anchor[tl_text_hash(name, 0) % ANCHOR_HEADS];
  while (*at != NULL && strcmp((*at)->name, name) != 0) {
    at = &(*at)->next;
  }
  return at;
}

/* Notes an anchor, if the event has one. */
static talus_status anchor_add(yaml_reader *reader, const yaml_mark_t *mark,
                               const yaml_char_t *name, yaml_anchor **anchor) {
  void *memory = NULL;
  *anchor = NULL;
  if (name == NULL) {
    return TALUS_OK;
  }
  yaml_anchor **const at = anchor_find(reader, (const char *)name);
  if (*at != NULL) {
    return refuse(reader, mark, "this anchor (&) stands here for the second time");
  }
  TL_TRY(tl_arena_take(reader->arena, 1, sizeof(yaml_anchor), &memory));
  *anchor = *at = memory;
  return tl_arena_text(reader->arena, (const char *)name, strlen((const char *)name),
                       &(*anchor)->name);
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static talus_status read_node(yaml_reader *reader, const yaml_event_t *event, int depth,
                              tl_node **result);

static talus_status new_node(yaml_reader *reader, const yaml_mark_t *mark, int depth,
                             tl_node **result) {
  void *memory = NULL;
  if (depth > MAX_DEPTH) {
    return refuse(reader, mark, "nested more than 32 deep");
  }
  if (++reader->count > MAX_NODES) {
    return refuse(reader, mark, "the document unfolds into more than a million values");
  }
  TL_TRY(tl_arena_take(reader->arena, 1, sizeof(tl_node), &memory));
  *result = memory;
  **result = place_of(reader, mark);
  (*result)->column = reader->with_place ? (*result)->column : 0;
  return TALUS_OK;
}

static void append(tl_node *parent, tl_node *child) {
  if (parent->last != NULL) {
    parent->last->next = child;
  } else {
    parent->first = child;
  }
  parent->last = child;
  parent->count++;
}

/* A copy of what an alias names: --set may change one and not the other. */
static talus_status copy_node(yaml_reader *reader, const yaml_mark_t *mark, const tl_node *from,
                              int depth, tl_node **result) {
  TL_TRY(new_node(reader, mark, depth, result));
  tl_node *const node = *result;
  *node = *from;
  node->key = node->first = node->last = node->next = NULL;
  node->count = 0;
  for (const tl_node *child = from->first; child != NULL; child = child->next) {
    tl_node *copy = NULL;
    TL_TRY(copy_node(reader, mark, child, depth + 1, &copy));
    if (child->key != NULL) {
      TL_TRY(copy_node(reader, mark, child->key, depth + 1, &copy->key));
    }
    append(node, copy);
  }
  return TALUS_OK;
}

static talus_status read_alias(yaml_reader *reader, const yaml_event_t *event, int depth,
                               tl_node **result) {
  const yaml_anchor *const anchor = *anchor_find(reader, (const char *)event->data.alias.anchor);
  if (anchor == NULL || anchor->node == NULL) {
    return refuse(reader, &event->start_mark,
                  anchor == NULL ? "this alias (*) names no anchor (&)" : "an alias inside itself");
  }
  return copy_node(reader, &event->start_mark, anchor->node, depth, result);
}

static talus_status read_scalar(yaml_reader *reader, const yaml_event_t *event, tl_node *node) {
  const char *text = (const char *)event->data.scalar.value;
  const size_t length = event->data.scalar.length;
  if (memchr(text, 0, length) != NULL) {
    return refuse(reader, &event->start_mark, "a text with a zero byte");
  }
  node->kind = TL_NODE_SCALAR;
  node->plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
  return tl_arena_text(reader->arena, text, length, &node->text);
}

/* The next child of a list or map; *child is NULL at its end. */
static talus_status read_child(yaml_reader *reader, int depth, tl_node **child) {
  yaml_event_t event;
  *child = NULL;
  TL_TRY(next_event(reader, &event));
  const bool end = event.type == YAML_SEQUENCE_END_EVENT || event.type == YAML_MAPPING_END_EVENT;
  const talus_status status = end ? TALUS_OK : read_node(reader, &event, depth, child);
  yaml_event_delete(&event);
  return status;
}

static talus_status read_list(yaml_reader *reader, int depth, tl_node *node) {
  node->kind = TL_NODE_LIST;
  for (tl_node *child = NULL;;) {
    TL_TRY(read_child(reader, depth + 1, &child));
    if (child == NULL) {
      return TALUS_OK;
    }
    append(node, child);
  }
}

static talus_status check_keys(yaml_reader *reader, const tl_node *map) {
  tl_names names;
  int32_t index = 0;
  TL_TRY(tl_names_begin(reader->arena, map->count, &names));
  for (const tl_node *child = map->first; child != NULL; child = child->next) {
    tl_names_add(&names, child->key->text, index++);
  }
  const int32_t repeated = tl_names_sort(&names);
  if (repeated < 0) {
    return TALUS_OK;
  }
  const tl_node *child = map->first;
  for (int32_t i = 0; i < repeated; i++) {
    child = child->next;
  }
  return tl_node_fail(reader->arena->context, child->key,
                      "the key '%.60s' stands here for the second time (first in line %d)",
                      child->key->text, (int)tl_tree_find(map, child->key->text)->key->line);
}

static talus_status read_map(yaml_reader *reader, int depth, tl_node *node) {
  node->kind = TL_NODE_MAP;
  for (tl_node *key = NULL, *value = NULL;;) {
    TL_TRY(read_child(reader, depth + 1, &key));
    if (key == NULL) {
      return check_keys(reader, node);
    }
    if (key->kind != TL_NODE_SCALAR) {
      return tl_node_fail(reader->arena->context, key, "a key has to be a word");
    }
    TL_TRY(read_child(reader, depth + 1, &value));
    value->key = key;
    append(node, value);
  }
}

/* A node from its first event on. */
static talus_status read_node(yaml_reader *reader, const yaml_event_t *event, int depth,
                              tl_node **result) {
  const yaml_mark_t *const mark = &event->start_mark;
  const yaml_char_t *const name =
      event->type == YAML_SCALAR_EVENT           ? event->data.scalar.anchor
      : event->type == YAML_SEQUENCE_START_EVENT ? event->data.sequence_start.anchor
      : event->type == YAML_MAPPING_START_EVENT  ? event->data.mapping_start.anchor
                                                 : NULL;
  yaml_anchor *anchor;
  if (event->type == YAML_ALIAS_EVENT) {
    return read_alias(reader, event, depth, result);
  }
  TL_TRY(new_node(reader, mark, depth, result));
  TL_TRY(anchor_add(reader, mark, name, &anchor));
  TL_TRY(event->type == YAML_SCALAR_EVENT           ? read_scalar(reader, event, *result)
         : event->type == YAML_SEQUENCE_START_EVENT ? read_list(reader, depth, *result)
                                                    : read_map(reader, depth, *result));
  if (anchor != NULL) {
    anchor->node = *result;
  }
  return TALUS_OK;
}

/* ---- the document ---------------------------------------------------------------------------- */

/* Reads on to the first node of a document; NULL behind the last document. */
static talus_status read_document(yaml_reader *reader, tl_node **root) {
  *root = NULL;
  for (;;) {
    yaml_event_t event;
    TL_TRY(next_event(reader, &event));
    const yaml_event_type_t type = event.type;
    const bool node = type == YAML_SCALAR_EVENT || type == YAML_SEQUENCE_START_EVENT ||
                      type == YAML_MAPPING_START_EVENT || type == YAML_ALIAS_EVENT;
    const talus_status status = node ? read_node(reader, &event, 0, root) : TALUS_OK;
    yaml_event_delete(&event);
    if (node || type == YAML_STREAM_END_EVENT || type == YAML_NO_EVENT) {
      return status;
    }
  }
}

/* Nothing may follow: it would be passed over silently. */
static talus_status check_end(yaml_reader *reader) {
  tl_node *second = NULL;
  TL_TRY(read_document(reader, &second));
  return second == NULL ? TALUS_OK
                        : tl_node_fail(reader->arena->context, second,
                                       "a second document (---) begins here: one scene per file");
}

static talus_status parse(tl_arena *arena, const char *source, const char *text, size_t length,
                          int with_place, tl_node **root) {
  yaml_reader reader = {.arena = arena, .source = source, .with_place = with_place};
  *root = NULL;
  if (!yaml_parser_initialize(&reader.parser)) {
    return tl_fail(arena->context, TALUS_OUT_OF_MEMORY, "%s: no memory for the YAML parser",
                   source);
  }
  yaml_parser_set_encoding(&reader.parser, YAML_UTF8_ENCODING);
  yaml_parser_set_input_string(&reader.parser, (const unsigned char *)text, length);
  talus_status status = read_document(&reader, root);
  if (status == TALUS_OK && *root == NULL) {
    const yaml_mark_t begin = {0};
    status = new_node(&reader, &begin, 0, root);
    if (status == TALUS_OK) {
      (*root)->kind = TL_NODE_MAP;
    }
  } else if (status == TALUS_OK) {
    status = check_end(&reader);
  }
  yaml_parser_delete(&reader.parser);
  return status;
}

talus_status tl_tree_parse(tl_arena *arena, const char *source, const char *text, size_t length,
                           tl_node **root) {
  return parse(arena, source, text, length, 0, root);
}

talus_status tl_tree_read(tl_arena *arena, const char *path, tl_node **root) {
  const char *source = NULL;
  TL_TRY(tl_arena_text(arena, path, strlen(path), &source));
  tl_text text;
  talus_status status = tl_text_open(arena->context, path, &text);
  if (status == TALUS_OK) {
    status = parse(arena, source, text.memory, text.size, 1, root);
  }
  tl_text_close(&text);
  return status;
}

#else

talus_status tl_tree_parse(tl_arena *arena, const char *source, const char *text, size_t length,
                           tl_node **root) {
  (void)text;
  (void)length;
  *root = NULL;
  return tl_fail(arena->context, TALUS_UNSUPPORTED,
                 "%s: this build of Talus reads no scenes (libyaml was not there)", source);
}

talus_status tl_tree_read(tl_arena *arena, const char *path, tl_node **root) {
  return tl_tree_parse(arena, path, NULL, 0, root);
}

#endif
