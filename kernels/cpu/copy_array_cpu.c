/* copy_array_cpu.c: arrays of the caller's in host memory to and from packed ones. */
#include "kernels/cpu/copy_array_cpu.h"

#include <string.h>

#include "host/base/each.h"

enum { FEW = 2048 };

/* One element; memcpy, since nothing is known of the caller's types but their bytes. */
static void element_move(const tl_caller_array *field, char *theirs, char *ours, tl_copy_mode way) {
  if (field->scalar == TL_SCALAR_F32) {
    for (int32_t c = 0; c < field->components; c++) {
      float narrow;
      double wide;
      if (way == TL_COPY_IN) {
        memcpy(&narrow, theirs + 4 * c, 4);
        wide = narrow;
        memcpy(ours + 8 * c, &wide, 8);
      } else {
        memcpy(&wide, ours + 8 * c, 8);
        narrow = (float)wide;
        memcpy(theirs + 4 * c, &narrow, 4);
      }
    }
    return;
  }
  const size_t bytes = (size_t)field->components * (size_t)tl_scalar_size(field->scalar);
  memcpy(way == TL_COPY_IN ? ours : theirs, way == TL_COPY_IN ? theirs : ours, bytes);
}

typedef struct copy_task {
  const tl_caller_array *field;
  char *theirs, *ours;
  int64_t pitch;
  tl_copy_mode way;
} copy_task;

static void elements_move(void *arguments, int64_t first, int64_t end) {
  const copy_task *const t = arguments;
  for (int64_t i = first; i < end; i++) {
    element_move(t->field, t->theirs + i * t->field->stride, t->ours + i * t->pitch, t->way);
  }
}

talus_status tl_cpu_copy_array(talus_context *context, const tl_caller_array *field, void *packed,
                               tl_copy_mode way) {
  if (way == TL_COPY_LOOK || way == TL_COPY_END) { /* all is where it is, and at once */
    return TALUS_OK;
  }
  const int64_t pitch = (int64_t)field->pitch * tl_packed_size(field->scalar);
  char *const theirs = field->array, *const ours = packed;
  if (field->scalar != TL_SCALAR_F32 && field->stride == pitch &&
      field->pitch == field->components) { /* the same on both sides */
    memcpy(way == TL_COPY_IN ? ours : theirs, way == TL_COPY_IN ? theirs : ours,
           (size_t)(field->count * pitch));
    return TALUS_OK;
  }
  copy_task task = {field, theirs, ours, pitch, way};
  tl_each(context, field->count >= FEW ? tl_threads_for(context, field->count) : 1, field->count,
          elements_move, &task);
  return TALUS_OK;
}
