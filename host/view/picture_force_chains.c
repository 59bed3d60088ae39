/* picture_force_chains.c: spheres and the forces between them, seen along y.
 *
 * Of a deep heap only a slab around the middle is drawn, a little more than one grain thick, since
 * the whole would hide itself. Grains are pale, far ones first and paler; over them every contact
 * between two drawn grains is a line between the centres whose thickness grows as the square root
 * of the normal impulse and whose colour grows darker with it. Weak lines first. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/view/picture.h"
#include "talus/talus_io.h"

#define SLAB 1.3      /* half thickness, in mean radii */
#define WHOLE 3.0     /* a heap not deeper than this many mean diameters is drawn whole */
#define FAINTEST 2e-3 /* lines below this share of the strongest are left out */
#define THICKEST 0.85 /* the strongest line, in mean radii */

#define LARGEST 0.08 /* a mean radius takes at most this share of the width */

enum { WIDTH_MIN = 200, WIDTH_MAX = 20000 };

/* Something to draw, in the order of its key. */
typedef struct item {
  double key;
  int32_t index;
} item;

typedef struct scene {
  const talus_stored *stored;
  const double *impulse;
  item *grain, *line;
  int32_t grain_count, line_count;
  double radius;                  /* mean */
  double low[3], high[3];         /* of the drawn grains */
  double middle, half;            /* slab */
  double strongest;               /* normal impulse */
  double scale, left, base, size; /* pixels per metre; origin; height of the text */
} scene;

static const tl_colour ink = {0.16, 0.18, 0.23}, faint = {0.62, 0.65, 0.70};
static const tl_colour grain_near = {0.86, 0.89, 0.93}, grain_far = {0.955, 0.965, 0.98};

/* Lightness falls evenly from weak to strong; hue goes from yellow over red to violet. */
static tl_colour ramp(double share) {
  static const tl_colour stops[] = {{0.99, 0.83, 0.42}, {0.97, 0.62, 0.26}, {0.89, 0.38, 0.27},
                                    {0.68, 0.19, 0.38}, {0.43, 0.09, 0.43}, {0.20, 0.04, 0.33}};
  const int last = (int)(sizeof stops / sizeof stops[0]) - 1;
  const double at = share * last;
  const int stop = at < last ? (int)at : last - 1;
  return tl_colour_mix(stops[stop], stops[stop + 1], at - stop);
}

static int item_order(const void *first, const void *second) {
  const item *a = first, *b = second;
  if (a->key != b->key) {
    return a->key < b->key ? -1 : 1;
  }
  return (a->index > b->index) - (a->index < b->index);
}

static double normal_impulse(const scene *view, int32_t contact) {
  const double *n = view->stored->problem.rigid.normal + 3 * (size_t)contact;
  const double *x = view->impulse + 3 * (size_t)contact;
  return n[0] * x[0] + n[1] * x[1] + n[2] * x[2];
}

static bool is_drawn(const scene *view, int32_t body) {
  return fabs(view->stored->position[3 * (size_t)body + 1] - view->middle) <= view->half;
}

/* The slab: through the body nearest to the middle, so that rows of columns are hit as well. */
static void slab_choose(scene *view) {
  const talus_stored *stored = view->stored;
  const int32_t count = stored->problem.rigid.body_count;
  double low = HUGE_VAL, high = -HUGE_VAL, sum = 0.0, best = HUGE_VAL;
  for (int32_t i = 0; i < count; i++) {
    low = fmin(low, stored->position[3 * (size_t)i + 1] - stored->radius[i]);
    high = fmax(high, stored->position[3 * (size_t)i + 1] + stored->radius[i]);
    sum += stored->radius[i];
  }
  view->radius = sum / count;
  view->middle = 0.5 * (low + high);
  view->half = high - low;
  if (high - low <= 2.0 * WHOLE * view->radius) {
    return;
  }
  const double middle = view->middle;
  for (int32_t i = 0; i < count; i++) {
    const double y = stored->position[3 * (size_t)i + 1];
    if (fabs(y - middle) < best) {
      best = fabs(y - middle);
      view->middle = y;
    }
  }
  view->half = SLAB * view->radius;
}

/* Which grains, from far to near, and how far they extend. */
static void grains_collect(scene *view) {
  const talus_stored *stored = view->stored;
  for (int i = 0; i < 3; i++) {
    view->low[i] = HUGE_VAL;
    view->high[i] = -HUGE_VAL;
  }
  for (int32_t body = 0; body < stored->problem.rigid.body_count; body++) {
    const double *p = stored->position + 3 * (size_t)body;
    if (!is_drawn(view, body)) {
      continue;
    }
    for (int i = 0; i < 3; i++) {
      view->low[i] = fmin(view->low[i], p[i] - stored->radius[body]);
      view->high[i] = fmax(view->high[i], p[i] + stored->radius[body]);
    }
    view->grain[view->grain_count].key = -p[1];
    view->grain[view->grain_count++].index = body;
  }
  qsort(view->grain, (size_t)view->grain_count, sizeof(item), item_order);
}

