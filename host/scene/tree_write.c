/* tree_write.c: a tree as YAML text that reads as the same tree: of a scene that overrides changed.
 *
 * Maps and lists are written line by line, lists of scalars in brackets. What was quoted stays so,
 * since quotes tell a text from a number. */
#include <string.h>

#include "host/scene/tree.h"

/* The letter that begins at text, in UTF-8; its bytes, 0 if none begins here. */
static int letter_read(const char *text, uint32_t *letter) {
  static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
  const unsigned char *const c = (const unsigned char *)text;
  const int length = c[0] < 0x80             ? 1
                     : (c[0] & 0xe0) == 0xc0 ? 2
                     : (c[0] & 0xf0) == 0xe0 ? 3
                     : (c[0] & 0xf8) == 0xf0 ? 4
                                             : 0;
  uint32_t found = length < 2 ? c[0] : c[0] & (0x7fu >> length);
  for (int i = 1; i < length; i++) {
    if ((c[i] & 0xc0) != 0x80) { /* the end of the text, too */
      return 0;
    }
    found = found << 6 | (c[i] & 0x3f);
  }
  *letter = found;
  const bool surrogate = found >= 0xd800 && found < 0xe000;
  return found < least[length] || found > 0x10ffff || surrogate ? 0 : length;
}

bool tl_tree_text_fits(const char *text) {
  uint32_t letter;
  for (int length; *text != '\0'; text += length) {
    length = letter_read(text, &letter);
    if (length == 0) {
      return false;
    }
  }
  return true;
}

/* Letters that a reader of YAML refuses, or takes for the end of a line. */
static bool is_control(uint32_t letter) {
  return letter < 0x20 || (letter >= 0x7f && letter < 0xa0) || letter == 0x2028 ||
         letter == 0x2029 || letter == 0xfeff || letter == 0xfffe || letter == 0xffff;
}

static void write_escaped(FILE *stream, uint32_t letter) {
  switch (letter) {
  case 0x85:
    fputs("\\N", stream);
    break;
  case 0x2028:
    fputs("\\L", stream);
    break;
  case 0x2029:
    fputs("\\P", stream);
    break;
  default:
    fprintf(stream, letter < 0x100 ? "\\x%02x" : "\\u%04x", (unsigned)letter);
  }
}

/* A byte that belongs to no letter becomes one, so that the whole can be read. */
static void write_quoted(FILE *stream, const char *text) {
  fputc('"', stream);
  for (int length; *text != '\0'; text += length > 0 ? length : 1) {
    uint32_t letter = (unsigned char)*text;
    length = letter_read(text, &letter);
    if (letter == '"' || letter == '\\') {
      fprintf(stream, "\\%c", (int)letter);
    } else if (length == 0) {
      write_escaped(stream, (unsigned char)*text);
    } else if (is_control(letter)) {
      write_escaped(stream, letter);
    } else {
      fwrite(text, 1, (size_t)length, stream);
    }
  }
  fputc('"', stream);
}

static bool has_control(const char *text) {
  bool found = false;
  for (int length; *text != '\0' && !found; text += length) {
    uint32_t letter;
    length = letter_read(text, &letter);
    found = length == 0 || is_control(letter);
  }
  return found;
}

void tl_tree_comment(FILE *stream, const char *before, const char *text, const char *after) {
  fputs(before, stream);
  for (int length; *text != '\0'; text += length > 0 ? length : 1) {
    uint32_t letter;
    length = letter_read(text, &letter);
    if (length == 0) {
      fputc('?', stream);
    } else if (is_control(letter)) {
      fputc(' ', stream);
    } else {
      fwrite(text, 1, (size_t)length, stream);
    }
  }
  fputs(after, stream);
}

static void write_scalar(FILE *stream, const tl_node *node) {
  if (node->plain && !has_control(node->text)) {
    fputs(node->text, stream);
  } else {
    write_quoted(stream, node->text);
  }
}

