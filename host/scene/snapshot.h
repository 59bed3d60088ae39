/* snapshot.h: a world as a frame for files and pictures, with the scalars of the CSV file. */
#ifndef TL_SCENE_SNAPSHOT_H
#define TL_SCENE_SNAPSHOT_H

#include "host/io/world_frame.h"
#include "host/scene/scene.h"

typedef struct tl_snapshot {
  talus_context *context;
  tl_frame frame; /* as of the last tl_snapshot_take, with the scalars below */
  tl_world_frame of_world;
  talus_column *column; /* [column_count] of the CSV file */
  double *value;
  int32_t column_count;
  int32_t *chosen; /* [column_count] which of all scalars */
  tl_arena arena;
} tl_snapshot;

/* The columns that output.columns and output.track ask for. Status: FILE_FORMAT (an unknown column;
 * file and line), OUT_OF_MEMORY. tl_snapshot_close is due in every case. */
talus_status tl_snapshot_open(const talus_scene *scene, tl_snapshot *snapshot);
void tl_snapshot_close(tl_snapshot *snapshot);
/* Whether the columns that a scene asks for exist. Statuses: as above. */
talus_status tl_snapshot_check(const talus_scene *scene);

/* report: of the step just made, or NULL before the first. with_contacts: 0 leaves them out. */
talus_status tl_snapshot_take(tl_snapshot *snapshot, const talus_scene *scene,
                              const talus_world *world, const talus_step_report *report,
                              int with_contacts);

/* ---- scalars.c ------------------------------------------------------------------------------- */

/* All scalars that a scene has: names, then values in the same order. */
int32_t tl_scalars_count(const talus_scene *scene);
/* " (did you mean NAME?)", or nothing where no column has a name like it. Returns text. */
const char *tl_column_suggest(const talus_column *column, int32_t count, const char *name,
                              char *text, size_t capacity);
talus_status tl_scalars_name(const talus_scene *scene, tl_arena *arena, talus_column *column);
talus_status tl_scalars_fill(const talus_scene *scene, const talus_world *world,
                             const talus_step_report *report, double *value);
/* A column name_x, name_y ...; characters that a column cannot have become _. */
talus_status tl_scalars_column(tl_arena *arena, const char *stem, const char *name,
                               const char *ending, const char *unit, talus_column *column);

/* The last of them, of servos (scalars_servo.c). */
int32_t tl_scalars_servo_count(const talus_scene *scene);
talus_status tl_scalars_servo_name(const talus_scene *scene, tl_arena *arena, talus_column *column);
void tl_scalars_servo_fill(const talus_scene *scene, const talus_world *world, double *value);

#endif
