/* bench_world.c: `talus bench world`: what a step of a world costs, and a simulated second.
 *
 * A bed of spheres in a box with hard walls is packed by drop and roll, settles for a while, and is
 * then timed with everything included. Beds of different sizes have the same depth unless told
 * otherwise, since depth decides how many passes a solve takes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "host/base/base.h"
#include "host/cli/bench.h"
#include "host/cli/cli.h"
#include "host/cli/json.h"
#include "host/cli/options.h"
#include "host/cli/progress.h"
#include "host/cli/ranks.h"
#include "talus/talus_world.h"

static const double RADIUS = 0.05, SPREAD = 0.1, PACKING = 0.58; /* m, -, solid volume in a bed */

typedef struct world_options {
  tl_bench_list grains;
  double layers, step, tolerance, accept, settle, friction, slop, bricks;
  int64_t steps, threads, substeps, iterations, certify;
  int law, method, precision, backend, json;
} world_options;

typedef struct world_result {
  int64_t grains, contacts, touching;
  double width, depth;                              /* of the bed, m */
  double seconds, collide, build, solve, project;   /* per step */
  double passes, epsilon;                           /* per step; the worst step */
  double overlap_mean, overlap_max;                 /* of the radius: last step, worst step */
  double kinetic_first, kinetic_last, kinetic_most; /* J */
  double energy_first, energy_last;                 /* kinetic and potential, J */
  double momentum_error;                            /* the worst step */
  int64_t accepted, halvings;
  int64_t device_steps;
  tl_device_counts counts; /* of all steps that were timed */
  double megabytes;        /* most held by the process so far */
} world_result;

static tl_parsed options_read(world_options *o, int argc, char **argv) {
  const char *grains = "1e3,8e3";
  *o = (world_options){.layers = 20,
                       .step = 1e-3,
                       .settle = 0.5,
                       .friction = 0.5,
                       .slop = 2e-4,
                       .steps = 50,
                       .threads = 1,
                       .substeps = 1,
                       .iterations = 0,
                       .certify = 1,
                       .precision = TALUS_PRECISION_AUTO,
                       .backend = TALUS_BACKEND_CPU};
  const tl_option table[] = {
      {"grains", TL_OPTION_TEXT, &grains, "N,...", "sizes of the beds (default 1e3,8e3)", 0, 0, 0},
      {"layers", TL_OPTION_REAL, &o->layers, "X", "depth of the beds in diameters (default 20)", 1,
       1e4, 0},
      {"law", TL_OPTION_CHOICE, &o->law, tl_cli_laws, "default coulomb", 0, 0, 0},
      {"method", TL_OPTION_CHOICE, &o->method, tl_cli_method,
       "one that takes the circular cone (default auto)", 0, 0, 0},
      {"precision", TL_OPTION_CHOICE, &o->precision, tl_cli_precisions, "default auto", 0, 0, 0},
      {"tol", TL_OPTION_REAL, &o->tolerance, "X", "default 0: what a world aims at by itself", 0, 1,
       0},
      {"accept", TL_OPTION_REAL, &o->accept, "X", "default 0: ten times that", 0, 1e9, 0},
      {"max-iterations", TL_OPTION_INTEGER, &o->iterations, "N",
       "per solve (default 0: as a world has it)", 0, 1e9, 0},
      {"certify", TL_OPTION_INTEGER, &o->certify, "N",
       "1: every step is certified; N: every Nth; 0: those that fail (default 1)", 0, 1e9, 0},
      {"step", TL_OPTION_REAL, &o->step, "S", "time step, s (default 1e-3)", 0, 1, 1},
      {"substeps", TL_OPTION_INTEGER, &o->substeps, "N", "default 1", 1, 1e5, 0},
      {"slop", TL_OPTION_REAL, &o->slop, "X", "of the radius (default 2e-4)", 0, 1, 0},
      {"friction", TL_OPTION_REAL, &o->friction, "X", "default 0.5", 0, 10, 0},
      {"settle", TL_OPTION_REAL, &o->settle, "S", "simulated before it is timed, s (default 0.5)",
       0, 1e6, 0},
      {"steps", TL_OPTION_INTEGER, &o->steps, "N", "that are timed (default 50)", 1, 1e9, 0},
      {"threads", TL_OPTION_INTEGER, &o->threads, "N", "default 1", 1, 1024, 0},
      {"bricks", TL_OPTION_REAL, &o->bricks, "X",
       "edge of the bricks of a world, in diameters (default 0: none)", 0, 1e6, 0},
      {"backend", TL_OPTION_CHOICE, &o->backend, tl_cli_backends, "default cpu", 0, 0, 0},
      {"json", TL_OPTION_FLAG, &o->json, NULL, "report as JSON, alone on stdout", 0, 0, 0},
      {0}};
  const tl_command command = {
      .name = "bench world",
      .summary = "Measures what a step of a settled bed of spheres (radius 5 cm) costs, with "
                 "everything\nincluded, and a simulated second.",
      .positional = "",
      .notes =
          "The machine should be idle. Overlap is of the mean radius. mpirun -n N talus bench\n"
          "world --bricks 8 measures the first of N processes.\n"
          "exit code: 0 measured, 2 bad usage, 3 a step failed\n",
      .options = table};
  const tl_parsed parsed = tl_options_parse(&command, argc, argv);
  if (parsed == TL_PARSED_OK &&
      tl_bench_numbers_read("grains", grains, 1, 1e8, 1, &o->grains) != TL_EXIT_OK) {
    return TL_PARSED_BAD;
  }
  return parsed;
}

