/* fleet.h: many couplings stepped together.
 *
 *   fleet.c        life; steps on the CPU, one coupling per thread
 *   fleet_copy.c   the parts of one coupling's step
 *   fleet_device.c steps with a device, part by part for all */
#ifndef TL_FLEET_H
#define TL_FLEET_H

#include "host/mechanism/workers.h"
#include "host/solve/batch.h"

/* A coupling in the middle of a step. */
typedef struct tl_copy {
  tl_buffer touches, impulses, states;
  talus_touch *touch;
  int32_t touch_count;
  int saved, failed;     /* states holds the state before the step; it takes no further part */
  talus_problem problem; /* its rows are 0 where nothing is to be solved */
  talus_solution solution;
  talus_info info;
  talus_status solved;       /* what the solve returned */
  talus_fleet_report report; /* what its steps came to */
} tl_copy;

struct talus_fleet {
  talus_context *context;
  talus_fleet_def def;
  talus_coupling **coupling; /* [count] */
  int32_t threads;
  int device;                  /* steps go part by part */
  tl_mechanism_worker *worker; /* [threads] */
  tl_batch_workers workers;
  int32_t copy_count; /* a thread each, or a coupling each on a device */
  tl_copy *copy;
  int32_t steps; /* of the call under way */
  /* on a device */
  tl_forward forward;
  int32_t *first; /* [count + 1] a coupling's evaluations among those of forward */
  tl_buffer problems, solutions, infos, statuses, owners;
};

/* ---- fleet_copy.c: parts of a step of coupling i; the state is not touched before the end ---- */

/* To midpoint, if that is the scheme; contacts. */
talus_status tl_copy_begin(const talus_fleet *fleet, int32_t i, tl_copy *copy);
/* The problem, and where its solution goes; accelerations of the coupling are known. */
talus_status tl_copy_build(const talus_fleet *fleet, int32_t i, tl_copy *copy);
/* Whether there is anything to solve. */
bool tl_copy_has_problem(const tl_copy *copy);
/* Counts what was solved; STEP_FAILED if it is not to be used. */
talus_status tl_copy_check(const talus_fleet *fleet, int32_t i, tl_copy *copy);
/* The problem of the second phase, if there is one. */
talus_status tl_copy_rebound(const talus_fleet *fleet, int32_t i, tl_copy *copy);
talus_status tl_copy_end(const talus_fleet *fleet, int32_t i, tl_copy *copy);
/* Back to the state before the step; the coupling is counted as failed. */
void tl_copy_undo(const talus_fleet *fleet, int32_t i, tl_copy *copy);
void tl_copy_release(talus_context *context, tl_copy *copy);
/* sum += part */
void tl_copy_report_add(talus_fleet_report *sum, const talus_fleet_report *part);

/* ---- fleet_device.c -------------------------------------------------------------------------- */

/* Whether the context has a device that is worth it for any part of the steps. */
bool tl_fleet_on_device(const talus_fleet *fleet);
/* Memory for it; the fleet is half-built if that fails. */
talus_status tl_fleet_device_open(talus_fleet *fleet);
talus_status tl_fleet_device_step(talus_fleet *fleet);
void tl_fleet_device_close(talus_fleet *fleet);

#endif
