/* test_plot.c: ticks at round numbers, curves where they belong, gaps, log axes, labels from the
 * table, refusals. Pictures are looked at pixel by pixel. */
#include <stdlib.h>
#include <string.h>

#include "host/view/plot.h"
#include "host/view/plot_axis.h"
#include "tests/check.h"
#include "tests/io/files.h"

static talus_context *context;

static int says(const char *words) {
  const int found = strstr(talus_context_message(context), words) != NULL;
  if (!found) {
    printf("  message: %s\n", talus_context_message(context));
  }
  return found;
}

/* ---- axes ------------------------------------------------------------------------------------ */

static void check_words(const tl_plot_axis *axis, const char *const *words) {
  for (int32_t k = 0; k < axis->tick_count; k++) {
    char found[32];
    tl_plot_axis_words(axis, k, found, sizeof found);
    CHECK_CASE(strcmp(found, words[k]) == 0, "%s instead of %s", found, words[k]);
  }
}

static void test_axes(void) {
  tl_plot_axis axis = tl_plot_axis_make(0.03, 0.97, false, 5);
  CHECK(axis.tick_count == 4 && axis.low == 0.03 && axis.high == 0.97);
  check_words(&axis, (const char *const[]){"0.2", "0.4", "0.6", "0.8"});
  axis = tl_plot_axis_round(0.03, 0.97, false, 5);
  CHECK(axis.low == 0 && axis.high == 1 && axis.tick_count == 6);
  axis = tl_plot_axis_round(-3, 17, false, 5);
  check_words(&axis, (const char *const[]){"−5", "0", "5", "10", "15", "20"});
  axis = tl_plot_axis_round(0, 2.5e-6, false, 5);
  check_words(
      &axis, (const char *const[]){"0", "0.5×10^−6", "10^−6", "1.5×10^−6", "2×10^−6", "2.5×10^−6"});
  axis = tl_plot_axis_round(3e-5, 0.4, true, 6);
  CHECK(fabs(axis.low / 1e-5 - 1) < 1e-12 && fabs(axis.high - 1) < 1e-12);
  CHECK(axis.tick_count == 6 && axis.minor_count > 20);
  check_words(&axis, (const char *const[]){"10^−5", "10^−4", "10^−3", "10^−2", "10^−1", "10^0"});
  axis = tl_plot_axis_make(2, 8, true, 6);
  check_words(&axis, (const char *const[]){"2", "5"});
  /* equal ends, none at all, the wrong way round */
  axis = tl_plot_axis_round(5, 5, false, 5);
  CHECK(axis.low < 5 && axis.high > 5 && axis.tick_count > 1);
  axis = tl_plot_axis_round(0, 0, false, 5);
  CHECK(axis.low < 0 && axis.high > 0);
  axis = tl_plot_axis_round(INFINITY, -INFINITY, false, 5);
  CHECK(axis.low == 0 && axis.high == 1);
  axis = tl_plot_axis_round(7, -1, false, 5);
  CHECK(axis.low <= -1 && axis.high >= 7);
  axis = tl_plot_axis_round(1e-300, 1e300, true, 5);
  CHECK(axis.tick_count > 1 && axis.tick_count <= TL_PLOT_AXIS_TICKS);
  CHECK_CLOSE(tl_plot_axis_share(&axis, 1), 0.5, 0.01);
}

/* ---- pictures -------------------------------------------------------------------------------- */

static int is_coloured(const tl_picture *picture, int32_t x, int32_t y) {
  const unsigned char *p = picture->pixel + 3 * ((size_t)y * (size_t)picture->width + (size_t)x);
  const int low = p[0] < p[1] ? (p[0] < p[2] ? p[0] : p[2]) : (p[1] < p[2] ? p[1] : p[2]);
  const int high = p[0] > p[1] ? (p[0] > p[2] ? p[0] : p[2]) : (p[1] > p[2] ? p[1] : p[2]);
  return high - low > 60;
}

/* Coloured pixels of a column: their number and mean height. */
static int column(const tl_picture *picture, int32_t x, double *mean) {
  int count = 0;
  *mean = 0;
  for (int32_t y = 0; y < picture->height; y++) {
    if (is_coloured(picture, x, y)) {
      count++;
      *mean += y + 0.5;
    }
  }
  *mean /= count > 0 ? count : 1;
  return count;
}

