/* render_field.c: what bodies are coloured by; see render.h. */
#include <stdlib.h>
#include <string.h>

#include "host/math/lattice.h"
#include "host/view/image_colour.h"
#include "host/view/render_stage.h"

static const char *const words[] = {
#define TL_FIELD_WORD(name, word, label, unit) word,
    TL_FIELD_LIST(TL_FIELD_WORD)
#undef TL_FIELD_WORD
};

int32_t tl_field_find(const char *word) {
  for (int32_t k = 0; k < TL_FIELD_COUNT; k++) {
    if (strcmp(words[k], word) == 0) {
      return k;
    }
  }
  return -1;
}

const char *tl_field_word(tl_field field) {
  return (unsigned)field < TL_FIELD_COUNT ? words[field] : "";
}

static bool is_number(tl_field field) {
  return field != TL_FIELD_PLAIN && field != TL_FIELD_ID && field != TL_FIELD_MATERIAL;
}

static double length3(const double *a) {
  return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
}

/* ---- numbers --------------------------------------------------------------------------------- */

/* A body, or an end of a contact: what it adds to which body. */
typedef struct place {
  int32_t id, other; /* other: the body at the other end */
  int32_t index;
} place;

static int by_id(const void *a, const void *b) {
  const place *const x = a, *const y = b;
  if (x->id != y->id) {
    return x->id > y->id ? 1 : -1;
  }
  return x->other != y->other ? (x->other > y->other) - (x->other < y->other)
                              : (x->index > y->index) - (x->index < y->index);
}

/* Volume of the ball (plane: disk) around a body. */
static double ball_volume(const tl_frame *frame, size_t body) {
  const double r = frame->radius[body], pi = 3.14159265358979323846;
  return frame->plane ? pi * r * r : 4.0 / 3.0 * pi * r * r * r;
}

/* Trace of force times arm of one end of a contact, over dimensions and volume of its body. The arm
 * goes to the nearest image of the point. */
static double end_pressure(const tl_frame *frame, size_t body, const place *end) {
  const size_t contact = (size_t)(end->index / 2);
  const double *const force = frame->contact_force + 3 * contact;
  double arm[3], sum = 0.0;
  for (int c = 0; c < 3; c++) {
    arm[c] = frame->contact_point[3 * contact + (size_t)c] - frame->position[3 * body + (size_t)c];
  }
  tl_lattice_nearest(frame->edge, frame->periodic, arm);
  for (int c = 0; c < 3; c++) { /* the force is that on b */
    sum += (end->index % 2 == 0 ? force[c] : -force[c]) * arm[c];
  }
  return sum / ((frame->plane ? 2 : 3) * ball_volume(frame, body));
}

static double end_value(const tl_frame *frame, tl_field field, size_t body, const place *end,
                        bool again) {
  const double force = length3(frame->contact_force + 3 * (size_t)(end->index / 2));
  switch (field) {
  case TL_FIELD_COORDINATION:
    return force > 0.0 && !again ? 1.0 : 0.0;
  case TL_FIELD_PRESSURE:
    return end_pressure(frame, body, end);
  default:
    return force;
  }
}

/* Sums over the ends of contacts of each body. Ends and bodies, images included, are sorted by id
 * and followed side by side. */
static void sum_sorted(const tl_frame *frame, tl_field field, const place *body, size_t body_count,
                       const place *end, size_t end_count, double *value) {
  size_t first = 0;
  for (size_t k = 0; k < body_count; k++) {
    const size_t index = (size_t)body[k].index;
    bool pressed = false; /* the same other body has been counted */
    value[index] = 0.0;
    while (first < end_count && end[first].id < body[k].id) {
      first++;
    }
    for (size_t e = first; e < end_count && end[e].id == body[k].id; e++) {
      pressed = pressed && e > first && end[e].other == end[e - 1].other;
      const double more = end_value(frame, field, index, &end[e], pressed);
      pressed = pressed || (field == TL_FIELD_COORDINATION && more > 0.0);
      value[index] += more;
    }
  }
}

static talus_status sum_contacts(talus_context *context, const tl_frame *frame, tl_field field,
                                 double *value) {
  void *memory;
  const size_t bodies = (size_t)frame->body_count, ends = 2 * (size_t)frame->contact_count;
  TL_TRY(tl_alloc(context, &memory, bodies + ends + 1, sizeof(place), "picture"));
  place *const body = memory, *const end = body + bodies;
  for (size_t k = 0; k < bodies; k++) {
    body[k] = (place){frame->id[k], 0, (int32_t)k};
  }
  for (size_t k = 0; k < ends; k++) {
    end[k] = (place){frame->contact_body[k], frame->contact_body[k ^ 1], (int32_t)k};
  }
  qsort(body, bodies, sizeof *body, by_id);
  qsort(end, ends, sizeof *end, by_id);
  sum_sorted(frame, field, body, bodies, end, ends, value);
  tl_free(context, memory);
  return TALUS_OK;
}

static double value_of(const tl_frame *frame, tl_field field, size_t k) {
  switch (field) {
  case TL_FIELD_SPEED:
    return length3(frame->velocity + 3 * k);
  case TL_FIELD_SPIN:
    return length3(frame->spin + 3 * k);
  case TL_FIELD_RADIUS:
    return frame->radius[k];
  case TL_FIELD_HEIGHT:
    return frame->position[3 * k + 2];
  case TL_FIELD_VELOCITY_X:
    return frame->velocity[3 * k];
  case TL_FIELD_VELOCITY_Y:
    return frame->velocity[3 * k + 1];
  case TL_FIELD_VELOCITY_Z:
    return frame->velocity[3 * k + 2];
  case TL_FIELD_VALUE:
    return frame->value != NULL ? frame->value[k] : NAN;
  default:
    return 0.0;
  }
}

