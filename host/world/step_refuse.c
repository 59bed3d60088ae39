/* step_refuse.c: the reason why a step failed, in words. */
#include <math.h>
#include <stdio.h>

#include "host/world/step.h"

static double speed_of(const tl_body *body) {
  return hypot(hypot(body->velocity[0], body->velocity[1]), body->velocity[2]);
}

static int32_t fastest_body(const talus_world *world) {
  int32_t fastest = 0;
  for (int32_t i = 0; i < world->body_count; i++) {
    if (world->body[i].exists && !(speed_of(&world->body[i]) <= speed_of(&world->body[fastest]))) {
      fastest = i;
    }
  }
  return fastest;
}

/* What a body is called in messages. */
static const char *type_name(const talus_world *world, int32_t id) {
  static const char *const names[] = {"body", "fixed body", "kinematic body", "link"};
  return names[talus_body_kind(world, id)];
}

/* The step in which the pair would become no deeper than it may, rounded down to one digit; 0 if
 * shorter parts made next to no difference. The limit is one for the whole step, and the parts of a
 * shorter one are shorter too: what sinks at some speed sinks less in proportion to the step. */
static double sufficient_step(const talus_world *world, const tl_penetration *last,
                              const tl_penetration *first, int32_t halvings) {
  const double gain = log(first->excess / last->excess) / (halvings * log(2));
  const double enough = 0.8 * world->def.step / last->excess;
  const double digit = pow(10, floor(log10(enough)));
  return gain > 0.2 ? digit * floor(enough / digit * (1 + 1e-12)) : 0;
}

/* What the limit is a part of: the radius of the smaller ball, or half of how thick a body is. */
static void size_words(const talus_world *world, const tl_penetration *found, char *words,
                       size_t capacity) {
  const tl_shape_slot *const a = &world->shape[tl_shape_slot_of(world, found->shape_a)];
  const tl_shape_slot *const b = &world->shape[tl_shape_slot_of(world, found->shape_b)];
  const tl_shape_slot *const least = a->size <= b->size ? a : b;
  const int32_t body = least == a ? found->body_a : found->body_b;
  const bool round = least->geometry.kind == TALUS_SHAPE_SPHERE;
  snprintf(words, capacity, "%s of %s %d, %.3g m,", round ? "the radius" : "half the thickness",
           type_name(world, body), body, least->size);
}

static talus_status penetration_refuse(const talus_world *world, const tl_penetration *found,
                                       const tl_penetration *first, int32_t halvings) {
  const double sufficient =
      first->found && halvings > 0 ? sufficient_step(world, found, first, halvings) : 0;
  char advice[160], size[96];
  size_words(world, found, size, sizeof size);
  if (sufficient > 0) {
    snprintf(advice, sizeof advice, "a step of %.1g s would do", sufficient);
  } else if (halvings > 0) {
    snprintf(advice, sizeof advice,
             "shorter steps do not help: something presses them together, or the solve is poor "
             "(more max_iterations)");
  } else {
    snprintf(advice, sizeof advice, "a shorter step may help");
  }
  return tl_fail(world->context, TALUS_STEP_FAILED,
                 "step %lld (t = %g s): %s %d and %s %d would sink into each other, from %.3g m to "
                 "%.3g m, %.3g times what penetration_limit %g of %s allows, even in parts "
                 "of %.3g s; %s",
                 (long long)world->step_count, world->time, type_name(world, found->body_a),
                 found->body_a, type_name(world, found->body_b), found->body_b, found->before,
                 found->after, found->excess, world->def.penetration_limit, size,
                 world->def.step / (world->def.substeps << halvings), advice);
}

talus_status tl_step_refuse(const talus_world *world, const tl_step_quality *quality,
                            const tl_penetration *first, int32_t halvings) {
  const long long step = (long long)world->step_count;
  const double time = world->time;
  if (quality->penetration.found) {
    return penetration_refuse(world, &quality->penetration, first, halvings);
  }
  if (quality->missed && isfinite(quality->error)) {
    return tl_fail(world->context, TALUS_STEP_FAILED,
                   "step %lld (t = %g s): bodies are so fast that contacts found %d times over do "
                   "not hold them, even after %d halvings of the step; a smaller step may help",
                   step, time, TL_ROUNDS, halvings);
  }
  if (!isfinite(quality->error)) {
    const tl_body *const body = &world->body[fastest_body(world)];
    return tl_fail(world->context, TALUS_STEP_FAILED,
                   "step %lld (t = %g s): the contact problem leaves the range of numbers; body %d "
                   "is the fastest, with %g m/s at (%g %g %g) m",
                   step, time, body->id, speed_of(body), body->position[0], body->position[1],
                   body->position[2]);
  }
  if (!(quality->error < 1)) {
    return tl_fail(world->context, TALUS_STEP_FAILED,
                   "step %lld (t = %g s): the impulses found are no better than none (error %.3g) "
                   "after %d halvings of the step; a smaller step, more max_iterations or the "
                   "convex law may help",
                   step, time, quality->error, halvings);
  }
  return tl_fail(world->context, TALUS_STEP_FAILED,
                 "step %lld (t = %g s): error %.3g is above the accepted %.3g after %d halvings of "
                 "the step; on_miss: continue, a larger accept, a smaller step or the convex law "
                 "may help",
                 step, time, quality->error, world->def.accept, halvings);
}
