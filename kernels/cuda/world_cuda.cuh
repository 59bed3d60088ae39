/* world_cuda.cuh: a world in device memory: what its files share.
 *
 *   world_cuda.cu         life, load, fetch, the table
 *   world_memory_cuda.cu  device memory
 *   world_change_cuda.cu  what the caller has changed between steps
 *   world_pairs_cuda.cu   which shapes are near each other
 *   world_touch_cuda.cu   velocities without contact, contacts, the problem
 *   world_points_cuda.cu  contact points of shapes of any kind
 *   world_shapes_cuda.cu  geometries on their way to the device
 *   world_advance_cuda.cu guards, balances, moves
 *   world_room_cuda.cu    what memory a world needs */
#ifndef TL_WORLD_CUDA_CUH
#define TL_WORLD_CUDA_CUH

#include "kernels/cuda/device_cuda.h"
#include "kernels/cuda/launch.h"
#include "kernels/cuda/primitives.h"
#include "kernels/cuda/sum_cuda.h"
#include "kernels/cuda/world_limit_cuda.h"
#include "kernels/item/collide/geometry.h"
#include "kernels/world_backend.h"

enum { TL_WORLD_BLOCK = 256 };

/* Where a shape stands in this step. */
typedef struct tl_shape_place {
  double position[3], normal[3], margin; /* normal: of a half-space */
  double middle[3], half[3];             /* of the box around it; not of a half-space */
} tl_shape_place;

typedef struct tl_pair_room tl_pair_room; /* world_points_cuda.cu: what a thread works in */

/* What kernels see of a world; pointers into device memory. */
typedef struct tl_world_view {
  int32_t body_count, shape_count, material_count;
  int32_t pair_capacity, contact_capacity;
  int32_t *pair_count; /* how many there are */
  tl_body_motion *motion, *kept;
  const tl_body_fact *fact;
  const tl_shape_fact *shape;
  const double *friction, *restitution;
  const tl_spring_material *spring;
  double *before, *free, *after; /* [6 body_count] */
  double *still, *moved;         /* [6 body_count] of the projection */
  tl_shape_place *place, *room;  /* now; for which pairs were sought: margin with skin */
  const uint32_t *pair_a, *pair_b;
  uint32_t *flag, *offset; /* [pair_capacity] how many contacts it has, and from which on */
  /* worlds that are not plain; else NULL */
  const tl_geometry *geometry;  /* [shape_count] */
  tl_pose *pose;                /* [shape_count] where it stands in this step */
  double *arm_a, *arm_b;        /* of contacts */
  int32_t *now_mate, *old_mate; /* of contacts: matching */
  tl_pair_room *pair_room;
  tl_resident_contacts now, old;
  double *reach_a, *reach_b, *surface, *target, *velocity, *push; /* of contacts */
  tl_resident_record *record;
  double *partial;
  unsigned *ticket;
} tl_world_view;

/* The world's memory on the device. */
#define TL_WORLD_BUFFERS(X) \
  X(bodies)                 \
  X(shapes)                 \
  X(materials)              \
  X(search) X(pairs) X(now) X(old) X(problem) X(sums) X(scratch) X(geometry) X(points) X(changes)

struct tl_resident {
  tl_cuda_device *device;
  tl_world_view view;
  double cell;
  int64_t pairs_most, contacts_most; /* see tl_world_limit */
  int64_t body_capacity, shape_capacity;
  int64_t summed;        /* items that there is room to sum */
  int64_t geometry_room; /* shapes for which there is room in `geometry`, and ... */
  size_t geometry_used;  /* ... bytes of it that are taken, with what they point to */
  bool general, uneven;  /* as loaded */
  bool arms;             /* the problem of this step has arms, not reaches */
  bool sought;           /* there are pairs */
  bool begun;            /* bodies of this step are kept, so that it can be taken back */
  bool advanced;         /* `now` and `old` have changed places since touch */
  bool restored;         /* after which the record has what the last advance wrote */
  /* see rooms_learn */
  bool seeks;    /* this step begins with a search of pairs */
  int32_t age;   /* steps since the last search */
  int32_t hold;  /* after so many steps the next one is queued, whether it is needed or not */
  int32_t spare; /* of those, so many in a row were not needed */
  double *inverse_mass, *inverse_inertia;
#define TL_FIELD(name) tl_cuda_buffer name;
  TL_WORLD_BUFFERS(TL_FIELD)
#undef TL_FIELD
};

static __device__ __forceinline__ int32_t tl_world_item(void) {
  return (int32_t)((int64_t)blockIdx.x * blockDim.x + threadIdx.x);
}

#define TL_WORLD_LAUNCH(device, count, ...)                                                   \
  TL_TRY(tl_cuda_check((device),                                                              \
                       tl_cuda_start((device), (device)->stream,                              \
                                     tl_cuda_blocks((count), TL_WORLD_BLOCK), TL_WORLD_BLOCK, \
                                     __VA_ARGS__),                                            \
                       "kernel launch", __func__))

/* Sums of all threads' values over the fixed tree, of `count` items; a thread of the last block
 * writes them, and returns true. Blocks behind the last item do nothing. partial: [N blocks]. */
