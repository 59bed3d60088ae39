/* world_frame.h: what a world looks like at one instant, as a frame for files and pictures.
 *
 * Public: talus_frames_open, talus_frames_write, talus_frames_close (talus_io.h). */
#ifndef TL_WORLD_FRAME_H
#define TL_WORLD_FRAME_H

#include <stdbool.h>

#include "host/io/frame.h"

/* A frame of a world and the memory of its arrays. All zero before its first use. */
typedef struct tl_world_frame {
  tl_frame frame;
  tl_buffer body, shape, contact; /* what its arrays stand on */
} tl_world_frame;

/* Fills the frame, with or without contacts; the memory of an earlier one is used again. Status:
 * OUT_OF_MEMORY. */
talus_status tl_world_frame_take(tl_world_frame *frame, const talus_world *world, bool contacts);
void tl_world_frame_release(talus_context *context, tl_world_frame *frame);

#endif
