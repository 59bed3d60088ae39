/* cohesion.c: forces that pull bodies together: pull-off of touching bodies, liquid bridges.
 *
 * A pair of shapes that touches pulls with F0; a liquid bridge, which forms when a wet pair
 * touches, goes on pulling with F(gap) until it ruptures. In a step of dt the pull is the impulse a
 * = F dt. The contact law holds for what is left beyond it, x' = x + a n:
 *   K* ) u (+ friction |u_t| n)   _|_   x' = x + a n ( K,      u = W x' + (q - W a n),
 * so that a contact carries tension up to a, and friction up to friction (x_n + a). That is the
 * same problem with another q: bodies are given -a n before the solve, and what the solve returns
 * is x'.
 *
 * Forces, with 1/R = 1/r_a + 1/r_b and r the radius of the largest ball inside a shape:
 *   pull_off         a given force, N
 *   surface_energy   g J/m2 per surface, work of adhesion w = 2 sqrt(g_a g_b);
 *                    JKR: 3/2 pi w R (Johnson, Kendall, Roberts 1971), DMT: 2 pi w R (1975)
 *   liquid bridge    4 pi R s cos(t) / (1 + 1.05 d + 2.5 d^2), d = gap sqrt(2 R / V), up to
 *                    gap = (1 + t/2) (V^(1/3) + 0.1 V^(2/3) / (2 R))   (Willett et al. 2000)
 *                    for surface tension s, contact angle t and volume V
 *
 * A pair that touches at several points shares its force among them. Whether a bridge is there
 * needs no memory of its own: an open contact with an impulse has one. */
#include <math.h>
#include <string.h>

#include "host/math/trigonometry.h"
#include "host/world/links.h"

static const double PI = 3.14159265358979323846;

/* What two shapes do to each other. */
typedef struct cohesion {
  double pull_off; /* N, while they touch */
  double bridge;   /* N, of a liquid bridge at gap 0 */
  double stretch;  /* 1/m: gap times this is d above */
  double rupture;  /* m */
} cohesion;

static double larger(double a, double b) {
  return a > b ? a : b;
}

/* By Newton's method from above, so that the bits are the same everywhere. */
static double cube_root(double x) {
  int exponent;
  if (!(x > 0)) {
    return 0;
  }
  frexp(x, &exponent);
  double root = ldexp(1, exponent / 3 + 1), last;
  do {
    last = root;
    root = (2 * last + x / (last * last)) / 3;
  } while (root < last);
  return last;
}

static double rupture_gap(double volume, double angle, double radius) {
  const double edge = cube_root(volume);
  return (1 + 0.5 * angle) * (edge + 0.1 * edge * edge / radius);
}

double tl_cohesion_reach(const talus_world *world, double size) {
  return world->cohesion_volume > 0
             ? 0.5 * rupture_gap(world->cohesion_volume, world->cohesion_angle, size)
             : 0;
}

static cohesion pair_cohesion(const talus_world *world, const tl_shape_slot *a,
                              const tl_shape_slot *b) {
  const talus_material_def *const p = &world->material[a->material];
  const talus_material_def *const q = &world->material[b->material];
  const double radius = 1 / (1 / a->size + 1 / b->size); /* of the softer curve: INFINITY is flat */
  const double work = 2 * sqrt(p->surface_energy * q->surface_energy);
  const bool dmt = p->adhesion == TALUS_ADHESION_DMT && q->adhesion == TALUS_ADHESION_DMT;
  cohesion c = {.pull_off = p->pull_off < q->pull_off ? p->pull_off : q->pull_off};
  c.pull_off += isfinite(radius) ? (dmt ? 2 : 1.5) * PI * work * radius : 0;
  const double volume = larger(p->bridge_volume, q->bridge_volume);
  const double tension = larger(p->surface_tension, q->surface_tension);
  if (volume > 0 && tension > 0 && isfinite(radius)) {
    const double angle = larger(p->contact_angle, q->contact_angle);
    double sine, cosine;
    tl_sine_cosine(angle, &sine, &cosine);
    c.bridge = 4 * PI * radius * tension * cosine;
    c.stretch = sqrt(2 * radius / volume);
    c.rupture = rupture_gap(volume, angle, 2 * radius);
  }
  return c;
}

