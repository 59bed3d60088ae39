/* assembly_wrench.c: contacts of six rows: torques, elliptic cones, W_kk of force and torque.
 *
 * W_kk is found by what the kernels themselves do: the contact pushes with a unit of each row and
 * feels what moves. The step of a contact alone is 1 / lambda, lambda a bound of the largest
 * eigenvalue of S^-1 W_kk: by Collatz and Wielandt, of the norms of its blocks. */
#include <math.h>
#include <string.h>

#include "host/problem/assembly.h"
#include "host/problem/problem_check.h"
#include "host/problem/system_view.h"
#include "kernels/item/rigid.h"
#include "kernels/item/wrench.h"

enum { ROWS = 6, PARTS = 4, ROUNDS = 4 };

typedef struct wrench_build {
  const talus_problem *problem;
  tl_assembly *assembly;
  tl_view view;     /* of the system */
  tl_range range;   /* of the contacts */
  double *velocity; /* 0 but for the masses in the records of spheres */
} wrench_build;

/* Velocities of nothing. */
static talus_status velocities_clear(talus_context *context, wrench_build *build) {
  tl_buffer *const room = &build->assembly->scratch[0];
  TL_TRY(tl_buffer_reserve(context, room, (size_t)build->view.shape.velocity_size, sizeof(double),
                           "velocities of one contact"));
  build->velocity = room->memory;
  tl_system_still(&build->view, build->velocity);
  return TALUS_OK;
}

/* What contact `place` has moved stands still again. */
static void velocities_forget(const wrench_build *build, int32_t place) {
  const tl_view *const view = &build->view;
  if (build->range.kind == TL_BLOCKS) {
    for (int32_t e = view->entry_first[place]; e < view->entry_first[place + 1]; e++) {
      memset(build->velocity + view->entry[e].offset, 0,
             (size_t)view->entry[e].size * sizeof(double));
    }
    return;
  }
  const int32_t body[2] = {view->body_a[place], view->body_b[place]};
  for (int side = 0; side < 2; side++) {
    double *const record = build->velocity + TL_RECORD * (int64_t)body[side];
    memset(record, 0, 3 * sizeof *record);
    memset(record + 4, 0, 3 * sizeof *record);
  }
}

