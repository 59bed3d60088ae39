/* picture_text.c: a stroke font for titles and labels.
 *
 * Each glyph is a list of strokes, each stroke a list of points, each point two digits: x from the
 * left, y from below, the baseline at 2, small letters up to 6, capitals up to 8. Strokes are
 * separated by a space; a single repeated point is a dot. Drawn with round lines, so that it looks
 * the same at any size; blunt corners are rounded, right and sharp ones stay. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "host/view/picture.h"

enum { BASELINE = 2, CAPITAL = 6, GAP = 2, SPACE = 3, STROKE_POINTS = 40, BEND_STEPS = 5 };

#define SUPERSCRIPT 0.66 /* of the height */
#define RAISED 0.55      /* above the baseline, of the height */

static const char *glyph(char letter) {
  static const char *const digits[] = {
      "180703123243473818",          "071812",   "07183847460242",
      "0718384746354443321203 1535", "32380444", "4808053544433202",
      "38180703123243443505",        "084812",   "15060718384746351504031232434435",
      "12324347381807061545"};
  static const char *const small[] = {"4642 4536160503123243", /* a */
                                      "0802 0516364543321203",
                                      "4536160503123243",
                                      "4842 4536160503123243",
                                      "04444536160503123242",
                                      "38281712 0636",
                                      "46413010 4536160503123243",
                                      "0802 0516364542",
                                      "0602 0808",
                                      "161100 1818",
                                      "0802 3604 0432",
                                      "0802",
                                      "0602 0516263532 3546566562",
                                      "0602 0516364542",
                                      "160503123243453616",
                                      "0600 0516364543321203",
                                      "4640 4536160503123243",
                                      "0602 051636",
                                      "4616051434433202",
                                      "18132232 0636",
                                      "0603123243 4642",
                                      "062246",
                                      "0612365266",
                                      "0642 0246",
                                      "0622 4610",
                                      "06460242"};
  static const char *const capital[] = {"022842 1434", /* A */
                                        "0802 083847463505 3544433202",
                                        "4738180703123243",
                                        "0802 082846442202",
                                        "48080242 0535",
                                        "480802 0535",
                                        "47381807031232434525",
                                        "0802 4842 0545",
                                        "0802",
                                        "3833221203",
                                        "0802 4804 1542",
                                        "080242",
                                        "0208254842",
                                        "02084248",
                                        "180703123243473818",
                                        "02083847463505",
                                        "180703123243473818 2442",
                                        "02083847463505 2542",
                                        "473818070615354443321203",
                                        "0848 2822",
                                        "080312324348",
                                        "082248",
                                        "0812365268",
                                        "0842 0248",
                                        "0825 4825 2522",
                                        "08480242"};
  static const struct {
    char letter;
    const char *strokes;
  } mark[] = {{'.', "0202"},     {',', "1211"},      {':', "0202 0505"},      {';', "1211 1515"},
              {'-', "0434"},     {'+', "0444 2622"}, {'=', "0343 0545"},      {'(', "18070312"},
              {')', "08171302"}, {'/', "0238"},      {'%', "0248 0808 4242"}, {'_', "0141"},
              {'\'', "0807"},    {'<', "360432"},    {'>', "063402"},         {'|', "0801"},
              {'[', "18080212"}, {']', "08181202"},  {'*', "0345 0543 2622"}, {'!', "0804 0202"}};
  if (letter >= '0' && letter <= '9') {
    return digits[letter - '0'];
  }
  if (letter >= 'a' && letter <= 'z') {
    return small[letter - 'a'];
  }
  if (letter >= 'A' && letter <= 'Z') {
    return capital[letter - 'A'];
  }
  for (size_t i = 0; i < sizeof mark / sizeof mark[0]; i++) {
    if (mark[i].letter == letter) {
      return mark[i].strokes;
    }
  }
  return "0208484202"; /* a box */
}

/* Units to the next letter. */
static int advance(char letter) {
  if (letter == ' ') {
    return SPACE;
  }
  int right = 0;
  for (const char *point = glyph(letter); *point != 0; point += point[0] == ' ' ? 1 : 2) {
    if (*point != ' ' && *point - '0' > right) {
      right = *point - '0';
    }
  }
  return right + GAP;
}

/* Where text goes: the pen, the direction of writing, and the height. */
typedef struct pen {
  double x, y;
  double along_x, along_y; /* of length one; letters stand to its left */
  double height, raised;
} pen;

typedef struct spot {
  double x, y;
} spot;

static spot spot_between(spot a, spot b, double share) {
  const spot found = {a.x + share * (b.x - a.x), a.y + share * (b.y - a.y)};
  return found;
}

/* A point of the glyph on the picture. */
static spot glyph_spot(const pen *pen, const char *digits) {
  const double unit = pen->height / CAPITAL;
  const double along = unit * (digits[0] - '0');
  const double up = unit * (digits[1] - '0' - BASELINE) + pen->raised;
  const spot found = {pen->x + along * pen->along_x + up * pen->along_y,
                      pen->y + along * pen->along_y - up * pen->along_x};
  return found;
}

