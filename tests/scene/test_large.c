/* test_large.c: large and hostile files are read in a time that grows with their size.
 *
 * Each file is read at two sizes. The second, ten times the first, may take forty times its CPU
 * time and half a second more: a linear reader is far below on any machine, a quadratic one above.
 */
#include <stdarg.h>
#include <string.h>
#include <time.h>

#include "tests/check.h"
#include "tests/scene/scene_text.h"

/* A text that grows. */
typedef struct text {
  char *bytes;
  size_t used, capacity;
} text;

static void add(text *t, const char *format, ...) {
  va_list arguments;
  if (t->capacity - t->used < 1000) {
    t->capacity = 2 * t->capacity + 4096;
    t->bytes = realloc(t->bytes, t->capacity);
  }
  va_start(arguments, format);
  t->used += (size_t)vsnprintf(t->bytes + t->used, 1000, format, arguments);
  va_end(arguments);
}

/* ---- what is written, by size ---------------------------------------------------------------- */

static void write_brackets(text *t, int n) {
  add(t, "world: ");
  for (int i = 0; i < n; i++) {
    add(t, "[");
  }
  add(t, "\n");
}

static void write_braces(text *t, int n) {
  add(t, "world: ");
  for (int i = 0; i < n; i++) {
    add(t, "{a: ");
  }
  add(t, "\n");
}

static void write_keys(text *t, int n) {
  add(t, "materials:\n");
  for (int i = 0; i < n; i++) {
    add(t, "  m%d: {density: [1, 2]}\n", i);
  }
}

static void write_materials(text *t, int n) {
  add(t, "materials:\n");
  for (int i = 0; i < n; i++) {
    add(t, "  m%d: {density: %d}\n", i, 1000 + i);
  }
  add(t, "bodies: [{radius: 1 cm, material: m%d}]\n", n - 1);
}

static void write_aliases(text *t, int n) {
  add(t, "anchors:\n");
  for (int i = 0; i < n; i++) {
    add(t, "  - &a%d 1\n", i);
  }
  for (int i = 0; i < n; i++) {
    add(t, "  - *a%d\n", i);
  }
}

static void write_links(text *t, int n) {
  add(t, "mechanisms:\n  - name: chain\n    links:\n");
  for (int i = 0; i < n; i++) {
    add(t, "      - {name: l%d, ", i);
    if (i > 0) {
      add(t, "parent: l%d, ", i - 1);
    }
    add(t, "kind: revolute, axis: [0, 1, 0], position: [2 cm, 0, 0], mass: 0.1,\n");
    add(t, "         inertia: [1e-4, 1e-4, 1e-4]}\n");
  }
  add(t, "  - {name: robot, urdf: robot.urdf}\n");
  FILE *const file = fopen("robot.urdf", "wb");
  fprintf(file, "<robot name='r'>\n");
  for (int i = 0; i <= n; i++) {
    fprintf(file,
            "<link name='l%d'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/>"
            "</inertial></link>\n",
            i);
  }
  for (int i = 0; i < n; i++) {
    fprintf(file,
            "<joint name='j%d' type='continuous'><parent link='l%d'/><child link='l%d'/>"
            "</joint>\n",
            i, i, i + 1);
  }
  fprintf(file, "</robot>\n");
  fclose(file);
}

static void write_names(text *t, int n) {
  add(t, "bodies:\n");
  for (int i = 0; i < n; i++) {
    add(t, "  - {name: b%d, radius: 1 mm, position: [%d cm, 0, 0]}\n", i, i);
  }
  add(t, "joints:\n");
  for (int i = 1; i < n; i++) {
    add(t, "  - {kind: ball, a: b%d, b: b%d, point: [0, 0, 0]}\n", i - 1, i);
  }
  add(t, "forces:\n");
  for (int i = 0; i < n; i++) {
    add(t, "  - {body: b%d, force: [0, 0, 1]}\n", i);
  }
}

/* ---- how long it takes ----------------------------------------------------------------------- */

typedef struct large {
  const char *name;
  void (*write)(text *t, int n);
  int small;         /* size; the large one is ten times that */
  int builds;        /* a world is made of it */
  const char *words; /* of the refusal, or NULL */
} large;

static const large cases[] = {
    {"brackets", write_brackets, 20000, 0, "nested more than 32 deep"},
    {"braces", write_braces, 20000, 0, "nested more than 32 deep"},
    {"keys", write_keys, 4000, 0, "density wants a density"},
    {"materials", write_materials, 2000, 1, NULL},
    {"aliases", write_aliases, 4000, 0, "unknown key 'anchors'"},
    {"links", write_links, 300, 1, NULL},
    {"names", write_names, 2000, 0, NULL},
};

static double seconds_of(talus_context *context, const large *l, int size) {
  talus_scene *scene = NULL;
  talus_world *world = NULL;
  text t = {0};
  l->write(&t, size);
  const clock_t begin = clock();
  const talus_status status =
      l->builds ? world_of(context, t.bytes, &scene, &world) : scene_of(context, t.bytes, &scene);
  const double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
  const char *const message = talus_context_message(context);
  CHECK_CASE((status == TALUS_OK) == (l->words == NULL), "%s %d: %s", l->name, size, message);
  CHECK_CASE(l->words == NULL || strstr(message, l->words) != NULL, "%s: %s", l->name, message);
  talus_world_destroy(world);
  talus_scene_destroy(scene);
  free(t.bytes);
  return seconds;
}

int main(void) {
  talus_context *context = NULL;
  talus_scene *scene = NULL;
  talus_context_def def = talus_context_def_default();
  def.threads = 1;
  if (!CHECK(talus_context_create(&def, &context) == TALUS_OK)) {
    return check_end();
  }
  if (scene_of(context, "title: any\n", &scene) == TALUS_UNSUPPORTED) {
    talus_context_destroy(context);
    return CHECK_SKIPPED;
  }
  talus_scene_destroy(scene);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const double once = seconds_of(context, &cases[i], cases[i].small);
    const double ten = seconds_of(context, &cases[i], 10 * cases[i].small);
    printf("%s: %.3g s, ten times as large %.3g s\n", cases[i].name, once, ten);
    CHECK_CASE(ten <= 40 * once + 0.5, "%s: %g and %g s", cases[i].name, once, ten);
  }
  talus_context_destroy(context);
  return check_end();
}
