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

typedef struct tl_world_resident {
  const tl_world_backend *backend;
  tl_resident *memory;
  talus_world *world;
  bool loaded;        /* the device has what the host has, or ... */
  bool ahead;         /* ... has made steps since */
  const char *reason; /* why the last step went through the host; NULL: it did not */
  bool turning;       /* a fixed body has a spin */
  int32_t *kinematic; /* slots */
  double *steering;   /* [6] of each: velocity, spin */
  int32_t kinematic_count;
  tl_buffer kinematic_memory, steering_memory, load_memory;
  /* what the host's copies are of, should the device be lost */
  int64_t kept_step;
  double kept_time;
  tl_body_motion *kept; /* of kinematic bodies, which the host moves along */
  tl_buffer kept_memory;
  int64_t step_count;   /* made on the device */
  int64_t queued_count; /* of them, queued as a whole; and ... */
  int64_t missed_count; /* ... those that came out otherwise and were made once more */
  /* whether a step is queued as a whole */
  int32_t calm;     /* steps in a row that could have been, or were */
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

/* resident_lost.c: after the host has got the world, or handed it over. */
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

/* resident_load.c: hands the world over; *reason: why that cannot be, or NULL. */
talus_status tl_resident_load_world(tl_world_resident *resident, const char **reason);
/* Bodies and contacts back to the host. */
talus_status tl_resident_fetch_world(tl_world_resident *resident);

#ifdef __cplusplus
}
#endif

#endif
