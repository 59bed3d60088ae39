/* test_siconos_text.c: Siconos text of each storage, typed in here, and what is refused in it:
 * every refusal names the file and the line. */
#include <locale.h>
#include <string.h>

#include "files.h"
#include "problems.h"
#include "tests/check.h"

static talus_context *context;

static const char *const dense_text = "3\n1\n0\n3\n3\n3 3\n"
                                      "1 2 3\n4 5 6\n7 8 9\n"
                                      "0.5 -1e0 2.5e-1\n0.7\n";

/* 2D, two contacts, three of four blocks; sizes and index lists on one line. */
static const char *const block_text = "2\n2\n1\n4\n4\n3\n2\n2\n2 4\n2 4\n3\n3\n0 1 3\n1 0 1\n"
                                      "0\n1\n2\n3\n4\n"
                                      "1\n5\n6\n7\n8\n"
                                      "2\n9\n10\n11\n12\n"
                                      "1 2 3 4\n0.1 0.2\n0\n";

static const char *const column_text = "2\n1\n2\n2\n2\n2\nSome banner of 2016, with numbers\n"
                                       "2-by-2, nzmax: 9 nnz: 3, 1-norm: 7\n"
                                       "    col 0 : locations 0 to -1\n"
                                       "    col 1 : locations 0 to 2\n"
                                       "      0 : 2.5\n      1 : -3\n      1 : 1\n"
                                       "7 8\n0\n";

static const char *const triplet_text = "1\n2\n2\n2\n2\n1\nbanner\n"
                                        "triplet: 2-by-2, nzmax: 5 nnz: 2\n"
                                        "    1 0 : 2\n    0 1 : 3\n1 1\n0.5 0.5\n";

/* Global: M diagonal as triplets, H dense, a flag at the end. */
static const char *const global_text = "3 1\n2 2 2\n1\nbanner\ntriplet: 2-by-2, nzmax: 2 nnz: 2\n"
                                       "0 0 : 2\n1 1 : 4\n"
                                       "0 2 3 2 3\n1 0 0 1 1 1\n"
                                       "10 20\n1 2 3\n0.25\n1\n";

static talus_stored *read_text(const char *text, talus_status *status) {
  talus_stored *stored;
  CHECK(file_write("typed.dat", text, strlen(text)));
  *status = talus_problem_read(context, "typed.dat", &stored);
  return stored;
}

/* Reads, and compares W r + q for r = 1, 2, 3, ... with what was worked out by hand. */
static void expect(const char *text, talus_form form, int32_t dimension, const double *u) {
  const double r[4] = {1, 2, 3, 4};
  double found[4], none[1];
  talus_status status;
  talus_stored *stored = read_text(text, &status);
  CHECK_CASE(status == TALUS_OK, "%s", talus_context_message(context));
  if (stored == NULL) {
    return;
  }
  CHECK(stored->problem.form == form && stored->problem.dimension == dimension);
  sample_evaluate(&stored->problem, r, none, found, none);
  for (int i = 0; i < dimension * stored->problem.contact_count; i++) {
    CHECK_CLOSE(found[i], u[i], 1e-15 * fabs(u[i]));
  }
  talus_stored_destroy(stored);
}

static void test_storages(void) {
  const double dense[3] = {1 + 8 + 21 + 0.5, 2 + 10 + 24 - 1, 3 + 12 + 27 + 0.25};
  const double block[4] = {1 * 3 + 3 * 4 + 1, 2 * 3 + 4 * 4 + 2, 5 + 7 * 2 + 9 * 3 + 11 * 4 + 3,
                           6 + 8 * 2 + 10 * 3 + 12 * 4 + 4};
  const double column[2] = {2.5 * 2 + 7, -2 * 2 + 8};
  const double triplet[2] = {3 * 2 + 1, 2 + 1};
  /* v = ((10 + 1 + 3) / 2, (20 + 2 + 3) / 4), u = (v0, v1, v0 + v1) + (1, 2, 3) */
  const double global[3] = {7 + 1, 6.25 + 2, 13.25 + 3};
  expect(dense_text, TALUS_FORM_DELASSUS, 3, dense);
  expect(block_text, TALUS_FORM_DELASSUS, 2, block);
  expect(column_text, TALUS_FORM_DELASSUS, 2, column);
  expect(triplet_text, TALUS_FORM_DELASSUS, 1, triplet);
  expect(global_text, TALUS_FORM_GLOBAL, 3, global);
}

