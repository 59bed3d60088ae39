/* mechanism.c: life of a mechanism, its state and what acts on it. */
#include "host/mechanism/mechanism.h"

#include <math.h>
#include <stdio.h>

#include "host/base/structs.h"
#include "host/math/rotation.h"

static const int q_counts[] = {1, 1, 2, 4, 7, 3}, v_counts[] = {1, 1, 2, 3, 6, 3};

void talus_link_def_init(talus_link_def *def, size_t size, talus_link_kind kind) {
  const talus_link_def defaults = {.parent = TALUS_NONE,
                                   .kind = kind,
                                   .orientation = {1},
                                   .axis = {0, 0, 1},
                                   .axis2 = {1, 0, 0},
                                   .mass = 1,
                                   .inertia = {0.1, 0, 0, 0.1, 0, 0.1},
                                   .lower = {-INFINITY, -INFINITY, -INFINITY},
                                   .upper = {INFINITY, INFINITY, INFINITY},
                                   .effort = INFINITY,
                                   .collides = UINT32_MAX};
  tl_struct_init(&tl_struct_link_def, &defaults, def, size);
}

void talus_mechanism_def_init(talus_mechanism_def *def, size_t size) {
  static const talus_mechanism_def defaults = {
      .gravity = {0, 0, -9.81}, .dynamics = TALUS_DYNAMICS_ARTICULATED, .self_collide = 1};
  tl_struct_init(&tl_struct_mechanism_def, &defaults, def, size);
}

static void link_make(const talus_link_def *def, tl_link *link) {
  memset(link, 0, sizeof *link);
  snprintf(link->name, sizeof link->name, "%s", def->name != NULL ? def->name : "");
  link->parent = def->parent;
  link->kind = (int32_t)def->kind;
  link->q_count = q_counts[def->kind];
  link->v_count = v_counts[def->kind];
  tl_copy3(link->position, def->position);
  tl_quaternion_matrix(def->orientation, link->rotation);
  tl_copy3(link->axis, def->axis);
  tl_copy3(link->axis2, def->axis2);
  tl_unit3(link->axis);
  if (def->kind == TALUS_LINK_PLANAR) {
    tl_along3(link->axis2, link->axis2, -tl_dot3(link->axis, link->axis2), link->axis);
  }
  tl_unit3(link->axis2);
  tl_cross3(link->axis3, link->axis, link->axis2);
  link->mass = def->mass;
  tl_copy3(link->centre, def->centre);
  memcpy(link->inertia, def->inertia, sizeof link->inertia);
  link->damping = def->damping;
  link->friction = def->friction;
  for (int k = 0; k < 3; k++) {
    link->lower[k] = def->limited ? def->lower[k] : -INFINITY;
    link->upper[k] = def->limited ? def->upper[k] : INFINITY;
    link->rate[k] = def->rate[k];
    link->target[k] = def->target[k];
  }
  link->motor = def->motor;
  link->effort = def->effort;
  link->response = def->response;
}

/* Parents first, each branch in one piece. A link that is not reached from the base is part of a
 * loop. */
static talus_status order_make(talus_mechanism *mechanism, int32_t *first, int32_t *next) {
  const int32_t count = mechanism->link_count;
  memset(first, -1, (size_t)(count + 1) * sizeof *first);
  for (int32_t i = count - 1; i >= 0; i--) {
    const int32_t parent = mechanism->link[i].parent;
    next[i] = first[parent + 1];
    first[parent + 1] = i;
  }
  int32_t reached = 0;
  for (int32_t at = first[0]; at >= 0;) {
    mechanism->order[reached++] = at;
    if (first[at + 1] >= 0) {
      at = first[at + 1];
      continue;
    }
    while (at >= 0 && next[at] < 0) {
      at = mechanism->link[at].parent;
    }
    at = at >= 0 ? next[at] : -1;
  }
  if (reached == count) {
    return TALUS_OK;
  }
  memset(next, 0, (size_t)count * sizeof *next);
  for (int32_t k = 0; k < reached; k++) {
    next[mechanism->order[k]] = 1;
  }
  int32_t at = 0;
  while (next[at]) {
    at++;
  }
  for (int32_t k = 0; k < count; k++) { /* by then we are in the loop itself */
    at = mechanism->link[at].parent;
  }
  char text[64];
  return tl_fail(mechanism->context, TALUS_MATRIX_FORMAT,
                 "%s: its parents form a loop; a tree is needed, close loops by a talus_loop_def",
                 tl_joint_text(mechanism->link[at].name, at, text));
}

/* All arrays in one piece of memory: first their sizes are added up, then they are handed out. */
static void *carve(char *memory, size_t *at, size_t count, size_t size) {
  char *const here = memory != NULL ? memory + *at : NULL;
  *at += (count * size + 63) / 64 * 64;
  return here;
}