/* Floor and four walls about the packed spheres. */
static talus_status walls_add(talus_world *world, int32_t material, const double *low,
                              const double *high) {
  const double h = sqrt(0.5);
  const double turn[5][4] = {
      {1, 0, 0, 0}, {h, 0, h, 0}, {h, 0, -h, 0}, {h, -h, 0, 0}, {h, h, 0, 0}};
  talus_body_def def = talus_body_def_default();
  int32_t body;
  def.type = TALUS_BODY_FIXED;
  talus_status status = talus_body_add(world, &def, &body);
  for (int i = 0; i < 5 && status == TALUS_OK; i++) {
    talus_shape_def shape = talus_shape_def_default(TALUS_SHAPE_HALFSPACE);
    shape.material = material;
    memcpy(shape.orientation, turn[i], sizeof turn[i]);
    memcpy(shape.position, i == 0 || i % 2 == 1 ? low : high, sizeof shape.position);
    status = talus_shape_add(world, body, &shape, NULL);
  }
  return status;
}

static talus_status grains_add(talus_world *world, const talus_stored *bed, int32_t material) {
  talus_status status = TALUS_OK;
  for (int64_t i = 0; i < bed->problem.rigid.body_count && status == TALUS_OK; i++) {
    talus_body_def def = talus_body_def_default();
    int32_t body;
    memcpy(def.position, bed->position + 3 * i, sizeof def.position);
    status = talus_body_add(world, &def, &body);
    if (status == TALUS_OK) {
      talus_shape_def shape = talus_shape_def_default(TALUS_SHAPE_SPHERE);
      shape.material = material;
      shape.radius = bed->radius[i];
      status = talus_shape_add(world, body, &shape, NULL);
    }
  }
  return status;
}

static talus_status bed_build(const world_options *o, talus_world *world, const talus_stored *bed,
                              world_result *result) {
  double low[3] = {INFINITY, INFINITY, 0}, high[3] = {-INFINITY, -INFINITY, 0};
  for (int64_t i = 0; i < bed->problem.rigid.body_count; i++) {
    for (int c = 0; c < 3; c++) {
      low[c] = fmin(low[c], bed->position[3 * i + c] - bed->radius[i]);
      high[c] = fmax(high[c], bed->position[3 * i + c] + bed->radius[i]);
    }
  }
  result->width = high[0] - low[0];
  result->depth = high[2] - low[2];
  talus_material_def def = talus_material_def_default();
  def.friction = o->friction;
  int32_t material;
  talus_status status = talus_material_add(world, &def, &material);
  status = status == TALUS_OK ? walls_add(world, material, low, high) : status;
  return status == TALUS_OK ? grains_add(world, bed, material) : status;
}

