/* generate_number.c: the spheres of a packing numbered by where they lie.
 *
 * What is gathered through an index (velocities of bodies, colliders, contacts of a body) is then
 * mostly near what was gathered before. Spheres as they were dropped are spread over a whole layer
 * of the packing, which is more than caches hold once there are some ten thousands. */
#include "host/io/generate.h"

#include <string.h>

#include "host/math/radix.h"

enum { FEW = 1 << 14, BITS = 20 };

/* The place of a cell along Morton's curve: the bits of its coordinates, one of each in turn. */
static uint64_t curve_place(const int32_t cell[3]) {
  uint64_t place = 0;
  for (int bit = 0; bit < BITS; bit++) {
    for (int axis = 0; axis < 3; axis++) {
      place |= (uint64_t)(cell[axis] >> bit & 1) << (3 * bit + axis);
    }
  }
  return place;
}

talus_status tl_packing_order(const tl_packing *packing, int32_t count, int32_t *order) {
  for (int32_t i = 0; i < count; i++) {
    order[i] = i;
  }
  if (count <= FEW) {
    return TALUS_OK;
  }
  void *memory;
  TL_TRY(tl_alloc(packing->context, &memory, (size_t)count, 2 * sizeof(uint64_t) + sizeof(int32_t),
                  "order of spheres"));
  uint64_t *const key = memory, *const key_other = key + count;
  for (int32_t i = 0; i < count; i++) {
    const double centre[3] = {packing->sphere[i].x, packing->sphere[i].y, packing->sphere[i].z};
    int32_t cell[3], same[3];
    tl_packing_cells(packing, centre, centre, cell, same);
    key[i] = curve_place(cell);
  }
  tl_radix_sort(key, order, key_other, (int32_t *)(key_other + count), count);
  tl_free(packing->context, memory);
  return TALUS_OK;
}

talus_status tl_packing_number(tl_packing *packing) {
  const size_t count = (size_t)packing->count;
  void *memory;
  if (packing->count <= FEW) {
    return TALUS_OK;
  }
  TL_TRY(tl_alloc(packing->context, &memory, count, sizeof(tl_sphere) + sizeof(int32_t),
                  "order of spheres"));
  tl_sphere *const sphere = memory;
  int32_t *const order = (int32_t *)(sphere + count);
  const talus_status status = tl_packing_order(packing, packing->count, order);
  if (status == TALUS_OK) {
    memcpy(sphere, packing->sphere, count * sizeof *sphere);
    tl_packing_clear(packing);
    for (size_t i = 0; i < count; i++) {
      tl_packing_keep(packing, sphere[order[i]]);
    }
  }
  tl_free(packing->context, memory);
  return status;
}
