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

/* ---- one struct ---------------------------------------------------------------------------------
 */

void tl_struct_init(const tl_struct *type, const void *defaults, void *given, size_t size) {
  if (given == NULL || size < sizeof(uint32_t)) {
    return;
  }
  memset(given, 0, size);
  memcpy(given, defaults, smaller(size, type->size));
  size_set(given, size);
}

/* `room`: bytes that it may have. */
static talus_status size_check(talus_context *context, const tl_struct *type, const char *label,
                               size_t size, size_t room) {
  if (size >= type->first && size <= room && size % sizeof(void *) == 0) {
    return TALUS_OK;
  }
  return tl_fail(context, TALUS_STRUCT_SIZE,
                 "%s.struct_size is %zu, which is no size of a %s (%zu bytes in Talus %s): fill it "
                 "by %s_default",
                 label, size, type->name, type->size, talus_version(), type->name);
}

/* What this library does not know must not have been set. */
static talus_status surplus_check(talus_context *context, const tl_struct *type, const char *label,
                                  const void *given) {
  const unsigned char *const bytes = given;
  const size_t size = size_of(given);
  for (size_t i = type->size; i < size; i++) {
    if (bytes[i] != 0) {
      return tl_fail(context, TALUS_STRUCT_SIZE,
                     "%s: a member at byte %zu is set, but Talus %s knows the first %zu bytes of a "
                     "%s: the program is of a newer release",
                     label, i, talus_version(), type->size, type->name);
    }
  }
  return TALUS_OK;
}

static const char *part_label(const tl_struct *type, const char *label, char text[LABEL_SIZE]) {
  snprintf(text, LABEL_SIZE, "%s.%s", label, type->part_name);
  return text;
}

static const void *part_of(const tl_struct *type, const void *given) {
  return (const char *)given + type->part_offset;
}

talus_status tl_struct_check(talus_context *context, const tl_struct *type, const char *label,
                             const void *given) {
  char text[LABEL_SIZE];
  if (given == NULL) {
    return tl_fail(context, TALUS_INVALID_ARGUMENT, "%s is NULL", label);
  }
  TL_TRY(size_check(context, type, label, size_of(given), SIZE_MOST));
  return type->part != NULL ? size_check(context, type->part, part_label(type, label, text),
                                         size_of(part_of(type, given)), type->part_room)
                            : TALUS_OK;
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

talus_status tl_struct_read(talus_context *context, const tl_struct *type, const char *label,
                            const void *given, void *own) {
  char text[LABEL_SIZE];
  TL_TRY(tl_struct_check(context, type, label, given));
  TL_TRY(surplus_check(context, type, label, given));
  if (type->part != NULL) {
    TL_TRY(surplus_check(context, type->part, part_label(type, label, text), part_of(type, given)));
  }
  known_copy(type, size_of(given), type->part != NULL ? size_of(part_of(type, given)) : 0, given,
             own);
  size_set(own, type->size);
  if (type->part != NULL) {
    size_set((char *)own + type->part_offset, type->part->size);
  }
  return TALUS_OK;
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
  return size_check(context, type, label, size, SIZE_MOST);
}

bool tl_struct_fits(const tl_struct *type, const void *own, const void *defaults, size_t size) {
  const size_t known = smaller(size, type->size);
  return memcmp((const char *)own + known, (const char *)defaults + known, type->size - known) == 0;
}

/* ---- arrays -------------------------------------------------------------------------------------
 */

const void *tl_struct_at(const void *array, int32_t index) {
  return (const char *)array + (size_t)index * size_of(array);
}

talus_status tl_struct_check_at(talus_context *context, const tl_struct *type, const char *label,
                                const void *array, int32_t index) {
  char text[LABEL_SIZE];
  snprintf(text, sizeof text, "%s[%d]", label, (int)index);
  TL_TRY(size_check(context, type, text, size_of(tl_struct_at(array, index)), SIZE_MOST));
  if (size_of(tl_struct_at(array, index)) == size_of(array)) {
    return TALUS_OK;
  }
  return tl_fail(context, TALUS_STRUCT_SIZE,
                 "%s.struct_size is %zu, but that of %s[0] is %zu: all elements have one size",
                 text, size_of(tl_struct_at(array, index)), label, size_of(array));
}

talus_status tl_struct_read_array(talus_context *context, const tl_struct *type, const char *label,
                                  const void *given, int32_t count, const void *defaults,
                                  const void **own, void **memory) {
  char text[LABEL_SIZE];
  *own = given;
  *memory = NULL;
  for (int32_t i = 0; i < count; i++) {
    TL_TRY(tl_struct_check_at(context, type, label, given, i));
  }
  if (count <= 0 || size_of(given) == type->size) {
    return TALUS_OK;
  }
  TL_TRY(tl_alloc(context, memory, (size_t)count, type->size, label));
  for (int32_t i = 0; i < count; i++) {
    void *const element = (char *)*memory + (size_t)i * type->size;
    snprintf(text, sizeof text, "%s[%d]", label, (int)i);
    memcpy(element, defaults, type->size);
    const talus_status status =
        tl_struct_read(context, type, text, tl_struct_at(given, i), element);
    if (status != TALUS_OK) {
      tl_free(context, *memory);
      *memory = NULL;
      return status;
    }
  }
  *own = *memory;
  return TALUS_OK;
}
