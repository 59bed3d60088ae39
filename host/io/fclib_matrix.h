/* fclib_matrix.h: one matrix out of an FCLIB file. */
#ifndef TL_FCLIB_MATRIX_H
#define TL_FCLIB_MATRIX_H

#include "host/io/hdf5_file.h"

/* Indices are inside the matrix and starts rise; values are as they are. Statuses: FILE_FORMAT,
 * OUT_OF_MEMORY. */
talus_status tl_fclib_read_matrix(tl_hdf5 *hdf5, talus_stored *stored, const char *group,
                                  talus_matrix *matrix);

#endif