static size_t arrays_carve(talus_mechanism *m, char *memory) {
  size_t at = 0;
  const size_t links = (size_t)m->link_count, n = (size_t)m->v_count, q = (size_t)m->q_count;
  m->order = carve(memory, &at, links, sizeof *m->order);
  m->state = carve(memory, &at, links, sizeof *m->state);
  m->q = carve(memory, &at, q, sizeof(double));
  m->v = carve(memory, &at, n, sizeof(double));
  m->applied = carve(memory, &at, n, sizeof(double));
  m->axis = carve(memory, &at, 6 * n, sizeof(double));
  m->body_inertia = carve(memory, &at, 36 * links, sizeof(double));
  m->effect = carve(memory, &at, 6 * n, sizeof(double));
  m->pivot = carve(memory, &at, (size_t)m->d_count, sizeof(double));
  m->wrench = carve(memory, &at, 6 * links, sizeof(double));
  m->motion = carve(memory, &at, 6 * links, sizeof(double));
  m->reduced = carve(memory, &at, n, sizeof(double));
  m->force = carve(memory, &at, n, sizeof(double));
  m->outer = carve(memory, &at, 6 * links, sizeof(double));
  m->saved = carve(memory, &at, 3 * (q + n), sizeof(double));
  return at;
}

static talus_status arrays_make(talus_mechanism *m) {
  const size_t size = arrays_carve(m, NULL);
  TL_TRY(tl_alloc(m->context, &m->memory, size, 1, "the mechanism's arrays"));
  memset(m->memory, 0, size);
  arrays_carve(m, m->memory);
  return TALUS_OK;
}

static talus_status mechanism_make(talus_mechanism *m, const talus_mechanism_def *def) {
  TL_TRY(tl_alloc(m->context, (void **)&m->link, (size_t)def->link_count, sizeof *m->link,
                  "the mechanism's links"));
  m->link_count = def->link_count;
  tl_copy3(m->gravity, def->gravity);
  m->dynamics = def->dynamics;
  for (int32_t i = 0; i < def->link_count; i++) {
    tl_link *const link = &m->link[i];
    link_make(&def->link[i], link);
    link->first_q = m->q_count;
    link->first_v = m->v_count;
    link->first_d = m->d_count;
    m->q_count += link->q_count;
    m->v_count += link->v_count;
    m->d_count += link->v_count * link->v_count;
  }
  TL_TRY(arrays_make(m));
  for (int32_t i = 0; i < m->link_count; i++) {
    if (m->link[i].q_count > m->link[i].v_count) { /* the quaternion comes last */
      m->q[m->link[i].first_q + m->link[i].q_count - 4] = 1;
    }
  }
  TL_TRY(tl_buffer_reserve(m->context, &m->scratch, 2 * (size_t)m->link_count + 1, sizeof(int32_t),
                           "the mechanism's order"));
  int32_t *const lists = m->scratch.memory;
  return order_make(m, lists, lists + m->link_count + 1);
}

/* `def` and its links have the library's sizes. */
static talus_status mechanism_create(talus_context *context, const talus_mechanism_def *def,
                                     talus_mechanism **mechanism) {
  TL_TRY(tl_links_check(context, def));
  talus_mechanism *made;
  TL_TRY(tl_alloc(context, (void **)&made, 1, sizeof *made, "a mechanism"));
  memset(made, 0, sizeof *made);
  made->context = context;
  const talus_status status = mechanism_make(made, def);
  if (status != TALUS_OK) {
    talus_mechanism_destroy(made);
    return status;
  }
  *mechanism = made;
  return TALUS_OK;
}

talus_status tl_mechanism_def_read(talus_context *context, const talus_mechanism_def *given,
                                   talus_mechanism_def *own, void **memory) {
  const talus_link_def defaults = talus_link_def_default(TALUS_LINK_REVOLUTE);
  const void *links;
  *memory = NULL;
  *own = talus_mechanism_def_default();
  TL_TRY(tl_struct_read(context, &tl_struct_mechanism_def, "mechanism def", given, own));
  TL_TRY(tl_mechanism_check(context, own));
  TL_TRY(tl_struct_read_array(context, &tl_struct_link_def, "link", own->link, own->link_count,
                              &defaults, &links, memory));
  own->link = links;
  return TALUS_OK;
}

talus_status talus_mechanism_create(talus_context *context, const talus_mechanism_def *given,
                                    talus_mechanism **mechanism) {
  if (context == NULL || given == NULL || mechanism == NULL) {
    return TALUS_INVALID_ARGUMENT;
  }
  *mechanism = NULL;
  talus_mechanism_def def;
  void *memory;
  TL_TRY(tl_mechanism_def_read(context, given, &def, &memory));
  const talus_status status = mechanism_create(context, &def, mechanism);
  tl_free(context, memory);
  return status;
}

void talus_mechanism_destroy(talus_mechanism *mechanism) {
  if (mechanism == NULL) {
    return;
  }
  talus_context *const context = mechanism->context;
  tl_conquer_destroy(context, mechanism->conquer);
  tl_buffer_release(context, &mechanism->dense);
  tl_buffer_release(context, &mechanism->scratch);
  tl_free(context, mechanism->load);
  tl_free(context, mechanism->memory);
  tl_free(context, mechanism->link);
  tl_free(context, mechanism);
}
