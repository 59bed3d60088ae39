/* bias.h: what the law of one contact aims at: its bias, and where it gives way its compliance.
 *
 * A rigid contact: nothing within the slop; an open gap may close; an impact rebounds. One that
 * gives way is a spring; host/world/spring.c has the equations. */
#ifndef TL_ITEM_BIAS_H
#define TL_ITEM_BIAS_H

#include "kernels/data/contact_rule.h"
#include "kernels/item/sine.h"

/* What is known of a contact. */
typedef struct tl_bias_query {
  double gap, slop; /* m */
  double approach;  /* m/s: u_n before the step */
  double restitution;
  double load;           /* N s: normal impulse of the step before */
  double weight;         /* 1/kg: 1/m_a + 1/m_b */
  double size_a, size_b; /* m: radii of the largest balls inside */
} tl_bias_query;

typedef struct tl_bias {
  double bias;          /* m/s */
  double stiffness;     /* N/m; 0: rigid */
  double compliance[2]; /* along and across the normal, (m/s)/(N s) */
} tl_bias;

/* Whether the contact closes in the step faster than impacts do; an open gap counts up to `reach`.
 */
TL_ITEM int tl_bias_impact(const tl_contact_rule *rule, const tl_bias_query *q, double reach) {
  return q->restitution > 0 && q->approach < -rule->restitution_speed &&
         q->gap + rule->dt * q->approach <= reach;
}

/* Poisson's compression is plastic. */
TL_ITEM double tl_bias_rebound(const tl_contact_rule *rule, const tl_bias_query *q) {
  return rule->newton ? q->restitution * q->approach : 0;
}

TL_ITEM double tl_bias_rigid(const tl_contact_rule *rule, const tl_bias_query *q) {
  if (tl_bias_impact(rule, q, q->slop)) {
    return tl_bias_rebound(rule, q);
  }
  if (rule->by_bias) {
    return q->gap >= 0 ? q->gap / rule->dt : fmax(q->gap / rule->dt, -rule->bias_cap);
  }
  return q->gap > q->slop ? (q->gap - q->slop) / rule->dt : 0;
}

/* ---- projection of positions ---------------------------------------------------------------- */

/* The gap at the end of the step, as the velocities after it say. */
TL_ITEM double tl_gap_after(double gap, double dt, double departure) {
  return gap + dt * departure;
}

/* Whether the contact is deeper than half a slop beyond the slop; a spring has its overlap. */
TL_ITEM int tl_push_needed(double gap_after, double slop, double stiffness) {
  return !(stiffness > 0) && gap_after < -1.5 * slop;
}

/* The length that the projection's law starts from: a spring's overlap must not grow by it. */
TL_ITEM double tl_push_bias(double gap_after, double slop, double stiffness) {
  const double open = gap_after > 0 ? gap_after : 0;
  return stiffness > 0 ? open : gap_after + 0.5 * slop;
}

/* ---- springs --------------------------------------------------------------------------------- */

/* k_t / k_n, at which C has the same share of W along and across the normal of two spheres. */
#define TL_SPRING_ACROSS (2.0 / 7)

/* Stiffness along and across the normal, what is added to the gap, and the share of a linear
 * spring's damping that gives the same restitution. */
typedef struct tl_spring {
  double normal, tangential, offset, damping;
} tl_spring;

TL_ITEM tl_spring tl_spring_make(double normal, double tangential, double offset, double damping) {
  tl_spring s;
  s.normal = normal;
  s.tangential = tangential;
  s.offset = offset;
  s.damping = damping;
  return s;
}

/* In x^(5/4) and a time that runs with x^(1/4) an impact by Hertz's law with a damper that follows
 * the tangent's root is that of a linear spring (Antypov and Elliott 2011), at sqrt(5/6) of the
 * damping that the tangent would suggest. */
#define TL_SPRING_HERTZ_DAMPING 0.91287092917527685576

/* Hertz and Mindlin; a material without `young` is rigid. depth: where it is linearised. */
TL_ITEM tl_spring tl_spring_hertz(const tl_spring_material *p, const tl_spring_material *q,
                                  double radius, double depth) {
  double along = 0, across = 0;
  for (int i = 0; i < 2; i++) {
    const tl_spring_material *const side = i == 0 ? p : q;
    if (side->young > 0) {
      const double nu = side->poisson, shear = side->young / (2 * (1 + nu));
      along += (1 - nu * nu) / side->young;
      across += (2 - nu) / shear;
    }
  }
  const double root = sqrt(radius * depth);
  return tl_spring_make(2 * root / along, 8 * root / across, depth / 3, TL_SPRING_HERTZ_DAMPING);
}

/* The overlap that the step is likely to end with; never 0, or Hertz's law would have no stiffness.
 */
TL_ITEM double tl_spring_depth(const tl_contact_rule *rule, const tl_bias_query *q) {
  const double now = -q->gap, next = now - rule->dt * q->approach;
  const double least = 1e-3 * rule->dt * rule->dt * rule->gravity + 1e-12 * q->slop;
  return fmax(fmax(now, next), fmax(least, 1e-12 * rule->size));
}

