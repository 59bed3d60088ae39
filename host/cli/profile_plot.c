/* profile_plot.c: the curves of performance profiles as a picture, and every run in a table. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/cli/cli.h"
#include "host/cli/profile.h"
#include "host/view/plot.h"

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* A staircase: two points per problem solved, and the ends. Methods that are equal at many places
 * hide each other; each is lowered by a hair more than the one before. */
static int64_t curve_make(const tl_profile *p, int m, double end, double lowered, double *ratio,
                          double *x, double *y) {
  const int solved = p->sum[m].solved;
  int64_t count = 0;
  for (int i = 0, k = 0; i < p->count; i++) {
    if (isfinite(p->problem[i].run[m].ratio)) {
      ratio[k++] = p->problem[i].run[m].ratio;
    }
  }
  qsort(ratio, (size_t)solved, sizeof *ratio, ascending);
  for (int k = 0; k <= solved; k++) {
    x[count] = k > 0 ? ratio[k - 1] : 1;
    y[count++] = (double)k / p->count - lowered;
    x[count] = k < solved ? ratio[k] : end;
    y[count++] = (double)k / p->count - lowered;
  }
  return count;
}

static double longest_ratio(const tl_profile *p) {
  double worst = 1;
  for (int m = 0; m < p->options.method_count; m++) {
    worst = fmax(worst, isfinite(p->sum[m].worst) ? p->sum[m].worst : 1);
  }
  return fmax(10, 1.3 * worst);
}

int tl_profile_draw(const tl_profile *p) {
  const tl_profile_options *const o = &p->options;
  const int64_t most = 2 * ((int64_t)p->count + 1);
  const double end = longest_ratio(p);
  tl_plot_series series[TALUS_METHOD_COUNT];
  char label[TALUS_METHOD_COUNT][64], title[256];
  double *const room = tl_cli_numbers(o->method_count * 2 * most + p->count);
  if (room == NULL) {
    return TL_EXIT_BAD;
  }
  double *const ratio = room + o->method_count * 2 * most;
  int drawn = 0; /* methods that took none of the problems have no curve */
  for (int m = 0; m < o->method_count; m++) {
    double *const x = room + m * 2 * most, *const y = x + most;
    if (p->sum[m].tried == 0) {
      continue;
    }
    const int64_t count = curve_make(p, m, end, 0.0025 * m, ratio, x, y);
    snprintf(label[m], sizeof label[m], "%s  %d of %d", talus_method_name(o->method[m]),
             p->sum[m].solved, p->count);
    series[drawn++] = (tl_plot_series){.x = x, .y = y, .count = count, .label = label[m]};
  }
  tl_plot_options plot = tl_plot_options_default();
  snprintf(title, sizeof title, "%d problems, law %s, %s <= %g within %g s", p->count,
           talus_law_name((talus_law)o->law), tl_cli_measure_name((talus_measure)o->measure),
           o->tolerance, o->max_seconds);
  plot.title = o->title != NULL ? o->title : title;
  plot.width = 1500;
  plot.height = 760;
  plot.legend = TL_LEGEND_BESIDE;
  plot.x_label = "time over that of the fastest method";
  plot.y_label = "share of the problems solved";
  plot.log_x = true;
  plot.x_low = 1;
  plot.x_high = end;
  plot.y_low = -0.05;
  plot.y_high = 1.05;
  const talus_status status = tl_plot_file(p->context, series, drawn, &plot, o->out);
  free(room);
  if (status == TALUS_UNSUPPORTED) { /* the table is there all the same */
    tl_cli_fail("%s was not drawn: %s", o->out, talus_context_message(p->context));
    return TL_EXIT_OK;
  }
  return status == TALUS_OK ? TL_EXIT_OK : tl_cli_fail_status(p->context, status, o->out);
}

/* The table of all runs as text. */
static void print_table(const tl_profile *p, FILE *out) {
  const tl_profile_options *const o = &p->options;
  fputs("problem,contacts,bilateral_rows,method,outcome,seconds [s],ratio,measure,epsilon_coulomb,"
        "epsilon_ccp,siconos_coulomb,siconos_ccp,iterations,passes,factorisations\n",
        out);
  for (int i = 0; i < p->count; i++) {
    for (int m = 0; m < o->method_count; m++) {
      const tl_profile_problem *const problem = &p->problem[i];
      const tl_profile_run *const run = &problem->run[m];
      const talus_certificate *const c = &run->info.certificate;
      tl_cli_csv_field(out, problem->file);
      fprintf(out, ",%" PRId32 ",%" PRId32 ",%s", problem->contacts, problem->rows,
              talus_method_name(o->method[m]));
      if (!run->done) {
        fputs(",not_supported,,,,,,,,,,\n", out);
        continue;
      }
      fprintf(out, ",%s,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%" PRId64 ",%" PRId64 ",%" PRId64 "\n",
              talus_outcome_name(run->info.outcome), run->seconds, run->ratio, run->info.measure,
              c->epsilon_coulomb, c->epsilon_ccp, c->siconos_coulomb, c->siconos_ccp,
              run->info.iterations, run->info.passes, run->info.factorisations);
    }
  }
}

int tl_profile_write(const tl_profile *p) {
  tl_cli_text text;
  if (tl_cli_text_begin(&text) != TL_EXIT_OK) {
    return TL_EXIT_BAD;
  }
  print_table(p, text.stream);
  return tl_cli_text_write(&text, p->context, p->options.csv);
}
