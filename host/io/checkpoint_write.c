/* checkpoint_write.c: a checkpoint into memory and from there to disk; see checkpoint.h. */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "host/io/checkpoint_directory.h"
#include "host/io/checkpoint_head.h"
#include "host/io/output_file.h"

#if TL_HAVE_HDF5
#include "host/io/hdf5_file.h"

struct tl_checkpoint_writer {
  talus_context *context;
  char *directory, *path;
  tl_hdf5 hdf5;
  int open; /* hdf5 is, and its lock is held */
  tl_checkpoint_head head;
};

static bool is_word(const char *text) {
  size_t length = 0;
  for (; text[length] != 0; length++) {
    if (!isgraph((unsigned char)text[length])) {
      return false;
    }
  }
  return length > 0 && length <= TL_HEAD_WORD;
}

static talus_status copy_text(talus_context *context, const char *text, char **copy) {
  void *memory;
  TL_TRY(tl_alloc(context, &memory, strlen(text) + 1, 1, "checkpoint"));
  *copy = memory;
  strcpy(*copy, text);
  return TALUS_OK;
}

static talus_status writer_fill(tl_checkpoint_writer *writer, const char *directory) {
  TL_TRY(copy_text(writer->context, directory, &writer->directory));
  TL_TRY(tl_checkpoint_path(writer->context, directory, writer->head.step, &writer->path));
  writer->open = 1; /* close is due even where creating fails */
  return tl_hdf5_create_image(writer->context, writer->path, &writer->hdf5);
}

talus_status tl_checkpoint_begin(talus_context *context, const char *directory, const char *kind,
                                 int64_t step, tl_checkpoint_writer **writer) {
  void *memory;
  *writer = NULL;
  if (!is_word(kind) || step < 0) {
    return tl_fail(context, TALUS_INVALID_ARGUMENT,
                   "checkpoint: '%s' is not a kind, or step %lld is negative", kind,
                   (long long)step);
  }
  TL_TRY(tl_alloc(context, &memory, 1, sizeof **writer, "checkpoint"));
  tl_checkpoint_writer *begun = memory;
  memset(begun, 0, sizeof *begun);
  begun->context = context;
  begun->head.format = TL_CHECKPOINT_FORMAT;
  begun->head.step = step;
  strcpy(begun->head.kind, kind);
  strncpy(begun->head.version, talus_version(), TL_HEAD_WORD);
  const talus_status status = writer_fill(begun, directory);
  if (status != TALUS_OK) {
    tl_checkpoint_abandon(begun);
    return status;
  }
  *writer = begun;
  return TALUS_OK;
}

void tl_checkpoint_abandon(tl_checkpoint_writer *writer) {
  if (writer == NULL) {
    return;
  }
  talus_context *context = writer->context;
  if (writer->open) {
    tl_hdf5_close(&writer->hdf5);
  }
  tl_free(context, writer->directory);
  tl_free(context, writer->path);
  tl_free(context, writer);
}

/* Groups of the name are made on the way; no times in object headers. */
static hid_t create_set(tl_hdf5 *hdf5, const char *name, hid_t type, hid_t space) {
  const hid_t link = H5Pcreate(H5P_LINK_CREATE), list = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_create_intermediate_group(link, 1);
  H5Pset_obj_track_times(list, 0);
  const hid_t id = H5Dcreate2(hdf5->file, name, type, space, link, list, H5P_DEFAULT);
  H5Pclose(list);
  H5Pclose(link);
  return id;
}

static talus_status put(tl_checkpoint_writer *writer, const char *name, hid_t file_type,
                        hid_t memory_type, const void *value, int64_t count) {
  tl_hdf5 *hdf5 = &writer->hdf5;
  if (name[0] == 0 || name[0] == '/' || strlen(name) >= TL_CHECKPOINT_NAME || count < 0 ||
      (count > 0 && value == NULL) || tl_hdf5_exists(hdf5, name)) {
    return tl_hdf5_fail(hdf5, TALUS_INVALID_ARGUMENT, name, "bad name or array, or there already");
  }
  const hsize_t extent = (hsize_t)count;
  const hid_t space = H5Screate_simple(1, &extent, NULL);
  const hid_t id = create_set(hdf5, name, file_type, space);
  bool good = id >= 0;
  if (good && count > 0) {
    good = H5Dwrite(id, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, value) >= 0;
  }
  good = (id < 0 || H5Dclose(id) >= 0) && good;
  H5Sclose(space);
  return good ? TALUS_OK : tl_hdf5_fail(hdf5, TALUS_OUT_OF_MEMORY, name, "no memory for the array");
}

