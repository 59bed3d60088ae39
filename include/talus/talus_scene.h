/* talus_scene.h: a world from a scene file (docs/reference/scene.md), to be stepped by the caller.
 *
 *   talus_scene_read, talus_scene_build, then as often as wanted talus_scene_tick, talus_world_step
 *
 * All random numbers come from the file's seed: equal files and overrides give equal worlds. */
#ifndef TALUS_SCENE_H
#define TALUS_SCENE_H

#include "talus_world.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct talus_scene talus_scene;

/* Reads and checks a file. overrides: override_count texts "key.key=value" as `talus run --set`
 * takes them, or NULL if there are none. Statuses: INVALID_ARGUMENT, FILE_OPEN, FILE_FORMAT (the
 * message begins with file:line:column), UNSUPPORTED (built without libyaml), OUT_OF_MEMORY; *scene
 * is NULL then. */
TALUS_API talus_status talus_scene_read(talus_context *context, const char *path,
                                        const char *const *overrides, int32_t override_count,
                                        talus_scene **scene);
/* Accepts NULL. The world stays. */
TALUS_API void talus_scene_destroy(talus_scene *scene);

/* Makes the world, to be destroyed by the caller. Where bodies overlap, the key world.overlap
 * decides. A scene serves one world at a time: building again starts its inlets anew. Statuses:
 * FILE_FORMAT (place in the file and reason), those of talus_world.h. On failure *world is NULL. */
TALUS_API talus_status talus_scene_build(talus_scene *scene, talus_world **world);
/* What happens between steps: inlets, outlets, motors, forces, bodies that are taken away. To be
 * called before every step. Statuses: those of talus_world.h. */
TALUS_API talus_status talus_scene_tick(talus_scene *scene, talus_world *world);

/* When the file says that a run ends, s. */
TALUS_API double talus_scene_end(const talus_scene *scene);
/* The body of that name (sections bodies and walls; "mechanism.link"), or TALUS_NONE. */
TALUS_API int32_t talus_scene_body_find(const talus_scene *scene, const char *name);
/* The mechanism of that name in the built world, for talus_world_mechanism; or TALUS_NONE. */
TALUS_API int32_t talus_scene_mechanism_find(const talus_scene *scene, const char *name);
/* Of the ball about the centre of mass that holds the body, m; INFINITY for walls. */
TALUS_API double talus_scene_body_radius(const talus_scene *scene, int32_t body);
/* Grains made by inlets and removed by outlets so far. */
TALUS_API int64_t talus_scene_added(const talus_scene *scene);
TALUS_API int64_t talus_scene_removed(const talus_scene *scene);

/* ---- what the file says ---------------------------------------------------------------------- */

typedef struct talus_scene_info {
  uint32_t struct_size; /* set by talus_scene_info_default */
  int32_t material_count, joint_count, force_count, inlet_count, outlet_count, mechanism_count;
  int32_t frames;                    /* 1: frames are written */
  double step, end;                  /* s: of the world; when a run ends */
  int64_t step_count;                /* steps after which a run ends; 0: at the time `end` */
  const char *title;                 /* NULL if there is none; belongs to the scene, as `colour` */
  int32_t pictures, movie;           /* 1: are drawn at the end of a run */
  int32_t width, height;             /* of pictures, pixels */
  double azimuth, elevation;         /* of the camera, degrees; NaN if the file does not say */
  const char *colour;                /* what grains are coloured by: "speed" */
  int32_t stage_count, motion_count; /* entries of the file: stages; motions of walls and bodies */
  int32_t servo_count, bond_count;   /* servos of walls, bodies and the cell; of the list bonds */
  uint32_t periodic;                 /* bits of x, y, z: of the cell; 0: there is none */
  uint32_t unused;
} talus_scene_info;

TALUS_API void talus_scene_info_init(talus_scene_info *info, size_t size);
static inline talus_scene_info talus_scene_info_default(void) {
  talus_scene_info info;
  talus_scene_info_init(&info, sizeof info);
  return info;
}
/* Statuses: INVALID_ARGUMENT, STRUCT_SIZE. */
TALUS_API talus_status talus_scene_describe(const talus_scene *scene, talus_scene_info *info);
/* Writes the reference of scene files in Markdown to text [capacity], cut if it is longer, ended by
 * a 0; *size: its length without the 0. text may be NULL if capacity is 0. Statuses:
 * INVALID_ARGUMENT, OUT_OF_MEMORY. */
TALUS_API talus_status talus_scene_reference(talus_context *context, char *text, size_t capacity,
                                             size_t *size);

