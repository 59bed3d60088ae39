/* report.c: the words of report.h. */
#include "host/cli/report.h"

#include <inttypes.h>

static const struct {
  talus_note note;
  const char *name, *text;
} notes[] = {
    {TALUS_NOTE_ASYMMETRIC, "asymmetric", "W is not symmetric: solved as a variational inequality"},
    {TALUS_NOTE_DIAGONAL_REPLACED, "diagonal_replaced",
     "a zero diagonal block of W was replaced by the mean"},
    {TALUS_NOTE_CPU_FALLBACK, "cpu_fallback",
     "ran on the CPU: a device was not there or not worth it"},
    {TALUS_NOTE_METHOD_CHANGED, "method_changed", "the method was changed on the way"},
    {TALUS_NOTE_SPHERES_FOUND, "spheres_found", "recognised as spheres: run without a matrix"},
    {TALUS_NOTE_BLOCKS_FOUND, "blocks_found", "recognised as blocks: run without a matrix"},
    {TALUS_NOTE_UNIQUE, "unique", "of all solutions with this velocity the one of least norm"},
    {TALUS_NOTE_STOPPED, "stopped", "stopped by the user: these are the best impulses so far"},
    {TALUS_NOTE_UNCERTIFIED, "uncertified",
     "not judged by the certificate: the measure is the solver's"},
};
enum { NOTE_COUNT = sizeof notes / sizeof notes[0] };

static const char *form_name(talus_form form) {
  switch (form) {
  case TALUS_FORM_RIGID:
    return "rigid";
  case TALUS_FORM_BLOCKS:
    return "blocks";
  case TALUS_FORM_DELASSUS:
    return "delassus";
  case TALUS_FORM_GLOBAL:
    return "global";
  }
  return "unknown";
}

/* Velocities that the impulses act on; 0 where the form does not know them. */
static int64_t velocity_count(const talus_problem *problem) {
  switch (problem->form) {
  case TALUS_FORM_RIGID:
    return 6 * (int64_t)problem->rigid.body_count;
  case TALUS_FORM_GLOBAL:
    return problem->global.mass.rows;
  default:
    return 0;
  }
}

void tl_report_problem(const char *file, const talus_stored *stored) {
  const talus_problem *problem = &stored->problem;
  printf("problem      %s\n", file);
  if (stored->title != NULL && stored->title[0] != '\0') {
    printf("             %s\n", stored->title);
  }
  printf("             %" PRId32 " contacts of dimension %" PRId32 ", %" PRId32
         " bilateral rows, form %s",
         problem->contact_count, problem->dimension, problem->bilateral_count,
         form_name(problem->form));
  const int64_t velocities = velocity_count(problem);
  if (velocities > 0) {
    printf(", %" PRId64 " velocities", velocities);
  }
  if (velocities > 0 && velocities % 6 == 0 && problem->dimension == 3) {
    printf(" (%" PRId64 " bodies)", velocities / 6);
  }
  printf("\n");
}

void tl_report_problem_json(tl_json *json, const char *file, const talus_stored *stored) {
  const talus_problem *problem = &stored->problem;
  tl_json_text(json, "file", file);
  tl_json_text(json, "title", stored->title);
  tl_json_integer(json, "contacts", problem->contact_count);
  tl_json_integer(json, "dimension", problem->dimension);
  tl_json_integer(json, "bilateral_rows", problem->bilateral_count);
  tl_json_text(json, "form", form_name(problem->form));
  tl_json_integer(json, "velocities", velocity_count(problem));
}

