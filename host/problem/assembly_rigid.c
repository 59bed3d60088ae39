/* assembly_rigid.c: form (a), rigid bodies with normals and reaches or arms, and bilateral rows.
 *
 * Bodies that cannot move share one record that stays 0; their velocity enters q. Contacts with
 * reaches between bodies of isotropic inertia become SPHERES (W_kk is diagonal about n and the
 * inertia one number), all others ARMS. */
#include <math.h>
#include <string.h>

#include "host/base/each.h"
#include "host/problem/assembly.h"
#include "kernels/halo.h"
#include "kernels/item/rigid.h"

/* What the steps below share. */
typedef struct rigid_build {
  const talus_problem *problem;
  const talus_rigid *rigid;
  tl_assembly *assembly;
  int32_t *body; /* [body_count] internal body or -1 */
  int32_t *low, *high, *colour;
  int same;  /* the kept order holds */
  int round; /* all inertias are isotropic */
} rigid_build;

/* Numbers the bodies that move; where there are bricks, by these, if the order is not kept. */
static void bodies_count(rigid_build *build, int32_t *moving) {
  const bool bricks = build->assembly->kept.brick_size > 0;
  int32_t count = 0;
  build->round = 1;
  for (int32_t i = 0; i < build->rigid->body_count; i++) {
    const int32_t number = tl_rigid_moves(build->rigid, i) ? count++ : -1;
    build->same =
        build->same && (bricks ? (build->body[i] >= 0) == (number >= 0) : build->body[i] == number);
    build->body[i] = bricks && build->same ? build->body[i] : number;
    build->round =
        build->round && tl_rigid_isotropic(build->rigid->inverse_inertia + 6 * (int64_t)i);
  }
  *moving = count;
}

/* The order is kept, and bodies are spheres, only if that is so on all ranks. */
static talus_status ranks_agree(rigid_build *build) {
  tl_halo *const halo = build->assembly->halo;
  int64_t number[TL_HALO_NUMBERS] = {!build->same, !build->round};
  if (halo != NULL) {
    TL_TRY(halo->meet(halo, TALUS_OK, number));
    build->same = !number[0];
    build->round = !number[1];
  }
  return TALUS_OK;
}

static talus_status bodies_number(talus_context *context, rigid_build *build) {
  const bool bricks = build->assembly->kept.brick_size > 0;
  build->assembly->system.shape.unit_chunk_count =
      bricks ? build->assembly->kept.shape.unit_chunk_count : 0;
  return bricks && !build->same
             ? tl_bricks_number(context, build->assembly, build->assembly->kept.brick,
                                build->rigid->body_count, build->body)
             : TALUS_OK;
}

static int32_t internal_body(const rigid_build *build, int32_t body) {
  return body >= 0 ? build->body[body] : -1;
}

/* The units of constraint k: contacts first, then bilateral rows. With bricks they are the caller's
 * bodies, in whose order the constraints of a brick stand. */
static void pairs_find(rigid_build *build) {
  const bool bricks = build->assembly->kept.brick_size > 0;
  const int32_t contacts = build->problem->contact_count;
  for (int32_t k = 0; k < contacts + build->problem->bilateral_count; k++) {
    const bool row = k >= contacts;
    const int32_t *a = row ? build->rigid->row_body_a : build->rigid->body_a;
    const int32_t *b = row ? build->rigid->row_body_b : build->rigid->body_b;
    const int32_t body_a = a[row ? k - contacts : k], body_b = b[row ? k - contacts : k];
    const int32_t to_a = internal_body(build, body_a), to_b = internal_body(build, body_b);
    const int32_t i = bricks && to_a >= 0 ? body_a : to_a, j = bricks && to_b >= 0 ? body_b : to_b;
    build->low[k] = i >= 0 && (j < 0 || i < j) ? i : j;
    build->high[k] = i >= 0 && j >= 0 ? (i < j ? j : i) : -1;
  }
}

static void bodies_fill(const rigid_build *build) {
  tl_system *const system = &build->assembly->system;
  const int32_t kind = system->shape.body_kind;
  for (int32_t i = 0; i < build->rigid->body_count; i++) {
    if (build->body[i] >= 0) {
      tl_rigid_body_fill(build->rigid, i, kind,
                         system->body + (kind == TL_SPHERES ? 4 : 16) * (int64_t)build->body[i]);
    }
  }
}

/* *square: what it adds to the rounding; a NULL context goes without the message of a failure. */
static talus_status contact_fill(talus_context *context, const rigid_build *build, int32_t k,
                                 int32_t place, double *square) {
  const tl_system *const system = &build->assembly->system;
  const double weight = tl_rigid_contact_fill(build->rigid, build->problem->friction, build->body,
                                              system, place, k, square);
  if (!(weight > 0) || !isfinite(weight)) {
    return tl_assembly_refuse(context, build->assembly, place, 3 * weight);
  }
  return TALUS_OK;
}

typedef struct contact_task {
  const rigid_build *build;
  double *square; /* by place */
} contact_task;