static void test_curve(void) {
  enum { COUNT = 101 };
  double x[COUNT], y[COUNT], low = 0, high = 0, middle = 0;
  tl_picture picture;
  tl_plot_options options = tl_plot_options_default();
  for (int k = 0; k < COUNT; k++) {
    x[k] = 0.01 * k;
    y[k] = x[k];
  }
  y[70] = NAN;
  const tl_plot_series line = {.x = x, .y = y, .count = COUNT};
  CHECK(tl_plot(context, &line, 1, &options, &picture) == TALUS_OK);
  CHECK(picture.width == 1000 && picture.height == 700);
  /* the ends of the curve are the corners of the field: a straight line between them */
  int32_t first = 0, last = picture.width - 1;
  while (first < last && column(&picture, first, &low) == 0) {
    first++;
  }
  while (last > first && column(&picture, last, &high) == 0) {
    last--;
  }
  CHECK(first > 20 && first < 150 && last > 940 && last < 1000);
  CHECK(low > 600 && low < 690 && high > 5 && high < 60);
  CHECK(column(&picture, (first + last) / 2, &middle) >= 2);
  CHECK_CLOSE(middle, 0.5 * (low + high), 2);
  CHECK(column(&picture, first + (int32_t)(0.70 * (last - first)), &middle) == 0); /* the gap */
  tl_picture_destroy(&picture);
  /* given ranges cut the curve off at the field's border */
  options.y_low = 0;
  options.y_high = 0.25;
  CHECK(tl_plot(context, &line, 1, &options, &picture) == TALUS_OK);
  for (int32_t i = 600; i < 1000; i++) {
    CHECK(column(&picture, i, &middle) == 0);
  }
  tl_picture_destroy(&picture);
}

/* A power law is straight on two logarithmic axes. */
static void test_logarithmic(void) {
  enum { COUNT = 30 };
  double x[COUNT], y[COUNT], mean[3] = {0, 0, 0};
  tl_picture picture;
  tl_plot_options options = tl_plot_options_default();
  for (int k = 0; k < COUNT; k++) {
    x[k] = pow(10, 0.1 * k);
    y[k] = pow(x[k], -2);
  }
  y[5] = -1; /* left out */
  const tl_plot_series both = {
      .x = x, .y = y, .count = COUNT, .label = "law", .style = TL_PLOT_BOTH};
  options.log_x = options.log_y = 1;
  options.legend = 0;
  CHECK(tl_plot(context, &both, 1, &options, &picture) == TALUS_OK);
  for (int k = 0; k < 3; k++) {
    CHECK(column(&picture, 400 + 150 * k, &mean[k]) > 0);
  }
  CHECK(mean[1] > mean[0] + 20);
  CHECK_CLOSE(mean[2] - mean[1], mean[1] - mean[0], 2.5);
  tl_picture_destroy(&picture);
  for (int k = 0; k < COUNT; k++) {
    y[k] = -y[k] - 2;
  }
  CHECK(tl_plot(context, &both, 1, &options, &picture) == TALUS_BAD_SETTING);
  CHECK(says("y axis") && picture.pixel == NULL);
}

static void test_odd(void) {
  const double x[2] = {1, 2}, y[2] = {NAN, INFINITY};
  tl_picture picture;
  tl_plot_options options = tl_plot_options_default();
  const tl_plot_series none = {.x = x, .y = y, .count = 2, .label = "nothing"};
  CHECK(tl_plot(context, &none, 1, &options, &picture) == TALUS_OK);
  tl_picture_destroy(&picture);
  CHECK(tl_plot(context, NULL, 0, &options, &picture) == TALUS_OK);
  tl_picture_destroy(&picture);
  options.width = 20000;
  CHECK(tl_plot(context, &none, 1, &options, &picture) == TALUS_BAD_SETTING && says("width"));
  options = tl_plot_options_default();
  options.log_x = 1;
  options.x_low = -1;
  options.x_high = 1;
  CHECK(tl_plot(context, &none, 1, &options, &picture) == TALUS_BAD_SETTING && says("x axis"));
  options = tl_plot_options_default();
  options.width = options.height = 64;
  options.y_label = options.x_label = "x";
  const talus_status status = tl_plot(context, &none, 1, &options, &picture);
  CHECK(status == TALUS_OK || status == TALUS_BAD_SETTING);
  tl_picture_destroy(&picture);
}

