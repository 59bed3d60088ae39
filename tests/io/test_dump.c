/* Problems met by a solver end in files that can be solved again: every family, bounds of rows
 * included; numbers, the limit, the worst; and a file that cannot be written fails no solve. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "talus/talus_io.h"
#include "talus/talus_world.h"
#include "tests/check.h"
#include "tests/solver/families.h"

enum { MOST = 512 };

typedef struct diary {
  int warnings;
  char last[512];
} diary;

static void note(void *user, talus_log_level level, const char *message) {
  diary *const d = user;
  if (level == TALUS_LOG_WARNING) {
    d->warnings++;
    snprintf(d->last, sizeof d->last, "%s", message);
  }
}

static int is_there(const char *path) {
  return access(path, F_OK) == 0;
}

static talus_status run(talus_context *context, const talus_settings *settings,
                        const talus_problem *problem, int times) {
  talus_solver *solver;
  talus_status status = talus_solver_create(context, settings, &solver);
  for (int i = 0; i < times && status == TALUS_OK; i++) {
    status = talus_solver_update(solver, problem);
    status = status == TALUS_OK ? talus_solver_solve(solver, NULL, NULL) : status;
  }
  talus_solver_destroy(solver);
  return status;
}

/* Solved from the file, the impulses must solve what the file holds: judged by the oracle; and the
 * residual of doing nothing is that of the problem that was dumped. */
static void replay_check(talus_context *context, const char *path, const talus_problem *problem,
                         const char *name) {
  talus_stored *stored = NULL;
  static double impulse[3 * MOST], rows[MOST];
  talus_settings settings = talus_settings_default();
  talus_solution solution = talus_solution_default();
  talus_info first = talus_info_default(), second = talus_info_default();
  settings.law = TALUS_LAW_CCP;
  settings.tolerance = 1e-6;
  CHECK_CASE(talus_problem_read(context, path, &stored) == TALUS_OK, "%s: %s", name,
             talus_context_message(context));
  if (stored == NULL) {
    return;
  }
  solution.impulse = impulse;
  solution.bilateral_impulse = rows;
  CHECK(talus_solve_once(context, problem, &settings, NULL, &first) == TALUS_OK);
  CHECK(talus_solve_once(context, &stored->problem, &settings, &solution, &second) == TALUS_OK);
  CHECK_CASE(second.outcome == TALUS_OUTCOME_CONVERGED, "%s", name);
  CHECK_CASE(oracle_epsilon(&stored->problem, impulse, rows, TALUS_LAW_CCP) <= 1.1e-6, "%s", name);
  CHECK_CASE(fabs(first.certificate.reference_ccp - second.certificate.reference_ccp) <=
                 1e-10 * first.certificate.reference_ccp,
             "%s: R(0) %g and %g", name, first.certificate.reference_ccp,
             second.certificate.reference_ccp);
  CHECK_CASE((stored->problem.row_lower != NULL) == (problem->row_lower != NULL), "%s", name);
  CHECK_CASE(stored->problem.velocity_scale == problem->velocity_scale, "%s", name);
  talus_stored_destroy(stored);
}

static void families_check(talus_context *context) {
  for (int i = 0; i < FAMILY_COUNT; i++) {
    const family *const f = family_at(i);
    if (f->hard || (f->asymmetry > 0 && f->bilateral_count > 0)) {
      continue;
    }
    oracle_made made = family_make(f, TALUS_LAW_CCP, 4);
    talus_settings settings = talus_settings_default();
    char prefix[32], path[64];
    snprintf(prefix, sizeof prefix, "family%d", i);
    snprintf(path, sizeof path, "%s-000001.hdf5", prefix);
    unlink(path);
    settings.dump = TALUS_DUMP_EVERY;
    settings.dump_path = prefix;
    made.problem.velocity_scale = i % 2 ? 1e-12 : 0; /* next to nothing, but kept */
    CHECK(run(context, &settings, &made.problem, 1) == TALUS_OK);
    replay_check(context, path, &made.problem, f->name);
    oracle_made_free(&made);
  }
}