/* Which contacts, from weak to strong. Walls in front and behind would only be dots. */
static talus_status lines_collect(talus_context *context, scene *view) {
  const talus_rigid *rigid = &view->stored->problem.rigid;
  for (int32_t k = 0; k < view->stored->problem.contact_count; k++) {
    const int32_t a = rigid->body_a[k], b = rigid->body_b[k];
    const double normal = normal_impulse(view, k);
    if (!isfinite(normal)) {
      return tl_fail(context, TALUS_NOT_FINITE, "impulse of contact %d is not finite", (int)k);
    }
    const bool inside = (a < 0 || is_drawn(view, a)) && (b < 0 || is_drawn(view, b));
    const bool facing = (a < 0 || b < 0) && fabs(rigid->normal[3 * (size_t)k + 1]) > 0.7;
    if (inside && !facing && normal > 0.0) {
      view->line[view->line_count].key = normal;
      view->line[view->line_count++].index = k;
    }
  }
  qsort(view->line, (size_t)view->line_count, sizeof(item), item_order);
  view->strongest = view->line_count > 0 ? view->line[view->line_count - 1].key : 0.0;
  return TALUS_OK;
}

/* Title above, legend below, the grains between; the height follows from their shape. */
static int32_t layout(scene *view, int32_t width) {
  const double wide = view->high[0] - view->low[0], tall = view->high[2] - view->low[2];
  const double margin = 0.03 * width;
  view->size = fmax(6.0, 0.013 * width);
  const double top = margin + 2.6 * view->size, bottom = margin + 3.4 * view->size;
  const double room = width - 2.0 * margin;
  view->scale = fmin(fmin(room / wide, 1.6 * width / tall), LARGEST * width / view->radius);
  view->left = 0.5 * (width - view->scale * wide) - view->scale * view->low[0];
  view->base = top + view->scale * view->high[2];
  return (int32_t)(top + view->scale * tall + bottom);
}

static void grains_draw(const scene *view, tl_picture *picture) {
  for (int32_t i = 0; i < view->grain_count; i++) {
    const int32_t body = view->grain[i].index;
    const double *p = view->stored->position + 3 * (size_t)body;
    const double depth = fmin(fabs(p[1] - view->low[1]) / (view->high[1] - view->low[1]), 1.0);
    tl_picture_ball(picture, view->left + view->scale * p[0], view->base - view->scale * p[2],
                    view->scale * view->stored->radius[body],
                    tl_colour_mix(grain_near, grain_far, depth));
  }
}

/* From a centre to the other one, or to the ground, short of it by `cap` for the round end. */
static void line_ends(const scene *view, int32_t k, double cap, double end[2][3]) {
  const talus_rigid *rigid = &view->stored->problem.rigid;
  const int32_t body[2] = {rigid->body_a[k], rigid->body_b[k]};
  for (int side = 0; side < 2; side++) {
    const int32_t shown = body[side] >= 0 ? body[side] : body[1 - side];
    memcpy(end[side], view->stored->position + 3 * (size_t)shown, 3 * sizeof(double));
    for (size_t i = 0; i < 3 && body[side] < 0; i++) {
      const double reach = fmax(view->stored->radius[shown] - cap, 0.0);
      end[side][i] += (side == 0 ? -reach : reach) * rigid->normal[3 * (size_t)k + i];
    }
  }
}

static double thickness(const scene *view, double normal) {
  return THICKEST * view->radius * view->scale * sqrt(normal / view->strongest);
}

static void lines_draw(const scene *view, tl_picture *picture) {
  for (int32_t i = 0; i < view->line_count; i++) {
    const double normal = view->line[i].key;
    double end[2][3];
    if (normal < FAINTEST * view->strongest) {
      continue;
    }
    const double thick = thickness(view, normal);
    line_ends(view, view->line[i].index, 0.5 * thick / view->scale, end);
    tl_picture_line(picture, view->left + view->scale * end[0][0],
                    view->base - view->scale * end[0][2], view->left + view->scale * end[1][0],
                    view->base - view->scale * end[1][2], thick,
                    ramp(sqrt(normal / view->strongest)));
  }
}

/* Whether any contact with the ground pushes along a direction (sign -1 or 1 along an axis). */
static bool has_wall(const scene *view, size_t axis, double sign) {
  const talus_rigid *rigid = &view->stored->problem.rigid;
  for (int32_t k = 0; k < view->stored->problem.contact_count; k++) {
    if (rigid->body_a[k] < 0 && sign * rigid->normal[3 * (size_t)k + axis] > 0.99) {
      return true;
    }
  }
  return false;
}