/* A square below 0 stands for a failure. */
static void contacts_part(void *arguments, int64_t first, int64_t end) {
  const contact_task *const t = arguments;
  const int32_t *const place = t->build->assembly->kept.place;
  for (int32_t k = (int32_t)first; k < end; k++) {
    double *const square = &t->square[place[k]];
    if (contact_fill(NULL, t->build, k, place[k], square) != TALUS_OK) {
      *square = -1;
    }
  }
}

/* All contacts, in the caller's order, in which what is read lies close together: the places that
 * are written are one stream per colour. Of several failures the first place is told. The squares
 * are added chunk by chunk of places, so that the sum depends on the order alone. */
static talus_status contacts_fill(talus_context *context, const rigid_build *build) {
  tl_assembly *const assembly = build->assembly;
  const int32_t count = build->problem->contact_count;
  TL_TRY(tl_buffer_reserve(context, &assembly->scratch[3], (size_t)count, sizeof(double),
                           "roundings"));
  double *const square = assembly->scratch[3].memory;
  contact_task task = {build, square};
  const bool bricks = assembly->kept.brick_size > 0;
  tl_each(context, count > TL_CHUNK ? assembly->threads : 1, count, contacts_part, &task);
  for (int32_t first = 0; first < count; first += TL_CHUNK) {
    const int32_t end = count - first < TL_CHUNK ? count : first + TL_CHUNK;
    double sum = 0;
    for (int32_t i = first; i < end; i++) {
      if (square[i] < 0) {
        return contact_fill(context, build, assembly->system.order[i], i, square);
      }
      sum += square[i];
      if (bricks) {
        tl_assembly_round(assembly, i, square[i]);
      }
    }
    assembly->rounding += sum;
  }
  return TALUS_OK;
}

/* The lists of contact ends by body, ascending. */
static void ends_fill(tl_system *system) {
  const int32_t bodies = system->shape.rigid_count, contacts = system->shape.rigid_contact_count;
  int32_t *const first = system->end_first;
  memset(first, 0, ((size_t)bodies + 1) * sizeof *first);
  for (int32_t k = 0; k < contacts; k++) {
    if (system->body_a[k] < bodies) {
      first[system->body_a[k] + 1]++;
    }
    if (system->body_b[k] < bodies) {
      first[system->body_b[k] + 1]++;
    }
  }
  for (int32_t i = 0; i < bodies; i++) {
    first[i + 1] += first[i];
  }
  for (int32_t k = 0; k < contacts; k++) {
    if (system->body_a[k] < bodies) {
      system->end[first[system->body_a[k]]++] = 2 * k;
    }
    if (system->body_b[k] < bodies) {
      system->end[first[system->body_b[k]]++] = 2 * k + 1;
    }
  }
  memmove(first + 1, first, (size_t)bodies * sizeof *first);
  first[0] = 0;
}

/* A bilateral row's Jacobian against one body, in the columns of a record. */
static void row_entry(const rigid_build *build, int32_t body, const double *jacobian, int64_t entry,
                      int32_t *entry_unit, double *w) {
  tl_system *const system = &build->assembly->system;
  const int32_t to = internal_body(build, body);
  const double *const inertia = build->rigid->inverse_inertia + 6 * (int64_t)body;
  double *const j = system->jacobian + TL_RECORD * entry;
  double *const r = system->response + TL_RECORD * entry;
  const tl_vec turn = tl_sym_times(inertia, tl_vec_make(jacobian[3], jacobian[4], jacobian[5]));
  const double spin[3] = {turn.x, turn.y, turn.z};
  j[3] = j[7] = r[3] = r[7] = 0;
  for (int c = 0; c < 3; c++) {
    j[c] = jacobian[c];
    j[4 + c] = jacobian[3 + c];
    r[c] = build->rigid->inverse_mass[body] * jacobian[c];
    r[4 + c] = spin[c];
    *w += jacobian[c] * r[c] + jacobian[3 + c] * spin[c];
  }
  system->entry[entry] = (tl_entry){TL_RECORD * to, TL_RECORD, TL_RECORD * entry};
  entry_unit[entry] = to;
}

