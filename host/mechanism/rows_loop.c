/* rows_loop.c: loops as bilateral rows: points that stay together, frames that do not turn. */
#include "host/math/rotation.h"
#include "host/mechanism/coupling.h"

static const double LEVEL[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

static const double *rotation_of(const talus_coupling *coupling, int32_t mechanism, int32_t link) {
  return link < 0 ? LEVEL : coupling->mechanism[mechanism]->state[link].rotation;
}

static void point_place(const talus_coupling *coupling, int32_t mechanism, int32_t link,
                        const double *point, double *place) {
  tl_turn3(place, rotation_of(coupling, mechanism, link), point);
  if (link >= 0) {
    tl_along3(place, place, 1, coupling->mechanism[mechanism]->state[link].origin);
  }
}

/* The rotation of b from its orientation relative to a, as a vector of the world; small angles. */
static void turned(const double *a, const double *b, const double *orientation, double *angle) {
  double relative[9], error[9] = {0};
  tl_quaternion_matrix(orientation, relative);
  for (int i = 0; i < 3; i++) { /* b (a relative)^T */
    for (int j = 0; j < 3; j++) {
      for (int k = 0; k < 3; k++) {
        double wanted = 0;
        for (int l = 0; l < 3; l++) {
          wanted += a[3 * j + l] * relative[3 * l + k];
        }
        error[3 * i + j] += b[3 * i + k] * wanted;
      }
    }
  }
  tl_set3(angle, 0.5 * (error[7] - error[5]), 0.5 * (error[2] - error[6]),
          0.5 * (error[3] - error[1]));
}

/* On b, and its opposite on a. */
void tl_row_twist(const talus_coupling *coupling, const int32_t side[4], const double *a,
                  const double *b, const double *axis, tl_coupling_row *row) {
  static const double none[3];
  tl_row_push(coupling, side, a, b, none, row);
  row->is_moment = 1;
  for (int e = 0; e < 2; e++) {
    if (row->end[e].link >= 0) {
      tl_scale3(row->end[e].wrench, e ? 1 : -1, axis);
    }
  }
}

int32_t tl_rows_loop(const talus_coupling *coupling, const talus_loop_def *loop,
                     tl_coupling_row *row) {
  const int32_t side[4] = {loop->mechanism_a, loop->link_a, loop->mechanism_b, loop->link_b};
  const double *const frame = rotation_of(coupling, side[0], side[1]);
  const double rate = coupling->def.correction / tl_step_ahead(coupling);
  double a[3], b[3], apart[3], direction[3], angle[3];
  point_place(coupling, side[0], side[1], loop->point_a, a);
  point_place(coupling, side[2], side[3], loop->point_b, b);
  tl_sub3(apart, b, a);
  for (int32_t k = 0; k < loop->direction_count; k++, row++) {
    tl_turn3(direction, frame, loop->direction + 3 * k);
    tl_row_push(coupling, side, a, b, direction, row);
    row->bias = rate * tl_dot3(direction, apart);
  }
  turned(frame, rotation_of(coupling, side[2], side[3]), loop->orientation, angle);
  for (int32_t k = 0; k < loop->turn_count; k++, row++) {
    tl_turn3(direction, frame, loop->turn + 3 * k);
    tl_row_twist(coupling, side, a, b, direction, row);
    row->bias = rate * tl_dot3(direction, angle);
  }
  return loop->direction_count + loop->turn_count;
}
