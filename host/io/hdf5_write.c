/* hdf5_write.c: groups and datasets into an HDF5 file; little-endian, contiguous, uncompressed, so
 * that every reader of FCLIB files takes them. */
#include <string.h>

#include "host/io/hdf5_file.h"

talus_status tl_hdf5_group(tl_hdf5 *hdf5, const char *name) {
  const hid_t id = H5Gcreate2(hdf5->file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  if (id < 0 || H5Gclose(id) < 0) {
    return tl_hdf5_fail(hdf5, TALUS_FILE_WRITE, name, "cannot be written");
  }
  return TALUS_OK;
}

static talus_status put(tl_hdf5 *hdf5, const char *name, hid_t space, hid_t file_type,
                        hid_t memory_type, const void *value) {
  const hid_t id =
      H5Dcreate2(hdf5->file, name, file_type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  const bool good = id >= 0 && (value == NULL || H5Dwrite(id, memory_type, H5S_ALL, H5S_ALL,
                                                          H5P_DEFAULT, value) >= 0);
  if (!good || H5Dclose(id) < 0) {
    return tl_hdf5_fail(hdf5, TALUS_FILE_WRITE, name, "cannot be written");
  }
  return TALUS_OK;
}

static talus_status put_list(tl_hdf5 *hdf5, const char *name, int64_t count, hid_t file_type,
                             hid_t memory_type, const void *value) {
  const hsize_t extent = (hsize_t)count;
  const hid_t space = H5Screate_simple(1, &extent, NULL);
  const talus_status status =
      put(hdf5, name, space, file_type, memory_type, count > 0 ? value : NULL);
  H5Sclose(space);
  return status;
}

talus_status tl_hdf5_put_doubles(tl_hdf5 *hdf5, const char *name, const double *value,
                                 int64_t count) {
  return put_list(hdf5, name, count, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, value);
}

talus_status tl_hdf5_put_int32s(tl_hdf5 *hdf5, const char *name, const int32_t *value,
                                int64_t count) {
  return put_list(hdf5, name, count, H5T_STD_I32LE, H5T_NATIVE_INT32, value);
}

talus_status tl_hdf5_put_int64s(tl_hdf5 *hdf5, const char *name, const int64_t *value,
                                int64_t count) {
  return put_list(hdf5, name, count, H5T_STD_I32LE, H5T_NATIVE_INT64, value);
}

talus_status tl_hdf5_put_text(tl_hdf5 *hdf5, const char *name, const char *text) {
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, strlen(text) + 1);
  const hid_t space = H5Screate(H5S_SCALAR);
  const talus_status status = put(hdf5, name, space, type, type, text);
  H5Sclose(space);
  H5Tclose(type);
  return status;
}
