/* profile.c: `talus profile PATH...`: options, and the problem files that the paths mean. */
#define _POSIX_C_SOURCE 200809L
#include "host/cli/profile.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "host/cli/cli.h"
#include "host/cli/options.h"

static tl_parsed options_read(tl_profile_options *o, const char **paths, int argc, char **argv) {
  const char *methods = "auto,all";
  *o = (tl_profile_options){
      .repeat = 3, .threads = 1, .facets = 4, .tolerance = 1e-6, .max_seconds = 10};
  o->out = "profile.png";
  const tl_option table[] = {
      {"methods", TL_OPTION_TEXT, &methods, "NAME,...",
       "all: each that takes the cone (default auto,all)", 0, 0, 0},
      {"law", TL_OPTION_CHOICE, &o->law, tl_cli_laws, "default coulomb", 0, 0, 0},
      {"cone", TL_OPTION_CHOICE, &o->cone, tl_cli_cones, "default circular", 0, 0, 0},
      {"facets", TL_OPTION_INTEGER, &o->facets, "N", "of a pyramid (default 4)", 3, 64, 0},
      {"tol", TL_OPTION_REAL, &o->tolerance, "X", "a problem is solved below this (default 1e-6)",
       0, 1e300, 1},
      {"measure", TL_OPTION_CHOICE, &o->measure, tl_cli_measures,
       "what --tol means (default epsilon)", 0, 0, 0},
      {"max-seconds", TL_OPTION_REAL, &o->max_seconds, "S", "of each solve (default 10)", 0, 1e9,
       1},
      {"repeat", TL_OPTION_INTEGER, &o->repeat, "N",
       "short solves are timed so often, the best counts (default 3)", 1, 1000, 0},
      {"threads", TL_OPTION_INTEGER, &o->threads, "N", "CPU threads; 0 = all (default 1)", 0, 1024,
       0},
      {"out", TL_OPTION_TEXT, &o->out, "FILE.png",
       "or .svg, .pdf; a table goes to FILE.csv (default profile.png)", 0, 0, 0},
      {"title", TL_OPTION_TEXT, &o->title, "TEXT", "above the picture", 0, 0, 0},
      {"json", TL_OPTION_FLAG, &o->json, NULL, "report as JSON, alone on stdout", 0, 0, 0},
      {0}};
  const tl_command command = {
      .name = "profile",
      .summary = "Runs methods on problem files and draws performance profiles: the share of the\n"
                 "problems that a method solves, over its time relative to the fastest method.",
      .positional = "[PATH...]",
      .notes = "PATH is a problem file, or a folder: then all its *.hdf5, *.h5 and *.dat.\n"
               "The machine should be idle; with one thread it is CPU time that counts. The\n"
               "law's epsilon is judged by the certificate.\n"
               "exit code: 0 drawn, 2 bad usage or no problem there, 130 interrupted (what was\n"
               "done is drawn)\n",
      .options = table,
      .arguments = paths};
  tl_parsed parsed = tl_options_parse(&command, argc, argv);
  parsed = tl_cli_facets_check(parsed, o->cone, o->facets, 0, 0);
  if (parsed == TL_PARSED_OK && tl_cli_methods_read("methods", methods, (talus_cone)o->cone,
                                                    o->method, &o->method_count) != TL_EXIT_OK) {
    return TL_PARSED_BAD;
  }
  return parsed;
}

static bool ends_with(const char *text, const char *end) {
  const size_t length = strlen(text), tail = strlen(end);
  return length > tail && strcmp(text + length - tail, end) == 0;
}

/* Folder and name in one; folder NULL: the name alone. */
static int file_add(tl_profile *p, const char *folder, const char *name) {
  const size_t size = strlen(name) + (folder != NULL ? strlen(folder) : 0) + 2;
  char **more = realloc(p->file, ((size_t)p->file_count + 1) * sizeof *more);
  char *file = malloc(size);
  p->file = more != NULL ? more : p->file;
  if (more == NULL || file == NULL) {
    free(file);
    return tl_cli_fail("out of memory");
  }
  const bool slash = folder != NULL && !ends_with(folder, "/");
  snprintf(file, size, "%s%s%s", folder != NULL ? folder : "", slash ? "/" : "", name);
  p->file[p->file_count++] = file;
  return TL_EXIT_OK;
}