static talus_status rows_fill(talus_context *context, const rigid_build *build,
                              int32_t *entry_unit) {
  tl_system *const system = &build->assembly->system;
  const talus_rigid *const rigid = build->rigid;
  const tl_shape *const shape = &system->shape;
  const bool bricks = build->assembly->kept.brick_size > 0;
  int32_t entry = 0;
  for (int32_t place = shape->entry_base; place < shape->contact_count; place++) {
    const int64_t row = system->order[place] - build->problem->contact_count;
    const int32_t body[2] = {rigid->row_body_a[row], rigid->row_body_b[row]};
    double u[3] = {rigid->row_bias != NULL ? rigid->row_bias[row] : 0, 0, 0}, w[9] = {0};
    double sizes[3] = {fabs(u[0]), 0, 0};
    system->entry_first[place - shape->entry_base] = entry;
    for (int side = 0; side < 2; side++) {
      const double *const jacobian = rigid->row_jacobian + 12 * row + 6 * side;
      for (int c = 0; c < 6 && body[side] >= 0; c++) {
        const double part = jacobian[c] * rigid->velocity[6 * (int64_t)body[side] + c];
        u[0] += part;
        sizes[0] += fabs(part);
      }
      if (internal_body(build, body[side]) >= 0) {
        row_entry(build, body[side], jacobian, entry++, entry_unit, w);
      }
    }
    TL_TRY(tl_assembly_scale(context, build->assembly, place, w, 1, 1, 0));
    const double square = tl_system_free(&build->assembly->system, place, u, sizes);
    if (bricks) {
      tl_assembly_round(build->assembly, place, square);
    } else {
      build->assembly->rounding += square;
    }
  }
  system->entry_first[shape->contact_count - shape->entry_base] = entry;
  tl_assembly_incidence(build->assembly, entry_unit);
  return TALUS_OK;
}

/* How many ends, and entries of bilateral rows, there will be. */
static void shape_count(const rigid_build *build, tl_shape *shape) {
  const int32_t contacts = build->problem->contact_count;
  for (int32_t k = 0; k < contacts + build->problem->bilateral_count; k++) {
    const int64_t sides = build->high[k] >= 0 ? 2 : 1;
    if (k < contacts) {
      shape->end_count += sides;
    } else {
      shape->entry_count += sides;
    }
  }
  shape->incidence_count = shape->entry_count;
  shape->jacobian_count = TL_RECORD * shape->entry_count;
}

/* Order, colours and chunks: kept, or made anew. */
static talus_status order_take(talus_context *context, rigid_build *build, int coloured) {
  tl_assembly *const assembly = build->assembly;
  tl_shape *const shape = &assembly->system.shape;
  if (build->same) {
    tl_kept_restore(assembly);
    return TALUS_OK;
  }
  assembly->ordered++;
  const size_t constraints = (size_t)shape->contact_count;
  TL_TRY(tl_buffer_reserve(context, &assembly->scratch[1], 3 * constraints, sizeof(int32_t),
                           "pairs of bodies"));
  build->low = assembly->scratch[1].memory;
  build->high = build->low + constraints;
  build->colour = build->high + constraints;
  memset(build->colour, 0, constraints * sizeof *build->colour);
  pairs_find(build);
  shape_count(build, shape);
  const bool bricks = assembly->kept.brick_size > 0;
  const tl_links links = {.unit_count = bricks ? build->rigid->body_count : shape->rigid_count,
                          .low = build->low,
                          .high = build->high,
                          .name = bricks ? build->problem->ids : NULL};
  TL_TRY(bricks ? tl_order_bricks(context, assembly, &links, assembly->kept.brick, build->colour,
                                  coloured)
                : tl_order_make(context, assembly, &links, build->colour, coloured));
  tl_kept_store(build->problem, assembly);
  return TALUS_OK;
}

talus_status tl_assemble_rigid(talus_context *context, const talus_problem *problem, int coloured,
                               tl_assembly *assembly) {
  rigid_build build = {.problem = problem, .rigid = &problem->rigid, .assembly = assembly};
  tl_shape *const shape = &assembly->system.shape;
  TL_TRY(tl_bricks_names(context, problem));
  TL_TRY(tl_kept_begin(context, problem, coloured, assembly, &build.same));
  build.body = assembly->kept.number;
  bodies_count(&build, &shape->rigid_count);
  build.same = build.same && tl_kept_holds(problem, assembly);
  TL_TRY(ranks_agree(&build));
  TL_TRY(bodies_number(context, &build));
  shape->body_kind = build.round && problem->rigid.arm_a == NULL ? TL_SPHERES : TL_ARMS;
  shape->velocity_size = TL_RECORD * (shape->rigid_count + 1);
  shape->rigid_contact_count = shape->entry_base = problem->contact_count;
  shape->range[0] = (tl_range){.kind = shape->body_kind,
                               .rows = 3,
                               .torque = shape->torque_count > 0,
                               .count = problem->contact_count};
  shape->range[1] = (tl_range){.kind = TL_BLOCKS,
                               .rows = 1,
                               .bilateral = 1,
                               .first = problem->contact_count,
                               .count = problem->bilateral_count};
  shape->range_count = problem->bilateral_count > 0 ? 2 : 1;
  TL_TRY(order_take(context, &build, coloured));
  TL_TRY(tl_assembly_reserve(context, assembly));
  bodies_fill(&build);
  TL_TRY(contacts_fill(context, &build));
  if (!build.same) {
    ends_fill(&assembly->system);
  }
  if (problem->bilateral_count > 0) {
    TL_TRY(tl_buffer_reserve(context, &assembly->scratch[2], (size_t)shape->entry_count,
                             sizeof(int32_t), "entries"));
    TL_TRY(rows_fill(context, &build, assembly->scratch[2].memory));
  }
  assembly->kept.valid = 1;
  return TALUS_OK;
}
