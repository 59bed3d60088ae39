/* generate.c: `talus generate KIND`: problem files made to order, any size, the same on every
 * machine for the same seed. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "host/base/words.h"
#include "host/cli/cli.h"
#include "host/cli/json.h"
#include "host/cli/options.h"

static const char kinds[] = "heap|stack|random"; /* in the order of talus_generate_kind */

typedef struct generate_options {
  const char *kind_name, *out;
  int64_t bodies, seed;
  talus_generate_def def;
  int json;
} generate_options;

static tl_parsed parse_options(generate_options *o, int argc, char **argv) {
  talus_generate_def *def = &o->def;
  const tl_option table[] = {
      {"out", TL_OPTION_TEXT, &o->out, "FILE",
       "compulsory; *.dat is Siconos text, anything else FCLIB HDF5", 0, 0, 0},
      {"bodies", TL_OPTION_INTEGER, &o->bodies, "N", "bodies (default 1000)", 1, 2147483647, 0},
      {"friction", TL_OPTION_REAL, &def->friction, "MU", "of every contact (default 0.5)", 0, 1e6,
       0},
      {"radius", TL_OPTION_REAL, &def->radius, "R", "mean radius or half edge, m (default 0.05)", 0,
       1e6, 1},
      {"spread", TL_OPTION_REAL, &def->spread, "X", "relative spread of the sizes (default 0.3)", 0,
       0.5, 0},
      {"density", TL_OPTION_REAL, &def->density, "D", "kg/m3 (default 2500)", 0, 1e12, 1},
      {"step", TL_OPTION_REAL, &def->step, "S", "time step, s (default 1e-3)", 0, 1e6, 1},
      {"contact-ratio", TL_OPTION_REAL, &def->contact_ratio, "X",
       "random: contacts per body (default 2)", 0, 1e3, 1},
      {"aspect", TL_OPTION_REAL, &def->aspect, "X", "heap: depth over width of the box (default 1)",
       0, 1e3, 1},
      {"seed", TL_OPTION_INTEGER, &o->seed, "N", "of the random numbers (default 1)", 0, 9e15, 0},
      {"json", TL_OPTION_FLAG, &o->json, NULL, "report as JSON, alone on stdout", 0, 0, 0},
      {0}};
  const tl_command command = {
      .name = "generate",
      .summary = "Makes a contact problem and writes it to a file.",
      .positional = "KIND",
      .notes = "KIND is one of\n"
               "  heap    spheres of mixed size settled in an open box\n"
               "  stack   columns of boxes on the ground, four contacts per face\n"
               "  random  random contacts between random bodies of general inertia\n"
               "exit code: 0 written, 2 bad usage, or the file could not be written\n",
      .options = table,
      .arguments = &o->kind_name};
  const tl_parsed parsed = tl_options_parse(&command, argc, argv);
  if (parsed == TL_PARSED_OK && o->out == NULL) {
    tl_cli_fail("--out FILE is missing: where should the problem go?");
    return TL_PARSED_BAD;
  }
  return parsed;
}

/* Returns 0 if the name is unknown. */
static bool find_kind(const char *name, talus_generate_kind *kind) {
  const char *const names[] = {"heap", "stack", "random"};
  for (int i = 0; i < 3; i++) {
    if (strcmp(name, names[i]) == 0) {
      *kind = (talus_generate_kind)i;
      return true;
    }
  }
  char near[32];
  if (tl_words_nearest(name, kinds, near, sizeof near) != NULL) {
    tl_cli_fail("unknown kind '%s': did you mean %s?", name, near);
  } else {
    tl_cli_fail("unknown kind '%s': there are heap, stack, random", name);
  }
  return false;
}

static void report(const generate_options *o, const talus_stored *stored) {
  const talus_problem *problem = &stored->problem;
  if (!o->json) {
    printf("%s: %s of %" PRId64 " bodies, %" PRId32 " contacts, seed %" PRId64 "\n", o->out,
           o->kind_name, o->bodies, problem->contact_count, o->seed);
    return;
  }
  tl_json json = tl_json_begin(stdout);
  tl_json_object(&json, NULL);
  tl_json_text(&json, "file", o->out);
  tl_json_text(&json, "kind", o->kind_name);
  tl_json_integer(&json, "bodies", o->bodies);
  tl_json_integer(&json, "contacts", problem->contact_count);
  tl_json_integer(&json, "seed", o->seed);
  tl_json_object_end(&json);
  tl_json_end(&json);
}

/* An option of another kind would do nothing. */
static bool kind_fits(const generate_options *o) {
  const talus_generate_def usual = talus_generate_def_default(o->def.kind);
  if (o->def.kind != TALUS_GENERATE_RANDOM && o->def.contact_ratio != usual.contact_ratio) {
    tl_cli_fail("--contact-ratio is of kind random: the contacts of a %s follow from its shape",
                o->kind_name);
    return false;
  }
  if (o->def.kind != TALUS_GENERATE_HEAP && o->def.aspect != usual.aspect) {
    tl_cli_fail("--aspect is of kind heap: a %s has no box", o->kind_name);
    return false;
  }
  return true;
}

static int generate_and_write(const generate_options *o, talus_context *context) {
  if (tl_cli_writable(o->out, NULL) != TL_EXIT_OK) {
    return TL_EXIT_BAD;
  }
  talus_stored *stored = NULL;
  talus_status status = talus_problem_generate(context, &o->def, &stored);
  if (status != TALUS_OK) {
    return tl_cli_fail_status(context, status, o->kind_name);
  }
  status = talus_problem_write(context, o->out, &stored->problem, NULL);
  if (status == TALUS_OK) {
    report(o, stored);
  } else {
    tl_cli_fail_status(context, status, o->out);
  }
  talus_stored_destroy(stored);
  return status == TALUS_OK ? TL_EXIT_OK : TL_EXIT_BAD;
}

int tl_cli_generate(int argc, char **argv) {
  generate_options o = {.def = talus_generate_def_default(TALUS_GENERATE_HEAP)};
  o.bodies = o.def.body_count;
  o.seed = (int64_t)o.def.seed;
  const tl_parsed parsed = parse_options(&o, argc, argv);
  if (parsed != TL_PARSED_OK) {
    return parsed == TL_PARSED_HELP ? TL_EXIT_OK : TL_EXIT_BAD;
  }
  if (!find_kind(o.kind_name, &o.def.kind) || !kind_fits(&o)) {
    return TL_EXIT_BAD;
  }
  o.def.body_count = (int32_t)o.bodies;
  o.def.seed = (uint64_t)o.seed;
  talus_context *context = NULL;
  if (tl_cli_context_open(TALUS_BACKEND_CPU, 0, 0, &context) != TL_EXIT_OK) {
    return TL_EXIT_BAD;
  }
  const int code = generate_and_write(&o, context);
  talus_context_destroy(context);
  return code;
}
