/* main.c: an ODE world of boxes, balls and capsules in a bin of triangles, stepped by ODE's
 * QuickStep or by Talus, and both side by side on the same steps.
 *
 * QuickStep is given what makes it comparable: friction that follows the normal force
 * (dContactApprox1), no softening (CFM 0), impulses read by joint feedback. It has a box for a
 * cone, |t1| and |t2| <= friction n, so each result is judged with both cones. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "offload_ode.h"

static const char help[] =
    "usage: offload_ode [options]\n\n"
    "An ODE world whose steps are solved by ODE's QuickStep or by Talus.\n\n"
    "  --solver talus|ode|both  who steps; both: the same steps by each, side by side (default)\n"
    "  --bodies N               default 150\n"
    "  --settle STEPS           of 5 ms by Talus before anything is measured; default 120\n"
    "  --steps N                measured; default 10\n"
    "  --iterations N           of QuickStep; default 20, ODE's own\n"
    "  --tolerance E            of Talus; default 1e-2\n"
    "  --method NAME            of Talus; default auto\n"
    "  --full                   the table of docs/measured/offload.md: 1000 and 10000 bodies,\n"
    "                           many settings\n"
    "\nexit code: 0 Talus was at least as accurate, 1 it was not, 2 bad usage\n";

typedef struct options {
  int with_talus, with_ode, table, full, iterations, settle, steps;
  int32_t bodies;
  double tolerance;
  talus_method method;
} options;

/* Means over some steps. */
typedef struct mean {
  double seconds, epsilon, epsilon_box, penetration, passes;
  int count;
} mean;

static void add(mean *m, const step_result *r) {
  m->seconds += r->seconds;
  m->epsilon += r->epsilon;
  m->epsilon_box += r->epsilon_box;
  m->penetration = fmax(m->penetration, r->penetration);
  m->passes += (double)r->passes;
  m->count++;
}

static void head(const char *first) {
  printf("%-26s %10s %12s %12s %10s %8s\n", first, "CPU ms", "eps round", "eps box", "deepest",
         "passes");
}

static void line(const char *name, const mean *m) {
  printf("%-26s %10.2f %12.2e %12.2e %7.2f mm %8.0f\n", name, 1e3 * m->seconds / m->count,
         m->epsilon / m->count, m->epsilon_box / m->count, 1e3 * m->penetration,
         m->passes / m->count);
  fflush(stdout);
}

static talus_settings settings_of(const options *p, double tolerance, int warm) {
  talus_settings s = talus_settings_default();
  s.method = p->method;
  s.tolerance = tolerance;
  s.warm_start = warm;
  s.threads = 1; /* as QuickStep has */
  s.max_iterations = 3000;
  return s;
}

/* ---- each drives the world from the same beginning ------------------------------------------- */

static mean drive(offload *o, const double *from, const options *p, int by_talus) {
  mean m = {0};
  const talus_settings settings = settings_of(p, p->tolerance, 1);
  offload_load(o, from);
  offload_collide(o);
  for (int i = 0; i < p->steps; i++) {
    offload_collide(o);
    const step_result r =
        by_talus ? offload_step_talus(o, &settings) : offload_step_ode(o, p->iterations, 1.3);
    add(&m, &r);
  }
  return m;
}

/* ---- one step of a settled bed, again and again by every setting ----------------------------- */

/* The contacts of the state with the impulses of the step before, for the warm starts. */
static void set_back(offload *o, const double *state, const touch *kept, int32_t count) {
  offload_load(o, state);
  o->touch_count = count;
  memcpy(o->touch, kept, (size_t)count * sizeof *kept);
}

static void sweep_settings(offload *o, const options *p, const double *state) {
  static const int iterations[] = {10, 20, 50, 100, 200, 500, 1000};
  static const double relaxation[] = {1.0, 1.3};
  static const double tolerance[] = {1e-1, 3e-2, 1e-2, 3e-3, 1e-3};
  char name[64];
  offload_load(o, state);
  offload_collide(o);
  const int32_t count = o->touch_count;
  touch *const kept = malloc(((size_t)count + 1) * sizeof *kept);
  if (kept == NULL) {
    offload_stop("touches", "out of memory");
  }
  memcpy(kept, o->touch, (size_t)count * sizeof *kept);
  printf("\n%d bodies, %d contacts, one step of 5 ms\n", o->body_count, count);
  head("");
  for (size_t w = 0; w < sizeof relaxation / sizeof *relaxation; w++) {
    for (size_t i = 0; i < sizeof iterations / sizeof *iterations; i++) {
      mean m = {0};
      set_back(o, state, kept, count);
      const step_result r = offload_step_ode(o, iterations[i], relaxation[w]);
      add(&m, &r);
      snprintf(name, sizeof name, "QuickStep %d, W %.1f", iterations[i], relaxation[w]);
      line(name, &m);
    }
  }
  for (int warm = 0; warm < 2; warm++) {
    for (size_t i = 0; i < sizeof tolerance / sizeof *tolerance; i++) {
      mean m = {0};
      const talus_settings settings = settings_of(p, tolerance[i], warm);
      set_back(o, state, kept, count);
      const step_result r = offload_step_talus(o, &settings);
      add(&m, &r);
      snprintf(name, sizeof name, "Talus %.0e, %s", tolerance[i], warm ? "warm" : "cold");
      line(name, &m);
    }
  }
  free(kept);
}