static void refuse(const char *text, const char *line, const char *word) {
  talus_status status;
  talus_stored *stored = read_text(text, &status);
  const char *message = talus_context_message(context);
  CHECK_CASE(status == TALUS_FILE_FORMAT && stored == NULL, "%s: %s", word, message);
  CHECK_CASE(strstr(message, "typed.dat") != NULL && strstr(message, line) != NULL &&
                 strstr(message, word) != NULL,
             "'%s' should have '%s' and '%s'", message, line, word);
  talus_stored_destroy(stored);
}

static void test_refusals(void) {
  refuse("", "", "empty");
  refuse("# a comment\n", "", "neither");
  refuse("5\n1\n", ":1:", "dimension");
  refuse("3\n-4\n", ":2:", "contacts");
  refuse("3\n9999999999\n", ":2:", "contacts");
  refuse("3\n600000000\n0\n3\n3\n", ":2:", "contacts");
  refuse("3\n1\n7\n3\n3\n", ":3:", "storage");
  refuse("3\n1\n0\n1\n", ":5:", "columns");
  refuse("3\n1\n0\n3\n3\n3 4\n", ":6:", "columns, again");
  refuse("3\n1\n0\n30000\n30000\n30000 30000\n1 2 3", ":4:", "rows");
  refuse("3\n1\n0\n3\n3\n3 3\n1 2 3 4 x5 6 7 8 9\n1 2 3 4 5 6", ":7:", "'x5' is not a number");
  refuse("3\n1\n0\n3\n3\n3 3\n1 2 3\n4 5 6\n7 8 9\n0.5 0.5 0.5\n", ":11:", "mu");
  refuse("2\n1\n0\n2\n2\n2 2\n1 2 3 4\n1 2\n0.5\n1\n5\n", ":11:", "goes on");
  refuse("2\n1\n0\n2\n3\n2 3\n1 2 3 4 5 6\n1 2\n0.5\n", "", "not square");
  /* a size whose square would need 2^65 bytes */
  refuse("3\n1\n0\n2147483646\n2147483646\n", ":4:", "claimed");
  /* blocks: too many, wrong numbers, lists that fall or point outside */
  refuse("2\n1\n1\n2\n2\n900000000\n1\n1\n2\n2\n", ":6:", "blocks");
  refuse("2\n1\n1\n2\n2\n1\n1\n1\n3\n2\n2\n1\n0 1\n0\n0\n1\n2\n3\n4\n1 2\n0.5\n",
         ":9:", "cumulated");
  refuse("2\n1\n1\n2\n2\n1\n1\n1\n2\n2\n2\n1\n0 1\n1\n0\n1\n2\n3\n4\n1 2\n0.5\n", ":14:", "index2");
  refuse("2\n1\n1\n2\n2\n1\n1\n1\n2\n2\n2\n1\n1 1\n0\n0\n1\n2\n3\n4\n1 2\n0.5\n", ":13:", "index1");
  refuse("2\n1\n1\n2\n2\n1\n1\n1\n2\n2\n2\n1\n0 1\n0\n6\n1\n2\n3\n4\n1 2\n0.5\n",
         ":15:", "block number");
  /* CSparse text */
  refuse("2\n1\n2\n2\n2\n2\nb\n2-by-3, nzmax: 1 nnz: 1\n", ":9:", "2-by-3");
  refuse("2\n1\n2\n2\n2\n2\nb\nhello\n", ":9:", "the line before");
  refuse("2\n1\n2\n2\n2\n1\nb\ntriplet: 2-by-2, nzmax: 1 nnz: 1000000000000\n", ":9:", "claimed");
  refuse("2\n1\n2\n2\n2\n1\nb\ntriplet: 2-by-2, nzmax: 1 nnz: 1\n0 2 : 1\n1 1\n1\n",
         ":9:", "column");
  refuse("2\n1\n2\n2\n2\n2\nb\n2-by-2, nzmax: 1 nnz: 1\ncol 0 : locations 0 to 5\n0 : 1\n"
         "col 1 : locations 1 to 0\n1 1\n1\n",
         ":9:", "last location");
}

