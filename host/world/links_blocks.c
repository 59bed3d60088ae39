/* links_blocks.c: memory and mass blocks of a step's problem in form (b). */
#include "host/world/links_blocks.h"

#include <string.h>

static int32_t mechanism_side(const talus_world *world, int32_t body) {
  return body >= 0 && tl_is_link(world, body) ? world->body[body].mechanism : -1;
}

/* Columns of a body's entry: six, those of its mechanism, or none. */
static size_t columns_of(const tl_links_blocks *b, int32_t body) {
  return body >= 0 && b->unit[body] >= 0 ? (size_t)b->size[b->unit[body]] : 0;
}

/* Columns of both entries; two links of one mechanism share theirs. */
static size_t columns_of_pair(const tl_links_blocks *b, int32_t body_a, int32_t body_b) {
  const int32_t a = mechanism_side(b->world, body_a), c = mechanism_side(b->world, body_b);
  return columns_of(b, body_a) + (a >= 0 && a == c ? 0 : columns_of(b, body_b));
}

static size_t columns_of_row(const tl_links_blocks *b, int32_t r) {
  const tl_joint_row *const row = &b->arrays->row[r];
  if (row->joint >= 0 || row->bond >= 0) {
    return columns_of_pair(b, row->body_a, row->body_b);
  }
  const tl_coupling_row *const from = &b->world->coupling->row[row->row];
  size_t columns = 0;
  for (int e = 0; e < 2; e++) { /* loops may tie two mechanisms together one day: room for both */
    columns += from->end[e].link >= 0
                   ? (size_t)b->world->mechanism[from->end[e].mechanism].mechanism->v_count
                   : 0;
  }
  return columns;
}

/* Numbers the blocks; their sizes and places. */
static void units_number(tl_links_blocks *b) {
  const talus_world *const world = b->world;
  int64_t inverse = 0;
  int32_t velocity = 0;
  for (int32_t u = 0; u < b->free_count + world->mechanism_count; u++) {
    const int32_t n =
        u < b->free_count ? 6 : world->mechanism[u - b->free_count].mechanism->v_count;
    b->size[u] = n;
    b->first[u] = velocity;
    b->inverse_first[u] = inverse;
    velocity += n;
    inverse += (int64_t)n * n;
  }
  int32_t next = 0;
  for (int32_t i = 0; i < world->body_count; i++) {
    const tl_body *const body = &world->body[i];
    const bool free = body->exists && body->type == TALUS_BODY_FREE && body->inverse_mass > 0;
    b->unit[i] =
        free ? next++ : (body->type == TALUS_BODY_LINK ? b->free_count + body->mechanism : -1);
  }
}

