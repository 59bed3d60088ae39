/* urdf.h: what the files that read robots share.
 *
 *   urdf_xml.c     expat's events to a tree of elements     urdf_link.c   inertials and shapes
 *   urdf_tree.c    who hangs on whom, links of the def      urdf_joint.c  axes, limits, dynamics
 *   urdf.c         the public functions */
#ifndef TL_SCENE_URDF_H
#define TL_SCENE_URDF_H

#include "host/scene/names.h"
#include "talus/talus_urdf.h"

typedef struct tl_xml {
  const char *name;
  int32_t line;
  const char **attribute; /* name, value, name, value ... NULL */
  struct tl_xml *parent, *first, *last, *next;
} tl_xml;

/* Statuses: FILE_OPEN, FILE_FORMAT, UNSUPPORTED (built without expat), OUT_OF_MEMORY. */
talus_status tl_xml_read(tl_arena *arena, const char *path, tl_xml **root);
/* The first child of that name, or NULL. */
const tl_xml *tl_xml_child(const tl_xml *node, const char *name);
const char *tl_xml_attribute(const tl_xml *node, const char *name);

/* A place: x -> rotation x + position; the quaternion is the rotation's. */
typedef struct tl_urdf_pose {
  double position[3], orientation[4];
} tl_urdf_pose;

typedef struct tl_urdf_link {
  const char *name;
  const tl_xml *node;
  int32_t joint;       /* that it hangs on, or -1: the root */
  int32_t first, last; /* joints that hang on it, or -1 */
  int32_t link;        /* of the def; TALUS_NONE: part of the base; -2: not reached yet */
  tl_urdf_pose pose;   /* of its frame in that link's, or in the world for the base */
  double mass, centre[3], inertia[6]; /* in its own frame; mass 0: no inertial */
} tl_urdf_link;

typedef enum tl_urdf_type {
  TL_URDF_FIXED,
  TL_URDF_REVOLUTE,
  TL_URDF_CONTINUOUS,
  TL_URDF_PRISMATIC,
  TL_URDF_FLOATING,
  TL_URDF_PLANAR,
  TL_URDF_TYPES
} tl_urdf_type;

typedef struct tl_urdf_joint {
  const char *name;
  const tl_xml *node;
  int32_t type; /* tl_urdf_type */
  int32_t parent, child;
  int32_t next; /* joint of the same parent, or -1 */
} tl_urdf_joint;

typedef struct tl_urdf_shape {
  int32_t link;
  talus_shape_def def;
  struct tl_urdf_shape *next;
} tl_urdf_shape;

struct talus_urdf {
  talus_context *context;
  tl_arena arena;
  const char *path, *folder;
  talus_urdf_def given;
  tl_xml *root;
  tl_urdf_link *link;
  tl_urdf_joint *joint;
  int32_t link_count, joint_count;
  tl_names link_names, made_names; /* of link and made */
  talus_mechanism_def def;
  talus_link_def *made;            /* [def.link_count] */
  talus_mechanism_def *caller_def; /* the def and its links as the caller knows them */
  tl_urdf_shape *shape, *last_shape, **shape_at; /* a list; [shape_count] */
  int32_t shape_count;
};

/* What the file says, in one number; comments and blanks do not count, nor do files of meshes. */
uint64_t tl_urdf_hash(const talus_urdf *urdf, uint64_t hash);
/* The points of all meshes, in one number; 0 if there are none. */
uint64_t tl_urdf_mesh_hash(const talus_urdf *urdf);
/* FILE_FORMAT with "file:line: " before the words. */
talus_status tl_urdf_fail(const talus_urdf *urdf, const tl_xml *node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Refuses, or names in the log, whatever child is not in the list (words separated by |). */
talus_status tl_urdf_known(const talus_urdf *urdf, const tl_xml *node, const char *words);
/* `count` numbers of an attribute; not there: the array stays as it is, unless needed. */
talus_status tl_urdf_numbers(const talus_urdf *urdf, const tl_xml *node, const char *name,
                             int needed, int count, double *value);
/* The child `origin`: xyz and rpy; none: no shift, no turn. */
talus_status tl_urdf_origin(const talus_urdf *urdf, const tl_xml *node, tl_urdf_pose *pose);
/* outer, then inner seen from it. */
tl_urdf_pose tl_urdf_compose(const tl_urdf_pose *outer, const tl_urdf_pose *inner);

/* urdf_link.c: mass, centre and inertia of a link; adding them to a def, seen from `pose`; its
 * collision shapes, once its place is known. */
talus_status tl_urdf_inertial(const talus_urdf *urdf, tl_urdf_link *link);
void tl_urdf_weigh(const tl_urdf_link *link, talus_link_def *def);
talus_status tl_urdf_collisions(talus_urdf *urdf, const tl_urdf_link *link);

/* urdf_joint.c: the type of that name, or TL_URDF_TYPES; all of a def but place, parent and mass.
 */
int32_t tl_urdf_type_of(const char *word);
talus_status tl_urdf_joint_read(const talus_urdf *urdf, const tl_urdf_joint *joint,
                                talus_link_def *def);

/* urdf_tree.c: links and joints by name, their tree, and the def. */
talus_status tl_urdf_build(talus_urdf *urdf);

#endif
