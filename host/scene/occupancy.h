/* occupancy.h: which part of space is taken: bodies of a world in a grid of balls, and whether a
 * grain that is not in the world would touch one of them.
 *
 *   occupancy.c         the grid
 *   occupancy_images.c  a periodic cell
 *   form.c              a grain's parts, in regions and against bodies */
#ifndef TL_SCENE_OCCUPANCY_H
#define TL_SCENE_OCCUPANCY_H

#include "host/collide/collide.h"
#include "host/scene/build.h"
#include "host/world/cell.h"

/* Bodies with a ball around each, of any mixture of sizes, and walls, which have none. A ball is
 * entered once; a question looks at the few cells that its own ball could reach. Bodies must stay
 * where they are for as long as it is used. */
struct tl_occupancy {
  talus_context *context;
  const talus_scene *scene;
  const talus_world *world;
  double *ball;  /* [4 capacity] x y z r; of free bodies as they stand in the cell */
  int32_t *body; /* [capacity] */
  int32_t *next, *level_next;
  int32_t *head; /* hash table, head_count a power of two */
  int32_t count, capacity, head_count;
  int32_t level_first[256], level_count[256]; /* by binary exponent of the radius + 128 */
  tl_collider *wall; /* shapes of the bodies without a ball, and the boxes around them; geometries
                        move as shapes are added: tl_occupancy_wall has them */
  tl_box *wall_box;
  int32_t wall_count, wall_capacity;
  const tl_cell
      *cell;      /* of the world, as it is now: bodies are repeated beyond its faces; or NULL */
  double largest; /* radius of a ball so far */
  double wall_beyond[3];        /* how far walls with an end reach beyond the cell, in its edges */
  tl_contact_point_list points; /* scratch */
};

void tl_occupancy_begin(const talus_scene *scene, const talus_world *world,
                        tl_occupancy *occupancy);
void tl_occupancy_end(tl_occupancy *occupancy);
/* A body of the world where it stands now; one without shapes takes no room. */
talus_status tl_occupancy_add(tl_occupancy *occupancy, int32_t body);
talus_status tl_occupancy_add_all(tl_occupancy *occupancy);

/* Calls the function for each of the first `among` balls that a ball meets, until it sets stop. */
typedef talus_status (*tl_occupancy_fn)(void *user, int32_t index, int *stop);
talus_status tl_occupancy_visit(const tl_occupancy *occupancy, const double position[3],
                                double radius, int32_t among, tl_occupancy_fn function, void *user);

/* Where a ball and its images meet what stands in the cell: the first place is in the cell itself.
 * Without a cell it is the only one. Returns how many there are. */
enum { TL_PLACES = 2 * TL_IMAGE_COUNT + 1 };
int tl_occupancy_places(const tl_occupancy *occupancy, const double position[3], double radius,
                        double place[TL_PLACES][3]);
/* Takes notice of a wall's box, which may have images in the cell. */
void tl_occupancy_extend(tl_occupancy *occupancy, const tl_box *box);

/* A shape of the body of ball i, where the ball stands. */
tl_collider tl_occupancy_shape(const tl_occupancy *occupancy, int32_t i, int32_t shape);
/* Number i of `wall`, as long as no shape is added to the world. */
tl_collider tl_occupancy_wall(const tl_occupancy *occupancy, int32_t i);
/* How deep two colliders are in each other; 0 if they are not. */
talus_status tl_occupancy_depth(tl_occupancy *occupancy, const tl_collider *a, const tl_collider *b,
                                double *depth);
bool tl_box_meets(const tl_box *a, const tl_box *b);

/* ---- forms ----------------------------------------------------------------------------------- */

/* A grain that is no body yet: its parts, placed. */
struct tl_form {
  talus_scene *scene;
  const tl_scene_grain *grain;
  tl_variation variation; /* that the parts are made for */
  tl_geometry **geometry;
  tl_pose *local; /* of the parts about the grain's origin */
  tl_collider *part;
  double *arm; /* [3 count] from the origin to each part, as turned */
  int32_t count, capacity;
  bool round;    /* one ball about the origin */
  double radius; /* of the ball about the origin that holds it */
  double position[3];
  tl_box around, box; /* around all of it: about the origin, as turned; where it is */
};

void tl_form_begin(talus_scene *scene, const tl_scene_grain *grain, tl_form *form);
void tl_form_end(tl_form *form);
/* Makes the parts; to be placed anew afterwards. */
talus_status tl_form_make(tl_form *form, tl_variation variation);
void tl_form_place(tl_form *form, const double position[3], const double orientation[4]);

/* The body that the form overlaps by more than `tolerance` of its radius, or TALUS_NONE. Balls are
 * asked as far as `among`, walls always; bodies that do not collide with it never. In a periodic
 * cell its images are asked too. The form is moved meanwhile. */
talus_status tl_form_meets(tl_occupancy *occupancy, tl_form *form, int32_t among, double tolerance,
                           int32_t *body);

/* A region to place forms in. */
struct tl_room {
  talus_context *context;
  tl_scene_region region; /* finite, but for heights */
  int plane;
  uint32_t across; /* bits of x, y, z: faces of a box that forms may lie across */
  tl_geometry **hole_geometry;
  tl_collider *hole; /* what the region is without */
  int32_t hole_count;
  tl_contact_point_list points; /* scratch */
};
talus_status tl_room_begin(talus_context *context, const tl_scene_region *region, int plane,
                           tl_room *room);
void tl_room_end(tl_room *room);
/* Whether all of the form lies in the region. */
talus_status tl_room_holds(tl_room *room, const tl_form *form, int *holds);
/* Moves the form, turned as it is, to a random place of the region, in which it may lie but partly;
 * 0 if it is too large for any. */
bool tl_room_draw(const tl_room *room, tl_random *random, tl_form *form);

/* Tries random places and, with random turns, orientations. found 0: none was free; by: the body
 * that was in the way most often, or TALUS_NONE. fits 0: the region does not hold the form at all.
 */
typedef struct tl_placement {
  int32_t tries;
  int found, fits;
  int32_t by;
  double position[3], orientation[4];
} tl_placement;
talus_status tl_form_place_randomly(tl_occupancy *occupancy, tl_room *room, tl_form *form,
                                    tl_random *random, tl_placement *search);

#endif
