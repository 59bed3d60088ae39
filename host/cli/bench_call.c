/* bench_call.c: `talus bench call`: what one call costs a program that solves small problems often.
 *
 * A kept solver is given the same problem of a few contacts again and again: from nothing, and from
 * its own solution, where no iteration is needed: what remains is all that is not iterating, check,
 * assembly, one residual, the certificate and the results. The best of many rounds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/base/base.h"
#include "host/cli/bench.h"
#include "host/cli/cli.h"
#include "host/cli/json.h"
#include "host/cli/options.h"

enum { ROUNDS = 40, CALLS = 200, MOST = 64 };

typedef struct call_options {
  int64_t contacts;
  int method, law, json;
  double tolerance;
} call_options;

/* Spheres side by side on the ground, every other one sliding; in form (a), or the same as (b). */
typedef struct row_of_spheres {
  double velocity[6 * MOST], inverse_mass[MOST], inertia[6 * MOST], normal[3 * MOST], zero[MOST],
      reach[MOST], friction[MOST], block[36 * MOST], jacobian[18 * MOST];
  int32_t ground[MOST], body[MOST], size[MOST];
  int64_t start[MOST + 1];
} row_of_spheres;

typedef struct call_result {
  const char *name;
  double cold, warm; /* s */
  int64_t passes_cold, passes_warm;
} call_result;

static void spheres_fill(row_of_spheres *s, int count) {
  memset(s, 0, sizeof *s);
  for (int i = 0; i < count; i++) {
    const double velocity[3] = {i % 2 == 0 ? 0.1 : 0.001, 0, -0.01};
    memcpy(s->velocity + 6 * i, velocity, sizeof velocity);
    s->inverse_mass[i] = s->reach[i] = s->normal[3 * i + 2] = 1;
    s->inertia[6 * i] = s->inertia[6 * i + 3] = s->inertia[6 * i + 5] = 2.5;
    s->friction[i] = 0.5;
    s->ground[i] = -1;
    s->body[i] = i;
    s->size[i] = 6;
    s->start[i + 1] = i + 1;
    for (int j = 0; j < 6; j++) {
      s->block[36 * i + 7 * j] = j < 3 ? 1 : 2.5;
    }
    double *const n = s->jacobian + 18 * i, *const t1 = n + 6, *const t2 = t1 + 6;
    n[2] = t1[0] = t2[1] = 1; /* at the point below the centre: u_x = v_x - w_y, u_y = v_y + w_x */
    t1[4] = -1;
    t2[3] = 1;
  }
}

static talus_problem problem_of(const row_of_spheres *s, int count, talus_form form) {
  talus_problem p = talus_problem_default(form);
  p.contact_count = count;
  p.friction = s->friction;
  p.rigid.body_count = p.blocks.block_count = count;
  p.rigid.velocity = p.blocks.velocity = s->velocity;
  p.rigid.inverse_mass = s->inverse_mass;
  p.rigid.inverse_inertia = s->inertia;
  p.rigid.body_a = s->ground;
  p.rigid.body_b = s->body;
  p.rigid.normal = s->normal;
  p.rigid.reach_a = s->zero;
  p.rigid.reach_b = s->reach;
  p.blocks.block_size = s->size;
  p.blocks.inverse_mass = s->block;
  p.blocks.contact_start = s->start;
  p.blocks.contact_block = s->body;
  p.blocks.contact_jacobian = s->jacobian;
  return p;
}

/* Of one update and solve; from 0 if cold, else from what is in the solution. */
static talus_status calls_time(talus_solver *solver, const talus_problem *problem, int cold,
                               talus_solution *solution, double *seconds, int64_t *passes) {
  const size_t bytes = 3 * (size_t)problem->contact_count * sizeof(double);
  talus_info info = talus_info_default();
  *seconds = 1e9;
  for (int round = 0; round < ROUNDS; round++) {
    const double begin = tl_clock();
    for (int i = 0; i < CALLS; i++) {
      if (cold) {
        memset(solution->impulse, 0, bytes);
      }
      talus_status status = talus_solver_update(solver, problem);
      if (status == TALUS_OK) {
        status = talus_solver_solve(solver, solution, &info);
      }
      if (status != TALUS_OK) {
        return status;
      }
    }
    const double each = (tl_clock() - begin) / CALLS;
    *seconds = each < *seconds ? each : *seconds;
  }
  *passes = info.passes;
  return TALUS_OK;
}

