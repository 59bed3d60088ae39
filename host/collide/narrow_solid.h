/* narrow_solid.h: convex shapes as the general narrow-phase sees them, in their own frame.
 *
 * A solid is a polyhedron, perhaps flat (a triangle) or thin (a capsule's segment), or a cylinder;
 * `rounding` is wrapped around it. The sides of an edge are two unit normals between which the
 * outward normals along that edge lie: faces, or for flat and thin solids directions made up so
 * that less than half a turn lies between them. A solid may point into itself: it is not to be
 * copied. */
#ifndef TL_NARROW_SOLID_H
#define TL_NARROW_SOLID_H

#include "host/collide/collide.h"
#include "host/collide/mesh.h"

typedef struct tl_solid {
  bool is_cylinder;
  double radius, half_length; /* cylinder */
  double rounding;
  double size; /* scale of tolerances */
  int32_t point_count, face_count, edge_count;
  const double *point, *plane; /* plane: faces first, then made-up sides; [4] each */
  const int32_t *face_first, *face_point, *edge, *edge_side;
  double own_point[24], own_plane[24];
} tl_solid;

/* Box, capsule, cylinder or hull. */
void tl_solid_make(tl_solid *solid, const tl_geometry *geometry);
void tl_solid_triangle(tl_solid *solid, const tl_mesh *mesh, int32_t triangle);

/* The largest of direction . x over the solid without its rounding; point: where; index: the corner
 * (the lowest of equals), 0 for cylinders. */
double tl_solid_support(const tl_solid *solid, const double direction[3], double point[3],
                        int32_t *index);

/* The edge of the solid that is farthest in the direction, if it is square to it within a hundredth
 * or so: 2 and its ends; otherwise 1 and the farthest point. name: of the feature. */
int tl_solid_line(const tl_solid *solid, const double direction[3], double end[2][3],
                  uint32_t *name);

/* A direction in which two solids may be apart, in the frame of the first. */
typedef enum tl_separating_axis_kind {
  TL_AXIS_NONE = 0,
  TL_AXIS_FACE_A, /* index_a: face, or a cylinder's cap: 0 low, 1 high */
  TL_AXIS_FACE_B,
  TL_AXIS_EDGES, /* index_a, index_b: edges */
  TL_AXIS_OTHER
} tl_separating_axis_kind;

typedef struct tl_separating_axis {
  tl_separating_axis_kind kind;
  int32_t index_a, index_b;
  double normal[3];  /* unit, from a to b */
  double separation; /* of the solids along it, without roundings */
} tl_separating_axis;

/* Nearest points of two solids that are apart, in the frame of the first; see gjk.h. */
typedef struct tl_closest {
  double distance;
  double on_a[3], on_b[3];
  uint32_t name; /* of the corners they lie between */
} tl_closest;

/* The search for the direction of largest separation. With a mesh, a is one of its triangles and
 * `allowed` is the best of the directions in which the triangle is a peak of the mesh. */
typedef struct tl_axis_search {
  const tl_solid *a, *b;
  tl_pose place; /* of b in a's frame */
  const tl_mesh *mesh;
  int32_t triangle;
  double enough;    /* a separation above this ends the search: too far apart */
  double tolerance; /* a face is preferred to another solid's face or to edges by so much */
  tl_separating_axis any, allowed;
  int32_t closest_known; /* the distance has been looked at: 1 apart, -1 not */
  tl_closest closest;
} tl_axis_search;

/* Sets any and allowed; false if the solids are farther apart than `enough`. */
bool tl_axis_search_polyhedra(tl_axis_search *search);
bool tl_axis_search_cylinder(tl_axis_search *search); /* one or both are cylinders */

/* The axis of the distance, if the solids are apart; looks once. */
bool tl_axis_search_closest(tl_axis_search *search, tl_separating_axis *axis);
/* Takes the axis if its separation is larger than the best so far by more than the preference. */
void tl_axis_search_consider(tl_axis_search *search, const tl_separating_axis *axis,
                             double preference);
/* The separation along a unit direction of a's frame. */
double tl_axis_search_separation(const tl_axis_search *search, const double normal[3]);

/* The face of a or b whose normal is that of the axis within a fiftieth, as an axis of its own; of
 * two the larger one, so that the choice does not change while the solids move a little. 0: none.
 */
bool tl_axis_search_flat(const tl_axis_search *search, const tl_separating_axis *axis,
                         tl_separating_axis *flat);

#endif
