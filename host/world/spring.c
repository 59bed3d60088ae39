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

#include "host/base/each.h"
#include "host/world/cell.h"

/* ALPHA: share of C in W that softness AUTO aims at for the typical grain. PRESSURES: E is at least
 * so many times the pressure at the bottom. */
static const double ALPHA = 5e-3, PRESSURES = 1e3;

static tl_spring_material material_of(const talus_world *world, int32_t shape) {
  const talus_material_def *const material = &world->material[world->shape[shape].material];
  return (tl_spring_material){.stiffness = material->stiffness,
                              .young = material->young,
                              .poisson = material->poisson,
                              .rigid = material->rigid};
}

tl_contact_rule tl_contact_rule_of(const talus_world *world, double dt) {
  return (tl_contact_rule){.dt = dt,
                           .gravity = tl_norm3(world->def.gravity),
                           .size = world->size,
                           .slop = world->def.slop,
                           .restitution_speed = tl_cell_restitution_speed(world),
                           .bias_cap = world->def.bias_cap,
                           .modulus = world->modulus,
                           .newton = world->def.restitution == TALUS_RESTITUTION_NEWTON,
                           .by_bias = world->def.stabilisation == TALUS_STABILISE_BIAS,
                           .soft = world->soft};
}

void tl_bias_set(const talus_world *world, const tl_contact_rule *rule, int64_t k) {
  const tl_world_contact *const contact = &world->contact[k];
  tl_contact_terms *const terms = &world->terms[k];
  tl_bias_query query = {.gap = contact->shown.gap,
                         .slop = tl_contact_slop(world, k),
                         .approach = terms->approach,
                         .restitution = terms->restitution};
  tl_spring_material a = {0}, b = {0};
  if (rule->soft) { /* rigid contacts need not look at bodies and shapes */
    query.load = tl_dot3(world->normal + 3 * k, world->impulse + 3 * k);
    query.weight =
        world->body[contact->body_a].inverse_mass + world->body[contact->body_b].inverse_mass;
    query.size_a = world->shape[contact->shape_a].size;
    query.size_b = world->shape[contact->shape_b].size;
    a = material_of(world, contact->shape_a);
    b = material_of(world, contact->shape_b);
  }
  const tl_bias bias = tl_bias_find(rule, &query, &a, &b);
  terms->bias = bias.bias;
  if (rule->soft) {
    tl_contact_extra *const extra = &world->extra[k];
    extra->stiffness = bias.stiffness;
    memcpy(extra->compliance, bias.compliance, sizeof bias.compliance);
    if (!(bias.stiffness > 0)) {
      memset(extra->hold, 0, sizeof extra->hold);
    }
  }
}

typedef struct keep_task {
  const talus_world *world;
  double dt;
} keep_task;

static void springs_part(void *arguments, int64_t first, int64_t end) {
  const keep_task *const t = arguments;
  for (int64_t k = first; k < end; k++) {
    tl_contact_extra *const extra = &t->world->extra[k];
    tl_spring_force(t->world->normal + 3 * k, t->world->impulse + 3 * k, extra->stiffness, t->dt,
                    extra->hold);
  }
}

void tl_spring_keep(talus_world *world, double dt) {
  keep_task task = {world, dt};
  if (world->soft) {
    tl_each(world->context, tl_threads_for(world->context, world->contact_count),
            world->contact_count, springs_part, &task);
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
  const double mass = c.mass / c.count, volume = 4 * TL_PI / 3 * radius * radius * radius;
  const double pressure = mass / volume * gravity * (c.highest - c.lowest + 2 * radius);
  world->modulus = fmax(mass / (ALPHA * dt * dt * radius), PRESSURES * pressure);
}

talus_status talus_world_softness(talus_world *world, double *modulus, double *overlap) {
  if (world == NULL || modulus == NULL || overlap == NULL) {
    return tl_fail(world != NULL ? world->context : NULL, TALUS_INVALID_ARGUMENT,
                   "talus_world_softness: an argument is NULL");
  }
  TL_TRY(tl_world_read(world));
  TL_TRY(tl_bodies_whole(world));
  tl_spring_choose(world);
  const double gravity = sqrt(tl_dot3(world->def.gravity, world->def.gravity));
  const crowd c = crowd_find(world, gravity);
  *modulus = world->modulus;
  *overlap = world->modulus > 0 && c.count > 0
                 ? c.mass / c.count * gravity / (world->modulus * 0.5 * world->size * world->size)
                 : 0;
  return TALUS_OK;
}
