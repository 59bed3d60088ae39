/* tree_yaml.c: libyaml's document to our tree. The only file that knows libyaml.
 *
 * Hostile documents: aliases can unfold without end, so that nodes and depth are counted; keys
 * written twice are refused, because one of them would be lost. */
#include <stdio.h>
#include <string.h>

#include "host/io/text_file.h"
#include "host/scene/tree.h"

#if TL_HAVE_YAML
#include <yaml.h>

enum { MAX_NODES = 1000000, MAX_DEPTH = 32 };

typedef struct yaml_reader {
  tl_arena *arena;
  const char *source;
  yaml_document_t *document;
  int32_t with_place; /* 0: text of --set, whose lines mean nothing */
  int32_t count;
} yaml_reader;

static talus_status copy_node(yaml_reader *reader, int index, int depth, tl_node **result);

static talus_status refuse(yaml_reader *reader, const yaml_node_t *from, const char *words) {
  const tl_node at = {.source = reader->source,
                      .line = reader->with_place ? (int32_t)from->start_mark.line + 1 : 0,
                      .column = (int32_t)from->start_mark.column + 1};
  return tl_node_fail(reader->arena->context, &at, "%s", words);
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

static talus_status copy_scalar(yaml_reader *reader, const yaml_node_t *from, tl_node *node) {
  const char *text = (const char *)from->data.scalar.value;
  const size_t length = from->data.scalar.length;
  if (memchr(text, 0, length) != NULL) {
    return refuse(reader, from, "a text with a zero byte");
  }
  node->kind = TL_NODE_SCALAR;
  node->plain = from->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
  return tl_arena_text(reader->arena, text, length, &node->text);
}

static talus_status copy_list(yaml_reader *reader, const yaml_node_t *from, int depth,
                              tl_node *node) {
  node->kind = TL_NODE_LIST;
  for (const yaml_node_item_t *item = from->data.sequence.items.start;
       item < from->data.sequence.items.top; item++) {
    tl_node *child = NULL;
    TL_TRY(copy_node(reader, *item, depth + 1, &child));
    append(node, child);
  }
  return TALUS_OK;
}

static talus_status copy_map(yaml_reader *reader, const yaml_node_t *from, int depth,
                             tl_node *node) {
  node->kind = TL_NODE_MAP;
  for (const yaml_node_pair_t *pair = from->data.mapping.pairs.start;
       pair < from->data.mapping.pairs.top; pair++) {
    tl_node *key = NULL, *value = NULL;
    TL_TRY(copy_node(reader, pair->key, depth + 1, &key));
    if (key->kind != TL_NODE_SCALAR) {
      return tl_node_fail(reader->arena->context, key, "a key has to be a word");
    }
    const tl_node *before = tl_tree_find(node, key->text);
    if (before != NULL) {
      return tl_node_fail(reader->arena->context, key,
                          "the key '%s' stands here for the second time (first in line %d)",
                          key->text, (int)before->key->line);
    }
    TL_TRY(copy_node(reader, pair->value, depth + 1, &value));
    value->key = key;
    append(node, value);
  }
  return TALUS_OK;
}

static talus_status copy_node(yaml_reader *reader, int index, int depth, tl_node **result) {
  const yaml_node_t *from = yaml_document_get_node(reader->document, index);
  if (depth > MAX_DEPTH) {
    return refuse(reader, from, "nested too deeply (or an alias inside itself)");
  }
  if (++reader->count > MAX_NODES) {
    return refuse(reader, from, "the document unfolds into more than a million values");
  }
  void *memory = NULL;
  TL_TRY(tl_arena_take(reader->arena, 1, sizeof(tl_node), &memory));
  tl_node *node = *result = memory;
  node->source = reader->source;
  if (reader->with_place) {
    node->line = (int32_t)from->start_mark.line + 1;
    node->column = (int32_t)from->start_mark.column + 1;
  }
  switch (from->type) {
  case YAML_SCALAR_NODE:
    return copy_scalar(reader, from, node);
  case YAML_SEQUENCE_NODE:
    return copy_list(reader, from, depth, node);
  case YAML_MAPPING_NODE:
    return copy_map(reader, from, depth, node);
  default:
    return refuse(reader, from, "an empty node");
  }
}

static talus_status parse(tl_arena *arena, const char *source, const char *text, size_t length,
                          int with_place, tl_node **root) {
  yaml_parser_t parser;
  yaml_document_t document;
  *root = NULL;
  if (!yaml_parser_initialize(&parser)) {
    return tl_fail(arena->context, TALUS_OUT_OF_MEMORY, "%s: no memory for the YAML parser",
                   source);
  }
  yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
  yaml_parser_set_input_string(&parser, (const unsigned char *)text, length);
  if (!yaml_parser_load(&parser, &document)) {
    const yaml_mark_t *mark =
        parser.error == YAML_READER_ERROR ? &parser.mark : &parser.problem_mark;
    const tl_node at = {.source = source,
                        .line = with_place ? (int32_t)mark->line + 1 : 0,
                        .column = (int32_t)mark->column + 1};
    const talus_status status =
        parser.error == YAML_MEMORY_ERROR
            ? tl_fail(arena->context, TALUS_OUT_OF_MEMORY, "%s: no memory to read it", source)
            : tl_node_fail(arena->context, &at, "not YAML: %s%s%s",
                           parser.problem != NULL ? parser.problem : "unreadable",
                           parser.context != NULL ? " " : "",
                           parser.context != NULL ? parser.context : "");
    yaml_parser_delete(&parser);
    return status;
  }
  talus_status status = TALUS_OK;
  yaml_reader reader = {arena, source, &document, with_place, 0};
  if (yaml_document_get_root_node(&document) == NULL) {
    void *memory = NULL;
    status = tl_arena_take(arena, 1, sizeof(tl_node), &memory);
    if (status == TALUS_OK) {
      *root = memory;
      (*root)->kind = TL_NODE_MAP;
      (*root)->source = source;
      (*root)->line = (*root)->column = with_place;
    }
  } else {
    status = copy_node(&reader, 1, 0, root);
  }
  yaml_document_delete(&document);
  if (status == TALUS_OK && with_place) {
    /* A second document would be passed over silently. */
    if (yaml_parser_load(&parser, &document)) {
      const yaml_node_t *second = yaml_document_get_root_node(&document);
      if (second != NULL) {
        status = refuse(&reader, second, "a second document (---) begins here: one scene per file");
      }
      yaml_document_delete(&document);
    }
  }
  yaml_parser_delete(&parser);
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