/* Whether the way a-b-c bends by less than about 60 degrees. */
static int is_blunt(spot a, spot b, spot c) {
  const double ux = b.x - a.x, uy = b.y - a.y, vx = c.x - b.x, vy = c.y - b.y;
  const double size = sqrt((ux * ux + uy * uy) * (vx * vx + vy * vy));
  return ux * vx + uy * vy > 0.5 * size;
}

static spot line_to(tl_picture *picture, spot from, spot to, double thickness, tl_colour colour) {
  tl_picture_line(picture, from.x, from.y, to.x, to.y, thickness, colour);
  return to;
}

/* A polyline whose blunt corners are parabolas between the middles of its sides. */
static void stroke_draw(tl_picture *picture, const spot *point, int count, double thickness,
                        tl_colour colour) {
  const int closed =
      count > 3 && point[0].x == point[count - 1].x && point[0].y == point[count - 1].y;
  spot at = closed ? spot_between(point[0], point[1], 0.5) : point[0];
  for (int k = 1; k < count - 1 + closed; k++) {
    const spot before = point[k - 1], corner = point[k], after = point[k + 1 < count ? k + 1 : 1];
    const int blunt = is_blunt(before, corner, after);
    const spot from = spot_between(corner, before, blunt ? 0.5 : 0.0);
    const spot to = spot_between(corner, after, blunt ? 0.5 : 0.0);
    at = line_to(picture, at, from, thickness, colour);
    for (int i = 1; blunt && i <= BEND_STEPS; i++) {
      const double s = (double)i / BEND_STEPS;
      at = line_to(picture, at,
                   spot_between(spot_between(from, corner, s), spot_between(corner, to, s), s),
                   thickness, colour);
    }
  }
  line_to(picture, at, closed ? spot_between(point[0], point[1], 0.5) : point[count - 1], thickness,
          colour);
}

static void glyph_draw(tl_picture *picture, const pen *pen, const char *strokes, tl_colour colour) {
  spot point[STROKE_POINTS];
  const char *at = strokes;
  while (*at != 0) {
    int count = 0;
    for (; *at != 0 && *at != ' '; at += 2) {
      point[count++] = glyph_spot(pen, at);
    }
    at += *at == ' ';
    stroke_draw(picture, point, count, 0.14 * pen->height, colour);
  }
}

/* The next letter of a UTF-8 text: its bytes are passed over, *raised says whether it is set high
 * up: behind ^ signs and digits are, and the superscript digits of Latin 1. */
static char next_letter(const char **text, int *superscript, int *raised) {
  static const char *const latin[] = {"\xc2\xb2", "2", "\xc2\xb3", "3", "\xc2\xb9",     "1",
                                      "\xc2\xb5", "u", "\xc2\xb7", ".", "\xe2\x88\x92", "-"};
  if (**text == '^' && strchr("+-0123456789", (*text)[1]) != NULL && (*text)[1] != 0) {
    *superscript = 1;
    (*text)++;
  }
  if (*superscript && strchr("+-0123456789", **text) == NULL) {
    *superscript = 0;
  }
  *raised = *superscript;
  for (size_t k = 0; k < sizeof latin / sizeof *latin; k += 2) {
    const size_t length = strlen(latin[k]);
    if (strncmp(*text, latin[k], length) == 0) {
      *text += length;
      *raised |= k < 6;
      return latin[k + 1][0];
    }
  }
  const char letter = *(*text)++;
  while ((**text & 0xc0) == 0x80) { /* what belongs to a letter that is not known */
    (*text)++;
  }
  return letter;
}

/* Draws, or with picture NULL only measures; the length of the line. */
static double write_line(tl_picture *picture, pen pen, const char *text, tl_colour colour) {
  const double height = pen.height;
  double length = 0.0;
  int superscript = 0, raised = 0;
  while (*text != 0) {
    const char letter = next_letter(&text, &superscript, &raised);
    if (letter == 0) {
      break;
    }
    pen.height = raised ? SUPERSCRIPT * height : height;
    pen.raised = raised ? RAISED * height : 0.0;
    if (picture != NULL && letter != ' ') {
      glyph_draw(picture, &pen, glyph(letter), colour);
    }
    const double step = pen.height / CAPITAL * advance(letter);
    pen.x += step * pen.along_x;
    pen.y += step * pen.along_y;
    length += step;
  }
  return length;
}

double tl_text_width(double height, const char *text) {
  const pen pen = {0.0, 0.0, 1.0, 0.0, height, 0.0};
  const tl_colour none = {0.0, 0.0, 0.0};
  return write_line(NULL, pen, text, none);
}

double tl_picture_text(tl_picture *picture, double x, double y, double height, const char *text,
                       tl_colour colour) {
  const pen pen = {x, y, 1.0, 0.0, height, 0.0};
  return x + write_line(picture, pen, text, colour);
}

void tl_picture_text_upward(tl_picture *picture, double x, double y, double height,
                            const char *text, tl_colour colour) {
  const pen pen = {x, y, 0.0, -1.0, height, 0.0};
  write_line(picture, pen, text, colour);
}
