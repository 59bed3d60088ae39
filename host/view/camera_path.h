/* camera_path.h: a camera that moves with the time of the frames: a table with the columns time,
 * and of x, y, z (the middle of the picture), zoom and turn what changes; straight between its
 * lines, and at rest before the first and behind the last. */
#ifndef TL_CAMERA_PATH_H
#define TL_CAMERA_PATH_H

#include "host/base/base.h"
#include "host/view/render.h"

typedef struct tl_camera_path tl_camera_path;

/* Statuses: FILE_OPEN, FILE_FORMAT (no time, no other column, times that do not rise, a zoom that
 * is not above 0), OUT_OF_MEMORY. */
talus_status tl_camera_path_read(talus_context *context, const char *file, tl_camera_path **path);
void tl_camera_path_destroy(tl_camera_path *path);
/* Sets zoom, turn and target of the options as they are at a time; at: room for the target. */
void tl_camera_path_apply(const tl_camera_path *path, double time, double at[3],
                          tl_render_options *options);

#endif
