/* cost.c: what a factorisation costs, in passes over the contacts: so that sweeps can be weighed
 * against second-order methods before these have begun, and a device's dense factors against the
 * host's.
 *
 * In the space of the bodies the ordering of the matrix tells how many entries and operations its
 * factor will have: a stack of 4000 contacts is factored in the time of 30 passes, a heap of 3000
 * in that of a thousand. It is the ordering that factorisations begin with, so nothing of it is
 * lost if they come. A dense factor follows from the order alone. The numbers are nanoseconds, of
 * which only ratios matter: the host's on one core; the device's from its rates where it tells
 * them, else estimates that no GPU has confirmed. */
#include <math.h>

#include "host/method/method.h"
#include "host/method/newton/second_order.h"
#include "kernels/dense_backend.h"

/* One contact's turn in a sweep, by what it stands on. */
static const double SPHERES = 19, ARMS = 40, BLOCKS = 80, ROW = 28, ROW_BLOCK = 2.5;
/* A second-order step: blocks and right-hand sides of a constraint, triangular solves with their
 * refinement per entry of the factor, the factorisation per operation. */
static const double CONSTRAINT = 2400, CONSTRAINT_ROWS = 1000, ENTRY = 36, OPERATION = 0.03;
/* Writing the problem out and ordering it, per constraint. */
static const double ORDER = 2500;
/* Entries of the factor of W as a share of the square, on problems of 50 to 600 contacts; from
 * which share of blocks on W is taken for dense. */
static const double FILLED = 1.0 / 24, FULL = 0.25;

/* A device that does not tell its rates: a card whose double precision is slow. */
static const double PEAK = 5e11, BANDWIDTH = 5e11;
/* Dense factors reach this share of the peak; PANEL columns at a time, which follow one another: in
 * a factor, and in a triangular solve. */
static const double SHARE = 0.3, PANEL = 64, PANEL_FACTOR = 6e4, PANEL_SOLVE = 5e3;
/* Solutions for each factor, with refinement, each with both triangles. */
static const double SOLVES = 6;
/* A call of a library or a kernel, of which a step has CALLS; the host's wait for an answer; a byte
 * over the bus, of which each constraint has TRAVEL. Counted: docs/measured/dense.md. */
static const double CALL = 4e3, CALLS = 8, WAIT = 2e4, BYTE = 0.1, TRAVEL = 560;
/* A pass: two kernels that wait for each other, bytes of each contact as counted while a bed
 * settles (bench/device.py counts one at rest). */
static const double PASS = 8e3, PASS_BYTES = 882, PASS_BLOCK_BYTES = 76;

static double host_pass(const tl_shape *shape) {
  double cost = ROW_BLOCK * (double)shape->value_count;
  for (int32_t r = 0; r < shape->range_count; r++) {
    const int32_t kind = shape->range[r].kind;
    const double each = kind == TL_SPHERES  ? SPHERES
                        : kind == TL_ARMS   ? ARMS
                        : kind == TL_BLOCKS ? BLOCKS
                                            : ROW;
    cost += each * shape->range[r].count;
  }
  return cost > 0 ? cost : 1;
}

static tl_dense_rates rates_of(talus_context *context, const tl_dense_ops *ops) {
  tl_dense_rates rates = {0, 0};
  ops->rates(context, &rates);
  return rates;
}

static double bandwidth_of(const tl_dense_rates *rates) {
  return 1e-9 * (rates->bytes > 0 ? rates->bytes : BANDWIDTH);
}

static double pass_cost(const tl_run *run) {
  const tl_shape *const shape = &run->assembly->system.shape;
  const tl_dense_ops *const ops = tl_newton_dense(run);
  if (run->backend == TALUS_BACKEND_CPU || ops == NULL) {
    return host_pass(shape);
  }
  const tl_dense_rates rates = rates_of(run->context, ops);
  const double bytes =
      PASS_BYTES * shape->contact_count + PASS_BLOCK_BYTES * (double)shape->value_count;
  return PASS + bytes / bandwidth_of(&rates);
}

/* Rows of W are factored, of which those that take part differ from step to step: there is nothing
 * to order beforehand. */
static bool has_rows(const tl_shape *shape) {
  return TL_HAS_ROWS(shape) ||
         shape->contact_count <= tl_method_of(TALUS_METHOD_MNCP_PROX)->most_in_auto;
}

double tl_cost_order(const tl_run *run) {
  const tl_shape *const shape = &run->assembly->system.shape;
  return has_rows(shape) ? 0 : ORDER * shape->contact_count / pass_cost(run);
}

double tl_cost_on_host(const tl_cost_matrix *m) {
  const double each = m->rows ? CONSTRAINT_ROWS : CONSTRAINT;
  return each * m->constraints + ENTRY * m->entries + OPERATION * m->operations;
}

