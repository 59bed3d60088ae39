/* families.h: one recipe of the oracle for every kind of problem that a solver can be given.
 *
 * All forms, storages and dimensions, with and without bilateral rows and bounds, asymmetric W,
 * immovable bodies, more contacts than unknowns, a hub that needs more than 64 colours, contacts
 * and rows that give way. Header only, so that the tests of other rooms can use it. */
#ifndef TL_TESTS_FAMILIES_H
#define TL_TESTS_FAMILIES_H

#include "tests/oracle/oracle.h"

typedef struct family {
  const char *name;
  talus_form form;
  oracle_bodies bodies;
  talus_storage storage;
  int dimension, body_count, contact_count, bilateral_count;
  double asymmetry, immovable, mass_decades, friction_max;
  int shuffle;
  int hard; /* 1: W is rank-deficient or badly scaled: no accuracy can be asked of gradients */
  double bounded;    /* share of bilateral rows with bounds */
  double compliance; /* > 0: contacts and rows give way, by so much of W_kk at the most */
} family;

enum { FAMILY_COUNT = 34 };

static inline const family *family_at(int i) {
#define FORM(name) TALUS_FORM_##name
#define STORED(name) TALUS_STORAGE_##name
  static const family families[FAMILY_COUNT] = {
      {"spheres", FORM(RIGID), ORACLE_SPHERES, STORED(CSC), 3, 24, 20, 0, 0, 0, 0, 0.8, 0, 0, 0, 0},
      {"spheres, immovable bodies", FORM(RIGID), ORACLE_SPHERES, STORED(CSC), 3, 30, 20, 0, 0, 0.2,
       0, 0.8, 0, 0, 0, 0},
      {"spheres and rows", FORM(RIGID), ORACLE_SPHERES, STORED(CSC), 3, 24, 18, 4, 0, 0, 0, 0.8, 0,
       0, 0, 0},
      {"arms", FORM(RIGID), ORACLE_RIGID, STORED(CSC), 3, 24, 20, 0, 0, 0, 0, 0.8, 0, 0, 0, 0},
      {"arms and rows", FORM(RIGID), ORACLE_RIGID, STORED(CSC), 3, 24, 18, 4, 0, 0.1, 0, 0.8, 0, 0,
       0, 0},
      {"ragged blocks", FORM(BLOCKS), ORACLE_RAGGED, STORED(CSC), 3, 30, 16, 0, 0, 0.1, 0, 0.8, 0,
       0, 0, 0},
      {"ragged blocks in the plane", FORM(BLOCKS), ORACLE_RAGGED, STORED(CSC), 2, 30, 16, 3, 0, 0,
       0, 0.8, 0, 0, 0, 0},
      {"blocks without friction", FORM(BLOCKS), ORACLE_RAGGED, STORED(CSC), 1, 24, 16, 0, 0, 0, 0,
       0.8, 0, 0, 0, 0},
      {"sparse W", FORM(DELASSUS), ORACLE_RIGID, STORED(CSC), 3, 24, 20, 0, 0, 0, 0, 0.8, 0, 0, 0,
       0},
      {"dense W and rows", FORM(DELASSUS), ORACLE_RIGID, STORED(DENSE), 3, 24, 16, 4, 0, 0, 0, 0.8,
       0, 0, 0, 0},
      {"asymmetric W", FORM(DELASSUS), ORACLE_RIGID, STORED(TRIPLET), 3, 24, 20, 0, 2e-3, 0, 0, 0.8,
       0, 0, 0, 0},
      {"W in the plane", FORM(DELASSUS), ORACLE_RAGGED, STORED(CSR), 2, 30, 16, 0, 0, 0, 0, 0.8, 0,
       0, 0, 0},
      {"LCP", FORM(DELASSUS), ORACLE_RIGID, STORED(CSC), 1, 24, 20, 0, 1e-3, 0, 0, 0.8, 0, 0, 0, 0},
      {"global spheres", FORM(GLOBAL), ORACLE_SPHERES, STORED(CSC), 3, 24, 20, 0, 0, 0, 0, 0.8, 0,
       0, 0, 0},
      {"global bodies and rows", FORM(GLOBAL), ORACLE_RIGID, STORED(CSR), 3, 24, 18, 3, 0, 0, 0,
       0.8, 0, 0, 0, 0},
      {"global ragged, shuffled", FORM(GLOBAL), ORACLE_RAGGED, STORED(TRIPLET), 3, 30, 16, 2, 0, 0,
       0, 0.8, 1, 0, 0, 0},
      {"global in the plane, dense", FORM(GLOBAL), ORACLE_RAGGED, STORED(DENSE), 2, 24, 14, 0, 0, 0,
       0, 0.8, 1, 0, 0, 0},
      {"rank-deficient", FORM(RIGID), ORACLE_RIGID, STORED(CSC), 3, 6, 30, 0, 0, 0, 0, 1.0, 0, 1, 0,
       0},
      {"badly scaled", FORM(RIGID), ORACLE_SPHERES, STORED(CSC), 3, 16, 16, 0, 0, 0, 2, 2.0, 0, 1,
       0, 0},
      {"hub", FORM(RIGID), ORACLE_SPHERES, STORED(CSC), 3, 3, 110, 0, 0, 0, 0, 0.5, 0, 1, 0, 0},
      {"spheres, rows with bounds", FORM(RIGID), ORACLE_SPHERES, STORED(CSC), 3, 24, 16, 8, 0, 0, 0,
       0.8, 0, 0, 1, 0},
      {"arms, rows with bounds", FORM(RIGID), ORACLE_RIGID, STORED(CSC), 3, 24, 14, 8, 0, 0.1, 0,
       0.8, 0, 0, 0.7, 0},
      {"blocks, rows with bounds", FORM(BLOCKS), ORACLE_RAGGED, STORED(CSC), 3, 30, 10, 8, 0, 0, 0,
       0.8, 0, 0, 1, 0},
      {"W, rows with bounds", FORM(DELASSUS), ORACLE_RIGID, STORED(CSC), 3, 24, 14, 8, 0, 0, 0, 0.8,
       0, 0, 0.8, 0},
      {"global, rows with bounds", FORM(GLOBAL), ORACLE_RIGID, STORED(CSR), 3, 24, 14, 8, 0, 0, 0,
       0.8, 0, 0, 0.8, 0},
      {"soft spheres", FORM(RIGID), ORACLE_SPHERES, STORED(CSC), 3, 24, 20, 0, 0, 0.1, 0, 0.8, 0, 0,
       0, 0.1},
      {"soft arms, rows with bounds", FORM(RIGID), ORACLE_RIGID, STORED(CSC), 3, 24, 14, 8, 0, 0, 0,
       0.8, 0, 0, 0.7, 1},
      {"soft blocks and rows", FORM(BLOCKS), ORACLE_RAGGED, STORED(CSC), 3, 30, 12, 4, 0, 0, 0, 0.8,
       0, 0, 0.5, 1},
      {"soft blocks in the plane", FORM(BLOCKS), ORACLE_RAGGED, STORED(CSC), 2, 30, 16, 0, 0, 0, 0,
       0.8, 0, 0, 0, 0.1},
      {"soft W and rows", FORM(DELASSUS), ORACLE_RIGID, STORED(CSC), 3, 24, 16, 4, 0, 0, 0, 0.8, 0,
       0, 0.5, 1},
      {"soft LCP", FORM(DELASSUS), ORACLE_RIGID, STORED(DENSE), 1, 24, 20, 0, 0, 0, 0, 0.8, 0, 0, 0,
       0.1},
      {"soft global spheres", FORM(GLOBAL), ORACLE_SPHERES, STORED(CSC), 3, 24, 20, 0, 0, 0, 0, 0.8,
       0, 0, 0, 1},
      {"soft global, shuffled", FORM(GLOBAL), ORACLE_RAGGED, STORED(TRIPLET), 3, 30, 14, 4, 0, 0, 0,
       0.8, 1, 0, 0.5, 0.1},
      {"soft, more contacts than freedoms", FORM(RIGID), ORACLE_SPHERES, STORED(CSC), 3, 6, 30, 0,
       0, 0, 0, 1.0, 0, 1, 0, 1},
  };
#undef FORM
#undef STORED
  return &families[i];
}

