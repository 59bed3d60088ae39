/* method.h: every method as data: one descriptor each, in one table (table.c).
 *
 * Names, checks of settings, the choice of `auto`, colours, costs and workspaces read the table. */
#ifndef TL_METHOD_H
#define TL_METHOD_H

#include "host/method/run.h"

typedef enum tl_method_family {
  TL_FAMILY_AUTO = 0,
  TL_FAMILY_FIRST_ORDER, /* passes over the contacts by an engine */
  TL_FAMILY_NEWTON,      /* factorisations, on the host's arrays */
  TL_FAMILY_SMALL        /* W written out */
} tl_method_family;

typedef struct tl_method {
  talus_method id;
  const char *name, *text;
  tl_method_family family;
  uint32_t laws, cones, precisions; /* bits 1 << talus_law, talus_cone, talus_precision */
  uint32_t backends;                /* bits 1 << talus_backend_kind on which its engine may be */
  int32_t order;                    /* of convergence near a solution */
  bool sweeps;                      /* goes from contact to contact, which needs colours */
  int32_t sweeps_from;              /* begins with sweeps from so many constraints on; 0: never */
  bool scaled;                      /* first order: steps in the metric S */
  bool phases;                      /* small: a plan of phases that any backend carries out */
  int32_t most;                     /* constraints that it takes; 0: any number */
  int32_t most_in_auto;       /* constraints up to which `auto` takes it; 0: it has no bound */
  int32_t most_dense;         /* constraints up to which it begins with W written out; 0: never */
  talus_method for_other_law; /* which method to take for a law that it does not have */
  /* First order: sets the rule's fields beyond law, filter and cap, and L to start from; the
   * kind of iteration that follows the rule. */
  talus_status (*prepare)(tl_run *run, tl_rule *rule);
  tl_iteration iteration;
  /* Newton: the whole attempt: starts from the kept impulses, offers better ones; *done: the run is
   * over. */
  talus_status (*attempt)(tl_run *run, bool *done);
  /* Small: improves small->best. */
  talus_status (*solve)(struct tl_small *small, tl_run *run);
} tl_method;

/* Of any method; AUTO has a descriptor too. */
const tl_method *tl_method_of(talus_method id);
/* Whether a method, by name, sweeps at some time with so many constraints. */
bool tl_method_colours(const tl_method *method, int32_t constraints);
/* Whether W is written out whatever the size: a small method by name, or a faceted cone. */
bool tl_settings_small(const talus_settings *settings);

/* ---- auto.c ---------------------------------------------------------------------------------- */

/* One attempt: a method with its momentum and filter, and how long it may go without progress. */
typedef struct tl_attempt {
  bool skip; /* not for these settings and this problem */
  const tl_method *method;
  talus_status (*attempt)(tl_run *run, bool *done); /* NULL: the method's own */
  double cap, filter;
  double late_cap;  /* the cap after many passes, when the problem is a hard one */
  int64_t patience; /* passes without the residual falling by a tenth */
  double leap;      /* a residual this much above the best means that the step is too long */
  int64_t budget;   /* passes after which the next attempt takes over; 0: none */
  bool last;        /* nothing comes after: patience grows with the passes made */
  double rival;     /* > 0: after the budget it goes on while its rate promises an end within the
                     * passes that so many factorisations cost */
} tl_attempt;

enum { TL_ATTEMPTS = 11 };

/* The attempts for these settings, in order; returns how many. */
int32_t tl_attempts_plan(const tl_run *run, tl_attempt attempts[TL_ATTEMPTS]);
/* So many passes, whatever they gain. */
tl_attempt tl_attempt_sweeps(const tl_run *run, int64_t budget);
tl_attempt tl_attempt_gradient(const tl_run *run, int64_t budget);

/* ---- cost.c ---------------------------------------------------------------------------------- */

struct tl_dense_rates;

/* A matrix as far as its factors' cost goes. */
typedef struct tl_cost_matrix {
  double constraints, order;
  double entries, operations; /* of a factor on the host, sparse where it is one */
  bool rows;                  /* it is of W's rows, else of the bodies' freedoms */
  bool symmetric;             /* a dense factor is one of Cholesky */
} tl_cost_matrix;

/* Nanoseconds of a second-order step with factors on the host, with dense ones on a device. */
double tl_cost_on_host(const tl_cost_matrix *m);
double tl_cost_on_device(const tl_cost_matrix *m, const struct tl_dense_rates *rates);
/* What a factorisation costs, in passes of the run's backend. INFINITY: this build has none for
 * this size; or the run is on a device, which would not be sooner with it than the host, or lacks a
 * library. */
talus_status tl_cost_factor(tl_run *run, double *passes);
/* What it costs to know that, in passes. */
double tl_cost_order(const tl_run *run);
/* Whether the run is on a device that may have its matrix, as far as can be said at once. */
bool tl_cost_device_thinkable(const tl_run *run);

/* ---- memory of the families ------------------------------------------------------------------ */

/* Another problem has come. */
void tl_method_memory_forget(tl_method_memory *memory);
int64_t tl_method_memory_bytes(const tl_method_memory *memory);
void tl_method_memory_release(talus_context *context, tl_method_memory *memory);

#endif
