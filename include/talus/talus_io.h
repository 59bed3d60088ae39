/* talus_io.h: problem files, impulse files, and problems made to order.
 *
 * A talus_stored owns the arrays of a problem that was read or generated; its .problem goes
 * straight into talus_solver_update. Files are written whole or not at all (temporary file,
 * then rename). */
#ifndef TALUS_IO_H
#define TALUS_IO_H

#include "talus_solve.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A problem with the memory it stands on. */
typedef struct talus_stored {
  union {
    talus_problem problem; /* forms DELASSUS and GLOBAL from files; RIGID too from generators */
    uint64_t problem_room[128];
  };
  char *title;   /* NULL if there is none */
  double *guess; /* impulses stored with the problem (a solution or guess), or NULL */
  double *guess_bilateral;
  /* geometry, from generators only, for pictures: NULL from files */
  double *position; /* [3 body_count] m */
  double *radius;   /* [body_count] m */
  void *memory;     /* private: what talus_stored_destroy releases */
} talus_stored;

/* Reads a problem: FCLIB HDF5 (local or global) or Siconos text (.dat; global ones are told by
 * their content). The kind is found from the content, not from the name. Statuses: FILE_OPEN,
 * FILE_FORMAT (message says what and where), OUT_OF_MEMORY, UNSUPPORTED (built without HDF5, or the
 * file needs a member of talus_problem that the program does not know). problem_size: what the
 * program knows of a talus_problem, so that it may copy the one it gets. */
TALUS_API talus_status talus_problem_read_sized(talus_context *context, const char *path,
                                                size_t problem_size, talus_stored **stored);
static inline talus_status talus_problem_read(talus_context *context, const char *path,
                                              talus_stored **stored) {
  return talus_problem_read_sized(context, path, sizeof(talus_problem), stored);
}
/* Writes a problem; by name: *.dat is Siconos text, anything else FCLIB HDF5. Form RIGID and BLOCKS
 * are written as FCLIB global. impulse may be NULL (else stored as solution). Statuses:
 * FILE_WRITE, UNSUPPORTED, OUT_OF_MEMORY. */
TALUS_API talus_status talus_problem_write(talus_context *context, const char *path,
                                           const talus_problem *problem, const double *impulse);
/* Accepts NULL. */
TALUS_API void talus_stored_destroy(talus_stored *stored);

/* Impulse files: one contact per line, "normal tangent1 tangent2" (fewer for fewer dimensions),
 * %.17g, # starts a comment. count rows of `columns` numbers. */
TALUS_API talus_status talus_impulses_write(talus_context *context, const char *path,
                                            const double *impulse, int32_t count, int32_t columns);
TALUS_API talus_status talus_impulses_read(talus_context *context, const char *path,
                                           double *impulse, int32_t count, int32_t columns);

/* ---- problems made to order ------------------------------------------------------------------ */

typedef enum talus_generate_kind {
  TALUS_GENERATE_HEAP = 0,  /* spheres of mixed size settled in an open box by drop and roll */
  TALUS_GENERATE_STACK = 1, /* columns of boxes on the ground, four contacts per face */
  TALUS_GENERATE_RANDOM = 2 /* random contacts between random bodies, general arms and inertia */
} talus_generate_kind;

typedef struct talus_generate_def {
  uint32_t struct_size; /* set by talus_generate_def_default */
  talus_generate_kind kind;
  int32_t body_count;   /* default 1000 */
  double friction;      /* default 0.5 */
  double radius;        /* mean radius or half edge, m; default 0.05 */
  double spread;        /* relative spread of the size, 0 .. 0.5; default 0.3 */
  double density;       /* kg/m3; default 2500 */
  double step;          /* s; gravity * step is the velocity before the impulses. Default 1e-3 */
  double contact_ratio; /* RANDOM: contacts per body; default 2 */
  double aspect;        /* HEAP: depth over width of the box; default 1 */
  uint64_t seed;        /* default 1; the same seed gives the same problem everywhere */
} talus_generate_def;

TALUS_API void talus_generate_def_init(talus_generate_def *def, size_t size,
                                       talus_generate_kind kind);
static inline talus_generate_def talus_generate_def_default(talus_generate_kind kind) {
  talus_generate_def def;
  talus_generate_def_init(&def, sizeof def, kind);
  return def;
}
/* Statuses: STRUCT_SIZE, BAD_SETTING, OUT_OF_MEMORY. problem_size: as above. */
TALUS_API talus_status talus_problem_generate_sized(talus_context *context,
                                                    const talus_generate_def *def,
                                                    size_t problem_size, talus_stored **stored);
static inline talus_status talus_problem_generate(talus_context *context,
                                                  const talus_generate_def *def,
                                                  talus_stored **stored) {
  return talus_problem_generate_sized(context, def, sizeof(talus_problem), stored);
}

/* ---- pictures -------------------------------------------------------------------------------- */

/* Draws spheres and the force chains between them, seen along y, as a PNG of width pixels: lines
 * between centres, thickness and colour by normal impulse. Form RIGID with geometry only.
 * Title and scale need Cairo: a build without it leaves them out.
 * Statuses: UNSUPPORTED (no geometry, or built without libpng), FILE_WRITE, OUT_OF_MEMORY. */
TALUS_API talus_status talus_force_chains_draw(talus_context *context, const char *path,
                                               const talus_stored *stored, const double *impulse,
                                               int32_t width);

#ifdef __cplusplus
}
#endif
#endif
