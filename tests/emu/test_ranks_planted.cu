/* test_ranks_planted.cu: which device a rank takes, and that a rank whose device has no memory left
 * keeps no other waiting; on emulated devices. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernels/cuda/device_cuda.h"
#include "talus/talus_ranks.h"
#include "tests/check.h"

namespace {

enum { RANKS = 3, EDGE = 24 };

/* A row of balls of which each rank gives a third. */
struct piece {
  double position[3 * EDGE], velocity[6 * EDGE], mass[EDGE], inertia[6 * EDGE];
  double normal[3 * EDGE], reach[EDGE], friction[EDGE];
  int32_t a[EDGE], b[EDGE];
  uint64_t id[EDGE];
  talus_problem problem;
};

void body_add(piece *p, int32_t *count, int32_t body) {
  const int32_t at = (*count)++;
  p->position[3 * at] = body + 0.5;
  p->velocity[6 * at] = body % 2 ? -0.01 : 0.01;
  p->mass[at] = 1;
  p->inertia[6 * at] = p->inertia[6 * at + 3] = p->inertia[6 * at + 5] = 10;
  p->id[at] = (uint64_t)body;
}

void piece_make(piece *p, int32_t rank) {
  const int32_t first = EDGE / RANKS * rank, end = first + EDGE / RANKS;
  int32_t bodies = 0, contacts = 0;
  memset((void *)p, 0, sizeof *p);
  for (int32_t i = first; i < end || (i == end && i < EDGE); i++) {
    body_add(p, &bodies, i);
  }
  for (int32_t k = 0; k + 1 < bodies; k++, contacts++) {
    p->a[k] = k;
    p->b[k] = k + 1;
    p->normal[3 * k] = 1;
    p->reach[k] = p->friction[k] = 0.5;
  }
  p->problem = talus_problem_default(TALUS_FORM_RIGID);
  p->problem.contact_count = contacts;
  p->problem.friction = p->friction;
  p->problem.positions = p->position;
  p->problem.brick_size = 3;
  p->problem.ids = p->id;
  p->problem.ghost_count = bodies - (end - first);
  talus_rigid *const r = &p->problem.rigid;
  r->body_count = bodies;
  r->velocity = p->velocity;
  r->inverse_mass = p->mass;
  r->inverse_inertia = p->inertia;
  r->body_a = p->a;
  r->body_b = p->b;
  r->normal = p->normal;
  r->reach_a = r->reach_b = p->reach;
}

struct seat {
  pthread_t thread;
  talus_thread_ranks *ranks;
  int32_t rank, wanted; /* wanted: def.device */
  int number;           /* of its device */
  talus_status status;
};

void *seat_run(void *argument) {
  seat *const own = (seat *)argument;
  const talus_transport transport = talus_thread_ranks_transport(own->ranks, own->rank);
  talus_context_def def = talus_context_def_default();
  talus_context *context = NULL;
  talus_solver *solver = NULL;
  piece p;
  def.threads = 1;
  def.backend = TALUS_BACKEND_CUDA;
  def.ranks = &transport;
  def.device = own->wanted;
  own->number = -1;
  own->status = talus_context_create(&def, &context);
  if (own->status != TALUS_OK) {
    transport.fail(transport.user, "no context");
    return NULL;
  }
  own->number = ((const tl_cuda_device *)context->device)->number;
  piece_make(&p, own->rank);
  own->status = talus_solver_create(context, NULL, &solver);
  own->status = own->status == TALUS_OK ? talus_solver_update(solver, &p.problem) : own->status;
  own->status = own->status == TALUS_OK ? talus_solver_solve(solver, NULL, NULL) : own->status;
  talus_solver_destroy(solver);
  talus_context_destroy(context);
  return NULL;
}

void ranks_run(int32_t wanted, seat *seats) {
  talus_thread_ranks *ranks = NULL;
  CHECK(talus_thread_ranks_create(RANKS, &ranks) == TALUS_OK);
  for (int32_t r = 0; r < RANKS; r++) {
    seats[r] = seat{};
    seats[r].ranks = ranks;
    seats[r].rank = r;
    seats[r].wanted = wanted;
    CHECK(pthread_create(&seats[r].thread, NULL, seat_run, &seats[r]) == 0);
  }
  for (int32_t r = 0; r < RANKS; r++) {
    pthread_join(seats[r].thread, NULL);
  }
  talus_thread_ranks_destroy(ranks);
}

/* Ranks take devices in turns, unless their def names one. */
void devices_check(void) {
  seat seats[RANKS];
  ranks_run(0, seats);
  for (int32_t r = 0; r < RANKS; r++) {
    CHECK_CASE(seats[r].status == TALUS_OK && seats[r].number == r % 2,
               "rank %d: status %d, device %d", r, seats[r].status, seats[r].number);
  }
  ranks_run(1, seats);
  for (int32_t r = 0; r < RANKS; r++) {
    CHECK_CASE(seats[r].status == TALUS_OK && seats[r].number == 1, "rank %d: status %d, device %d",
               r, seats[r].status, seats[r].number);
  }
}

/* All come back, one with its own failure. */
void memory_check(void) {
  seat seats[RANKS];
  int out = 0, told = 0;
  ranks_run(0, seats);
  for (int32_t r = 0; r < RANKS; r++) {
    out += seats[r].status == TALUS_OUT_OF_MEMORY;
    told += seats[r].status == TALUS_RANKS_FAILED;
  }
  CHECK_CASE(out == 1 && told == RANKS - 1, "%d ranks without memory, %d were told", out, told);
}

/* The emulation reads its settings once: each case has a process of its own. */
void in_child(const char *name, const char *value, void (*run)(void)) {
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    setenv(name, value, 1);
    run();
    fflush(stdout);
    _exit(check_end());
  }
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

} // namespace

int main(void) {
  in_child("EMU_DEVICES", "2", devices_check);
  for (const char *number : {"20", "24", "28", "32", "36", "40", "44"}) {
    in_child("EMU_FAIL_ALLOC", number, memory_check);
  }
  return check_end();
}