talus_status tl_checkpoint_put_doubles(tl_checkpoint_writer *writer, const char *name,
                                       const double *value, int64_t count) {
  return put(writer, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, value, count);
}

talus_status tl_checkpoint_put_int64s(tl_checkpoint_writer *writer, const char *name,
                                      const int64_t *value, int64_t count) {
  return put(writer, name, H5T_STD_I64LE, H5T_NATIVE_INT64, value, count);
}

talus_status tl_checkpoint_put_int32s(tl_checkpoint_writer *writer, const char *name,
                                      const int32_t *value, int64_t count) {
  return put(writer, name, H5T_STD_I32LE, H5T_NATIVE_INT32, value, count);
}

talus_status tl_checkpoint_put_bytes(tl_checkpoint_writer *writer, const char *name,
                                     const uint8_t *value, int64_t count) {
  return put(writer, name, H5T_STD_U8LE, H5T_NATIVE_UINT8, value, count);
}

/* Bytes of its own kind (signed), so that a text is not taken for an array. */
talus_status tl_checkpoint_put_text(tl_checkpoint_writer *writer, const char *name,
                                    const char *text) {
  return put(writer, name, H5T_STD_I8LE, H5T_NATIVE_INT8, text, (int64_t)strlen(text));
}

static talus_status write_out(tl_checkpoint_writer *writer, const void *image, size_t size) {
  char block[TL_HEAD_BYTES];
  tl_output output;
  writer->head.bytes = (int64_t)size;
  writer->head.hash = tl_checkpoint_hash(0, image, size);
  tl_head_print(&writer->head, block);
  TL_TRY(tl_output_begin(writer->context, writer->path, &output));
  const bool taken = fwrite(block, 1, sizeof block, output.stream) == sizeof block &&
                     fwrite(image, 1, size, output.stream) == size && fflush(output.stream) == 0;
  const talus_status status =
      taken ? tl_output_sync(&output)
            : tl_fail(writer->context, TALUS_FILE_WRITE, "%s: writing failed: %s", writer->path,
                      strerror(errno));
  if (status != TALUS_OK) {
    tl_output_abandon(&output);
    return status;
  }
  TL_TRY(tl_output_commit(&output));
  return tl_directory_sync(writer->context, writer->directory);
}

talus_status tl_checkpoint_commit(tl_checkpoint_writer *writer, int32_t keep) {
  void *image;
  size_t size = 0;
  talus_context *context = writer->context;
  talus_status status = tl_hdf5_image(&writer->hdf5, &image, &size);
  tl_hdf5_close(&writer->hdf5); /* gives back its memory and its lock before the slow part */
  writer->open = 0;
  if (status == TALUS_OK) {
    status = write_out(writer, image, size);
  }
  tl_free(context, image);
  if (status == TALUS_OK) {
    tl_directory_prune(context, writer->directory, writer->head.step, keep);
  }
  tl_checkpoint_abandon(writer);
  return status;
}

#else

talus_status tl_checkpoint_begin(talus_context *context, const char *directory, const char *kind,
                                 int64_t step, tl_checkpoint_writer **writer) {
  (void)kind;
  (void)step;
  *writer = NULL;
  return tl_fail(context, TALUS_UNSUPPORTED,
                 "%s: this build of Talus has no HDF5 and writes no checkpoints", directory);
}

/* No writer can exist; these are there to be linked. */
static talus_status absent(void) {
  return TALUS_UNSUPPORTED;
}

#define TL_ABSENT(name, type)                                                            \
  talus_status tl_checkpoint_put_##name(tl_checkpoint_writer *writer, const char *label, \
                                        const type *value, int64_t count) {              \
    (void)writer, (void)label, (void)value, (void)count;                                 \
    return absent();                                                                     \
  }
TL_ABSENT(doubles, double)
TL_ABSENT(int64s, int64_t)
TL_ABSENT(int32s, int32_t)
TL_ABSENT(bytes, uint8_t)
talus_status tl_checkpoint_put_text(tl_checkpoint_writer *writer, const char *name,
                                    const char *text) {
  (void)writer, (void)name, (void)text;
  return absent();
}
talus_status tl_checkpoint_commit(tl_checkpoint_writer *writer, int32_t keep) {
  (void)writer, (void)keep;
  return absent();
}
void tl_checkpoint_abandon(tl_checkpoint_writer *writer) {
  (void)writer;
}

#endif
