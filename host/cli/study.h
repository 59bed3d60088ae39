/* study.h: the list of the finished runs of a study, which `talus sweep` writes and `talus plot`
 * reads: DIR/runs.txt, a line `folder<TAB>what it is` per run; runs that differ in their seed alone
 * stand together and are called the same. */
#ifndef TL_STUDY_H
#define TL_STUDY_H

#include <stdbool.h>
#include <stdint.h>

#include "talus/talus_base.h"

typedef struct tl_study_run {
  char folder[256]; /* within the study's */
  char label[128];
} tl_study_run;

typedef struct tl_study_runs {
  tl_study_run *run; /* [count] */
  int32_t count;
} tl_study_runs;

/* Whether a folder is a study. */
bool tl_study_is(const char *folder);
/* Returns an exit code, with a complaint. tl_study_runs_release is due in every case. */
int tl_study_runs_read(const char *folder, tl_study_runs *runs);
int tl_study_runs_write(talus_context *context, const char *folder, const tl_study_runs *runs);
void tl_study_runs_release(tl_study_runs *runs);

#endif
