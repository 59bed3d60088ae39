/* world_backend.h: the second seam: what a world that lives in a backend's memory is asked to do.
 *
 * A step is touch, form, a solve of the problem that form describes, advance; where something has
 * sunk in, form of the projection, its solve, correct. Whatever is out of the ordinary shows in the
 * record; the host then has the world restored and fetched, and makes the step itself, by the same
 * items: the same bits. A step in which everything stays as it was may be queued as a whole, and
 * waited for once. */
#ifndef TL_WORLD_BACKEND_H
#define TL_WORLD_BACKEND_H

#include "host/base/base.h"
#include "kernels/data/queued.h"
#include "kernels/data/resident.h"
#include "talus/talus_solve.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tl_resident tl_resident;

typedef struct tl_resident_size {
  int64_t bodies, shapes, materials, pairs, contacts; /* pairs: of shapes near each other */
  bool general;                                       /* see tl_resident_load */
  int64_t geometry_bytes;                             /* of its shapes, with what they point to */
} tl_resident_size;

typedef enum tl_resident_problem {
  TL_PROBLEM_VELOCITY,  /* impulses of the step */
  TL_PROBLEM_PROJECTION /* displacements that undo what has sunk in */
} tl_resident_problem;

typedef struct tl_world_backend {
  talus_status (*create)(talus_context *context, tl_resident **resident);
  void (*destroy)(tl_resident *resident); /* accepts NULL */
  /* Takes a whole world. Statuses: OUT_OF_MEMORY, DEVICE_ERROR, as all below. */
  talus_status (*load)(tl_resident *resident, const tl_resident_load *load);
  /* Takes what has changed of it since. After OUT_OF_MEMORY bodies and contacts are still those
   * that were there, by the slots before, and the world has to be loaded anew. */
  talus_status (*change)(tl_resident *resident, const tl_resident_change *change);
  /* A step begins: velocities and spins of bodies that are not free: [count], [6 count]. */
  talus_status (*steer)(tl_resident *resident, int32_t count, const int32_t *body,
                        const double *velocity);
  /* Whether touch and advance may be called without a record, which then is not waited for. */
  bool (*steady)(const tl_resident *resident);
  /* After such calls: waits for the record. *right: there was room for all contacts, and they are
   * of the kind that they were before. */
  talus_status (*read)(tl_resident *resident, tl_resident_record *record, bool *right);
  /* Keeps the bodies; velocities without contact; contacts, matched to those of the step before. */
  talus_status (*touch)(tl_resident *resident, const tl_resident_rule *rule,
                        tl_resident_record *record);
  /* Arrays of a problem in the backend's memory, and where its solution goes; facts: of that of the
   * velocities, whose contact_count is as many as there is room for until the record is read. */
  talus_status (*form)(tl_resident *resident, const tl_resident_rule *rule,
                       tl_resident_problem which, talus_problem *problem, talus_solution *solution,
                       tl_queued_facts *facts);
  /* After the velocity problem: guards, balances, bodies moved. The new contacts are the
   * world's. */
  talus_status (*advance)(tl_resident *resident, const tl_resident_rule *rule,
                          tl_resident_record *record);
  /* After the projection: bodies displaced, the bodies' balance once more. */
  talus_status (*correct)(tl_resident *resident, const tl_resident_rule *rule,
                          tl_resident_record *record);
  /* Bodies and contacts as they were before touch, however far that or what follows it has come. */
  talus_status (*restore)(tl_resident *resident);
  int32_t (*contact_count)(const tl_resident *resident);
  /* Bodies [body_count], contacts: arrays with room for contact_count; each may be NULL. */
  talus_status (*fetch)(tl_resident *resident, tl_body_motion *motion,
                        tl_resident_contacts *contacts);
  /* Bytes that a world of so many needs with its solves, by an estimate, and those that are free
   * for it. */
  talus_status (*room)(const tl_resident *resident, const tl_resident_size *size, int64_t *needed,
                       int64_t *free);
} tl_world_backend;

extern const tl_world_backend tl_world_backend_cuda; /* only if built with CUDA */

/* registry.c: that of the context's backend; NULL: worlds live on the host. */
const tl_world_backend *tl_world_backend_find(const talus_context *context);

#ifdef __cplusplus
}
#endif

#endif
