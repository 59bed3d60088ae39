/* fuzz_scene.c: bytes as a scene file; the world is made and stepped twice if it is a small one.
 *
 * Lines that begin with "#set " are overrides, as `talus run --set` takes them. */
#include <ctype.h>
#include <string.h>

#include "talus/talus_scene.h"
#include "tests/fuzz/fuzz.h"

enum { OVERRIDES = 4, OVERRIDE_BYTES = 80, DIGITS = 4, TEXT_BYTES = 4000 };

typedef struct overrides {
  char text[OVERRIDES][OVERRIDE_BYTES];
  const char *list[OVERRIDES];
  int32_t count;
} overrides;

static void find_overrides(const char *text, overrides *found) {
  found->count = 0;
  for (const char *at = strstr(text, "#set "); at != NULL && found->count < OVERRIDES;
       at = strstr(at + 1, "#set ")) {
    char *const into = found->text[found->count];
    const size_t length = strcspn(at + 5, "\n");
    snprintf(into, OVERRIDE_BYTES, "%.*s", (int)(length < 79 ? length : 79), at + 5);
    found->list[found->count++] = into;
  }
}

/* A scene may rightly ask for a million grains or a year of time; not here. Small: no number of
 * more than four digits in a row and no exponent above 9. */
static int is_small(const char *text) {
  int digits = 0;
  for (const char *c = text; *c != 0; c++) {
    digits = isdigit((unsigned char)*c) ? digits + 1 : 0;
    if (digits > DIGITS || ((*c == 'e' || *c == 'E') && isdigit((unsigned char)c[1]) &&
                            isdigit((unsigned char)c[2]))) {
      return 0;
    }
  }
  return 1;
}

static void make_world(talus_scene *scene) {
  talus_world *world = NULL;
  const talus_status status = talus_scene_build(scene, &world);
  FUZZ_PROMISE((status == TALUS_OK) == (world != NULL) && status != TALUS_INTERNAL);
  for (int i = 0; i < 2 && world != NULL && talus_body_capacity(world) < 30; i++) {
    talus_step_report report = talus_step_report_default();
    if (talus_scene_tick(scene, world) != TALUS_OK ||
        talus_world_step(world, &report) != TALUS_OK) {
      break;
    }
  }
  talus_world_destroy(world);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  char text[TEXT_BYTES + 1];
  overrides set;
  talus_scene *scene = NULL;
  if (size > TEXT_BYTES) {
    return 0;
  }
  memcpy(text, bytes, size);
  text[size] = 0;
  find_overrides(text, &set);
  const int64_t before = fuzz_held();
  const talus_status status =
      talus_scene_read(fuzz_context(), fuzz_file(bytes, size), set.list, set.count, &scene);
  FUZZ_PROMISE((status == TALUS_OK) == (scene != NULL) && status != TALUS_INTERNAL);
  if (scene != NULL && is_small(text)) {
    make_world(scene);
  }
  talus_scene_destroy(scene);
  FUZZ_PROMISE(fuzz_held() == before);
  return 0;
}
