/* cell_images.c: images of the colliders that stand near a face. */
#include <math.h>

#include "host/math/lattice.h"
#include "host/world/cell.h"

/* What a collider needs around its position: its extent, its margin, and what others have. */
typedef struct reach {
  double own, others, height[3];
} reach;

/* Whether the image is near enough to the cell to meet a body in it. */
static bool is_near(const tl_cell *cell, const double *part, const reach *r, int32_t image) {
  double m[3];
  tl_image_steps(image, m);
  for (int c = 0; c < 3; c++) {
    const double room = (r->own + r->others) / r->height[c], at = part[c] + m[c];
    if (m[c] != 0 && (!(cell->def.periodic >> c & 1) || at < -room || at > 1 + room)) {
      return false;
    }
  }
  return true;
}

/* Half-spaces have no images: they must be the same across each periodic face. */
static talus_status halfspace_check(const talus_world *world, const tl_collider *collider) {
  const double *const r = collider->pose.rotation;
  const double normal[3] = {r[2], r[5], r[8]};
  for (int c = 0; c < 3; c++) {
    if ((world->cell.def.periodic >> c & 1) && fabs(normal[c]) > 1e-9) {
      return tl_fail(world->context, TALUS_UNSUPPORTED,
                     "cell: the half-space of body %d is not the same across the periodic faces "
                     "along %c; its normal must be at right angles to them",
                     collider->body, "xyz"[c]);
    }
  }
  return TALUS_OK;
}

/* A free body must not meet another one through two faces at once. */
static talus_status extent_check(const talus_world *world, const tl_collider *collider, double own,
                                 const double height[3]) {
  for (int c = 0; c < 3; c++) {
    if ((world->cell.def.periodic >> c & 1) && collider->movable && !(4 * own <= height[c])) {
      return tl_fail(world->context, TALUS_UNSUPPORTED,
                     "cell: it is %g m wide along %c, less than two diameters and margins of body "
                     "%d, which reaches %g m; a larger cell is needed",
                     height[c], "xyz"[c], collider -> body, own);
    }
  }
  return TALUS_OK;
}

static double extent_of(const tl_collider *collider) {
  return tl_geometry_reach(collider->geometry) + collider->margin;
}

static void image_place(const talus_world *world, int32_t from, int32_t image, int32_t to) {
  tl_collider *const collider = world->colliders.memory;
  tl_collider_fact *const fact = world->facts.memory;
  double shift[3];
  tl_cell_shift(&world->cell, image, shift);
  collider[to] = collider[from];
  collider[to].movable = 0; /* meets what stands in the cell itself */
  tl_along3(collider[to].pose.position, collider[from].pose.position, 1, shift);
  fact[to] = fact[from];
  fact[to].image = image;
}

/* The images of one collider, from place `count` on where there is room; returns how many. */
static int32_t images_of(const talus_world *world, int32_t i, const reach *r, int32_t count,
                         int32_t capacity) {
  const tl_collider *const collider = (const tl_collider *)world->colliders.memory + i;
  double away[3], part[3];
  int32_t found = 0;
  tl_sub3(away, collider->pose.position, world->cell.def.origin);
  tl_lattice_parts(world->cell.def.edge, away, part);
  for (int32_t image = collider->movable ? 1 : -TL_IMAGE_COUNT; image <= TL_IMAGE_COUNT; image++) {
    if (image != 0 && is_near(&world->cell, part, r, image)) {
      if (count + found < capacity) {
        image_place(world, i, image, count + found);
      }
      found++;
    }
  }
  return found;
}

talus_status tl_cell_images(talus_world *world, int32_t count, int32_t capacity) {
  const tl_collider *const collider = world->colliders.memory;
  reach r = {.others = 0};
  if (world->cell.def.servo != 0 && !world->soft) {
    return tl_fail(world->context, TALUS_UNSUPPORTED,
                   "cell: sides that follow a stress need contacts that give way: rigid ones carry "
                   "any. Give the world softness AUTO, or materials a stiffness or young");
  }
  tl_cell_heights(world->cell.def.edge, r.height);
  for (int32_t i = 0; i < count; i++) {
    r.others = collider[i].movable ? fmax(r.others, extent_of(&collider[i])) : r.others;
  }
  world->collider_count = count;
  for (int32_t i = 0; i < count; i++) {
    if (collider[i].geometry->kind == TALUS_SHAPE_HALFSPACE) {
      TL_TRY(halfspace_check(world, &collider[i]));
      continue;
    }
    r.own = extent_of(&collider[i]);
    TL_TRY(extent_check(world, &collider[i], r.own, r.height));
    world->collider_count += images_of(world, i, &r, world->collider_count, capacity);
  }
  return TALUS_OK;
}
