/* build.h: what the files that turn a definition into a world share. */
#ifndef TL_SCENE_BUILD_H
#define TL_SCENE_BUILD_H

#include <stdbool.h>

#include "host/io/generate.h" /* tl_random */
#include "host/io/packing.h"
#include "host/scene/names.h"
#include "host/scene/scene.h"
#include "talus/talus_urdf.h"

/* A grain that came through an inlet, and the id of its first shape. */
typedef struct tl_added {
  int32_t body, shape;
  int32_t inlet;
  double factor;
} tl_added;

typedef struct tl_body_radius {
  int32_t body;
  double radius;
} tl_body_radius;

/* How a grain differs from its definition. */
typedef struct tl_variation {
  double factor;
  double stretch; /* of the x edge of a box: half bricks */
} tl_variation;

/* A grain as a generator has put it, for the world in which overlaps are pushed apart. */
typedef struct tl_emitted {
  const tl_scene_grains *packing; /* all bodies of this table, and nothing below counts; or NULL */
  const tl_scene_grain *grain;
  const char *material;
  tl_variation variation;
  double position[3], orientation[4];
} tl_emitted;

typedef struct tl_inlet_state {
  int64_t before; /* grains that came before its rate changed, at the time since */
  double since;
  uint64_t random;
  int64_t placed;
  int32_t waiting; /* a grain of this factor has been drawn and found no room yet */
  double factor;
} tl_inlet_state;

/* A mechanism of the definition, and what became of it. */
typedef struct tl_mechanism_made {
  talus_urdf *urdf; /* its robot file, or NULL */
  int32_t link_count;
  tl_names links;     /* of the scene file */
  int32_t id;         /* in the world */
  int32_t first_body; /* link i is body first_body + i */
} tl_mechanism_made;

/* Forces on one body, in the order of the file. */
typedef struct tl_force_order {
  int32_t first; /* no force before it acts on the same body */
  int32_t next;  /* force on the same body, or -1 */
} tl_force_order;

/* What ends a stage. */
typedef struct tl_stage_condition {
  int32_t column; /* of all scalars */
  double low, high;
} tl_stage_condition;

/* A stage of the definition: what the scene says while it lasts. */
typedef struct tl_stage {
  tl_scene_definition def;
  tl_stage_condition *condition;
  int32_t condition_count;
  int64_t steps, hold, check; /* its time limit, and the other times, in steps */
} tl_stage;

/* Where a run stands among its stages; steps. */
typedef struct tl_stage_state {
  int32_t index;
  bool over;    /* its conditions came true, or its time is up */
  bool stopped; /* and that was too late */
  int64_t begin;
  int64_t held;   /* since when its conditions hold, or -1 */
  int64_t looked; /* when they were looked at */
} tl_stage_state;

struct talus_scene {
  talus_context *context;
  tl_arena arena;
  const char *path, *folder; /* folder ends with / or is empty */
  tl_node *root;
  const char *const *override; /* [override_count], copies: what changed the tree of the file */
  int32_t override_count;
  bool settled; /* the tree has the `folder` that a copy of the file elsewhere needs */
  tl_scene_definition def;
  tl_mechanism_made *mechanism; /* [def.mechanisms.count]; robot files are read with the scene */
  tl_names materials, mechanisms;
  tl_names things;       /* bodies, then walls */
  tl_force_order *force; /* [def.forces.count] */

  tl_body_list from;     /* bodies of a checkpoint with which it begins */
  const char *from_path; /* of that checkpoint, or NULL */
  tl_stage *stage;       /* [def.stages.count]; def is that of the present one */

  /* from here on: made by build */
  tl_stage_state at;
  tl_buffer scalars;      /* that conditions look at */
  tl_body_radius *radius; /* [radius_count], ids ascend; bodies that are gone may be among them */
  int32_t radius_count, radius_capacity;
  int32_t *body_id, *wall_id; /* of the definition's bodies and walls */
  uint64_t *wall_mesh;        /* per wall: hash of its mesh file's surface, 0: it has none */
  int32_t grain_first;        /* bodies from here on are grains */
  int32_t *grains_first;      /* [def.grains.count + 1] first body of each section; the next */
  int32_t told_walls;         /* whose holes have been told: a world may be built more than once */
  int32_t told_inlets;        /* of which walls in their region have been told */
  bool emitting;              /* grains are noted below */
  tl_emitted *emitted;
  int32_t emitted_count, emitted_capacity;
  tl_inlet_state *inlet;
  int64_t *removed; /* by outlet */
  tl_added *added;  /* [added_count], ids ascend; grains that are gone may be among them */
  int32_t added_count, added_capacity;
  tl_buffer points; /* scratch of shapes */
};

