/* flow.c: the numbers of a problem on their way from the pieces to the parts, along a deal that
 * says who has what: one message to each rank that has something of this one's.
 *
 * Bodies go from their givers to their owners, and from these to all who have them as ghosts: all
 * in one exchange where no rank gives another one's body, else one kind after the other. */
#include <string.h>

#include "host/ranks/ranks.h"

static tl_piece_kind kind_of(int flow) {
  return flow == TL_GHOSTS_OF ? TL_BODIES_OF : (tl_piece_kind)flow;
}

talus_status tl_flow_open(talus_context *context, const tl_route *route, tl_flow *flow) {
  const int32_t size = tl_ranks_of(context)->size;
  const size_t firsts = 2 * ((size_t)size + 1);
  const size_t things = (size_t)(route->send[size] + route->receive[size]);
  TL_TRY(tl_buffer_reserve(context, &flow->lists, firsts + things, sizeof(int32_t),
                           "what ranks have of each other"));
  flow->send_first = flow->lists.memory;
  flow->receive_first = flow->send_first + size + 1;
  flow->send = flow->receive_first + size + 1;
  flow->place = flow->send + route->send[size];
  for (int32_t r = 0; r <= size; r++) {
    flow->send_first[r] = (int32_t)route->send[r];
    flow->receive_first[r] = (int32_t)route->receive[r];
  }
  return TALUS_OK;
}

/* Runs, or how many they are where `run` is NULL. */
static int32_t runs_find(const int32_t *from, int64_t count, const int32_t *to, int32_t first,
                         tl_flow_run *run) {
  int32_t runs = 0, next_from = -1, next_to = -1;
  for (int64_t i = 0; i < count; i++) {
    const int32_t at = to != NULL ? to[from[i]] : first + (int32_t)i;
    if (from[i] != next_from || at != next_to) {
      runs++;
      if (run != NULL) {
        run[runs - 1] = (tl_flow_run){from[i], at, 0};
      }
    }
    if (run != NULL) {
      run[runs - 1].count++;
    }
    next_from = from[i] + 1;
    next_to = at + 1;
  }
  return runs;
}

talus_status tl_flow_stay(talus_context *context, const int32_t *from, int64_t count,
                          const int32_t *to, int32_t first, tl_flow *flow) {
  flow->run_count = runs_find(from, count, to, first, NULL);
  TL_TRY(tl_buffer_reserve(context, &flow->runs, (size_t)flow->run_count, sizeof *flow->run,
                           "what a rank has of its own"));
  flow->run = flow->runs.memory;
  runs_find(from, count, to, first, flow->run);
  return TALUS_OK;
}

/* ---- the numbers ----------------------------------------------------------------------------- */

/* Doubles of rank r's things of flows begin .. end - 1; receive: that come from it. */
static int64_t doubles_of(const tl_part *part, int begin, int end, int32_t r, bool receive) {
  int64_t doubles = 0;
  for (int f = begin; f < end; f++) {
    const tl_flow *const flow = &part->flow[f];
    const int32_t *const first = receive ? flow->receive_first : flow->send_first;
    doubles += (int64_t)part->fields.width[kind_of(f)] * (first[r + 1] - first[r]);
  }
  return doubles;
}

/* The end of the flows that go in one exchange with `begin`: all of them, or one, so that there is
 * no more memory for messages than the largest needs. */
static int exchange_end(const tl_part *part, int begin) {
  return part->direct ? (int)TL_FLOWS : begin + 1;
}

/* Of the largest exchange, both ways. */
static int64_t doubles_most(const tl_part *part) {
  int64_t most = 0;
  for (int f = 0; f < TL_FLOWS; f = exchange_end(part, f)) {
    int64_t doubles = 0;
    for (int32_t r = 0; r < part->owners->size; r++) {
      doubles += doubles_of(part, f, exchange_end(part, f), r, false) +
                 doubles_of(part, f, exchange_end(part, f), r, true);
    }
    most = doubles > most ? doubles : most;
  }
  return most;
}

/* Arrays of the part, and messages. */
static talus_status rooms_take(talus_context *context, tl_part *part) {
  const talus_problem *const p = &part->problem;
  const int32_t *const width = part->fields.width, size = part->owners->size;
  const int64_t doubles = (int64_t)width[TL_BODIES_OF] * p->rigid.body_count +
                          (int64_t)width[TL_CONTACTS_OF] * p->contact_count +
                          (int64_t)width[TL_ROWS_OF] * p->bilateral_count;
  TL_TRY(tl_buffer_reserve(context, &part->arrays, (size_t)doubles + 1, sizeof(double),
                           "numbers of a rank")); /* arrays that are given are not NULL */
  return tl_buffer_reserve(context, &part->messages,
                           2 * (size_t)size * sizeof(talus_message) +
                               (size_t)doubles_most(part) * sizeof(double),
                           1, "messages of ranks");
}

