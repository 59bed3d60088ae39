/* join.c: pieces of a problem, one of each rank, made one; results back to the pieces.
 *
 * Bodies stand in the order of their ids, contacts and rows rank by rank. */
#include <math.h>
#include <string.h>

#include "host/math/radix.h"
#include "host/problem/problem_check.h"
#include "host/ranks/ranks.h"
#include "kernels/backend.h"

#define GROUND UINT64_MAX

/* What is sent of a body, a contact, a row. */
typedef struct body_piece {
  uint64_t id;
  double velocity[6], mass, inertia[6], position[3];
} body_piece;

typedef struct contact_piece {
  uint64_t a, b;
  double friction, normal[3], arm_a[3], arm_b[3], bias, surface[3]; /* a reach: the first of arm */
} contact_piece;

typedef struct row_piece {
  uint64_t a, b;
  double jacobian[12], bias, lower, upper;
} row_piece;

/* Which arrays there are. */
enum { REACHES, ARMS, FRICTION, BIAS, SURFACE, ROW_BIAS, LOWER, UPPER, ARRAYS };

/* ---- what a piece may have ------------------------------------------------------------------- */

static talus_status piece_check(talus_context *context, const talus_problem *p) {
  if (p->form != TALUS_FORM_RIGID || p->dimension != 3 || p->memory != TALUS_MEMORY_HOST ||
      context->backend->kind != TALUS_BACKEND_CPU) {
    return tl_fail(context, TALUS_UNSUPPORTED,
                   "ranks take form RIGID with three rows a contact, on the CPU, in host memory");
  }
  if (tl_problem_compliant(p) || p->cross_friction != NULL || p->asleep != NULL ||
      p->contact_key != NULL || p->row_key != NULL) {
    return tl_fail(context, TALUS_UNSUPPORTED,
                   "ranks do not take compliance, elliptic cones, sleeping bodies or keys yet: "
                   "leave these arrays NULL");
  }
  if (!(p->brick_size > 0)) {
    return tl_fail(context, TALUS_INVALID_ARGUMENT,
                   "problem.brick_size is 0: ranks need bricks, of some eight diameters");
  }
  if (p->rigid.body_count > 0 && p->ids == NULL) {
    return tl_fail(context, TALUS_MISSING_ARRAY, "problem.ids is NULL: ranks need names of bodies");
  }
  if (p->ghost_count < 0 || p->ghost_count > p->rigid.body_count) {
    return tl_fail(context, TALUS_INVALID_ARGUMENT, "problem.ghost_count is %d of %d bodies",
                   p->ghost_count, p->rigid.body_count);
  }
  return TALUS_OK;
}

/* ---- pieces out ------------------------------------------------------------------------------ */

static void copy3(double *to, const double *from, int64_t k) {
  for (int c = 0; c < 3; c++) {
    to[c] = from != NULL ? from[3 * k + c] : 0;
  }
}

static body_piece body_out(const talus_problem *p, int64_t i) {
  body_piece piece = {.id = p->ids[i], .mass = p->rigid.inverse_mass[i]};
  memcpy(piece.velocity, p->rigid.velocity + 6 * i, sizeof piece.velocity);
  memcpy(piece.inertia, p->rigid.inverse_inertia + 6 * i, sizeof piece.inertia);
  copy3(piece.position, p->positions, i);
  return piece;
}

static uint64_t id_of(const talus_problem *p, int32_t body) {
  return body >= 0 ? p->ids[body] : GROUND;
}

static contact_piece contact_out(const talus_problem *p, int64_t k) {
  const talus_rigid *const r = &p->rigid;
  contact_piece piece = {.a = id_of(p, r->body_a[k]),
                         .b = id_of(p, r->body_b[k]),
                         .friction = p->friction != NULL ? p->friction[k] : 0,
                         .bias = r->bias != NULL ? r->bias[k] : 0};
  copy3(piece.normal, r->normal, k);
  copy3(piece.arm_a, r->arm_a, k);
  copy3(piece.arm_b, r->arm_b, k);
  copy3(piece.surface, r->surface_velocity, k);
  if (r->reach_a != NULL) {
    piece.arm_a[0] = r->reach_a[k];
    piece.arm_b[0] = r->reach_b[k];
  }
  return piece;
}

