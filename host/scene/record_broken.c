/* record_broken.c: the table of bonds that broke, one line each. */
#include "host/io/table.h"
#include "host/scene/record.h"

/* After the step. mode: 0 tension, 1 bending, 2 shear, 3 twisting. */
static const talus_column columns[] = {
    {"time", "s"},      {"bond", ""},        {"body_a", ""}, {"body_b", ""},  {"mode", ""},
    {"x", "m"},         {"y", "m"},          {"z", "m"},     {"normal", "N"}, {"shear", "N"},
    {"bending", "N m"}, {"twisting", "N m"}, {"load", ""}};
enum { COLUMNS = sizeof columns / sizeof columns[0] };

talus_status tl_record_broken_open(talus_context *context, const char *path, int64_t resume,
                                   tl_record_broken *broken) {
  broken->step = resume;
  return talus_table_open(context, path, columns, COLUMNS, resume, &broken->table);
}

talus_status tl_record_broken_write(tl_record_broken *broken, const talus_world *world) {
  const talus_broken_bond *of = NULL;
  const int64_t step = talus_world_steps(world);
  if (broken->table == NULL || step <= broken->step) { /* written before */
    return TALUS_OK;
  }
  const int32_t count = talus_world_broken(world, &of);
  for (int32_t i = 0; i < count; i++) {
    const talus_bond *const b = &of[i].bond;
    const double value[COLUMNS] = {of[i].time,  b->id,       b->body_a,   b->body_b, of[i].mode,
                                   b->point[0], b->point[1], b->point[2], b->normal, b->shear,
                                   b->bending,  b->twisting, b->load};
    TL_TRY(tl_table_append(broken->table, step, value));
  }
  broken->step = step;
  return TALUS_OK;
}