static void modes_check(talus_context *context, diary *d) {
  oracle_made made = family_make(family_at(0), TALUS_LAW_CCP, 4);
  talus_settings settings = talus_settings_default();
  for (int i = 1; i <= 6; i++) {
    char path[64];
    snprintf(path, sizeof path, "every-%06d.hdf5", i);
    unlink(path);
    snprintf(path, sizeof path, "failed-%06d.hdf5", i);
    unlink(path);
  }
  unlink("worst-worst.hdf5");
  settings.dump = TALUS_DUMP_EVERY;
  settings.dump_path = "every";
  settings.dump_most = 2;
  CHECK(run(context, &settings, &made.problem, 3) == TALUS_OK);
  CHECK(is_there("every-000001.hdf5") && is_there("every-000002.hdf5"));
  CHECK(!is_there("every-000003.hdf5") && d->warnings == 1 && strstr(d->last, "dump_most"));
  settings.dump_most = 1; /* another solver takes no name that is taken */
  CHECK(run(context, &settings, &made.problem, 1) == TALUS_OK && is_there("every-000003.hdf5"));
  settings.dump = TALUS_DUMP_FAILED;
  settings.dump_path = "failed";
  CHECK(run(context, &settings, &made.problem, 1) == TALUS_OK && !is_there("failed-000001.hdf5"));
  settings.max_iterations = 1;
  settings.tolerance = 1e-12;
  CHECK(run(context, &settings, &made.problem, 1) == TALUS_OK && is_there("failed-000001.hdf5"));
  settings.dump = TALUS_DUMP_WORST;
  settings.dump_path = "worst";
  CHECK(run(context, &settings, &made.problem, 2) == TALUS_OK && is_there("worst-worst.hdf5"));
  replay_check(context, "worst-worst.hdf5", &made.problem, "the worst");
  oracle_made_free(&made);
}

/* Velocities that go over the problem's own must not be those of the file. */
static void in_place_check(talus_context *context) {
  oracle_made made = family_make(family_at(0), TALUS_LAW_CCP, 4),
              kept = family_make(family_at(0), TALUS_LAW_CCP, 4);
  talus_settings settings = talus_settings_default();
  talus_solution solution = talus_solution_default();
  unlink("in_place-000001.hdf5");
  settings.dump = TALUS_DUMP_EVERY;
  settings.dump_path = "in_place";
  solution.velocity = (double *)(uintptr_t)made.problem.rigid.velocity;
  CHECK(talus_solve_once(context, &made.problem, &settings, &solution, NULL) == TALUS_OK);
  CHECK(memcmp(made.problem.rigid.velocity, kept.problem.rigid.velocity, 6 * sizeof(double)) != 0);
  replay_check(context, "in_place-000001.hdf5", &kept.problem, "in place");
  oracle_made_free(&made);
  oracle_made_free(&kept);
}

/* A solver that wrote problems of another kind before has no worst one yet. */
static void change_check(talus_context *context) {
  oracle_made made = family_make(family_at(0), TALUS_LAW_CCP, 4);
  talus_settings settings = talus_settings_default();
  talus_solver *solver;
  unlink("change-000001.hdf5");
  unlink("change-worst.hdf5");
  settings.dump = TALUS_DUMP_EVERY;
  settings.dump_path = "change";
  CHECK(talus_solver_create(context, &settings, &solver) == TALUS_OK);
  CHECK(talus_solver_update(solver, &made.problem) == TALUS_OK);
  CHECK(talus_solver_solve(solver, NULL, NULL) == TALUS_OK && is_there("change-000001.hdf5"));
  settings.dump = TALUS_DUMP_WORST;
  CHECK(talus_solver_set(solver, &settings) == TALUS_OK);
  CHECK(talus_solver_solve(solver, NULL, NULL) == TALUS_OK && is_there("change-worst.hdf5"));
  talus_solver_destroy(solver);
  oracle_made_free(&made);
}

