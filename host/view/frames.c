/* frames.c: reads frames of a run's directory and draws them. */
#include "host/view/frames.h"

#include <math.h>
#include <string.h>

#include "host/io/vtk.h"
#include "host/view/camera_path.h"
#include "host/view/measured.h"

enum { FITTED = 6 }; /* frames that camera and colours are fitted to */

talus_status tl_frames_list(talus_context *context, const char *directory, int64_t **step,
                            int32_t *count) {
  return tl_vtk_steps(context, directory, step, count);
}

/* A frame as it was stored, and what of it is drawn. */
typedef struct drawn {
  tl_stored_frame *stored;
  double *value; /* what was measured at its bodies, or NULL */
  char label[TL_MEASURED_LABEL];
  tl_selected selected;
} drawn;

/* Gives the bodies what was measured where they are. */
static talus_status drawn_measure(talus_context *context, const char *directory,
                                  const char *measured, drawn *to) {
  void *memory;
  tl_frame *const frame = &to->stored->frame;
  TL_TRY(tl_alloc(context, &memory, (size_t)frame->body_count + 1, sizeof(double), "picture"));
  frame->value = to->value = memory;
  return tl_measured_read(context, directory, measured, frame, to->value, to->label);
}

static talus_status drawn_read(talus_context *context, const char *directory, int64_t step,
                               const tl_render_options *options, drawn *to) {
  tl_select select = {0};
  memset(to, 0, sizeof *to);
  TL_TRY(tl_vtk_read(context, directory, step, &to->stored));
  if (options->measured != NULL) {
    TL_TRY(drawn_measure(context, directory, options->measured, to));
  }
  if (options->select != NULL) {
    select = *options->select;
  }
  if (select.images > 0 && to->stored->frame.periodic == 0) {
    return tl_fail(context, TALUS_BAD_SETTING,
                   "%s has no periodic cell, of which there could be images", directory);
  }
  if (select.chains && options->low < options->high) { /* thickness goes with the colours */
    select.strongest = options->high;
  }
  return tl_select_apply(context, &to->stored->frame, &select, &to->selected);
}

/* Says why there is nothing to be seen of the force chains of some frames. */
static void tell_empty(talus_context *context, const tl_render_options *options, const drawn *frame,
                       int32_t count) {
  int64_t contacts = 0;
  for (int32_t i = 0; i < count; i++) {
    contacts += frame[i].stored->frame.contact_count;
  }
  if (options->select != NULL && options->select->chains && contacts == 0) {
    tl_log(
        context, TALUS_LOG_WARNING,
        "%s no contacts, so that there are no force chains: nothing touches, or the run was made "
        "with output.contacts: false; set output.contacts: true",
        count > 1 ? "the frames have" : "the frame has");
  }
}

static void drawn_release(talus_context *context, drawn *of) {
  if (of->selected.context != NULL) {
    tl_selected_release(&of->selected);
  }
  tl_stored_frame_destroy(of->stored);
  tl_free(context, of->value);
}

/* Leaves the colour bar out where nothing is coloured and nobody gave a range. */
static void bar_set(const drawn *frame, int32_t count, tl_render_options *options) {
  bool coloured = options->low < options->high;
  for (int32_t i = 0; i < count; i++) {
    const tl_frame *const drawn_frame = &frame[i].selected.frame;
    for (int32_t k = 0; k < drawn_frame->body_count && !coloured; k++) {
      coloured = drawn_frame->type[k] == TALUS_BODY_FREE;
    }
  }
  options->bar = options->bar && coloured;
}

/* The label of what is drawn, where it has none of its own. */
static void label_set(const drawn *of, tl_render_options *options) {
  if (options->label == NULL && options->field == TL_FIELD_VALUE) {
    options->label = of->value != NULL ? of->label : "normal force [N]";
  }
}

/* Turns, shifts and enlarges a fitted camera as the options say. */
static void camera_move(const tl_render_options *options, tl_camera *camera) {
  const double angle = options->turn * 0.017453292519943295, c = cos(angle), s = sin(angle);
  double way[3], up[3];
  for (int i = 0; i < 3; i++) {
    way[i] = camera->eye[i] - camera->target[i];
    camera->target[i] = options->target != NULL ? options->target[i] : camera->target[i];
  }
  memcpy(up, camera->up, sizeof up);
  camera->up[0] = c * up[0] - s * up[1];
  camera->up[1] = s * up[0] + c * up[1];
  const double x = c * way[0] - s * way[1], y = s * way[0] + c * way[1];
  const double nearer = camera->orthographic ? 1 : 1 / options->zoom;
  camera->eye[0] = camera->target[0] + nearer * x;
  camera->eye[1] = camera->target[1] + nearer * y;
  camera->eye[2] = camera->target[2] + nearer * way[2];
  camera->view_height /= options->zoom;
}

talus_status tl_frames_draw(talus_context *context, const char *directory, int64_t step,
                            const tl_render_options *given, const char *path) {
  drawn frame;
  tl_camera camera;
  double at[3];
  tl_render_options options = *given;
  talus_status status = drawn_read(context, directory, step, given, &frame);
  const tl_frame *const one = &frame.selected.frame;
  if (status == TALUS_OK) {
    status = tl_frame_check(context, one);
  }
  if (status == TALUS_OK) {
    bar_set(&frame, 1, &options);
  }
  if (status == TALUS_OK && options.camera == NULL) { /* one frame alone */
    tell_empty(context, &options, &frame, 1);
    status = tl_camera_fit(context, &one, 1, &options, &camera);
  } else if (status == TALUS_OK) {
    camera = *options.camera;
  }
  if (status == TALUS_OK && options.path != NULL) {
    tl_camera_path_apply(options.path, one->time, at, &options);
  }
  if (status == TALUS_OK) {
    camera_move(&options, &camera);
    label_set(&frame, &options);
    options.camera = &camera;
    status = tl_render_file(context, one, &options, path);
  }
  drawn_release(context, &frame);
  return status;
}

talus_status tl_frames_fit(talus_context *context, const char *directory, const int64_t *step,
                           int32_t count, tl_render_options *options, tl_camera *camera) {
  drawn stored[FITTED];
  const tl_frame *frame[FITTED] = {NULL};
  memset(stored, 0, sizeof stored);
  const int32_t wanted = count < FITTED ? count : FITTED;
  talus_status status = TALUS_OK;
  for (int32_t i = 0; i < wanted && status == TALUS_OK; i++) {
    const int32_t at = wanted > 1 ? (int32_t)((int64_t)i * (count - 1) / (wanted - 1)) : 0;
    status = drawn_read(context, directory, step[at], options, &stored[i]);
    frame[i] = &stored[i].selected.frame;
  }
  if (status == TALUS_OK) {
    tell_empty(context, options, stored, wanted);
    bar_set(stored, wanted, options);
  }
  if (status == TALUS_OK && options->camera == NULL) {
    status = tl_camera_fit(context, frame, wanted, options, camera);
    options->camera = camera;
  }
  if (status == TALUS_OK && !(options->low < options->high)) {
    status = tl_render_range(context, frame, wanted, options->field, &options->low, &options->high);
  }
  for (int32_t i = 0; i < wanted; i++) {
    drawn_release(context, &stored[i]);
  }
  return status;
}
