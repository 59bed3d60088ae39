/* cli.c: what the verbs share: words of options, complaints, context, output files. */
#define _POSIX_C_SOURCE 200809L
#include "host/cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/base/words.h"
#include "host/cli/ranks.h"

/* The lists start with a separator, which + 1 skips. */
#define WORD2(name, text) "|" text
#define WORD3(name, text, what) "|" text
const char *const tl_cli_laws = &(TALUS_LAW_LIST(WORD2))[1];
const char *const tl_cli_cones = &(TALUS_CONE_LIST(WORD2))[1];
const char *const tl_cli_method = &(TALUS_METHOD_LIST(WORD3))[1];
const char *const tl_cli_methods = &(TALUS_METHOD_LIST(WORD3) "|all")[1];
const char *const tl_cli_backends = "auto|cpu|cuda";
const char *const tl_cli_precisions = "f64|f32|auto";
const char *const tl_cli_measures = "epsilon|siconos";

const char *tl_cli_backend_name(talus_backend_kind backend) {
  return backend == TALUS_BACKEND_CUDA ? "cuda" : backend == TALUS_BACKEND_CPU ? "cpu" : "auto";
}

const char *tl_cli_measure_name(talus_measure measure) {
  return measure == TALUS_MEASURE_SICONOS ? "siconos" : "epsilon";
}

static void method_add(talus_method wanted, talus_method *method, int *count) {
  for (int i = 0; i < *count; i++) {
    if (method[i] == wanted) {
      return;
    }
  }
  method[(*count)++] = wanted;
}

tl_parsed tl_cli_facets_check(tl_parsed parsed, int cone, int64_t facets, double angle, int align) {
  const bool counted = facets != talus_settings_default().facets, turned = angle != 0 || align;
  const int wrong = cone == TALUS_CONE_BOX        ? counted
                    : cone == TALUS_CONE_CIRCULAR ? counted || turned
                                                  : 0;
  if (parsed != TL_PARSED_OK || !wrong) {
    return parsed;
  }
  tl_cli_fail(cone == TALUS_CONE_BOX
                  ? "a box has four facets: --facets goes with --cone pyramid"
                  : "the cone is circular and has no facets: add --cone pyramid or --cone box");
  return TL_PARSED_BAD;
}

int tl_cli_methods_read(const char *option, const char *text, talus_cone cone, talus_method *method,
                        int *count) {
  char word[64], near[64];
  *count = 0;
  while ((text = tl_words_next(text, ',', word, sizeof word)) != NULL) {
    talus_method wanted = TALUS_METHOD_AUTO;
    const bool all = strcmp(word, "all") == 0;
    if (!all && !talus_method_parse(word, &wanted)) {
      const char *guess = tl_words_nearest(word, tl_cli_methods, near, sizeof near);
      return tl_cli_fail("--%s knows no '%s'%s%s%s; there are %s", option, word,
                         guess != NULL ? " (did you mean " : "", guess != NULL ? guess : "",
                         guess != NULL ? "?)" : "", tl_cli_methods);
    }
    if (!all && !talus_method_takes(wanted, cone)) {
      return tl_cli_fail("--%s: %s does not take cone %s", option, word, talus_cone_name(cone));
    }
    if (!all) {
      method_add(wanted, method, count);
    }
    for (int i = TALUS_METHOD_AUTO + 1; all && i < TALUS_METHOD_COUNT; i++) {
      if (talus_method_takes((talus_method)i, cone)) {
        method_add((talus_method)i, method, count);
      }
    }
  }
  return TL_EXIT_OK;
}

int tl_cli_fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  if (tl_cli_ranks_speaks()) {
    fputs("talus: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
  } else {
    char message[512];
    vsnprintf(message, sizeof message, format, arguments);
    tl_cli_ranks_note(message);
  }
  va_end(arguments);
  return TL_EXIT_BAD;
}

int tl_cli_fail_status(const talus_context *context, talus_status status, const char *what) {
  const char *message = context != NULL ? talus_context_message(context) : "";
  if (message[0] == '\0') {
    return tl_cli_fail("%s: %s", what, talus_status_text(status));
  }
  const bool named = strncmp(message, what, strlen(what)) == 0; /* messages about files begin so */
  return tl_cli_fail("%s%s%s", named ? "" : what, named ? "" : ": ", message);
}

static void print_log(void *user, talus_log_level level, const char *message) {
  const int verbose = *(const int *)user;
  if (!tl_cli_ranks_speaks()) {
    return;
  }
  if (level == TALUS_LOG_WARNING) {
    fprintf(stderr, "talus: warning: %s\n", message);
  } else if (verbose) {
    fprintf(stderr, "talus: %s\n", message);
  }
}

