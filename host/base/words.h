/* words.h: "did you mean": the word of a list that is nearest to a mistyped one. */
#ifndef TL_WORDS_H
#define TL_WORDS_H

/* Edit distance of two words shorter than 64 bytes; 64 if one is longer. */
int tl_words_distance(const char *a, const char *b);
/* Down to which distance a word is near: a third of the letters may be wrong, more is a guess. */
int tl_words_tolerance(const char *typed);

/* words: separated by |. Returns NULL if none is near; the text belongs to storage, of capacity
 * bytes. */
const char *tl_words_nearest(const char *typed, const char *words, char *storage, int capacity);

/* Copies the next word of a list separated by `mark`; returns the rest, or NULL at the end. */
const char *tl_words_next(const char *words, char mark, char *word, int capacity);

#endif
