/* deal_meet.c: what ranks tell each other before pieces are dealt out, in one exchange: whether
 * they can be taken, which arrays they have, and whether the last deal still holds. */
#include <string.h>

#include "host/problem/problem_check.h"
#include "host/ranks/deal.h"

/* What ranks tell each other of their pieces before anything else, the largest of which they hear:
 * equal numbers are as large as the least, whose negative goes with them. */
enum {
  CHANGED,
  SIZES,
  SIZES_LEAST,
  DIMENSION,
  DIMENSION_LEAST,
  COMPLIANT,
  BOUNDED,
  GIVEN,
  NUMBERS = GIVEN + TL_FIELD_NUMBERS
};

static void piece_say(const talus_problem *p, const tl_part *part, int64_t *number) {
  uint64_t bits[2];
  memcpy(&bits[0], &p->brick_size, sizeof bits[0]);
  memcpy(&bits[1], &p->velocity_scale, sizeof bits[1]);
  const uint64_t hash =
      (bits[0] * UINT64_C(0x9E3779B97F4A7C15) ^ bits[1]) * UINT64_C(0xBF58476D1CE4E5B9);
  number[CHANGED] = !tl_deal_holds(p, part);
  number[SIZES] = (int64_t)(hash >> 2);
  number[SIZES_LEAST] = -number[SIZES];
  number[DIMENSION] = p->dimension;
  number[DIMENSION_LEAST] = -p->dimension;
  number[COMPLIANT] = tl_problem_compliant(p);
  number[BOUNDED] = tl_problem_bounded(p);
  tl_fields_say(p, number + GIVEN);
}

talus_status tl_deal_meet(talus_context *context, const talus_problem *piece, talus_status status,
                          tl_part *part) {
  int64_t number[NUMBERS] = {0};
  if (!part->met) {
    TL_TRY(tl_ranks_same_version(context));
    part->met = true;
  }
  if (status == TALUS_OK) {
    status = tl_piece_check(context, piece);
  }
  if (status == TALUS_OK) {
    piece_say(piece, part, number);
  }
  part->held = part->kept.valid;
  part->kept.valid = false;
  TL_TRY(tl_ranks_agree_on(context, status, number, NUMBERS));
  if (number[SIZES] != -number[SIZES_LEAST] || number[DIMENSION] != -number[DIMENSION_LEAST]) {
    TL_TRY(tl_pieces_same(context, piece));
  }
  part->held = part->held && number[CHANGED] == 0;
  part->compliant = number[COMPLIANT] != 0;
  part->bounded = number[BOUNDED] != 0;
  return tl_fields_agree(context, piece, number + GIVEN, &part->fields);
}
