/* world_points_cuda.cu: contact points of pairs of any shapes, by the items of the narrow-phase.
 *
 * The points of a pair are found twice, to count and to write them: in between each pair learns
 * where its contacts begin. Keeping them would take 600 bytes and more for every pair that is only
 * near. A pair of more points than there is room for (a mesh of many small triangles) is told to
 * the host, which then makes the step.
 *
 * What a thread works in (20 kB) lies in memory of the world, for so many threads as run at once,
 * each of which takes pair after pair. On the stack it would take as much for each thread that the
 * device could ever run, gigabytes on large ones. */
#include <math.h>

#include "kernels/cuda/world_contact_cuda.cuh"
#include "kernels/item/collide/match.h"
#include "kernels/item/collide/narrow.h"

namespace {

enum { POINTS = 64 }; /* of a pair, before meshes' points are thinned out */

} // namespace

struct tl_pair_room {
  tl_contact_point point[POINTS];
  tl_narrow_room narrow;
  tl_point_list list;
};

namespace {

__device__ __forceinline__ tl_pair_room *room_of(const tl_world_view &v) {
  return v.pair_room + tl_world_item();
}

__device__ __forceinline__ int32_t thread_count() {
  return (int32_t)(gridDim.x * blockDim.x);
}

__device__ void points_find(const tl_world_view &v, int32_t a, int32_t b, const tl_pose *pose_a,
                            const tl_pose *pose_b, double margin, tl_pair_room *found) {
  tl_placed of_a, of_b;
  of_a.geometry = &v.geometry[a];
  of_a.pose = pose_a;
  of_b.geometry = &v.geometry[b];
  of_b.pose = pose_b;
  found->list.point = found->point;
  found->list.count = 0;
  found->list.capacity = POINTS;
  found->list.full = false;
  const tl_pair_query query =
      tl_pair_query_make(of_a, of_b, a, b, v.shape[a].movable != 0, v.shape[b].movable != 0, margin,
                         &found->narrow, &found->list);
  tl_narrow_points(&query);
}

/* Those of pair p, where its shapes stand. */
__device__ __forceinline__ void pair_find(const tl_world_view &v, int32_t p, tl_pair_room *found) {
  const int32_t a = (int32_t)v.pair_a[p], b = (int32_t)v.pair_b[p];
  points_find(v, a, b, &v.pose[a], &v.pose[b], v.place[a].margin + v.place[b].margin, found);
}

__global__ void __launch_bounds__(TL_WORLD_BLOCK) points_count_kernel(const tl_world_view v) {
  tl_pair_room *const found = room_of(v);
  double count[1] = {0};
  const int32_t pairs = *v.pair_count;
  for (int32_t p = tl_world_item(); p < v.pair_capacity; p += thread_count()) {
    if (p >= pairs) {
      v.flag[p] = 0;
      continue;
    }
    pair_find(v, p, found);
    v.flag[p] = (uint32_t)found->list.count;
    count[0] += (double)found->list.count;
    if (found->list.full) {
      atomicOr((unsigned *)&v.record->crowded, 1u);
    }
  }
  tl_sum_block(count);
  if (threadIdx.x == 0) { /* where contacts begin is counted modulo 2^32 */
    atomicAdd((unsigned long long *)&v.record->point_count, (unsigned long long)count[0]);
  }
}

/* Contacts `first` ... of pair p. */
__device__ __forceinline__ void pair_make(const tl_world_view &v, const tl_resident_rule &rule,
                                          int32_t p, int32_t first) {
  const int32_t a = (int32_t)v.pair_a[p], b = (int32_t)v.pair_b[p];
  const int32_t old = tl_world_old_first(v, a, b);
  int32_t old_end = old;
  tl_pair_room *const found = room_of(v);
  pair_find(v, p, found);
  while (tl_world_old_is(v, old_end, a, b)) {
    old_end++;
  }
  const int32_t count = (int32_t)found->list.count;
  for (int32_t n = 0; n < count; n++) {
    v.now.feature[first + n] = found->point[n].feature;
  }
  tl_match_pair(v.now.feature + first, count, v.old.feature + old, old_end - old,
                v.now_mate + first, v.old_mate + old);
  for (int32_t n = 0; n < count; n++) {
    const int32_t mate = v.now_mate[first + n];
    tl_world_contact_make(v, rule, first + n, found->point[n], mate >= 0 ? old + mate : -1);
  }
}

__global__ void __launch_bounds__(TL_WORLD_BLOCK)
    points_make_kernel(const tl_world_view v, const tl_resident_rule rule) {
  const uint64_t all = v.record->point_count;
  if (tl_world_item() == 0) {
    v.record->contact_count = all < INT32_MAX ? (int32_t)all : INT32_MAX;
  }
  if (all > (uint64_t)v.contact_capacity || v.record->crowded) {
    return; /* the host sees it, and nothing is made */
  }
  for (int32_t p = tl_world_item(); p < *v.pair_count; p += thread_count()) {
    if (v.flag[p] > 0) {
      pair_make(v, rule, p, (int32_t)v.offset[p]);
    }
  }
}

/* How far the shape's fastest point travels in the step. */
__device__ __forceinline__ double travel_of(const tl_world_view &v, int32_t shape, double dt) {
  const tl_shape_fact &s = v.shape[shape];
  const tl_body_motion &m = v.motion[s.body];
  return dt * tl_shape_speed(v.fact[s.body].round, s.reach, s.position, m.velocity, m.spin);
}

__device__ __forceinline__ void pose_after(const tl_world_view &v, int32_t shape, tl_pose *pose) {
  const tl_shape_fact &s = v.shape[shape];
  const tl_body_motion &m = v.motion[s.body];
  double arm[3];
  tl_shape_place_find(m.position, m.orientation, s.position, s.rotation, s.still, arm,
                      pose->position, pose->rotation);
}

/* As host/world/penetration.c: pairs with edges and corners that may have turned by much are looked
 * at once more where they end. */
__device__ __forceinline__ void pair_deepen(const tl_world_view &v, const tl_resident_rule &rule,
                                            int32_t p) {
  const int32_t a = (int32_t)v.pair_a[p], b = (int32_t)v.pair_b[p], first = (int32_t)v.offset[p];
  const double limit = rule.penetration_limit * fmin(v.shape[a].size, v.shape[b].size);
  if (v.now.spherical[first] ||
      !(travel_of(v, a, rule.contact.dt) + travel_of(v, b, rule.contact.dt) > limit)) {
    return;
  }
  tl_pose pose_a, pose_b;
  tl_pair_room *const found = room_of(v);
  pose_after(v, a, &pose_a);
  pose_after(v, b, &pose_b);
  points_find(v, a, b, &pose_a, &pose_b, 2 * rule.margin, found);
  double before = 0, after = 0;
  for (uint32_t n = 0; n < v.flag[p]; n++) {
    before = tl_max(before, -v.now.gap[first + (int32_t)n]);
  }
  for (int64_t n = 0; n < found->list.count; n++) {
    after = tl_max(after, -found->point[n].gap);
  }
  if (after - before > limit || found->list.full) {
    atomicOr((unsigned *)&v.record->deep, 1u);
  }
}

/* corrected: positions have been. What has sunk in is looked at then alone. */
__global__ void __launch_bounds__(TL_WORLD_BLOCK)
    pairs_deepen_kernel(const tl_world_view v, const tl_resident_rule rule, const int corrected) {
  if ((v.record->sunk && rule.projects && !corrected) || !tl_world_contacts_made(v)) {
    return;
  }
  for (int32_t p = tl_world_item(); p < *v.pair_count; p += thread_count()) {
    if (v.flag[p] > 0) {
      pair_deepen(v, rule, p);
    }
  }
}

/* As many blocks as the device runs at once for sure. */
#define POINTS_LAUNCH(resident, ...)                                                        \
  TL_TRY(tl_cuda_check((resident)->device,                                                  \
                       tl_cuda_start((resident)->device, (resident)->device->stream,        \
                                     blocks_of((resident), (resident)->view.pair_capacity), \
                                     TL_WORLD_BLOCK, __VA_ARGS__),                          \
                       "kernel launch", __func__))

unsigned blocks_of(const tl_resident *resident, int64_t pairs) {
  const unsigned blocks = tl_cuda_blocks(pairs, TL_WORLD_BLOCK);
  const unsigned most = (unsigned)resident->device->processors;
  return blocks < most ? blocks : most;
}

} // namespace