int tl_cli_context_open(talus_backend_kind backend, int64_t threads, int verbose,
                        talus_context **context) {
  static const int quiet = 0, loud = 1;
  talus_context_def def = talus_context_def_default();
  def.backend = backend;
  def.threads = threads > 0 ? (int32_t)threads : tl_cli_ranks_threads();
  def.ranks = tl_cli_ranks();
  def.single_blas = 1; /* the process is the program's own */
  def.log = print_log;
  def.log_user = (void *)(verbose ? &loud : &quiet);
  const talus_status status = talus_context_create(&def, context);
  if (status == TALUS_OK) {
    return TL_EXIT_OK;
  }
  char what[64];
  snprintf(what, sizeof what, "backend %s", tl_cli_backend_name(backend));
  tl_cli_fail_status(*context, status, what);
  talus_context_destroy(*context);
  *context = NULL;
  return TL_EXIT_BAD;
}

/* Tries whether a new file can be made beside path: permission bits do not tell of read-only
 * file systems. */
static bool folder_accepts(const char *path) {
  const size_t length = strlen(path);
  char *probe = malloc(length + sizeof ".XXXXXX");
  if (probe == NULL) {
    errno = ENOMEM;
    return false;
  }
  memcpy(probe, path, length);
  memcpy(probe + length, ".XXXXXX", sizeof ".XXXXXX");
  const int file = mkstemp(probe);
  if (file >= 0) {
    close(file);
    unlink(probe);
  }
  free(probe);
  return file >= 0;
}

int tl_cli_writable(const char *path, const char *input) {
  struct stat there, source;
  if (stat(path, &there) == 0) {
    if (S_ISDIR(there.st_mode)) {
      return tl_cli_fail("cannot write %s: it is a folder", path);
    }
    if (!S_ISREG(there.st_mode)) {
      return tl_cli_fail("cannot write %s: it is not a regular file", path);
    }
    if (input != NULL && stat(input, &source) == 0 && source.st_dev == there.st_dev &&
        source.st_ino == there.st_ino) {
      return tl_cli_fail("cannot write %s: it is the input file", path);
    }
    if (access(path, W_OK) != 0) {
      return tl_cli_fail("cannot write %s: %s", path, strerror(errno));
    }
  }
  if (!folder_accepts(path)) {
    return tl_cli_fail("cannot write %s: %s", path, strerror(errno));
  }
  return TL_EXIT_OK;
}

char *tl_cli_bilateral_path(const char *path) {
  static const char ending[] = ".txt", companion[] = ".bilateral.txt";
  size_t stem = strlen(path);
  if (stem >= sizeof ending && strcmp(path + stem - (sizeof ending - 1), ending) == 0) {
    stem -= sizeof ending - 1;
  }
  char *result = malloc(stem + sizeof companion);
  if (result == NULL) {
    tl_cli_fail("out of memory");
    return NULL;
  }
  memcpy(result, path, stem);
  memcpy(result + stem, companion, sizeof companion);
  return result;
}

double *tl_cli_numbers(int64_t count) {
  double *numbers = calloc(count > 0 ? (size_t)count : 1, sizeof *numbers);
  if (numbers == NULL) {
    tl_cli_fail("no memory for %lld numbers", (long long)count);
  }
  return numbers;
}

int tl_cli_text_begin(tl_cli_text *text) {
  memset(text, 0, sizeof *text);
  text->stream = open_memstream(&text->bytes, &text->size);
  return text->stream != NULL ? TL_EXIT_OK : tl_cli_fail("out of memory");
}

int tl_cli_text_write(tl_cli_text *text, talus_context *context, const char *path) {
  const int failed = ferror(text->stream);
  int code = TL_EXIT_OK;
  if (fclose(text->stream) != 0 || failed) {
    code = tl_cli_fail("%s: out of memory", path);
  } else {
    const talus_status status = talus_file_write(context, path, text->bytes, text->size);
    code = status == TALUS_OK ? TL_EXIT_OK : tl_cli_fail_status(context, status, path);
  }
  free(text->bytes);
  return code;
}

void tl_cli_csv_field(FILE *out, const char *text) {
  if (strpbrk(text, ",\"\n\r") == NULL) {
    fputs(text, out);
    return;
  }
  fputc('"', out);
  for (; *text != '\0'; text++) {
    fputs(*text == '"' ? "\"\"" : (char[2]){*text, '\0'}, out);
  }
  fputc('"', out);
}