TL_ITEM tl_spring tl_spring_find(const tl_contact_rule *rule, const tl_bias_query *query,
                                 const tl_spring_material *p, const tl_spring_material *q) {
  const double both = 1 / (1 / query->size_a + 1 / query->size_b);
  const double radius = isfinite(both) ? both : rule->size;
  const double a = p->stiffness, b = q->stiffness;
  const double linear = a > 0 && (!(b > 0) || a < b) ? a : b; /* the smaller that is given */
  if (linear > 0) {
    return tl_spring_make(linear, TL_SPRING_ACROSS * linear, 0, 1);
  }
  if (p->young > 0 || q->young > 0) {
    return tl_spring_hertz(p, q, radius, tl_spring_depth(rule, query));
  }
  const double k = p->rigid && q->rigid ? 0 : rule->modulus * radius;
  return tl_spring_make(k, TL_SPRING_ACROSS * k, 0, 1);
}

/* ln x for 0 < x <= 1, by + - * / alone: the same bits everywhere. */
TL_ITEM double tl_logarithm(double x) {
  int exponent;
  const double m = frexp(x, &exponent), s = (m - 1) / (m + 1), square = s * s;
  double sum = 0;
  for (int i = 41; i > 0; i -= 2) {
    sum = sum * square + 1.0 / i;
  }
  return 2 * s * sum + exponent * 0.69314718055994530942;
}

/* The damping ratio of restitution e. The left side below is concave: Newton's method rises. */
TL_ITEM double tl_damping_ratio(double e) {
  const double least = 0.15; /* near exp(-2) the curve is flat: critical from here on */
  if (e < least) {
    return 1;
  }
  const double wanted = -tl_logarithm(e);
  double f = wanted / TL_PI, sine = 0, cosine = 1;
  for (int i = 0; i < 12; i++) {
    tl_sine_cosine(f, &sine, &cosine);
    const double rest = TL_PI - 2 * f, tangent = sine / cosine;
    const double slope = rest / (cosine * cosine) - 2 * tangent;
    f += (wanted - tangent * rest) / slope;
  }
  tl_sine_cosine(f, &sine, &cosine);
  return sine;
}

/* What lacks of the damper of restitution e, as a time. */
TL_ITEM double tl_damper(double e, const tl_spring *s, double w, double dt) {
  return fmax(0.0, 2 * s->damping * tl_damping_ratio(e) / sqrt(s->normal * w) - dt);
}

/* Along the normal. */
TL_ITEM void tl_spring_normal(const tl_contact_rule *rule, const tl_bias_query *q,
                              const tl_spring *s, tl_bias *bias) {
  const double gap = q->gap + s->offset, k = s->normal, w = q->weight, dt = rule->dt;
  const int stiff = k * w * dt * dt > 1;
  if (stiff && tl_bias_impact(rule, q, 0)) {
    bias->compliance[0] = 0;
    bias->bias = tl_bias_rebound(rule, q);
    return;
  }
  const double lag = dt + (stiff || gap > 0 ? 0 : tl_damper(q->restitution, s, w, dt));
  bias->compliance[0] = 1 / (k * dt * lag);
  bias->bias = gap / lag;
  if (stiff) { /* what the load explains is no overlap to be undone */
    const double fastest = fmax(rule->bias_cap, 2 * bias->compliance[0] * q->load);
    bias->bias = fmax(bias->bias, -fastest);
  }
}

/* The bias of a rigid contact, or that of a spring with its compliance. */
TL_ITEM tl_bias tl_bias_find(const tl_contact_rule *rule, const tl_bias_query *q,
                             const tl_spring_material *material_a,
                             const tl_spring_material *material_b) {
  tl_bias bias;
  bias.bias = tl_bias_rigid(rule, q);
  bias.stiffness = bias.compliance[0] = bias.compliance[1] = 0;
  if (rule->soft) {
    const tl_spring s = tl_spring_find(rule, q, material_a, material_b);
    bias.stiffness = s.normal;
    if (s.normal > 0) {
      bias.compliance[1] = 1 / (s.tangential * rule->dt * rule->dt);
      tl_spring_normal(rule, q, &s, &bias);
    }
  }
  return bias;
}

/* The tangential spring's force from the step before, turned with the normal. */
TL_ITEM void tl_spring_turn(const double normal[3], const double old[3], double hold[3]) {
  const double along = tl_dot3(normal, old), before = tl_dot3(old, old);
  double turned[3];
  for (int c = 0; c < 3; c++) {
    turned[c] = old[c] - along * normal[c];
  }
  const double after = tl_dot3(turned, turned);
  for (int c = 0; c < 3; c++) {
    hold[c] = after > 0 ? turned[c] * sqrt(before / after) : 0;
  }
}

/* The tangential spring's force after a (sub-)step. */
TL_ITEM void tl_spring_force(const double normal[3], const double impulse[3], double stiffness,
                             double dt, double hold[3]) {
  const double along = tl_dot3(normal, impulse);
  for (int c = 0; c < 3; c++) {
    hold[c] = stiffness > 0 ? (impulse[c] - along * normal[c]) / dt : 0;
  }
}

#endif
