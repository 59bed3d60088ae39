/* talus_urdf.h: robots from URDF files: links and joints as a talus_mechanism_def, collision shapes
 * as talus_shape_defs.
 *
 * Read: robot; link with inertial and collision (box, cylinder, sphere, mesh: its convex hull);
 * joint of type revolute, continuous, prismatic, fixed (its link becomes part of the parent),
 * floating or planar, with origin, axis, limit and dynamics. visual and material are looks and
 * passed over. Every other element is refused by name, file and line, unless the def says lenient.
 *
 * A robot's root link is the base, fixed where the def puts it, or a link on a free joint. Motors
 * are off: set talus_link_def.motor (limit effort is there as effort, velocity as rate). */
#ifndef TALUS_URDF_H
#define TALUS_URDF_H

#include "talus_mechanism.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct talus_urdf talus_urdf;

typedef struct talus_urdf_def {
  uint32_t struct_size;  /* set by talus_urdf_def_default */
  double position[3];    /* of the root link, world frame */
  double orientation[4]; /* default 1 0 0 0 */
  int32_t floating;      /* 1: the root link moves freely; it needs an inertial then. Default 0 */
  int32_t lenient;       /* 1: unknown elements are named in the log and passed over. Default 0 */
  const char *packages;  /* folder for which the package:// of mesh names stands; default NULL: that
                            of the file, the package's name left out */
} talus_urdf_def;

TALUS_API void talus_urdf_def_init(talus_urdf_def *def, size_t size);
static inline talus_urdf_def talus_urdf_def_default(void) {
  talus_urdf_def def;
  talus_urdf_def_init(&def, sizeof def);
  return def;
}
/* Statuses: FILE_OPEN (the file, or a mesh), FILE_FORMAT (the message begins with file:line and
 * names the joint or link: loops, links that are missing or hang on nothing, a moving link without
 * mass or inertia, an axis of length zero, crossed limits, unknown elements), UNSUPPORTED (built
 * without expat, or the file needs a member of a link that the program does not know), STRUCT_SIZE,
 * OUT_OF_MEMORY; *urdf is NULL then. def may be NULL. mechanism_size, link_size: what the program
 * knows of a talus_mechanism_def and a talus_link_def, as talus_urdf_mechanism hands them out. */
TALUS_API talus_status talus_urdf_read_sized(talus_context *context, const char *path,
                                             const talus_urdf_def *def, size_t mechanism_size,
                                             size_t link_size, talus_urdf **urdf);
static inline talus_status talus_urdf_read(talus_context *context, const char *path,
                                           const talus_urdf_def *def, talus_urdf **urdf) {
  return talus_urdf_read_sized(context, path, def, sizeof(talus_mechanism_def),
                               sizeof(talus_link_def), urdf);
}
/* Accepts NULL. Defs and shapes go with it. */
TALUS_API void talus_urdf_destroy(talus_urdf *urdf);

/* The mechanism; link_count may be 0 (nothing moves). Links bear the names of their joints. */
TALUS_API const talus_mechanism_def *talus_urdf_mechanism(const talus_urdf *urdf);
/* The link that a joint carries; TALUS_NONE: no such joint, or a fixed one. */
TALUS_API int32_t talus_urdf_find_joint(const talus_urdf *urdf, const char *joint);
/* The link that the file calls so, or that it became part of; TALUS_NONE: the base. 0 if the file
 * has no such link. */
TALUS_API int talus_urdf_find_link(const talus_urdf *urdf, const char *name, int32_t *link);
/* Collision shapes: how many; shape i and its link (TALUS_NONE: the base). shape comes from
 * talus_shape_def_default, of any kind; its material is 0, to be set. Statuses: INDEX_RANGE,
 * STRUCT_SIZE. */
TALUS_API int32_t talus_urdf_shape_count(const talus_urdf *urdf);
TALUS_API talus_status talus_urdf_shape(const talus_urdf *urdf, int32_t index, int32_t *link,
                                        talus_shape_def *shape);
/* Adds it all to a world: the mechanism (TALUS_NONE if nothing moves), its shapes, and where the
 * base has shapes a fixed body of them (else TALUS_NONE). mechanism and base may be NULL. */
TALUS_API talus_status talus_urdf_add(talus_world *world, const talus_urdf *urdf, int32_t material,
                                      int32_t *mechanism, int32_t *base);

#ifdef __cplusplus
}
#endif
#endif
