/* spring.c: contacts that give way: a spring along the normal on the true gap, one across it with
 * memory, both taken implicitly, as compliance of the step's problem (talus_solve.h).
 *
 * With stiffness k, step dt and C_n = 1/(k dt^2) the law u_n + gap/dt + C_n x_n >= 0 _|_ x_n >= 0
 * is the spring x_n = -k dt (gap + dt u_n), and u_t + C_t (x_t - dt h) = 0 the spring
 * x_t/dt = h - k_t dt u_t with the force h of the step before, cut at the friction cone.
 *
 *   stiffness      linear: k as given; a pair takes the smaller
 *   young, poisson Hertz: F = 4/3 E* sqrt(R) d^(3/2), linearised about the overlap d that the step
 *                  is likely to end with: k = 2 E* sqrt(R d) on the gap + d/3; Mindlin across
 *   softness AUTO  linear: k = E R, with one E for the world: by sizes, so that heavy bodies do not
 *                  sink into light grains
 * 1/R = 1/r_a + 1/r_b, r the radius of the largest ball inside a shape. Where the spring is too
 * stiff for the step to resolve an impact, alpha = 1/(k w dt^2) < 1 with w = 1/m_a + 1/m_b,
 * restitution is the impulse law, the contact being rigid along its normal in that step, and
 * overlaps leave at a limited speed; else it is a damper: implicit steps damp by k dt, and what
 * lacks of c = 2 zeta sqrt(k/w) is added as d = c/k - dt. A pair parts when its force is 0, before
 * the overlap is: -ln e = tan(f) (pi - 2 f), zeta = sin f (Schwager and Poeschel 2007); restitution
 * below exp(-2) = 0.135 is critical damping. */
#include <math.h>
#include <string.h>

#include "host/math/trigonometry.h"
#include "host/world/world.h"

/* ALPHA: share of C in W that softness AUTO aims at for the typical grain. PRESSURES: E is at least
 * so many times the pressure at the bottom. ACROSS: k_t / k_n, at which C has the same share of W
 * along and across the normal of two spheres. */
static const double ALPHA = 2e-2, PRESSURES = 1e3, ACROSS = 2.0 / 7, PI = 3.14159265358979323846;

/* Stiffness along and across the normal, and what is added to the gap. */
typedef struct spring {
  double normal, tangential, offset;
} spring;

static double smaller_given(double a, double b) {
  return a > 0 && (!(b > 0) || a < b) ? a : b;
}

static double reduced_radius(const talus_world *world, const tl_world_contact *contact) {
  const double r =
      1 / (1 / world->shape[contact->shape_a].size + 1 / world->shape[contact->shape_b].size);
  return isfinite(r) ? r : world->size;
}

/* Hertz and Mindlin; a material without `young` is rigid. depth: where it is linearised. */
static spring hertz(const talus_material_def *p, const talus_material_def *q, double radius,
                    double depth) {
  const talus_material_def *const side[2] = {p, q};
  double along = 0, across = 0;
  for (int i = 0; i < 2; i++) {
    if (side[i]->young > 0) {
      const double nu = side[i]->poisson, shear = side[i]->young / (2 * (1 + nu));
      along += (1 - nu * nu) / side[i]->young;
      across += (2 - nu) / shear;
    }
  }
  const double root = sqrt(radius * depth);
  return (spring){2 * root / along, 8 * root / across, depth / 3};
}

/* The overlap that the step is likely to end with; never 0, or Hertz's law would have no stiffness.
 */
static double depth_ahead(const talus_world *world, const tl_world_contact *contact, double dt) {
  const double *const g = world->def.gravity;
  const double now = -contact->shown.gap, next = now - dt * contact->approach;
  const double least = 1e-3 * dt * dt * sqrt(tl_dot3(g, g)) + 1e-12 * contact->slop;
  return fmax(fmax(now, next), fmax(least, 1e-12 * world->size));
}

static spring spring_of(const talus_world *world, const tl_world_contact *contact, double dt) {
  const talus_material_def *const p = &world->material[world->shape[contact->shape_a].material];
  const talus_material_def *const q = &world->material[world->shape[contact->shape_b].material];
  const double linear = smaller_given(p->stiffness, q->stiffness);
  const double radius = reduced_radius(world, contact);
  if (linear > 0) {
    return (spring){linear, ACROSS * linear, 0};
  }
  if (p->young > 0 || q->young > 0) {
    return hertz(p, q, radius, depth_ahead(world, contact, dt));
  }
  const double k = world->modulus * radius;
  return (spring){k, ACROSS * k, 0};
}

/* ln x for 0 < x <= 1, by + - * / alone: the same bits everywhere. */
static double logarithm(double x) {
  int exponent;
  const double m = frexp(x, &exponent), s = (m - 1) / (m + 1), square = s * s;
  double sum = 0;
  for (int i = 41; i > 0; i -= 2) {
    sum = sum * square + 1.0 / i;
  }
  return 2 * s * sum + exponent * 0.69314718055994530942;
}

/* The damping ratio of restitution e. The left side below is concave: Newton's method rises. */
static double damping_ratio(double e) {
  const double least = 0.15; /* near exp(-2) the curve is flat: critical from here on */
  if (e < least) {
    return 1;
  }
  const double wanted = -logarithm(e);
  double f = wanted / PI, sine = 0, cosine = 1;
  for (int i = 0; i < 12; i++) {
    tl_sine_cosine(f, &sine, &cosine);
    const double rest = PI - 2 * f, tangent = sine / cosine;
    const double slope = rest / (cosine * cosine) - 2 * tangent;
    f += (wanted - tangent * rest) / slope;
  }
  tl_sine_cosine(f, &sine, &cosine);
  return sine;
}

