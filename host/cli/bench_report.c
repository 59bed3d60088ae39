/* bench_report.c: the measurements as a table for people and as JSON. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "host/cli/bench.h"
#include "host/cli/cli.h"
#include "host/cli/json.h"

static const char *form_name(talus_form form) {
  static const char *const names[] = {"?", "rigid", "blocks", "delassus", "global"};
  return (unsigned)form <= TALUS_FORM_GLOBAL ? names[form] : names[0];
}

void tl_bench_print_copy(const tl_bench_session *s) {
  if (s->options.backend != TALUS_BACKEND_CPU) {
    return;
  }
  printf("copy of this machine, read and written, arrays of %.0f MB:",
         tl_bench_copy_array_bytes() / 1048576);
  for (int t = 0; t < s->options.threads.count; t++) {
    printf("%s %.1f GB/s on %.0f thread%s", t > 0 ? "," : "", 1e-9 * s->copy_bandwidth[t],
           s->options.threads.value[t], s->options.threads.value[t] > 1 ? "s" : "");
  }
  printf("\n");
}

/* A number in a column of the given width, or a dash if it is not known. */
static void print_cell(int width, int digits, double value) {
  if (value >= 0) {
    printf(" %*.*f", width, digits, value);
  } else {
    printf(" %*s", width, "-");
  }
}

void tl_bench_print_problem(const tl_bench_options *options, const tl_bench_problem *problem) {
  printf("\n%s: %" PRId64 " contacts", problem->name, problem->contacts);
  if (problem->bodies > 0) {
    printf(", %" PRId64 " bodies", problem->bodies);
  }
  printf(", form %s%s, law %s\n", form_name(problem->form),
         problem->spheres && problem->form == TALUS_FORM_GLOBAL ? " (run as spheres)" : "",
         talus_law_name((talus_law)options->law));
  printf("%-21s %4s %3s %8s %8s %6s %6s %6s %7s", "", "", "", "ns per", "bytes", "GB/s", "times",
         "bytes", "set-up");
  for (int i = 0; i < options->tolerances.count; i++) {
    printf(" | %-16s", i == 0 ? "to epsilon" : "");
  }
  printf("\n%-21s %4s %3s %8s %8s %6s %6s %6s %7s", "method", "", "thr", "contact,", "contact,", "",
         "the", "per", "passes");
  for (int i = 0; i < options->tolerances.count; i++) {
    printf(" | %-16g", options->tolerances.value[i]);
  }
  printf("\n%-21s %4s %3s %8s %8s %6s %6s %6s %7s", "", "", "", "pass", "pass", "", "copy",
         "contct", "");
  for (int i = 0; i < options->tolerances.count; i++) {
    printf(" | %7s %8s", "passes", "seconds");
  }
  printf("\n");
  fflush(stdout);
}

static void print_target(const tl_bench_target *target) {
  if (!target->run) {
    printf(" | %7s %8s", "-", "-");
  } else if (target->outcome == TALUS_OUTCOME_CONVERGED) {
    printf(" | %7" PRId64 " %8.3g", target->passes, target->seconds);
  } else {
    printf(" | %16.16s", talus_outcome_name(target->outcome));
  }
}

/* What comes before the first pass and after the last, counted in passes. */
static double setup_passes(const tl_bench_result *result) {
  return result->pass_seconds > 0
             ? (result->seconds_check + result->seconds_build + result->seconds_certificate) /
                   result->pass_seconds
             : -1;
}

void tl_bench_print_result(const tl_bench_problem *problem, const tl_bench_result *result) {
  const double contacts = (double)problem->contacts;
  const bool known = result->pass_seconds > 0 && contacts > 0;
  printf("%-21s %4s %3d", talus_method_name(result->method),
         talus_precision_name(result->precision), result->threads);
  print_cell(8, 2, known ? 1e9 * result->pass_seconds / contacts : -1);
  print_cell(8, 1, result->traffic > 0 ? result->traffic / contacts : -1);
  print_cell(6, 1,
             known && result->traffic > 0 ? 1e-9 * result->traffic / result->pass_seconds : -1);
  print_cell(6, 2, result->limit_ratio);
  print_cell(6, 0, contacts > 0 ? (double)result->bytes / contacts : -1);
  print_cell(7, 1, setup_passes(result));
  for (int i = 0; i < result->target_count; i++) {
    print_target(&result->target[i]);
  }
  printf("\n");
  fflush(stdout);
}