/* ---- shapes ---------------------------------------------------------------------------------- */

/* Radius of the ball about the origin that holds the shape; its volume (plane: area), estimated for
 * hulls; its extent along each axis, if it is not turned. */
double tl_shape_radius(const tl_scene_shape *shape);
double tl_shape_volume(const tl_scene_shape *shape, int plane);
void tl_shape_extent(const tl_scene_shape *shape, double extent[3]);
/* What the table cannot say: enough points, parts that are no clumps. */
talus_status tl_shape_check(talus_context *context, const tl_scene_shape *shape, int plane);
/* One shape, not a clump; part: where it lies in one, or NULL. Its points belong to the scene,
 * until the next call. */
talus_status tl_shape_def(talus_scene *scene, const tl_scene_shape *shape, tl_variation variation,
                          const tl_scene_part *part, talus_shape_def *def);
talus_status tl_shape_emit(talus_scene *scene, talus_world *world, int32_t body,
                           const tl_scene_shape *shape, tl_variation variation, int32_t material);

/* ---- files that a scene names ---------------------------------------------------------------- */

/* folder.c: where they are, if the definition says. */
talus_status tl_scene_find_folder(talus_scene *scene);

/* ---- names ----------------------------------------------------------------------------------- */

/* Sorts the names of all things; FILE_FORMAT if two that must differ are equal. Due before anything
 * is looked up. */
talus_status tl_scene_index(talus_scene *scene);
/* A material by name, NULL: the first. */
talus_status tl_material_find(const talus_scene *scene, const tl_item *item, const char *name,
                              int32_t *material);
/* FILE_FORMAT: an override of a scene that names materials is of one that it has not. */
talus_status tl_materials_check_set(tl_arena *arena, const tl_node *root, const char *assignment);
/* Warns of materials that no shape and no inlet has. Status: OUT_OF_MEMORY. */
talus_status tl_materials_tell_unused(const talus_scene *scene, const talus_world *world);
/* FILE_FORMAT unless a body, a wall or a mechanism's link ("mechanism.link") is called so. */
talus_status tl_name_check(const talus_scene *scene, const tl_node *node, const char *name);
/* The number of a link in mechanism i by its name; -1: the base; -2: there is none. */
int32_t tl_link_named(const talus_scene *scene, int32_t mechanism, const char *name);
/* "mechanism.link": 1 if there is such a link; which. */
bool tl_link_find(const talus_scene *scene, const char *name, int32_t *mechanism, int32_t *link);

/* ---- one grain ------------------------------------------------------------------------------- */

/* One grain. Returns its id. */
talus_status tl_grain_emit(talus_scene *scene, talus_world *world, const tl_scene_grain *grain,
                           const char *material, tl_variation variation, const double position[3],
                           const double orientation[4], int32_t *body);
/* Notes how large a body is. */
talus_status tl_scene_note_radius(talus_scene *scene, int32_t body, double radius);
/* Forgets what is noted of bodies that are gone, once they are the most. */
void tl_scene_forget(talus_scene *scene, const talus_world *world);

/* ---- walls ----------------------------------------------------------------------------------- */

talus_status tl_wall_emit(talus_scene *scene, talus_world *world, const tl_scene_wall *wall,
                          int32_t body, int32_t material);

/* Rings become planes; due when a file has been read. */
talus_status tl_rings_expand(tl_arena *arena, tl_scene_definition *def);

/* ---- servos ---------------------------------------------------------------------------------- */

talus_status tl_servos_check(const talus_scene *scene);
/* Servos of all walls and bodies, or of one of them. */
talus_status tl_servos_build(const talus_scene *scene, talus_world *world);
talus_status tl_servo_apply_wall(const talus_scene *scene, talus_world *world, int32_t wall);
talus_status tl_servo_apply_body(const talus_scene *scene, talus_world *world, int32_t body);

/* The shortest turn that brings z to a direction. */
void tl_turn_z_to(const double to[3], double orientation[4]);

