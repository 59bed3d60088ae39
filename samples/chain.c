/* chain.c: plane chains of rods: what forward dynamics costs by three methods, and what schemes of
 * first and fourth order do to energy and to the centre of mass.
 *
 * After Bhalerao, Crean and Anderson (ZAMM): rods of mass and length 1, step 1e-3. Their figures 5
 * and 6: cost against the number of rods, with 0, 1 and 2 possible contacts at the ends P and Q.
 * Figure 7: energy of eight rods pinned at P, released along a horizontal line. Figure 8: three
 * rods that fall on a frictionless line; the first one's centre begins at (0, 2.3) at an angle of
 * -30 degrees.
 *
 * The quick form goes to 256 rods, --full to 1024. Costs are CPU time, the best of several, and
 * judged in the full form only. */
#include <talus/talus_mechanism.h>
#include <time.h>

#include "sample.h"

static const char *const HELP =
    "chain [--full]\nPlane chains of rods: cost of three forward dynamics, drift of two schemes";

enum { SIZES = 16, CONTACTS = 3 };
static const char *const method_name[] = {"O(n^3)", "articulated", "conquer"};

/* Rods along x, turning about y so that angles count from x towards z. */
static talus_mechanism *rods(talus_context *context, int32_t count, talus_link_kind root) {
  talus_link_def *const link = malloc((size_t)count * sizeof *link);
  for (int32_t i = 0; i < count; i++) {
    link[i] = talus_link_def_default(i == 0 ? root : TALUS_LINK_REVOLUTE);
    link[i].parent = i - 1;
    link[i].position[0] = i > 0;
    link[i].axis[1] = -1;
    link[i].axis[2] = 0;
    link[i].centre[0] = 0.5;
    link[i].inertia[0] = link[i].inertia[3] = link[i].inertia[5] = 1.0 / 12;
  }
  talus_mechanism_def def = talus_mechanism_def_default();
  def.link_count = count;
  def.link = link;
  talus_mechanism *mechanism;
  TRY(talus_mechanism_create(context, &def, &mechanism));
  free(link);
  return mechanism;
}

static talus_context *context_of(int32_t threads) {
  talus_context_def def = talus_context_def_default();
  talus_context *context;
  def.threads = threads;
  TRY(talus_context_create(&def, &context));
  return context;
}

/* ---- cost ------------------------------------------------------------------------------------ */

static double seconds_cpu(void) {
  return (double)clock() / CLOCKS_PER_SEC;
}