/* ---- the program ----------------------------------------------------------------------------- */

static int value_of(int argc, char **argv, int *i, double *value) {
  char *end = NULL;
  if (*i + 1 >= argc) {
    return 0;
  }
  *value = strtod(argv[++*i], &end);
  return *end == 0 && *value > 0 && *value < 1e7;
}

static int solver_of(int argc, char **argv, int *i, options *p) {
  const char *const name = *i + 1 < argc ? argv[++*i] : "";
  p->with_talus = strcmp(name, "talus") == 0 || strcmp(name, "both") == 0;
  p->with_ode = strcmp(name, "ode") == 0 || strcmp(name, "both") == 0;
  return p->with_talus || p->with_ode;
}

static void read_options(int argc, char **argv, options *p) {
  for (int i = 1; i < argc; i++) {
    const char *const name = argv[i];
    double value = 1;
    int good = 1;
    if (strcmp(name, "--help") == 0) {
      printf("%s", help);
      exit(0);
    } else if (strcmp(name, "--full") == 0) {
      p->full = p->table = 1;
      p->settle = 400;
    } else if (strcmp(name, "--table") == 0) {
      p->table = 1;
    } else if (strcmp(name, "--method") == 0) {
      good = i + 1 < argc && talus_method_parse(argv[++i], &p->method);
    } else if (strcmp(name, "--solver") == 0) {
      good = solver_of(argc, argv, &i, p);
    } else {
      int *const whole = strcmp(name, "--bodies") == 0       ? &p->bodies
                         : strcmp(name, "--settle") == 0     ? &p->settle
                         : strcmp(name, "--steps") == 0      ? &p->steps
                         : strcmp(name, "--iterations") == 0 ? &p->iterations
                                                             : NULL;
      good =
          (whole != NULL || strcmp(name, "--tolerance") == 0) && value_of(argc, argv, &i, &value);
      *(whole != NULL ? whole : &(int){0}) = (int)value;
      p->tolerance = whole == NULL ? value : p->tolerance;
    }
    if (!good) {
      fprintf(stderr, "%s: not understood; try --help\n", name);
      exit(2);
    }
  }
}

/* A world that has come to rest, nearly. */
static double *settle(offload *o, const options *p) {
  const talus_settings settings = settings_of(p, 1e-2, 1);
  double *const state = malloc((size_t)o->body_count * 13 * sizeof *state);
  if (state == NULL) {
    offload_stop("state", "out of memory");
  }
  for (int i = 0; i < p->settle; i++) {
    offload_collide(o);
    offload_step_talus(o, &settings);
  }
  offload_save(o, state);
  return state;
}

static int compare(const options *p) {
  offload o;
  mean talus = {0}, ode = {0};
  offload_open(&o, p->bodies);
  double *const state = settle(&o, p);
  if (p->table) {
    sweep_settings(&o, p, state);
  }
  printf("\n%d bodies, %d steps of 5 ms from the same state\n", p->bodies, p->steps);
  head("");
  if (p->with_ode) {
    ode = drive(&o, state, p, 0);
    line("QuickStep", &ode);
  }
  if (p->with_talus) {
    talus = drive(&o, state, p, 1);
    line("Talus", &talus);
  }
  free(state);
  offload_close(&o);
  return !p->with_ode || !p->with_talus || talus.epsilon < fmin(ode.epsilon, ode.epsilon_box);
}

int main(int argc, char **argv) {
  options p = {1, 1, 0, 0, 20, 120, 10, 150, 1e-2, TALUS_METHOD_AUTO};
  int good = 1;
  read_options(argc, argv, &p);
  printf("ODE in %s precision, step 5 ms, friction 0.5\n",
         sizeof(dReal) == 8 ? "double" : "single");
  if (p.full) {
    p.bodies = 1000;
    good = compare(&p);
    p.bodies = 10000;
  }
  good &= compare(&p);
  printf("%s\n", good ? "as expected" : "not as expected: QuickStep was more accurate");
  return good ? 0 : 1;
}
