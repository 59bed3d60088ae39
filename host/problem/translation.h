/* translation.h: what the translation of form (d) to forms (b) and (a) keeps. */
#ifndef TL_TRANSLATION_H
#define TL_TRANSLATION_H

#include "host/problem/assembly.h"
#include "host/problem/mass.h"

typedef struct tl_translation {
  tl_mass mass;
  tl_lines h, g;            /* by columns */
  talus_problem problem;    /* form (b) */
  talus_problem as_spheres; /* form (a); only if frame is not NULL */
  double *frame;            /* [9 contact_count] n t1 t2, if the bodies are spheres; else NULL */
  tl_buffer blocks, entries[2], spheres;
} tl_translation;

/* Looks for spheres behind the Jacobians of t->problem; leaves frame NULL if there are none. */
talus_status tl_spheres_find(talus_context *context, tl_translation *t);

#endif