static int by_name(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static int folder_add(tl_profile *p, const char *path) {
  DIR *folder = opendir(path);
  const int first = p->file_count;
  int code = TL_EXIT_OK;
  if (folder == NULL) {
    return tl_cli_fail("%s: %s", path, strerror(errno));
  }
  for (struct dirent *entry; code == TL_EXIT_OK && (entry = readdir(folder)) != NULL;) {
    const char *name = entry->d_name;
    if (name[0] != '.' &&
        (ends_with(name, ".hdf5") || ends_with(name, ".h5") || ends_with(name, ".dat"))) {
      code = file_add(p, path, name);
    }
  }
  closedir(folder);
  if (code == TL_EXIT_OK && p->file_count == first) {
    return tl_cli_fail("%s: no *.hdf5, *.h5 or *.dat there", path);
  }
  if (p->file_count > first) {
    qsort(p->file + first, (size_t)(p->file_count - first), sizeof *p->file, by_name);
  }
  return code;
}

static int paths_read(tl_profile *p, const char *const *paths) {
  if (paths[0] == NULL) {
    return tl_cli_fail("PATH is missing: `talus profile --help` tells more");
  }
  for (int i = 0; paths[i] != NULL; i++) {
    struct stat about;
    if (stat(paths[i], &about) != 0) {
      return tl_cli_fail("%s: %s", paths[i], strerror(errno));
    }
    const int code = S_ISDIR(about.st_mode) ? folder_add(p, paths[i]) : file_add(p, NULL, paths[i]);
    if (code != TL_EXIT_OK) {
      return code;
    }
  }
  return TL_EXIT_OK;
}

/* The picture and its companion. */
static int outputs_check(tl_profile_options *o) {
  const size_t length = strlen(o->out);
  if (!ends_with(o->out, ".png") && !ends_with(o->out, ".svg") && !ends_with(o->out, ".pdf")) {
    return tl_cli_fail("--out wants a name that ends with .png, .svg or .pdf, not '%s'", o->out);
  }
  if (length >= sizeof o->csv) {
    return tl_cli_fail("--out: the name is too long");
  }
  snprintf(o->csv, sizeof o->csv, "%.*s.csv", (int)length - 4, o->out);
  return tl_cli_writable(o->out, NULL) == TL_EXIT_OK ? tl_cli_writable(o->csv, NULL) : TL_EXIT_BAD;
}

static int profile_make(tl_profile *p, const char *const *paths) {
  if (paths_read(p, paths) != TL_EXIT_OK || outputs_check(&p->options) != TL_EXIT_OK ||
      tl_cli_context_open(TALUS_BACKEND_CPU, p->options.threads, 0, &p->context) != TL_EXIT_OK) {
    return TL_EXIT_BAD;
  }
  const int code = tl_profile_solve(p);
  if (code == TL_EXIT_BAD || p->count == 0) {
    return code;
  }
  if (tl_profile_write(p) != TL_EXIT_OK || tl_profile_draw(p) != TL_EXIT_OK) {
    return TL_EXIT_BAD;
  }
  if (p->options.json) {
    tl_profile_print_json(p);
  } else {
    tl_profile_print(p);
  }
  return code;
}

int tl_cli_profile(int argc, char **argv) {
  tl_profile p;
  memset(&p, 0, sizeof p);
  const char **paths = calloc((size_t)argc + 1, sizeof *paths);
  if (paths == NULL) {
    return tl_cli_fail("out of memory");
  }
  const tl_parsed parsed = options_read(&p.options, paths, argc, argv);
  int code = parsed == TL_PARSED_HELP ? TL_EXIT_OK : TL_EXIT_BAD;
  if (parsed == TL_PARSED_OK) {
    code = profile_make(&p, paths);
  }
  for (int i = 0; i < p.count; i++) {
    free(p.problem[i].run);
  }
  for (int i = 0; i < p.file_count; i++) {
    free(p.file[i]);
  }
  free(p.file);
  free(p.problem);
  free(paths);
  talus_context_destroy(p.context);
  return code;
}
