/* urdf_xml.c: an XML file as a tree of elements that know their lines. The only file that knows
 * expat. Texts between elements mean nothing in URDF and are passed over; documents too large or
 * too deep are refused, and expat itself refuses entities that unfold without end. */
#include <stdio.h>
#include <string.h>

#include "host/io/text_file.h"
#include "host/scene/urdf.h"

const tl_xml *tl_xml_child(const tl_xml *node, const char *name) {
  const tl_xml *child = node != NULL ? node->first : NULL;
  while (child != NULL && strcmp(child->name, name) != 0) {
    child = child->next;
  }
  return child;
}

const char *tl_xml_attribute(const tl_xml *node, const char *name) {
  for (const char **at = node->attribute; at[0] != NULL; at += 2) {
    if (strcmp(at[0], name) == 0) {
      return at[1];
    }
  }
  return NULL;
}

#if TL_HAVE_EXPAT
#include <expat.h>

enum { MAX_ELEMENTS = 1000000, MAX_DEPTH = 64 };

typedef struct xml_reader {
  tl_arena *arena;
  XML_Parser parser;
  tl_xml *root, *at;
  int32_t count, depth;
  talus_status status; /* of what went wrong in a handler */
  const char *words;
} xml_reader;

static void stop(xml_reader *reader, talus_status status, const char *words) {
  if (reader->status == TALUS_OK) {
    reader->status = status;
    reader->words = words;
  }
  XML_StopParser(reader->parser, XML_FALSE);
}

static talus_status element_make(xml_reader *reader, const char *name, const char **attribute,
                                 tl_xml **result) {
  void *memory;
  size_t words = 0;
  TL_TRY(tl_arena_take(reader->arena, 1, sizeof(tl_xml), &memory));
  tl_xml *const made = memory;
  while (attribute[words] != NULL) {
    words++;
  }
  TL_TRY(tl_arena_text(reader->arena, name, strlen(name), &made->name));
  TL_TRY(tl_arena_take(reader->arena, words + 1, sizeof *made->attribute, &memory));
  made->attribute = memory;
  for (size_t i = 0; i < words; i++) {
    TL_TRY(tl_arena_text(reader->arena, attribute[i], strlen(attribute[i]), &made->attribute[i]));
  }
  made->line = (int32_t)XML_GetCurrentLineNumber(reader->parser);
  *result = made;
  return TALUS_OK;
}

static void element_begin(void *user, const char *name, const char **attribute) {
  xml_reader *const reader = user;
  tl_xml *made;
  if (reader->status != TALUS_OK) {
    return;
  }
  if (++reader->count > MAX_ELEMENTS || ++reader->depth > MAX_DEPTH) {
    stop(reader, TALUS_FILE_FORMAT, "too many elements, or too deep");
    return;
  }
  const talus_status status = element_make(reader, name, attribute, &made);
  if (status != TALUS_OK) {
    stop(reader, status, NULL);
    return;
  }
  made->parent = reader->at;
  if (reader->at == NULL) {
    reader->root = made;
  } else if (reader->at->last != NULL) {
    reader->at->last->next = made;
    reader->at->last = made;
  } else {
    reader->at->first = reader->at->last = made;
  }
  reader->at = made;
}

static void element_end(void *user, const char *name) {
  xml_reader *const reader = user;
  (void)name;
  if (reader->status == TALUS_OK) {
    reader->at = reader->at->parent;
    reader->depth--;
  }
}

static talus_status text_parse(xml_reader *reader, const char *path, const char *text,
                               size_t length) {
  talus_context *const context = reader->arena->context;
  XML_SetUserData(reader->parser, reader);
  XML_SetElementHandler(reader->parser, element_begin, element_end);
  const enum XML_Status parsed = XML_Parse(reader->parser, text, (int)length, 1);
  const int line = (int)XML_GetCurrentLineNumber(reader->parser);
  if (reader->status != TALUS_OK && reader->words == NULL) {
    return reader->status; /* memory: the message is there */
  }
  if (reader->status != TALUS_OK || parsed != XML_STATUS_OK) {
    return tl_fail(context, TALUS_FILE_FORMAT, "%s:%d: %s", path, line,
                   reader->words != NULL ? reader->words
                                         : XML_ErrorString(XML_GetErrorCode(reader->parser)));
  }
  return TALUS_OK;
}

talus_status tl_xml_read(tl_arena *arena, const char *path, tl_xml **root) {
  talus_context *const context = arena->context;
  xml_reader reader = {.arena = arena};
  tl_text text;
  *root = NULL;
  talus_status status = tl_text_open(context, path, &text);
  if (status == TALUS_OK && text.size > INT32_MAX) {
    status = tl_fail(context, TALUS_FILE_FORMAT, "%s: too large for a robot", path);
  }
  if (status == TALUS_OK) {
    reader.parser = XML_ParserCreate(NULL);
    status = reader.parser != NULL
                 ? text_parse(&reader, path, text.memory, text.size)
                 : tl_fail(context, TALUS_OUT_OF_MEMORY, "%s: no memory to parse it", path);
    XML_ParserFree(reader.parser);
  }
  tl_text_close(&text);
  *root = reader.root;
  return status;
}

#else

talus_status tl_xml_read(tl_arena *arena, const char *path, tl_xml **root) {
  *root = NULL;
  return tl_fail(arena->context, TALUS_UNSUPPORTED,
                 "%s: this build of Talus has no expat and reads no robots", path);
}

#endif
