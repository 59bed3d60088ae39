/* packing.h: bodies with their shapes, apart from any world: what is read from a table or a
 * checkpoint and put into another world, and what is written.
 *
 * A table (CSV, or ParaView's points, VTP) has a line per body of one shape: x, y, z and r, and
 * what else is given. A checkpoint has all free bodies of its world, clumps and hulls too. */
#ifndef TL_PACKING_H
#define TL_PACKING_H

#include <stdbool.h>

#include "host/io/checkpoint.h"
#include "talus/talus_world.h"

typedef struct tl_packing_body {
  talus_body_state state;
  int32_t group;
  uint32_t collides;
  int32_t first_shape, shape_count;
} tl_packing_body;

typedef struct tl_packing_shape {
  int32_t kind; /* talus_shape_kind */
  int32_t material;
  double position[3], orientation[4]; /* in the frame of the body's centre of mass */
  double radius, half_length, half_edge[3];
  int32_t first_point, point_count;
} tl_packing_shape;

/* All zero before its first use. */
typedef struct tl_body_list {
  talus_context *context;
  tl_packing_body *body;
  tl_packing_shape *shape;
  double *point; /* [3 point_count] of hulls */
  int32_t body_count, shape_count, point_count;
  char *materials; /* names, each ended by a newline; NULL: numbers are all that is known */
  bool plane;
  bool periodic;
  double cell[6]; /* edges of the cell, m */
  double
      rate[6]; /* of the cell, 1/s: its motion is part of the velocities; 0 in older checkpoints */
} tl_body_list;

/* Room for as many bodies, shapes and points as its counts say. */
talus_status tl_packing_reserve(tl_body_list *packing);
void tl_packing_release(tl_body_list *packing);

/* The free bodies of a world. materials may be NULL. */
talus_status tl_packing_take(const talus_world *world, const char *materials,
                             tl_body_list *packing);
/* Adds its bodies to a world, free or fixed; material[m]: the world's material for number m. body:
 * [body_count] receives the ids. Statuses: those of talus_body_add and talus_shape_add. */
talus_status tl_packing_add(const tl_body_list *packing, talus_world *world, talus_body_type type,
                            const int32_t *material, int32_t *body);
/* Material number m by name; NULL: it has none. text: of 64 bytes at least. */
const char *tl_packing_material(const tl_body_list *packing, int32_t m, char *text,
                                size_t capacity);
/* How many material numbers it has. */
int32_t tl_packing_material_count(const tl_body_list *packing);

/* To a checkpoint and back. FILE_FORMAT: it is of a version that kept no shapes, or damaged. */
talus_status tl_packing_put(tl_checkpoint_writer *writer, const tl_body_list *packing);
talus_status tl_packing_load(tl_checkpoint *checkpoint, talus_context *context,
                             tl_body_list *packing);

/* A table, by the ending of its name .vtp or CSV. Clumps, hulls and meshes are left out of it.
 * Statuses of reading: FILE_OPEN, FILE_FORMAT (file and line), OUT_OF_MEMORY; of writing:
 * FILE_WRITE, OUT_OF_MEMORY. */
talus_status tl_packing_read(talus_context *context, const char *path, tl_body_list *packing);
talus_status tl_packing_write(const tl_body_list *packing, const char *path);
/* How many bodies a table leaves out. */
int32_t tl_packing_left_out(const tl_body_list *packing);
/* The same of one kind, of bodies that a table can hold; packing has its context, and nothing else
 * before it is read. */
talus_status tl_packing_read_csv(const char *path, tl_body_list *packing);
talus_status tl_packing_write_csv(const tl_body_list *packing, const char *path);
talus_status tl_packing_read_vtp(const char *path, tl_body_list *packing);
talus_status tl_packing_write_vtp(const tl_body_list *packing, const char *path);

#endif
