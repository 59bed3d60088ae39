/* narrow.h: the contact points of one pair: which function treats which pair of shapes.
 *
 * Two half-spaces, or a half-space and a mesh, never meet: both are walls. Of two meshes one would
 * have to move freely, which meshes do not: whoever asks has refused them before. */
#ifndef TL_ITEM_NARROW_H
#define TL_ITEM_NARROW_H

#include "kernels/item/collide/narrow_halfspace.h"
#include "kernels/item/collide/narrow_hull.h"
#include "kernels/item/collide/narrow_mesh.h"

TL_ITEM_LARGE void tl_narrow_sphere(const tl_pair_query *query) {
  switch (query->b.geometry->kind) {
  case TALUS_SHAPE_SPHERE:
    tl_narrow_sphere_sphere(query);
    break;
  case TALUS_SHAPE_BOX:
    tl_narrow_sphere_box(query);
    break;
  case TALUS_SHAPE_CAPSULE:
    tl_narrow_sphere_capsule(query);
    break;
  case TALUS_SHAPE_CYLINDER:
    tl_narrow_sphere_cylinder(query);
    break;
  case TALUS_SHAPE_HULL:
    tl_narrow_sphere_hull(query);
    break;
  case TALUS_SHAPE_HALFSPACE:
    tl_narrow_halfspace(query);
    break;
  default:
    tl_narrow_sphere_mesh(query);
  }
}

/* Adds the points of the pair that are closer than its margin. Faces give several (at most eight
 * per pair of convex shapes, chosen for extent), so that boxes rest. */
TL_ITEM_LARGE void tl_narrow_points(const tl_pair_query *query) {
  const talus_shape_kind kind_a = query->a.geometry->kind, kind_b = query->b.geometry->kind;
  if (kind_a == TALUS_SHAPE_SPHERE) {
    tl_narrow_sphere(query);
  } else if (kind_a == TALUS_SHAPE_HALFSPACE || kind_a == TALUS_SHAPE_MESH) {
    return;
  } else if (kind_b == TALUS_SHAPE_HALFSPACE) {
    tl_narrow_halfspace(query);
  } else if (kind_b == TALUS_SHAPE_MESH) {
    tl_narrow_convex_mesh(query);
  } else if (kind_a == TALUS_SHAPE_CAPSULE && kind_b == TALUS_SHAPE_CAPSULE) {
    tl_narrow_capsule_capsule(query);
  } else {
    tl_narrow_convex(query);
  }
}

#endif