/* Bodies with which the scene begins beside its own: the free ones of a checkpoint that a run of
 * any scene wrote, with shapes, places, velocities, and materials by their names; a periodic cell
 * goes on with the edges that it had. To be called before talus_scene_build. Statuses:
 * INVALID_ARGUMENT, FILE_OPEN, FILE_FORMAT (also: of a world of another dimension), OUT_OF_MEMORY;
 * names that the scene does not have are told by talus_scene_build. */
TALUS_API talus_status talus_scene_from(talus_scene *scene, const char *path);

/* ---- stages ---------------------------------------------------------------------------------- */

/* Looks whether the conditions of the present stage have come true; the next tick goes on to the
 * next one. To be called after every step if stages have conditions (tick fails with CALL_ORDER
 * else); without stages it does nothing. report: of that step. A stage that reaches its time limit
 * without them is told as a warning. Statuses: INVALID_ARGUMENT, STRUCT_SIZE, OUT_OF_MEMORY. */
TALUS_API talus_status talus_scene_watch(talus_scene *scene, const talus_world *world,
                                         const talus_step_report *report);
typedef enum talus_stage_end {
  TALUS_STAGE_GOES_ON = 0,    /* or there are no stages */
  TALUS_STAGE_LAST_ENDED = 1, /* the run is over */
  TALUS_STAGE_LATE = 2        /* so it is: a stage with `late: stop` reached its limit */
} talus_stage_end;
/* Whether the stages are over, after talus_scene_watch or talus_scene_tick. */
TALUS_API talus_stage_end talus_scene_over(const talus_scene *scene);

/* ---- checkpoints of a scene's world ---------------------------------------------------------- */

/* As talus_checkpoint_write and talus_checkpoint_read (talus_io.h), with what the scene has done so
 * far: grains of inlets, what outlets took, motors. In a context with ranks all ranks call them,
 * and the first one writes. */
TALUS_API talus_status talus_scene_save(const talus_scene *scene, const talus_world *world,
                                        const char *directory, int32_t keep);
/* Brings a world that talus_scene_build has just made to where the checkpoint was written. Only
 * title, output and run of the file may have changed since. Statuses: INVALID_ARGUMENT, FILE_OPEN,
 * FILE_FORMAT (also: of another scene), OUT_OF_MEMORY, UNSUPPORTED. */
TALUS_API talus_status talus_scene_resume(talus_scene *scene, talus_world *world, const char *path);

/* ---- the directory of a run ------------------------------------------------------------------ */

/* Writes what the section output of a scene asks for to one directory: ParaView frames,
 * scalars.csv, checkpoints, a copy of the scene. Frames and lines are written at multiples of the
 * output step counted from the beginning, so that a run in pieces leaves the same files as one in
 * one piece. The directory is locked for as long as the record lives.
 *
 *   talus_record_create, talus_scene_build, talus_record_resume, talus_record_open,
 *   at step 0 talus_record_frame; for each step talus_record_before_step, talus_scene_tick,
 *   talus_world_step, then what talus_record_due says; talus_record_checkpoint,
 *   talus_record_close */
typedef struct talus_record talus_record;

typedef struct talus_record_def {
  uint32_t struct_size;  /* set by talus_record_def_default */
  int32_t force;         /* 1: files of another run in the directory are deleted; default 0 */
  const char *directory; /* where results go; made if it is not there */
  const char *resume;    /* NULL: a new run; else the checkpoint to go on from, or a directory,
                            whose newest is taken. If it is of the same directory the run is
                            continued there, else the directory gets a run of its own */
} talus_record_def;

TALUS_API void talus_record_def_init(talus_record_def *def, size_t size);
static inline talus_record_def talus_record_def_default(void) {
  talus_record_def def;
  talus_record_def_init(&def, sizeof def);
  return def;
}
/* Finds the checkpoint of a restart; nothing is written yet. Statuses: INVALID_ARGUMENT,
 * STRUCT_SIZE, FILE_OPEN (no such checkpoint), FILE_FORMAT (one that does not go with the table in
 * the directory), BUSY (another process writes there), FILE_WRITE, OUT_OF_MEMORY; *record is NULL
 * then. */
TALUS_API talus_status talus_record_create(talus_context *context, const talus_record_def *def,
                                           talus_record **record);
/* Loads the checkpoint of a restart into a world that was just built; a new run is left as it is.
 * Statuses: those of talus_scene_resume. */
TALUS_API talus_status talus_record_resume(talus_record *record, talus_scene *scene,
                                           talus_world *world);
/* Makes the directory and opens its files. The scene has to live as long as the record. After an
 * error nothing is open, and it may be called again. Statuses:
 * INVALID_ARGUMENT, FILE_WRITE (also: it holds another run, and force is 0), FILE_FORMAT, BUSY,
 * OUT_OF_MEMORY. */
