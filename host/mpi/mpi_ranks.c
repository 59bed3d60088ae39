/* mpi_ranks.c: a transport by MPI. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "host/mpi/talus_mpi.h"

/* MPI counts in int: longer messages go in parts. */
enum { PART = 1 << 30, TAG = 0x7a1 };

struct talus_mpi_ranks {
  MPI_Comm comm;
  int rank, size;
  MPI_Request *request; /* kept and grown */
  int capacity;
};

static int64_t parts_of(int32_t count, const talus_message *message) {
  int64_t parts = 0;
  for (int32_t i = 0; i < count; i++) {
    parts += (message[i].bytes + PART - 1) / PART;
  }
  return parts;
}

static void mpi_fail(void *user, const char *message) {
  talus_mpi_ranks *const ranks = user;
  fprintf(stderr, "talus: rank %d cannot go on: %s\n", ranks->rank, message);
  MPI_Abort(ranks->comm, 1);
}

/* Without memory it ends all ranks: the others wait for the messages already. */
static int requests_reserve(talus_mpi_ranks *ranks, int64_t count) {
  if (count > ranks->capacity) {
    MPI_Request *const more = realloc(ranks->request, (size_t)count * sizeof *more);
    if (more == NULL) {
      mpi_fail(ranks, "no memory for the requests of messages");
      return 1;
    }
    ranks->request = more;
    ranks->capacity = (int)count;
  }
  return 0;
}

/* Begins all parts of a message; returns how many requests there are then. */
static int message_begin(talus_mpi_ranks *ranks, const talus_message *message, int send, int used) {
  char *at = message->memory;
  for (int64_t left = message->bytes; left > 0; left -= PART, at += PART) {
    const int bytes = (int)(left < PART ? left : PART);
    MPI_Request *const request = &ranks->request[used++];
    if (send) {
      MPI_Isend(at, bytes, MPI_BYTE, message->rank, TAG, ranks->comm, request);
    } else {
      MPI_Irecv(at, bytes, MPI_BYTE, message->rank, TAG, ranks->comm, request);
    }
  }
  return used;
}

static int mpi_exchange(void *user, int32_t send_count, const talus_message *send,
                        int32_t receive_count, const talus_message *receive) {
  talus_mpi_ranks *const ranks = user;
  int used = 0;
  if (requests_reserve(ranks, parts_of(send_count, send) + parts_of(receive_count, receive))) {
    return 1;
  }
  for (int32_t i = 0; i < receive_count; i++) {
    used = message_begin(ranks, &receive[i], 0, used);
  }
  for (int32_t i = 0; i < send_count; i++) {
    used = message_begin(ranks, &send[i], 1, used);
  }
  return MPI_Waitall(used, ranks->request, MPI_STATUSES_IGNORE) != MPI_SUCCESS;
}

static int mpi_sum(void *user, int64_t *value, int32_t count) {
  talus_mpi_ranks *const ranks = user;
  return MPI_Allreduce(MPI_IN_PLACE, value, count, MPI_INT64_T, MPI_SUM, ranks->comm) !=
         MPI_SUCCESS;
}

static int mpi_largest(void *user, int64_t *value, int32_t count) {
  talus_mpi_ranks *const ranks = user;
  return MPI_Allreduce(MPI_IN_PLACE, value, count, MPI_INT64_T, MPI_MAX, ranks->comm) !=
         MPI_SUCCESS;
}

static int mpi_gather(void *user, const void *own, int64_t bytes, void *all) {
  talus_mpi_ranks *const ranks = user;
  return bytes > PART || MPI_Allgather(own, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE,
                                       ranks->comm) != MPI_SUCCESS;
}

static talus_status ranks_make(MPI_Comm comm, talus_mpi_ranks **result) {
  talus_mpi_ranks *const ranks = calloc(1, sizeof *ranks);
  *result = NULL;
  if (ranks == NULL) {
    return TALUS_OUT_OF_MEMORY;
  }
  if (MPI_Comm_dup(comm, &ranks->comm) != MPI_SUCCESS) {
    free(ranks);
    return TALUS_RANKS_FAILED;
  }
  /* a communicator may come with errors that return (mpi4py's do): the others would wait */
  MPI_Comm_set_errhandler(ranks->comm, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_rank(ranks->comm, &ranks->rank);
  MPI_Comm_size(ranks->comm, &ranks->size);
  *result = ranks;
  return TALUS_OK;
}

static int is_running(void) {
  int begun = 0, ended = 0;
  MPI_Initialized(&begun);
  MPI_Finalized(&ended);
  return begun && !ended;
}

talus_status talus_mpi_ranks_create(const void *communicator, talus_mpi_ranks **result) {
  if (result == NULL || !is_running()) {
    return TALUS_INVALID_ARGUMENT;
  }
  return ranks_make(communicator != NULL ? *(const MPI_Comm *)communicator : MPI_COMM_WORLD,
                    result);
}

talus_status talus_mpi_ranks_create_fortran(int32_t communicator, talus_mpi_ranks **result) {
  if (result == NULL || !is_running()) {
    return TALUS_INVALID_ARGUMENT;
  }
  return ranks_make(MPI_Comm_f2c((MPI_Fint)communicator), result);
}

void talus_mpi_ranks_destroy(talus_mpi_ranks *ranks) {
  if (ranks != NULL) {
    MPI_Comm_free(&ranks->comm);
    free(ranks->request);
    free(ranks);
  }
}

talus_transport talus_mpi_ranks_transport(talus_mpi_ranks *ranks) {
  talus_transport transport = talus_transport_default();
  if (ranks != NULL) {
    transport.rank = ranks->rank;
    transport.size = ranks->size;
    transport.user = ranks;
    transport.exchange = mpi_exchange;
    transport.sum = mpi_sum;
    transport.largest = mpi_largest;
    transport.gather = mpi_gather;
    transport.fail = mpi_fail;
  }
  return transport;
}

/* ---- programs -------------------------------------------------------------------------------- */

static talus_mpi_ranks *program;

static int32_t neighbours_count(MPI_Comm comm) {
  MPI_Comm machine;
  int count = 1;
  if (MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine) == MPI_SUCCESS) {
    MPI_Comm_size(machine, &count);
    MPI_Comm_free(&machine);
  }
  return count;
}

talus_status talus_mpi_begin(talus_transport *transport, int32_t *neighbours) {
  int provided, begun = 0;
  MPI_Initialized(&begun);
  if (begun || program != NULL || transport == NULL || neighbours == NULL) {
    return TALUS_INVALID_ARGUMENT;
  }
  if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS) {
    return TALUS_RANKS_FAILED;
  }
  const talus_status status = ranks_make(MPI_COMM_WORLD, &program);
  if (status == TALUS_OK) {
    const uint32_t size = transport->struct_size;
    *transport = talus_mpi_ranks_transport(program);
    transport->struct_size = size;
    *neighbours = neighbours_count(program->comm);
  } else {
    MPI_Finalize();
  }
  return status;
}

void talus_mpi_end(void) {
  if (program != NULL) {
    talus_mpi_ranks_destroy(program);
    program = NULL;
    MPI_Finalize();
  }
}
