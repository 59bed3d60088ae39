/* hdf5_file.c: opening, closing and failing of HDF5 files; see hdf5_file.h. */
#define _POSIX_C_SOURCE 200809L
#include "host/io/hdf5_file.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The one global of this room: HDF5 itself is one global state, whatever contexts there are. */
static pthread_mutex_t hdf5_lock = PTHREAD_MUTEX_INITIALIZER;

static herr_t keep_first_reason(unsigned depth, const H5E_error2_t *error, void *user) {
  if (depth == 0 && error->desc != NULL) {
    snprintf(user, 160, ": %s", error->desc);
  }
  return 0;
}

static herr_t look_for_memory(unsigned depth, const H5E_error2_t *error, void *user) {
  (void)depth;
  if (error->maj_num == H5E_RESOURCE || error->min_num == H5E_NOSPACE ||
      error->min_num == H5E_CANTALLOC) {
    *(int *)user = 1;
  }
  return 0;
}

/* Called by HDF5 where one of its functions fails, in place of printing. */
static herr_t note_error(hid_t stack, void *user) {
  tl_hdf5 *const hdf5 = user;
  H5Ewalk2(stack, H5E_WALK_UPWARD, look_for_memory, &hdf5->no_memory);
  return 0;
}

talus_status tl_hdf5_fail(tl_hdf5 *hdf5, talus_status status, const char *name, const char *format,
                          ...) {
  const int system_error = errno;
  char words[200], reason[160] = "";
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(words, sizeof words, format, arguments);
  va_end(arguments);
  /* upward: the innermost error first, which is the one that says something */
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first_reason, reason);
  H5Eclear2(H5E_DEFAULT);
  /* a failed system call comes as several lines with time and file name */
  if (strchr(reason, '\n') != NULL) {
    snprintf(reason, sizeof reason, ": %s", strerror(system_error));
  }
  return hdf5->no_memory
             ? tl_fail(hdf5->context, TALUS_OUT_OF_MEMORY, "%s: %s%sno memory for HDF5%s",
                       hdf5->path, name, name[0] ? ": " : "", reason)
             : tl_fail(hdf5->context, status, "%s: %s%s%s%s", hdf5->path, name, name[0] ? ": " : "",
                       words, reason);
}

/* HDF5 crashes where it gets no memory for its own tables: ask before it does. */
static bool has_room(void) {
  enum { ROOM = 4 << 20 };
  void *volatile room = malloc(ROOM);
  const bool got = room != NULL;
  free(room);
  return got;
}

static talus_status begin(talus_context *context, const char *path, tl_hdf5 *hdf5) {
  memset(hdf5, 0, sizeof *hdf5);
  hdf5->context = context;
  hdf5->path = path;
  hdf5->file = H5I_INVALID_HID;
  if (!has_room()) {
    return tl_fail(context, TALUS_OUT_OF_MEMORY, "%s: no memory for HDF5", path);
  }
  pthread_mutex_lock(&hdf5_lock);
  hdf5->locked = 1;
  H5Eget_auto2(H5E_DEFAULT, &hdf5->printer, &hdf5->printer_user);
  H5Eset_auto2(H5E_DEFAULT, note_error, hdf5);
  H5Eclear2(H5E_DEFAULT);
  return TALUS_OK;
}

/* Closing the file closes whatever an error left open in it. No file locks: they fail on some
 * network file systems, and a file that is read or not yet renamed needs none. */
static hid_t access_list(void) {
  const hid_t list = H5Pcreate(H5P_FILE_ACCESS);
  if (list >= 0) {
    H5Pset_fclose_degree(list, H5F_CLOSE_STRONG);
#if H5_VERSION_GE(1, 10, 7)
    H5Pset_file_locking(list, 0, 1);
#endif
  }
  return list;
}

talus_status tl_hdf5_open(talus_context *context, const char *path, tl_hdf5 *hdf5) {
  TL_TRY(begin(context, path, hdf5));
  const hid_t list = access_list();
  hdf5->file = H5Fopen(path, H5F_ACC_RDONLY, list);
  H5Pclose(list);
  if (hdf5->file < 0 || H5Fget_filesize(hdf5->file, &hdf5->bytes) < 0) {
    return tl_hdf5_fail(hdf5, TALUS_FILE_FORMAT, "", "not a readable HDF5 file");
  }
  return TALUS_OK;
}

talus_status tl_hdf5_create(talus_context *context, const char *path, tl_hdf5 *hdf5) {
  TL_TRY(begin(context, path, hdf5));
  const hid_t list = access_list();
  hdf5->file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, list);
  H5Pclose(list);
  if (hdf5->file < 0) {
    return tl_hdf5_fail(hdf5, TALUS_FILE_WRITE, "", "cannot be created");
  }
  return TALUS_OK;
}

enum { IMAGE_GROWTH = 4 << 20 };

talus_status tl_hdf5_create_image(talus_context *context, const char *path, tl_hdf5 *hdf5) {
  TL_TRY(begin(context, path, hdf5));
  const hid_t list = access_list();
  if (H5Pset_fapl_core(list, IMAGE_GROWTH, 0) >= 0) {
    hdf5->file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, list);
  }
  H5Pclose(list);
  if (hdf5->file < 0) {
    return tl_hdf5_fail(hdf5, TALUS_OUT_OF_MEMORY, "", "no memory for the file");
  }
  return TALUS_OK;
}

talus_status tl_hdf5_image(tl_hdf5 *hdf5, void **image, size_t *size) {
  *image = NULL;
  const ssize_t wanted =
      H5Fflush(hdf5->file, H5F_SCOPE_GLOBAL) >= 0 ? H5Fget_file_image(hdf5->file, NULL, 0) : -1;
  if (wanted <= 0) {
    return tl_hdf5_fail(hdf5, TALUS_OUT_OF_MEMORY, "", "no memory for the file");
  }
  TL_TRY(tl_alloc(hdf5->context, image, (size_t)wanted, 1, hdf5->path));
  if (H5Fget_file_image(hdf5->file, *image, (size_t)wanted) != wanted) {
    tl_free(hdf5->context, *image);
    *image = NULL;
    return tl_hdf5_fail(hdf5, TALUS_OUT_OF_MEMORY, "", "no memory for the file");
  }
  *size = (size_t)wanted;
  return TALUS_OK;
}

talus_status tl_hdf5_close(tl_hdf5 *hdf5) {
  talus_status status = TALUS_OK;
  if (!hdf5->locked) {
    return TALUS_OK; /* nothing was begun */
  }
  if (hdf5->file >= 0 && H5Fclose(hdf5->file) < 0) {
    status = tl_hdf5_fail(hdf5, TALUS_FILE_WRITE, "", "cannot be finished");
  } else if (hdf5->no_memory) {
    status = tl_hdf5_fail(hdf5, TALUS_OUT_OF_MEMORY, "", "no memory");
  }
  H5Eclear2(H5E_DEFAULT);
  H5Eset_auto2(H5E_DEFAULT, hdf5->printer, hdf5->printer_user);
  hdf5->locked = 0;
  pthread_mutex_unlock(&hdf5_lock);
  return status;
}