static void body_fill(const tl_links_blocks *b, int32_t i) {
  const int32_t unit = b->unit[i];
  double *const m = b->inverse + b->inverse_first[unit];
  const double *const turn = b->arrays->inverse_inertia + 6 * (size_t)i;
  const int place[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
  memset(m, 0, 36 * sizeof *m);
  for (int r = 0; r < 3; r++) {
    m[7 * r] = b->arrays->inverse_mass[i];
    for (int c = 0; c < 3; c++) {
      m[6 * (3 + r) + 3 + c] = turn[place[3 * r + c]];
    }
  }
  memcpy(b->velocity + b->first[unit], b->from->rigid.velocity + 6 * (size_t)i, 6 * sizeof *m);
}

static talus_status units_fill(const tl_links_blocks *b) {
  const talus_world *const world = b->world;
  const double *const part = b->from->rigid.velocity + 6 * (size_t)world->body_count;
  for (int32_t i = 0; i < world->body_count; i++) {
    if (b->unit[i] >= 0 && !tl_is_link(world, i)) {
      body_fill(b, i);
    }
  }
  for (int32_t m = 0; m < world->mechanism_count; m++) {
    const tl_world_mechanism *const of = &world->mechanism[m];
    const int32_t unit = b->free_count + m;
    TL_TRY(talus_mechanism_inverse_mass(of->mechanism, b->inverse + b->inverse_first[unit]));
    memcpy(b->velocity + b->first[unit], part + of->first_velocity,
           (size_t)of->mechanism->v_count * sizeof *part);
  }
  return TALUS_OK;
}

static int32_t free_bodies(const talus_world *world) {
  int32_t count = 0;
  for (int32_t i = 0; i < world->body_count; i++) {
    const tl_body *const body = &world->body[i];
    count += body->exists && body->type == TALUS_BODY_FREE && body->inverse_mass > 0;
  }
  return count;
}

static talus_status indices_take(tl_links_blocks *b) {
  talus_world *const world = b->world;
  const size_t bodies = (size_t)world->body_count, contacts = (size_t)b->contact_count;
  const size_t rows = (size_t)b->row_count;
  const size_t units = (size_t)b->free_count + (size_t)world->mechanism_count;
  const size_t longs = units + contacts + rows + 2;
  const size_t shorts = bodies + 2 * units + 3 * contacts + 3 * rows;
  TL_TRY(tl_buffer_reserve(world->context, &world->block_index, longs + shorts / 2 + 1,
                           sizeof(int64_t), "indices of blocks"));
  b->inverse_first = world->block_index.memory;
  b->start = b->inverse_first + units;
  b->row_start = b->start + contacts + 1;
  b->unit = (int32_t *)(b->row_start + rows + 1);
  b->size = b->unit + bodies;
  b->first = b->size + units;
  b->block = b->first + units;
  b->contact_of = b->block + 2 * contacts;
  b->row_block = b->contact_of + contacts;
  b->row_of = b->row_block + 2 * rows;
  return TALUS_OK;
}

static talus_status values_take(tl_links_blocks *b) {
  talus_world *const world = b->world;
  const size_t contacts = (size_t)b->contact_count, rows = (size_t)b->row_count;
  const size_t n = (size_t)world->joint_velocity_count;
  const size_t velocities = 6 * (size_t)b->free_count + n;
  size_t inverse = 36 * (size_t)b->free_count, jacobian = 0, row_jacobian = 0, loops = 0;
  for (int32_t m = 0; m < world->mechanism_count; m++) {
    const size_t size = (size_t)world->mechanism[m].mechanism->v_count;
    inverse += size * size;
  }
  for (int32_t k = 0; k < b->contact_count; k++) {
    jacobian += 3 * columns_of_pair(b, b->arrays->body_a[k], b->arrays->body_b[k]);
  }
  for (int32_t r = 0; r < b->row_count; r++) {
    row_jacobian += columns_of_row(b, r);
  }
  for (int32_t i = 0; i < world->loop_count; i++) {
    loops += (size_t)(world->loop[i].direction_count + world->loop[i].turn_count);
  }
  const struct {
    double **array;
    size_t count;
  } parts[] = {{&b->inverse, inverse},
               {&b->velocity, velocities},
               {&b->after, velocities},
               {&b->frame, 9 * contacts},
               {&b->bias, 3 * contacts},
               {&b->friction, contacts},
               {&b->impulse, 3 * contacts},
               {&b->contact_velocity, 3 * contacts},
               {&b->compliance, world->soft ? 2 * contacts : 0},
               {&b->target, world->soft ? 3 * contacts : 0},
               {&b->row_bias, rows},
               {&b->row_lower, rows},
               {&b->row_upper, rows},
               {&b->row_impulse, rows},
               {&b->row_compliance, rows},
               {&b->jacobian, jacobian},
               {&b->row_jacobian, row_jacobian},
               {&b->line, n},
               {&b->loops, loops * (2 * n + loops)}};
  size_t total = 0;
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    total += parts[i].count;
  }
  TL_TRY(tl_buffer_reserve(world->context, &world->block_memory, total, sizeof(double),
                           "contact problem in blocks"));
  double *at = world->block_memory.memory;
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    *parts[i].array = at;
    at += parts[i].count;
  }
  return TALUS_OK;
}

talus_status tl_links_blocks_take(tl_links_blocks *b) {
  b->free_count = free_bodies(b->world);
  b->contact_count = b->from->contact_count;
  b->row_count = b->from->bilateral_count;
  TL_TRY(indices_take(b));
  units_number(b);
  TL_TRY(values_take(b));
  return units_fill(b);
}
