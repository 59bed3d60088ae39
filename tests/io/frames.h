/* frames.h: small worlds as frames, for tests of files and pictures. */
#ifndef TL_TEST_FRAMES_H
#define TL_TEST_FRAMES_H

#include "host/io/frame.h"

enum { SAMPLE_ROOM = 20000, SAMPLE_GEOMETRIES = 16 };

typedef struct sample_frame {
  tl_frame frame;
  talus_context *context;
  tl_geometry *geometry[SAMPLE_GEOMETRIES]; /* of shapes that are no spheres */
  int32_t geometry_count;
  tl_geometry *sphere;
  int32_t *id, *material, *type, *shape_body, *shape_material, *contact_body;
  double *position, *orientation, *velocity, *spin, *radius;
  const tl_geometry **shape_geometry;
  tl_pose *shape_pose;
  double *contact_point, *contact_normal, *contact_force, *contact_gap;
} sample_frame;

/* `spheres` of mixed size on a floor (a half-space), in layers as in a box, with a contact below
 * each; id 3 k + 5. */
sample_frame *sample_frame_create(talus_context *context, int32_t spheres);
/* Adds one of every other kind: a turned free box, a capsule, a cylinder, a hull, a clump of two
 * spheres, a kinematic box, a fixed mesh. */
void sample_frame_add_others(sample_frame *sample);
/* Adds a body with one shape; its index. */
int32_t sample_frame_add(sample_frame *sample, int32_t type, double x, double y, double z,
                         const talus_shape_def *def);
/* Adds a drum, a kinematic body: a cylinder of 48 flat pieces about y and an end at +y. */
int32_t sample_frame_add_drum(sample_frame *sample, double x, double y, double z, double radius,
                              double length);
talus_shape_def sample_shape(talus_shape_kind kind);
void sample_frame_destroy(sample_frame *sample);

#endif
