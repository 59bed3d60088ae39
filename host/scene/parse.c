/* parse.c: a map of the document into the struct of its table.
 *
 * Unknown keys are refused before anything is read, with the nearest key that exists; a key of
 * another kind is told from an unknown one. Rows are read in the table's order, so that units and
 * the world's plane are known before the first length. */
#include <stdio.h>
#include <string.h>

#include "host/base/words.h"
#include "host/scene/schema.h"

enum { PATH = 160 };

bool tl_key_belongs(const tl_key *key, int32_t kind) {
  return key->kinds == 0 || (kind >= 0 && (key->kinds >> kind & 1u) != 0);
}

/* "world." for keys of the section world, "" for the root's. */
static const char *prefix_of(const char *where, char *prefix, size_t capacity) {
  snprintf(prefix, capacity, "%s%s", where, where[0] != '\0' ? "." : "");
  return prefix;
}

/* A default as a node: lists are written with blanks between. */
static talus_status default_node(tl_parse *parse, const tl_key *key, tl_node **node) {
  const bool listed = key->type == TL_KEY_PAIR || key->type == TL_KEY_VECTOR ||
                      key->type == TL_KEY_TURN || key->type == TL_KEY_SET;
  void *memory = NULL;
  TL_TRY(tl_arena_take(parse->arena, 9, sizeof(tl_node), &memory));
  tl_node *nodes = memory;
  *node = nodes;
  nodes[0].source = "default";
  nodes[0].kind = listed ? TL_NODE_LIST : TL_NODE_SCALAR;
  nodes[0].text = key->initial;
  nodes[0].plain = 1;
  const char *rest = key->initial;
  char word[64];
  while (listed && (rest = tl_words_next(rest, ' ', word, sizeof word)) != NULL) {
    tl_node *item = &nodes[1 + nodes[0].count];
    TL_TRY(tl_arena_text(parse->arena, word, strlen(word), &item->text));
    item->source = "default";
    item->plain = 1;
    if (nodes[0].count++ > 0) {
      item[-1].next = item;
    } else {
      nodes[0].first = item;
    }
  }
  return TALUS_OK;
}

/* The kind that a map chooses; -1 if the table has no selector or the choice is missing. */
static talus_status choose_kind(tl_parse *parse, const tl_section *table, const tl_node *node,
                                const char *where, int32_t *kind) {
  char prefix[PATH];
  *kind = -1;
  for (int32_t i = 0; table->selector != NULL && i < table->count; i++) {
    const tl_key *key = &table->key[i];
    if (strcmp(key->name, table->selector) != 0) {
      continue;
    }
    const tl_node *chosen = tl_tree_find(node, key->name);
    if (chosen != NULL) {
      return tl_parse_value(parse, key, chosen, prefix_of(where, prefix, sizeof prefix), kind);
    }
    if (key->initial != NULL) {
      tl_node *initial = NULL;
      TL_TRY(default_node(parse, key, &initial));
      return tl_parse_value(parse, key, initial, prefix_of(where, prefix, sizeof prefix), kind);
    }
    if (node != NULL) {
      return tl_node_fail(parse->context, node, "%s needs the key '%s': one of %s",
                          where[0] != '\0' ? where : "the file", key->name, key->words);
    }
  }
  return TALUS_OK;
}

/* Collects the names that may stand in a map, tables included; notes if `name` is one of another
 * kind. */
typedef struct key_search {
  const char *name;
  int found;
  const tl_key *elsewhere; /* the key exists, but for other kinds of this table: */
  const tl_section *elsewhere_table;
  char names[1024];
} key_search;

static talus_status search_keys(tl_parse *parse, const tl_section *table, const tl_node *node,
                                const char *where, key_search *search) {
  int32_t kind;
  TL_TRY(choose_kind(parse, table, node, where, &kind));
  for (int32_t i = 0; i < table->count; i++) {
    const tl_key *key = &table->key[i];
    if (key->type == TL_KEY_INCLUDE) {
      if (tl_key_belongs(key, kind)) {
        TL_TRY(search_keys(parse, key->table, node, where, search));
      }
      continue;
    }
    const bool same = strcmp(key->name, search->name) == 0;
    if (!tl_key_belongs(key, kind)) {
      if (same) {
        search->elsewhere = key;
        search->elsewhere_table = table;
      }
      continue;
    }
    search->found |= same;
    const size_t used = strlen(search->names);
    snprintf(search->names + used, sizeof search->names - used, "%s%s", used > 0 ? "|" : "",
             key->name);
  }
  return TALUS_OK;
}

