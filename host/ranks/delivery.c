/* delivery.c: things of a piece on their way to the parts of their owners, and results back. */
#include <string.h>

#include "host/ranks/ranks.h"

talus_status tl_delivery_make(talus_context *context, int32_t count, const int32_t *rank,
                              tl_delivery *delivery) {
  const int32_t size = tl_ranks_of(context)->size;
  TL_TRY(tl_ranks_agree(context, tl_route_begin(context, &delivery->route)));
  int64_t *const send = delivery->route.send;
  for (int32_t i = 0; i < count; i++) {
    send[rank[i]]++;
  }
  TL_TRY(tl_route_open(context, &delivery->route));
  const int64_t sends = send[size], receives = delivery->route.receive[size];
  TL_TRY(tl_ranks_agree(context,
                        tl_buffer_reserve(context, &delivery->memory, (size_t)(sends + receives),
                                          sizeof(int32_t), "things of other ranks")));
  delivery->sent = delivery->memory.memory;
  delivery->taken = delivery->sent + sends;
  for (int32_t i = 0; i < count; i++) {
    delivery->sent[send[rank[i]]++] = i;
  }
  tl_route_rewind(send, size);
  return TALUS_OK;
}

talus_status tl_delivery_room(talus_context *context, const tl_delivery *delivery, int32_t width,
                              tl_buffer *scratch) {
  const int32_t size = tl_ranks_of(context)->size;
  const int64_t things = delivery->route.send[size] + delivery->route.receive[size];
  return tl_buffer_reserve(context, scratch, (size_t)things, (size_t)width * sizeof(double),
                           "messages of ranks");
}

/* Rows on one side of the way; array NULL: zeros are sent, nothing is kept. */
typedef struct rows {
  double *array;
  const int32_t *place;
  const int64_t *first; /* [size + 1] */
} rows;

static void row_copy(const rows *from, int64_t i, const rows *to, int64_t k, size_t width) {
  if (to->array == NULL) {
    return;
  }
  double *const row = to->array + (int64_t)width * (to->place != NULL ? to->place[k] : k);
  if (from->array != NULL) {
    memcpy(row, from->array + (int64_t)width * (from->place != NULL ? from->place[i] : i),
           width * sizeof *row);
  } else {
    memset(row, 0, width * sizeof *row);
  }
}

/* All rows but those that stay on this rank. */
static void rows_copy(const talus_transport *t, const rows *from, const rows *to, size_t width) {
  const int64_t *const first = from->first != NULL ? from->first : to->first;
  for (int64_t i = 0; i < first[t->rank]; i++) {
    row_copy(from, i, to, i, width);
  }
  for (int64_t i = first[t->rank + 1]; i < first[t->size]; i++) {
    row_copy(from, i, to, i, width);
  }
}

/* Those that stay. */
static void rows_keep(const talus_transport *t, const rows *from, const rows *to, size_t width) {
  const int64_t count = from->first[t->rank + 1] - from->first[t->rank];
  for (int64_t i = 0; i < count; i++) {
    row_copy(from, from->first[t->rank] + i, to, to->first[t->rank] + i, width);
  }
}

static rows rows_of_piece(const tl_delivery *delivery, const double *array) {
  return (rows){(double *)array, delivery->sent, delivery->route.send};
}

static rows rows_of_part(const tl_delivery *delivery, const double *array) {
  return (rows){(double *)array, delivery->taken, delivery->route.receive};
}

talus_status tl_delivery_forward(talus_context *context, const tl_delivery *delivery, int32_t width,
                                 const double *piece, double *part, const tl_buffer *scratch) {
  const talus_transport *const t = tl_ranks_of(context);
  const size_t row = (size_t)width;
  const rows from = rows_of_piece(delivery, piece), to = rows_of_part(delivery, part);
  const rows out = {.array = scratch->memory},
             in = {.array = out.array + width * from.first[t->size]};
  rows_copy(t, &from, &out, row);
  rows_keep(t, &from, &to, row);
  TL_TRY(
      tl_route_carry_others(context, &delivery->route, row * sizeof(double), out.array, in.array));
  rows_copy(t, &in, &to, row);
  return TALUS_OK;
}

talus_status tl_delivery_back(talus_context *context, const tl_delivery *delivery, int32_t width,
                              const double *part, double *piece, const tl_buffer *scratch) {
  const talus_transport *const t = tl_ranks_of(context);
  const size_t row = (size_t)width;
  const rows from = rows_of_part(delivery, part), to = rows_of_piece(delivery, piece);
  const rows out = {.array = scratch->memory},
             in = {.array = out.array + width * from.first[t->size]};
  rows_copy(t, &from, &out, row);
  rows_keep(t, &from, &to, row);
  TL_TRY(
      tl_route_answer_others(context, &delivery->route, row * sizeof(double), out.array, in.array));
  rows_copy(t, &in, &to, row);
  return TALUS_OK;
}

void tl_delivery_release(talus_context *context, tl_delivery *delivery) {
  tl_route_release(context, &delivery->route);
  tl_buffer_release(context, &delivery->memory);
}