static talus_status bed_generate(talus_context *context, const world_options *o, double grains,
                                 talus_stored **bed) {
  talus_generate_def def = talus_generate_def_default(TALUS_GENERATE_HEAP);
  const double volume = grains * 4.0 / 3 * 3.141592653589793 * RADIUS * RADIUS * RADIUS / PACKING;
  const double depth = 2 * RADIUS * o->layers;
  def.body_count = (int32_t)grains;
  def.radius = RADIUS;
  def.spread = SPREAD;
  def.aspect = depth / sqrt(volume / depth);
  return talus_problem_generate(context, &def, bed);
}

static void step_add(const talus_step_report *report, int first, world_result *r) {
  r->seconds += report->seconds;
  r->collide += report->seconds_collide;
  r->build += report->seconds_build;
  r->solve += report->seconds_solve;
  r->project += report->seconds_project;
  r->passes += (double)report->passes;
  r->epsilon = fmax(r->epsilon, report->epsilon);
  r->overlap_mean = report->penetration_mean / RADIUS;
  r->overlap_max = fmax(r->overlap_max, report->penetration_max / RADIUS);
  const double energy = report->kinetic + report->potential;
  if (first) {
    r->kinetic_first = report->kinetic;
    r->energy_first = energy;
  }
  r->kinetic_last = report->kinetic;
  r->kinetic_most = fmax(r->kinetic_most, report->kinetic);
  r->energy_last = energy;
  r->momentum_error = fmax(r->momentum_error, report->momentum_error);
  r->contacts = report->contact_count;
  r->touching = report->touching_count;
  r->accepted += report->accepted;
  r->halvings += report->halvings;
  r->device_steps += report->resident != 0;
}

static tl_device_counts counts_between(const tl_device_counts *a, const tl_device_counts *b) {
  return (tl_device_counts){.launches = b->launches - a->launches,
                            .graphs = b->graphs - a->graphs,
                            .copies = b->copies - a->copies,
                            .waits = b->waits - a->waits,
                            .allocations = b->allocations - a->allocations,
                            .recordings = b->recordings - a->recordings,
                            .bytes = b->bytes - a->bytes};
}

static talus_status bed_time(const talus_context *context, const world_options *o,
                             talus_world *world, world_result *r) {
  const int64_t before = (int64_t)ceil(o->settle / o->step - 1e-9);
  talus_step_report report = talus_step_report_default();
  tl_device_counts begin = context->counts;
  for (int64_t i = 0; i < before + o->steps && !tl_progress_interrupted(); i++) {
    const talus_status status = talus_world_step(world, &report);
    if (status != TALUS_OK) {
      return status;
    }
    if (i + 1 == before) {
      begin = context->counts;
    }
    if (i >= before) {
      step_add(&report, i == before, r);
    }
  }
  r->counts = counts_between(&begin, &context->counts);
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  r->megabytes = (double)usage.ru_maxrss / 1024;
  const double n = (double)o->steps;
  double *const mean[] = {&r->seconds, &r->collide, &r->build, &r->solve, &r->project, &r->passes};
  for (size_t i = 0; i < sizeof mean / sizeof *mean; i++) {
    *mean[i] /= n;
  }
  return TALUS_OK;
}

