/* spheres.c: finds out that form (b) came from spheres, so that it can run as form (a).
 *
 * Stored blocks cost three times the memory traffic of normals and reaches. A contact of form (b)
 * is one of spheres if, for bodies of six columns with M^-1 = diag(1/m, 1/I),
 *   its linear parts are -F and +F, F = (n, t1, t2) orthonormal: a and b;
 *   its angular parts are the moments of arms along n, in whatever frame the body's angular
 *   velocity is written: rows (0, reach R t2, -reach R t1) for one rotation R per body.
 * With isotropic inertia R may be forgotten: spin in the world frame describes the same motion.
 * Everything is verified contact by contact; any misfit leaves form (b) as it is. */
#include <math.h>
#include <string.h>

#include "host/problem/translation.h"
#include "kernels/item/cone.h"

static const double FIT = 1e-9; /* relative misfit allowed: the data are rounded */

typedef struct sphere_body {
  int32_t known; /* 1: rotation holds R, row-major: world to body frame */
  double rotation[9];
} sphere_body;

static bool body_is_sphere(const double *m) {
  for (int i = 0; i < 6; i++) {
    for (int j = 0; j < 6; j++) {
      const double wanted = i != j ? 0 : m[i < 3 ? 0 : 21];
      if (fabs(m[6 * i + j] - wanted) > 1e-12 * fabs(m[i < 3 ? 0 : 21])) {
        return false;
      }
    }
  }
  return m[0] > 0 && m[21] > 0;
}

/* Rows n t1 t2 of the linear part, times sign, are a right- or left-handed orthonormal frame. */
static bool frame_read(const double *jacobian, double sign, double *frame) {
  for (int row = 0; row < 3; row++) {
    for (int c = 0; c < 3; c++) {
      frame[3 * row + c] = sign * jacobian[6 * row + c];
    }
  }
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j <= i; j++) {
      const double dot = tl_dot(tl_load(frame, i), tl_load(frame, j));
      if (fabs(dot - (i == j)) > FIT) {
        return false;
      }
    }
  }
  return true;
}

/* Reach and rotation from one body's angular part. The arm is side * reach * n with side +1 for a
 * and -1 for b, so that the angular row of direction d is sign * R (arm x d) = -reach R (n x d)
 * for either body. */
static bool angular_read(const double *jacobian, const double *frame, sphere_body *body,
                         double *reach) {
  const tl_vec n = tl_load(frame, 0);
  double size = 0;
  for (int row = 0; row < 3; row++) {
    for (int c = 0; c < 3; c++) {
      size = fmax(size, fabs(jacobian[6 * row + 3 + c]));
    }
  }
  const tl_vec row1 = tl_vec_make(jacobian[9], jacobian[10], jacobian[11]);
  const tl_vec row2 = tl_vec_make(jacobian[15], jacobian[16], jacobian[17]);
  *reach = sqrt(tl_dot(row1, row1));
  if (!(*reach > 0)) {
    return size == 0; /* contact through the centre */
  }
  if (!body->known) { /* physical reaches are positive: R t = (R (n x d)) read backwards */
    const tl_vec world[3] = {n, tl_cross(n, tl_load(frame, 1)), tl_cross(n, tl_load(frame, 2))};
    const tl_vec first = tl_times(-1 / *reach, row1), second = tl_times(-1 / *reach, row2);
    const double hand = tl_dot(tl_cross(world[1], world[2]), n) > 0 ? 1 : -1;
    const tl_vec image[3] = {tl_times(hand, tl_cross(first, second)), first, second};
    for (int i = 0; i < 3; i++) { /* R = sum image worldT */
      const double to[3] = {world[i].x, world[i].y, world[i].z};
      for (int c = 0; c < 3; c++) {
        body->rotation[c] += image[i].x * to[c];
        body->rotation[3 + c] += image[i].y * to[c];
        body->rotation[6 + c] += image[i].z * to[c];
      }
    }
    body->known = 1;
  }
  for (int row = 0; row < 3; row++) {
    const tl_vec turn = tl_cross(n, tl_load(frame, row));
    for (int c = 0; c < 3; c++) {
      const double wanted = -*reach * tl_dot(tl_load(body->rotation, c), turn);
      if (fabs(jacobian[6 * row + 3 + c] - wanted) > 1e3 * FIT * *reach) {
        return false;
      }
    }
  }
  return true;
}

/* Arrays of the translated problem, cut from one block. */
typedef struct sphere_arrays {
  double *velocity, *inverse_mass, *inverse_inertia, *normal, *reach_a, *reach_b, *surface, *frame;
  int32_t *body_a, *body_b;
  sphere_body *body;
} sphere_arrays;

static talus_status arrays_take(talus_context *context, tl_translation *t, sphere_arrays *arrays) {
  const size_t bodies = (size_t)t->problem.blocks.block_count;
  const size_t contacts = (size_t)t->problem.contact_count;
  TL_TRY(tl_buffer_reserve(context, &t->spheres,
                           13 * bodies + 18 * contacts +
                               bodies * (sizeof(sphere_body) / sizeof(double) + 1),
                           sizeof(double), "spheres"));
  arrays->velocity = t->spheres.memory;
  arrays->inverse_mass = arrays->velocity + 6 * bodies;
  arrays->inverse_inertia = arrays->inverse_mass + bodies;
  arrays->normal = arrays->inverse_inertia + 6 * bodies;
  arrays->reach_a = arrays->normal + 3 * contacts;
  arrays->reach_b = arrays->reach_a + contacts;
  arrays->surface = arrays->reach_b + contacts;
  arrays->frame = arrays->surface + 3 * contacts;
  arrays->body_a = (int32_t *)(arrays->frame + 9 * contacts);
  arrays->body_b = arrays->body_a + contacts;
  arrays->body = (sphere_body *)(arrays->frame + 10 * contacts);
  memset(arrays->body, 0, bodies * sizeof *arrays->body);
  return TALUS_OK;
}