static double seconds_wall(void) {
  struct timespec now;
  timespec_get(&now, TIME_UTC);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* One evaluation: set to a new state (nothing may be reused), accelerations, and the answer of the
 * contact points. Seconds, the best of some batches; wall time: of many single ones, since only the
 * quickest had the machine to itself. */
static double cost(talus_mechanism *m, talus_dynamics method, int contacts, double (*now)(void)) {
  const int32_t n = talus_mechanism_velocity_count(m), links = talus_mechanism_link_count(m);
  double *const q = calloc(3 * (size_t)n, sizeof *q), *const v = q + n, *const way = v + n;
  const talus_link_point end[2] = {{0, {0, 0, 0}}, {links - 1, {1, 0, 0}}};
  double response[36], start[6], best = INFINITY, spent = 0;
  for (int32_t i = 0; i < n; i++) {
    q[i] = 0.3 * sin(1.7 * i);
    v[i] = 0.2 * cos(2.3 * i);
  }
  const int single = now == seconds_wall, rounds = single ? 1500 : 40;
  int batch = 1;
  for (int round = 0; round < rounds && (round < 3 || spent < (single ? 4 : 0.08)); round++) {
    const double begin = now();
    for (int k = 0; k < batch; k++) {
      TRY(talus_mechanism_set(m, q, v));
      if (contacts > 0) {
        TRY(talus_mechanism_response(m, method, end, contacts, response, start));
      } else {
        TRY(talus_mechanism_accelerate(m, method, way));
      }
    }
    const double took = now() - begin;
    spent += took;
    if (!single && took < 5e-3 && round < 20) {
      batch *= 4; /* too short for the clock */
    } else {
      best = fmin(best, took / batch);
    }
  }
  free(q);
  return best;
}

static double slope(double fine, double coarse) {
  return log2(fine / coarse);
}

static void costs(int full) {
  const int32_t largest = full ? 1024 : 256;
  static double spent[3][CONTACTS][SIZES];
  talus_context *const one = context_of(1), *const two = context_of(2);
  int sizes = 0;
  printf("seconds of one evaluation (CPU time)\n%6s", "rods");
  for (int c = 0; c < CONTACTS; c++) {
    printf(" | %-12s%-12s%-12s", method_name[0], method_name[1], method_name[2]);
  }
  printf("\n%6s | %-36s | %-36s | %-36s\n", "", "no contact", "1 contact", "2 contacts");
  for (int32_t n = 1; n <= largest && sizes < SIZES; n *= 2, sizes++) {
    talus_mechanism *const m = rods(one, n, TALUS_LINK_PLANAR);
    printf("%6d", n);
    for (int c = 0; c < CONTACTS; c++) {
      printf(" | ");
      for (int d = 0; d < 3; d++) {
        spent[d][c][sizes] = cost(m, (talus_dynamics)d, c, seconds_cpu);
        printf("%-12.3g", spent[d][c][sizes]);
        sample_value(spent[d][c][sizes], "%d.%d.%d", d, c, n);
      }
    }
    printf("\n");
    fflush(stdout);
    talus_mechanism_destroy(m);
  }
  int ahead = sizes;
  while (ahead > 0 && spent[1][2][ahead - 1] < spent[0][2][ahead - 1]) {
    ahead--;
  }
  printf("articulated bodies overtake O(n^3) at %d rods (2 contacts)\n", 1 << ahead);
  sample_value(1 << ahead, "overtakes");
  const int last = sizes - 1;
  const double faster = spent[0][2][last] / spent[1][2][last];
  const double linear = slope(spent[1][2][last], spent[1][2][last - 3]) / 3;
  const double cubic = slope(spent[0][2][last], spent[0][2][last - 1]);
  double wall[2];
  for (int t = 0; t < 2; t++) {
    talus_mechanism *const m = rods(t ? two : one, 1 << last, TALUS_LINK_PLANAR);
    wall[t] = cost(m, TALUS_DYNAMICS_CONQUER, 0, seconds_wall);
    talus_mechanism_destroy(m);
  }
  printf("conquer without contact, wall time: %.3g s on 1 thread, %.3g s on 2, %.2f times faster\n",
         wall[0], wall[1], wall[0] / wall[1]);
  sample_value(faster, "faster");
  sample_value(linear, "slope.articulated");
  sample_value(cubic, "slope.composite");
  sample_value(wall[0] / wall[1], "threads");
  sample_head();
  if (full) {
    sample_expect("O(n^3) over articulated, longest chain", faster, 20, INFINITY);
    sample_expect("slope of articulated bodies, 128 to 1024", linear, 0.85, 1.15);
    sample_expect("slope of O(n^3), 512 to 1024", cubic, 2.5, INFINITY);
  } else {
    printf("articulated bodies are %.0f times faster than O(n^3); slopes so far: %.2f and %.2f\n",
           faster, linear, cubic);
  }
  talus_context_destroy(one);
  talus_context_destroy(two);
}

/* ---- energy ---------------------------------------------------------------------------------- */

static talus_mechanism_balance measure(talus_mechanism *m) {
  talus_mechanism_balance balance = talus_mechanism_balance_default();
  TRY(talus_mechanism_measure(m, &balance));
  return balance;
}

static double energy_drift(talus_scheme scheme) {
  talus_mechanism *const m = rods(sample_context(), 8, TALUS_LINK_REVOLUTE);
  const talus_mechanism_balance start = measure(m);
  double drift = 0;
  for (int i = 0; i < 2000; i++) {
    TRY(talus_mechanism_step(m, scheme, 1e-3));
    const talus_mechanism_balance now = measure(m);
    drift = fmax(drift, fabs(now.kinetic + now.potential - start.kinetic - start.potential));
  }
  talus_mechanism_destroy(m);
  return drift;
}

/* ---- contact --------------------------------------------------------------------------------- */

typedef struct fall {
  double drift;       /* of the centre in x, m */
  double penetration; /* of P or Q, m: the largest */
  double left;        /* of Q, m: what the first impact, at 0.48 s, has left at 0.7 s */
  double bounce;      /* fastest rise of an end in contact, m/s */
} fall;

static void ends_touch(talus_mechanism *m, talus_touch *touch) {
  const double tip[2][3] = {{0, 0, 0}, {1, 0, 0}};
  memset(touch, 0, 2 * sizeof *touch);
  for (int e = 0; e < 2; e++) {
    touch[e].mechanism_a = touch[e].link_a = TALUS_NONE;
    touch[e].link_b = e ? 2 : 0;
    TRY(talus_mechanism_point(m, touch[e].link_b, tip[e], touch[e].point, NULL));
    touch[e].normal[2] = 1;
    touch[e].gap = touch[e].point[2];
  }
}

static fall contact_fall(talus_scheme scheme, double clamp) {
  const double down = -acos(-1.0) / 6;
  talus_mechanism *m = rods(sample_context(), 3, TALUS_LINK_PLANAR);
  const double q[5] = {-0.5 * cos(down), 2.3 - 0.5 * sin(down), down, 0, 0};
  TRY(talus_mechanism_set(m, q, NULL));
  talus_coupling_def def = talus_coupling_def_default();
  def.form = TALUS_FORM_DELASSUS;
  def.dimension = 1;
  def.gap_clamp = clamp;
  def.drift = scheme == TALUS_SCHEME_RUNGE_KUTTA;
  def.mechanism_count = 1;
  def.mechanism = &m;
  talus_coupling *coupling;
  TRY(talus_coupling_create(sample_context(), &def, &coupling));
  talus_settings settings = talus_settings_default();
  settings.tolerance = 1e-12;
  talus_solver *solver;
  TRY(talus_solver_create(sample_context(), &settings, &solver));
  fall result = {0, 0, 0, 0};
  const double start = measure(m).centre[0];
  for (int i = 0; i < 2000; i++) {
    double impulse[2], u[3];
    talus_touch touch[2];
    talus_problem problem = talus_problem_default(TALUS_FORM_BLOCKS);
    talus_solution solution = talus_solution_default();
    solution.impulse = impulse;
    ends_touch(m, touch);
    TRY(talus_coupling_build(coupling, touch, 2, &problem));
    TRY(talus_solver_update(solver, &problem));
    TRY(talus_solver_solve(solver, &solution, NULL));
    TRY(talus_coupling_advance(coupling, scheme, impulse, NULL));
    ends_touch(m, touch);
    result.left = i == 699 ? fmax(0, -touch[1].gap) : result.left;
    for (int e = 0; e < 2; e++) {
      const double tip[3] = {e, 0, 0};
      TRY(talus_mechanism_point(m, touch[e].link_b, tip, NULL, u));
      result.penetration = fmax(result.penetration, -touch[e].gap);
      result.bounce = impulse[e] > 0 ? fmax(result.bounce, u[2]) : result.bounce;
    }
    result.drift = fmax(result.drift, fabs(measure(m).centre[0] - start));
  }
  talus_solver_destroy(solver);
  talus_coupling_destroy(coupling);
  talus_mechanism_destroy(m);
  return result;
}

int main(int argc, char **argv) {
  const sample_options options = sample_begin(argc, argv, HELP);
  costs(options.full);
  const double euler = energy_drift(TALUS_SCHEME_EXPLICIT_EULER);
  const double fourth = energy_drift(TALUS_SCHEME_RUNGE_KUTTA);
  sample_value(euler, "energy.euler");
  sample_value(fourth, "energy.fourth");
  sample_expect("energy drift of 8 rods, Runge-Kutta, J", fourth, 0, 1e-5);
  sample_expect("forward Euler's over that", euler / fourth, 1e5, INFINITY);
  static const struct {
    const char *name;
    talus_scheme scheme;
    double clamp;
  } cases[] = {{"Euler", TALUS_SCHEME_EULER, -1e3},
               {"Runge-Kutta, no clamp", TALUS_SCHEME_RUNGE_KUTTA, -1e3},
               {"Runge-Kutta, velocity level", TALUS_SCHEME_RUNGE_KUTTA, 0},
               {"Runge-Kutta, clamp -1e-5", TALUS_SCHEME_RUNGE_KUTTA, -1e-5}};
  fall falls[4];
  for (int k = 0; k < 4; k++) {
    falls[k] = contact_fall(cases[k].scheme, cases[k].clamp);
    printf("3 rods on the line, %s: centre drifts %.3g m, penetration %.3g m, of the first "
           "impact's left %.3g m, "
           "rebound %.3g m/s\n",
           cases[k].name, falls[k].drift, falls[k].penetration, falls[k].left, falls[k].bounce);
    sample_value(falls[k].drift, "fall.%d.drift", k);
    sample_value(falls[k].penetration, "fall.%d.penetration", k);
    sample_value(falls[k].left, "fall.%d.left", k);
  }
  sample_expect("drift of the centre, Euler over Runge-Kutta", falls[0].drift / falls[3].drift, 1e3,
                INFINITY);
  sample_expect("penetration by Euler, m", falls[0].penetration, 0, 1e-4);
  sample_expect("... by Runge-Kutta with clamp, m", falls[3].penetration, 0, 5e-3);
  sample_expect("... left of the first impact: velocity level over clamp",
                falls[2].left / fmax(falls[3].left, 1e-9), 50, INFINITY);
  return sample_end();
}