/* What lacks of the damper of restitution e, as a time. */
static double damper_of(double e, double k, double w, double dt) {
  return fmax(0, 2 * damping_ratio(e) / sqrt(k * w) - dt);
}

static double inverse_mass_of(const talus_world *world, int32_t body) {
  return world->body[body].inverse_mass;
}

/* Along the normal. */
static void normal_set(const talus_world *world, tl_world_contact *contact, double dt,
                       const spring *s) {
  const double w =
      inverse_mass_of(world, contact->body_a) + inverse_mass_of(world, contact->body_b);
  const double gap = contact->shown.gap + s->offset, k = s->normal;
  const bool stiff = k * w * dt * dt > 1;
  const bool impact = stiff && contact->restitution > 0 &&
                      contact->approach < -world->def.restitution_speed &&
                      contact->shown.gap + dt * contact->approach <= 0;
  if (impact) { /* Poisson's compression is plastic */
    const bool newton = world->def.restitution == TALUS_RESTITUTION_NEWTON;
    contact->compliance[0] = 0;
    contact->bias = newton ? contact->restitution * contact->approach : 0;
    return;
  }
  const double lag = dt + (stiff || gap > 0 ? 0 : damper_of(contact->restitution, k, w, dt));
  contact->compliance[0] = 1 / (k * dt * lag);
  contact->bias = gap / lag;
  if (stiff) { /* what the load explains is no overlap to be undone */
    const double load = tl_dot3(contact->shown.normal, contact->shown.impulse);
    const double fastest = fmax(world->def.bias_cap, 2 * contact->compliance[0] * load);
    contact->bias = fmax(contact->bias, -fastest);
  }
}

void tl_spring_set(const talus_world *world, tl_world_contact *contact, double dt) {
  const spring s = spring_of(world, contact, dt);
  contact->stiffness = s.normal;
  contact->compliance[0] = contact->compliance[1] = 0;
  if (!(s.normal > 0)) {
    memset(contact->hold, 0, sizeof contact->hold);
    return;
  }
  contact->compliance[1] = 1 / (s.tangential * dt * dt);
  normal_set(world, contact, dt, &s);
}

void tl_spring_hold(const tl_world_contact *old, tl_world_contact *contact) {
  const double *const n = contact->shown.normal;
  memset(contact->hold, 0, sizeof contact->hold);
  if (old == NULL) {
    return;
  }
  const double along = tl_dot3(n, old->hold), before = tl_dot3(old->hold, old->hold);
  double turned[3];
  for (int c = 0; c < 3; c++) {
    turned[c] = old->hold[c] - along * n[c];
  }
  const double after = tl_dot3(turned, turned);
  for (int c = 0; c < 3 && after > 0; c++) {
    contact->hold[c] = turned[c] * sqrt(before / after);
  }
}

void tl_spring_keep(talus_world *world, double dt) {
  for (int32_t k = 0; k < world->contact_count && world->soft; k++) {
    tl_world_contact *const contact = &world->contact[k];
    const double *const n = contact->shown.normal, *const x = contact->shown.impulse;
    const double along = tl_dot3(n, x);
    for (int c = 0; c < 3; c++) {
      contact->hold[c] = contact->stiffness > 0 ? (x[c] - along * n[c]) / dt : 0;
    }
  }
}

/* ---- softness AUTO --------------------------------------------------------------------------- */

/* Free bodies: number, mass, and how far they reach along gravity. */
typedef struct crowd {
  int32_t count;
  double mass, lowest, highest;
} crowd;

static crowd crowd_find(const talus_world *world, double gravity) {
  const double *const g = world->def.gravity;
  crowd c = {.lowest = INFINITY, .highest = -INFINITY};
  for (int32_t i = 0; i < world->body_count; i++) {
    const tl_body *const body = &world->body[i];
    if (body->exists && body->type == TALUS_BODY_FREE && body->inverse_mass > 0) {
      const double height = gravity > 0 ? tl_dot3(g, body->position) / gravity : 0;
      c.count++;
      c.mass += 1 / body->inverse_mass;
      c.lowest = fmin(c.lowest, height);
      c.highest = fmax(c.highest, height);
    }
  }
  return c;
}

void tl_spring_choose(talus_world *world) {
  const double gravity = sqrt(tl_dot3(world->def.gravity, world->def.gravity));
  if (world->def.softness != TALUS_SOFTNESS_AUTO || world->modulus > 0) {
    return;
  }
  const crowd c = crowd_find(world, gravity);
  const double radius = world->size, dt = world->def.step / world->def.substeps;
  if (c.count == 0 || !(radius > 0)) {
    return;
  }
  const double mass = c.mass / c.count, volume = 4 * PI / 3 * radius * radius * radius;
  const double pressure = mass / volume * gravity * (c.highest - c.lowest + 2 * radius);
  world->modulus = fmax(mass / (ALPHA * dt * dt * radius), PRESSURES * pressure);
}

talus_status talus_world_softness(talus_world *world, double *modulus, double *overlap) {
  if (world == NULL || modulus == NULL || overlap == NULL) {
    return tl_fail(world != NULL ? world->context : NULL, TALUS_INVALID_ARGUMENT,
                   "talus_world_softness: an argument is NULL");
  }
  tl_spring_choose(world);
  const double gravity = sqrt(tl_dot3(world->def.gravity, world->def.gravity));
  const crowd c = crowd_find(world, gravity);
  *modulus = world->modulus;
  *overlap = world->modulus > 0 && c.count > 0
                 ? c.mass / c.count * gravity / (world->modulus * 0.5 * world->size * world->size)
                 : 0;
  return TALUS_OK;
}
