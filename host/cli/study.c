/* study.c: reads and writes the list of a study's runs; see study.h. */
#define _POSIX_C_SOURCE 200809L
#include "host/cli/study.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/cli/cli.h"

enum { PATH = 1400, LINE = 512 };

static void list_path(const char *folder, char path[PATH]) {
  snprintf(path, PATH, "%s/runs.txt", folder);
}

bool tl_study_is(const char *folder) {
  char path[PATH];
  list_path(folder, path);
  return access(path, F_OK) == 0;
}

static int add_line(tl_study_runs *runs, const char *line) {
  const char *const tab = strchr(line, '\t');
  const size_t folder = tab != NULL ? (size_t)(tab - line) : 0;
  const size_t label = tab != NULL ? strcspn(tab + 1, "\n") : 0;
  if (folder == 0 || folder >= sizeof runs->run->folder || label >= sizeof runs->run->label) {
    return tl_cli_fail("runs.txt is no list of runs: '%.60s'", line);
  }
  void *const memory = realloc(runs->run, (size_t)(runs->count + 1) * sizeof *runs->run);
  if (memory == NULL) {
    return tl_cli_fail("out of memory");
  }
  runs->run = memory;
  tl_study_run *const run = &runs->run[runs->count++];
  memset(run, 0, sizeof *run);
  memcpy(run->folder, line, folder);
  memcpy(run->label, tab + 1, label);
  return TL_EXIT_OK;
}

int tl_study_runs_read(const char *folder, tl_study_runs *runs) {
  char path[PATH], line[LINE];
  int code = TL_EXIT_OK;
  memset(runs, 0, sizeof *runs);
  list_path(folder, path);
  FILE *const file = fopen(path, "r");
  if (file == NULL) {
    return tl_cli_fail("cannot read %s: %s", path, strerror(errno));
  }
  while (code == TL_EXIT_OK && fgets(line, sizeof line, file) != NULL) {
    code = add_line(runs, line);
  }
  fclose(file);
  return code;
}

int tl_study_runs_write(talus_context *context, const char *folder, const tl_study_runs *runs) {
  char path[PATH];
  tl_cli_text text;
  if (tl_cli_text_begin(&text) != TL_EXIT_OK) {
    return TL_EXIT_BAD;
  }
  for (int32_t i = 0; i < runs->count; i++) {
    fprintf(text.stream, "%s\t%s\n", runs->run[i].folder, runs->run[i].label);
  }
  list_path(folder, path);
  return tl_cli_text_write(&text, context, path);
}

void tl_study_runs_release(tl_study_runs *runs) {
  free(runs->run);
  runs->run = NULL;
  runs->count = 0;
}
