/* sweep_folder.c: the folder of a study: made, locked or taken up again; see sweep.h. */
#define _DEFAULT_SOURCE /* flock */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/cli/cli.h"
#include "host/cli/sweep.h"

enum { LINE = 2048 };

static void path_in(const tl_sweep *sweep, const char *name, char path[TL_SWEEP_PATH]) {
  snprintf(path, TL_SWEEP_PATH, "%s/%s", sweep->folder, name);
}

void tl_sweep_run_path(const tl_sweep *sweep, const tl_sweep_run *run, char path[TL_SWEEP_PATH]) {
  snprintf(path, TL_SWEEP_PATH, "%s/runs/%s", sweep->folder, run->name);
}

void tl_sweep_log_path(const tl_sweep *sweep, const tl_sweep_run *run, char path[TL_SWEEP_PATH]) {
  snprintf(path, TL_SWEEP_PATH, "%s/logs/%s.log", sweep->folder, run->name);
}

/* ---- making ---------------------------------------------------------------------------------- */

/* --out, or the scene's name + .sweep beside the caller. */
static int choose_folder(tl_sweep *sweep) {
  const char *text = sweep->o->out, *suffix = "";
  size_t length = text != NULL ? strlen(text) : 0;
  if (text == NULL) {
    const char *const slash = strrchr(sweep->o->scene, '/');
    text = slash != NULL ? slash + 1 : sweep->o->scene;
    const char *const dot = strrchr(text, '.');
    length = dot != NULL && dot > text ? (size_t)(dot - text) : strlen(text);
    suffix = ".sweep";
  }
  while (length > 1 && text[length - 1] == '/') {
    length--;
  }
  if (length + 8 > sizeof sweep->folder) {
    return tl_cli_fail("the name of the study's folder is too long");
  }
  snprintf(sweep->folder, sizeof sweep->folder, "%.*s%s", (int)length, text, suffix);
  return TL_EXIT_OK;
}

/* With the folders above it. */
static int make_folder(const char *path) {
  char part[TL_SWEEP_PATH];
  snprintf(part, sizeof part, "%s", path);
  for (char *at = part + 1; *at != '\0'; at++) {
    if (*at == '/') {
      *at = '\0';
      mkdir(part, 0777);
      *at = '/';
    }
  }
  return mkdir(part, 0777) == 0 || errno == EEXIST
             ? TL_EXIT_OK
             : tl_cli_fail("cannot make the folder %s: %s", path, strerror(errno));
}

/* One study at a time: the lock ends with the process. */
static int lock_folder(tl_sweep *sweep) {
  char path[TL_SWEEP_PATH];
  path_in(sweep, ".study.lock", path);
  sweep->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (sweep->lock < 0) {
    return tl_cli_fail("cannot write %s: %s", path, strerror(errno));
  }
  return flock(sweep->lock, LOCK_EX | LOCK_NB) == 0
             ? TL_EXIT_OK
             : tl_cli_fail("%s: another talus sweep is at work there", sweep->folder);
}

/* Whether there is nothing, but perhaps the lock of a study that did not begin. */
static bool is_empty(const char *folder) {
  DIR *const listing = opendir(folder);
  bool empty = true;
  for (const struct dirent *entry; listing != NULL && (entry = readdir(listing)) != NULL;) {
    empty = empty && (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
                      strcmp(entry->d_name, ".study.lock") == 0);
  }
  if (listing != NULL) {
    closedir(listing);
  }
  return empty;
}

/* ---- what the study is of -------------------------------------------------------------------- */

/* FNV-1a of the scene's file. */
static int scene_print(const char *path, uint64_t *print) {
  FILE *const file = fopen(path, "rb");
  int byte;
  if (file == NULL) {
    return tl_cli_fail("cannot read %s: %s", path, strerror(errno));
  }
  *print = 14695981039346656037u;
  while ((byte = fgetc(file)) != EOF) {
    *print = (*print ^ (uint64_t)byte) * 1099511628211u;
  }
  fclose(file);
  return TL_EXIT_OK;
}

