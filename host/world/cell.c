/* cell.c: cells as their callers give and read them. */
#include "host/world/cell.h"

#include <math.h>
#include <string.h>

#include "host/base/structs.h"

void talus_cell_init(talus_cell *cell, size_t size) {
  static const talus_cell defaults = {.rate_limit = 10};
  tl_struct_init(&tl_struct_cell, &defaults, cell, size);
}

static talus_status cell_check(const talus_world *world, const talus_cell *cell) {
  for (int c = 0; c < 3; c++) {
    if (!(cell->edge[c] > 0 && isfinite(cell->edge[c])) || !isfinite(cell->origin[c])) {
      return tl_fail(world->context, TALUS_BAD_SETTING,
                     "cell: edge[%d] is %g and origin[%d] %g; edges must be above 0", c,
                     cell->edge[c], c, cell->origin[c]);
    }
    if ((cell->servo >> c & 1) && !(cell->periodic >> c & 1)) {
      return tl_fail(world->context, TALUS_BAD_SETTING,
                     "cell: servo along %c, which is not periodic", "xyz"[c]);
    }
    if ((cell->servo >> c & 1) && !(cell->stress[c] >= 0 && isfinite(cell->stress[c]))) {
      return tl_fail(world->context, TALUS_BAD_SETTING, "cell: stress[%d] is %g, and must be >= 0",
                     c, cell->stress[c]);
    }
    if ((cell->periodic >> c & 1) == 0 && cell->rate[c] != 0) {
      return tl_fail(world->context, TALUS_BAD_SETTING,
                     "cell: rate[%d] is %g along %c, which is not periodic", c, cell->rate[c],
                     "xyz"[c]);
    }
  }
  static const int across[3][2] = {{0, 1}, {0, 2}, {1, 2}};
  for (int c = 0; c < 3; c++) {
    const bool both = (cell->periodic >> across[c][0] & 1) && (cell->periodic >> across[c][1] & 1);
    const bool servo = cell->servo >> (3 + c) & 1;
    if (!isfinite(cell->edge[3 + c]) || !isfinite(cell->rate[3 + c]) || !isfinite(cell->rate[c]) ||
        (!both && (cell->edge[3 + c] != 0 || cell->rate[3 + c] != 0 || servo))) {
      return tl_fail(
          world->context, TALUS_BAD_SETTING,
          "cell: shear of %c%c, edge[%d] %g and rate[%d] %g%s, needs both sides periodic",
          "xyz"[across[c][0]], "xyz"[across[c][1]], 3 + c, cell->edge[3 + c], 3 + c,
          cell->rate[3 + c], servo ? " with a servo" : "");
    }
    if (servo && !isfinite(cell->shear_stress[c])) {
      return tl_fail(world->context, TALUS_BAD_SETTING, "cell: shear_stress[%d] is %g", c,
                     cell->shear_stress[c]);
    }
  }
  return TALUS_OK;
}

talus_status tl_cell_refuse(const talus_world *world, const char *what) {
  return world->cell.def.periodic == 0
             ? TALUS_OK
             : tl_fail(world->context, TALUS_UNSUPPORTED,
                       "%s in a periodic cell is not possible: a world has one or the other", what);
}

static talus_status servo_check(const talus_world *world, const talus_cell *cell) {
  if (cell->servo >> 6 != 0) {
    return tl_fail(world->context, TALUS_BAD_SETTING,
                   "cell: servo %u has bits beyond those of the six rates", cell->servo);
  }
  if (!(cell->rate_limit > 0)) {
    return tl_fail(world->context, TALUS_BAD_SETTING, "cell: rate_limit is %g, and must be above 0",
                   cell->rate_limit);
  }
  return TALUS_OK;
}

static talus_status world_check(const talus_world *world, const talus_cell *cell) {
  if (world->def.plane && (cell->periodic & 2)) {
    return tl_fail(world->context, TALUS_BAD_SETTING, "cell: a plane world has no y to repeat");
  }
  if (world->mechanism_count > 0) {
    return tl_fail(world->context, TALUS_UNSUPPORTED,
                   "cell: mechanisms are not possible in a periodic cell");
  }
  return TALUS_OK;
}

talus_status talus_world_set_cell(talus_world *world, const talus_cell *given) {
  talus_cell own;
  if (world == NULL || given == NULL) {
    return TALUS_INVALID_ARGUMENT;
  }
  talus_cell_init(&own, sizeof own);
  TL_TRY(tl_struct_read(world->context, &tl_struct_cell, "cell", given, &own));
  TL_TRY(tl_world_edit(world));
  if (own.periodic >> 3 != 0) {
    return tl_fail(world->context, TALUS_BAD_SETTING,
                   "cell: periodic %u has bits beyond those of x, y and z", own.periodic);
  }
  if (own.periodic != 0) {
    TL_TRY(servo_check(world, &own));
    TL_TRY(cell_check(world, &own));
    TL_TRY(world_check(world, &own));
  }
  double rate[6];
  memcpy(rate, own.rate, sizeof rate);
  memcpy(own.rate, world->cell.def.periodic != 0 ? world->cell.def.rate : own.rate,
         sizeof own.rate);
  if (world->cell.def.periodic == 0) {
    memset(own.rate, 0, sizeof own.rate); /* bodies are given the whole of it */
  }
  for (int c = 0; c < 6; c++) { /* a servo that begins has seen no rate yet */
    world->cell.mean_rate[c] *= own.servo >> c & world->cell.def.servo >> c & 1;
  }
  world->cell.def = own;
  world->cell.plane = world->def.plane;
  if (own.periodic != 0) {
    tl_cell_rate_set(world, rate);
    tl_cell_wrap(world);
  }
  return TALUS_OK;
}

talus_status talus_world_cell(const talus_world *world, talus_cell *cell) {
  if (world == NULL || cell == NULL) {
    return TALUS_INVALID_ARGUMENT;
  }
  TL_TRY(tl_struct_check(world->context, &tl_struct_cell, "cell", cell));
  tl_struct_write(&tl_struct_cell, &world->cell.def, cell);
  return TALUS_OK;
}
