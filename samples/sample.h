/* sample.h: what every sample needs: one context, and to stop with a message when a call fails. */
#ifndef TL_SAMPLE_H
#define TL_SAMPLE_H

#include <stdio.h>
#include <stdlib.h>
#include <talus/talus_base.h>

static talus_context *sample_context(void) {
  static talus_context *context;
  if (context == NULL && talus_context_create(NULL, &context) != TALUS_OK) {
    fprintf(stderr, "%s\n", talus_context_message(context));
    exit(1);
  }
  return context;
}

static inline void sample_end(void) { talus_context_destroy(sample_context()); }

#define TRY(call)                                                                            \
  do {                                                                                       \
    const talus_status status_ = (call);                                                     \
    if (status_ != TALUS_OK) {                                                               \
      fprintf(stderr, "%s\n%s: %s\n", #call, talus_status_name(status_),                     \
              talus_context_message(sample_context()));                                      \
      exit(1);                                                                               \
    }                                                                                        \
  } while (0)

#endif