static talus_status bed_run(talus_context *context, const world_options *o, double grains,
                            world_result *result) {
  talus_stored *bed = NULL;
  talus_world *world = NULL;
  talus_world_def def = talus_world_def_default();
  def.step = o->step;
  def.substeps = (int32_t)o->substeps;
  def.slop = o->slop;
  def.tolerance = o->tolerance;
  def.brick_size = 2 * RADIUS * o->bricks;
  def.accept = o->accept;
  def.solver.law = (talus_law)o->law;
  def.solver.method = (talus_method)o->method;
  def.solver.precision = (talus_precision)o->precision;
  def.solver.max_iterations = o->iterations;
  def.solver.certify = o->certify;
  talus_status status = bed_generate(context, o, grains, &bed);
  if (status == TALUS_OK) {
    result->grains = bed->problem.rigid.body_count;
    status = talus_world_create(context, &def, &world);
  }
  status = status == TALUS_OK ? bed_build(o, world, bed, result) : status;
  talus_stored_destroy(bed);
  status = status == TALUS_OK ? bed_time(context, o, world, result) : status;
  talus_world_destroy(world);
  return status;
}

static void print_head(const world_options *o) {
  printf("beds of spheres %g layers deep, %s, step %g ms%s, %lld thread(s); %lld steps after %g s\n"
         "%9s %9s | %8s = %7s %7s %8s %7s | %7s %8s | %9s %9s | %9s %7s\n",
         o->layers, o->law == TALUS_LAW_COULOMB ? "exact law" : "convex law", 1e3 * o->step,
         o->substeps > 1 ? " (cut)" : "", (long long)o->threads, (long long)o->steps, o->settle,
         "grains", "contacts", "ms/step", "collide", "build", "solve", "project", "passes",
         "epsilon", "overlap %", "max %", "s/(sim s)", "MB");
}

/* What a step asked of the device. */
static void print_device(const world_options *o, const world_result *r) {
  const double n = (double)o->steps;
  const tl_device_counts *const c = &r->counts;
  printf("%19s   %lld of %lld steps on the device; per step: %.1f launches, %.2f graphs (%.2f "
         "recorded), %.1f copies and\n%19s   fills, %.2f waits, %.2f allocations, %.0f bytes over "
         "the bus\n",
         "", (long long)r->device_steps, (long long)o->steps, (double)c->launches / n,
         (double)c->graphs / n, (double)c->recordings / n, (double)c->copies / n, "",
         (double)c->waits / n, (double)c->allocations / n, (double)c->bytes / n);
}

static void print_row(const world_options *o, const world_result *r) {
  printf("%9lld %9lld | %8.2f = %7.2f %7.2f %8.2f %7.2f | %7.1f %8.2g | %9.2g %9.2g | %9.2f %7.0f",
         (long long)r->grains, (long long)r->contacts, 1e3 * r->seconds, 1e3 * r->collide,
         1e3 * r->build, 1e3 * r->solve, 1e3 * r->project, r->passes, r->epsilon,
         100 * r->overlap_mean, 100 * r->overlap_max, r->seconds / o->step, r->megabytes);
  printf(r->accepted > 0 ? "  (%lld steps above the tolerance)\n" : "\n", (long long)r->accepted);
  printf("%19s   kinetic energy %.3g J at first, %.3g J at last, %.3g J at most; with potential "
         "energy %+.3g J;\n%19s   momentum balance %.1e\n",
         "", r->kinetic_first, r->kinetic_last, r->kinetic_most, r->energy_last - r->energy_first,
         "", r->momentum_error);
  if (r->counts.launches > 0) {
    print_device(o, r);
  }
  fflush(stdout);
}