static inline oracle_made family_make(const family *f, talus_law law, uint64_t seed) {
  oracle_recipe recipe = oracle_recipe_default(f->form);
  recipe.bodies = f->bodies;
  recipe.law = law;
  recipe.storage = f->storage;
  recipe.dimension = f->dimension;
  recipe.body_count = f->body_count;
  recipe.contact_count = f->contact_count;
  recipe.bilateral_count = f->bilateral_count;
  recipe.bounded = f->bounded;
  recipe.asymmetry = f->asymmetry;
  recipe.immovable = f->immovable;
  recipe.mass_decades = f->mass_decades;
  recipe.friction_max = f->friction_max;
  recipe.shuffle = f->shuffle;
  recipe.compliance = f->compliance;
  recipe.seed = seed;
  return oracle_problem_make(&recipe);
}

/* How many velocities a problem has; 0 for form DELASSUS. */
static inline int64_t family_velocities(const talus_problem *problem) {
  int64_t count = 0;
  switch (problem->form) {
  case TALUS_FORM_RIGID:
    return 6 * (int64_t)problem->rigid.body_count;
  case TALUS_FORM_BLOCKS:
    for (int32_t i = 0; i < problem->blocks.block_count; i++) {
      count += problem->blocks.block_size[i];
    }
    return count;
  case TALUS_FORM_GLOBAL:
    return problem->global.mass.rows;
  default:
    return 0;
  }
}

#endif
