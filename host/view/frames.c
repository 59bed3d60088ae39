/* frames.c: reads frames of a run's directory and draws them. */
#include "host/view/frames.h"

#include "host/io/vtk.h"

enum { FITTED = 6 }; /* frames that camera and colours are fitted to */

talus_status tl_frames_list(talus_context *context, const char *directory, int64_t **step,
                            int32_t *count) {
  return tl_vtk_steps(context, directory, step, count);
}

talus_status tl_frames_draw(talus_context *context, const char *directory, int64_t step,
                            const tl_render_options *options, const char *path) {
  tl_stored_frame *stored = NULL;
  TL_TRY(tl_vtk_read(context, directory, step, &stored));
  const talus_status status = tl_render_file(context, &stored->frame, options, path);
  tl_stored_frame_destroy(stored);
  return status;
}

talus_status tl_frames_fit(talus_context *context, const char *directory, const int64_t *step,
                           int32_t count, tl_render_options *options, tl_camera *camera) {
  tl_stored_frame *stored[FITTED] = {NULL};
  const tl_frame *frame[FITTED] = {NULL};
  const int32_t wanted = count < FITTED ? count : FITTED;
  talus_status status = TALUS_OK;
  for (int32_t i = 0; i < wanted && status == TALUS_OK; i++) {
    const int32_t at = wanted > 1 ? (int32_t)((int64_t)i * (count - 1) / (wanted - 1)) : 0;
    status = tl_vtk_read(context, directory, step[at], &stored[i]);
    frame[i] = status == TALUS_OK ? &stored[i]->frame : NULL;
  }
  if (status == TALUS_OK && options->camera == NULL) {
    status = tl_camera_fit(context, frame, wanted, options, camera);
    options->camera = camera;
  }
  if (status == TALUS_OK && !(options->low < options->high)) {
    status = tl_render_range(context, frame, wanted, options->field, &options->low, &options->high);
  }
  for (int32_t i = 0; i < wanted; i++) {
    tl_stored_frame_destroy(stored[i]);
  }
  return status;
}
