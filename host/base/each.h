/* each.h: loops over independent pieces, by several threads where it is worth waking them.
 *
 * An OpenMP region costs a good part of a microsecond and may take memory even if a single thread
 * runs it: a loop that is not worth more goes without one. Written once here, since a pragma's `if`
 * only keeps the other threads asleep. */
#ifndef TL_EACH_H
#define TL_EACH_H

#define TL_PRAGMA(text) _Pragma(#text)

/* { body } for INDEX = 0 .. COUNT - 1, of type TYPE, on THREADS threads if WORTH. */
#define TL_EACH(THREADS, WORTH, TYPE, INDEX, COUNT, ...)                                           \
  do {                                                                                             \
    const int each_threads_ = (int)(THREADS);                                                      \
    const TYPE each_count_ = (COUNT);                                                              \
    if (each_threads_ > 1 && (WORTH)) {                                                            \
      TL_PRAGMA(omp parallel for num_threads(each_threads_) schedule(static))                      \
      for (TYPE INDEX = 0; INDEX < each_count_; INDEX++) {                                         \
        __VA_ARGS__                                                                                \
      }                                                                                            \
    } else {                                                                                       \
      for (TYPE INDEX = 0; INDEX < each_count_; INDEX++) {                                         \
        __VA_ARGS__                                                                                \
      }                                                                                            \
    }                                                                                              \
  } while (0)

#endif
