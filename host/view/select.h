/* select.h: what of a frame is drawn: bodies hidden or clipped, copies across the faces of a
 * periodic cell, arrows that show velocities. The frame itself stays; a changed one stands on
 * memory of its own. */
#ifndef TL_VIEW_SELECT_H
#define TL_VIEW_SELECT_H

#include "host/io/frame.h"

enum { TL_SELECT_CLIPS = 6, TL_SELECT_HIDDEN = 64 };

/* Free bodies stay where sign * (x[axis] - at) <= 0. */
typedef struct tl_clip {
  int32_t axis, sign;
  double at; /* m */
} tl_clip;

/* All zero: everything is drawn as it is. */
typedef struct tl_select {
  int32_t clip_count, hidden_count;
  tl_clip clip[TL_SELECT_CLIPS];
  uint32_t hidden_types;            /* bits of talus_body_type */
  int32_t hidden[TL_SELECT_HIDDEN]; /* ids */
  int32_t images;       /* copies of the cell to each side, along its periodic directions */
  double arrow_seconds; /* arrows from the centres of free bodies: the way that they go in this */
  bool chains; /* in place of the grains, a rod for each contact that carries a force, between the
                  centres, thicker and with a larger `value` the larger its normal force */
  double strongest; /* of chains: the normal force of the thickest rods, N; 0: the frame's own */
} tl_select;

/* "x<0.02" leaves out what lies below, in m. Returns 0 if the text makes no sense. */
bool tl_clip_parse(const char *text, tl_clip *clip);

typedef struct tl_selected {
  tl_frame frame;
  talus_context *context;
  tl_buffer memory;
  tl_geometry **geometry; /* of arrows */
  int32_t geometry_count;
} tl_selected;

/* Statuses: OUT_OF_MEMORY, SIZE_OVERFLOW. tl_selected_release is due in every case. */
talus_status tl_select_apply(talus_context *context, const tl_frame *frame, const tl_select *select,
                             tl_selected *selected);
void tl_selected_release(tl_selected *selected);

#endif