static talus_status form_measure(talus_context *context, const call_options *o, talus_form form,
                                 call_result *result) {
  static row_of_spheres spheres;
  double impulse[3 * MOST], velocity[6 * MOST];
  talus_settings settings = talus_settings_default();
  talus_solution solution = talus_solution_default();
  talus_solver *solver;
  settings.method = (talus_method)o->method;
  settings.law = (talus_law)o->law;
  settings.tolerance = o->tolerance;
  settings.warm_start = 1;
  solution.impulse = impulse;
  solution.velocity = velocity;
  spheres_fill(&spheres, (int)o->contacts);
  const talus_problem problem = problem_of(&spheres, (int)o->contacts, form);
  talus_status status = talus_solver_create(context, &settings, &solver);
  if (status == TALUS_OK) {
    status = calls_time(solver, &problem, 1, &solution, &result->cold, &result->passes_cold);
  }
  if (status == TALUS_OK) {
    status = calls_time(solver, &problem, 0, &solution, &result->warm, &result->passes_warm);
  }
  talus_solver_destroy(solver);
  return status;
}

static void results_print(const call_options *o, const call_result *result, int count) {
  printf("%lld contact%s, method %s, tolerance %g: microseconds of one update and solve\n\n",
         (long long)o->contacts, o->contacts == 1 ? "" : "s",
         talus_method_name((talus_method)o->method), o->tolerance);
  printf("%-12s %14s %8s %22s %8s\n", "form", "from nothing", "passes", "from its own solution",
         "passes");
  for (int i = 0; i < count; i++) {
    printf("%-12s %14.2f %8lld %22.2f %8lld\n", result[i].name, 1e6 * result[i].cold,
           (long long)result[i].passes_cold, 1e6 * result[i].warm,
           (long long)result[i].passes_warm);
  }
}

static void results_json(const call_options *o, const call_result *result, int count) {
  tl_json json = tl_json_begin(stdout);
  tl_json_object(&json, NULL);
  tl_json_integer(&json, "contacts", o->contacts);
  tl_json_text(&json, "method", talus_method_name((talus_method)o->method));
  tl_json_real(&json, "tolerance", o->tolerance);
  tl_json_array(&json, "forms");
  for (int i = 0; i < count; i++) {
    tl_json_object(&json, NULL);
    tl_json_text(&json, "form", result[i].name);
    tl_json_real(&json, "seconds_from_nothing", result[i].cold);
    tl_json_integer(&json, "passes_from_nothing", result[i].passes_cold);
    tl_json_real(&json, "seconds_from_solution", result[i].warm);
    tl_json_integer(&json, "passes_from_solution", result[i].passes_warm);
    tl_json_object_end(&json);
  }
  tl_json_array_end(&json);
  tl_json_object_end(&json);
  tl_json_end(&json);
}

static tl_parsed options_read(call_options *o, int argc, char **argv) {
  *o = (call_options){.contacts = 1, .tolerance = 1e-4};
  const tl_option table[] = {
      {"contacts", TL_OPTION_INTEGER, &o->contacts, "N", "1 .. 64 (default 1)", 1, MOST, 0},
      {"method", TL_OPTION_CHOICE, &o->method, tl_cli_method,
       "one that takes the circular cone (default auto)", 0, 0, 0},
      {"law", TL_OPTION_CHOICE, &o->law, tl_cli_laws, "default coulomb", 0, 0, 0},
      {"tol", TL_OPTION_REAL, &o->tolerance, "X", "default 1e-4", 1e-300, 1, 0},
      {"json", TL_OPTION_FLAG, &o->json, NULL, "report as JSON, alone on stdout", 0, 0, 0},
      {0}};
  const tl_command command = {
      .name = "bench call",
      .summary = "Measures what one update and solve of a kept solver costs: what a program pays "
                 "that\nhands over a small problem every step.",
      .positional = "",
      .notes = "The machine should be idle: the best of many rounds is told.\n"
               "exit code: 0 measured, 2 bad usage or input\n",
      .options = table};
  return tl_options_parse(&command, argc, argv);
}

int tl_cli_bench_call(int argc, char **argv) {
  call_options o;
  const tl_parsed parsed = options_read(&o, argc, argv);
  if (parsed != TL_PARSED_OK) {
    return parsed == TL_PARSED_HELP ? TL_EXIT_OK : TL_EXIT_BAD;
  }
  talus_context *context;
  if (tl_cli_context_open(TALUS_BACKEND_CPU, 1, 0, &context) != TL_EXIT_OK) {
    return TL_EXIT_BAD;
  }
  call_result result[2] = {{.name = "(a) rigid"}, {.name = "(b) blocks"}};
  const talus_form form[2] = {TALUS_FORM_RIGID, TALUS_FORM_BLOCKS};
  int code = TL_EXIT_OK;
  for (int i = 0; i < 2 && code == TL_EXIT_OK; i++) {
    const talus_status status = form_measure(context, &o, form[i], &result[i]);
    code = status == TALUS_OK ? TL_EXIT_OK : tl_cli_fail_status(context, status, "solving");
  }
  if (code == TL_EXIT_OK) {
    (o.json ? results_json : results_print)(&o, result, 2);
  }
  talus_context_destroy(context);
  return code;
}