void tl_bench_print_notes(const tl_bench_session *s) {
  printf("\n"
         "ns and bytes     of one contact in one pass: one application of W, or one sweep. The\n"
         "                 bytes are those a pass cannot do without (an ideal cache), not counted\n"
         "                 ones; - where no formula is stated\n"
         "times the copy   time of a pass over the time in which the machine copies as many bytes\n"
         "bytes per contct memory held by the solver, certificate included, the caller's not\n"
         "set-up           check, sorting, scaling and certificate, in passes\n"
         "seconds          of the whole solve, set-up and certificate included\n");
  if (s->options.backend == TALUS_BACKEND_CPU) {
    printf("The arrays of the copy may fit in part into a large shared cache: the copy is then\n"
           "faster than the memory, and `times the copy` is a strict measure.\n");
  }
}

static void target_json(tl_json *json, const tl_bench_target *target) {
  tl_json_object(json, NULL);
  tl_json_real(json, "tolerance", target->tolerance);
  tl_json_text(json, "outcome", target->run ? talus_outcome_name(target->outcome) : NULL);
  if (target->run) {
    tl_json_integer(json, "passes", target->passes);
    tl_json_real(json, "seconds", target->seconds);
    tl_json_real(json, "epsilon", target->measure);
  }
  tl_json_object_end(json);
}

/* A number that is not known becomes null. */
static void known_json(tl_json *json, const char *key, double value) {
  if (value >= 0) {
    tl_json_real(json, key, value);
  } else {
    tl_json_text(json, key, NULL);
  }
}

static void result_json(tl_json *json, const tl_bench_problem *problem,
                        const tl_bench_result *result) {
  const double contacts = problem->contacts > 0 ? (double)problem->contacts : 1;
  tl_json_object(json, NULL);
  tl_json_text(json, "method", talus_method_name(result->method));
  tl_json_text(json, "precision", talus_precision_name(result->precision));
  tl_json_integer(json, "threads", result->threads);
  known_json(json, "ns_per_contact_pass",
             result->pass_seconds > 0 ? 1e9 * result->pass_seconds / contacts : -1);
  known_json(json, "bytes_per_contact_pass", result->traffic > 0 ? result->traffic / contacts : -1);
  known_json(json, "copy_bytes_per_second",
             result->copy_bandwidth > 0 ? result->copy_bandwidth : -1);
  known_json(json, "times_copy_limit", result->limit_ratio);
  tl_json_real(json, "memory_bytes_per_contact", (double)result->bytes / contacts);
  tl_json_real(json, "seconds_check", result->seconds_check);
  tl_json_real(json, "seconds_build", result->seconds_build);
  tl_json_real(json, "seconds_certificate", result->seconds_certificate);
  tl_json_array(json, "targets");
  for (int i = 0; i < result->target_count; i++) {
    target_json(json, &result->target[i]);
  }
  tl_json_array_end(json);
  tl_json_object_end(json);
}

static void problem_json(tl_json *json, const tl_bench_problem *problem) {
  tl_json_object(json, NULL);
  tl_json_text(json, "name", problem->name);
  tl_json_text(json, "form", form_name(problem->form));
  tl_json_boolean(json, "spheres", problem->spheres);
  tl_json_integer(json, "contacts", problem->contacts);
  tl_json_integer(json, "bodies", problem->bodies);
  tl_json_integer(json, "dimension", problem->dimension);
  tl_json_array(json, "results");
  for (int i = 0; i < problem->result_count; i++) {
    result_json(json, problem, &problem->result[i]);
  }
  tl_json_array_end(json);
  tl_json_object_end(json);
}

void tl_bench_print_json(const tl_bench_session *s) {
  tl_json json = tl_json_begin(stdout);
  tl_json_object(&json, NULL);
  tl_json_text(&json, "version", talus_version());
  tl_json_text(&json, "law", talus_law_name((talus_law)s->options.law));
  tl_json_text(&json, "backend", tl_cli_backend_name((talus_backend_kind)s->options.backend));
  tl_json_real(&json, "copy_array_bytes", tl_bench_copy_array_bytes());
  tl_json_array(&json, "problems");
  for (int i = 0; i < s->problem_count; i++) {
    problem_json(&json, &s->problem[i]);
  }
  tl_json_array_end(&json);
  tl_json_object_end(&json);
  tl_json_end(&json);
}
