/* bench.h: what `talus bench` knows: options, problems, measurements.
 *
 * bench.c reads the options and walks through the problems, bench_measure.c times one method,
 * bench_copy.c the memory, bench_traffic.c says how many bytes a pass cannot do without, and
 * bench_report.c words it all. bench_world.c times steps of whole worlds, bench_call.c single
 * calls, bench_batch.c batches of small problems. */
#ifndef TL_CLI_BENCH_H
#define TL_CLI_BENCH_H

#include <stdbool.h>

#include "talus/talus.h"

enum { TL_BENCH_MOST = 16 }; /* values in one list of the command line */

typedef struct tl_bench_list {
  int count;
  double value[TL_BENCH_MOST];
} tl_bench_list;

typedef struct tl_bench_options {
  tl_bench_list contacts, methods, precisions, threads, tolerances;
  int kind, law, backend, json; /* kind, law, backend: indices of choices */
  double max_seconds;
  int file_count;
  const char **files;
} tl_bench_options;

/* A solve to one tolerance. */
typedef struct tl_bench_target {
  double tolerance;
  bool run; /* false: left out, since a looser tolerance was not reached */
  talus_outcome outcome;
  int64_t passes;
  double seconds; /* without the file and its translation to memory */
  double measure; /* epsilon reached, by the certificate */
} tl_bench_target;

/* One method in one precision on one number of threads. Negative: not known. */
typedef struct tl_bench_result {
  talus_method method;
  talus_precision precision;
  int threads;
  double pass_seconds;   /* of one pass over all contacts */
  double traffic;        /* compulsory bytes of one pass */
  double copy_bandwidth; /* B/s on as many threads */
  double limit_ratio;    /* pass_seconds over traffic / copy_bandwidth */
  int64_t bytes;         /* held by the solver, the caller's arrays not counted */
  double seconds_check, seconds_build, seconds_certificate;
  int target_count;
  tl_bench_target target[TL_BENCH_MOST];
} tl_bench_result;

typedef struct tl_bench_problem {
  char name[256];
  talus_form form;
  int64_t contacts, bodies; /* bodies: 0 if the form does not tell */
  int dimension;
  int spheres; /* it runs as spheres, whose bytes are known */
  int result_count;
  tl_bench_result *result;
} tl_bench_problem;

typedef struct tl_bench_session {
  tl_bench_options options;
  double copy_bandwidth[TL_BENCH_MOST]; /* B/s, per entry of options.threads */
  int problem_count;
  tl_bench_problem *problem;
} tl_bench_session;

/* `talus bench world`, `talus bench call`, `talus bench batch`. */
int tl_cli_bench_world(int argc, char **argv);
int tl_cli_bench_call(int argc, char **argv);
int tl_cli_bench_batch(int argc, char **argv);

/* A comma-separated list of numbers; an exit code, with a complaint that names the option. */
int tl_bench_numbers_read(const char *name, const char *text, double low, double high, int whole,
                          tl_bench_list *list);

/* Bytes read and written per second by a copy of arrays that no usual cache holds, the best of
 * several; 0 if there is no memory for them. */
double tl_bench_copy(int threads);
double tl_bench_copy_array_bytes(void);

/* Bytes that one pass must move at the least; negative where no formula is stated. */
double tl_bench_traffic(const tl_bench_problem *problem, talus_method method,
                        talus_precision precision, talus_law law);

/* Fills result, of which method, precision and threads are given. Returns an exit code. */
int tl_bench_measure(talus_context *context, const tl_bench_options *options,
                     const talus_problem *source, tl_bench_problem *problem,
                     tl_bench_result *result);

/* The table for people is printed problem by problem, the JSON at the end. */
void tl_bench_print_copy(const tl_bench_session *session);
void tl_bench_print_problem(const tl_bench_options *options, const tl_bench_problem *problem);
void tl_bench_print_result(const tl_bench_problem *problem, const tl_bench_result *result);
void tl_bench_print_notes(const tl_bench_session *session);
void tl_bench_print_json(const tl_bench_session *session);

#endif
