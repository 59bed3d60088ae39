/* structs.c: copies public structs between callers of any release and the library; see structs.h.
 *
 * A struct that stands inside another one and can grow (the settings in a world's def) has room
 * there, and a struct_size of its own: it is copied by that, what follows it by the outer size. */
#include "host/base/structs.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* No struct of Talus comes near this; a larger struct_size is a number that was never set. */
enum { SIZE_MOST = 8192, LABEL_SIZE = 96 };

static size_t smaller(size_t a, size_t b) {
  return a < b ? a : b;
}

/* Every public struct begins with it. */
static size_t size_of(const void *given) {
  uint32_t size;
  memcpy(&size, given, sizeof size);
  return size;
}

static void size_set(void *given, size_t size) {
  const uint32_t number = (uint32_t)size;
  memcpy(given, &number, sizeof number);
}

/* ---- one struct ------------------------------------------------------------------------------ */

void tl_struct_init(const tl_struct *type, const void *defaults, void *given, size_t size) {
  if (given == NULL || size < sizeof(uint32_t)) {
    return;
  }
  const size_t known = smaller(size, type->size);
  memcpy(given, defaults, known);
  memset((char *)given + known, 0, size - known);
  size_set(given, size);
}

/* A caller's struct in the words of a message: "problems[3]", "world def.solver". Written out only
 * where something is wrong: a check that passes costs two comparisons. */
typedef struct struct_label {
  const char *name;
  int32_t index;    /* -1: no element of an array */
  const char *part; /* NULL: the struct itself */
} struct_label;

static const char *label_text(const struct_label *label, char text[LABEL_SIZE]) {
  char index[16] = "";
  if (label->index >= 0) {
    snprintf(index, sizeof index, "[%d]", (int)label->index);
  }
  snprintf(text, LABEL_SIZE, "%s%s%s%s", label->name, index, label->part != NULL ? "." : "",
           label->part != NULL ? label->part : "");
  return text;
}

/* `room`: bytes that it may have. */
static talus_status size_check(talus_context *context, const tl_struct *type,
                               const struct_label *label, size_t size, size_t room) {
  char text[LABEL_SIZE];
  if (size >= type->first && size <= room && size % sizeof(void *) == 0) {
    return TALUS_OK;
  }
  return tl_fail(context, TALUS_STRUCT_SIZE,
                 "%s.struct_size is %zu, which is no size of a %s (%zu bytes in Talus %s): fill it "
                 "by %s_default",
                 label_text(label, text), size, type->name, type->size, talus_version(),
                 type->name);
}

/* What this library does not know must not have been set. */
static talus_status surplus_check(talus_context *context, const tl_struct *type,
                                  const struct_label *label, const void *given) {
  const unsigned char *const bytes = given;
  const size_t size = size_of(given);
  char text[LABEL_SIZE];
  for (size_t i = type->size; i < size; i++) {
    if (bytes[i] != 0) {
      return tl_fail(context, TALUS_STRUCT_SIZE,
                     "%s: a member at byte %zu is set, but Talus %s knows the first %zu bytes of a "
                     "%s: the program is of a newer release",
                     label_text(label, text), i, talus_version(), type->size, type->name);
    }
  }
  return TALUS_OK;
}

static const void *part_of(const tl_struct *type, const void *given) {
  return (const char *)given + type->part_offset;
}

static talus_status struct_check(talus_context *context, const tl_struct *type,
                                 const struct_label *label, const void *given) {
  TL_TRY(size_check(context, type, label, size_of(given), SIZE_MOST));
  if (type->part == NULL) {
    return TALUS_OK;
  }
  const struct_label part = {label->name, label->index, type->part_name};
  return size_check(context, type->part, &part, size_of(part_of(type, given)), type->part_room);
}

talus_status tl_struct_check(talus_context *context, const tl_struct *type, const char *label,
                             const void *given) {
  if (given == NULL) {
    return tl_fail(context, TALUS_INVALID_ARGUMENT, "%s is NULL", label);
  }
  return struct_check(context, type, &(struct_label){label, -1, NULL}, given);
}

/* Copies what both sides know from one side's struct to the other's; sizes are the caller's. */
static void known_copy(const tl_struct *type, size_t given_size, size_t part_size, const void *from,
                       void *to) {
  const size_t size = smaller(given_size, type->size);
  if (type->part == NULL) {
    memcpy(to, from, size);
    return;
  }
  const size_t behind = type->part_offset + type->part_room;
  memcpy(to, from, type->part_offset);
  memcpy((char *)to + type->part_offset, (const char *)from + type->part_offset,
         smaller(part_size, type->part->size));
  memcpy((char *)to + behind, (const char *)from + behind, size - behind);
}

