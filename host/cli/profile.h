/* profile.h: `talus profile`: methods against problems, and how often each is how near the fastest.
 *
 * profile.c knows options and files, profile_run.c solves, profile_plot.c draws the curves,
 * profile_report.c words it all. Performance profiles are Dolan and More's: of a method, the share
 * of all problems that it solves within a factor of the fastest one's time. */
#ifndef TL_CLI_PROFILE_H
#define TL_CLI_PROFILE_H

#include <stdbool.h>

#include "talus/talus.h"

typedef struct tl_profile_options {
  int64_t repeat, threads, facets;
  int law, cone, measure, json; /* indices of choices */
  double tolerance, max_seconds;
  const char *out, *title;
  char csv[1024]; /* the picture's name with .csv */
  int method_count;
  talus_method method[TALUS_METHOD_COUNT];
} tl_profile_options;

/* One method on one problem. */
typedef struct tl_profile_run {
  bool done; /* false: not tried, since the method does not take it or the user stopped */
  talus_info info;
  double seconds; /* the best of its repetitions */
  double ratio;   /* to the fastest that solved it; INFINITY if it did not */
} tl_profile_run;

typedef struct tl_profile_problem {
  char *file;
  talus_form form;
  int32_t contacts, rows; /* rows: bilateral */
  tl_profile_run *run;    /* [method_count] */
  int fastest;            /* index of a method, -1: none solved it */
} tl_profile_problem;

/* What a method did on all of them. */
typedef struct tl_profile_sum {
  int tried, solved, fastest;
  double median, worst; /* ratio, over the problems it solved; NAN if none */
  double seconds;       /* over all that were tried */
} tl_profile_sum;

typedef struct tl_profile {
  tl_profile_options options;
  talus_context *context;
  int file_count;
  char **file;
  int count; /* problems that could be read */
  tl_profile_problem *problem;
  tl_profile_sum sum[TALUS_METHOD_COUNT];
} tl_profile;

/* Reads and solves all files, fills ratios and sums; files that hold no problem are told on stderr
 * and passed over. Returns an exit code. */
int tl_profile_solve(tl_profile *profile);

/* The picture and the table beside it. Returns an exit code. */
int tl_profile_draw(const tl_profile *profile);
int tl_profile_write(const tl_profile *profile);

void tl_profile_print(const tl_profile *profile);
void tl_profile_print_json(const tl_profile *profile);

#endif
