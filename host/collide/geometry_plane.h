/* geometry_plane.h: sections of shapes with the x-z plane, for worlds in two dimensions. */
#ifndef TL_GEOMETRY_PLANE_H
#define TL_GEOMETRY_PLANE_H

#include "host/collide/collide.h"

/* Area, centre and second moments of the section of a shape with the plane y = 0 of its frame, as
 * of a thin plate: xx and zz are the moments about the axes in the plane, yy = xx + zz the polar
 * one. Half-spaces, meshes and hulls that the plane misses have area 0. */
tl_mass_properties tl_geometry_plane_mass(const tl_geometry *geometry);

#endif
