/* build_cell.c: the periodic cell of a scene's world, and whether bodies fit into it. */
#include <math.h>
#include <string.h>

#include "host/scene/build.h"
#include "host/world/cell.h"

talus_status tl_build_cell(const talus_scene *scene, talus_world *world, int moving) {
  const tl_scene_cell *const from = &scene->def.cell;
  if (from->item.node == NULL) {
    return TALUS_OK;
  }
  talus_cell cell = talus_cell_default();
  cell.periodic = from->periodic;
  cell.servo = from->servo;
  cell.rate_limit = from->rate_limit;
  for (int c = 0; c < 3; c++) {
    const bool flat = scene->def.world.plane && c == 1;
    cell.origin[c] = flat ? -0.5 : from->lower[c];
    cell.edge[c] = flat ? 1 : from->upper[c] - from->lower[c];
    cell.rate[c] = moving ? from->rate[c] : 0;
    cell.rate[3 + c] = moving ? from->shear[c] : 0;
    cell.stress[c] = from->stress[c];
    cell.shear_stress[c] = from->shear_stress[c];
  }
  if (scene->from.periodic) { /* it goes on with the edges that it had */
    memcpy(cell.edge, scene->from.cell, sizeof cell.edge);
  }
  return tl_build_explain(scene, from->item.node, talus_world_set_cell(world, &cell));
}

/* How far a shape and what it may move in the first step reach from its centre. */
static double reach_of(const talus_world *world, const tl_body *body, int32_t shape) {
  const double dt = world->def.step / world->def.substeps;
  const tl_geometry *const geometry = &world->shape[shape].geometry;
  tl_collider collider;
  double arm[3];
  tl_shape_collider(world, shape, &collider, arm);
  const double speed = tl_norm3(world->def.gravity) * dt +
                       tl_body_shape_speed(body, geometry, arm, body->velocity, body->spin);
  return tl_geometry_reach(geometry) + 0.5 * world->def.margin * world->size + dt * speed +
         tl_cohesion_reach(world, world->shape[shape].size);
}

/* A body that a step would refuse: the cell, as it is, is narrower than two of them. */
static talus_status check_width(const talus_scene *scene, const talus_world *world, int32_t body,
                                const double height[3]) {
  const tl_node *const node = scene->def.cell.item.node;
  const tl_body *const b = tl_body_at(world, body);
  double reach = 0;
  for (int32_t i = b->first_shape; i >= 0; i = world->shape[i].next) {
    reach = fmax(reach, reach_of(world, b, i));
  }
  for (int c = 0; c < 3; c++) {
    if ((world->cell.def.periodic >> c & 1u) && !(4 * reach <= height[c])) {
      char words[96];
      tl_body_words(scene, body, words, sizeof words);
      return tl_node_fail(scene->context, scene->from.periodic ? node : tl_tree_find(node, "upper"),
                          "%s is %g m wide along %c, less than two diameters of %s, which reaches "
                          "%g m with its margin; wants %g m at least",
                          scene->from.periodic ? "cell: that of the checkpoint"
                                               : "cell.upper: the cell",
                          height[c], "xyz"[c], words, reach, 4 * reach);
    }
  }
  return TALUS_OK;
}

talus_status tl_build_cell_check(const talus_scene *scene, const talus_world *world) {
  double height[3];
  if (world->cell.def.periodic == 0) {
    return TALUS_OK;
  }
  tl_cell_heights(world->cell.def.edge, height);
  for (int32_t body = talus_body_after(world, TALUS_NONE); body != TALUS_NONE;
       body = talus_body_after(world, body)) {
    if (talus_body_kind(world, body) == TALUS_BODY_FREE) {
      TL_TRY(check_width(scene, world, body, height));
    }
  }
  return TALUS_OK;
}