/* "sphere, disk" of the kinds that a key is for. */
static void kinds_text(const tl_section *table, const tl_key *key, char *text, size_t capacity) {
  const char *words = "";
  for (int32_t i = 0; i < table->count; i++) {
    if (strcmp(table->key[i].name, table->selector) == 0) {
      words = table->key[i].words;
    }
  }
  char word[64];
  text[0] = '\0';
  for (int32_t kind = 0; (words = tl_words_next(words, '|', word, sizeof word)) != NULL; kind++) {
    if (key->kinds >> kind & 1u) {
      const size_t used = strlen(text);
      snprintf(text + used, capacity - used, "%s%s", used > 0 ? ", " : "", word);
    }
  }
}

static talus_status check_keys(tl_parse *parse, const tl_section *table, const tl_node *node,
                               const char *where) {
  for (const tl_node *child = node->first; child != NULL; child = child->next) {
    key_search search = {.name = child->key->text};
    TL_TRY(search_keys(parse, table, node, where, &search));
    if (search.found) {
      continue;
    }
    const char *place = where[0] != '\0' ? where : "the file";
    char near[64], kinds[200];
    if (search.elsewhere != NULL) {
      kinds_text(search.elsewhere_table, search.elsewhere, kinds, sizeof kinds);
      return tl_node_fail(parse->context, child->key, "the key '%s' in %s is only for %s: %s",
                          search.name, place, search.elsewhere_table->selector, kinds);
    }
    if (tl_words_nearest(search.name, search.names, near, sizeof near) != NULL) {
      return tl_node_fail(parse->context, child->key,
                          "unknown key '%.60s' in %s (did you mean %s?)", search.name, place, near);
    }
    return tl_node_fail(parse->context, child->key, "unknown key '%.60s' in %s (there are: %s)",
                        search.name, place, search.names);
  }
  return TALUS_OK;
}

/* Items of a list (named by place) or of a map (named by key). */
static talus_status parse_items(tl_parse *parse, const tl_key *key, const tl_node *node,
                                const char *where, tl_list *list) {
  char prefix[PATH], below[PATH];
  prefix_of(where, prefix, sizeof prefix);
  const bool named = key->type == TL_KEY_MAP;
  const bool single = !named && node->kind == TL_NODE_MAP; /* a list of one without the dash */
  if (named ? node->kind != TL_NODE_MAP : node->kind == TL_NODE_SCALAR) {
    return tl_node_fail(parse->context, node, "%s%s wants a %s", prefix, key->name,
                        named ? "map: name, then keys"
                              : "list of maps: lines that start with '- '");
  }
  void *memory = NULL;
  list->count = single ? 1 : node->count;
  TL_TRY(tl_arena_take(parse->arena, (size_t)list->count, key->table->size, &memory));
  list->item = memory;
  const tl_node *child = single ? node : node->first;
  for (int32_t i = 0; i < list->count; i++, child = child->next) {
    tl_item *item = (tl_item *)((char *)list->item + key->table->size * (size_t)i);
    if (named) {
      item->name = child->key->text;
      snprintf(below, sizeof below, "%.70s%.40s.%.40s", prefix, key->name, child->key->text);
    } else {
      snprintf(below, sizeof below, "%.100s%.40s[%d]", prefix, key->name, (int)i);
    }
    TL_TRY(tl_parse_table(parse, key->table, child, below, item));
  }
  return TALUS_OK;
}

static talus_status fill_rows(tl_parse *parse, const tl_section *table, const tl_node *node,
                              const char *where, void *target);

