/* mpi_program.c: as test_ranks.c, with processes of MPI: `mpirun -n 4 mpi_program`. Each solves the
 * whole by itself too and compares; then a piece that is bad on one rank is refused on all. With a
 * word it solves until it is killed. */
#include <mpi.h>
#include <unistd.h>

#include "host/mpi/talus_mpi.h"
#include "tests/check.h"
#include "tests/ranks/pieces.h"

/* What all ranks have put into arrays that were 0, bit by bit. */
static void put_together(double *array, int64_t count) {
  MPI_Allreduce(MPI_IN_PLACE, array, (int)(count * (int64_t)sizeof *array), MPI_BYTE, MPI_BOR,
                MPI_COMM_WORLD);
}

static void case_run(talus_context *context, const bed *d, int i, int32_t rank, int32_t size) {
  static const talus_method methods[] = {TALUS_METHOD_GAUSS_SEIDEL_NESTEROV, TALUS_METHOD_APGDB};
  solved s, alone;
  piece p;
  talus_info info = talus_info_default(), own = talus_info_default();
  solved_make(&s, d, i % 2, 3);
  s.settings.method = methods[i % 2];
  s.settings.precision = i / 2 ? TALUS_F32 : TALUS_F64;
  s.settings.max_iterations = 30;
  piece_make(&p, &s, rank, size);
  CHECK_CASE(piece_solve(context, &p, &s, rank, size, &info) == TALUS_OK, "rank %d: %s", rank,
             talus_context_message(context));
  put_together(s.impulse, 3 * (int64_t)d->contact_count);
  put_together(s.contact_velocity, 3 * (int64_t)d->contact_count);
  put_together(s.row, d->row_count);
  put_together(s.velocity, 6 * (int64_t)d->body_count);
  solved_make(&alone, d, i % 2, 3);
  alone.settings = s.settings;
  CHECK_CASE(solved_alone(&alone, &own) == solved_hash(&s), "case %d, rank %d of %d", i, rank,
             size);
  CHECK(own.measure == info.measure && own.passes == info.passes);
  p.problem.ids = rank == size - 1 ? NULL : p.id;
  CHECK(piece_solve(context, &p, &s, rank, size, &info) != TALUS_OK);
  CHECK(strstr(talus_context_message(context), "problem.ids is NULL") != NULL);
  piece_release(&p);
  solved_release(&s);
  solved_release(&alone);
}

/* A solve without end, to be killed (killed.sh): says the process of the last rank. */
static void solve_long(talus_context *context, const bed *d, int32_t rank, int32_t size) {
  solved s;
  piece p;
  talus_info info = talus_info_default();
  solved_make(&s, d, 0, 3);
  s.settings.method = TALUS_METHOD_GAUSS_SEIDEL;
  s.settings.fixed_iterations = INT32_MAX;
  piece_make(&p, &s, rank, size);
  if (rank == size - 1) {
    printf("process %ld\n", (long)getpid());
    fflush(stdout);
  }
  piece_solve(context, &p, &s, rank, size, &info);
  piece_release(&p);
  solved_release(&s);
}

int main(int count, char **words) {
  talus_mpi_ranks *ranks = NULL;
  talus_context *context = NULL;
  bed d;
  MPI_Init(&count, &words);
  CHECK(talus_mpi_ranks_create(NULL, &ranks) == TALUS_OK);
  const talus_transport transport = talus_mpi_ranks_transport(ranks);
  talus_context_def def = talus_context_def_default();
  def.threads = 1;
  def.backend = TALUS_BACKEND_CPU;
  def.ranks = &transport;
  CHECK(talus_context_create(&def, &context) == TALUS_OK);
  bed_make(&d, 7, 1, 1);
  if (count > 1) {
    solve_long(context, &d, transport.rank, transport.size);
  }
  for (int i = 0; i < 4; i++) {
    case_run(context, &d, i, transport.rank, transport.size);
  }
  bed_release(&d);
  talus_context_destroy(context);
  talus_mpi_ranks_destroy(ranks);
  MPI_Finalize();
  return check_end();
}
