/* talus_mpi.h: ranks of MPI for talus_ranks.h; libtalus_mpi, since every MPI has an ABI of its own.
 *
 *   talus_mpi_ranks *ranks;
 *   talus_mpi_ranks_create(NULL, &ranks);
 *   talus_transport transport = talus_mpi_ranks_transport(ranks);
 *
 * A rank that fails where the others could not be told in time ends all of them by MPI_Abort, with
 * its message on stderr. */
#ifndef TALUS_MPI_H
#define TALUS_MPI_H

#include "talus/talus_ranks.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct talus_mpi_ranks talus_mpi_ranks;

/* communicator: a pointer to an MPI_Comm, which is duplicated; NULL: MPI_COMM_WORLD. After
 * MPI_Init, collective. Statuses: INVALID_ARGUMENT, OUT_OF_MEMORY, RANKS_FAILED. */
TALUS_API talus_status talus_mpi_ranks_create(const void *communicator, talus_mpi_ranks **ranks);
/* The same by a handle of Fortran's, as mpi4py's comm.py2f() gives it. */
TALUS_API talus_status talus_mpi_ranks_create_fortran(int32_t communicator,
                                                      talus_mpi_ranks **ranks);
/* After all contexts that use it, before MPI_Finalize. Accepts NULL. */
TALUS_API void talus_mpi_ranks_destroy(talus_mpi_ranks *ranks);
TALUS_API talus_transport talus_mpi_ranks_transport(talus_mpi_ranks *ranks);

/* For programs that load this library at run time, as `talus` does: begins MPI and fills a
 * transport (of talus_transport_default) for all processes; *neighbours: how many of them are on
 * this machine. Statuses: as of create. */
TALUS_API talus_status talus_mpi_begin(talus_transport *transport, int32_t *neighbours);
/* Ends what talus_mpi_begin has begun. */
TALUS_API void talus_mpi_end(void);

#ifdef __cplusplus
}
#endif
#endif