double tl_cost_on_device(const tl_cost_matrix *m, const tl_dense_rates *rates) {
  const double n = m->order, panels = ceil(n / PANEL);
  const double peak = 1e-9 * (rates->operations > 0 ? rates->operations : PEAK);
  const double factor = (m->symmetric ? 1 : 2) * n * n * n / 3 / (SHARE * peak);
  const double solve = WAIT + 2 * panels * PANEL_SOLVE + 8 * n * n / bandwidth_of(rates);
  const double own = (CONSTRAINT_ROWS + BYTE * TRAVEL) * m->constraints; /* the host's */
  return own + factor + panels * PANEL_FACTOR + SOLVES * solve + CALLS * CALL + WAIT;
}

bool tl_cost_device_thinkable(const tl_run *run) {
  const tl_shape *const shape = &run->assembly->system.shape;
  const double order = has_rows(shape)          ? 3.0 * shape->contact_count
                       : shape->block_count > 0 ? shape->velocity_size
                                                : 6.0 * shape->rigid_count;
  return tl_newton_dense(run) != NULL &&
         tl_newton_dense_serves(order + (has_rows(shape) ? 0 : 3.0 * shape->compliance_count));
}

/* *made = false: this build has no factorisation for it on the host. */
static talus_status matrix_foresee(tl_run *run, tl_cost_matrix *m, bool *made) {
  const tl_shape *const shape = &run->assembly->system.shape;
  const double rows = 3.0 * shape->contact_count;
  *made = true;
  *m = (tl_cost_matrix){.constraints = shape->contact_count,
                        .order = rows,
                        .rows = has_rows(shape),
                        .symmetric = run->settings->law == TALUS_LAW_CCP};
  if (m->rows) {
    m->entries = FILLED * rows * rows;
    return TALUS_OK;
  }
  const talus_status status = tl_newton_foresee(run, &m->order, &m->entries, &m->operations);
  *made = status != TALUS_UNSUPPORTED;
  m->entries = *made ? m->entries : INFINITY;
  return *made ? status : TALUS_OK;
}

/* W is dense on the host, too, if most of it is there: sweeps are not weighed against that. */
static void rows_fill(const tl_shape *shape, tl_cost_matrix *m) {
  if (m->rows && 9.0 * (double)shape->value_count >= FULL * m->order * m->order) {
    m->entries = m->order * m->order / 2;
    m->operations = (m->symmetric ? 1 : 2) * m->order * m->order * m->order / 3;
  }
}

/* Whether the device has the libraries, which are loaded here, and memory for their handles. It is
 * not asked again if it lacks one. A device that is lost says so again when it is to sweep. */
static talus_status device_open(tl_run *run, const tl_dense_ops *ops, bool *opened) {
  talus_context *const context = run->context;
  const talus_status status = ops->open(context);
  *opened = status == TALUS_OK;
  if (status != TALUS_UNSUPPORTED && status != TALUS_OUT_OF_MEMORY &&
      status != TALUS_DEVICE_ERROR) {
    return status;
  }
  tl_log(context, TALUS_LOG_INFO, "auto goes without factors: %s", talus_context_message(context));
  context->message[0] = 0;
  context->undense = status == TALUS_UNSUPPORTED;
  return TALUS_OK;
}

talus_status tl_cost_factor(tl_run *run, double *passes) {
  tl_cost_matrix m;
  bool made, opened = false;
  const bool on_host = run->backend == TALUS_BACKEND_CPU;
  *passes = INFINITY;
  if (!on_host && !tl_cost_device_thinkable(run)) {
    return TALUS_OK;
  }
  TL_TRY(matrix_foresee(run, &m, &made));
  if (on_host) {
    *passes = made ? tl_cost_on_host(&m) / pass_cost(run) : INFINITY;
    return TALUS_OK;
  }
  const tl_dense_ops *const ops = tl_newton_dense(run);
  const tl_dense_rates rates = rates_of(run->context, ops);
  rows_fill(&run->assembly->system.shape, &m);
  const double there = tl_cost_on_device(&m, &rates), here = tl_cost_on_host(&m);
  const double pass = pass_cost(run);
  if (there < here && tl_newton_dense_serves(m.order)) {
    TL_TRY(device_open(run, ops, &opened));
  }
  tl_log(
      run->context, TALUS_LOG_INFO,
      "a factorisation of order %.0f: %.3g ms on the device, %.3g on the host%s, %.3g for a pass",
      m.order, 1e-6 * there, 1e-6 * here, opened ? "" : " (none is made)", 1e-6 * pass);
  *passes = opened ? there / pass : INFINITY;
  return TALUS_OK;
}
