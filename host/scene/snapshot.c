/* snapshot.c: a frame of the world, and beside it the scalars that the scene asks for. */
#include "host/scene/snapshot.h"

#include <string.h>

static talus_status choose_columns(const talus_scene *scene, tl_snapshot *s) {
  const tl_scene_output *output = &tl_scene_def(scene)->output;
  const int32_t all = tl_scalars_count(scene);
  void *memory = NULL;
  TL_TRY(tl_arena_take(&s->arena, (size_t)all, sizeof(talus_column), &memory));
  s->column = memory;
  TL_TRY(tl_arena_take(&s->arena, 2 * (size_t)all, sizeof(double), &memory));
  s->value = memory;
  TL_TRY(tl_arena_take(&s->arena, (size_t)all, sizeof(int32_t), &memory));
  s->chosen = memory;
  TL_TRY(tl_scalars_name(scene, &s->arena, s->column));
  for (int32_t i = 0; i < all && output->columns.count == 0; i++) {
    s->chosen[s->column_count++] = i;
  }
  for (int32_t k = 0; k < output->columns.count; k++) {
    const char *wanted = output->columns.text[k];
    int32_t found = -1;
    for (int32_t i = 0; i < all; i++) {
      found = strcmp(s->column[i].name, wanted) == 0 ? i : found;
    }
    if (found < 0) {
      char near[96];
      return tl_node_fail(s->context, tl_tree_find(output->item.node, "columns"),
                          "output.columns: there is no column '%.60s'%s", wanted,
                          tl_column_suggest(s->column, all, wanted, near, sizeof near));
    }
    s->chosen[s->column_count++] = found;
  }
  /* Names in the order of the choice; the first half of `value` is handed out. */
  TL_TRY(tl_arena_take(&s->arena, (size_t)s->column_count, sizeof(talus_column), &memory));
  talus_column *chosen = memory;
  for (int32_t i = 0; i < s->column_count; i++) {
    chosen[i] = s->column[s->chosen[i]];
  }
  s->column = chosen;
  return TALUS_OK;
}

talus_status tl_snapshot_open(const talus_scene *scene, tl_snapshot *s) {
  memset(s, 0, sizeof *s);
  s->context = s->arena.context = tl_scene_context(scene);
  return choose_columns(scene, s);
}

void tl_snapshot_close(tl_snapshot *s) {
  if (s->context != NULL) {
    tl_world_frame_release(s->context, &s->of_world);
    tl_arena_release(&s->arena);
  }
  memset(s, 0, sizeof *s);
}

talus_status tl_snapshot_check(const talus_scene *scene) {
  tl_snapshot snapshot;
  const talus_status status = tl_snapshot_open(scene, &snapshot);
  tl_snapshot_close(&snapshot);
  return status;
}

talus_status tl_snapshot_take(tl_snapshot *s, const talus_scene *scene, const talus_world *world,
                              const talus_step_report *report, int with_contacts) {
  TL_TRY(tl_world_frame_take(&s->of_world, world, with_contacts != 0));
  s->frame = s->of_world.frame;
  double *all = s->value + tl_scalars_count(scene);
  TL_TRY(tl_scalars_fill(scene, world, report, all));
  for (int32_t i = 0; i < s->column_count; i++) {
    s->value[i] = all[s->chosen[i]];
  }
  s->frame.scalar_count = s->column_count;
  s->frame.scalar_column = s->column;
  s->frame.scalar = s->value;
  return TALUS_OK;
}