static void trouble_check(talus_context *context, diary *d) {
  oracle_made made = family_make(family_at(0), TALUS_LAW_CCP, 4);
  talus_settings settings = talus_settings_default();
  talus_solver *solver;
  settings.dump = TALUS_DUMP_EVERY;
  CHECK(talus_solver_create(context, &settings, &solver) == TALUS_BAD_SETTING && solver == NULL);
  CHECK(strstr(talus_context_message(context), "dump_path") != NULL);
  settings.dump_path = "no/such/folder";
  d->warnings = 0;
  CHECK(run(context, &settings, &made.problem, 1) == TALUS_OK);
  CHECK_CASE(d->warnings == 1 && strstr(d->last, "no/such/folder-000001.hdf5") != NULL, "%s",
             d->last);
  settings.dump_most = 0;
  CHECK(talus_solver_create(context, &settings, &solver) == TALUS_BAD_SETTING);
  settings = talus_settings_default();
  settings.dump = (talus_dump)9;
  CHECK(talus_solver_create(context, &settings, &solver) == TALUS_BAD_SETTING);
  oracle_made_free(&made);
}

/* A world keeps the path of dumps when its settings change; the caller's is gone by then. */
static void world_check(talus_context *context) {
  talus_world_def def = talus_world_def_default();
  talus_material_def stone = talus_material_def_default();
  talus_world *world;
  char path[16] = "kept";
  int32_t material, id[2];
  unlink("kept-000001.hdf5");
  unlink("second-000001.hdf5");
  def.solver.dump = TALUS_DUMP_EVERY;
  def.solver.dump_path = path;
  CHECK(talus_world_create(context, &def, &world) == TALUS_OK);
  memset(path, 'x', sizeof path - 1);
  CHECK(talus_material_add(world, &stone, &material) == TALUS_OK);
  const double centre[6] = {0, 0, 0, 0, 0, 0.0199}, radius[2] = {0.01, 0.01};
  CHECK(talus_spheres_add(world, NULL, material, 2, centre, radius, id) == TALUS_OK);
  CHECK(talus_world_get(world, &def) == TALUS_OK && def.solver.dump_path != path);
  def.gravity[2] = -1;
  CHECK(talus_world_set(world, &def) == TALUS_OK);
  CHECK(talus_world_step(world, NULL) == TALUS_OK && is_there("kept-000001.hdf5"));
  snprintf(path, sizeof path, "second");
  CHECK(talus_world_dump(world, TALUS_DUMP_EVERY, path) == TALUS_OK);
  memset(path, 'x', sizeof path - 1);
  CHECK(talus_world_dump(world, TALUS_DUMP_EVERY, NULL) == TALUS_BAD_SETTING);
  CHECK(talus_world_step(world, NULL) == TALUS_OK && is_there("second-000001.hdf5"));
  CHECK(talus_world_dump(world, TALUS_DUMP_NONE, NULL) == TALUS_OK);
  unlink("second-000001.hdf5");
  CHECK(talus_world_step(world, NULL) == TALUS_OK && !is_there("second-000001.hdf5"));
  talus_world_destroy(world);
}

/* A full disk, where the system has one to try on. */
static void full_check(talus_context *context) {
  oracle_made made = family_make(family_at(0), TALUS_LAW_CCP, 4);
  struct stat about;
  if (stat("/dev/full", &about) == 0 && S_ISCHR(about.st_mode)) {
    CHECK(talus_problem_write(context, "/dev/full", &made.problem, NULL) == TALUS_FILE_WRITE);
  }
  oracle_made_free(&made);
}

int main(void) {
  diary d = {0};
  talus_context_def def = talus_context_def_default();
  talus_context *context;
  def.log = note;
  def.log_user = &d;
  CHECK(talus_context_create(&def, &context) == TALUS_OK);
  oracle_made made = family_make(family_at(0), TALUS_LAW_CCP, 4);
  const int have = talus_problem_write(context, "probe.hdf5", &made.problem, NULL) == TALUS_OK;
  oracle_made_free(&made);
  if (have) {
    families_check(context);
    modes_check(context, &d);
    change_check(context);
    in_place_check(context);
    full_check(context);
    world_check(context);
  }
  trouble_check(context, &d);
  talus_context_destroy(context);
  return check_end();
}