/* A decimal comma in the caller's locale changes nothing; skipped where no such locale is there. */
static void test_locale(void) {
  if (setlocale(LC_ALL, "de_DE.UTF-8") == NULL && setlocale(LC_ALL, "fr_FR.UTF-8") == NULL) {
    printf("decimal comma skipped: no such locale here\n");
    return;
  }
  test_storages();
  CHECK(strcmp(localeconv()->decimal_point, ",") == 0);
  setlocale(LC_ALL, "C");
}

/* Cut anywhere, the text is refused or, where only the last number got shorter, still read. */
static void test_truncated(void) {
  const char *const texts[] = {dense_text, block_text, column_text, triplet_text, global_text};
  for (int k = 0; k < 5; k++) {
    const size_t size = strlen(texts[k]);
    int refused = 0;
    for (size_t length = 0; length < size; length++) {
      talus_stored *stored;
      CHECK(file_write("cut.dat", texts[k], length));
      const talus_status status = talus_problem_read(context, "cut.dat", &stored);
      CHECK((status == TALUS_OK) == (stored != NULL));
      CHECK_CASE(status == TALUS_FILE_FORMAT || (status == TALUS_OK && length + 8 >= size),
                 "text %d cut to %zu of %zu: %s", k, length, size, talus_status_name(status));
      refused += status == TALUS_FILE_FORMAT;
      talus_stored_destroy(stored);
    }
    CHECK((size_t)refused + 8 >= size);
  }
}

/* Compliance and targets behind the friction coefficients, there and back. */
static void test_compliance(void) {
  char text[512];
  talus_status status;
  const double wanted[5] = {0.125, 0.25, 1, -2, 3};
  snprintf(text, sizeof text, "%stalus-compliance\n0.125 0.25\ntalus-target\n1 -2 3\n", dense_text);
  talus_stored *stored = read_text(text, &status);
  for (int round = 0; round < 2 && CHECK(status == TALUS_OK); round++) {
    const talus_problem *const problem = &stored->problem;
    CHECK(problem->compliance != NULL && problem->target_impulse != NULL &&
          memcmp(problem->compliance, wanted, 2 * sizeof *wanted) == 0 &&
          memcmp(problem->target_impulse, wanted + 2, 3 * sizeof *wanted) == 0);
    CHECK(talus_problem_write(context, "soft.dat", problem, NULL) == TALUS_OK);
    talus_stored_destroy(stored);
    status = talus_problem_read(context, "soft.dat", &stored);
  }
  talus_stored_destroy(stored);
  const char *const tails[] = {"talus-complianc\n1 1\n", "talus-compliance\n1\n",
                               "talus-compliance\n1 1\n7\n",
                               "talus-compliance\n1 1\ntalus-target\n1 2\n"};
  for (size_t i = 0; i < sizeof tails / sizeof *tails; i++) {
    snprintf(text, sizeof text, "%s%s", dense_text, tails[i]);
    stored = read_text(text, &status);
    CHECK_CASE(status != TALUS_OK && stored == NULL, "%s", tails[i]);
    talus_stored_destroy(stored);
  }
}

/* Any one byte replaced by another: an answer, whatever it is. */
static void test_damaged(void) {
  const char *const texts[] = {dense_text, block_text, column_text, triplet_text, global_text};
  uint64_t state = 1;
  char damaged[512];
  int answers = 0;
  for (int k = 0; k < 5; k++) {
    const size_t size = strlen(texts[k]);
    for (size_t place = 0; place < size; place++) {
      talus_stored *stored;
      memcpy(damaged, texts[k], size);
      damaged[place] = (char)(128 * (1 + sample_random(&state)));
      CHECK(file_write("damaged.dat", damaged, size));
      const talus_status status = talus_problem_read(context, "damaged.dat", &stored);
      answers += (status == TALUS_OK) == (stored != NULL) &&
                 (status == TALUS_OK || status == TALUS_FILE_FORMAT);
      talus_stored_destroy(stored);
    }
    answers -= (int)size;
  }
  CHECK(answers == 0);
}

int main(void) {
  CHECK(talus_context_create(NULL, &context) == TALUS_OK);
  test_storages();
  test_refusals();
  test_locale();
  test_truncated();
  test_compliance();
  test_damaged();
  talus_context_destroy(context);
  return check_end();
}
