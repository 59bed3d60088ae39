/* cli.h: what the verbs of the `talus` program share.
 *
 * One file per verb. Worlds, scenes, files and solves go through the public headers; pictures and
 * plots are those of host/view, options and clocks those of host/base. Results go to stdout,
 * messages and progress to stderr, and with --json stdout holds the JSON alone. */
#ifndef TL_CLI_H
#define TL_CLI_H

#include <stdbool.h>
#include <stdio.h>

#include "host/cli/options.h"
#include "talus/talus.h"

/* What the program ends with. */
enum { TL_EXIT_OK = 0, TL_EXIT_BAD = 2, TL_EXIT_NOT_CONVERGED = 3, TL_EXIT_INTERRUPTED = 130 };

/* The verbs: argv[0] is the verb's name. Each returns an exit code. */
int tl_cli_solve(int argc, char **argv);
int tl_cli_check(int argc, char **argv);
int tl_cli_generate(int argc, char **argv);
int tl_cli_info(int argc, char **argv);
int tl_cli_run(int argc, char **argv);
int tl_cli_scene(int argc, char **argv);
int tl_cli_render(int argc, char **argv);
int tl_cli_view(int argc, char **argv);
int tl_cli_plot(int argc, char **argv);
int tl_cli_sweep(int argc, char **argv);
int tl_cli_measure(int argc, char **argv);
int tl_cli_profile(int argc, char **argv);
int tl_cli_bench(int argc, char **argv);

/* Choices of options, spelled as the library spells them; the index is the enumerator. */
extern const char *const tl_cli_laws;
extern const char *const tl_cli_cones;
extern const char *const tl_cli_method;
extern const char *const tl_cli_methods; /* ends with "all", index TALUS_METHOD_COUNT */
extern const char *const tl_cli_backends;
extern const char *const tl_cli_precisions;
extern const char *const tl_cli_measures;
const char *tl_cli_backend_name(talus_backend_kind backend);
const char *tl_cli_measure_name(talus_measure measure);

/* How a cone is faceted, for a table of options; o has facets, facet_angle and facet_align. */
#define TL_OPTIONS_FACETS(o)                                                              \
  {"facets", TL_OPTION_INTEGER, &(o)->facets, "N", "of a pyramid (default 4)", 3, 64, 0}, \
      {"facet-angle",                                                                     \
       TL_OPTION_REAL,                                                                    \
       &(o)->facet_angle,                                                                 \
       "A",                                                                               \
       "of a pyramid or box from the first tangent, rad (default 0)",                     \
       -1e6,                                                                              \
       1e6,                                                                               \
       0},                                                                                \
  {                                                                                       \
    "facet-align", TL_OPTION_FLAG, &(o)->facet_align, NULL,                               \
        "count the angle from the way against sliding instead", 0, 0, 0                   \
  }

/* What was parsed, unless facets were given that the cone does not have: that is complained of. */
tl_parsed tl_cli_facets_check(tl_parsed parsed, int cone, int64_t facets, double angle, int align);

/* Methods by name, separated by commas, each once; "all" is every one that takes the cone, AUTO
 * left out. Returns an exit code, with a complaint that names the option. method has room for
 * TALUS_METHOD_COUNT. */
int tl_cli_methods_read(const char *option, const char *text, talus_cone cone, talus_method *method,
                        int *count);

/* Prints "talus: ..." to stderr and returns TL_EXIT_BAD. */
int tl_cli_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same for a failed call: what was being done, the status, the context's message. */
int tl_cli_fail_status(const talus_context *context, talus_status status, const char *what);

/* A context that tells its warnings on stderr, and its choices too if verbose. Returns an exit
 * code; *context is NULL unless it is TL_EXIT_OK. */
int tl_cli_context_open(talus_backend_kind backend, int64_t threads, int verbose,
                        talus_context **context);

/* Whether a file could be written there, found out before the work is done: complains and returns
 * TL_EXIT_BAD if not. input (may be NULL) is a file that must not be overwritten. */
int tl_cli_writable(const char *path, const char *input);

/* The companion of an impulse file that holds the bilateral rows: OUT.txt -> OUT.bilateral.txt.
 * To be freed; NULL if there is no memory. */
char *tl_cli_bilateral_path(const char *path);

/* A text that becomes a file, whole or not at all. begin and write return exit codes, with a
 * complaint; write frees the text in every case. */
typedef struct tl_cli_text {
  FILE *stream; /* to print to */
  char *bytes;
  size_t size;
} tl_cli_text;
int tl_cli_text_begin(tl_cli_text *text);
int tl_cli_text_write(tl_cli_text *text, talus_context *context, const char *path);

/* A field of a CSV file: in quotes, with quotes doubled, if it has to be. */
void tl_cli_csv_field(FILE *out, const char *text);

/* Complains of a column that a table does not have, with the nearest that it has, and returns
 * TL_EXIT_BAD; else TL_EXIT_OK. */
struct tl_stored_table;
int tl_cli_column_check(const struct tl_stored_table *table, const char *name);

/* Room for count doubles set to 0, at least one; NULL (and a complaint) if there is no memory. */
double *tl_cli_numbers(int64_t count);

#endif