static double bridge_force(const cohesion *c, double gap) {
  const double d = (gap > 0 ? gap : 0) * c->stretch;
  return gap < c->rupture ? c->bridge / (1 + 1.05 * d + 2.5 * d * d) : 0;
}

bool tl_cohesion_bridged(const tl_contact_shown *old, const double x[3], double slop) {
  return old->gap <= slop || x[0] != 0 || x[1] != 0 || x[2] != 0;
}

/* The force of one pair, on the contacts `first` to `end`. */
static void pair_pull(const talus_world *world, int32_t first, int32_t end) {
  const tl_world_contact *const contact = world->contact;
  tl_contact_extra *const extra = world->extra;
  const cohesion c = pair_cohesion(world, &world->shape[contact[first].shape_a],
                                   &world->shape[contact[first].shape_b]);
  int32_t touching = 0, nearest = first;
  bool bridged = false;
  for (int32_t k = first; k < end; k++) {
    touching += contact[k].shown.gap <= tl_contact_slop(world, k);
    nearest = contact[k].shown.gap < contact[nearest].shown.gap ? k : nearest;
    bridged |= contact[k].bridged;
    extra[k].attraction = 0;
  }
  if (touching == 0) {
    extra[nearest].attraction = bridged ? bridge_force(&c, contact[nearest].shown.gap) : 0;
    return;
  }
  for (int32_t k = first; k < end; k++) {
    if (contact[k].shown.gap <= tl_contact_slop(world, k)) {
      extra[k].attraction = (c.pull_off + bridge_force(&c, 0)) / touching;
    }
  }
}

void tl_cohesion_find(talus_world *world) {
  const tl_world_contact *const contact = world->contact;
  int32_t end;
  for (int32_t first = 0; first < world->contact_count; first = end) {
    const tl_world_contact *const one = &contact[first];
    for (end = first + 1; end < world->contact_count && contact[end].shape_a == one->shape_a &&
                          contact[end].shape_b == one->shape_b;) {
      end++;
    }
    pair_pull(world, first, end);
  }
}

/* ---- around a solve -------------------------------------------------------------------------- */

/* Adds a n, times the sign, to the impulses of contacts that pull. */
static void impulses_shift(const talus_world *world, const tl_step_arrays *a, double dt, int sign) {
  for (int32_t k = 0; k < world->contact_count; k++) {
    const double *const normal = world->normal + 3 * (int64_t)k;
    for (int c = 0; c < 3; c++) {
      a->impulse[3 * (int64_t)k + c] += sign * dt * world->extra[k].attraction * normal[c];
    }
  }
}

talus_status tl_cohesion_begin(talus_world *world, double dt, const tl_step_arrays *a,
                               talus_problem *problem) {
  if (!world->cohesive) {
    return TALUS_OK;
  }
  const size_t size = tl_velocity_size(world);
  TL_TRY(tl_buffer_reserve(world->context, &world->cohesion_memory, size, sizeof(double),
                           "velocities"));
  double *const velocity = world->cohesion_memory.memory;
  memcpy(velocity, problem->rigid.velocity, size * sizeof *velocity);
  TL_TRY(tl_push_begin(world));
  for (int32_t k = 0; k < world->contact_count; k++) {
    if (world->extra[k].attraction > 0) {
      tl_push(world, a, k, -dt * world->extra[k].attraction, velocity);
    }
  }
  TL_TRY(tl_push_end(world, velocity));
  impulses_shift(world, a, dt, 1);
  problem->rigid.velocity = velocity;
  return TALUS_OK;
}

void tl_cohesion_end(const talus_world *world, double dt, const tl_step_arrays *a) {
  if (world->cohesive) {
    impulses_shift(world, a, dt, -1);
  }
}