/* Points and triangles; memory of the context. */
typedef struct tl_wall_surface {
  talus_context *context;
  double *point;
  int32_t *triangle;
  int32_t point_count, triangle_count;
} tl_wall_surface;
void tl_wall_surface_release(tl_wall_surface *surface);
/* profile: pairs; see the notes of the walls' table for the side of the grains. */
talus_status tl_wall_surface_revolve(talus_context *context, const double *profile, int32_t count,
                                     int32_t segments, int flip, tl_wall_surface *surface);
talus_status tl_wall_surface_extrude(talus_context *context, const double *profile, int32_t count,
                                     double length, int flip, tl_wall_surface *surface);
/* STL or OBJ, told by content; points of an STL file that are equal become one. Statuses:
 * FILE_OPEN, FILE_FORMAT (file and line or triangle), OUT_OF_MEMORY. */
talus_status tl_wall_surface_read(talus_context *context, const char *path, double scale, int flip,
                                  tl_wall_surface *surface);

/* A number that changes with its points and triangles; never 0. */
uint64_t tl_wall_surface_hash(const tl_wall_surface *surface);

/* How many edges belong to one triangle alone, and the points of one of them (-1: there is
 * none). */
talus_status tl_wall_surface_rims(const tl_wall_surface *surface, int64_t *count, int32_t edge[2]);

/* ---- regions, sizes, placing ----------------------------------------------------------------- */

talus_status tl_region_check(talus_context *context, const tl_scene_region *region, int endless);
bool tl_region_contains(const tl_scene_region *region, int plane, const double point[3],
                        double clearance);
/* A point at least `clearance` inside; 0 if there is none. */
bool tl_region_draw(const tl_scene_region *region, int plane, double clearance, tl_random *random,
                    double point[3]);
void tl_region_box(const tl_scene_region *region, double lower[3], double upper[3]);
double tl_region_volume(const tl_scene_region *region, int plane);
/* The area of its floor (plane: its width). */
double tl_region_floor(const tl_scene_region *region, int plane);
/* Sets its height. */
void tl_region_raise(tl_scene_region *region, double height);
/* Its height; INFINITY where it has no end. */
double tl_region_height(const tl_scene_region *region);
/* The inside of a container; 0 if the wall is none. */
bool tl_region_of_wall(const tl_scene_wall *wall, tl_scene_region *region);

talus_status tl_sizes_check(talus_context *context, const tl_scene_sizes *sizes);
double tl_sizes_draw(const tl_scene_sizes *sizes, int plane, tl_random *random);
double tl_sizes_largest(const tl_scene_sizes *sizes);
/* Mean of factor^3 (plane: ^2). */
double tl_sizes_mean_volume(const tl_scene_sizes *sizes, int plane);

/* What is taken of space, a grain that is no body yet, a region to place it in: occupancy.h. */
typedef struct tl_occupancy tl_occupancy;
typedef struct tl_form tl_form;
typedef struct tl_room tl_room;

/* A random stream for item `index` of a section: streams do not disturb each other. */
tl_random tl_scene_random(const talus_scene *scene, uint64_t section, uint64_t index);
/* A unit quaternion, uniform; plane: a turn about y. */
void tl_random_turn(tl_random *random, int plane, double orientation[4]);

/* ---- grains ---------------------------------------------------------------------------------- */

typedef struct tl_grains_job {
  talus_scene *scene;
  talus_world *world;
  const tl_scene_grains *grains;
  tl_scene_region region;
  tl_occupancy *occupancy;
  tl_random random;
  int plane;
  bool endless; /* the region may grow upwards */
} tl_grains_job;
talus_status tl_grains_emit(tl_grains_job *job);
/* Whether they fill the periodic cell: no region, no container. */
bool tl_grains_fill_cell(const tl_grains_job *job);
/* Notes what was added, so that it can be added once more to a world that is relaxed. */
talus_status tl_emitted_note(talus_scene *scene, const tl_emitted *emitted);
talus_status tl_grains_lattice(tl_grains_job *job);
/* The bodies of a table. */
talus_status tl_grains_packing(tl_grains_job *job);
/* The bodies of a table, as they stand there; occupancy may be NULL. */
talus_status tl_packing_emit(talus_scene *scene, talus_world *world, const tl_scene_grains *grains,
                             tl_occupancy *occupancy);
