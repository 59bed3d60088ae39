/* render.h: a picture of a frame, good enough for a paper.
 *
 * Worlds of three dimensions are cast by rays: one light with a soft shadow, and light from all of
 * the sky, less where neighbours stand close. Half-spaces that face up are the ground, which takes
 * shadows and melts into the white page; walls (fixed and kinematic bodies) are solid where they
 * stand among, behind or beside the grains and clear where they stand before them; of a vessel of
 * triangles the near side is clear, wherever the grains are. The ends of
 * drums, which are half-spaces, are drawn as far as the drum goes. Plane worlds are drawn flat,
 * seen along y, with a mark that shows how each disk has turned, and with the line in which each
 * mesh meets their plane. The picture depends on the frame and the options alone, not on threads.
 */
#ifndef TL_RENDER_H
#define TL_RENDER_H

#include "host/io/frame.h"
#include "host/io/frame_field.h"
#include "host/view/picture.h"
#include "host/view/select.h"

/* The field of that word ("speed"), or -1; and the word of a field. */
int32_t tl_field_find(const char *word);
const char *tl_field_word(tl_field field);

typedef struct tl_camera {
  bool orthographic; /* parallel rays */
  double eye[3], target[3];
  double up[3];       /* need not be square to the view */
  double angle;       /* perspective: opening from the lower to the upper edge, degrees */
  double view_height; /* orthographic: what the picture shows from below to above, m */
} tl_camera;

typedef struct tl_render_options {
  int32_t width, height;     /* pixels, 16 .. 16384; default 1280 x 960 */
  int32_t samples;           /* edges are smoothed by samples^2 rays, 1 .. 8; default 3 */
  tl_field field;            /* default SPEED */
  double low, high;          /* range of the colours; low >= high (default): the frame's own */
  const tl_camera *camera;   /* NULL (default): fitted to the frame, from azimuth and elevation */
  double azimuth, elevation; /* of the eye as seen from the middle, degrees; default -58, 22 */
  int32_t orthographic;      /* for the fitted camera; default 0 */
  int32_t bar;               /* colour bar; default 1 (there is none for plain, id, material) */
  int32_t clock;             /* time at the upper left; default 1 */
  int32_t checker;           /* ground with squares instead of plain; default 0 */
  const char *length_unit, *time_unit, *force_unit; /* default m, s, N */
  const char *label;                                /* NULL (default): the field's own */
  const char
      *measured; /* "NAME.quantity": field VALUE is that of a measurement; read by frames.h */
  const tl_select *select; /* what is drawn; NULL (default): all. Read by frames.h */
  const double *target; /* [3] the middle of the fitted camera's picture; NULL (default): of all */
  double zoom;          /* how much larger than fitted, > 0; default 1 */
  double turn;          /* the fitted camera goes on about the middle by this, degrees */
  const struct tl_camera_path *path; /* NULL (default): none; see camera_path.h */
} tl_render_options;

tl_render_options tl_render_options_default(void);

/* Draws a frame. Statuses: BAD_SETTING (naming the option), those of tl_frame_check, OUT_OF_MEMORY.
 * The picture is the caller's, to be destroyed; on failure there is none. */
talus_status tl_render(talus_context *context, const tl_frame *frame,
                       const tl_render_options *options, tl_picture *picture);
/* The same to a PNG file. Statuses also: FILE_WRITE, UNSUPPORTED (built without libpng). */
talus_status tl_render_file(talus_context *context, const tl_frame *frame,
                            const tl_render_options *options, const char *path);

/* The camera that tl_render would fit to all of these frames at once: for movies, where it must not
 * change. Single bodies far away from the rest do not count. Status: OUT_OF_MEMORY. */
talus_status tl_camera_fit(talus_context *context, const tl_frame *const *frame, int32_t count,
                           const tl_render_options *options, tl_camera *camera);
/* The range of the colours that tl_render would choose for all of these frames at once. Status:
 * OUT_OF_MEMORY. */
talus_status tl_render_range(talus_context *context, const tl_frame *const *frame, int32_t count,
                             tl_field field, double *low, double *high);

#endif