int64_t tl_world_points_bytes(const tl_resident *resident, int64_t pairs) {
  return (int64_t)sizeof(tl_pair_room) * TL_WORLD_BLOCK * blocks_of(resident, pairs);
}

talus_status tl_world_points_stack(tl_cuda_device *device, int64_t *bytes) {
  cudaFuncAttributes attributes[3];
  TL_CUDA_TRY(device, cudaFuncGetAttributes(&attributes[0], points_count_kernel));
  TL_CUDA_TRY(device, cudaFuncGetAttributes(&attributes[1], points_make_kernel));
  TL_CUDA_TRY(device, cudaFuncGetAttributes(&attributes[2], pairs_deepen_kernel));
  *bytes = 0;
  for (const cudaFuncAttributes &a : attributes) {
    const int64_t own = (int64_t)a.localSizeBytes;
    *bytes = own > *bytes ? own : *bytes;
  }
  *bytes *= (int64_t)device->processors * device->processor_threads;
  return TALUS_OK;
}

talus_status tl_world_points_reserve(tl_resident *resident, int64_t pairs) {
  TL_TRY(tl_cuda_reserve(resident->device, &resident->points,
                         (size_t)tl_world_points_bytes(resident, pairs), "finding contact points"));
  resident->view.pair_room = (tl_pair_room *)resident->points.memory;
  return TALUS_OK;
}

talus_status tl_world_points_count(const tl_resident *resident) {
  POINTS_LAUNCH(resident, points_count_kernel, resident->view);
  return TALUS_OK;
}

talus_status tl_world_points_make(const tl_resident *resident, const tl_resident_rule *rule) {
  POINTS_LAUNCH(resident, points_make_kernel, resident->view, *rule);
  return TALUS_OK;
}

talus_status tl_world_points_deepen(const tl_resident *resident, const tl_world_view *view,
                                    const tl_resident_rule *rule, bool corrected) {
  POINTS_LAUNCH(resident, pairs_deepen_kernel, *view, *rule, (int)corrected);
  return TALUS_OK;
}
