/* test_csv.c: tables come back bit for bit; a restart cuts what lies beyond it and nothing else; a
 * full disk leaves whole lines; bad tables are refused with line and column. */
#define _POSIX_C_SOURCE 200809L
#include <locale.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "files.h"
#include "host/io/table.h"
#include "tests/check.h"

static talus_context *context;
static const talus_column columns[] = {{"time", "s"}, {"kinetic", "J"}, {"contacts", ""}};

static int says(const char *words) {
  const int found = strstr(talus_context_message(context), words) != NULL;
  if (!found) {
    printf("  message: %s\n", talus_context_message(context));
  }
  return found;
}

static void add_rows(talus_table *csv, int from, int to) {
  for (int step = from; step <= to; step += 10) {
    const double row[3] = {step * 1e-3, 1.0 / (step + 3), step % 7};
    CHECK(talus_table_row(csv, step, row) == TALUS_OK);
  }
}

static void write_run(const char *path, int to) {
  talus_table *csv;
  CHECK(talus_table_open(context, path, columns, 3, -1, &csv) == TALUS_OK);
  add_rows(csv, 0, to);
  CHECK(talus_table_close(csv) == TALUS_OK);
}

static int same_files(const char *a, const char *b) {
  size_t size_a, size_b;
  char *bytes_a = file_read(a, &size_a), *bytes_b = file_read(b, &size_b);
  const int same = bytes_a != NULL && bytes_b != NULL && size_a == size_b &&
                   memcmp(bytes_a, bytes_b, size_a) == 0;
  free(bytes_a);
  free(bytes_b);
  return same;
}

static void test_round_trip(void) {
  tl_stored_table table;
  talus_table *csv;
  size_t size;
  write_run("a.csv", 100);
  char *bytes = file_read("a.csv", &size);
  CHECK(strncmp(bytes, "step,time [s],kinetic [J],contacts\n0,0,", 38) == 0);
  free(bytes);
  CHECK(tl_stored_table_read(context, "a.csv", &table) == TALUS_OK);
  CHECK(table.column_count == 4 && table.row_count == 11);
  const int32_t kinetic = tl_stored_table_find(&table, "kinetic");
  CHECK(kinetic == 2 && strcmp(table.unit[kinetic], "J") == 0 && table.unit[3][0] == 0);
  CHECK(tl_stored_table_find(&table, "kinetic [J]") == -1);
  for (int row = 0; row < 11; row++) {
    CHECK(table.value[2 * 11 + row] == 1.0 / (10 * row + 3) && table.value[row] == 10 * row);
  }
  tl_stored_table_release(&table);
  /* what is not finite */
  const double odd[3] = {NAN, -INFINITY, 5e-324};
  CHECK(talus_table_open(context, "odd.csv", columns, 3, -1, &csv) == TALUS_OK);
  CHECK(talus_table_row(csv, INT64_MAX, odd) == TALUS_OK && talus_table_close(csv) == TALUS_OK);
  CHECK(tl_stored_table_read(context, "odd.csv", &table) == TALUS_OK && table.row_count == 1);
  CHECK(isnan(table.value[1]) && table.value[2] == -INFINITY && table.value[3] == 5e-324);
  tl_stored_table_release(&table);
}

/* Each row is with the system when the call returns. */
static void test_flush(void) {
  talus_table *csv;
  size_t size;
  CHECK(talus_table_open(context, "flush.csv", columns, 3, -1, &csv) == TALUS_OK);
  add_rows(csv, 0, 0);
  char *bytes = file_read("flush.csv", &size);
  CHECK(size > 40 && bytes[size - 1] == '\n');
  free(bytes);
  CHECK(talus_table_close(csv) == TALUS_OK && talus_table_close(NULL) == TALUS_OK);
}

static void test_restart(void) {
  talus_table *csv;
  size_t size;
  write_run("whole.csv", 100);
  write_run("cut.csv", 90);
  CHECK(talus_table_open(context, "cut.csv", columns, 3, 54, &csv) == TALUS_OK);
  add_rows(csv, 60, 100);
  CHECK(talus_table_close(csv) == TALUS_OK);
  CHECK(same_files("whole.csv", "cut.csv"));
  /* the line of the step itself stays; a killed writer's last line goes */
  char *bytes = file_read("whole.csv", &size);
  CHECK(file_write("cut.csv", bytes, size - 5));
  CHECK(talus_table_open(context, "cut.csv", columns, 3, 100, &csv) == TALUS_OK);
  add_rows(csv, 100, 100);
  CHECK(talus_table_close(csv) == TALUS_OK && same_files("whole.csv", "cut.csv"));
  CHECK(talus_table_open(context, "cut.csv", columns, 3, 100, &csv) == TALUS_OK);
  CHECK(talus_table_close(csv) == TALUS_OK && same_files("whole.csv", "cut.csv"));
  /* the line of a step that is written again is replaced */
  CHECK(talus_table_open(context, "cut.csv", columns, 3, 100, &csv) == TALUS_OK);
  add_rows(csv, 100, 100);
  add_rows(csv, 100, 100);
  CHECK(talus_table_close(csv) == TALUS_OK && same_files("whole.csv", "cut.csv"));
  /* where the lines up to a step end */
  int64_t last = 0;
  CHECK(tl_table_find(context, "whole.csv", 54, &last) == TALUS_OK && last == 50);
  CHECK(tl_table_find(context, "whole.csv", 1000, &last) == TALUS_OK && last == 100);
  CHECK(tl_table_find(context, "whole.csv", -1, &last) == TALUS_OK && last == -1);
  CHECK(tl_table_find(context, "absent.csv", 54, &last) == TALUS_OK && last == -1);
  /* nothing there yet */
  unlink("new.csv");
  CHECK(talus_table_open(context, "new.csv", columns, 3, 54, &csv) == TALUS_OK);
  add_rows(csv, 0, 100);
  CHECK(talus_table_close(csv) == TALUS_OK && same_files("whole.csv", "new.csv"));
  /* another table is not touched */
  CHECK(talus_table_open(context, "new.csv", columns, 2, 54, &csv) == TALUS_FILE_FORMAT &&
        csv == NULL);
  CHECK(says("new.csv") && says("columns") && same_files("whole.csv", "new.csv"));
  memcpy(strstr(bytes, "\n20,") + 1, "xx", 2);
  CHECK(file_write("bad.csv", bytes, size) && file_write("bad2.csv", bytes, size));
  CHECK(talus_table_open(context, "bad.csv", columns, 3, 54, &csv) == TALUS_FILE_FORMAT);
  CHECK(says("bad.csv:4") && same_files("bad.csv", "bad2.csv"));
  free(bytes);
}

