/* driver.c: runs inputs through a fuzz target where there is no libFuzzer.
 *
 *   fuzz_<target> FILE_OR_FOLDER...
 *
 * Every input is run as it is, then damaged in a fixed number of ways, always the same ones. */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/fuzz/fuzz.h"

enum { DAMAGES = 6, PATH_BYTES = 4096 };

static long inputs, runs;

/* From a copy of the exact size, so that a sanitizer sees one byte too far. */
static void run(const uint8_t *bytes, size_t size) {
  uint8_t *const copy = malloc(size > 0 ? size : 1);
  FUZZ_PROMISE(copy != NULL);
  memcpy(copy, bytes, size);
  LLVMFuzzerTestOneInput(copy, size);
  free(copy);
  runs++;
}

static uint32_t draw(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(*state >> 33);
}

/* One byte in three rounds is changed, in the others a piece is taken out or the end is cut. */
static void run_damaged(uint8_t *bytes, size_t size, uint64_t *state) {
  const size_t at = draw(state) % size;
  const uint32_t way = draw(state) % 4;
  if (way < 2) {
    const uint8_t kept = bytes[at];
    bytes[at] = (uint8_t)draw(state);
    run(bytes, size);
    bytes[at] = kept;
  } else if (way == 2) {
    run(bytes, at);
  } else {
    const size_t gone = 1 + draw(state) % (size - at);
    uint8_t *const shorter = malloc(size);
    FUZZ_PROMISE(shorter != NULL);
    memcpy(shorter, bytes, at);
    memcpy(shorter + at, bytes + at + gone, size - at - gone);
    run(shorter, size - gone);
    free(shorter);
  }
}

static void run_file(const char *path, size_t size) {
  uint8_t *const bytes = malloc(size > 0 ? size : 1);
  FILE *const file = fopen(path, "rb");
  FUZZ_PROMISE(bytes != NULL && file != NULL && fread(bytes, 1, size, file) == size);
  fclose(file);
  uint64_t state = size;
  run(bytes, size);
  for (int i = 0; i < DAMAGES && size > 0; i++) {
    run_damaged(bytes, size, &state);
  }
  inputs++;
  free(bytes);
}

static void run_path(const char *path) {
  struct stat about;
  if (stat(path, &about) != 0) {
    fprintf(stderr, "%s: not there\n", path);
    exit(2);
  }
  if (!S_ISDIR(about.st_mode)) {
    run_file(path, (size_t)about.st_size);
    return;
  }
  struct dirent **entry;
  const int count = scandir(path, &entry, NULL, alphasort);
  for (int i = 0; i < count; i++) {
    char inner[PATH_BYTES];
    if (entry[i]->d_name[0] != '.') {
      snprintf(inner, sizeof inner, "%s/%s", path, entry[i]->d_name);
      run_path(inner);
    }
    free(entry[i]);
  }
  free(entry);
}

int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    run_path(argv[i]);
  }
  printf("%ld inputs, %ld runs\n", inputs, runs);
  return inputs > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