static talus_status field_values(talus_context *context, const tl_frame *frame, tl_field field,
                                 double *value) {
  if (field == TL_FIELD_FORCE || field == TL_FIELD_COORDINATION || field == TL_FIELD_PRESSURE) {
    return sum_contacts(context, frame, field, value);
  }
  for (int32_t k = 0; k < frame->body_count; k++) {
    value[k] = value_of(frame, field, (size_t)k);
  }
  return TALUS_OK;
}

/* ---- range ----------------------------------------------------------------------------------- */

static int by_value(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* All free bodies' values, sorted: a few that run away do not set the range. */
static void settle_range(tl_field field, double *value, size_t count, double *low, double *high) {
  *low = 0.0;
  *high = 1.0;
  if (count == 0) {
    return;
  }
  qsort(value, count, sizeof *value, by_value);
  const double most = value[count - 1], usual = value[(size_t)(0.995 * (double)(count - 1))];
  const bool from_zero = field == TL_FIELD_SPEED || field == TL_FIELD_SPIN ||
                         field == TL_FIELD_FORCE || field == TL_FIELD_COORDINATION ||
                         (field == TL_FIELD_PRESSURE && value[0] >= 0.0);
  *low = from_zero ? 0.0 : value[0];
  *high = from_zero && usual > 0.0 && most > 1.5 * usual ? usual : most;
  if (!(*high - *low > 1e-9 * fmax(fabs(*low), fabs(*high)))) {
    const double size = fabs(*high) > 0.0 ? fabs(*high) : 1.0;
    *low = from_zero ? 0.0 : *low - 0.1 * size;
    *high = *high + (from_zero && *high > 0.0 ? 0.0 : 0.1 * size);
  }
}

static talus_status gather(talus_context *context, const tl_frame *const *frame, int32_t count,
                           tl_field field, double *value, double *all, size_t *found) {
  *found = 0;
  for (int32_t f = 0; f < count; f++) {
    TL_TRY(field_values(context, frame[f], field, value));
    for (int32_t k = 0; k < frame[f]->body_count; k++) {
      if (frame[f]->type[k] == TALUS_BODY_FREE && isfinite(value[k])) {
        all[(*found)++] = value[k];
      }
    }
  }
  return TALUS_OK;
}

talus_status tl_render_range(talus_context *context, const tl_frame *const *frame, int32_t count,
                             tl_field field, double *low, double *high) {
  void *value = NULL, *all = NULL;
  size_t largest = 0, total = 0, found = 0;
  for (int32_t f = 0; f < count; f++) {
    largest = (size_t)frame[f]->body_count > largest ? (size_t)frame[f]->body_count : largest;
    total += (size_t)frame[f]->body_count;
  }
  talus_status status = tl_alloc(context, &value, largest, sizeof(double), "picture");
  if (status == TALUS_OK) {
    status = tl_alloc(context, &all, total, sizeof(double), "picture");
  }
  if (status == TALUS_OK) {
    status = gather(context, frame, count, field, value, all, &found);
  }
  if (status == TALUS_OK) {
    settle_range(field, all, found, low, high);
  }
  tl_free(context, all);
  tl_free(context, value);
  return status;
}

/* ---- colours --------------------------------------------------------------------------------- */

/* Sand: one hue, grains a little lighter or darker. */
static tl_colour sand(int32_t id) {
  const uint32_t mixed = ((uint32_t)id * 2654435761u) >> 16;
  const double share = (double)(mixed & 1023u) / 1023.0;
  return tl_colour_lch(0.70 + 0.12 * share, 0.075 + 0.02 * share, 0.175 + 0.03 * share);
}

static tl_colour colour_of(const tl_frame *frame, tl_field field, int32_t k, double share) {
  if (frame->type[k] == TALUS_BODY_LINK) { /* a machine's yellow */
    return tl_colour_lch(0.80, 0.16, 0.22);
  }
  if (frame->type[k] == TALUS_BODY_KINEMATIC) { /* the blue of render_shade.c */
    return tl_colour_lch(0.70, 0.075, 0.69);
  }
  if (frame->type[k] != TALUS_BODY_FREE) {
    return tl_colour_lch(0.66, 0.01, 0.7);
  }
  switch (field) {
  case TL_FIELD_PLAIN:
    return sand(frame->id[k]);
  case TL_FIELD_ID:
    return tl_colour_kind(frame->id[k] + 6);
  case TL_FIELD_MATERIAL:
    return tl_colour_kind(frame->material[k]);
  default: /* nan: outside of what was measured */
    return isfinite(share) ? tl_colour_map(share) : tl_colour_lch(0.88, 0.0, 0.0);
  }
}

talus_status tl_field_colours(talus_context *context, const tl_frame *frame, tl_field field,
                              double *low, double *high, tl_colour *colour, int32_t *map) {
  void *memory;
  *map = is_number(field);
  if (*map && !(*low < *high)) {
    TL_TRY(tl_render_range(context, &frame, 1, field, low, high));
  }
  TL_TRY(tl_alloc(context, &memory, (size_t)frame->body_count, sizeof(double), "picture"));
  double *value = memory;
  const talus_status status = *map ? field_values(context, frame, field, value) : TALUS_OK;
  for (int32_t k = 0; status == TALUS_OK && k < frame->body_count; k++) {
    const double share = *map ? (value[k] - *low) / (*high - *low) : 0.0;
    colour[k] = colour_of(frame, field, k, share);
  }
  tl_free(context, memory);
  return status;
}
