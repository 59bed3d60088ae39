/* pendulums.c: thousands of pendulums of twelve links at once, as a fleet.
 *
 * Each begins a little nearer to the floor than the one before and strikes it at another time.
 * The fleet is run on one thread and on all, with articulated bodies; then by divide and conquer,
 * also on a CUDA device if there is one. The states after it must have the same bits wherever it
 * ran, and those of the first and last pendulum the bits that the calls for one give. Times are
 * shown: the efficiency of threads is the time on one over the number of threads times the time on
 * all, by the clock; on a machine that has other work it tells nothing. */
#include <time.h>

#include "pendulum.h"

static const char *const HELP =
    "pendulums [--full]\nMany pendulums at once: 64, or 4096 with --full; 0.25 s in steps of 1 ms";

enum { MOST = 4096, STEPS = 250, STATE = 2 * LINKS };

typedef struct swarm {
  int32_t count;
  talus_mechanism *mechanism[MOST];
  talus_coupling *coupling[MOST];
} swarm;

/* C11's clocks: of the wall, and of all threads' CPU time. */
static double wall(void) {
  struct timespec t;
  timespec_get(&t, TIME_UTC);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double cpu_time(void) {
  return (double)clock() / CLOCKS_PER_SEC;
}

/* From 36.5 to 45 degrees: the lowest just above the floor. */
static double angle_of(int32_t i, int32_t count) {
  return acos(-1.0) / 180 * (45 - 8.5 * i / count);
}

static void swarm_make(talus_context *context, talus_dynamics dynamics, int32_t count, swarm *s) {
  s->count = count;
  for (int32_t i = 0; i < count; i++) {
    const pendulum p =
        pendulum_make(context, TALUS_RESTITUTION_POISSON, dynamics, angle_of(i, count));
    s->mechanism[i] = p.mechanism;
    s->coupling[i] = p.coupling;
  }
}

static void swarm_end(swarm *s) {
  for (int32_t i = 0; i < s->count; i++) {
    pendulum p = {s->mechanism[i], s->coupling[i]};
    pendulum_end(&p);
  }
}

static int32_t find(void *user, int32_t index, talus_touch *touch, int32_t capacity) {
  const swarm *const s = user;
  return pendulum_touches(s->mechanism[index], touch, capacity);
}

static talus_settings settings_of(int32_t threads) {
  talus_settings settings = talus_settings_default();
  settings.method = TALUS_METHOD_MNCP_PLM;
  settings.tolerance = 1e-10;
  settings.threads = threads;
  return settings;
}

typedef struct times {
  double clock, cpu;
} times;

/* All steps of all of them; their states are left in `state`. */
static times fleet_run(talus_context *context, talus_dynamics dynamics, int32_t count,
                       int32_t threads, double *state, talus_fleet_report *report) {
  static swarm s;
  talus_fleet *fleet;
  swarm_make(context, dynamics, count, &s);
  talus_fleet_def def = talus_fleet_def_default();
  def.count = count;
  def.coupling = s.coupling;
  def.find = find;
  def.user = &s;
  def.settings = settings_of(threads);
  TRY(talus_fleet_create(context, &def, &fleet));
  times t = {-wall(), -cpu_time()};
  const talus_status status = talus_fleet_step(fleet, STEPS, report);
  t.clock += wall();
  t.cpu += cpu_time();
  if (status != TALUS_OK) {
    fprintf(stderr, "%s\n", talus_context_message(context));
    exit(1);
  }
  for (int32_t i = 0; i < count; i++) {
    TRY(talus_mechanism_get(s.mechanism[i], state + STATE * i, state + STATE * i + LINKS));
  }
  talus_fleet_destroy(fleet);
  swarm_end(&s);
  return t;
}

/* One pendulum by the calls for one; 1 if its state has the same bits. */
static int alone_agrees(talus_dynamics dynamics, int32_t i, int32_t count, const double *state) {
  pendulum p =
      pendulum_make(sample_context(), TALUS_RESTITUTION_POISSON, dynamics, angle_of(i, count));
  const talus_settings settings = settings_of(1);
  talus_solver *solver;
  double impulse[ROWS], own[STATE];
  TRY(talus_solver_create(sample_context(), &settings, &solver));
  for (int k = 0; k < STEPS; k++) {
    static talus_touch touch[TOUCHES];
    talus_solution solution = talus_solution_default();
    talus_info info = talus_info_default();
    talus_problem problem = talus_problem_default(TALUS_FORM_BLOCKS);
    solution.impulse = impulse;
    TRY(talus_coupling_build(p.coupling, touch, pendulum_touches(p.mechanism, touch, TOUCHES),
                             &problem));
    for (int phase = 0; phase < 2; phase++) {
      if (problem.contact_count > 0) {
        TRY(talus_solver_update(solver, &problem));
        TRY(talus_solver_solve(solver, &solution, &info));
      }
      if (phase == 0) {
        TRY(talus_coupling_rebound(p.coupling, impulse, NULL, &problem));
      }
    }
    TRY(talus_coupling_advance(p.coupling, TALUS_SCHEME_EULER, impulse, NULL));
  }
  TRY(talus_mechanism_get(p.mechanism, own, own + LINKS));
  talus_solver_destroy(solver);
  pendulum_end(&p);
  return memcmp(own, state + STATE * i, sizeof own) == 0;
}

static int same(const double *a, const double *b, int32_t count) {
  return memcmp(a, b, (size_t)count * STATE * sizeof *a) == 0;
}

static void time_tell(const char *what, const char *key, times t, int32_t count) {
  printf("%-44s %8.3f s by the clock, %8.3f s CPU, %5.1f us per pendulum and step\n", what, t.clock,
         t.cpu, 1e6 * t.cpu / ((double)count * STEPS));
  sample_value(t.clock, "%s.seconds", key);
  sample_value(1e6 * t.cpu / ((double)count * STEPS), "%s.step_us", key);
}

/* By articulated bodies, on one thread and on all. */
static void threads_run(talus_context *cpu, int32_t count, double *state, double *other) {
  const int32_t threads = talus_context_threads(cpu);
  talus_fleet_report report = talus_fleet_report_default(), again = report;
  const times one = fleet_run(cpu, TALUS_DYNAMICS_ARTICULATED, count, 1, state, &report);
  const times all = fleet_run(cpu, TALUS_DYNAMICS_ARTICULATED, count, threads, other, &again);
  const double efficiency = one.clock / (threads * all.clock);
  char text[64];
  snprintf(text, sizeof text, "articulated bodies, %d threads", threads);
  time_tell("articulated bodies, one thread", "one", one, count);
  time_tell(text, "all", all, count);
  printf("efficiency %.2f; %lld contacts in %lld solves\n", efficiency, (long long)report.contacts,
         (long long)report.solves);
  sample_value(threads, "threads");
  sample_value(efficiency, "efficiency");
  sample_value((double)report.contacts, "contacts");
  sample_value((double)report.solves, "solves");
  sample_expect("same bits on one thread and on all",
                same(state, other, count) && report.solves == again.solves, 1, 1);
  sample_expect("... as one by one: the first",
                alone_agrees(TALUS_DYNAMICS_ARTICULATED, 0, count, state), 1, 1);
  sample_expect("... the last", alone_agrees(TALUS_DYNAMICS_ARTICULATED, count - 1, count, state),
                1, 1);
  sample_expect("contacts per pendulum", (double)report.contacts / count, 5, INFINITY);
  sample_expect("deepest penetration, m", report.depth, 0, 1e-6);
  sample_expect("share of solves that miss the tolerance",
                (double)report.missed / (double)report.solves, 0, 0.01);
}

/* By divide and conquer, on all threads and on a device, if there is one. */
static void device_run(talus_context *cpu, int32_t count, double *state, double *other) {
  talus_context_def def = talus_context_def_default();
  talus_context *context = NULL;
  talus_fleet_report report = talus_fleet_report_default();
  time_tell(
      "divide and conquer, all threads", "conquer",
      fleet_run(cpu, TALUS_DYNAMICS_CONQUER, count, talus_context_threads(cpu), state, &report),
      count);
  sample_expect("same bits as one by one: the last",
                alone_agrees(TALUS_DYNAMICS_CONQUER, count - 1, count, state), 1, 1);
  def.backend = TALUS_BACKEND_CUDA;
  if (talus_context_create(&def, &context) != TALUS_OK) {
    printf("no device: %s\n", talus_context_message(context));
  } else {
    time_tell("divide and conquer, with a device", "device",
              fleet_run(context, TALUS_DYNAMICS_CONQUER, count, 0, other, &report), count);
    sample_expect("... and on the device", same(state, other, count), 1, 1);
  }
  talus_context_destroy(context);
}

int main(int argc, char **argv) {
  const sample_options options = sample_begin(argc, argv, HELP);
  const int32_t count = options.full ? MOST : 64;
  const size_t size = (size_t)count * STATE;
  double *const state = malloc(size * sizeof *state), *const other = malloc(size * sizeof *other);
  talus_context_def def = talus_context_def_default();
  talus_context *cpu;
  if (state == NULL || other == NULL) {
    fprintf(stderr, "no memory\n");
    return 1;
  }
  def.backend = TALUS_BACKEND_CPU;
  TRY(talus_context_create(&def, &cpu));
  printf("%d pendulums of %d links, %d steps\n", count, LINKS, STEPS);
  sample_value(count, "pendulums");
  sample_head();
  threads_run(cpu, count, state, other);
  device_run(cpu, count, state, other);
  talus_context_destroy(cpu);
  free(other);
  free(state);
  return sample_end();
}
