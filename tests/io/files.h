/* files.h: whole files in and out of memory, for tests that damage them. */
#ifndef TL_TEST_FILES_H
#define TL_TEST_FILES_H

#include <stddef.h>

/* Writes the bytes, replacing what was there. Returns 0 on failure. */
int file_write(const char *path, const void *bytes, size_t size);
/* The whole file in memory from malloc, NULL on failure. */
char *file_read(const char *path, size_t *size);
int file_exists(const char *path);
/* Entries of the working directory whose name ends with the suffix. */
int file_count_ending(const char *suffix);

#endif
