/* files.c: see files.h. */
#define _POSIX_C_SOURCE 200809L
#include "files.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int file_write(const char *path, const void *bytes, size_t size) {
  FILE *file = fopen(path, "wb");
  if (file == NULL) {
    return 0;
  }
  const size_t written = fwrite(bytes, 1, size, file);
  return fclose(file) == 0 && written == size;
}

char *file_read(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  struct stat about;
  *size = 0;
  if (file == NULL || fstat(fileno(file), &about) != 0) {
    return NULL;
  }
  char *bytes = malloc((size_t)about.st_size + 1);
  if (bytes != NULL) {
    *size = fread(bytes, 1, (size_t)about.st_size, file);
    bytes[*size] = 0;
  }
  fclose(file);
  return bytes;
}

int file_exists(const char *path) {
  struct stat about;
  return stat(path, &about) == 0;
}

int file_count_ending(const char *suffix) {
  DIR *folder = opendir(".");
  int count = 0;
  for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
    const size_t length = strlen(entry->d_name), tail = strlen(suffix);
    count += length >= tail && strcmp(entry->d_name + length - tail, suffix) == 0;
  }
  if (folder != NULL) {
    closedir(folder);
  }
  return count;
}