talus_status tl_grains_settled(tl_grains_job *job, int64_t count);
/* material and sizes of a layer may differ from the grains'. */
talus_status tl_grains_random(tl_grains_job *job, const tl_scene_region *region, int64_t count,
                              const tl_scene_sizes *sizes, const char *material);

/* ---- mechanisms ------------------------------------------------------------------------------ */

/* Reads the robot files that mechanisms name; gives them back. */
talus_status tl_mechanisms_read(talus_scene *scene);
void tl_mechanisms_release(talus_scene *scene);
talus_status tl_mechanisms_check(talus_scene *scene);
/* Motors that follow a table of targets, at a time. */
talus_status tl_mechanisms_drive(const talus_scene *scene, talus_world *world, double time);
/* The target of a table at a time. */
double tl_drive_target(const tl_scene_drive *drive, double time);
/* Values and words of a drive into the def of its joint. */
void tl_drive_fill(const tl_scene_drive *drive, talus_link_def *def);

/* ---- stages ---------------------------------------------------------------------------------- */

/* The definitions of all stages from the tree of the file; scene->def becomes the first one's. */
talus_status tl_stages_read(talus_scene *scene);
/* Conditions; due when names are known. */
talus_status tl_stages_check(talus_scene *scene);
/* Goes on to the next stage, if the present one is over. */
talus_status tl_stages_advance(talus_scene *scene, talus_world *world);
/* Brings a world of the first stage to the settings of another one, for a restart. */
talus_status tl_stages_enter(talus_scene *scene, talus_world *world, int32_t index);
/* All that a stage may change in a world: from one definition to scene->def. */
talus_status tl_stage_apply(talus_scene *scene, talus_world *world,
                            const tl_scene_definition *from);
/* Whether a wall is to be kinematic: it is, or a stage gives it motions or a servo. */
bool tl_wall_moves(const talus_scene *scene, int32_t wall);

/* ---- parts of build -------------------------------------------------------------------------- */

typedef struct tl_build_mode {
  int relaxing; /* a world that only pushes bodies apart: no gravity, motions, joints */
} tl_build_mode;
talus_status tl_scene_check(talus_scene *scene); /* what tables cannot say */
/* The periodic cell, if there is one; at rest, or as it moves. */
talus_status tl_build_cell(const talus_scene *scene, talus_world *world, int moving);
/* FILE_FORMAT where a free body is too large for it, as a step would say without a line. */
talus_status tl_build_cell_check(const talus_scene *scene, const talus_world *world);
talus_status tl_build_world(talus_scene *scene, tl_build_mode mode, talus_world **world);
/* The world's settings, those of a material, and motions, as the definition has them. */
talus_world_def tl_world_def_of(const talus_scene *scene, tl_build_mode mode);
talus_material_def tl_material_def_of(const tl_scene_material *from);
talus_status tl_motions_add(talus_world *world, int32_t body, const tl_list *motions,
                            const double position[3]);
talus_status tl_pairs_add(talus_scene *scene, talus_world *world);
talus_status tl_build_bodies(talus_scene *scene, tl_build_mode mode, talus_world *world);
/* bonds.c: what the tables cannot say of bonds; makes those whose time has come. */
talus_status tl_bonds_check(const talus_scene *scene);
talus_status tl_bonds_make(const talus_scene *scene, talus_world *world);
talus_status tl_build_joints(talus_scene *scene, tl_build_mode mode, talus_world *world);
/* Whether a joint keeps two bodies from touching each other: they may overlap. */
bool tl_joints_part(const talus_scene *scene, int32_t body_a, int32_t body_b);
/* In a world that relaxes, links are fixed bodies at their places. */
talus_status tl_build_mechanisms(talus_scene *scene, tl_build_mode mode, talus_world *world);
/* Names the place in the file before what the world says of it. */
talus_status tl_build_explain(const talus_scene *scene, const tl_node *node, talus_status status);
/* How to call a body in a message: "bodies[2] nut", "walls[0]", "grain 17". */
void tl_body_words(const talus_scene *scene, int32_t body, char *text, size_t capacity);
/* Refuses inlets whose region walls fill, and tells of those where they fill a part. */
talus_status tl_inlets_check(talus_scene *scene, const talus_world *world);
/* Bodies of a checkpoint with which a scene begins. */
talus_status tl_build_from(talus_scene *scene, talus_world *world);
/* Acts as world.overlap says. */
talus_status tl_build_overlaps(talus_scene *scene, talus_world *world);

#endif