static void test_refusals(void) {
  talus_table *csv;
  const talus_column comma[] = {{"a,b", ""}}, bracket[] = {{"a", "m]"}};
  CHECK(talus_table_open(context, "no/such/x.csv", columns, 3, -1, &csv) == TALUS_FILE_WRITE);
  CHECK(says("no/such/x.csv"));
  CHECK(talus_table_open(context, "x.csv", comma, 1, -1, &csv) == TALUS_INVALID_ARGUMENT);
  CHECK(talus_table_open(context, "x.csv", bracket, 1, -1, &csv) == TALUS_INVALID_ARGUMENT);
  CHECK(!file_exists("x.csv"));
}

static void test_foreign(void) {
  tl_stored_table table;
  const char good[] = "# made elsewhere\r\n\r\n a ; \"b\" [m/s]\r\n1;2\r\n;4\r\n5;6";
  CHECK(file_write("foreign.csv", good, sizeof good - 1));
  CHECK(tl_stored_table_read(context, "foreign.csv", &table) == TALUS_OK);
  CHECK(table.row_count == 3 && tl_stored_table_find(&table, "b") == 1);
  CHECK(strcmp(table.unit[1], "m/s") == 0);
  CHECK(isnan(table.value[1]) && table.value[3] == 2 && table.value[5] == 6);
  tl_stored_table_release(&table);
  static const struct {
    const char *text, *words;
  } bad[] = {{"", "empty"},
             {"\n# only words\n", "empty"},
             {"a,b\n1,2\n3,x\n", ":3: column 2 (b)"},
             {"a,b\n1\n1,2\n", ":2: has not 2"},
             {"a,b\n1,2,3\n", ":2: has not 2"}};
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
    CHECK(file_write("bad.csv", bad[k].text, strlen(bad[k].text)));
    CHECK(tl_stored_table_read(context, "bad.csv", &table) == TALUS_FILE_FORMAT &&
          says(bad[k].words));
    tl_stored_table_release(&table);
  }
  CHECK(tl_stored_table_read(context, "none.csv", &table) == TALUS_FILE_OPEN && says("none.csv"));
  tl_stored_table_release(&table);
  /* a last line that was cut while it was written */
  CHECK(file_write("short.csv", "a,b\n1,2\n3", 9));
  CHECK(tl_stored_table_read(context, "short.csv", &table) == TALUS_OK && table.row_count == 1);
  tl_stored_table_release(&table);
}

static int write_until_full(void) {
  const struct rlimit limit = {500, 500};
  talus_table *csv;
  tl_stored_table table;
  const double row[3] = {1.0 / 3, 1.0 / 7, 1.0 / 9};
  int rows = 0;
  signal(SIGXFSZ, SIG_IGN);
  if (setrlimit(RLIMIT_FSIZE, &limit) != 0 ||
      talus_table_open(context, "full.csv", columns, 3, -1, &csv) != TALUS_OK) {
    return 2;
  }
  talus_status status;
  while ((status = talus_table_row(csv, rows, row)) == TALUS_OK && rows < 100) {
    rows++;
  }
  if (status != TALUS_FILE_WRITE || !says("full.csv") || talus_table_close(csv) != TALUS_OK) {
    return 3;
  }
  if (tl_stored_table_read(context, "full.csv", &table) != TALUS_OK || table.row_count != rows) {
    return 4;
  }
  size_t size;
  const char *bytes = file_read("full.csv", &size);
  return bytes[size - 1] == '\n' ? 0 : 5;
}

static void test_full(void) {
  int how = 0;
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    _exit(write_until_full());
  }
  CHECK(waitpid(child, &how, 0) == child && WIFEXITED(how));
  CHECK_CASE(WEXITSTATUS(how) == 0, "ended at %d", WEXITSTATUS(how));
}

int main(void) {
  CHECK(talus_context_create(NULL, &context) == TALUS_OK);
  const int64_t before = context->bytes;
  if (setlocale(LC_ALL, "de_DE.UTF-8") == NULL) {
    printf("no locale with decimal commas here\n");
  }
  test_round_trip();
  test_flush();
  test_restart();
  test_refusals();
  test_foreign();
  test_full();
  CHECK(context->bytes == before);
  talus_context_destroy(context);
  return check_end();
}