void tl_report_certificate(const talus_certificate *c, int bilateral_count, talus_cone cone) {
  printf("                       %12s %12s\n", "coulomb", "ccp");
  if (cone != TALUS_CONE_CIRCULAR) {
    printf("epsilon, faceted cone  %12.3e %12.3e\n", c->epsilon_faceted_coulomb,
           c->epsilon_faceted_ccp);
  }
  printf("epsilon                %12.3e %12.3e\n", c->epsilon_coulomb, c->epsilon_ccp);
  if (c->epsilon_rigid_coulomb != c->epsilon_coulomb || c->epsilon_rigid_ccp != c->epsilon_ccp) {
    printf("epsilon, as if rigid   %12.3e %12.3e\n", c->epsilon_rigid_coulomb,
           c->epsilon_rigid_ccp);
  }
  printf("Siconos' measure       %12.3e %12.3e\n", c->siconos_coulomb, c->siconos_ccp);
  printf("complementarity        %12.3e %12.3e\n", c->complementarity, c->complementarity_ccp);
  printf("cone violation         %12.3e   of the largest impulse\n", c->cone_violation);
  printf("friction's work        %12.3e\n", c->dissipation);
  printf("closing speed          %12.3e   largest\n", c->penetration_speed);
  if (bilateral_count > 0) {
    printf("bilateral speed        %12.3e   largest\n", c->bilateral);
  }
  printf("momentum balance       %12.3e\n", c->momentum_balance);
  if (c->asymmetry > 0) {
    printf("asymmetry of W         %12.3e\n", c->asymmetry);
  }
}

void tl_report_certificate_json(tl_json *json, const talus_certificate *c, talus_law law) {
  tl_json_real(json, "epsilon_ccp", c->epsilon_ccp);
  tl_json_real(json, "epsilon_coulomb", c->epsilon_coulomb);
  tl_json_real(json, "siconos_error", tl_report_measure(c, law, TALUS_MEASURE_SICONOS));
  tl_json_real(json, "siconos_ccp", c->siconos_ccp);
  tl_json_real(json, "siconos_coulomb", c->siconos_coulomb);
  tl_json_real(json, "residual_ccp", c->residual_ccp);
  tl_json_real(json, "residual_coulomb", c->residual_coulomb);
  tl_json_real(json, "reference_ccp", c->reference_ccp);
  tl_json_real(json, "reference_coulomb", c->reference_coulomb);
  tl_json_real(json, "cone_violation", c->cone_violation);
  tl_json_real(json, "complementarity_ccp", c->complementarity_ccp);
  tl_json_real(json, "complementarity_coulomb", c->complementarity);
  tl_json_real(json, "dissipation", c->dissipation);
  tl_json_real(json, "bilateral_speed", c->bilateral);
  tl_json_real(json, "penetration_speed", c->penetration_speed);
  tl_json_real(json, "momentum_balance", c->momentum_balance);
  tl_json_real(json, "asymmetry", c->asymmetry);
  tl_json_real(json, "epsilon_faceted_ccp", c->epsilon_faceted_ccp);
  tl_json_real(json, "epsilon_faceted_coulomb", c->epsilon_faceted_coulomb);
  tl_json_real(json, "epsilon_rigid_ccp", c->epsilon_rigid_ccp);
  tl_json_real(json, "epsilon_rigid_coulomb", c->epsilon_rigid_coulomb);
}

double tl_report_measure(const talus_certificate *c, talus_law law, talus_measure measure) {
  if (measure == TALUS_MEASURE_SICONOS) {
    return law == TALUS_LAW_CCP ? c->siconos_ccp : c->siconos_coulomb;
  }
  return law == TALUS_LAW_CCP ? c->epsilon_faceted_ccp : c->epsilon_faceted_coulomb;
}

void tl_report_notes(const talus_info *info) {
  for (int i = 0; i < NOTE_COUNT; i++) {
    if (info->notes & (uint32_t)notes[i].note) {
      printf("note         %s\n", notes[i].text);
    }
  }
}

void tl_report_notes_json(tl_json *json, const talus_info *info) {
  tl_json_array(json, "notes");
  for (int i = 0; i < NOTE_COUNT; i++) {
    if (info->notes & (uint32_t)notes[i].note) {
      tl_json_text(json, NULL, notes[i].name);
    }
  }
  tl_json_array_end(json);
}