/* W_kk, 6x6 in the contact frame. */
static void delassus_probe(const wrench_build *build, int32_t place, double *w) {
  const bool world = build->range.kind != TL_BLOCKS;
  tl_vec axis[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  if (world) {
    axis[0] = tl_load(build->view.normal, place);
    tl_tangents(axis[0], &axis[1], &axis[2]);
  }
  for (int column = 0; column < ROWS; column++) {
    tl_wrench unit = {{0, 0, 0}, {0, 0, 0}};
    *(column < 3 ? &unit.force : &unit.torque) = axis[column % 3];
    tl_wrench_apply(&build->view, build->range, place, unit, build->velocity);
    const tl_wrench u = tl_wrench_velocity(&build->view, build->range, place, build->velocity);
    for (int row = 0; row < ROWS; row++) {
      w[ROWS * row + column] = tl_dot(axis[row % 3], row < 3 ? u.force : u.torque);
    }
    velocities_forget(build, place);
  }
}

/* A 3x3 block of W_kk. */
static void block_of(const double *w, int row, int column, double *block) {
  for (int i = 0; i < 9; i++) {
    block[i] = w[ROWS * (row + i / 3) + column + i % 3];
  }
}

/* Bound of the largest eigenvalue of S^-1 W_kk. */
static double lambda_bound(const double *w, tl_parts s) {
  static const int first[PARTS + 1] = {0, 1, 3, 4, 6};
  const double scale[PARTS] = {s.normal, s.slide, s.spin, s.roll};
  double norm[PARTS][PARTS], v[PARTS] = {1, 1, 1, 1}, bound = 0;
  for (int a = 0; a < PARTS; a++) {
    for (int b = 0; b < PARTS; b++) {
      double square = 0;
      for (int i = first[a]; i < first[a + 1]; i++) {
        for (int j = first[b]; j < first[b + 1]; j++) {
          square += w[ROWS * i + j] * w[ROWS * i + j];
        }
      }
      norm[a][b] = a == b ? 1 : sqrt(square / (scale[a] * scale[b]));
    }
  }
  for (int round = 0; round < ROUNDS; round++) {
    double next[PARTS];
    bound = 0;
    for (int a = 0; a < PARTS; a++) {
      next[a] = 0;
      for (int b = 0; b < PARTS; b++) {
        next[a] += norm[a][b] * v[b];
      }
      bound = fmax(bound, next[a] / v[a]);
    }
    memcpy(v, next, sizeof v);
  }
  return bound;
}

/* A contact whose bodies cannot turn against each other bears no torque that would do anything. */
static void torque_drop(tl_system *system, int32_t place, int64_t torque) {
  system->weight[torque] = system->scale_n[torque] = system->scale_t[torque] = 1;
  system->friction[torque] = system->spin_friction[place] = 0;
  memset(system->diagonal + 3 * torque, 0, 3 * sizeof(double));
  memset(system->mixed + 3 * torque, 0, 3 * sizeof(double));
}

/* Relative angular velocity without impulses, in the world frame, and the size of its terms. */
static void spin_free(const talus_rigid *rigid, int32_t k, double *w, double *sizes) {
  const int32_t body[2] = {rigid->body_a[k], rigid->body_b[k]};
  for (int c = 0; c < 3; c++) {
    w[c] = sizes[c] = 0;
    for (int side = 0; side < 2; side++) {
      const double part = body[side] >= 0 ? rigid->velocity[6 * (int64_t)body[side] + 3 + c] : 0;
      w[c] += side ? part : -part;
      sizes[c] += fabs(part);
    }
  }
}

/* The squeeze of contact k; its velocity without impulses is squeezed too. */
static void ellipse_fill(const wrench_build *build, int32_t k, int32_t place) {
  tl_system *const system = &build->assembly->system;
  const tl_ellipse ellipse = tl_problem_ellipse(build->problem, k);
  system->friction[place] = ellipse.friction;
  memcpy(system->squeeze + 3 * (int64_t)place, ellipse.squeeze, sizeof ellipse.squeeze);
  const tl_vec free = tl_squeeze(&build->view, place, tl_contact_free(&build->view, place));
  system->free_x[place] = free.x;
  system->free_y[place] = free.y;
  system->free_z[place] = free.z;
}

static talus_status wrench_fill(talus_context *context, const wrench_build *build, int32_t place) {
  tl_assembly *const assembly = build->assembly;
  tl_system *const system = &assembly->system;
  const talus_problem *const problem = build->problem;
  const int32_t k = system->order[place];
  const int64_t torque = (int64_t)system->shape.contact_count + place;
  const double *const mu = problem->torque_friction;
  double w[ROWS * ROWS], block[9];
  if (system->shape.elliptic) {
    ellipse_fill(build, k, place);
  }
  delassus_probe(build, place, w);
  block_of(w, 0, 0, block);
  TL_TRY(tl_assembly_scale(context, assembly, place, block, 3, 0, system->friction[place]));
  block_of(w, 0, 3, block);
  memcpy(system->coupling + 9 * (int64_t)place, block, sizeof block);
  block_of(w, 3, 3, block);
  system->spin_friction[place] = mu != NULL ? mu[2 * (int64_t)k] : 0;
  const double weight = tl_system_scale(system, (int32_t)torque, block, 3, 0,
                                        mu != NULL ? mu[2 * (int64_t)k + 1] : 0);
  if (!(weight > 0)) {
    torque_drop(system, place, torque);
  } else if (!isfinite(weight)) {
    return tl_assembly_refuse(context, assembly, place, 3 * weight);
  }
  if (problem->form == TALUS_FORM_RIGID) {
    double u[3], sizes[3];
    spin_free(&problem->rigid, k, u, sizes);
    const double square = tl_system_free(system, (int32_t)torque, u, sizes);
    if (assembly->kept.brick_size > 0) {
      tl_assembly_round(assembly, place, square);
    } else {
      assembly->rounding += square;
    }
  }
  system->local_step[place] = 1 / lambda_bound(w, tl_wrench_scale(&build->view, place));
  return TALUS_OK;
}

talus_status tl_assembly_wrenches(talus_context *context, const talus_problem *problem,
                                  tl_assembly *assembly) {
  tl_system *const system = &assembly->system;
  wrench_build build = {.problem = problem,
                        .assembly = assembly,
                        .view = tl_system_view(system),
                        .range = system->shape.range[0]};
  TL_TRY(velocities_clear(context, &build));
  for (int32_t place = 0; place < system->shape.torque_count; place++) {
    TL_TRY(wrench_fill(context, &build, place));
  }
  return TALUS_OK;
}
