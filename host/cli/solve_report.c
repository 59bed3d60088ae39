/* solve_report.c: the results of `talus solve`, for people and as JSON. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "host/cli/cli.h"
#include "host/cli/report.h"
#include "host/cli/solve.h"

static void print_one(const tl_solve_session *s) {
  const tl_solve_options *o = &s->options;
  const talus_info *info = &s->attempts[0].info;
  tl_report_problem(o->file, s->stored);
  printf("law          %s\n", talus_law_name((talus_law)o->law));
  if (o->cone != TALUS_CONE_CIRCULAR) {
    printf("cone         %s, %d facets\n", talus_cone_name((talus_cone)o->cone),
           o->cone == TALUS_CONE_BOX ? 4 : (int)o->facets);
  }
  printf("method       %s%s: %s\n", talus_method_name(info->method),
         o->method == TALUS_METHOD_AUTO ? " (picked by auto)" : "",
         talus_method_text(info->method));
  printf("ran on       %s, %s, %" PRId32 " thread%s\n", tl_cli_backend_name(info->backend),
         talus_precision_name(info->precision), info->threads, info->threads == 1 ? "" : "s");
  printf("outcome      %s: %s\n", talus_outcome_name(info->outcome),
         talus_outcome_text(info->outcome));
  if (info->outcome != TALUS_OUTCOME_UNCHECKED) {
    printf("measure      %.3e, wanted %.3e (%s)\n", info->measure, o->tolerance,
           tl_cli_measure_name((talus_measure)o->measure));
  }
  printf("work         %" PRId64 " iterations, %" PRId64 " passes, ", info->iterations,
         info->passes);
  if (info->factorisations > 0) {
    printf("%" PRId64 " factorisations, ", info->factorisations);
  }
  printf("%.4g s, %.4g MB\n", info->seconds, (double)info->bytes / 1e6);
  if (info->incompatible > 0) {
    printf("warning      %.3g of the free velocity cannot be undone by any motion of the bodies\n",
           info->incompatible);
  }
  if (o->unique && (info->notes & TALUS_NOTE_UNIQUE) == 0) {
    printf("warning      the impulses of least norm were not found: these are others\n");
  }
  tl_report_notes(info);
  if (info->outcome == TALUS_OUTCOME_UNCHECKED) {
    printf("\nno certificate: write the impulses (--impulses) and ask `talus check`\n");
    return;
  }
  printf("\n");
  tl_report_certificate(&info->certificate, s->stored->problem.bilateral_count,
                        (talus_cone)o->cone);
}

/* Both laws' errors of the cone that was asked for; the circular one's are in the JSON as well. */
static void print_row(const tl_solve_session *s, int i) {
  const talus_info *info = &s->attempts[i].info;
  const talus_certificate *c = &info->certificate;
  printf("%-22s %-15s %10.2e %10.2e %10.2e %9" PRId64 " %8" PRId64 " %10.4g%s\n",
         talus_method_name(info->method), talus_outcome_name(info->outcome),
         c->epsilon_faceted_coulomb, c->epsilon_faceted_ccp,
         tl_report_measure(c, (talus_law)s->options.law, TALUS_MEASURE_SICONOS), info->passes,
         info->factorisations, info->seconds, i == s->best ? "  best" : "");
}

/* Methods that do not take the problem, and why: one line per reason. */
static void print_refused(const tl_solve_session *s) {
  for (int i = 0; i < s->count; i++) {
    const char *why = s->attempts[i].message;
    bool said = s->attempts[i].status == TALUS_OK;
    for (int k = 0; k < i && !said; k++) {
      said = s->attempts[k].status != TALUS_OK && strcmp(s->attempts[k].message, why) == 0;
    }
    if (said) {
      continue;
    }
    printf("not run     ");
    for (int k = i; k < s->count; k++) {
      if (s->attempts[k].status != TALUS_OK && strcmp(s->attempts[k].message, why) == 0) {
        printf(" %s", talus_method_name(s->attempts[k].info.method));
      }
    }
    printf(": %s\n", why);
  }
}

static void print_all(const tl_solve_session *s) {
  const tl_solve_options *o = &s->options;
  tl_report_problem(o->file, s->stored);
  printf("law          %s, cone %s, tolerance %g (%s)\n\n", talus_law_name((talus_law)o->law),
         talus_cone_name((talus_cone)o->cone), o->tolerance,
         tl_cli_measure_name((talus_measure)o->measure));
  printf("%-22s %-15s %10s %10s %10s %9s %8s %10s\n", "method", "outcome", "e coulomb", "e ccp",
         "siconos", "passes", "factors", "seconds");
  for (int i = 0; i < s->count; i++) {
    if (s->attempts[i].status == TALUS_OK) {
      print_row(s, i);
    }
  }
  printf("\n");
  print_refused(s);
  tl_report_notes(&s->attempts[s->best].info);
}

static void print_json_attempt(tl_json *json, const tl_solve_session *s,
                               const tl_solve_attempt *result) {
  const tl_solve_options *o = &s->options;
  const talus_info *info = &result->info;
  tl_json_object(json, NULL);
  tl_report_problem_json(json, o->file, s->stored);
  tl_json_text(json, "law", talus_law_name((talus_law)o->law));
  tl_json_text(json, "cone", talus_cone_name((talus_cone)o->cone));
  tl_json_text(json, "method", talus_method_name(info->method));
  tl_json_boolean(json, "method_chosen", o->method == TALUS_METHOD_AUTO);
  tl_json_text(json, "measure", tl_cli_measure_name((talus_measure)o->measure));
  tl_json_real(json, "tolerance", o->tolerance);
  if (result->status != TALUS_OK) {
    tl_json_text(json, "outcome", NULL);
    tl_json_text(json, "error", result->message);
    tl_json_object_end(json);
    return;
  }
  tl_json_text(json, "backend", tl_cli_backend_name(info->backend));
  tl_json_text(json, "precision", talus_precision_name(info->precision));
  tl_json_integer(json, "threads", info->threads);
  tl_json_text(json, "outcome", talus_outcome_name(info->outcome));
  tl_json_integer(json, "iterations", info->iterations);
  tl_json_integer(json, "passes", info->passes);
  tl_json_integer(json, "factorisations", info->factorisations);
  tl_json_real(json, "seconds", info->seconds);
  tl_json_real(json, "seconds_check", info->seconds_check);
  tl_json_real(json, "seconds_build", info->seconds_build);
  tl_json_real(json, "seconds_iterate", info->seconds_iterate);
  tl_json_real(json, "seconds_certificate", info->seconds_certificate);
  tl_json_integer(json, "bytes", info->bytes);
  tl_json_real(json, "incompatible", info->incompatible);
  tl_json_integer(json, "colours", info->colours);
  tl_json_real(json, "measured", info->measure);
  tl_report_certificate_json(json, &info->certificate, (talus_law)o->law);
  tl_report_notes_json(json, info);
  tl_json_object_end(json);
}

void tl_solve_print_json(const tl_solve_session *s) {
  tl_json json = tl_json_begin(stdout);
  if (s->options.method < TALUS_METHOD_COUNT) {
    print_json_attempt(&json, s, &s->attempts[0]);
  } else {
    tl_json_array(&json, NULL);
    for (int i = 0; i < s->count; i++) {
      print_json_attempt(&json, s, &s->attempts[i]);
    }
    tl_json_array_end(&json);
  }
  tl_json_end(&json);
}

void tl_solve_print(const tl_solve_session *s) {
  if (s->options.method < TALUS_METHOD_COUNT) {
    print_one(s);
  } else {
    print_all(s);
  }
}
