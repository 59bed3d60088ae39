/* checkpoint_read.c: arrays out of a checkpoint; see checkpoint.h.
 *
 * The head was held against the content before HDF5 opens it, so what is found here was written by
 * Talus; types and counts are still asked for, since a colleague may have written other ones. */
#include <string.h>

#include "host/io/checkpoint_head.h"

#if TL_HAVE_HDF5
#include "host/io/hdf5_file.h"

struct tl_checkpoint {
  talus_context *context;
  char *path;
  tl_hdf5 hdf5;
  int open; /* close of hdf5 is due */
  tl_checkpoint_head head;
};

static talus_status fill(tl_checkpoint *checkpoint, const char *path, const char *kind) {
  void *memory;
  TL_TRY(tl_head_read(checkpoint->context, path, kind, 1, &checkpoint->head));
  TL_TRY(tl_alloc(checkpoint->context, &memory, strlen(path) + 1, 1, "checkpoint"));
  checkpoint->path = memory;
  strcpy(checkpoint->path, path);
  checkpoint->open = 1;
  return tl_hdf5_open(checkpoint->context, checkpoint->path, &checkpoint->hdf5);
}

talus_status tl_checkpoint_open(talus_context *context, const char *path, const char *kind,
                                tl_checkpoint **checkpoint) {
  void *memory;
  *checkpoint = NULL;
  TL_TRY(tl_alloc(context, &memory, 1, sizeof **checkpoint, "checkpoint"));
  tl_checkpoint *opened = memory;
  memset(opened, 0, sizeof *opened);
  opened->context = context;
  const talus_status status = fill(opened, path, kind);
  if (status != TALUS_OK) {
    tl_checkpoint_close(opened);
    return status;
  }
  *checkpoint = opened;
  return TALUS_OK;
}

void tl_checkpoint_close(tl_checkpoint *checkpoint) {
  if (checkpoint == NULL) {
    return;
  }
  talus_context *context = checkpoint->context;
  if (checkpoint->open) {
    tl_hdf5_close(&checkpoint->hdf5);
  }
  tl_free(context, checkpoint->path);
  tl_free(context, checkpoint);
}

int64_t tl_checkpoint_step(const tl_checkpoint *checkpoint) {
  return checkpoint->head.step;
}

const char *tl_checkpoint_version(const tl_checkpoint *checkpoint) {
  return checkpoint->head.version;
}

bool tl_checkpoint_has(tl_checkpoint *checkpoint, const char *name) {
  return tl_hdf5_exists(&checkpoint->hdf5, name);
}

/* Opens a dataset; *count is what it holds. */
static talus_status open_set(tl_checkpoint *checkpoint, const char *name, hid_t *id,
                             int64_t *count) {
  tl_hdf5 *hdf5 = &checkpoint->hdf5;
  *id = tl_hdf5_exists(hdf5, name) ? H5Dopen2(hdf5->file, name, H5P_DEFAULT) : H5I_INVALID_HID;
  if (*id < 0) {
    return tl_hdf5_fail(hdf5, TALUS_FILE_FORMAT, name, "is missing");
  }
  const hid_t space = H5Dget_space(*id);
  *count = (int64_t)H5Sget_simple_extent_npoints(space);
  H5Sclose(space);
  return TALUS_OK;
}

talus_status tl_checkpoint_count(tl_checkpoint *checkpoint, const char *name, int64_t *count) {
  hid_t id = H5I_INVALID_HID;
  TL_TRY(open_set(checkpoint, name, &id, count));
  H5Dclose(id);
  return TALUS_OK;
}

static talus_status read_set(tl_checkpoint *checkpoint, const char *name, hid_t id, hid_t file_type,
                             hid_t memory_type, void *value, int64_t count) {
  const hid_t type = H5Dget_type(id);
  const bool same = H5Tequal(type, file_type) > 0;
  H5Tclose(type);
  if (!same) {
    return tl_hdf5_fail(&checkpoint->hdf5, TALUS_FILE_FORMAT, name, "is of another type");
  }
  if (count > 0 && H5Dread(id, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, value) < 0) {
    return tl_hdf5_fail(&checkpoint->hdf5, TALUS_FILE_FORMAT, name, "cannot be read");
  }
  return TALUS_OK;
}

