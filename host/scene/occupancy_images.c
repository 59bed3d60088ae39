/* occupancy_images.c: what is taken in a periodic cell: its lattice is that of the world as it is
 * now, deformed by rates, servos or an earlier run. */
#include <math.h>

#include "host/math/lattice.h"
#include "host/scene/occupancy.h"
#include "host/world/world.h"

/* Where the point is in the cell itself: its place, and how far along the edges. */
static void come_home(const tl_cell *cell, const double position[3], double home[3],
                      double part[3]) {
  double away[3], m[3], shift[3];
  tl_sub3(away, position, cell->def.origin);
  tl_lattice_steps(cell->def.edge, cell->def.periodic, away, 0, m);
  tl_lattice_point(cell->def.edge, m, shift);
  tl_sub3(home, position, shift);
  tl_sub3(away, home, cell->def.origin);
  tl_lattice_parts(cell->def.edge, away, part);
}

int tl_occupancy_places(const tl_occupancy *occupancy, const double position[3], double radius,
                        double place[TL_PLACES][3]) {
  const tl_cell *const cell = occupancy->cell;
  double part[3], height[3], shift[3];
  int count = 1;
  tl_copy3(place[0], position);
  if (cell == NULL) {
    return count;
  }
  come_home(cell, position, place[0], part);
  tl_cell_heights(cell->def.edge, height);
  for (int32_t image = -TL_IMAGE_COUNT; image <= TL_IMAGE_COUNT; image++) {
    double m[3];
    bool near = image != 0;
    tl_image_steps(image, m);
    for (int c = 0; c < 3; c++) {
      const double room =
          radius / height[c] + fmax(occupancy->largest / height[c], occupancy->wall_beyond[c]);
      const double at = part[c] + m[c];
      near &= m[c] == 0 || ((cell->def.periodic >> c & 1) && at >= -room && at <= 1 + room);
    }
    if (near) {
      tl_cell_shift(cell, image, shift);
      tl_along3(place[count++], place[0], 1, shift);
    }
  }
  return count;
}

void tl_occupancy_extend(tl_occupancy *occupancy, const tl_box *box) {
  const tl_cell *const cell = occupancy->cell;
  for (int k = 0; k < 8; k++) {
    double away[3], part[3];
    for (int c = 0; c < 3; c++) {
      away[c] = (k >> c & 1 ? box->upper[c] : box->lower[c]) - cell->def.origin[c];
    }
    tl_lattice_parts(cell->def.edge, away, part);
    for (int c = 0; c < 3; c++) {
      occupancy->wall_beyond[c] = fmax(occupancy->wall_beyond[c], fmax(-part[c], part[c] - 1));
    }
  }
}

tl_collider tl_occupancy_shape(const tl_occupancy *occupancy, int32_t i, int32_t shape) {
  const talus_world *const world = occupancy->world;
  talus_body_state state;
  tl_collider collider;
  double arm[3], shift[3];
  tl_shape_collider(world, shape, &collider, arm);
  if (occupancy->cell != NULL && talus_body_get(world, occupancy->body[i], &state) == TALUS_OK) {
    tl_sub3(shift, occupancy->ball + 4 * (size_t)i, state.position);
    tl_along3(collider.pose.position, collider.pose.position, 1, shift);
  }
  return collider;
}
