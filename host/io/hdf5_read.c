/* hdf5_read.c: datasets out of an HDF5 file that may lie; see hdf5_file.h. */
#include <string.h>

#include "host/io/hdf5_file.h"

enum {
  DEFLATE_RATIO = 1100,   /* zlib never shrinks by more than 1032 */
  CHUNK_BYTES = 64 << 20, /* a chunk is unpacked whole: a larger one must be a large dataset's */
  TITLE_BYTES = 1 << 16
};

typedef struct dataset {
  hid_t id;
  int64_t count;
  size_t size; /* bytes of an element */
} dataset;

/* Hard links all along the path: soft and external ones could lead out of the file. */
static bool is_inside(tl_hdf5 *hdf5, const char *name) {
  char part[128];
  const size_t length = strlen(name);
  for (size_t end = 1; end <= length && length < sizeof part; end++) {
    if (name[end] == '/' || name[end] == 0) {
      memcpy(part, name, end);
      part[end] = 0;
      H5L_info_t link;
      if (H5Lexists(hdf5->file, part, H5P_DEFAULT) <= 0 ||
          H5Lget_info(hdf5->file, part, &link, H5P_DEFAULT) < 0 || link.type != H5L_TYPE_HARD) {
        return false;
      }
    }
  }
  return length < sizeof part;
}

bool tl_hdf5_exists(tl_hdf5 *hdf5, const char *name) {
  const bool found = is_inside(hdf5, name);
  H5Eclear2(H5E_DEFAULT);
  return found;
}

bool tl_hdf5_is_written(tl_hdf5 *hdf5, const char *name) {
  int written = 0;
  if (is_inside(hdf5, name)) {
    const hid_t id = H5Dopen2(hdf5->file, name, H5P_DEFAULT);
    written = id >= 0 && H5Dget_storage_size(id) > 0;
    if (id >= 0) {
      H5Dclose(id);
    }
  }
  H5Eclear2(H5E_DEFAULT);
  return written;
}

static bool is_one_of(hid_t type, const hid_t *list, size_t count) {
  for (size_t k = 0; k < count; k++) {
    if (H5Tequal(type, list[k]) > 0) {
      return true;
    }
  }
  return false;
}

/* Standard numbers only: conversion of made-up layouts is not worth the risk. */
static bool is_integer(hid_t type) {
  const hid_t list[] = {H5T_STD_I8LE,  H5T_STD_I16LE, H5T_STD_I32LE, H5T_STD_I64LE,
                        H5T_STD_I16BE, H5T_STD_I32BE, H5T_STD_I64BE, H5T_STD_U8LE,
                        H5T_STD_U16LE, H5T_STD_U32LE, H5T_STD_U16BE, H5T_STD_U32BE};
  return is_one_of(type, list, sizeof list / sizeof *list);
}

static bool is_number(hid_t type) {
  const hid_t list[] = {H5T_IEEE_F64LE, H5T_IEEE_F32LE, H5T_IEEE_F64BE, H5T_IEEE_F32BE};
  return is_one_of(type, list, sizeof list / sizeof *list) || is_integer(type);
}

static talus_status check_type(tl_hdf5 *hdf5, const char *name, int integers, dataset *set) {
  const hid_t type = H5Dget_type(set->id);
  const bool good = type >= 0 && (integers ? is_integer(type) : is_number(type));
  set->size = good ? H5Tget_size(type) : 0;
  if (type >= 0) {
    H5Tclose(type);
  }
  return good ? TALUS_OK
              : tl_hdf5_fail(hdf5, TALUS_FILE_FORMAT, name, "does not hold %s",
                             integers ? "whole numbers" : "numbers");
}

static talus_status check_count(tl_hdf5 *hdf5, const char *name, dataset *set) {
  const hid_t space = H5Dget_space(set->id);
  const hssize_t points = space >= 0 ? H5Sget_simple_extent_npoints(space) : -1;
  if (space >= 0) {
    H5Sclose(space);
  }
  if (points < 0 || points > INT64_MAX / 16) {
    return tl_hdf5_fail(hdf5, TALUS_FILE_FORMAT, name, "its extent makes no sense");
  }
  set->count = points;
  return TALUS_OK;
}