/* Keys are words nearly always; any other text is one between quotes. */
static void write_key(FILE *stream, const char *key) {
  static const char word[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  if (key[0] != '\0' && strspn(key, word) == strlen(key)) {
    fputs(key, stream);
  } else {
    write_quoted(stream, key);
  }
}

/* Whether a list fits between brackets: of scalars that mean the same there. */
static bool is_row(const tl_node *list) {
  bool row = list->kind == TL_NODE_LIST;
  for (const tl_node *item = list->first; item != NULL && row; item = item->next) {
    row = item->kind == TL_NODE_SCALAR &&
          (!item->plain || (item->text[0] != '\0' && strpbrk(item->text, ",[]{}") == NULL));
  }
  return row;
}

static void write_row(FILE *stream, const tl_node *list) {
  fputc('[', stream);
  for (const tl_node *item = list->first; item != NULL; item = item->next) {
    fputs(item != list->first ? ", " : "", stream);
    write_scalar(stream, item);
  }
  fputs("]\n", stream);
}

static void write_node(FILE *stream, const tl_node *node, int indent);

/* What stands behind "key:" or "-". */
static void write_value(FILE *stream, const tl_node *node, int indent) {
  if (node->kind == TL_NODE_SCALAR) {
    fputs(node->plain && node->text[0] == '\0' ? "" : " ", stream);
    write_scalar(stream, node);
    fputc('\n', stream);
  } else if (node->count == 0) {
    fputs(node->kind == TL_NODE_MAP ? " {}\n" : " []\n", stream);
  } else if (is_row(node)) {
    fputc(' ', stream);
    write_row(stream, node);
  } else {
    fputc('\n', stream);
    write_node(stream, node, indent + 2);
  }
}

static void write_node(FILE *stream, const tl_node *node, int indent) {
  for (const tl_node *child = node->first; child != NULL; child = child->next) {
    fprintf(stream, "%*s", indent, "");
    if (node->kind == TL_NODE_MAP) {
      write_key(stream, child->key->text);
      fputc(':', stream);
    } else {
      fputc('-', stream);
    }
    write_value(stream, child, indent);
  }
}

void tl_tree_write(FILE *stream, const tl_node *root) {
  write_node(stream, root, 0);
}

/* ---- how two differ -------------------------------------------------------------------------- */

static void words_of(const tl_node *node, char *text, size_t capacity) {
  snprintf(text, capacity, "%.40s",
           node == NULL                   ? "not given"
           : node->kind != TL_NODE_SCALAR ? "something else"
           : node->text[0] == '\0'        ? "empty"
                                          : node->text);
}

static const tl_node *item_at(const tl_node *list, const tl_node *like, const tl_node *parent) {
  if (parent->kind == TL_NODE_MAP) {
    return tl_tree_find(list, like->key->text);
  }
  const tl_node *item = list->first;
  for (const tl_node *at = parent->first; at != like && item != NULL; at = at->next) {
    item = item->next;
  }
  return item;
}

/* Follows the first child of one side that the other has not, or has otherwise. */
static bool follow(const tl_node *a, const tl_node *b, tl_tree_difference *found) {
  int32_t index = 0;
  for (const tl_node *child = a->first; child != NULL; child = child->next, index++) {
    const tl_node *const other = item_at(b, child, a);
    const size_t used = strlen(found->path);
    if (other != NULL && tl_tree_hash(child, TL_HASH_START) == tl_tree_hash(other, TL_HASH_START)) {
      continue;
    }
    if (a->kind == TL_NODE_MAP) {
      snprintf(found->path + used, sizeof found->path - used, "%s%.60s", used > 0 ? "." : "",
               child->key->text);
    } else {
      snprintf(found->path + used, sizeof found->path - used, "[%d]", (int)index);
    }
    if (other == NULL || !tl_tree_differs(child, other, found)) {
      words_of(child, found->a, sizeof found->a);
      words_of(other, found->b, sizeof found->b);
    }
    return true;
  }
  return false;
}

bool tl_tree_differs(const tl_node *a, const tl_node *b, tl_tree_difference *found) {
  if (a->kind != b->kind || a->kind == TL_NODE_SCALAR) {
    return false;
  }
  if (follow(a, b, found)) {
    return true;
  }
  tl_tree_difference turned = *found;
  const bool differs = follow(b, a, &turned);
  memcpy(found->path, turned.path, sizeof found->path);
  memcpy(found->a, turned.b, sizeof found->a);
  memcpy(found->b, turned.a, sizeof found->b);
  return differs;
}
