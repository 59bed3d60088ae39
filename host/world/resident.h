/* resident.h: a world in the memory of a device (kernels/world_backend.h).
 *
 * Such a world is loaded once and then makes its steps there; the host reads a record per step, and
 * fetches bodies and contacts when somebody asks for them. Shapes of every kind, in steps that
 * nothing special happens in. All else goes through the host: worlds with joints, mechanisms,
 * servos, cells, cohesion, callbacks, sub-steps; steps that are not accepted as they are, in which
 * a body outruns its margin, a pair becomes too deep or touches a mesh in very many points. The
 * bits are the same either way. */
#ifndef TL_RESIDENT_H
#define TL_RESIDENT_H

#include "host/world/world.h"
#include "kernels/world_backend.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tl_resident_name {
  int32_t shape, body; /* ids */
} tl_resident_name;

typedef struct tl_world_resident {
  const tl_world_backend *backend;
  tl_resident *memory;
  talus_world *world;
  bool loaded;         /* the device has what the host has, or ... */
  bool ahead;          /* ... has made steps since; bodies of the host are those before, and ... */
  bool contacts_ahead; /* ... contacts */
  bool contacts_kept;  /* the host's contacts are of the same step as its bodies */
  const char *reason;  /* why the last step went through the host; NULL: it did not */
  bool turning;        /* a fixed body has a spin */
  int32_t *kinematic;  /* slots */
  double *steering;    /* [6] of each: velocity, spin */
  int32_t kinematic_count;
  tl_buffer kinematic_memory, steering_memory, load_memory;
  /* see resident_change.c */
  bool general;                    /* as loaded */
  bool rearranged;                 /* bodies or shapes were added or removed since, or ... */
  bool marked;                     /* ... bodies were set, or ... */
  bool other_materials;            /* ... materials */
  int32_t body_count, shape_count; /* that the device has, in slots of its own: */
  int32_t *body_id;                /* [body_count] ascending */
  tl_resident_name *shape_name;    /* [shape_count] */
  uint8_t *mark;                   /* [body_count] parts that were edited */
  tl_buffer names_memory, names_next;
  /* what the host's copies are of, should the device be lost */
  int64_t kept_step;
  double kept_time;
  tl_body_motion *kept; /* of kinematic bodies, which the host moves along */
  bool steered;         /* they have velocities of a step that was begun since */
  tl_buffer kept_memory;
  int64_t step_count;     /* made on the device */
  int64_t queued_count;   /* of them, queued as a whole; of these ... */
  int64_t extended_count; /* ... those whose solves took more than was queued; and ... */
  int64_t missed_count;   /* ... steps that came out otherwise and were made once more */
  /* whether a step is queued as a whole */
  int32_t calm;     /* steps in a row that came out as they were queued, or were made in phases */
  int32_t patience; /* so many are wanted before one is; the more the more often that was wrong */
  /* after steps that came out otherwise than a device makes them */
  int32_t pause;         /* steps that the host makes until the device is asked again */
  int32_t next_pause;    /* after the next such step; the longer the more of them there were */
  int64_t refused_count; /* such steps */
  int64_t fitting;       /* shapes for which there was room */
  bool refused;          /* there is too little memory, and `auto` leaves the world to the CPU */
} tl_world_resident;

/* Nothing where the context's backend has no worlds. */
talus_status tl_resident_create(talus_world *world);
void tl_resident_destroy(talus_world *world);
/* Makes a step on the device, if it can be made there. *made: else the world is as it was. */
talus_status tl_resident_step(talus_world *world, talus_step_report *report, bool *made);

/* resident_lost.c: after the host has got the bodies, or handed the world over. */
void tl_resident_keep(tl_world_resident *resident);
/* If the device is lost: the world is what was kept. Returns the status. */
talus_status tl_resident_rewind(tl_world_resident *resident, talus_status status);

/* resident_room.c: what it has, by an estimate; whether the device has room for it. *reason: it has
 * not, and `auto` leaves the world to the CPU; OUT_OF_MEMORY if the device was asked for. */
tl_resident_size tl_resident_size_of(const talus_world *world);
talus_status tl_resident_fit(tl_world_resident *resident, const char **reason);
/* A step found too little memory, and the world is as it was before it: the same. */
talus_status tl_resident_yield(tl_world_resident *resident, talus_status status,
                               const char **reason);

/* resident_shapes.c: why a device cannot take these shapes; NULL: it can. */
const char *tl_resident_shapes_reason(const talus_world *world);
/* Only balls, one to a free body, and half-spaces; else there are contacts with arms. */
bool tl_resident_is_plain(const talus_world *world);
/* A free body is no ball. */
bool tl_resident_is_uneven(const talus_world *world);
void tl_resident_body_fact(const talus_world *world, const tl_body *body, tl_body_fact *fact);
void tl_resident_shape_fact(const talus_world *world, const tl_shape_slot *shape,
                            tl_shape_fact *fact);
/* The width of cells in which nearly all shapes fit, m. */
double tl_resident_cell_width(const talus_world *world);

/* Arrays one behind the other in one piece of memory; without memory they are only counted. */
typedef struct tl_resident_pieces {
  char *memory;
  size_t used;
} tl_resident_pieces;

static inline void *tl_resident_piece(tl_resident_pieces *p, size_t count, size_t size) {
  void *const at = p->memory != NULL ? p->memory + p->used : NULL;
  p->used += (count * size + 15) / 16 * 16;
  return at;
}

/* resident_load.c: hands the world over; *reason: why that cannot be, or NULL. */
talus_status tl_resident_load_world(tl_world_resident *resident, const char **reason);
/* Bodies back to the host; contacts. */
talus_status tl_resident_fetch_bodies(tl_world_resident *resident);
talus_status tl_resident_fetch_contacts(tl_world_resident *resident);
void tl_resident_motion_copy(const talus_world *world, const tl_body *body, tl_body_motion *motion);
/* Which bodies are kinematic, and whether a fixed one turns. */
talus_status tl_resident_note_kinematic(tl_world_resident *resident);
void tl_resident_materials_copy(const talus_world *world, double *friction, double *restitution,
                                tl_spring_material *spring);

/* resident_change.c: notes what the device has, after it was loaded or changed; memory for it, to
 * be taken before. */
talus_status tl_resident_names_reserve(tl_world_resident *resident);
void tl_resident_note_names(tl_world_resident *resident);
/* Hands over what was changed since; where that has to be the whole world, it is not loaded any
 * more. *reason: as for tl_resident_load_world. */
talus_status tl_resident_change_world(tl_world_resident *resident, const char **reason);
/* Slots of a contact's shape and body, -1 if they were removed since; ids. */
typedef struct tl_resident_side {
  int32_t shape, body;
  tl_resident_name name;
} tl_resident_side;
tl_resident_side tl_resident_side_of(const tl_world_resident *resident, int32_t shape);

#ifdef __cplusplus
}
#endif

#endif