template <int N>
static __device__ __forceinline__ bool
tl_world_sum(double (&value)[N], int32_t count, double *partial, unsigned *ticket, double *result) {
  const unsigned chunks = count > 0 ? (unsigned)((count + TL_WORLD_BLOCK - 1) / TL_WORLD_BLOCK) : 1;
  if (blockIdx.x >= chunks) {
    return false;
  }
  tl_sum_block(value);
  for (int n = 0; n < N && threadIdx.x == 0; n++) {
    partial[(int64_t)n * chunks + blockIdx.x] = value[n];
  }
  if (!tl_sum_is_last(ticket, chunks)) {
    return false;
  }
  for (int n = 0; n < N; n++) {
    value[n] = tl_sum_leaf(partial + (int64_t)n * chunks, chunks);
  }
  tl_sum_block(value);
  for (int n = 0; n < N && threadIdx.x == 0; n++) {
    result[n] = value[n];
  }
  return threadIdx.x == 0;
}

/* Whether contacts have arms, by the record of a touch. */
static inline bool tl_world_has_arms(const tl_resident *resident,
                                     const tl_resident_record *record) {
  return resident->general && (resident->uneven || record->skewed != 0);
}

/* Waits for the first half of the record; for the second. */
talus_status tl_world_touched_fetch(const tl_resident *resident, tl_resident_record *record);
talus_status tl_world_moved_fetch(const tl_resident *resident, tl_resident_record *record);
/* world_memory_cuda.cu: room for so many; bodies and shapes that there are stay. */
talus_status tl_world_bodies_reserve(tl_resident *resident, int64_t bodies);
talus_status tl_world_shapes_reserve(tl_resident *resident, int64_t shapes);
talus_status tl_world_materials_reserve(tl_resident *resident, int64_t materials);
/* Room for so many pairs, and for their contacts in plain worlds. */
talus_status tl_world_pairs_reserve(tl_resident *resident, int64_t pairs);
/* They are more than that. */
talus_status tl_world_pairs_refuse(const tl_resident *resident, int64_t pairs, int64_t most);
/* Room for so many contacts; those of the step before are kept. */
talus_status tl_world_contacts_reserve(tl_resident *resident, int64_t contacts);
/* `now` becomes `old`, and the other way round. */
void tl_world_contacts_swap(tl_resident *resident);
/* world_pairs_cuda.cu: queues a search of all pairs for the places of now. */
talus_status tl_world_pairs_seek(tl_resident *resident, double skin);
/* Whether it has found them, by its record; *again: it has to be made once more, with more room. */
talus_status tl_world_pairs_found(tl_resident *resident, const tl_resident_record *record,
                                  bool *again);
/* world_points_cuda.cu: memory to work in, which so many pairs take or would take; the stacks that
 * the driver sets aside, B. */
talus_status tl_world_points_reserve(tl_resident *resident, int64_t pairs);
int64_t tl_world_points_bytes(const tl_resident *resident, int64_t pairs);
talus_status tl_world_points_stack(tl_cuda_device *device, int64_t *bytes);
/* How many contact points each pair has; contacts from them, once they are numbered; whether a pair
 * has become too deep where its bodies have moved to. */
talus_status tl_world_points_count(const tl_resident *resident);
talus_status tl_world_points_make(const tl_resident *resident, const tl_resident_rule *rule);
talus_status tl_world_points_deepen(const tl_resident *resident, const tl_world_view *view,
                                    const tl_resident_rule *rule, bool corrected);
/* Pairs of materials, and their springs, for which there is room. */
talus_status tl_world_materials_send(tl_resident *resident, int32_t count, const double *friction,
                                     const double *restitution, const tl_spring_material *spring);
/* world_change_cuda.cu: as in the table. */
talus_status tl_world_change(tl_resident *resident, const tl_resident_change *change);
/* world_shapes_cuda.cu: copies of the geometries of all shapes, into resident->geometry. */
talus_status tl_world_geometry_load(tl_resident *resident, const tl_geometry *const *geometry);
/* Geometries laid out in host memory, with room for them on the device. */
typedef struct tl_world_geometries {
  void *image;                 /* the array, then what it points to */
  size_t array, pointed;       /* bytes of both, and ... */
  size_t array_at, pointed_at; /* ... where they go */
  tl_cuda_buffer larger;       /* takes the place of resident->geometry, if that has no room */
} tl_world_geometries;
/* Those of shapes that come: the last `added` of `count`, or all where these have no room behind
 * those that are there, which stay as they are until they are sent. Drop accepts what make left
 * after a failure. */
talus_status tl_world_geometry_make(tl_resident *resident, const tl_geometry *const *geometry,
                                    int32_t count, int32_t added, tl_world_geometries *g);
talus_status tl_world_geometry_send(tl_resident *resident, tl_world_geometries *g);
void tl_world_geometry_drop(tl_resident *resident, tl_world_geometries *g);
/* world_touch_cuda.cu, world_advance_cuda.cu: as in the table. */
talus_status tl_world_touch(tl_resident *resident, const tl_resident_rule *rule,
                            tl_resident_record *record);
talus_status tl_world_form(tl_resident *resident, const tl_resident_rule *rule,
                           tl_resident_problem which, talus_problem *problem,
                           talus_solution *solution, tl_queued_facts *facts);
/* After a step that was as expected. */
void tl_world_rooms_learn(tl_resident *resident, bool left);
talus_status tl_world_advance(tl_resident *resident, const tl_resident_rule *rule,
                              tl_resident_record *record);
talus_status tl_world_correct(tl_resident *resident, const tl_resident_rule *rule,
                              tl_resident_record *record);

/* world_room_cuda.cu */
talus_status tl_world_room(const tl_resident *resident, const tl_resident_size *size,
                           int64_t *needed, int64_t *free);

#endif
