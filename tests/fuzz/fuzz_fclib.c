/* fuzz_fclib.c: a good FCLIB file of which bytes replace datasets, or bytes as the file itself.
 *
 * First byte: 0 the rest is the file, odd a local and even a global problem. Then edits: which
 * dataset, how (left out, a group, a text, numbers of a type), how many, and the values. */
#define _POSIX_C_SOURCE 200809L
#include <string.h>
#include <unistd.h>

#include "tests/fuzz/fuzz.h"

#if TL_HAVE_HDF5
#include "host/io/hdf5_file.h"
#include "host/problem/problem_check.h"
#include "tests/io/fclib_parts.h"

/* HDF5 1.10 itself loses a few object headers when it meets a damaged one. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) {
  return "leak:libhdf5\n";
}

enum { EDITS = 4, VALUES = 12, PARTS = 64 };
typedef enum way { LEFT_OUT, GROUP, TEXT, INTEGERS, NUMBERS, SHORT_INTEGERS, WAYS } way;

typedef struct edit {
  int there, count;
  way how;
  int64_t integer[VALUES];
  int32_t narrow[VALUES];
  double number[VALUES];
} edit;

static void read_edits(fuzz_input *in, edit *edits, int parts) {
  for (int e = 0; e < EDITS && in->place < in->size; e++) {
    edit *const into = &edits[fuzz_below(in, parts)];
    into->there = 1;
    into->how = (way)fuzz_below(in, WAYS);
    into->count = fuzz_below(in, VALUES + 1);
    for (int i = 0; i < into->count; i++) {
      if (into->how == NUMBERS) {
        into->number[i] = fuzz_number(in);
      } else {
        into->integer[i] = fuzz_integer(in, -2, 8);
      }
      into->narrow[i] = (int32_t)into->integer[i];
    }
  }
}

static void put_edit(tl_hdf5 *file, const char *name, const edit *e) {
  switch (e->how) {
  case GROUP:
    tl_hdf5_group(file, name);
    break;
  case TEXT:
    tl_hdf5_put_text(file, name, "text");
    break;
  case INTEGERS:
    tl_hdf5_put_int64s(file, name, e->integer, e->count);
    break;
  case SHORT_INTEGERS:
    tl_hdf5_put_int32s(file, name, e->narrow, e->count);
    break;
  case NUMBERS:
    tl_hdf5_put_doubles(file, name, e->number, e->count);
    break;
  default:
    break;
  }
}

static void put_part(tl_hdf5 *file, const fclib_part *part) {
  int64_t whole[VALUES];
  for (int i = 0; i < part->count; i++) {
    whole[i] = (int64_t)part->value[i];
  }
  if (part->count < 0) {
    tl_hdf5_group(file, part->name);
  } else if (part->integers) {
    tl_hdf5_put_int64s(file, part->name, whole, part->count);
  } else {
    tl_hdf5_put_doubles(file, part->name, part->value, part->count);
  }
}

static void write_edited(const char *path, fuzz_input *in, const fclib_part *parts, int count) {
  static edit edits[PARTS];
  tl_hdf5 file;
  memset(edits, 0, sizeof edits);
  read_edits(in, edits, count);
  FUZZ_PROMISE(tl_hdf5_create(fuzz_context(), path, &file) == TALUS_OK);
  for (int i = 0; i < count; i++) { /* inside a group that was left out nothing can be put */
    if (edits[i].there) {
      put_edit(&file, parts[i].name, &edits[i]);
    } else {
      put_part(&file, &parts[i]);
    }
  }
  FUZZ_PROMISE(tl_hdf5_close(&file) == TALUS_OK);
}

static void read_back(const char *path) {
  talus_stored *stored = NULL;
  const talus_status status = talus_problem_read(fuzz_context(), path, &stored);
  FUZZ_PROMISE((status == TALUS_OK) == (stored != NULL));
  FUZZ_PROMISE(status == TALUS_OK || status == TALUS_FILE_FORMAT || status == TALUS_OUT_OF_MEMORY);
  if (stored != NULL) {
    tl_problem_check(fuzz_context(), &stored->problem); /* reads every number */
    talus_stored_destroy(stored);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  fuzz_input in = {.bytes = bytes, .size = size};
  const int64_t before = fuzz_held();
  const uint8_t kind = fuzz_byte(&in);
  char path[40];
  snprintf(path, sizeof path, "fclib-%ld.hdf5", (long)getpid());
  if (kind == 0) {
    read_back(fuzz_file(bytes + (size > 0), size > 0 ? size - 1 : 0));
  } else {
    const int local = kind % 2;
    write_edited(path, &in, local ? fclib_local_parts : fclib_global_parts,
                 local ? sizeof fclib_local_parts / sizeof *fclib_local_parts
                       : sizeof fclib_global_parts / sizeof *fclib_global_parts);
    read_back(path);
    unlink(path);
  }
  FUZZ_PROMISE(fuzz_held() == before);
  FUZZ_PROMISE(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL) == 0);
  return 0;
}

#else
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  (void)bytes, (void)size;
  return 0;
}
#endif
