/* render_shade.c: the colour of what a ray meets; see render_stage.h. */
#include "host/view/render_stage.h"

/* Walls are grey; what moves by itself is blue, so that the two are not confused. */
static const float wall_colour[3] = {0.68f, 0.71f, 0.76f};
static const float mover_colour[3] = {0.22f, 0.38f, 0.58f};
static const float veil_colour[3] = {0.58f, 0.65f, 0.73f};

/* Light squares along the ground, a tenth of what is seen wide. */
static float checker(const tl_stage *stage, const tl_hit *hit) {
  const float edge = 0.06f;
  const float x = floorf((hit->point[0] - stage->low[0]) / edge);
  const float y = floorf((hit->point[1] - stage->low[1]) / edge);
  const int odd = ((int)x + (int)y) & 1;
  const float away = hit->point[0] * hit->point[0] + hit->point[1] * hit->point[1];
  return 1.0f - (odd ? 0.10f : 0.02f) * expf(-2.0f * away);
}

/* The page itself, darker where sun or sky are hidden. */
static void shade_ground(const tl_stage *stage, const tl_hit *hit, float sun, float sky,
                         float colour[3]) {
  const float tone = stage->checker ? checker(stage, hit) : 1.0f;
  const float light = tone * (0.52f * sun + 0.48f * sky);
  colour[0] = light;
  colour[1] = light + 0.012f * (tone - light); /* shadows are a little blue */
  colour[2] = light + 0.035f * (tone - light);
}

static void shade_solid(const tl_stage *stage, const tl_ray *ray, const tl_hit *hit,
                        const float base[3], float sun, float sky, float shine, float colour[3]) {
  const float *n = hit->normal;
  const float lit = fmaxf(0.0f, tl_dotf(n, stage->light)) * sun;
  const float upward = 0.5f + 0.5f * tl_dotf(n, stage->sky);
  const float facing = fmaxf(0.0f, -tl_dotf(n, ray->direction));
  float half[3];
  for (int i = 0; i < 3; i++) {
    half[i] = stage->light[i] - ray->direction[i];
  }
  tl_unitf(half);
  const float gleam = fmaxf(0.0f, tl_dotf(n, half));
  const float gleam8 = gleam * gleam * gleam * gleam * gleam * gleam * gleam * gleam;
  const float highlight = shine * sun * gleam8 * gleam8 * gleam8 * gleam8;
  const float ambient = sky * (0.20f + 0.24f * upward + 0.12f * facing);
  for (int i = 0; i < 3; i++) {
    colour[i] = base[i] * (0.80f * lit + ambient) + highlight;
  }
  colour[2] += 0.02f * base[2] * ambient;
}

void tl_stage_light(const tl_stage *stage, const tl_hit *hit, float *sun, float *sky) {
  const int32_t sphere = hit->kind == TL_HIT_SPHERE ? hit->index : -1;
  if (hit->kind == TL_HIT_NOTHING) {
    return;
  }
  if (*sun > 0.0f && tl_dotf(hit->normal, stage->light) > 0.0f) {
    *sun *= tl_stage_sun(stage, hit->point, sphere);
  }
  *sky *= tl_stage_sky(stage, hit->point, hit->normal, sphere);
}

void tl_stage_colour(const tl_stage *stage, const tl_ray *ray, const tl_hit *hit, float sun,
                     float sky, float colour[3]) {
  static const float pale[3] = {0.86f, 0.88f, 0.91f}, pale_mover[3] = {0.62f, 0.74f, 0.88f};
  if (hit->kind == TL_HIT_NOTHING) {
    colour[0] = colour[1] = colour[2] = 1.0f;
  } else if (hit->kind == TL_HIT_PLANE && stage->plane[hit->index].ground) {
    shade_ground(stage, hit, sun, sky, colour);
  } else if (hit->kind == TL_HIT_PLANE) {
    shade_solid(stage, ray, hit, stage->plane[hit->index].moves ? pale_mover : pale, sun, sky, 0.0f,
                colour);
  } else if (hit->kind == TL_HIT_SPHERE) {
    const size_t body = (size_t)stage->sphere_body[hit->index];
    shade_solid(stage, ray, hit, stage->colour + 3 * body, sun, sky, 0.16f, colour);
  } else {
    const tl_stage_shape *shape = &stage->shape[hit->index];
    const float *base = shape->moves  ? mover_colour
                        : shape->wall ? wall_colour
                                      : stage->colour + 3 * (size_t)shape->body;
    shade_solid(stage, ray, hit, base, sun, sky, shape->wall ? 0.0f : 0.06f, colour);
  }
  for (int i = 0; i < 3; i++) {
    colour[i] += hit->veil * (veil_colour[i] - colour[i]);
  }
}