/* Two lines: what must be the same for finished runs to count, and where the scene was. */
static int write_study(const tl_sweep *sweep, uint64_t print) {
  char path[TL_SWEEP_PATH];
  path_in(sweep, "study.txt", path);
  tl_cli_text text;
  if (tl_cli_text_begin(&text) != TL_EXIT_OK) {
    return TL_EXIT_BAD;
  }
  fprintf(text.stream, "print %016" PRIx64 " time %.17g\nscene %s\n", print, sweep->o->time,
          sweep->o->scene);
  return tl_cli_text_write(&text, sweep->context, path);
}

/* Compares with the study that stands there, if there is one. */
static int read_study(const tl_sweep *sweep, uint64_t print) {
  char path[TL_SWEEP_PATH], line[LINE];
  uint64_t before = 0;
  double time = 0.0;
  path_in(sweep, "study.txt", path);
  FILE *const file = fopen(path, "r");
  if (file == NULL) {
    return is_empty(sweep->folder)
               ? TL_EXIT_OK
               : tl_cli_fail("%s is there and no study: choose another folder by --out",
                             sweep->folder);
  }
  const bool good = fgets(line, sizeof line, file) != NULL &&
                    sscanf(line, "print %" SCNx64 " time %lg", &before, &time) == 2;
  fclose(file);
  if ((good && before == print && time == sweep->o->time) || sweep->o->force) {
    return TL_EXIT_OK;
  }
  return tl_cli_fail("%s holds a study %s: --force begins it anew, --out makes another",
                     sweep->folder,
                     !good             ? "whose study.txt cannot be read"
                     : before != print ? "of a scene file that has changed since"
                                       : "with another --time");
}

/* ---- what has finished ----------------------------------------------------------------------- */

int tl_sweep_note_finished(const tl_sweep *sweep, const tl_sweep_run *run) {
  char path[TL_SWEEP_PATH], line[TL_SWEEP_NAME + 2];
  path_in(sweep, "finished.txt", path);
  const int length = snprintf(line, sizeof line, "%s\n", run->name);
  const int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  const bool written = file >= 0 && write(file, line, (size_t)length) == length;
  if (file >= 0) {
    close(file);
  }
  return written ? TL_EXIT_OK : tl_cli_fail("cannot write %s: %s", path, strerror(errno));
}

static void read_finished(tl_sweep *sweep) {
  char path[TL_SWEEP_PATH], line[LINE];
  path_in(sweep, "finished.txt", path);
  FILE *const file = fopen(path, "r");
  while (file != NULL && fgets(line, sizeof line, file) != NULL) {
    line[strcspn(line, "\n")] = '\0';
    for (int32_t i = 0; i < sweep->run_count; i++) {
      if (strcmp(sweep->run[i].name, line) == 0) {
        sweep->run[i].state = TL_SWEEP_FINISHED;
        sweep->run[i].finished_before = true;
      }
    }
  }
  if (file != NULL) {
    fclose(file);
  }
}

int tl_sweep_open(tl_sweep *sweep) {
  char path[TL_SWEEP_PATH];
  uint64_t print = 0;
  if (choose_folder(sweep) != TL_EXIT_OK || scene_print(sweep->o->scene, &print) != TL_EXIT_OK ||
      make_folder(sweep->folder) != TL_EXIT_OK || read_study(sweep, print) != TL_EXIT_OK ||
      lock_folder(sweep) != TL_EXIT_OK) {
    return TL_EXIT_BAD;
  }
  if (sweep->o->force) {
    path_in(sweep, "finished.txt", path);
    unlink(path);
  }
  path_in(sweep, "runs", path);
  if (make_folder(path) != TL_EXIT_OK) {
    return TL_EXIT_BAD;
  }
  path_in(sweep, "logs", path);
  if (make_folder(path) != TL_EXIT_OK || write_study(sweep, print) != TL_EXIT_OK) {
    return TL_EXIT_BAD;
  }
  read_finished(sweep);
  return TL_EXIT_OK;
}
