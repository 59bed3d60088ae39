/* check.c: `talus check FILE IMPULSES.txt`: the certificate of impulses from any source. */
#include <stdio.h>
#include <stdlib.h>

#include "host/cli/cli.h"
#include "host/cli/options.h"
#include "host/cli/report.h"

typedef struct check_options {
  const char *paths[2];   /* problem, impulses */
  int law, measure, cone; /* indices of choices */
  double tolerance, facet_angle;
  int64_t facets;
  int facet_align, json;
} check_options;

typedef struct check_session {
  check_options options;
  talus_context *context;
  talus_stored *stored;
  double *impulse, *bilateral;
  talus_certificate certificate;
} check_session;

static tl_parsed parse_options(check_options *o, int argc, char **argv) {
  const talus_settings defaults = talus_settings_default();
  *o = (check_options){.tolerance = defaults.tolerance, .facets = defaults.facets};
  const tl_option table[] = {
      {"law", TL_OPTION_CHOICE, &o->law, tl_cli_laws,
       "the law that the exit code is about (default coulomb)", 0, 0, 0},
      {"tol", TL_OPTION_REAL, &o->tolerance, "X", "accept up to this measure (default 1e-4)", 0,
       1e300, 1},
      {"measure", TL_OPTION_CHOICE, &o->measure, tl_cli_measures,
       "what --tol means (default epsilon)", 0, 0, 0},
      {"cone", TL_OPTION_CHOICE, &o->cone, tl_cli_cones,
       "as they were solved with (default circular)", 0, 0, 0},
      TL_OPTIONS_FACETS(o),
      {"json", TL_OPTION_FLAG, &o->json, NULL, "report as JSON, alone on stdout", 0, 0, 0},
      {0}};
  const tl_command command = {
      .name = "check",
      .summary =
          "Judges impulses: residuals for both laws, computed from the problem's own arrays.",
      .positional = "FILE IMPULSES.txt",
      .notes =
          "IMPULSES.txt has a line `normal tangent1 tangent2` per contact, # starts a comment;\n"
          "bilateral rows are read from IMPULSES.bilateral.txt.\n"
          "exit code: 0 within the tolerance, 3 not, 2 bad usage or input\n",
      .options = table,
      .arguments = o->paths};
  const tl_parsed parsed = tl_options_parse(&command, argc, argv);
  return tl_cli_facets_check(parsed, o->cone, o->facets, o->facet_angle, o->facet_align);
}

static int read_bilateral(check_session *s) {
  char *path = tl_cli_bilateral_path(s->options.paths[1]);
  if (path == NULL) {
    return TL_EXIT_BAD;
  }
  const talus_status status =
      talus_impulses_read(s->context, path, s->bilateral, s->stored->problem.bilateral_count, 1);
  if (status != TALUS_OK) {
    tl_cli_fail_status(s->context, status, path);
  }
  free(path);
  return status == TALUS_OK ? TL_EXIT_OK : TL_EXIT_BAD;
}

static int read_inputs(check_session *s) {
  const check_options *o = &s->options;
  if (tl_cli_context_open(TALUS_BACKEND_CPU, 0, 0, &s->context) != TL_EXIT_OK) {
    return TL_EXIT_BAD;
  }
  talus_status status = talus_problem_read(s->context, o->paths[0], &s->stored);
  if (status != TALUS_OK) {
    return tl_cli_fail_status(s->context, status, o->paths[0]);
  }
  const talus_problem *problem = &s->stored->problem;
  s->impulse = tl_cli_numbers((int64_t)problem->dimension * problem->contact_count);
  s->bilateral = tl_cli_numbers(problem->bilateral_count);
  if (s->impulse == NULL || s->bilateral == NULL) {
    return TL_EXIT_BAD;
  }
  status = talus_impulses_read(s->context, o->paths[1], s->impulse, problem->contact_count,
                               problem->dimension);
  if (status != TALUS_OK) {
    return tl_cli_fail_status(s->context, status, o->paths[1]);
  }
  return problem->bilateral_count > 0 ? read_bilateral(s) : TL_EXIT_OK;
}

static void print_json(const check_session *s, double measured, int accepted) {
  const check_options *o = &s->options;
  tl_json json = tl_json_begin(stdout);
  tl_json_object(&json, NULL);
  tl_report_problem_json(&json, o->paths[0], s->stored);
  tl_json_text(&json, "impulses", o->paths[1]);
  tl_json_text(&json, "law", talus_law_name((talus_law)o->law));
  tl_json_text(&json, "cone", talus_cone_name((talus_cone)o->cone));
  tl_json_text(&json, "measure", tl_cli_measure_name((talus_measure)o->measure));
  tl_json_real(&json, "tolerance", o->tolerance);
  tl_json_real(&json, "measured", measured);
  tl_json_boolean(&json, "accepted", accepted);
  tl_report_certificate_json(&json, &s->certificate, (talus_law)o->law);
  tl_json_object_end(&json);
  tl_json_end(&json);
}

static void print_text(const check_session *s, double measured, int accepted) {
  const check_options *o = &s->options;
  tl_report_problem(o->paths[0], s->stored);
  printf("impulses     %s\n", o->paths[1]);
  printf("law          %s, cone %s\n", talus_law_name((talus_law)o->law),
         talus_cone_name((talus_cone)o->cone));
  printf("measure      %.3e, wanted %.3e (%s): %s\n\n", measured, o->tolerance,
         tl_cli_measure_name((talus_measure)o->measure), accepted ? "accepted" : "not accepted");
  tl_report_certificate(&s->certificate, s->stored->problem.bilateral_count, (talus_cone)o->cone);
}

static int check_and_report(check_session *s) {
  if (read_inputs(s) != TL_EXIT_OK) {
    return TL_EXIT_BAD;
  }
  const check_options *o = &s->options;
  talus_settings settings = talus_settings_default();
  settings.cone = (talus_cone)o->cone;
  settings.measure = (talus_measure)o->measure;
  settings.facets = (int32_t)o->facets;
  settings.facet_angle = o->facet_angle;
  settings.facet_align = o->facet_align;
  s->certificate = talus_certificate_default();
  const talus_status status = talus_certify_cone(s->context, &s->stored->problem, &settings,
                                                 s->impulse, s->bilateral, &s->certificate);
  if (status != TALUS_OK) {
    return tl_cli_fail_status(s->context, status, o->paths[0]);
  }
  const double measured =
      tl_report_measure(&s->certificate, (talus_law)o->law, (talus_measure)o->measure);
  const bool accepted = measured <= o->tolerance; /* NaN is not */
  if (o->json) {
    print_json(s, measured, accepted);
  } else {
    print_text(s, measured, accepted);
  }
  return accepted ? TL_EXIT_OK : TL_EXIT_NOT_CONVERGED;
}

int tl_cli_check(int argc, char **argv) {
  check_session s = {0};
  const tl_parsed parsed = parse_options(&s.options, argc, argv);
  if (parsed != TL_PARSED_OK) {
    return parsed == TL_PARSED_HELP ? TL_EXIT_OK : TL_EXIT_BAD;
  }
  const int code = check_and_report(&s);
  talus_stored_destroy(s.stored);
  talus_context_destroy(s.context);
  free(s.impulse);
  free(s.bilateral);
  return code;
}