/* ---- tables ---------------------------------------------------------------------------------- */

static talus_status plot_columns(const tl_stored_table *table, const char *x, const char *const *y,
                                 int32_t y_count, tl_plot_style style, const char *path) {
  const tl_plot_options options = tl_plot_options_default();
  const tl_plot_run run = {.table = table};
  return tl_plot_runs(context, &run, 1, x, y, y_count, style, TL_BAND_NONE, &options, path);
}

static int begins_with(const char *path, const char *bytes, size_t count, size_t least) {
  size_t size;
  char *const found = file_read(path, &size);
  const int good = found != NULL && size >= least && memcmp(found, bytes, count) == 0;
  free(found);
  return good;
}

static void test_columns(void) {
  static const char text[] = "step,time [s],kinetic [J],potential [J],contacts\n"
                             "0,0,1,5,100\n1,0.1,0.5,4.5,120\n2,0.2,0.25,4.2,140\n";
  tl_stored_table table;
  const char *const energies[] = {"kinetic", "potential"}, *const mixed[] = {"kinetic", "contacts"},
                    *const wrong[] = {"kinetic", "heat"};
  CHECK(file_write("scalars.csv", text, sizeof text - 1));
  CHECK(tl_stored_table_read(context, "scalars.csv", &table) == TALUS_OK);
  if (tl_text_missing() == NULL) {
    CHECK(plot_columns(&table, "time", energies, 2, TL_PLOT_LINE, "energies.png") == TALUS_OK);
    CHECK(begins_with("energies.png", "\x89PNG\r\n\x1a\n", 8, 3000));
    CHECK(plot_columns(&table, "time", energies, 2, TL_PLOT_LINE, "energies.svg") == TALUS_OK);
    CHECK(begins_with("energies.svg", "<?xml", 5, 3000));
    CHECK(plot_columns(&table, "time", energies, 2, TL_PLOT_LINE, "energies.pdf") == TALUS_OK);
    CHECK(begins_with("energies.pdf", "%PDF-", 5, 3000));
    CHECK(plot_columns(&table, "step", mixed, 2, TL_PLOT_POINTS, "mixed.png") == TALUS_OK);
    CHECK(plot_columns(&table, "step", mixed, 1, TL_PLOT_BOTH, "one.png") == TALUS_OK);
    CHECK(plot_columns(&table, "time", energies, 2, TL_PLOT_LINE, "no/such/x.png") ==
          TALUS_FILE_WRITE);
    CHECK(says("no/such/x.png"));
    CHECK(plot_columns(&table, "time", energies, 2, TL_PLOT_LINE, "energies.gif") ==
          TALUS_BAD_SETTING);
    CHECK(says("energies.gif") && says(".svg") && !file_exists("energies.gif"));
  } else {
    CHECK(plot_columns(&table, "time", energies, 2, TL_PLOT_LINE, "energies.png") ==
          TALUS_UNSUPPORTED);
    CHECK(says("libcairo2-dev") && !file_exists("energies.png"));
  }
  CHECK(plot_columns(&table, "time", wrong, 2, TL_PLOT_LINE, "wrong.png") == TALUS_BAD_SETTING);
  CHECK(says("'heat'") && says("potential, contacts") && !file_exists("wrong.png"));
  CHECK(plot_columns(&table, "hour", energies, 2, TL_PLOT_LINE, "wrong.png") == TALUS_BAD_SETTING);
  CHECK(plot_columns(&table, "time", energies, 0, TL_PLOT_LINE, "wrong.png") == TALUS_BAD_SETTING);
  tl_stored_table_release(&table);
}

/* ---- several runs ---------------------------------------------------------------------------- */

static int read_text(const char *path, const char *text, tl_stored_table *table) {
  return CHECK(file_write(path, text, strlen(text))) &&
         CHECK(tl_stored_table_read(context, path, table) == TALUS_OK);
}

