/* hdf5_file.h: the few things Talus asks of an HDF5 file, with distrust.
 *
 * Compiled only where HDF5 is there (problem_file.c knows). Every dataset is held against what the
 * file really stores before memory is asked for; links out of the file, external and virtual
 * storage are refused. HDF5's own printing is switched off between open and close, and a lock keeps
 * two threads apart, since Debian's HDF5 is not made for threads. */
#ifndef TL_HDF5_FILE_H
#define TL_HDF5_FILE_H

#include <hdf5.h>

#include "host/io/stored.h"

typedef struct tl_hdf5 {
  talus_context *context;
  const char *path;
  hid_t file;
  hsize_t bytes;       /* of the file, when reading */
  int no_memory;       /* some call of HDF5 got none since the file was opened */
  int locked;          /* by this file, and HDF5's printer is put aside */
  H5E_auto2_t printer; /* HDF5's, put back by close */
  void *printer_user;
} tl_hdf5;

/* Statuses of opening: FILE_FORMAT, of creating: FILE_WRITE, of both OUT_OF_MEMORY. tl_hdf5_close
 * is due in every case; it fails with FILE_WRITE where a created file could not be finished, and
 * with OUT_OF_MEMORY where HDF5 had none for something, so that what seemed to be absent may be
 * there. */
talus_status tl_hdf5_open(talus_context *context, const char *path, tl_hdf5 *hdf5);
talus_status tl_hdf5_create(talus_context *context, const char *path, tl_hdf5 *hdf5);
talus_status tl_hdf5_close(tl_hdf5 *hdf5);
/* A file that lives in memory and never touches the disk; path is for messages only. HDF5 does not
 * survive a full disk well: whoever needs that writes the image himself. The image is the caller's,
 * from tl_alloc. Statuses: OUT_OF_MEMORY. */
talus_status tl_hdf5_create_image(talus_context *context, const char *path, tl_hdf5 *hdf5);
talus_status tl_hdf5_image(tl_hdf5 *hdf5, void **image, size_t *size);

/* ---- reading: FILE_FORMAT names file and dataset --------------------------------------------- */

bool tl_hdf5_exists(tl_hdf5 *hdf5, const char *name);
/* A dataset that exists and was given values: some files announce solutions they do not have. */
bool tl_hdf5_is_written(tl_hdf5 *hdf5, const char *name);
/* One whole number between low and high. */
talus_status tl_hdf5_scalar(tl_hdf5 *hdf5, const char *name, int64_t low, int64_t high,
                            int64_t *value);
/* All of a dataset into memory of stored; *count says how many there are. */
talus_status tl_hdf5_doubles(tl_hdf5 *hdf5, const char *name, talus_stored *stored,
                             const double **value, int64_t *count);
talus_status tl_hdf5_int32s(tl_hdf5 *hdf5, const char *name, talus_stored *stored,
                            const int32_t **value, int64_t *count);
talus_status tl_hdf5_int64s(tl_hdf5 *hdf5, const char *name, talus_stored *stored,
                            const int64_t **value, int64_t *count);
/* Text of fixed length as stored->title; anything else is passed over. */
talus_status tl_hdf5_title(tl_hdf5 *hdf5, const char *name, talus_stored *stored);

/* ---- writing: FILE_WRITE --------------------------------------------------------------------- */

talus_status tl_hdf5_group(tl_hdf5 *hdf5, const char *name);
talus_status tl_hdf5_put_doubles(tl_hdf5 *hdf5, const char *name, const double *value,
                                 int64_t count);
/* Stored as 32 bits; the values must fit. */
talus_status tl_hdf5_put_int32s(tl_hdf5 *hdf5, const char *name, const int32_t *value,
                                int64_t count);
talus_status tl_hdf5_put_int64s(tl_hdf5 *hdf5, const char *name, const int64_t *value,
                                int64_t count);
talus_status tl_hdf5_put_text(tl_hdf5 *hdf5, const char *name, const char *text);

/* The status, or OUT_OF_MEMORY if that was the reason: file, dataset, what, and HDF5's own reason
 * if it gave one. */
talus_status tl_hdf5_fail(tl_hdf5 *hdf5, talus_status status, const char *name, const char *format,
                          ...) __attribute__((format(printf, 4, 5)));

#endif