static talus_status struct_read(talus_context *context, const tl_struct *type,
                                const struct_label *label, const void *given, void *own) {
  TL_TRY(struct_check(context, type, label, given));
  TL_TRY(surplus_check(context, type, label, given));
  if (type->part == NULL) {
    known_copy(type, size_of(given), 0, given, own);
  } else {
    const struct_label part = {label->name, label->index, type->part_name};
    TL_TRY(surplus_check(context, type->part, &part, part_of(type, given)));
    known_copy(type, size_of(given), size_of(part_of(type, given)), given, own);
    size_set((char *)own + type->part_offset, type->part->size);
  }
  size_set(own, type->size);
  return TALUS_OK;
}

talus_status tl_struct_read(talus_context *context, const tl_struct *type, const char *label,
                            const void *given, void *own) {
  if (given == NULL) {
    return tl_fail(context, TALUS_INVALID_ARGUMENT, "%s is NULL", label);
  }
  return struct_read(context, type, &(struct_label){label, -1, NULL}, given, own);
}

bool tl_struct_is_whole(const tl_struct *type, const void *given) {
  return given != NULL && size_of(given) >= type->size;
}

void tl_struct_write(const tl_struct *type, const void *own, void *given) {
  const size_t size = size_of(given);
  const size_t part_size = type->part != NULL ? size_of(part_of(type, given)) : 0;
  memset(given, 0, size);
  known_copy(type, size, part_size, own, given);
  size_set(given, size);
  if (type->part != NULL) {
    size_set((char *)given + type->part_offset, part_size);
  }
}

talus_status tl_struct_check_size(talus_context *context, const tl_struct *type, const char *label,
                                  size_t size) {
  return size_check(context, type, &(struct_label){label, -1, NULL}, size, SIZE_MOST);
}

bool tl_struct_fits(const tl_struct *type, const void *own, const void *defaults, size_t size) {
  const size_t known = smaller(size, type->size);
  return memcmp((const char *)own + known, (const char *)defaults + known, type->size - known) == 0;
}

/* ---- arrays ---------------------------------------------------------------------------------- */

tl_struct_array tl_struct_array_of(const void *first, int32_t count) {
  return (tl_struct_array){first, first != NULL && count > 0 ? size_of(first) : 0};
}

const void *tl_struct_at(const tl_struct_array *array, int32_t index) {
  return array->first != NULL ? (const char *)array->first + (size_t)index * array->stride : NULL;
}

talus_status tl_struct_check_at(talus_context *context, const tl_struct *type, const char *label,
                                const tl_struct_array *array, int32_t index) {
  const size_t size = size_of(tl_struct_at(array, index));
  TL_TRY(size_check(context, type, &(struct_label){label, index, NULL}, size, SIZE_MOST));
  if (size == array->stride) {
    return TALUS_OK;
  }
  return tl_fail(context, TALUS_STRUCT_SIZE,
                 "%s[%d].struct_size is %zu, but that of %s[0] is %zu: all elements have one size",
                 label, (int)index, size, label, array->stride);
}

/* Copies of all elements, one behind the other. */
static talus_status elements_read(talus_context *context, const tl_struct *type, const char *label,
                                  const tl_struct_array *array, int32_t count, const void *defaults,
                                  char *copies) {
  for (int32_t i = 0; i < count; i++) {
    char *const copy = copies + (size_t)i * type->size;
    memcpy(copy, defaults, type->size);
    TL_TRY(
        struct_read(context, type, &(struct_label){label, i, NULL}, tl_struct_at(array, i), copy));
  }
  return TALUS_OK;
}

talus_status tl_struct_read_array(talus_context *context, const tl_struct *type, const char *label,
                                  const void *given, int32_t count, const void *defaults,
                                  const void **own, void **memory) {
  const tl_struct_array array = tl_struct_array_of(given, count);
  *own = given;
  *memory = NULL;
  for (int32_t i = 0; i < count; i++) {
    TL_TRY(tl_struct_check_at(context, type, label, &array, i));
  }
  if (count <= 0 || array.stride == type->size) {
    return TALUS_OK;
  }
  TL_TRY(tl_alloc(context, memory, (size_t)count, type->size, label));
  const talus_status status = elements_read(context, type, label, &array, count, defaults, *memory);
  if (status != TALUS_OK) {
    tl_free(context, *memory);
    *memory = NULL;
    return status;
  }
  *own = *memory;
  return TALUS_OK;
}