/* Three seeds, written at other times: their mean is 2 at any time, the band 1 to 3. */
static void test_means(void) {
  tl_stored_table table[3];
  const tl_plot_run run[3] = {{&table[0], "a", 0}, {&table[1], "a", 0}, {&table[2], "a", 0}};
  const char *const names[] = {"v"};
  tl_plot_options options = tl_plot_options_default();
  options.y_low = 0;
  options.y_high = 4;
  const int read = read_text("one.csv", "time [s],v [m]\n0,1\n1,1\n2,1\n", &table[0]) &
                   read_text("two.csv", "time [s],v [m]\n0,2\n0.5,2\n2,2\n", &table[1]) &
                   read_text("three.csv", "time [s],v [m]\n0,3\n2,3\n", &table[2]);
  if (CHECK(read) && tl_text_missing() == NULL) {
    CHECK(tl_plot_runs(context, run, 3, "time", names, 1, TL_PLOT_LINE, TL_BAND_RANGE, &options,
                       "means.svg") == TALUS_OK);
    const double x[3] = {0, 1, 2}, y[3] = {2, 2, 2}, low[3] = {1, 1, 1}, high[3] = {3, 3, 3};
    const tl_plot_series same = {
        .x = x, .y = y, .low = low, .high = high, .count = 3, .label = "a"};
    tl_plot_options with = options;
    with.x_label = "time [s]";
    with.y_label = "v [m]";
    CHECK(tl_plot_file(context, &same, 1, &with, "same.svg") == TALUS_OK);
    /* but for the numbers that Cairo gives to its surfaces */
    CHECK(
        system("sed -i 's/surface[0-9]*/surface/' means.svg same.svg && cmp means.svg same.svg") ==
        0);
    CHECK(tl_plot_runs(context, run, 3, "v", names, 1, TL_PLOT_LINE, TL_BAND_ERROR, &options,
                       "bad.svg") == TALUS_BAD_SETTING);
    CHECK(says("an x that grows") && says("'v'") && !file_exists("bad.svg"));
  }
  for (int k = 0; k < 3; k++) {
    tl_stored_table_release(&table[k]);
  }
}

/* Bars stand over points from low to high, bands lie about lines, and are paler than they are. */
static void test_errors(void) {
  const double x[3] = {0, 1, 2}, y[3] = {2, 2, 2}, low[3] = {1, 1, 1}, high[3] = {3, 3, NAN};
  double mean;
  tl_picture picture;
  tl_plot_options options = tl_plot_options_default();
  options.y_low = 0;
  options.y_high = 4;
  options.x_low = -1;
  options.x_high = 3;
  tl_plot_series s = {.x = x, .y = y, .low = low, .high = high, .count = 3};
  s.style = TL_PLOT_POINTS;
  if (!CHECK(tl_plot(context, &s, 1, &options, &picture) == TALUS_OK)) {
    return;
  }
  int columns = 0, tallest = 0;
  for (int32_t i = 0; i < picture.width; i++) {
    const int count = column(&picture, i, &mean);
    columns += count > 200;
    tallest = count > tallest ? count : tallest;
  }
  CHECK_CASE(columns >= 2 && columns <= 6 && tallest > 250 && tallest < 350,
             "%d columns of bars, up to %d pixels", columns, tallest);
  tl_picture_destroy(&picture);
  s.style = TL_PLOT_LINE;
  CHECK(tl_plot(context, &s, 1, &options, &picture) == TALUS_OK);
  int tinted = 0, plain = 0;
  for (int32_t j = 0; j < picture.height; j++) {
    const unsigned char *const p =
        picture.pixel + 3 * ((size_t)j * (size_t)picture.width + (size_t)400);
    const int spread = abs(p[0] - p[2]);
    tinted += spread > 12 && spread < 60;
    plain += spread >= 60;
  }
  CHECK_CASE(tinted > 250 && plain >= 2 && plain < 8, "%d of the band, %d of the line", tinted,
             plain);
  tl_picture_destroy(&picture);
}

int main(void) {
  CHECK(talus_context_create(NULL, &context) == TALUS_OK);
  const int64_t before = context->bytes;
  test_axes();
  if (tl_text_missing() == NULL) {
    test_curve();
    test_logarithmic();
    test_odd();
    test_errors();
  }
  test_columns();
  test_means();
  CHECK(context->bytes == before);
  talus_context_destroy(context);
  return check_end();
}