/* The floor and the side walls that are there, just outside the grains. */
static void box_draw(const scene *view, tl_picture *picture) {
  const double line = fmax(1.0, 0.12 * view->size), outside = 0.5 * line;
  const double x0 = view->left + view->scale * view->low[0] - outside;
  const double x1 = view->left + view->scale * view->high[0] + outside;
  const double y0 = view->base - view->scale * view->high[2];
  const double y1 = view->base - view->scale * view->low[2] + outside;
  if (has_wall(view, 0, 1.0)) {
    tl_picture_line(picture, x0, y0, x0, y1, line, faint);
  }
  if (has_wall(view, 0, -1.0)) {
    tl_picture_line(picture, x1, y0, x1, y1, line, faint);
  }
  if (has_wall(view, 2, 1.0)) {
    tl_picture_line(picture, x0, y1, x1, y1, line, faint);
  }
}

/* A wedge as thick and as dark as the lines it explains, with the ends of the scale. */
static void legend_draw(const scene *view, tl_picture *picture) {
  static const char label[] = "normal impulse";
  const double margin = 0.03 * picture->width;
  char strongest[32];
  snprintf(strongest, sizeof strongest, "%.2g N s", view->strongest);
  const double units =
      tl_text_width(picture, 1.0, label) + tl_text_width(picture, 1.0, strongest) + 17.0;
  const double size = fmin(view->size, (picture->width - 2.0 * margin) / units);
  const double baseline = picture->height - 1.6 * view->size, centre = baseline - 0.5 * size;
  const double length = 14.0 * size;
  double x = tl_picture_text(picture, margin, baseline, size, label, ink) + 0.8 * size;
  x = tl_picture_text(picture, x, baseline, size, "0", ink) + 0.4 * size;
  x = floor(x); /* whole pixels, or the background would shine through between the columns */
  for (double at = 0.0; at < length; at += 1.0) {
    const double share = at / length, tall = fmax(1.0, 1.8 * size * sqrt(share));
    tl_picture_rectangle(picture, x + at, centre - 0.5 * tall, 1.0, tall, ramp(sqrt(share)));
  }
  tl_picture_text(picture, x + length + 0.8 * size, baseline, size, strongest, ink);
}

static void title_draw(const scene *view, tl_picture *picture) {
  char text[200];
  const double margin = 0.03 * picture->width;
  const char *title = view->stored->title;
  snprintf(text, sizeof text, "Force chains%s%s", title != NULL ? "   " : "",
           title != NULL ? title : "");
  const double fit = (picture->width - 2.0 * margin) / tl_text_width(picture, 1.0, text);
  tl_picture_text(picture, margin, margin + view->size, fmin(1.15 * view->size, fit), text, ink);
}

static talus_status draw(talus_context *context, const char *path, scene *view, int32_t width) {
  tl_picture picture;
  slab_choose(view);
  grains_collect(view);
  TL_TRY(lines_collect(context, view));
  TL_TRY(tl_picture_create(context, width, layout(view, width), &picture));
  box_draw(view, &picture);
  grains_draw(view, &picture);
  lines_draw(view, &picture);
  title_draw(view, &picture);
  legend_draw(view, &picture);
  const talus_status status = tl_picture_write(&picture, path);
  tl_picture_destroy(&picture);
  return status;
}

talus_status talus_force_chains_draw(talus_context *context, const char *path,
                                     const talus_stored *stored, const double *impulse,
                                     int32_t width) {
  if (context == NULL || path == NULL || stored == NULL || impulse == NULL) {
    return tl_fail(context, TALUS_INVALID_ARGUMENT, "talus_force_chains_draw: an argument is NULL");
  }
  const talus_problem *problem = &stored->problem;
  if (problem->form != TALUS_FORM_RIGID || stored->position == NULL || stored->radius == NULL ||
      problem->rigid.body_count < 1) {
    return tl_fail(context, TALUS_UNSUPPORTED,
                   "pictures need form RIGID with positions and radii, as generators give them");
  }
  if (width < WIDTH_MIN || width > WIDTH_MAX) {
    return tl_fail(context, TALUS_BAD_SETTING, "width is %d: it must lie between %d and %d pixels",
                   (int)width, WIDTH_MIN, WIDTH_MAX);
  }
  scene view = {.stored = stored, .impulse = impulse};
  talus_status status = TALUS_OK;
  void *grain = NULL, *line = NULL;
  const size_t bodies = (size_t)problem->rigid.body_count, lines = (size_t)problem->contact_count;
  TL_TRY_GOTO(tl_alloc(context, &grain, bodies, sizeof(item), "grains to draw"), done);
  TL_TRY_GOTO(tl_alloc(context, &line, lines, sizeof(item), "lines to draw"), done);
  view.grain = grain;
  view.line = line;
  status = draw(context, path, &view, width);
done:
  tl_free(context, grain);
  tl_free(context, line);
  return status;
}