static row_piece row_out(const talus_problem *p, int64_t k) {
  const talus_rigid *const r = &p->rigid;
  row_piece piece = {.a = id_of(p, r->row_body_a[k]),
                     .b = id_of(p, r->row_body_b[k]),
                     .bias = r->row_bias != NULL ? r->row_bias[k] : 0,
                     .lower = p->row_lower != NULL ? p->row_lower[k] : -INFINITY,
                     .upper = p->row_upper != NULL ? p->row_upper[k] : INFINITY};
  memcpy(piece.jacobian, r->row_jacobian + 12 * k, sizeof piece.jacobian);
  return piece;
}

/* ---- all pieces ------------------------------------------------------------------------------ */

/* How many things of each kind each rank has. */
enum { OF_BODIES, OF_CONTACTS, OF_ROWS, KINDS };
typedef int64_t counts[KINDS];

static const size_t piece_bytes[KINDS] = {sizeof(body_piece), sizeof(contact_piece),
                                          sizeof(row_piece)};

/* Everybody's pieces. */
typedef struct gathered {
  counts *of, all, first; /* by rank; of all ranks; of those before this one */
  body_piece *body;
  contact_piece *contact;
  row_piece *row;
} gathered;

static char *part(const gathered *g, int kind) {
  return kind == OF_BODIES     ? (char *)g->body
         : kind == OF_CONTACTS ? (char *)g->contact
                               : (char *)g->row;
}

/* Memory for all pieces, with this rank's in it. */
static talus_status pieces_lay_out(talus_context *context, const talus_problem *p, gathered *g,
                                   tl_buffer *memory) {
  const size_t bytes = (size_t)g->all[OF_BODIES] * sizeof(body_piece) +
                       (size_t)g->all[OF_CONTACTS] * sizeof(contact_piece) +
                       (size_t)g->all[OF_ROWS] * sizeof(row_piece);
  TL_TRY(tl_buffer_reserve(context, memory, bytes, 1, "pieces of ranks"));
  g->body = memory->memory;
  g->contact = (contact_piece *)(g->body + g->all[OF_BODIES]);
  g->row = (row_piece *)(g->contact + g->all[OF_CONTACTS]);
  for (int64_t i = 0; i < p->rigid.body_count - p->ghost_count; i++) {
    g->body[g->first[OF_BODIES] + i] = body_out(p, i);
  }
  for (int64_t k = 0; k < p->contact_count; k++) {
    g->contact[g->first[OF_CONTACTS] + k] = contact_out(p, k);
  }
  for (int64_t k = 0; k < p->bilateral_count; k++) {
    g->row[g->first[OF_ROWS] + k] = row_out(p, k);
  }
  return TALUS_OK;
}

/* `bytes` of each of own[rank] things, all of them behind each other, to everybody. */
static talus_status parts_exchange(talus_context *context, const int64_t *own, int32_t stride,
                                   size_t bytes, char *all) {
  const talus_transport *const t = tl_ranks_of(context);
  talus_message *message;
  const talus_status status =
      tl_alloc(context, (void **)&message, 2 * (size_t)t->size, sizeof *message, "messages");
  if (status != TALUS_OK) {
    tl_ranks_give_up(context);
    return status;
  }
  talus_message *const receive = message + t->size;
  char *mine = all, *at = all;
  for (int32_t r = 0; r < t->rank; r++) {
    mine += (int64_t)bytes * own[(int64_t)stride * r];
  }
  int32_t sends = 0, receives = 0;
  for (int32_t r = 0; r < t->size; r++) {
    const int64_t length = (int64_t)bytes * own[(int64_t)stride * r];
    const int64_t sent = (int64_t)bytes * own[(int64_t)stride * t->rank];
    if (r != t->rank && length > 0) {
      receive[receives++] = (talus_message){.rank = r, .memory = at, .bytes = length};
    }
    if (r != t->rank && sent > 0) {
      message[sends++] = (talus_message){.rank = r, .memory = mine, .bytes = sent};
    }
    at += length;
  }
  const int failed = t->exchange(t->user, sends, message, receives, receive);
  tl_free(context, message);
  return failed ? tl_fail(context, TALUS_RANKS_FAILED, "another rank has failed in an update")
                : TALUS_OK;
}

