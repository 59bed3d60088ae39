/* halo_exchange.c: the functions of a halo. */
#include <string.h>

#include "host/ranks/ranks.h"
#include "kernels/data/arrays.h"

static tl_rank_halo *own_of(tl_halo *halo) {
  return (tl_rank_halo *)halo;
}

/* Messages of one direction, in `buffer`; returns how many. */
static int32_t messages_make(const int32_t *first, int32_t size, int32_t bytes, char *buffer,
                             talus_message *message) {
  int32_t count = 0;
  for (int32_t r = 0; r < size; r++) {
    if (first[r + 1] > first[r]) {
      message[count++] = (talus_message){.rank = r,
                                         .memory = buffer + (int64_t)bytes * first[r],
                                         .bytes = (int64_t)bytes * (first[r + 1] - first[r])};
    }
  }
  return count;
}

/* What lies in `out` to the others, what they have to `in`. */
static void carry(tl_halo *halo, const tl_halo_list *list, int32_t bytes) {
  tl_rank_halo *const own = own_of(halo);
  const talus_transport *const t = tl_ranks_of(own->context);
  talus_message *const send = own->messages.memory, *const receive = send + t->size;
  const int32_t sends = messages_make(list->send_first, t->size, bytes, own->out.memory, send);
  const int32_t receives =
      messages_make(list->receive_first, t->size, bytes, own->in.memory, receive);
  halo->failed = t->exchange(t->user, sends, send, receives, receive) != 0;
}

static void halo_exchange(tl_halo *halo, const tl_halo_list *list, void *array, int32_t bytes) {
  char *const out = own_of(halo)->out.memory, *const in = own_of(halo)->in.memory, *to = array;
  if (halo->failed) {
    return;
  }
  for (int32_t i = 0; i < list->send_first[halo->size]; i++) {
    memcpy(out + (int64_t)bytes * i, to + (int64_t)bytes * list->send[i], (size_t)bytes);
  }
  carry(halo, list, bytes);
  for (int32_t i = 0; i < list->receive_first[halo->size] && !halo->failed; i++) {
    memcpy(to + (int64_t)bytes * list->receive[i], in + (int64_t)bytes * i, (size_t)bytes);
  }
}

/* Six of the eight reals of a record: three, a mass, three, a mass. */
static void halo_exchange_records(tl_halo *halo, const tl_halo_list *list, void *array,
                                  int32_t real) {
  char *const out = own_of(halo)->out.memory, *const in = own_of(halo)->in.memory, *to = array;
  const size_t half = 3 * (size_t)real;
  const int64_t record = (int64_t)TL_RECORD * real, bytes = 6 * (int64_t)real;
  if (halo->failed) {
    return;
  }
  for (int32_t i = 0; i < list->send_first[halo->size]; i++) {
    const char *const from = to + record * list->send[i];
    memcpy(out + bytes * i, from, half);
    memcpy(out + bytes * i + half, from + record / 2, half);
  }
  carry(halo, list, (int32_t)bytes);
  for (int32_t i = 0; i < list->receive_first[halo->size] && !halo->failed; i++) {
    char *const at = to + record * list->receive[i];
    memcpy(at, in + bytes * i, half);
    memcpy(at + record / 2, in + bytes * i + half, half);
  }
}

static void halo_sum(tl_halo *halo, int64_t *value, int32_t count) {
  const talus_transport *const t = tl_ranks_of(own_of(halo)->context);
  halo->failed = halo->failed || t->sum(t->user, value, count) != 0;
}

static void halo_largest(tl_halo *halo, int64_t *value, int32_t count) {
  const talus_transport *const t = tl_ranks_of(own_of(halo)->context);
  halo->failed = halo->failed || t->largest(t->user, value, count) != 0;
}

static talus_status halo_check(tl_halo *halo) {
  return halo->failed ? tl_ranks_lost(own_of(halo)->context, TALUS_RANKS_FAILED) : TALUS_OK;
}

static talus_status halo_meet(tl_halo *halo, talus_status status, int64_t *number) {
  tl_rank_halo *const own = own_of(halo);
  if (own->refused || halo->failed) {
    return status != TALUS_OK ? status : halo_check(halo);
  }
  const talus_status all = tl_ranks_agree_on(own->context, status, number, TL_HALO_NUMBERS);
  own->refused = all != TALUS_OK;
  return all;
}

void tl_halo_connect(tl_rank_halo *own) {
  own->halo.exchange = halo_exchange;
  own->halo.exchange_records = halo_exchange_records;
  own->halo.sum = halo_sum;
  own->halo.largest = halo_largest;
  own->halo.meet = halo_meet;
  own->halo.check = halo_check;
}
