/* solve_report.c: the results of `talus solve`, for people and as JSON. */
#include <inttypes.h>
#include <stdio.h>

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
  printf("ran on       %s, %s, %" PRId32 " threads\n", tl_cli_backend_name(info->backend),
         talus_precision_name(info->precision), info->threads);
  printf("outcome      %s: %s\n", talus_outcome_name(info->outcome),
         talus_outcome_text(info->outcome));
  printf("measure      %.3e, wanted %.3e (%s)\n", info->measure, o->tolerance,
         tl_cli_measure_name((talus_measure)o->measure));
  printf("work         %" PRId64 " iterations, %" PRId64 " passes, %.4g s, %.4g MB\n",
         info->iterations, info->passes, info->seconds, (double)info->bytes / 1e6);
  if (info->incompatible > 0) {
    printf("warning      %.3g of the free velocity cannot be undone by any motion of the bodies\n",
           info->incompatible);
  }
  tl_report_notes(info);
  printf("\n");
  tl_report_certificate(&info->certificate, s->stored->problem.bilateral_count);
  if (o->cone != TALUS_CONE_CIRCULAR) {
    printf("epsilon, faceted cone  %12.3e %12.3e\n", info->certificate.epsilon_faceted_coulomb,
           info->certificate.epsilon_faceted_ccp);
  }
}

static void print_all(const tl_solve_session *s) {
  const tl_solve_options *o = &s->options;
  tl_report_problem(o->file, s->stored);
  printf("law          %s, cone %s, tolerance %g (%s)\n\n", talus_law_name((talus_law)o->law),
         talus_cone_name((talus_cone)o->cone), o->tolerance,
         tl_cli_measure_name((talus_measure)o->measure));
  printf("%-22s %-15s %10s %10s %9s %10s %10s %10s %10s %10s\n", "method", "outcome", "iterations",
         "passes", "seconds", "measure", "e coulomb", "e ccp", "siconos", "cone");
  for (int i = 0; i < s->count; i++) {
    const talus_info *info = &s->attempts[i].info;
    const talus_certificate *c = &info->certificate;
    if (s->attempts[i].status != TALUS_OK) {
      printf("%-22s not supported: %s\n", talus_method_name(info->method), s->attempts[i].message);
      continue;
    }
    printf("%-22s %-15s %10" PRId64 " %10" PRId64 " %9.4f %10.3e %10.3e %10.3e %10.3e %10.3e%s\n",
           talus_method_name(info->method), talus_outcome_name(info->outcome), info->iterations,
           info->passes, info->seconds, info->measure, c->epsilon_coulomb, c->epsilon_ccp,
           tl_report_measure(c, (talus_law)o->law, TALUS_MEASURE_SICONOS), c->cone_violation,
           i == s->best ? "  best" : "");
  }
  printf("\n");
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
