/* measure.c: packing fraction and stress in a space.
 *
 * A body that the space's boundary may cut is counted by evenly spread points of its shapes. Stress
 * is the sum over contacts of force times branch over the volume (Love, Weber); the branch goes
 * from centre to point of contact to centre, of free bodies alone, and counts as far as it is
 * inside. */
#include "host/scene/measure.h"

#include <math.h>
#include <string.h>

#include "host/math/pose.h"
#include "host/measure/domain.h"
#include "host/world/cell.h"

enum { POINTS = 1024, BRANCH_POINTS = 16 };

/* Of a ball cut by one plane, whose distance from the centre is t radii: 1 - cap / ball. */
static double ball_share(const tl_space *space, const double centre[3], double radius) {
  const double t = (space->offset[0] - tl_dot3(space->normal[0], centre)) / radius;
  const double inside = fmin(1, fmax(-1, t));
  return 0.25 * (1 + inside) * (1 + inside) * (2 - inside);
}

/* The part of a shape that lies in the space. */
static double shape_share(const tl_space *space, const talus_world *world, int32_t shape) {
  static const double step[3] = {0.8191725133961645, 0.6710436067037893, 0.5497004779019703};
  tl_collider collider;
  double arm[3];
  int32_t solid = 0, inside = 0;
  tl_shape_collider(world, shape, &collider, arm);
  if (collider.geometry->kind == TALUS_SHAPE_SPHERE && space->region == NULL && !space->plane &&
      space->count == 1) {
    return ball_share(space, collider.pose.position, collider.geometry->radius);
  }
  const tl_box box = tl_collider_box(&collider);
  for (int k = 0; k < POINTS; k++) {
    double point[3], local[3];
    for (int c = 0; c < 3; c++) {
      const double x = 0.5 + k * step[c], part = x - floor(x);
      point[c] = box.lower[c] + part * (box.upper[c] - box.lower[c]);
    }
    if (space->plane) {
      point[1] = collider.pose.position[1];
    }
    tl_unplace3(local, &collider.pose, point);
    if (tl_shape_holds(collider.geometry, local)) {
      solid++;
      inside += tl_space_contains(space, point, 0);
    }
  }
  return solid > 0 ? (double)inside / solid : tl_space_contains(space, collider.pose.position, 0);
}

static double solid_volume(const talus_scene *scene, const talus_world *world,
                           const tl_space *space) {
  double sum = 0;
  for (int32_t i = 0; i < world->body_count; i++) {
    const tl_body *const body = &world->body[i];
    const double radius = talus_scene_body_radius(scene, body->id);
    if (!body->exists || body->type != TALUS_BODY_FREE ||
        !tl_space_contains(space, body->position, -radius)) {
      continue;
    }
    const bool whole = tl_space_contains(space, body->position, radius);
    tl_space near;
    if (!whole) {
      tl_space_near(space, body->position, radius, &near);
    }
    for (int32_t k = body->first_shape; k >= 0; k = world->shape[k].next) {
      sum += world->shape[k].volume * (whole ? 1 : shape_share(&near, world, k));
    }
  }
  return sum;
}

/* The part of a straight way that lies in the space. */
static double way_share(const tl_space *space, const double from[3], const double to[3]) {
  double way[3], middle[3];
  int inside = 0;
  tl_space near;
  tl_sub3(way, to, from);
  tl_along3(middle, from, 0.5, way);
  const double reach = 0.5 * tl_norm3(way);
  if (tl_space_contains(space, middle, reach)) {
    return 1;
  }
  tl_space_near(space, middle, reach, &near);
  for (int k = 0; k < BRANCH_POINTS; k++) {
    double point[3];
    tl_along3(point, from, (k + 0.5) / BRANCH_POINTS, way);
    inside += tl_space_contains(&near, point, 0);
  }
  return (double)inside / BRANCH_POINTS;
}

/* Adds force times branch of one contact. */
static void stress_add(const talus_world *world, const tl_space *space,
                       const talus_contact *contact, double dt, double stress[6]) {
  static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
  double branch[3] = {0, 0, 0};
  for (int side = 0; side < 2; side++) {
    const tl_body *const body = tl_body_at(world, side ? contact->body_b : contact->body_a);
    if (body != NULL && body->type == TALUS_BODY_FREE) { /* from the centre of a to that of b */
      double way[3];
      tl_sub3(way, contact->point, body->position);
      tl_cell_nearest(&world->cell, way);
      tl_along3(branch, branch, (side ? -1 : 1) * way_share(space, body->position, contact->point),
                way);
    }
  }
  for (int i = 0; i < 6; i++) {
    stress[i] += 0.5 *
                 (contact->impulse[row[i]] * branch[column[i]] +
                  contact->impulse[column[i]] * branch[row[i]]) /
                 dt;
  }
}

/* Of a cell that repeats itself in every direction: nothing is cut, and nothing is left out. */
static void cell_measure(const talus_world *world, tl_measured *measured) {
  static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
  for (int32_t i = 0; i < world->shape_count; i++) {
    const tl_shape_slot *const shape = &world->shape[i];
    const bool counts = shape->exists && world->body[shape->body].type == TALUS_BODY_FREE;
    measured->packing_fraction += counts ? shape->volume / tl_cell_volume(&world->cell) : 0;
  }
  for (int i = 0; i < 6; i++) {
    const double *const stress = world->cell.stress;
    measured->stress[i] = 0.5 * (stress[3 * row[i] + column[i]] + stress[3 * column[i] + row[i]]);
  }
}

talus_status tl_measure(const talus_scene *scene, const talus_world *world, tl_measured *measured) {
  const double dt = tl_part_seconds(world);
  tl_space space;
  memset(measured, 0, sizeof *measured);
  TL_TRY(tl_contacts_read(world));
  if (world->cell.def.periodic == (world->def.plane ? 5 : 7)) {
    cell_measure(world, measured);
    return TALUS_OK;
  }
  TL_TRY(tl_space_find(scene, world, &space));
  if (!(space.volume > 0)) {
    return TALUS_OK;
  }
  measured->packing_fraction = solid_volume(scene, world, &space) / space.volume;
  for (int32_t k = 0; k < world->contact_count; k++) {
    const talus_contact contact = tl_contact_show(world, k);
    stress_add(world, &space, &contact, dt, measured->stress);
  }
  for (int i = 0; i < 6; i++) {
    measured->stress[i] /= space.volume;
  }
  return TALUS_OK;
}