TALUS_API talus_status talus_record_open(talus_record *record, talus_scene *scene,
                                         const talus_world *world);

/* What is to be written after a step, as bits. */
typedef enum talus_record_part {
  TALUS_RECORD_FRAME = 1,
  TALUS_RECORD_CHECKPOINT = 2
} talus_record_part;
TALUS_API uint32_t talus_record_due(const talus_record *record, int64_t step);
/* To be called before every step (and tick): keeps a copy of the state if a frame is due after it.
 * Statuses: INVALID_ARGUMENT, CALL_ORDER (not open), OUT_OF_MEMORY. */
TALUS_API talus_status talus_record_before_step(talus_record *record, const talus_world *world);
/* Writes the frame and the line of a step; report may be NULL before the first step. Statuses:
 * INVALID_ARGUMENT, CALL_ORDER, STRUCT_SIZE, FILE_WRITE, NOT_FINITE, OUT_OF_MEMORY. */
TALUS_API talus_status talus_record_frame(talus_record *record, const talus_world *world,
                                          const talus_step_report *report);
/* Writes a checkpoint. *step: of the state that it holds, which is the world's; but where the frame
 * of that step could not be written, it is the state before, so that a restart makes the step again
 * and writes it. step may be NULL. Statuses: INVALID_ARGUMENT, CALL_ORDER, FILE_WRITE (also once
 * output was lost that had been taken as written), OUT_OF_MEMORY, UNSUPPORTED. */
TALUS_API talus_status talus_record_checkpoint(talus_record *record, const talus_world *world,
                                               int64_t *step);
/* Writes the path of the newest undamaged checkpoint of a run's directory that goes with the table
 * in it to path [capacity]. After a restart from an older checkpoint the lines of later ones are
 * gone from the table: those checkpoints are passed over with a warning. Statuses:
 * INVALID_ARGUMENT, FILE_OPEN (there is none), FILE_FORMAT, OUT_OF_MEMORY, UNSUPPORTED. */
TALUS_API talus_status talus_record_newest(talus_context *context, const char *directory,
                                           char *path, size_t capacity);
/* Ends the record and unlocks the directory. Accepts NULL. Status FILE_WRITE: the system could not
 * keep what it had taken. */
TALUS_API talus_status talus_record_close(talus_record *record);

/* ---- measurements of a run ------------------------------------------------------------------- */

/* Told after each frame; anything but 0 ends the measurement there, with what there is so far. */
typedef int (*talus_measure_fn)(void *user, int32_t frame, int32_t frame_count);

typedef struct talus_measure_def {
  uint32_t struct_size;   /* set by talus_measure_def_default */
  int32_t add_count;      /* of add */
  const char *directory;  /* of a run: its frames, and its scene.yaml if there is one */
  const char *out;        /* where results go, made if it is not there; NULL: directory/measured */
  const char *const *add; /* measurements as a scene writes them in output.measure, YAML:
                             "{kind: region, name: bed, region: {...}}"; none: those of the scene,
                             or if it has none "{name: all}" */
  const char *file;       /* NULL, or a YAML file with a list of measurements, taken before `add` */
  double begin, end;      /* s: frames from and to these times; default all */
  int32_t every;          /* takes every so-many-th of them; default 1 */
  int32_t unused;
  talus_measure_fn progress; /* default NULL */
  void *user;
} talus_measure_def;

TALUS_API void talus_measure_def_init(talus_measure_def *def, size_t size);
static inline talus_measure_def talus_measure_def_default(void) {
  talus_measure_def def;
  talus_measure_def_init(&def, sizeof def);
  return def;
}
/* Measures the frames of a run (docs/how-to/measure.md): measure.csv has a line per frame,
 * averages.csv the mean and its error over time of each column, NAME.csv averages of a profile or
 * distribution, NAME.vti those of fields. *frames (may be NULL): how many were measured. Statuses:
 * INVALID_ARGUMENT, STRUCT_SIZE, FILE_OPEN (no frames, or none between these times), FILE_FORMAT
 * (also: a measurement that makes no sense; its place and the reason), MISSING_ARRAY (frames of
 * version 0.1 have no masses), INDEX_RANGE (a region moves with a body that is gone), FILE_WRITE,
 * SIZE_OVERFLOW, OUT_OF_MEMORY, UNSUPPORTED (built without libyaml). */
TALUS_API talus_status talus_measure_run(talus_context *context, const talus_measure_def *def,
                                         int32_t *frames);

#ifdef __cplusplus
}
#endif
#endif