static void print_json(const world_options *o, const world_result *result, int count) {
  tl_json json = tl_json_begin(stdout);
  tl_json_object(&json, NULL);
  tl_json_text(&json, "law", talus_law_name((talus_law)o->law));
  tl_json_text(&json, "precision", talus_precision_name((talus_precision)o->precision));
  tl_json_real(&json, "layers", o->layers);
  tl_json_real(&json, "step", o->step);
  tl_json_integer(&json, "threads", o->threads);
  tl_json_integer(&json, "steps", o->steps);
  tl_json_array(&json, "beds");
  for (int i = 0; i < count; i++) {
    const world_result *const r = &result[i];
    tl_json_object(&json, NULL);
    tl_json_integer(&json, "grains", r->grains);
    tl_json_integer(&json, "contacts", r->contacts);
    tl_json_integer(&json, "touching", r->touching);
    tl_json_real(&json, "width", r->width);
    tl_json_real(&json, "depth", r->depth);
    tl_json_real(&json, "seconds_per_step", r->seconds);
    tl_json_real(&json, "collide", r->collide);
    tl_json_real(&json, "build", r->build);
    tl_json_real(&json, "solve", r->solve);
    tl_json_real(&json, "project", r->project);
    tl_json_real(&json, "passes", r->passes);
    tl_json_real(&json, "epsilon", r->epsilon);
    tl_json_real(&json, "overlap_mean", r->overlap_mean);
    tl_json_real(&json, "overlap_max", r->overlap_max);
    tl_json_real(&json, "kinetic_first", r->kinetic_first);
    tl_json_real(&json, "kinetic_last", r->kinetic_last);
    tl_json_real(&json, "kinetic_most", r->kinetic_most);
    tl_json_real(&json, "energy_change", r->energy_last - r->energy_first);
    tl_json_real(&json, "momentum_error", r->momentum_error);
    tl_json_integer(&json, "accepted", r->accepted);
    tl_json_integer(&json, "halvings", r->halvings);
    tl_json_real(&json, "seconds_per_simulated_second", r->seconds / o->step);
    tl_json_real(&json, "megabytes", r->megabytes);
    tl_json_integer(&json, "device_steps", r->device_steps);
    tl_json_integer(&json, "device_launches", r->counts.launches);
    tl_json_integer(&json, "device_graphs", r->counts.graphs);
    tl_json_integer(&json, "device_recordings", r->counts.recordings);
    tl_json_integer(&json, "device_copies", r->counts.copies);
    tl_json_integer(&json, "device_waits", r->counts.waits);
    tl_json_integer(&json, "device_allocations", r->counts.allocations);
    tl_json_integer(&json, "device_bus_bytes", r->counts.bytes);
    tl_json_object_end(&json);
  }
  tl_json_array_end(&json);
  tl_json_object_end(&json);
  tl_json_end(&json);
}

/* Beds one after the other, by all processes; the first one tells. */
static int beds_run(talus_context *context, const world_options *o) {
  world_result result[TL_BENCH_MOST] = {{0}};
  int code = TL_EXIT_OK, count = 0;
  if (!o->json && tl_cli_ranks_speaks()) {
    print_head(o);
  }
  while (count < o->grains.count && code == TL_EXIT_OK &&
         !tl_cli_ranks_any(tl_progress_interrupted())) {
    const talus_status status = bed_run(context, o, o->grains.value[count], &result[count]);
    if (status != TALUS_OK) {
      tl_cli_fail_status(context, status, "the bed");
      code = status == TALUS_STEP_FAILED ? TL_EXIT_NOT_CONVERGED : TL_EXIT_BAD;
    } else if (!o->json && tl_cli_ranks_speaks()) {
      print_row(o, &result[count]);
    }
    count += code == TL_EXIT_OK;
  }
  if (o->json && code == TL_EXIT_OK && tl_cli_ranks_speaks()) {
    print_json(o, result, count);
  }
  return code;
}

/* As one of several processes if there are. */
static int bench_joined(const world_options *o) {
  talus_context *context = NULL;
  int code = tl_cli_ranks_agree(
      tl_cli_context_open((talus_backend_kind)o->backend, o->threads, 0, &context));
  if (code == TL_EXIT_OK) {
    code = tl_cli_ranks_agree(beds_run(context, o));
  }
  talus_context_destroy(context);
  return code;
}

int tl_cli_bench_world(int argc, char **argv) {
  world_options o;
  int code = tl_cli_ranks_begin();
  if (code == TL_EXIT_OK) {
    const tl_parsed parsed = tl_cli_ranks_parsed(options_read(&o, argc, argv));
    code = parsed == TL_PARSED_OK    ? bench_joined(&o)
           : parsed == TL_PARSED_BAD ? TL_EXIT_BAD
                                     : TL_EXIT_OK;
  }
  tl_cli_ranks_end();
  return code;
}
