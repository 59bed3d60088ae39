/* generate.h: what the generators share: random numbers, arrays, the packing of spheres.
 *
 * The same settings give the same problem on every machine: the random numbers are ours, and
 * geometry is decided by + - * / and square root alone, without contraction. */
#ifndef TL_GENERATE_H
#define TL_GENERATE_H

#include "host/io/stored.h"

#define TL_GRAVITY 9.81 /* m/s2, along -z */

/* A stream of random numbers: splitmix64 (Steele, Lea and Flood 2014). */
typedef struct tl_random {
  uint64_t state;
} tl_random;

uint64_t tl_random_bits(tl_random *random);
/* Uniform in [low, high). */
double tl_random_uniform(tl_random *random, double low, double high);
/* Uniform in 0 .. count-1; count >= 1. */
int32_t tl_random_index(tl_random *random, int32_t count);
/* Uniform in the unit ball, and on the unit sphere. */
void tl_random_ball(tl_random *random, double vector[3]);
void tl_random_direction(tl_random *random, double vector[3]);

/* The arrays of a problem while it is being filled; owned by the talus_stored. */
typedef struct tl_generated {
  double *position, *radius;
  double *velocity, *inverse_mass, *inverse_inertia;
  int32_t *body_a, *body_b;
  double *normal, *bias, *friction;
  double *reach_a, *reach_b; /* one of the two pairs */
  double *arm_a, *arm_b;
} tl_generated;

typedef enum tl_lever { TL_LEVER_REACH, TL_LEVER_ARM } tl_lever;

/* Arrays for bodies, all at the velocity that gravity gives in one step; then for contacts, all
 * with the friction of def. Both attach them to the problem. */
talus_status tl_generate_bodies(talus_stored *stored, const talus_generate_def *def,
                                tl_generated *generated);
talus_status tl_generate_contacts(talus_stored *stored, const talus_generate_def *def,
                                  int32_t contact_count, tl_lever lever, tl_generated *generated);

/* Sets a body's inverse mass, and its inverse inertia from principal moments along x, y, z. */
void tl_generate_mass(tl_generated *generated, int32_t body, double mass, const double moment[3]);

/* One generator per kind: fills a new stored. */
talus_status tl_generate_heap(talus_stored *stored, const talus_generate_def *def);
talus_status tl_generate_stack(talus_stored *stored, const talus_generate_def *def);
talus_status tl_generate_random(talus_stored *stored, const talus_generate_def *def);

/* ---- packing of spheres by drop and roll ----------------------------------------------------- */

typedef struct tl_sphere {
  double x, y, z, r;
} tl_sphere;

/* Surfaces of the open box, as ids beside those of spheres. */
enum { TL_FLOOR = -1, TL_WALL_COUNT = 5 };

/* Spheres in the box 0 <= x <= width, 0 <= y <= depth, 0 <= z, sorted into cubic cells so large
 * that spheres within `margin` of each other are in neighbouring cells. */
typedef struct tl_packing {
  talus_context *context;
  tl_sphere *sphere;
  int32_t count;
  double width, depth, cell;
  double radius_mean, radius_max;
  int32_t size[3];      /* cells along x, y, z; what lies higher goes to the last layer */
  int32_t *head, *next; /* lists of spheres per cell */
  int32_t layer_top;    /* highest layer with a sphere */
} tl_packing;

talus_status tl_packing_create(talus_context *context, int32_t capacity, double width, double depth,
                               double radius_mean, double radius_max, double margin,
                               tl_packing *packing);
void tl_packing_destroy(tl_packing *packing);
/* Takes all spheres out; puts one where it is said to lie. */
void tl_packing_clear(tl_packing *packing);
void tl_packing_keep(tl_packing *packing, tl_sphere sphere);
/* Drops a sphere above (x, y), lets it roll until it is at rest, and keeps it there. */
void tl_packing_drop(tl_packing *packing, double x, double y, double radius);
/* The first `count` spheres in an order in which near ones mostly stand near each other: along
 * Morton's curve through the cells. A few stay as they were dropped: caches hold all of them. */
talus_status tl_packing_order(const tl_packing *packing, int32_t count, int32_t *order);
/* Numbers all spheres in that order. */
talus_status tl_packing_number(tl_packing *packing);
/* The cells that meet a box given by its corners, as ranges low..high of cell indices. */
void tl_packing_cells(const tl_packing *packing, const double low[3], const double high[3],
                      int32_t first[3], int32_t last[3]);
/* Inward normal and offset of a surface: normal . x >= offset inside. wall: TL_FLOOR, -2 .. -5. */
void tl_packing_wall(const tl_packing *packing, int32_t wall, double normal[3], double *offset);

#endif
