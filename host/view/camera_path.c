/* camera_path.c: see camera_path.h. */
#include "host/view/camera_path.h"

#include "host/io/table.h"

enum { COLUMN_x, COLUMN_y, COLUMN_z, COLUMN_zoom, COLUMN_turn, COLUMN_COUNT };
static const char *const names[COLUMN_COUNT] = {"x", "y", "z", "zoom", "turn"};

struct tl_camera_path {
  talus_context *context;
  tl_stored_table table;
  int32_t time, column[COLUMN_COUNT]; /* -1: not there */
};

static double value_at(const tl_camera_path *path, int32_t column, int64_t row) {
  return path->table.value[(size_t)column * (size_t)path->table.row_count + (size_t)row];
}

static talus_status check(const tl_camera_path *path, const char *file) {
  bool moves = false;
  for (int c = 0; c < COLUMN_COUNT; c++) {
    moves = moves || path->column[c] >= 0;
  }
  if (path->time < 0 || !moves || path->table.row_count < 1) {
    return tl_fail(path->context, TALUS_FILE_FORMAT,
                   "%s: a camera's path wants a column time, and some of x, y, z, zoom, turn",
                   file);
  }
  for (int64_t i = 0; i < path->table.row_count; i++) {
    if (i > 0 && !(value_at(path, path->time, i) > value_at(path, path->time, i - 1))) {
      return tl_fail(path->context, TALUS_FILE_FORMAT, "%s: times have to rise; line %lld does not",
                     file, (long long)i + 2);
    }
    if (path->column[COLUMN_zoom] >= 0 && !(value_at(path, path->column[COLUMN_zoom], i) > 0)) {
      return tl_fail(path->context, TALUS_FILE_FORMAT, "%s: zoom is not above 0 in line %lld", file,
                     (long long)i + 2);
    }
  }
  return TALUS_OK;
}

talus_status tl_camera_path_read(talus_context *context, const char *file, tl_camera_path **made) {
  void *memory = NULL;
  *made = NULL;
  TL_TRY(tl_alloc(context, &memory, 1, sizeof(tl_camera_path), "a camera's path"));
  tl_camera_path *const path = memory;
  *path = (tl_camera_path){.context = context};
  talus_status status = tl_stored_table_read(context, file, &path->table);
  if (status == TALUS_OK) {
    path->time = tl_stored_table_find(&path->table, "time");
    for (int c = 0; c < COLUMN_COUNT; c++) {
      path->column[c] = tl_stored_table_find(&path->table, names[c]);
    }
    status = check(path, file);
  }
  if (status != TALUS_OK) {
    tl_camera_path_destroy(path);
    return status;
  }
  *made = path;
  return TALUS_OK;
}

void tl_camera_path_destroy(tl_camera_path *path) {
  if (path != NULL) {
    tl_stored_table_release(&path->table);
    tl_free(path->context, path);
  }
}

void tl_camera_path_apply(const tl_camera_path *path, double time, double at[3],
                          tl_render_options *options) {
  const int64_t count = path->table.row_count;
  int64_t row = 0;
  while (row + 2 < count && value_at(path, path->time, row + 1) <= time) {
    row++;
  }
  const int64_t next = row + 1 < count ? row + 1 : row;
  const double from = value_at(path, path->time, row), to = value_at(path, path->time, next);
  const double raw = to > from ? (time - from) / (to - from) : 0;
  const double share = raw < 0 ? 0 : raw > 1 ? 1 : raw;
  double value[COLUMN_COUNT] = {0, 0, 0, options->zoom, options->turn};
  for (int c = 0; c < COLUMN_COUNT; c++) {
    if (path->column[c] >= 0) {
      const double a = value_at(path, path->column[c], row);
      value[c] = a + share * (value_at(path, path->column[c], next) - a);
    } else if (c <= COLUMN_z && options->target != NULL) {
      value[c] = options->target[c];
    }
  }
  options->zoom = value[COLUMN_zoom];
  options->turn = value[COLUMN_turn];
  if (path->column[COLUMN_x] >= 0 || path->column[COLUMN_y] >= 0 || path->column[COLUMN_z] >= 0) {
    for (int c = 0; c < 3; c++) {
      at[c] = value[c];
    }
    options->target = at;
  }
}