/* Whether there is room for the agreed fields on all ranks; from here on there is. */
static bool is_roomy(tl_part *part) {
  bool roomy = part->held;
  for (int i = 0; i < TL_FIELDS; i++) {
    roomy = roomy && (part->room[i] || !part->fields.has[i]);
  }
  for (int i = 0; i < TL_FIELDS && !roomy; i++) {
    part->room[i] = part->fields.has[i];
  }
  return roomy;
}

static void arrays_place(tl_part *part) {
  talus_problem *const p = &part->problem;
  const int64_t count[TL_PIECE_KINDS] = {p->rigid.body_count, p->contact_count, p->bilateral_count};
  double *at = part->arrays.memory;
  for (int kind = 0; kind < TL_PIECE_KINDS; kind++) {
    at += tl_field_place(&part->fields, (tl_piece_kind)kind, count[kind], at, p);
  }
}

/* Things of one rank, behind each other; ghosts are the part's own bodies. */
static double *things_pack(const talus_problem *piece, const tl_part *part, int f, int32_t r,
                           double *to) {
  const tl_flow *const flow = &part->flow[f];
  const tl_piece_kind kind = kind_of(f);
  const talus_problem *const from = f == TL_GHOSTS_OF ? &part->problem : piece;
  for (int32_t i = flow->send_first[r]; i < flow->send_first[r + 1]; i++) {
    tl_field_pack(&part->fields, kind, from, flow->send[i], to);
    to += part->fields.width[kind];
  }
  return to;
}

static const double *things_unpack(const tl_part *part, int f, int32_t r, const double *from) {
  const tl_flow *const flow = &part->flow[f];
  const tl_piece_kind kind = kind_of(f);
  for (int32_t i = flow->receive_first[r]; i < flow->receive_first[r + 1]; i++) {
    tl_field_unpack(&part->fields, kind, from, &part->problem, flow->place[i]);
    from += part->fields.width[kind];
  }
  return from;
}

static int32_t message_add(talus_message *message, int32_t count, int32_t rank, double *memory,
                           int64_t doubles) {
  if (doubles > 0) {
    message[count++] =
        (talus_message){.rank = rank, .memory = memory, .bytes = doubles * (int64_t)sizeof *memory};
  }
  return count;
}

/* Flows begin .. end - 1 in one exchange. */
static talus_status carry(talus_context *context, const talus_problem *piece, tl_part *part,
                          int begin, int end) {
  const talus_transport *const t = tl_ranks_of(context);
  talus_message *const send = part->messages.memory, *const receive = send + t->size;
  double *const out = (double *)(receive + t->size), *to = out;
  int32_t sends = 0, receives = 0;
  for (int32_t r = 0; r < t->size; r++) {
    double *const first = to;
    for (int f = begin; f < end; f++) {
      to = things_pack(piece, part, f, r, to);
    }
    sends = message_add(send, sends, r, first, to - first);
  }
  const double *from = to;
  for (int32_t r = 0; r < t->size; r++) {
    const int64_t doubles = doubles_of(part, begin, end, r, true);
    receives = message_add(receive, receives, r, to, doubles);
    to += doubles;
  }
  const int code = t->exchange(t->user, sends, send, receives, receive);
  if (code != 0) {
    return tl_ranks_lost(context, code);
  }
  for (int32_t r = 0; r < t->size; r++) {
    for (int f = begin; f < end; f++) {
      from = things_unpack(part, f, r, from);
    }
  }
  return TALUS_OK;
}

talus_status tl_flow_carry(talus_context *context, const talus_problem *piece, tl_part *part) {
  if (!is_roomy(part)) {
    TL_TRY(tl_ranks_agree(context, rooms_take(context, part)));
  }
  arrays_place(part);
  for (int f = 0; f < TL_PIECE_KINDS; f++) {
    for (int32_t i = 0; i < part->flow[f].run_count; i++) {
      const tl_flow_run run = part->flow[f].run[i];
      tl_fields_copy(&part->fields, (tl_piece_kind)f, piece, run.from, run.count, &part->problem,
                     run.to);
    }
  }
  for (int f = 0; f < TL_FLOWS; f = exchange_end(part, f)) {
    TL_TRY(carry(context, piece, part, f, exchange_end(part, f)));
  }
  if (!part->direct) { /* as large as the part */
    tl_buffer_release(context, &part->messages);
    memset(part->room, 0, sizeof part->room);
  }
  return TALUS_OK;
}
