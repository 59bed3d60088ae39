/* canvas_text.c: text in the system's sans-serif font, with superscripts; see canvas.h.
 *
 * A text is drawn in runs of equal size: what follows ^ and is a sign or a digit is a run of its
 * own, smaller and raised. */
#include <string.h>

#include "host/view/canvas_cairo.h"

enum { RUN = 256 };

#define SUPERSCRIPT 0.7 /* of the size */
#define RAISED 0.5      /* above the baseline, of the height of capitals */

/* Bytes of the UTF-8 letter that begins here; 0 if none does: a byte that does not belong there, an
 * overlong form, a surrogate, a number beyond the last one. */
static size_t letter_length(const unsigned char *text) {
  const unsigned first = text[0];
  const size_t length = first < 0x80                     ? 1
                        : first >= 0xc2 && first <= 0xdf ? 2
                        : first >= 0xe0 && first <= 0xef ? 3
                        : first >= 0xf0 && first <= 0xf4 ? 4
                                                         : 0;
  for (size_t k = 1; k < length; k++) {
    if ((text[k] & 0xc0) != 0x80) {
      return 0;
    }
  }
  if ((first == 0xe0 && text[1] < 0xa0) || (first == 0xed && text[1] > 0x9f) ||
      (first == 0xf0 && text[1] < 0x90) || (first == 0xf4 && text[1] > 0x8f)) {
    return 0;
  }
  return length;
}

static bool is_raised(const char *letter) {
  return (letter[0] != '\0' && strchr("+-0123456789", letter[0]) != NULL) ||
         strncmp(letter, "\xe2\x88\x92", 3) == 0; /* the minus sign */
}

/* Copies letters of one size, up to RUN - 1 bytes; returns what is left. *raised: in and out. */
static const char *next_run(const char *text, char *run, bool *raised) {
  size_t used = 0;
  if (text[0] == '^' && is_raised(text + 1)) {
    *raised = true;
    text++;
  } else if (!is_raised(text)) {
    *raised = false;
  }
  while (text[0] != '\0' && used + 5 < RUN) {
    if (*raised ? !is_raised(text) : text[0] == '^' && is_raised(text + 1)) {
      break;
    }
    const size_t length = letter_length((const unsigned char *)text);
    memcpy(run + used, length > 0 ? text : "?", length > 0 ? length : 1);
    used += length > 0 ? length : 1;
    text += length > 0 ? length : 1;
  }
  run[used] = '\0';
  return text;
}

/* The size of the font whose capitals are that high. */
static double font_size(tl_canvas *canvas, double height) {
  if (canvas->capital == 0.0) {
    cairo_text_extents_t box;
    canvas->cairo.set_font_size(canvas->pen, 100.0);
    canvas->cairo.text_extents(canvas->pen, "H", &box);
    canvas->capital = box.height > 0.0 ? box.height / 100.0 : 0.7;
  }
  return height / canvas->capital;
}

double tl_canvas_text_width(tl_canvas *canvas, double height, const char *text) {
  const double size = font_size(canvas, height);
  double width = 0.0;
  bool raised = false;
  char run[RUN];
  while (text[0] != '\0') {
    cairo_text_extents_t box;
    text = next_run(text, run, &raised);
    canvas->cairo.set_font_size(canvas->pen, raised ? SUPERSCRIPT * size : size);
    canvas->cairo.text_extents(canvas->pen, run, &box);
    width += box.x_advance;
  }
  return width;
}

void tl_canvas_text(tl_canvas *canvas, double x, double y, double height, bool upward,
                    tl_align align, const char *text, tl_colour colour) {
  const double size = font_size(canvas, height);
  const double share = align == TL_ALIGN_LEFT ? 0.0 : align == TL_ALIGN_CENTRE ? 0.5 : 1.0;
  double at = -share * tl_canvas_text_width(canvas, height, text);
  bool raised = false;
  char run[RUN];
  canvas->cairo.save(canvas->pen);
  canvas->cairo.translate(canvas->pen, x, y);
  canvas->cairo.rotate(canvas->pen, upward ? -0.25 * 6.283185307179586 : 0.0);
  canvas->cairo.set_source_rgb(canvas->pen, colour.red, colour.green, colour.blue);
  while (text[0] != '\0') {
    cairo_text_extents_t box;
    text = next_run(text, run, &raised);
    canvas->cairo.set_font_size(canvas->pen, raised ? SUPERSCRIPT * size : size);
    canvas->cairo.move_to(canvas->pen, at, raised ? -RAISED * height : 0.0);
    canvas->cairo.show_text(canvas->pen, run);
    canvas->cairo.text_extents(canvas->pen, run, &box);
    at += box.x_advance;
  }
  canvas->cairo.new_path(canvas->pen);
  canvas->cairo.restore(canvas->pen);
}
