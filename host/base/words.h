/* words.h: "did you mean": the word of a list that is nearest to a mistyped one. */
#ifndef TL_WORDS_H
#define TL_WORDS_H

/* words: separated by |. Returns NULL if none is near; the text belongs to storage, of capacity
 * bytes. */
const char *tl_words_nearest(const char *typed, const char *words, char *storage, int capacity);

/* Copies the next word of a list separated by `mark`; returns the rest, or NULL at the end. */
const char *tl_words_next(const char *words, char mark, char *word, int capacity);

#endif