static bool contact_read(const talus_blocks *blocks, int32_t k, sphere_arrays *arrays) {
  const int64_t first = blocks->contact_start[k], count = blocks->contact_start[k + 1] - first;
  if (count < 1 || count > 2) {
    return false;
  }
  double *const frame = arrays->frame + 9 * (int64_t)k;
  arrays->body_a[k] = arrays->body_b[k] = -1;
  arrays->reach_a[k] = arrays->reach_b[k] = 0;
  for (int64_t e = first; e < first + count; e++) {
    const double *const jacobian = blocks->contact_jacobian + 18 * e;
    double *const reach = e == first ? arrays->reach_b + k : arrays->reach_a + k;
    if (e == first) { /* the first is called b: F is its linear part, whichever way that points */
      arrays->body_b[k] = blocks->contact_block[e];
      if (!frame_read(jacobian, 1, frame)) {
        return false;
      }
    } else {
      double other[9];
      arrays->body_a[k] = blocks->contact_block[e];
      if (!frame_read(jacobian, -1, other)) {
        return false;
      }
      for (int i = 0; i < 9; i++) {
        if (fabs(other[i] - frame[i]) > FIT) {
          return false;
        }
      }
    }
    if (!angular_read(jacobian, frame, arrays->body + blocks->contact_block[e], reach)) {
      return false;
    }
  }
  return true;
}

static void contact_finish(const talus_problem *problem, int32_t k, sphere_arrays *arrays) {
  const double *const frame = arrays->frame + 9 * (int64_t)k;
  const double *const bias = problem->blocks.bias + 3 * (int64_t)k;
  for (int c = 0; c < 3; c++) {
    arrays->normal[3 * (int64_t)k + c] = frame[c];
    arrays->surface[3 * (int64_t)k + c] =
        bias[0] * frame[c] + bias[1] * frame[3 + c] + bias[2] * frame[6 + c];
  }
}

/* Spin in the world frame: R^T of what the body frame has. */
static void bodies_finish(const talus_blocks *blocks, sphere_arrays *arrays) {
  for (int64_t i = 0; i < blocks->block_count; i++) {
    const double *const v = blocks->velocity + 6 * i, *const m = blocks->inverse_mass + 36 * i;
    const double *const r = arrays->body[i].rotation;
    memcpy(arrays->velocity + 6 * i, v, 3 * sizeof *v);
    for (int c = 0; c < 3; c++) {
      arrays->velocity[6 * i + 3 + c] =
          arrays->body[i].known ? r[c] * v[3] + r[3 + c] * v[4] + r[6 + c] * v[5] : v[3 + c];
    }
    arrays->inverse_mass[i] = m[0];
    memset(arrays->inverse_inertia + 6 * i, 0, 6 * sizeof(double));
    arrays->inverse_inertia[6 * i] = arrays->inverse_inertia[6 * i + 3] =
        arrays->inverse_inertia[6 * i + 5] = m[21];
  }
}

talus_status tl_spheres_find(talus_context *context, tl_translation *t) {
  const talus_problem *const problem = &t->problem;
  const talus_blocks *const blocks = &problem->blocks;
  t->frame = NULL;
  if (problem->dimension != 3 || problem->cross_friction != NULL || problem->bilateral_count > 0 ||
      problem->contact_count == 0) {
    return TALUS_OK;
  }
  for (int64_t i = 0; i < blocks->block_count; i++) {
    if (blocks->block_size[i] != 6 || !body_is_sphere(blocks->inverse_mass + 36 * i)) {
      return TALUS_OK;
    }
  }
  sphere_arrays arrays;
  TL_TRY(arrays_take(context, t, &arrays));
  for (int32_t k = 0; k < problem->contact_count; k++) {
    if (!contact_read(blocks, k, &arrays)) {
      tl_buffer_release(context, &t->spheres);
      return TALUS_OK;
    }
    contact_finish(problem, k, &arrays);
  }
  bodies_finish(blocks, &arrays);
  talus_problem *const rigid = &t->as_spheres;
  *rigid = talus_problem_default(TALUS_FORM_RIGID);
  rigid->contact_count = problem->contact_count;
  rigid->friction = problem->friction;
  rigid->rigid = (talus_rigid){.body_count = blocks->block_count,
                               .velocity = arrays.velocity,
                               .inverse_mass = arrays.inverse_mass,
                               .inverse_inertia = arrays.inverse_inertia,
                               .body_a = arrays.body_a,
                               .body_b = arrays.body_b,
                               .normal = arrays.normal,
                               .reach_a = arrays.reach_a,
                               .reach_b = arrays.reach_b,
                               .surface_velocity = arrays.surface};
  t->frame = arrays.frame;
  return TALUS_OK;
}