/* The largest chunk that is unpacked in one piece; 0 if the dataset is not chunked. */
static hsize_t chunk_bytes(hid_t list, const dataset *set) {
  hsize_t edge[H5S_MAX_RANK], points = 1;
  const int rank = H5Pget_layout(list) == H5D_CHUNKED ? H5Pget_chunk(list, H5S_MAX_RANK, edge) : 0;
  for (int i = 0; i < rank; i++) {
    points = points > (hsize_t)1 << 40 ? points : points * (edge[i] > 0 ? edge[i] : 1);
  }
  return rank > 0 ? points * set->size : 0;
}

/* What the file stores must be able to hold what the extent claims. */
static talus_status check_storage(tl_hdf5 *hdf5, const char *name, const dataset *set) {
  const hid_t list = H5Dget_create_plist(set->id);
  if (list < 0) {
    return tl_hdf5_fail(hdf5, TALUS_FILE_FORMAT, name, "cannot be opened");
  }
  const H5D_layout_t layout = H5Pget_layout(list);
  const bool strange =
      (layout != H5D_COMPACT && layout != H5D_CONTIGUOUS && layout != H5D_CHUNKED) ||
      H5Pget_external_count(list) != 0;
  const hsize_t ratio = H5Pget_nfilters(list) > 0 ? DEFLATE_RATIO : 1;
  const hsize_t wanted = (hsize_t)set->count * set->size;
  const hsize_t chunk = chunk_bytes(list, set);
  H5Pclose(list);
  if (strange) {
    return tl_hdf5_fail(hdf5, TALUS_FILE_FORMAT, name, "is not stored in this file");
  }
  hsize_t held = H5Dget_storage_size(set->id);
  held = held < hdf5->bytes ? held : hdf5->bytes;
  if (wanted / ratio > held) {
    return tl_hdf5_fail(hdf5, TALUS_FILE_FORMAT, name,
                        "claims %lld values, the file holds %llu bytes", (long long)set->count,
                        (unsigned long long)held);
  }
  if (chunk > CHUNK_BYTES && chunk / 2 > wanted) {
    return tl_hdf5_fail(hdf5, TALUS_FILE_FORMAT, name, "chunks of %llu bytes for %lld values",
                        (unsigned long long)chunk, (long long)set->count);
  }
  return TALUS_OK;
}

static talus_status open_set(tl_hdf5 *hdf5, const char *name, int integers, dataset *set) {
  set->id = H5I_INVALID_HID;
  if (!tl_hdf5_exists(hdf5, name)) {
    return tl_hdf5_fail(hdf5, TALUS_FILE_FORMAT, name, "is missing");
  }
  set->id = H5Dopen2(hdf5->file, name, H5P_DEFAULT);
  if (set->id < 0) {
    return tl_hdf5_fail(hdf5, TALUS_FILE_FORMAT, name, "is not a dataset");
  }
  TL_TRY(check_type(hdf5, name, integers, set));
  TL_TRY(check_count(hdf5, name, set));
  return check_storage(hdf5, name, set);
}

static void close_set(dataset *set) {
  if (set->id >= 0) {
    H5Dclose(set->id);
  }
}

/* All values of an opened set as the given type in memory of stored. */
static talus_status fetch(tl_hdf5 *hdf5, const char *name, const dataset *set, hid_t type,
                          size_t size, talus_stored *stored, void **value) {
  TL_TRY(tl_stored_alloc(stored, value, (size_t)set->count, size, name));
  if (set->count > 0 && H5Dread(set->id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, *value) < 0) {
    return tl_hdf5_fail(hdf5, TALUS_FILE_FORMAT, name, "cannot be read");
  }
  return TALUS_OK;
}

static talus_status read_set(tl_hdf5 *hdf5, const char *name, int integers, hid_t type, size_t size,
                             talus_stored *stored, void **value, int64_t *count) {
  dataset set;
  talus_status status = open_set(hdf5, name, integers, &set);
  if (status == TALUS_OK) {
    *count = set.count;
    status = fetch(hdf5, name, &set, type, size, stored, value);
  }
  close_set(&set);
  return status;
}

