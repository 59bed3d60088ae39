/* frames.h: pictures of the frames in a run's directory. */
#ifndef TL_VIEW_FRAMES_H
#define TL_VIEW_FRAMES_H

#include "host/view/render.h"

/* Steps of the frames in a directory, ascending, in memory of tl_alloc, the caller's. Statuses:
 * FILE_OPEN (no frames), FILE_FORMAT, OUT_OF_MEMORY. */
talus_status tl_frames_list(talus_context *context, const char *directory, int64_t **step,
                            int32_t *count);
/* Fits what the options leave open, camera and range of colours, to some of these frames at once,
 * so that pictures of all of them can be compared. camera: memory for options->camera. Statuses:
 * those of tl_frames_draw. */
talus_status tl_frames_fit(talus_context *context, const char *directory, const int64_t *step,
                           int32_t count, tl_render_options *options, tl_camera *camera);
/* Draws the frame of a step as a PNG file. Statuses: FILE_OPEN, FILE_FORMAT, those of
 * tl_render_file. */
talus_status tl_frames_draw(talus_context *context, const char *directory, int64_t step,
                            const tl_render_options *options, const char *path);

#endif
