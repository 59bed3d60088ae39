/* fields.c: the arrays of a problem of form (a), one table: what a record of a body, a contact or a
 * row holds, and in which arrays of a part it ends up. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "host/ranks/ranks.h"

enum { BY_DIMENSION = -1 };

/* What a constraint has whose rank does not give the array. */
typedef enum lack { NOTHING, NO_LOWER, NO_UPPER, REFUSED } lack;

typedef struct field {
  const char *name;
  tl_piece_kind kind;
  int32_t components;
  size_t offset;
  lack lacking;
} field;

#define RIGID(member) "rigid." #member, offsetof(talus_problem, rigid.member)
#define PLAIN(member) #member, offsetof(talus_problem, member)
#define FIELD(kind, components, lacking, place) FIELD_(kind, components, lacking, place)
#define FIELD_(kind, components, lacking, name, offset) \
  { name, kind, components, offset, lacking }

static const field table[TL_FIELDS] = {
    FIELD(TL_BODIES_OF, 6, NOTHING, RIGID(velocity)),
    FIELD(TL_BODIES_OF, 1, NOTHING, RIGID(inverse_mass)),
    FIELD(TL_BODIES_OF, 6, NOTHING, RIGID(inverse_inertia)),
    FIELD(TL_BODIES_OF, 3, NOTHING, PLAIN(positions)),
    FIELD(TL_CONTACTS_OF, 1, NOTHING, PLAIN(friction)),
    FIELD(TL_CONTACTS_OF, 3, NOTHING, RIGID(normal)),
    FIELD(TL_CONTACTS_OF, 1, REFUSED, RIGID(reach_a)),
    FIELD(TL_CONTACTS_OF, 1, REFUSED, RIGID(reach_b)),
    FIELD(TL_CONTACTS_OF, 3, REFUSED, RIGID(arm_a)),
    FIELD(TL_CONTACTS_OF, 3, REFUSED, RIGID(arm_b)),
    FIELD(TL_CONTACTS_OF, 1, NOTHING, RIGID(bias)),
    FIELD(TL_CONTACTS_OF, 3, NOTHING, RIGID(surface_velocity)),
    FIELD(TL_CONTACTS_OF, 2, NOTHING, PLAIN(compliance)),
    FIELD(TL_CONTACTS_OF, BY_DIMENSION, NOTHING, PLAIN(target_impulse)),
    FIELD(TL_CONTACTS_OF, 2, REFUSED, PLAIN(torque_friction)),
    FIELD(TL_CONTACTS_OF, 1, REFUSED, PLAIN(cross_friction)),
    FIELD(TL_CONTACTS_OF, 3, REFUSED, PLAIN(friction_direction)),
    FIELD(TL_ROWS_OF, 12, NOTHING, RIGID(row_jacobian)),
    FIELD(TL_ROWS_OF, 1, NOTHING, RIGID(row_bias)),
    FIELD(TL_ROWS_OF, 1, NO_LOWER, PLAIN(row_lower)),
    FIELD(TL_ROWS_OF, 1, NO_UPPER, PLAIN(row_upper)),
    FIELD(TL_ROWS_OF, 1, NOTHING, PLAIN(row_compliance)),
    FIELD(TL_ROWS_OF, 1, NOTHING, PLAIN(row_target_impulse)),
};

static const double *array_of(const talus_problem *problem, const field *f) {
  const double *array;
  memcpy(&array, (const char *)problem + f->offset, sizeof array);
  return array;
}

static int32_t components_of(const tl_fields *fields, const field *f) {
  return f->components == BY_DIMENSION ? fields->dimension : f->components;
}

/* Things of a kind that a piece has. */
static int32_t count_of(const talus_problem *p, tl_piece_kind kind) {
  return kind == TL_BODIES_OF     ? p->rigid.body_count
         : kind == TL_CONTACTS_OF ? p->contact_count
                                  : p->bilateral_count;
}

/* Whether some rank gives each, and whether some rank that should does not. */
void tl_fields_say(const talus_problem *piece, int64_t number[TL_FIELD_NUMBERS]) {
  for (int i = 0; i < TL_FIELDS; i++) {
    const bool some = count_of(piece, table[i].kind) > 0;
    number[i] = some && array_of(piece, &table[i]) != NULL;
    number[TL_FIELDS + i] = some && array_of(piece, &table[i]) == NULL;
  }
}

talus_status tl_fields_agree(talus_context *context, const talus_problem *piece,
                             const int64_t number[TL_FIELD_NUMBERS], tl_fields *fields) {
  *fields = (tl_fields){.dimension = piece->dimension};
  for (int i = 0; i < TL_FIELDS; i++) {
    fields->has[i] = number[i] != 0;
    fields->width[table[i].kind] += number[i] ? components_of(fields, &table[i]) : 0;
    if (number[i]) {
      fields->list[table[i].kind][fields->count[table[i].kind]++] = (int8_t)i;
    }
    if (number[i] && number[TL_FIELDS + i] && table[i].lacking == REFUSED) {
      return tl_fail(context, TALUS_RANKS_FAILED,
                     "some ranks give problem.%s, others do not: all must, or none (reaches or "
                     "arms, circular or elliptic cones)",
                     table[i].name);
    }
  }
  return TALUS_OK;
}

/* Of an array that a rank does not give. */
static double missing(const field *of) {
  return of->lacking == NO_LOWER ? -INFINITY : of->lacking == NO_UPPER ? INFINITY : 0;
}

void tl_field_pack(const tl_fields *fields, tl_piece_kind kind, const talus_problem *piece,
                   int64_t index, double *packed) {
  for (int f = 0; f < fields->count[kind]; f++) {
    const field *const of = &table[fields->list[kind][f]];
    const int64_t n = components_of(fields, of);
    const double *const array = array_of(piece, of);
    for (int64_t c = 0; c < n; c++) {
      packed[c] = array != NULL ? array[n * index + c] : missing(of);
    }
    packed += n;
  }
}

int64_t tl_field_place(const tl_fields *fields, tl_piece_kind kind, int64_t count, double *memory,
                       talus_problem *part) {
  int64_t used = 0;
  for (int i = 0; i < TL_FIELDS; i++) {
    if (table[i].kind == kind) {
      const bool has = fields->has[i];
      double *const array = memory != NULL && has ? memory + used : NULL;
      memcpy((char *)part + table[i].offset, &array, sizeof array);
      used += has ? count * components_of(fields, &table[i]) : 0;
    }
  }
  return used;
}

void tl_fields_copy(const tl_fields *fields, tl_piece_kind kind, const talus_problem *piece,
                    int64_t from, int64_t count, const talus_problem *part, int64_t to) {
  for (int f = 0; f < fields->count[kind] && count > 0; f++) {
    const field *const of = &table[fields->list[kind][f]];
    const int64_t n = components_of(fields, of);
    const double *const given = array_of(piece, of);
    double *const array = (double *)array_of(part, of) + n * to;
    if (given != NULL) {
      memcpy(array, given + n * from, (size_t)(n * count) * sizeof *array);
    }
    for (int64_t i = 0; i < n * count && given == NULL; i++) {
      array[i] = missing(of);
    }
  }
}

void tl_field_unpack(const tl_fields *fields, tl_piece_kind kind, const double *packed,
                     const talus_problem *part, int64_t index) {
  for (int f = 0; f < fields->count[kind]; f++) {
    const field *const of = &table[fields->list[kind][f]];
    const int64_t n = components_of(fields, of);
    double *const array = (double *)array_of(part, of);
    for (int64_t c = 0; c < n; c++) {
      array[n * index + c] = packed[c];
    }
    packed += n;
  }
}