static talus_status parse_key(tl_parse *parse, const tl_key *key, const tl_node *child,
                              const char *where, void *field) {
  char prefix[PATH], below[PATH];
  prefix_of(where, prefix, sizeof prefix);
  if (key->type == TL_KEY_SECTION) {
    snprintf(below, sizeof below, "%.100s%.50s", prefix, key->name);
    return tl_tree_blank(child) ? fill_rows(parse, key->table, NULL, below, field)
                                : tl_parse_table(parse, key->table, child, below, field);
  }
  if (key->type == TL_KEY_LIST || key->type == TL_KEY_MAP) {
    return tl_tree_blank(child) ? TALUS_OK : parse_items(parse, key, child, where, field);
  }
  if (child != NULL) {
    return tl_parse_value(parse, key, child, prefix, field);
  }
  if (key->initial == NULL || key->initial[0] == '\0') {
    return TALUS_OK;
  }
  /* Defaults are in SI whatever bare numbers are in. */
  tl_parse plain = *parse;
  for (int i = 0; i < TL_BASE_COUNT; i++) {
    plain.base[i] = 1;
  }
  tl_node *initial = NULL;
  TL_TRY(default_node(parse, key, &initial));
  return tl_parse_value(&plain, key, initial, prefix, field);
}

/* What bare numbers are in, once the section `units` is known. */
static talus_status take_units(tl_parse *parse, const tl_scene_units *units) {
  static const char *const names[] = {"length", "mass", "time", "angle"};
  for (int i = 0; i < TL_BASE_COUNT; i++) {
    tl_dimension dimension, expected = {{0}};
    char unknown[64];
    expected.power[i] = 1;
    if (!tl_unit_parse(units->base[i], &parse->base[i], &dimension, unknown, sizeof unknown) ||
        memcmp(&dimension, &expected, sizeof expected) != 0) {
      return tl_node_fail(parse->context, tl_tree_find(units->item.node, names[i]),
                          "units.%s: '%.40s' is not a unit of %s", names[i], units->base[i],
                          names[i]);
    }
  }
  return TALUS_OK;
}

static talus_status fill_rows(tl_parse *parse, const tl_section *table, const tl_node *node,
                              const char *where, void *target) {
  tl_item *item = target;
  item->node = node;
  int32_t kind;
  TL_TRY(choose_kind(parse, table, node, where, &kind));
  for (int32_t i = 0; i < table->count; i++) {
    const tl_key *key = &table->key[i];
    void *field = (char *)target + key->offset;
    if (key->type == TL_KEY_INCLUDE) { /* keys of other kinds have their defaults */
      const tl_node *const from = tl_key_belongs(key, kind) ? node : NULL;
      TL_TRY(fill_rows(parse, key->table, from, where, field));
      continue;
    }
    if (!tl_key_belongs(key, kind)) {
      continue;
    }
    const tl_node *child = tl_tree_find(node, key->name);
    item->given |= child != NULL ? UINT64_C(1) << i : 0;
    if (child == NULL && key->initial == NULL && node != NULL) {
      return tl_node_fail(parse->context, node, "%s lacks the key '%s'%s%s",
                          where[0] != '\0' ? where : "the file", key->name,
                          key->note != NULL ? ": " : "", key->note != NULL ? key->note : "");
    }
    TL_TRY(parse_key(parse, key, child, where, field));
    if (key->table == &tl_schema_units) {
      TL_TRY(take_units(parse, field));
    } else if (table == &tl_schema_world && key->offset == offsetof(tl_scene_world, plane)) {
      parse->plane = *(int32_t *)field; /* the first row: gravity is a vector already */
    }
  }
  return TALUS_OK;
}

talus_status tl_parse_table(tl_parse *parse, const tl_section *table, const tl_node *node,
                            const char *where, void *target) {
  if (node->kind != TL_NODE_MAP) {
    return tl_node_fail(parse->context, node, "%s wants keys with values, not %s",
                        where[0] != '\0' ? where : "the file",
                        node->kind == TL_NODE_LIST ? "a list" : "a single value");
  }
  TL_TRY(check_keys(parse, table, node, where));
  return fill_rows(parse, table, node, where, target);
}
