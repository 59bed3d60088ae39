/* scene.c: `talus scene check FILE`: reads a scene, builds its world and says what is in it.
 *
 * `talus scene reference` prints the reference of docs/reference/scene.md, made from the reader's
 * tables. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/cli/cli.h"
#include "host/cli/options.h"
#include "talus/talus_scene.h"

static int print_reference(talus_context *context) {
  size_t size = 0;
  talus_status status = talus_scene_reference(context, NULL, 0, &size);
  char *const text = status == TALUS_OK ? malloc(size + 1) : NULL;
  if (status == TALUS_OK && text == NULL) {
    return tl_cli_fail("no memory for the reference");
  }
  if (status == TALUS_OK) {
    status = talus_scene_reference(context, text, size + 1, &size);
  }
  if (status == TALUS_OK) {
    fputs(text, stdout);
  }
  free(text);
  return status == TALUS_OK ? TL_EXIT_OK : tl_cli_fail_status(context, status, "the reference");
}

/* What moves, holds together or repeats itself, if anything does. */
static void report_drives(const talus_scene_info *info, const talus_world *world) {
  talus_cell cell = talus_cell_default();
  if (info->motion_count > 0 || info->servo_count > 0) {
    printf("  driven     %d motions, %d servos\n", (int)info->motion_count, (int)info->servo_count);
  }
  if (info->bond_count > 0) {
    printf("  bonds      %d\n", (int)talus_world_bonds(world, NULL));
  }
  if (info->stage_count > 0) {
    printf("  stages     %d\n", (int)info->stage_count);
  }
  if (info->periodic != 0 && talus_world_cell(world, &cell) == TALUS_OK) {
    printf("  cell       %.6g x %.6g x %.6g m, periodic in%s%s%s\n", cell.edge[0], cell.edge[1],
           cell.edge[2], info->periodic & 1 ? " x" : "", info->periodic & 2 ? " y" : "",
           info->periodic & 4 ? " z" : "");
  }
}

static void report(const char *path, const talus_scene *scene, const talus_world *world) {
  talus_scene_info info = talus_scene_info_default();
  int32_t count[TALUS_BODY_LINK + 1] = {0};
  double mass = 0;
  talus_scene_describe(scene, &info);
  for (int32_t body = talus_body_after(world, TALUS_NONE); body != TALUS_NONE;
       body = talus_body_after(world, body)) {
    const talus_body_type type = talus_body_kind(world, body);
    count[type]++;
    mass += type == TALUS_BODY_FREE ? talus_body_mass(world, body) : 0;
  }
  const double steps =
      info.step_count > 0 ? (double)info.step_count : ceil(info.end / info.step - 1e-9);
  printf("%s: good\n", path);
  if (info.title != NULL) {
    printf("  title      %s\n", info.title);
  }
  printf("  bodies     %d free (%.6g kg), %d fixed, %d kinematic\n", (int)count[0], mass,
         (int)count[1], (int)count[2]);
  if (info.mechanism_count > 0) {
    printf("  mechanisms %d of %d links\n", (int)info.mechanism_count, (int)count[TALUS_BODY_LINK]);
  }
  printf("  others     %d materials, %d joints, %d forces, %d inlets, %d outlets\n",
         (int)info.material_count, (int)info.joint_count, (int)info.force_count,
         (int)info.inlet_count, (int)info.outlet_count);
  report_drives(&info, world);
  printf("  steps      %.0f of %g s\n", steps, info.step);
}

static int check(talus_context *context, const char *path, const tl_option_texts *overrides) {
  talus_scene *scene = NULL;
  talus_world *world = NULL;
  talus_status status = talus_scene_read(context, path, overrides->text, overrides->count, &scene);
  if (status == TALUS_OK) {
    status = talus_scene_build(scene, &world);
  }
  if (status == TALUS_OK) {
    report(path, scene, world);
  } else {
    tl_cli_fail("%s", talus_context_message(context));
  }
  talus_world_destroy(world);
  talus_scene_destroy(scene);
  return status == TALUS_OK ? TL_EXIT_OK : TL_EXIT_BAD;
}

int tl_cli_scene(int argc, char **argv) {
  static tl_option_texts overrides;
  const char *arguments[2] = {NULL, NULL};
  const tl_option table[] = {{"set", TL_OPTION_TEXTS, &overrides, "KEY=VALUE",
                              "change a key of the scene: world.step=1ms", 0, 0, 0},
                             {0}};
  const tl_command command = {.name = "scene",
                              .summary =
                                  "Reads a scene file, builds its world and says what is in it.",
                              .positional = "check SCENE.yaml",
                              .notes = "Errors name file, line and column. `talus scene reference` "
                                       "prints what every key means.\n"
                                       "exit code: 0 good, 2 not\n",
                              .options = table,
                              .arguments = arguments};
  const bool wants_reference = argc == 2 && strcmp(argv[1], "reference") == 0;
  const tl_parsed parsed = wants_reference ? TL_PARSED_OK : tl_options_parse(&command, argc, argv);
  if (parsed != TL_PARSED_OK) {
    return parsed == TL_PARSED_HELP ? TL_EXIT_OK : TL_EXIT_BAD;
  }
  if (!wants_reference && strcmp(arguments[0], "check") != 0) {
    return tl_cli_fail("talus scene knows `check SCENE.yaml` and `reference`, not '%s'",
                       arguments[0]);
  }
  talus_context *context = NULL;
  if (tl_cli_context_open(TALUS_BACKEND_CPU, 0, 0, &context) != TL_EXIT_OK) {
    return TL_EXIT_BAD;
  }
  const int code =
      wants_reference ? print_reference(context) : check(context, arguments[1], &overrides);
  talus_context_destroy(context);
  return code;
}
