/* sample.h: a frame as measurements see it: grains with mass and centre, their shapes, the contacts
 * that carry a force, who touches whom.
 *
 * Grains are the free bodies. A contact's branch goes from the centre of grain a to the point of
 * contact to the centre of grain b; with a wall (or any body that is not free) it ends at the
 * point. */
#ifndef TL_MEASURE_SAMPLE_H
#define TL_MEASURE_SAMPLE_H

#include <stdbool.h>

#include "host/io/frame.h"

typedef struct tl_sample {
  talus_context *context;
  const tl_frame *frame; /* the caller's */
  bool plane;
  double time;

  int32_t grain_count;
  int32_t *id;
  double *centre, *velocity; /* [3 grain_count] */
  double *mass, *radius;     /* radius: of the ball about the centre that holds the grain */
  double *volume;            /* of all its shapes; plane: area times 1 m */

  int32_t shape_count;
  int32_t *shape_grain;
  const tl_geometry **shape_geometry;
  tl_pose *shape_pose; /* in the world */
  double *shape_volume;

  int32_t contact_count;          /* with a force, and at least one grain */
  int32_t *contact_grain;         /* [2 contact_count], -1: no grain */
  double *point, *normal, *force; /* [3 contact_count] normal from a to b, force on b */
  double *reach;                  /* of the branch, from the point */

  int32_t pair_count;    /* bodies that touch, each pair once */
  int32_t *pair_grain;   /* [2 pair_count], -1: no grain */
  int32_t *touching;     /* [grain_count] bodies that a grain touches ... */
  int32_t rattler_limit; /* what the next two were made for */
  bool *rattler;         /* [grain_count] */
  int32_t *held;         /* [grain_count] ... that are no rattlers */

  tl_buffer grains, shapes, contacts, pairs; /* what the arrays stand on */
} tl_sample;

/* Makes the sample of a frame, which has to stay while the sample is used. The memory of the last
 * one is used again; a zeroed sample with a context is a good start. Statuses: MISSING_ARRAY (the
 * frame has no masses), OUT_OF_MEMORY. */
talus_status tl_sample_take(tl_sample *sample, const tl_frame *frame);
void tl_sample_release(tl_sample *sample);

/* Marks grains that fewer than `limit` bodies touch, counting none that is marked, until no more
 * are found; does nothing if that was done. */
void tl_sample_mark_rattlers(tl_sample *sample, int32_t limit);

/* The pose of a body by its id; false: it is not in the frame. */
bool tl_sample_pose(const tl_sample *sample, int32_t id, tl_pose *pose);

/* The two ends of a contact's branch: a's centre and b's, or the point where there is no grain. */
void tl_sample_branch(const tl_sample *sample, int32_t contact, double from[3], double to[3]);

#endif