static talus_status get(tl_checkpoint *checkpoint, const char *name, hid_t file_type,
                        hid_t memory_type, void *value, int64_t count) {
  hid_t id = H5I_INVALID_HID;
  int64_t stored = 0;
  TL_TRY(open_set(checkpoint, name, &id, &stored));
  talus_status status = stored == count
                            ? read_set(checkpoint, name, id, file_type, memory_type, value, count)
                            : tl_hdf5_fail(&checkpoint->hdf5, TALUS_FILE_FORMAT, name,
                                           "holds %lld values where %lld are expected",
                                           (long long)stored, (long long)count);
  H5Dclose(id);
  return status;
}

talus_status tl_checkpoint_doubles(tl_checkpoint *checkpoint, const char *name, double *value,
                                   int64_t count) {
  return get(checkpoint, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, value, count);
}

talus_status tl_checkpoint_int64s(tl_checkpoint *checkpoint, const char *name, int64_t *value,
                                  int64_t count) {
  return get(checkpoint, name, H5T_STD_I64LE, H5T_NATIVE_INT64, value, count);
}

talus_status tl_checkpoint_int32s(tl_checkpoint *checkpoint, const char *name, int32_t *value,
                                  int64_t count) {
  return get(checkpoint, name, H5T_STD_I32LE, H5T_NATIVE_INT32, value, count);
}

talus_status tl_checkpoint_bytes(tl_checkpoint *checkpoint, const char *name, uint8_t *value,
                                 int64_t count) {
  return get(checkpoint, name, H5T_STD_U8LE, H5T_NATIVE_UINT8, value, count);
}

talus_status tl_checkpoint_text(tl_checkpoint *checkpoint, const char *name, char **text) {
  int64_t count = 0;
  void *memory;
  *text = NULL;
  TL_TRY(tl_checkpoint_count(checkpoint, name, &count));
  TL_TRY(tl_alloc(checkpoint->context, &memory, (size_t)count + 1, 1, name));
  const talus_status status = get(checkpoint, name, H5T_STD_I8LE, H5T_NATIVE_INT8, memory, count);
  if (status != TALUS_OK) {
    tl_free(checkpoint->context, memory);
    return status;
  }
  *text = memory;
  (*text)[count] = 0;
  return TALUS_OK;
}

#else

talus_status tl_checkpoint_open(talus_context *context, const char *path, const char *kind,
                                tl_checkpoint **checkpoint) {
  (void)kind;
  *checkpoint = NULL;
  return tl_fail(context, TALUS_UNSUPPORTED,
                 "%s: this build of Talus has no HDF5 and reads no checkpoints", path);
}

/* No checkpoint can be open; these are there to be linked. */
void tl_checkpoint_close(tl_checkpoint *checkpoint) {
  (void)checkpoint;
}
int64_t tl_checkpoint_step(const tl_checkpoint *checkpoint) {
  (void)checkpoint;
  return 0;
}
const char *tl_checkpoint_version(const tl_checkpoint *checkpoint) {
  (void)checkpoint;
  return "";
}
bool tl_checkpoint_has(tl_checkpoint *checkpoint, const char *name) {
  (void)checkpoint, (void)name;
  return false;
}
talus_status tl_checkpoint_count(tl_checkpoint *checkpoint, const char *name, int64_t *count) {
  (void)checkpoint, (void)name, (void)count;
  return TALUS_UNSUPPORTED;
}
#define TL_ABSENT(function, type)                                                                  \
  talus_status function(tl_checkpoint *checkpoint, const char *name, type *value, int64_t count) { \
    (void)checkpoint, (void)name, (void)value, (void)count;                                        \
    return TALUS_UNSUPPORTED;                                                                      \
  }
TL_ABSENT(tl_checkpoint_doubles, double)
TL_ABSENT(tl_checkpoint_int64s, int64_t)
TL_ABSENT(tl_checkpoint_int32s, int32_t)
TL_ABSENT(tl_checkpoint_bytes, uint8_t)
talus_status tl_checkpoint_text(tl_checkpoint *checkpoint, const char *name, char **text) {
  (void)checkpoint, (void)name;
  *text = NULL;
  return TALUS_UNSUPPORTED;
}

#endif