static talus_status counts_gather(talus_context *context, const talus_problem *p, gathered *g) {
  const talus_transport *const t = tl_ranks_of(context);
  const counts own = {p->rigid.body_count - p->ghost_count, p->contact_count, p->bilateral_count};
  memset(g->all, 0, sizeof g->all);
  memset(g->first, 0, sizeof g->first);
  if (t->gather(t->user, own, sizeof own, g->of) != 0) {
    return tl_fail(context, TALUS_RANKS_FAILED, "another rank has failed in an update");
  }
  for (int32_t r = 0; r < t->size; r++) {
    for (int kind = 0; kind < KINDS; kind++) {
      g->all[kind] += g->of[r][kind];
      g->first[kind] += r < t->rank ? g->of[r][kind] : 0;
    }
  }
  if (g->all[OF_BODIES] > 1 << 27 || 3 * (g->all[OF_CONTACTS] + g->all[OF_ROWS]) > 1 << 29) {
    return tl_fail(context, TALUS_SIZE_OVERFLOW, "%lld bodies and %lld contacts are too many",
                   (long long)g->all[OF_BODIES], (long long)g->all[OF_CONTACTS]);
  }
  return TALUS_OK;
}

/* Own pieces first, then everybody's. */
static talus_status pieces_gather(talus_context *context, const talus_problem *p, gathered *g,
                                  tl_buffer *memory) {
  TL_TRY(counts_gather(context, p, g));
  TL_TRY(tl_ranks_agree(context, pieces_lay_out(context, p, g, memory)));
  for (int kind = 0; kind < KINDS; kind++) {
    TL_TRY(parts_exchange(context, &g->of[0][kind], KINDS, piece_bytes[kind], part(g, kind)));
  }
  return TALUS_OK;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* Bodies by id: sorted ids, and the piece of each. */
typedef struct directory {
  uint64_t *id;
  int32_t *piece;
  int64_t count;
} directory;

static int64_t find(const directory *d, uint64_t id) {
  int64_t low = 0, high = d->count;
  while (low < high) {
    const int64_t middle = (low + high) / 2;
    if (d->id[middle] < id) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < d->count && d->id[low] == id ? low : -1;
}

/* Which rank gave piece i. */
static int32_t giver_of(const gathered *g, int64_t i) {
  int32_t rank = 0;
  while (i >= g->of[rank][OF_BODIES]) {
    i -= g->of[rank++][OF_BODIES];
  }
  return rank;
}

static talus_status directory_make(talus_context *context, const gathered *g, tl_buffer *memory,
                                   directory *d) {
  const size_t count = (size_t)g->all[OF_BODIES];
  TL_TRY(tl_buffer_reserve(context, memory, 3 * count + 1, sizeof(uint64_t), "ids of bodies"));
  d->id = memory->memory;
  d->piece = (int32_t *)(d->id + 2 * count);
  d->count = (int64_t)count;
  for (size_t i = 0; i < count; i++) {
    d->id[i] = g->body[i].id;
    d->piece[i] = (int32_t)i;
  }
  tl_radix_sort(d->id, d->piece, d->id + count, d->piece + count, (int64_t)count);
  for (int64_t i = 1; i < d->count; i++) {
    if (d->id[i] == d->id[i - 1]) {
      return tl_fail(context, TALUS_INVALID_ARGUMENT,
                     "body %llu is given by rank %d and by rank %d: one of them has a ghost",
                     (unsigned long long)d->id[i], giver_of(g, d->piece[i - 1]),
                     giver_of(g, d->piece[i]));
    }
  }
  return TALUS_OK;
}

/* Arrays of the whole problem. */
typedef struct arrays {
  double *velocity, *mass, *inertia, *position;
  double *normal, *arm_a, *arm_b, *friction, *bias, *surface;
  double *jacobian, *row_bias, *lower, *upper;
  int32_t *a, *b, *row_a, *row_b;
} arrays;

static talus_status arrays_take(talus_context *context, const gathered *g, tl_buffer *memory,
                                arrays *w) {
  const int64_t bodies = g->all[OF_BODIES], contacts = g->all[OF_CONTACTS], rows = g->all[OF_ROWS];
  const struct {
    double **array;
    int64_t count;
  } parts[] = {{&w->velocity, 6 * bodies},  {&w->mass, bodies},         {&w->inertia, 6 * bodies},
               {&w->position, 3 * bodies},  {&w->normal, 3 * contacts}, {&w->arm_a, 3 * contacts},
               {&w->arm_b, 3 * contacts},   {&w->friction, contacts},   {&w->bias, contacts},
               {&w->surface, 3 * contacts}, {&w->jacobian, 12 * rows},  {&w->row_bias, rows},
               {&w->lower, rows},           {&w->upper, rows}};
  const int64_t doubles = 16 * bodies + 14 * contacts + 15 * rows;
  TL_TRY(tl_buffer_reserve(context, memory, (size_t)(doubles + contacts + rows), sizeof(double),
                           "problem of all ranks"));
  double *at = memory->memory;
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    *parts[i].array = at;
    at += parts[i].count;
  }
  w->a = (int32_t *)at;
  w->b = w->a + contacts;
  w->row_a = w->b + contacts;
  w->row_b = w->row_a + rows;
  return TALUS_OK;
}

/* The body of an id, -1 for the ground. */
static talus_status body_find(talus_context *context, const directory *d, uint64_t id,
                              int32_t *body) {
  *body = id == GROUND ? -1 : (int32_t)find(d, id);
  return id != GROUND && *body < 0
             ? tl_fail(context, TALUS_INDEX_RANGE, "no rank gives body %llu, which a contact joins",
                       (unsigned long long)id)
             : TALUS_OK;
}

static talus_status whole_fill(talus_context *context, const gathered *g, const directory *d,
                               const bool *has, const arrays *w) {
  for (int64_t i = 0; i < d->count; i++) {
    const body_piece *const p = &g->body[d->piece[i]];
    memcpy(w->velocity + 6 * i, p->velocity, sizeof p->velocity);
    memcpy(w->inertia + 6 * i, p->inertia, sizeof p->inertia);
    memcpy(w->position + 3 * i, p->position, sizeof p->position);
    w->mass[i] = p->mass;
  }
  for (int64_t k = 0; k < g->all[OF_CONTACTS]; k++) {
    const contact_piece *const p = &g->contact[k];
    const size_t width = has[REACHES] ? 1 : 3;
    TL_TRY(body_find(context, d, p->a, &w->a[k]));
    TL_TRY(body_find(context, d, p->b, &w->b[k]));
    memcpy(w->normal + 3 * k, p->normal, sizeof p->normal);
    memcpy(w->arm_a + (int64_t)width * k, p->arm_a, width * sizeof(double));
    memcpy(w->arm_b + (int64_t)width * k, p->arm_b, width * sizeof(double));
    memcpy(w->surface + 3 * k, p->surface, sizeof p->surface);
    w->friction[k] = p->friction;
    w->bias[k] = p->bias;
  }
  for (int64_t k = 0; k < g->all[OF_ROWS]; k++) {
    const row_piece *const p = &g->row[k];
    TL_TRY(body_find(context, d, p->a, &w->row_a[k]));
    TL_TRY(body_find(context, d, p->b, &w->row_b[k]));
    memcpy(w->jacobian + 12 * k, p->jacobian, sizeof p->jacobian);
    w->row_bias[k] = p->bias;
    w->lower[k] = p->lower;
    w->upper[k] = p->upper;
  }
  return TALUS_OK;
}

static void whole_set(const talus_problem *piece, const gathered *g, const arrays *w,
                      const bool *has, talus_problem *whole) {
  *whole = talus_problem_default(TALUS_FORM_RIGID);
  whole->contact_count = (int32_t)g->all[OF_CONTACTS];
  whole->bilateral_count = (int32_t)g->all[OF_ROWS];
  whole->velocity_scale = piece->velocity_scale;
  whole->brick_size = piece->brick_size;
  whole->positions = w->position;
  whole->friction = has[FRICTION] ? w->friction : NULL;
  whole->row_lower = has[LOWER] ? w->lower : NULL;
  whole->row_upper = has[UPPER] ? w->upper : NULL;
  whole->rigid = (talus_rigid){.body_count = (int32_t)g->all[OF_BODIES],
                               .velocity = w->velocity,
                               .inverse_mass = w->mass,
                               .inverse_inertia = w->inertia,
                               .body_a = w->a,
                               .body_b = w->b,
                               .normal = w->normal,
                               .reach_a = has[REACHES] ? w->arm_a : NULL,
                               .reach_b = has[REACHES] ? w->arm_b : NULL,
                               .arm_a = has[REACHES] ? NULL : w->arm_a,
                               .arm_b = has[REACHES] ? NULL : w->arm_b,
                               .bias = has[BIAS] ? w->bias : NULL,
                               .surface_velocity = has[SURFACE] ? w->surface : NULL,
                               .row_body_a = w->row_a,
                               .row_body_b = w->row_b,
                               .row_jacobian = w->jacobian,
                               .row_bias = has[ROW_BIAS] ? w->row_bias : NULL};
}

/* Which arrays any rank has. */
static talus_status arrays_agree(talus_context *context, const talus_problem *p, bool *has) {
  const talus_rigid *const r = &p->rigid;
  const bool contacts = p->contact_count > 0, rows = p->bilateral_count > 0;
  int64_t own[ARRAYS] = {[REACHES] = contacts && r->reach_a != NULL,
                         [ARMS] = contacts && r->reach_a == NULL,
                         [FRICTION] = contacts && p->friction != NULL,
                         [BIAS] = contacts && r->bias != NULL,
                         [SURFACE] = contacts && r->surface_velocity != NULL,
                         [ROW_BIAS] = rows && r->row_bias != NULL,
                         [LOWER] = rows && p->row_lower != NULL,
                         [UPPER] = rows && p->row_upper != NULL};
  TL_TRY(tl_ranks_largest(context, own, ARRAYS));
  for (int i = 0; i < ARRAYS; i++) {
    has[i] = own[i] != 0;
  }
  return has[REACHES] && has[ARMS]
             ? tl_fail(context, TALUS_RANKS_FAILED,
                       "some ranks give reaches, others arms: all must give the same")
             : TALUS_OK;
}

/* Sizes that are one for all ranks, and the library's version. */
static talus_status sizes_agree(talus_context *context, const talus_problem *p) {
  const int32_t version[4] = {TALUS_VERSION_MAJOR, TALUS_VERSION_MINOR, TALUS_VERSION_PATCH,
                              (int32_t)sizeof(talus_problem)};
  const double sizes[2] = {p->brick_size, p->velocity_scale};
  TL_TRY(tl_ranks_same(context, version, sizeof version, "version of the library"));
  return tl_ranks_same(context, sizes, sizeof sizes, "problem.brick_size or velocity_scale");
}

/* The problem that is built on every rank alike, and where this rank's bodies are in it. */
static talus_status whole_make(talus_context *context, const talus_problem *piece,
                               const gathered *g, const bool *has, tl_joined *joined) {
  directory d;
  arrays w;
  TL_TRY(directory_make(context, g, &joined->bodies, &d));
  TL_TRY(arrays_take(context, g, &joined->arrays, &w));
  TL_TRY(whole_fill(context, g, &d, has, &w));
  whole_set(piece, g, &w, has, &joined->whole);
  joined->body_count = piece->rigid.body_count;
  TL_TRY(tl_buffer_reserve(context, &joined->pieces, (size_t)joined->body_count, sizeof(int32_t),
                           "bodies of this rank")); /* the pieces are no longer needed */
  joined->body = joined->pieces.memory;
  for (int32_t i = 0; i < joined->body_count; i++) {
    TL_TRY(body_find(context, &d, piece->ids[i], &joined->body[i]));
  }
  return TALUS_OK;
}

talus_status tl_join(talus_context *context, const talus_problem *piece, tl_joined *joined) {
  const talus_transport *const t = tl_ranks_of(context);
  gathered g = {.of = NULL};
  bool has[ARRAYS];
  talus_status status = piece_check(context, piece);
  if (status == TALUS_OK) {
    status = tl_alloc(context, (void **)&g.of, (size_t)t->size, sizeof *g.of, "counts of ranks");
  }
  TL_TRY_GOTO(tl_ranks_agree(context, status), end);
  TL_TRY_GOTO(sizes_agree(context, piece), end);
  TL_TRY_GOTO(arrays_agree(context, piece, has), end);
  TL_TRY_GOTO(pieces_gather(context, piece, &g, &joined->pieces), end);
  TL_TRY_GOTO(tl_ranks_agree(context, whole_make(context, piece, &g, has, joined)), end);
  joined->contact_first = (int32_t)g.first[OF_CONTACTS];
  joined->contact_count = piece->contact_count;
  joined->row_first = (int32_t)g.first[OF_ROWS];
  joined->row_count = piece->bilateral_count;
end:
  tl_free(context, g.of);
  return status;
}

/* ---- results --------------------------------------------------------------------------------- */

/* Everybody's impulses to start from, which lie behind each other as the contacts do. */
static talus_status start_gather(talus_context *context, const tl_joined *joined,
                                 const talus_solution *piece, const talus_solution *whole) {
  const talus_transport *const t = tl_ranks_of(context);
  int64_t own[2] = {joined->contact_count, joined->row_count}, *all;
  TL_TRY(tl_ranks_agree(context, tl_alloc(context, (void **)&all, 2 * (size_t)t->size, sizeof *all,
                                          "counts of ranks")));
  memset(whole->impulse + 3 * (int64_t)joined->contact_first, 0,
         3 * (size_t)joined->contact_count * sizeof(double));
  memset(whole->bilateral_impulse + joined->row_first, 0,
         (size_t)joined->row_count * sizeof(double));
  if (piece->impulse != NULL) {
    memcpy(whole->impulse + 3 * (int64_t)joined->contact_first, piece->impulse,
           3 * (size_t)joined->contact_count * sizeof(double));
  }
  if (piece->bilateral_impulse != NULL) {
    memcpy(whole->bilateral_impulse + joined->row_first, piece->bilateral_impulse,
           (size_t)joined->row_count * sizeof(double));
  }
  talus_status status =
      t->gather(t->user, own, sizeof own, all) == 0 ? TALUS_OK : TALUS_RANKS_FAILED;
  if (status == TALUS_OK) {
    status = parts_exchange(context, all, 2, 3 * sizeof(double), (char *)whole->impulse);
  }
  if (status == TALUS_OK) {
    status = parts_exchange(context, all + 1, 2, sizeof(double), (char *)whole->bilateral_impulse);
  }
  tl_free(context, all);
  return status;
}

talus_status tl_join_results(talus_context *context, tl_joined *joined, const talus_solution *piece,
                             bool warm, talus_solution *whole) {
  const talus_problem *const p = &joined->whole;
  const size_t contacts = 3 * (size_t)p->contact_count, rows = (size_t)p->bilateral_count;
  const size_t bodies = 6 * (size_t)p->rigid.body_count;
  TL_TRY(tl_ranks_agree(context,
                        tl_buffer_reserve(context, &joined->results, 2 * contacts + rows + bodies,
                                          sizeof(double), "results of all ranks")));
  *whole = talus_solution_default();
  whole->impulse = joined->results.memory;
  whole->contact_velocity = whole->impulse + contacts;
  whole->bilateral_impulse = whole->contact_velocity + contacts;
  whole->velocity = whole->bilateral_impulse + rows;
  return warm ? start_gather(context, joined, piece, whole) : TALUS_OK;
}

static void slice(double *to, const double *from, int64_t first, int64_t count) {
  if (to != NULL) {
    memcpy(to, from + first, (size_t)count * sizeof *to);
  }
}

void tl_join_share(const tl_joined *joined, const talus_solution *whole,
                   const talus_solution *piece) {
  const int64_t first = 3 * (int64_t)joined->contact_first,
                count = 3 * (int64_t)joined->contact_count;
  slice(piece->impulse, whole->impulse, first, count);
  slice(piece->contact_velocity, whole->contact_velocity, first, count);
  slice(piece->bilateral_impulse, whole->bilateral_impulse, joined->row_first, joined->row_count);
  for (int64_t i = 0; piece->velocity != NULL && i < joined->body_count; i++) {
    slice(piece->velocity + 6 * i, whole->velocity, 6 * (int64_t)joined->body[i], 6);
  }
}

void tl_joined_release(talus_context *context, tl_joined *joined) {
  tl_buffer_release(context, &joined->pieces);
  tl_buffer_release(context, &joined->arrays);
  tl_buffer_release(context, &joined->bodies);
  tl_buffer_release(context, &joined->results);
}
