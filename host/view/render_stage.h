/* render_stage.h: a frame made ready for rays.
 *
 * Rays work in single precision, in coordinates of the picture: the middle of what is seen is the
 * origin, its half diagonal the unit. Shapes that are no spheres are asked in the world's. */
#ifndef TL_RENDER_STAGE_H
#define TL_RENDER_STAGE_H

#include <math.h>

#include "host/io/frame_outline.h"
#include "host/view/render.h"
#include "host/view/render_tree.h"

#define TL_SKY_REACH 3.2f /* spheres dim the sky up to this many of their radii from the centre */

/* ---- what is there --------------------------------------------------------------------------- */

typedef struct tl_stage_shape {
  const tl_geometry *geometry;
  tl_pose pose;
  int32_t body;
  int32_t wall;    /* of a fixed or kinematic body */
  int32_t moves;   /* of a kinematic one */
  int32_t clear;   /* stands before the grains */
  int32_t casts;   /* shadows */
  float inside[3]; /* of a wall of triangles: a point on the side of the grains, in the picture */
} tl_stage_shape;

typedef struct tl_stage_plane {
  float normal[3], offset; /* normal . x = offset */
  int32_t ground;
  int32_t moves;      /* of a kinematic body */
  tl_outline outline; /* where it ends; the corners in the world's lengths */
  float at[3];        /* the face's own origin and axes, in the picture */
  float across[2][3];
} tl_stage_plane;

typedef struct tl_stage {
  talus_context *context;
  const tl_frame *frame;
  double centre[3], scale; /* picture = (world - centre) * scale */
  float low[3], high[3];   /* box of the grains */

  int32_t sphere_count;
  float *sphere;        /* [4 sphere_count] centre and radius, in the order of the tree's leaves */
  int32_t *sphere_body; /* [sphere_count] */
  tl_tree sphere_tree;
  tl_tree_box *sphere_sky; /* boxes of the nodes with radii TL_SKY_REACH times as large */

  int32_t shape_count;
  tl_stage_shape *shape;
  tl_tree shape_tree;
  int32_t casting; /* some shape casts shadows */

  int32_t plane_count;
  tl_stage_plane *plane;

  float *colour; /* [3 body_count], proportional to light */
  int32_t checker;

  /* the camera: a ray through (u, v), each -1 .. 1 over half the picture's height */
  int32_t orthographic;
  float eye[3], right[3], up[3], forward[3];
  float spread;   /* perspective: tangent of half the angle; orthographic: half the height */
  float light[3]; /* towards it */
  float sky[3];   /* against gravity: z */
} tl_stage;

/* Statuses: OUT_OF_MEMORY. tl_stage_release is due in every case. */
talus_status tl_stage_build(talus_context *context, const tl_frame *frame, const tl_camera *camera,
                            tl_stage *stage);
void tl_stage_release(tl_stage *stage);

/* ---- rays ------------------------------------------------------------------------------------ */

enum { TL_HIT_NOTHING = -1, TL_HIT_SPHERE, TL_HIT_SHAPE, TL_HIT_PLANE };

typedef struct tl_hit {
  int32_t kind, index;
  float distance;
  float point[3], normal[3]; /* the normal looks at the eye */
  float veil;                /* how much clear walls in front hide, 0 .. 1 */
} tl_hit;

tl_ray tl_stage_ray(const tl_stage *stage, float u, float v);
tl_hit tl_stage_hit(const tl_stage *stage, const tl_ray *ray);

/* Share of the light's disk that spheres leave free, seen from a point; `sphere` is not asked. */
float tl_stage_sun(const tl_stage *stage, const float point[3], int32_t sphere);
/* Share of the sky that near spheres leave free. */
float tl_stage_sky(const tl_stage *stage, const float point[3], const float normal[3],
                   int32_t sphere);
/* The same by shapes that are no spheres: `count` rays each, drawn by a pattern that `seed`
 * chooses. */
void tl_stage_shade_by_shapes(const tl_stage *stage, const tl_hit *hit, uint32_t seed,
                              int32_t count, float *sun, float *sky);

/* ---- colours --------------------------------------------------------------------------------- */

/* What spheres leave free of sun and sky at a hit is multiplied into sun and sky. */
void tl_stage_light(const tl_stage *stage, const tl_hit *hit, float *sun, float *sky);
/* The colour of a hit, proportional to light, with so much of sun and sky. */
void tl_stage_colour(const tl_stage *stage, const tl_ray *ray, const tl_hit *hit, float sun,
                     float sky, float colour[3]);

/* Colours of the bodies by a field; low, high as in the options, settled on return. map: 1 if
 * tl_colour_map was used and a bar makes sense. */
talus_status tl_field_colours(talus_context *context, const tl_frame *frame, tl_field field,
                              double *low, double *high, tl_colour *colour, int32_t *map);

/* Worlds of three dimensions; colour: of the bodies. */
talus_status tl_render_solid(talus_context *context, const tl_frame *frame, const tl_camera *camera,
                             const tl_render_options *options, const tl_colour *colour,
                             tl_picture *picture);
/* Plane worlds; middle_x: the pixel column that the camera looks at. */
talus_status tl_render_flat(talus_context *context, const tl_frame *frame, const tl_camera *camera,
                            const tl_colour *colour, int32_t samples, double middle_x,
                            tl_picture *picture);

/* ---- small vectors --------------------------------------------------------------------------- */

static inline float tl_dotf(const float *a, const float *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void tl_unitf(float *a) {
  const float size = sqrtf(tl_dotf(a, a));
  for (int i = 0; size > 0.0f && i < 3; i++) {
    a[i] /= size;
  }
}

static inline void tl_crossf(const float *a, const float *b, float *c) {
  const float x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
  c[0] = x;
  c[1] = y;
}

#endif
