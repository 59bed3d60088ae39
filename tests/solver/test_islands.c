/* Islands are the connected parts of W: for every family, against a flood fill of the oracle's W.
 */
#include <string.h>

#include "tests/check.h"
#include "tests/solver/families.h"

enum { MOST = 256 };

/* The constraint that a row belongs to. */
static int owner(const oracle_system *s, int row) {
  const int rows = s->dimension * s->contacts;
  return row < rows ? row / s->dimension : s->contacts + row - rows;
}

/* Numbers the parts in the order of their first constraint; returns how many. */
static int flood(const oracle_system *s, int *part) {
  const int count = s->contacts + s->bilateral;
  int parts = 0;
  for (int k = 0; k < count; k++) {
    part[k] = -1;
  }
  for (int k = 0; k < count; k++) {
    if (part[k] >= 0) {
      continue;
    }
    part[k] = parts;
    for (int grew = 1; grew;) {
      grew = 0;
      for (int i = 0; i < s->rows; i++) {
        for (int j = 0; j < s->rows; j++) {
          const int a = owner(s, i), b = owner(s, j);
          if (part[a] == parts && part[b] < 0 &&
              (s->w[i * s->rows + j] != 0 || s->w[j * s->rows + i] != 0)) {
            part[b] = parts;
            grew = 1;
          }
        }
      }
    }
    parts++;
  }
  return parts;
}

/* The same parts under whatever numbers: one to one. */
static int same_parts(const int *part, const int32_t *island, int count, int islands) {
  int32_t of_part[MOST];
  int good = 1;
  memset(of_part, 0xff, sizeof of_part);
  for (int k = 0; k < count; k++) {
    if (of_part[part[k]] < 0) {
      of_part[part[k]] = island[k];
    }
    good = good && island[k] >= 0 && island[k] < islands && of_part[part[k]] == island[k];
  }
  return good;
}

static void family_check(talus_context *context, const family *f, int bodies) {
  family few = *f;
  few.body_count = bodies;
  oracle_made made = family_make(&few, TALUS_LAW_CCP, 7);
  const talus_problem *const p = &made.problem;
  const int count = p->contact_count + p->bilateral_count;
  oracle_system system;
  int part[MOST];
  int32_t island[MOST], found = -1;
  CHECK(count <= MOST && oracle_build(p, &system));
  const int parts = flood(&system, part);
  talus_islands islands = talus_islands_default();
  islands.contact = island;
  islands.row = island + p->contact_count;
  CHECK_CASE(talus_islands_find(context, p, &islands) == TALUS_OK, "%s: %s", f->name,
             talus_context_message(context));
  found = islands.count;
  CHECK_CASE(found == parts, "%s: %d islands, %d parts", f->name, found, parts);
  CHECK_CASE(found == parts && same_parts(part, island, count, found), "%s", f->name);
  oracle_free(&system);
  oracle_made_free(&made);
}

/* Bodies: two pairs on a moving wall, one body that nothing touches. */
static void bodies_check(talus_context *context) {
  const double velocity[36] = {0}, mass[6] = {1, 1, 0, 1, 1, 1};
  double inertia[36] = {0};
  const int32_t a[4] = {2, 0, 2, 3}, b[4] = {0, 4, 1, 5};
  const double normal[12] = {0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1}, reach[4] = {1, 1, 1, 1};
  talus_problem p = talus_problem_default(TALUS_FORM_RIGID);
  p.contact_count = 4;
  p.rigid.body_count = 6;
  p.rigid.velocity = velocity;
  p.rigid.inverse_mass = mass;
  p.rigid.inverse_inertia = inertia;
  p.rigid.body_a = a;
  p.rigid.body_b = b;
  p.rigid.normal = normal;
  p.rigid.reach_a = p.rigid.reach_b = reach;
  int32_t contact[4], body[6];
  talus_islands islands = talus_islands_default();
  islands.contact = contact;
  islands.body = body;
  CHECK(talus_islands_find(context, &p, &islands) == TALUS_OK && islands.count == 3);
  const int32_t contacts[4] = {0, 0, 1, 2}, bodies[6] = {0, 1, -1, 2, 0, 2};
  CHECK(memcmp(contact, contacts, sizeof contacts) == 0);
  CHECK(memcmp(body, bodies, sizeof bodies) == 0);
}

static void trouble_check(talus_context *context) {
  talus_problem p = talus_problem_default(TALUS_FORM_DELASSUS);
  talus_islands islands = talus_islands_default();
  CHECK(talus_islands_find(context, &p, NULL) == TALUS_INVALID_ARGUMENT);
  CHECK(talus_islands_find(context, NULL, &islands) != TALUS_OK);
  islands.struct_size = 4;
  CHECK(talus_islands_find(context, &p, &islands) == TALUS_STRUCT_SIZE);
  islands = talus_islands_default();
  int32_t body[1];
  islands.body = body;
  CHECK(talus_islands_find(context, &p, &islands) == TALUS_UNSUPPORTED);
}

int main(void) {
  talus_context *context;
  CHECK(talus_context_create(NULL, &context) == TALUS_OK);
  for (int i = 0; i < FAMILY_COUNT; i++) {
    const family *const f = family_at(i);
    family_check(context, f, f->body_count);
    family_check(context, f, 3 * f->body_count); /* falls apart */
  }
  bodies_check(context);
  trouble_check(context);
  talus_context_destroy(context);
  return check_end();
}
