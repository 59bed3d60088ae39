/* picture_text.c: a stroke font for titles and labels.
 *
 * Each glyph is a list of strokes, each stroke a list of points, each point two digits: x from the
 * left, y from below, the baseline at 2, small letters up to 6, capitals up to 8. Strokes are
 * separated by a space; a single repeated point is a dot. Drawn with round lines, so that it looks
 * the same at any size. */
#include "host/io/picture.h"

#include <stddef.h>

enum { BASELINE = 2, CAPITAL = 6, GAP = 2, SPACE = 3 };

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

double tl_text_width(double height, const char *text) {
  int units = 0;
  for (; *text != 0; text++) {
    units += advance(*text);
  }
  return height / CAPITAL * units;
}

static void glyph_draw(tl_picture *picture, double x, double y, double unit, const char *strokes,
                       tl_colour colour) {
  const char *point = strokes;
  while (point[0] != 0 && point[2] != 0) {
    if (point[2] == ' ') {
      point += 3;
      continue;
    }
    tl_picture_line(picture, x + unit * (point[0] - '0'), y - unit * (point[1] - '0' - BASELINE),
                    x + unit * (point[2] - '0'), y - unit * (point[3] - '0' - BASELINE),
                    0.95 * unit, colour);
    point += 2;
  }
}

double tl_picture_text(tl_picture *picture, double x, double y, double height, const char *text,
                       tl_colour colour) {
  const double unit = height / CAPITAL;
  for (; *text != 0; text++) {
    if (*text != ' ') {
      glyph_draw(picture, x, y, unit, glyph(*text), colour);
    }
    x += unit * advance(*text);
  }
  return x;
}
