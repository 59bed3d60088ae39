/* image_colour.h: colours for numbers: maps whose lightness grows evenly, and distinct colours for
 * kinds; and the bar that explains them. */
#ifndef TL_IMAGE_COLOUR_H
#define TL_IMAGE_COLOUR_H

#include "host/view/picture.h"

/* Dark violet over teal to light yellow, share 0 .. 1 (cut off outside): equal steps of share look
 * equally far apart, also in grey and to most colour-blind eyes. */
tl_colour tl_colour_map(double share);
/* Of things that are told apart and not ordered: 0, 1, 2, ... Neighbouring numbers differ most. */
tl_colour tl_colour_kind(int32_t number);
/* From lightness 0 .. 1, chroma 0 .. 0.3 and hue in turns of the Oklab space; cut to what a screen
 * can show. */
tl_colour tl_colour_lch(double lightness, double chroma, double hue);

/* sRGB to proportional to light, and back. */
double tl_colour_linear(double value);
double tl_colour_encoded(double light);

/* The height of the numbers beside a bar of this height. */
double tl_colour_bar_text(double height);
/* A vertical bar of the map from low (below) to high with round numbers at its right and the label
 * beside them, upward; where these would go beyond the picture's right edge, or the label beyond
 * its height, they are set smaller. x, y: upper left corner. Returns the x of its right end. */
double tl_colour_bar(tl_picture *picture, double x, double y, double width, double height,
                     double low, double high, const char *label);

#endif
