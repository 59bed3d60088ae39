/* profile_report.c: what `talus profile` found, for people and as JSON. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "host/cli/cli.h"
#include "host/cli/json.h"
#include "host/cli/profile.h"

static const char *name_of(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash != NULL ? slash + 1 : path;
}

static void print_methods(const tl_profile *p) {
  printf("%-22s %10s %10s %12s %12s %10s\n", "method", "solved", "fastest", "median time",
         "worst time", "seconds");
  for (int m = 0; m < p->options.method_count; m++) {
    const tl_profile_sum *const sum = &p->sum[m];
    char solved[32];
    snprintf(solved, sizeof solved, "%d of %d", sum->solved, p->count);
    printf("%-22s %10s %10d", talus_method_name(p->options.method[m]), solved, sum->fastest);
    if (sum->solved > 0) {
      printf(" %11.3gx %11.3gx", sum->median, sum->worst);
    } else {
      printf(" %12s %12s", "-", "-");
    }
    printf(" %10.3g%s\n", sum->seconds, sum->tried == 0 ? "  does not take these problems" : "");
  }
}

/* Who solved what, and how near the others came. */
static void print_problems(const tl_profile *p) {
  printf("%-44s %9s  %-22s %10s %7s\n", "problem", "contacts", "fastest", "seconds", "solvers");
  for (int i = 0; i < p->count; i++) {
    const tl_profile_problem *const problem = &p->problem[i];
    int solvers = 0, near = -1;
    for (int m = 0; m < p->options.method_count; m++) {
      const tl_profile_run *const run = &problem->run[m];
      solvers += isfinite(run->ratio);
      if (run->done && (near < 0 || run->info.measure < problem->run[near].info.measure)) {
        near = m;
      }
    }
    printf("%-44.44s %9" PRId32 "  ", name_of(problem->file), problem->contacts);
    if (problem->fastest >= 0) {
      printf("%-22s %10.3g %7d\n", talus_method_name(p->options.method[problem->fastest]),
             problem->run[problem->fastest].seconds, solvers);
    } else if (near >= 0) {
      printf("none; %s came to %.3g\n", talus_method_name(p->options.method[near]),
             problem->run[near].info.measure);
    } else {
      printf("none takes it\n");
    }
  }
}

void tl_profile_print(const tl_profile *p) {
  const tl_profile_options *const o = &p->options;
  printf("law %s, cone %s, tolerance %g (%s), at most %g s a solve, %" PRId64 " threads\n\n",
         talus_law_name((talus_law)o->law), talus_cone_name((talus_cone)o->cone), o->tolerance,
         tl_cli_measure_name((talus_measure)o->measure), o->max_seconds, o->threads);
  print_methods(p);
  printf("\n");
  print_problems(p);
  printf("\ntime: relative to the fastest method, over the problems that were solved\n%s\n%s\n",
         o->out, o->csv);
}

static void print_run(tl_json *json, const tl_profile_options *o, int m,
                      const tl_profile_run *run) {
  tl_json_object(json, NULL);
  tl_json_text(json, "method", talus_method_name(o->method[m]));
  tl_json_text(json, "outcome", run->done ? talus_outcome_name(run->info.outcome) : NULL);
  if (run->done) {
    tl_json_real(json, "seconds", run->seconds);
    tl_json_real(json, "ratio", run->ratio);
    tl_json_real(json, "measure", run->info.measure);
    tl_json_real(json, "epsilon_coulomb", run->info.certificate.epsilon_coulomb);
    tl_json_real(json, "epsilon_ccp", run->info.certificate.epsilon_ccp);
    tl_json_integer(json, "iterations", run->info.iterations);
    tl_json_integer(json, "passes", run->info.passes);
    tl_json_integer(json, "factorisations", run->info.factorisations);
  }
  tl_json_object_end(json);
}

void tl_profile_print_json(const tl_profile *p) {
  const tl_profile_options *const o = &p->options;
  tl_json json = tl_json_begin(stdout);
  tl_json_object(&json, NULL);
  tl_json_text(&json, "law", talus_law_name((talus_law)o->law));
  tl_json_text(&json, "cone", talus_cone_name((talus_cone)o->cone));
  tl_json_text(&json, "measure", tl_cli_measure_name((talus_measure)o->measure));
  tl_json_real(&json, "tolerance", o->tolerance);
  tl_json_real(&json, "max_seconds", o->max_seconds);
  tl_json_integer(&json, "threads", o->threads);
  tl_json_text(&json, "picture", o->out);
  tl_json_text(&json, "table", o->csv);
  tl_json_array(&json, "methods");
  for (int m = 0; m < o->method_count; m++) {
    tl_json_object(&json, NULL);
    tl_json_text(&json, "method", talus_method_name(o->method[m]));
    tl_json_integer(&json, "solved", p->sum[m].solved);
    tl_json_integer(&json, "tried", p->sum[m].tried);
    tl_json_integer(&json, "fastest", p->sum[m].fastest);
    tl_json_real(&json, "median_ratio", p->sum[m].median);
    tl_json_real(&json, "worst_ratio", p->sum[m].worst);
    tl_json_real(&json, "seconds", p->sum[m].seconds);
    tl_json_object_end(&json);
  }
  tl_json_array_end(&json);
  tl_json_array(&json, "problems");
  for (int i = 0; i < p->count; i++) {
    tl_json_object(&json, NULL);
    tl_json_text(&json, "file", p->problem[i].file);
    tl_json_integer(&json, "contacts", p->problem[i].contacts);
    tl_json_integer(&json, "bilateral_rows", p->problem[i].rows);
    tl_json_array(&json, "runs");
    for (int m = 0; m < o->method_count; m++) {
      print_run(&json, o, m, &p->problem[i].run[m]);
    }
    tl_json_array_end(&json);
    tl_json_object_end(&json);
  }
  tl_json_array_end(&json);
  tl_json_object_end(&json);
  tl_json_end(&json);
}