talus_status tl_hdf5_doubles(tl_hdf5 *hdf5, const char *name, talus_stored *stored,
                             const double **value, int64_t *count) {
  void *memory = NULL;
  TL_TRY(read_set(hdf5, name, 0, H5T_NATIVE_DOUBLE, sizeof(double), stored, &memory, count));
  *value = memory;
  return TALUS_OK;
}

talus_status tl_hdf5_int64s(tl_hdf5 *hdf5, const char *name, talus_stored *stored,
                            const int64_t **value, int64_t *count) {
  void *memory = NULL;
  TL_TRY(read_set(hdf5, name, 1, H5T_NATIVE_INT64, sizeof(int64_t), stored, &memory, count));
  *value = memory;
  return TALUS_OK;
}

/* HDF5 clips what does not fit; -1 marks nothing here, so the clipped values are refused. */
talus_status tl_hdf5_int32s(tl_hdf5 *hdf5, const char *name, talus_stored *stored,
                            const int32_t **value, int64_t *count) {
  void *memory = NULL;
  TL_TRY(read_set(hdf5, name, 1, H5T_NATIVE_INT32, sizeof(int32_t), stored, &memory, count));
  const int32_t *list = memory;
  for (int64_t k = 0; k < *count; k++) {
    if (list[k] == INT32_MAX || list[k] == INT32_MIN) {
      return tl_hdf5_fail(hdf5, TALUS_FILE_FORMAT, name, "[%lld] does not fit 32 bits",
                          (long long)k);
    }
  }
  *value = list;
  return TALUS_OK;
}

talus_status tl_hdf5_scalar(tl_hdf5 *hdf5, const char *name, int64_t low, int64_t high,
                            int64_t *value) {
  dataset set;
  talus_status status = open_set(hdf5, name, 1, &set);
  if (status == TALUS_OK && set.count != 1) {
    status = tl_hdf5_fail(hdf5, TALUS_FILE_FORMAT, name, "holds %lld values instead of one",
                          (long long)set.count);
  }
  if (status == TALUS_OK &&
      H5Dread(set.id, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, value) < 0) {
    status = tl_hdf5_fail(hdf5, TALUS_FILE_FORMAT, name, "cannot be read");
  }
  if (status == TALUS_OK && (*value < low || *value > high)) {
    status = tl_hdf5_fail(hdf5, TALUS_FILE_FORMAT, name, "%lld is not between %lld and %lld",
                          (long long)*value, (long long)low, (long long)high);
  }
  close_set(&set);
  return status;
}

/* The fixed length of a one-text dataset that the file really holds, else 0. */
static size_t text_size(tl_hdf5 *hdf5, hid_t id, hid_t type, hid_t space) {
  const size_t size = H5Tget_size(type);
  const bool good = H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 &&
                    H5Sget_simple_extent_npoints(space) == 1 && size > 0 && size <= TITLE_BYTES;
  return good && H5Dget_storage_size(id) >= size && size <= hdf5->bytes ? size : 0;
}

talus_status tl_hdf5_title(tl_hdf5 *hdf5, const char *name, talus_stored *stored) {
  if (!tl_hdf5_exists(hdf5, name)) {
    return TALUS_OK;
  }
  const hid_t id = H5Dopen2(hdf5->file, name, H5P_DEFAULT);
  const hid_t type = id >= 0 ? H5Dget_type(id) : H5I_INVALID_HID;
  const hid_t space = id >= 0 ? H5Dget_space(id) : H5I_INVALID_HID;
  const size_t size = type >= 0 && space >= 0 ? text_size(hdf5, id, type, space) : 0;
  talus_status status = TALUS_OK;
  if (size > 0) {
    void *text;
    status = tl_stored_alloc(stored, &text, size + 1, 1, "title");
    if (status == TALUS_OK && H5Dread(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0) {
      stored->title = text;
    }
  }
  H5Sclose(space);
  H5Tclose(type);
  H5Dclose(id);
  H5Eclear2(H5E_DEFAULT);
  return status;
}
