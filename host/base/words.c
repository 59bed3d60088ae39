/* words.c: edit distance between short words, and lists of words in one text. */
#include "host/base/words.h"

#include <stdio.h>
#include <string.h>

enum { WORD_LENGTH = 64 };

/* By rows of the usual table. */
int tl_words_distance(const char *a, const char *b) {
  const int length = (int)strlen(b);
  if (strlen(a) >= WORD_LENGTH || length >= WORD_LENGTH) {
    return WORD_LENGTH;
  }
  int row[WORD_LENGTH + 1];
  for (int j = 0; j <= length; j++) {
    row[j] = j;
  }
  for (int i = 0; a[i] != '\0'; i++) {
    int diagonal = row[0];
    row[0] = i + 1;
    for (int j = 0; j < length; j++) {
      const int above = row[j + 1];
      int least = diagonal + (a[i] != b[j]);
      least = above + 1 < least ? above + 1 : least;
      least = row[j] + 1 < least ? row[j] + 1 : least;
      row[j + 1] = least;
      diagonal = above;
    }
  }
  return row[length];
}

int tl_words_tolerance(const char *typed) {
  return 1 + (int)strlen(typed) / 3;
}

const char *tl_words_next(const char *words, char mark, char *word, int capacity) {
  if (words == NULL || *words == '\0') {
    return NULL;
  }
  const char *end = strchr(words, mark);
  const size_t length = end != NULL ? (size_t)(end - words) : strlen(words);
  snprintf(word, (size_t)capacity, "%.*s", (int)length, words);
  return end != NULL ? end + 1 : words + length;
}

const char *tl_words_nearest(const char *typed, const char *words, char *storage, int capacity) {
  char word[WORD_LENGTH];
  int best = tl_words_tolerance(typed);
  storage[0] = '\0';
  while ((words = tl_words_next(words, '|', word, sizeof word)) != NULL) {
    const int distance = tl_words_distance(typed, word);
    if (distance <= best) {
      best = distance - 1;
      snprintf(storage, (size_t)capacity, "%s", word);
    }
  }
  return storage[0] != '\0' ? storage : NULL;
}
