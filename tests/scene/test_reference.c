/* test_reference.c: docs/reference/scene.md says what the reader's tables say; defaults of the
 * tables are those of the library; all sample scenes are good. */
#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "host/io/text_file.h"
#include "host/scene/schema.h"
#include "tests/check.h"
#include "tests/scene/scene_text.h"

static void check_document(talus_context *context) {
  static const char begin[] = "<!-- reference begins -->\n", end[] = "<!-- reference ends -->";
  char *made = NULL;
  tl_text page;
  CHECK(tl_schema_reference(context, &made) == TALUS_OK);
  if (CHECK(tl_text_open(context, source_path("docs/reference/scene.md"), &page) == TALUS_OK)) {
    char *first = strstr(page.memory, begin), *last = strstr(page.memory, end);
    if (CHECK(first != NULL && last != NULL && made != NULL)) {
      first += strlen(begin);
      CHECK_CASE((size_t)(last - first) == strlen(made) && strncmp(first, made, strlen(made)) == 0,
                 "docs/reference/scene.md is out of date: put the output of `talus scene "
                 "reference` between "
                 "its marks");
    }
  }
  tl_text_close(&page);
  tl_free(context, made);
}

static void check_defaults(talus_context *context) {
  talus_scene *scene = NULL;
  CHECK(scene_of(context, "materials: {m: {}}\n", &scene) == TALUS_OK);
  const tl_scene_world *w = &tl_scene_def(scene)->world;
  const tl_scene_material *m = tl_scene_def(scene)->materials.item;
  const talus_world_def def = talus_world_def_default();
  const talus_material_def material = talus_material_def_default();
  CHECK(memcmp(w->gravity, def.gravity, sizeof def.gravity) == 0);
  CHECK(w->step == def.step && w->substeps == def.substeps && w->plane == def.plane);
  CHECK(w->integrator == (int)def.integrator && w->stabilisation == (int)def.stabilisation);
  CHECK(w->restitution == (int)def.restitution && w->restitution_speed == def.restitution_speed);
  CHECK(w->slop == def.slop && w->margin == def.margin && w->bias_cap == def.bias_cap);
  CHECK(w->tolerance == def.tolerance && w->accept == def.accept);
  CHECK(w->law == (int)def.solver.law && w->method == (int)def.solver.method);
  CHECK(w->cone == (int)def.solver.cone && w->facets == def.solver.facets);
  CHECK(w->facet_angle == def.solver.facet_angle && w->facet_align == def.solver.facet_align);
  CHECK(w->precision == (int)def.solver.precision);
  CHECK(w->max_iterations == def.solver.max_iterations);
  CHECK((uint64_t)w->seed == def.seed);
  CHECK(m->density == material.density && m->friction == material.friction &&
        m->restitution == material.restitution);
  talus_scene_destroy(scene);
}

static void check_samples(talus_context *context) {
  char folder[1024];
  snprintf(folder, sizeof folder, "%s", source_path("samples/scenes"));
  DIR *open = opendir(folder);
  int count = 0;
  CHECK(open != NULL);
  for (struct dirent *entry = open != NULL ? readdir(open) : NULL; entry != NULL;
       entry = readdir(open)) {
    char path[1400];
    talus_scene *scene = NULL;
    if (strstr(entry->d_name, ".yaml") == NULL) {
      continue;
    }
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    CHECK_CASE(talus_scene_read(context, path, NULL, 0, &scene) == TALUS_OK, "%s",
               talus_context_message(context));
    talus_scene_destroy(scene);
    count++;
  }
  CHECK(count >= 11);
  if (open != NULL) {
    closedir(open);
  }
  /* The minimal scene has at most 15 lines. */
  tl_text text;
  int lines = 0;
  CHECK(tl_text_open(context, source_path("samples/scenes/minimal.yaml"), &text) == TALUS_OK);
  for (const char *c = text.memory; c != NULL && *c != '\0'; c++) {
    lines += *c == '\n';
  }
  CHECK(lines > 0 && lines <= 15);
  tl_text_close(&text);
}

int main(void) {
  talus_context *context = NULL;
  CHECK(talus_context_create(NULL, &context) == TALUS_OK);
  check_document(context);
  talus_scene *scene = NULL;
  if (scene_of(context, "title: any\n", &scene) == TALUS_OK) {
    talus_scene_destroy(scene);
    check_defaults(context);
    check_samples(context);
  }
  talus_context_destroy(context);
  return check_end();
}
