/* talus_io.h: problem files, impulse files, problems made to order; checkpoints, frames and tables
 * of a world.
 *
 * A talus_stored owns the arrays of a problem that was read or generated; its .problem goes
 * straight into talus_solver_update. Files are written whole or not at all (temporary file,
 * then rename). */
#ifndef TALUS_IO_H
#define TALUS_IO_H

#include "talus_world.h"

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

/* ---- checkpoints of a world ------------------------------------------------------------------ */

/* A checkpoint holds what a world has become: poses, velocities, forces, which bodies and joints
 * are left, impulses for the next step's start, motors, mechanisms, time. It does not hold what the
 * world was made of. To restart, create the world again by the same calls, in the same order and
 * with the same numbers (bodies that were removed since included), then read the checkpoint: the
 * world goes on bit for bit as if it had never stopped. Needs HDF5: UNSUPPORTED without it.
 *
 * Writes <directory>/checkpoint-NNNNNN.h5, NNNNNN the number of steps made. The directory must
 * exist and hold checkpoints of one run only. When the file is safe on disk, older checkpoints are
 * deleted so that `keep` remain with it (0: all remain). Ending the program or filling the disk at
 * any moment leaves the older checkpoints as they were. In a context with ranks (talus_ranks.h) all
 * ranks call this, as they call talus_checkpoint_read, frames and talus_world_problem_write: the
 * first one writes, and all have its status. Statuses: INVALID_ARGUMENT, FILE_WRITE,
 * OUT_OF_MEMORY, UNSUPPORTED, RANKS_FAILED. */
TALUS_API talus_status talus_checkpoint_write(const talus_world *world, const char *directory,
                                              int32_t keep);
/* Writes the path of the newest undamaged checkpoint in a directory to path [capacity]. Statuses:
 * INVALID_ARGUMENT (also: too little room), FILE_OPEN (no directory, or no such file in it),
 * OUT_OF_MEMORY, UNSUPPORTED. */
TALUS_API talus_status talus_checkpoint_newest(talus_context *context, const char *directory,
                                               char *path, size_t capacity);
/* Brings a world that was built again to where the checkpoint was written. Statuses:
 * INVALID_ARGUMENT, FILE_OPEN, FILE_FORMAT (not a checkpoint, damaged, or of another world: the
 * message says what differs), NOT_FINITE, OUT_OF_MEMORY, UNSUPPORTED. After a failure the world may
 * be changed in part: destroy it. */
TALUS_API talus_status talus_checkpoint_read(talus_world *world, const char *path);

/* ---- frames and tables of a world ------------------------------------------------------------ */

/* Writes frames of a world as ParaView files into one directory (docs/reference/files.md). In a
 * context with ranks all ranks open and write them: the first one has the files. */
typedef struct talus_frames talus_frames;

typedef struct talus_frames_def {
  uint32_t struct_size; /* set by talus_frames_def_default */
  int32_t contacts;     /* 1 (default): contacts are written too */
  int64_t resume; /* the step that a restart goes on from: later frames are removed when the first
                     new one is safe. Default -1: a new run, files of these names are replaced */
} talus_frames_def;

TALUS_API void talus_frames_def_init(talus_frames_def *def, size_t size);
static inline talus_frames_def talus_frames_def_default(void) {
  talus_frames_def def;
  talus_frames_def_init(&def, sizeof def);
  return def;
}
/* The directory must exist; def may be NULL. Statuses: INVALID_ARGUMENT, STRUCT_SIZE, FILE_FORMAT
 * (a .pvd of another program), OUT_OF_MEMORY; *frames is NULL then. */
TALUS_API talus_status talus_frames_open(talus_context *context, const char *directory,
                                         const talus_frames_def *def, talus_frames **frames);
/* Writes the world as it is. Statuses: INVALID_ARGUMENT, FILE_WRITE (no part of the frame is left
 * behind), NOT_FINITE, OUT_OF_MEMORY. */
TALUS_API talus_status talus_frames_write(talus_frames *frames, const talus_world *world);
/* Accepts NULL. The files are complete without it. */
TALUS_API void talus_frames_close(talus_frames *frames);

/* Writes a table of numbers as text, a line for each step: commas between them, 17 digits, a first
 * line that names the columns with their units. `talus plot` draws it. */
typedef struct talus_table talus_table;

typedef struct talus_column {
  const char *name; /* letters, digits, _ and -; no comma, quote or bracket */
  const char *unit; /* "J", "m/s"; "" for plain numbers */
} talus_column;

/* column: [column_count], what follows the step; not kept. resume < 0: a new file, replacing what
 * was there. resume >= 0: goes on after a restart from that step: lines of later steps are removed;
 * the columns must be the same; a missing file is made. Statuses: INVALID_ARGUMENT (also: a name or
 * unit that cannot stand in a table), FILE_WRITE, FILE_FORMAT (other columns, or no table: nothing
 * is changed), OUT_OF_MEMORY; *table is NULL then. */
TALUS_API talus_status talus_table_open(talus_context *context, const char *path,
                                        const talus_column *column, int32_t column_count,
                                        int64_t resume, talus_table **table);
/* Appends the line of a step; value: [column_count]. If the last line is of the same step it is
 * replaced. Statuses: INVALID_ARGUMENT, FILE_WRITE: no part of the line is left behind. */
TALUS_API talus_status talus_table_row(talus_table *table, int64_t step, const double *value);
/* Accepts NULL. Status FILE_WRITE: the system could not keep what it had taken. */
TALUS_API talus_status talus_table_close(talus_table *table);

/* Writes bytes to a file, whole or not at all. Statuses: INVALID_ARGUMENT, FILE_WRITE,
 * OUT_OF_MEMORY. */
TALUS_API talus_status talus_file_write(talus_context *context, const char *path, const void *bytes,
                                        size_t size);

/* ---- contact problems of a world ------------------------------------------------------------- */

/* Writes the contact problem of the step that failed, or else of the next one, for `talus solve`,
 * with the formats of talus_problem_write. The world is as before. Calls the contact callback. In a
 * context with ranks all ranks call it, and the first one writes.
 * Statuses: INVALID_ARGUMENT, those of talus_problem_write and talus_world_step. */
TALUS_API talus_status talus_world_problem_write(talus_world *world, const char *path);
/* From now on contact solves are written as talus_settings.dump says; NONE ends it. The path is
 * copied. Statuses: INVALID_ARGUMENT, those of talus_solver_set. */
TALUS_API talus_status talus_world_dump(talus_world *world, talus_dump dump, const char *path);

/* ---- pictures -------------------------------------------------------------------------------- */

/* Draws spheres and the force chains between them, seen along y, as a PNG of width pixels: lines
 * between centres, thickness and colour by normal impulse. Form RIGID with geometry only.
 * Title and scale need Cairo: without it they are left out.
 * Statuses: UNSUPPORTED (no geometry, or built without libpng), FILE_WRITE, OUT_OF_MEMORY. */
TALUS_API talus_status talus_force_chains_draw(talus_context *context, const char *path,
                                               const talus_stored *stored, const double *impulse,
                                               int32_t width);

#ifdef __cplusplus
}
#endif
#endif
