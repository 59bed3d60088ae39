/* settings_check.c: takes a caller's settings; refuses those that are out of range or do not go
 * together. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "host/base/structs.h"
#include "host/solve/solver.h"

/* "a, b, c": one more word. */
static void word_add(const char *word, char *text, size_t capacity) {
  const size_t used = strlen(text);
  snprintf(text + used, capacity - used, "%s%s", used > 0 ? ", " : "", word);
}

/* Which cones the method takes, for a message. */
static void cones_list(talus_method method, char *text, size_t capacity) {
  text[0] = 0;
  for (int c = 0; c < TALUS_CONE_COUNT; c++) {
    if (talus_method_takes(method, (talus_cone)c)) {
      word_add(talus_cone_name((talus_cone)c), text, capacity);
    }
  }
}

/* Which methods take the cone, for a message. */
static void takers_list(talus_cone cone, char *text, size_t capacity) {
  text[0] = 0;
  for (int m = TALUS_METHOD_AUTO + 1; m < TALUS_METHOD_COUNT; m++) {
    if (talus_method_takes((talus_method)m, cone)) {
      word_add(talus_method_name((talus_method)m), text, capacity);
    }
  }
}

static talus_status cone_check(talus_context *context, const talus_settings *s) {
  char cones[64], takers[256];
  if ((unsigned)s->cone >= TALUS_CONE_COUNT) {
    return tl_fail(context, TALUS_BAD_SETTING, "settings.cone is unknown (%d)", (int)s->cone);
  }
  if (s->facets < 3 || s->facets > 64 || !(fabs(s->facet_angle) <= 1e6)) {
    return tl_fail(context, TALUS_BAD_SETTING,
                   "settings.facets (%d) must be in 3 .. 64, facet_angle (%g) a finite angle",
                   s->facets, s->facet_angle);
  }
  if (!talus_method_takes(s->method, s->cone)) {
    cones_list(s->method, cones, sizeof cones);
    takers_list(s->cone, takers, sizeof takers);
    return tl_fail(context, TALUS_UNSUPPORTED,
                   "settings.method %s takes settings.cone %s, not %s, which these do: %s",
                   talus_method_name(s->method), cones, talus_cone_name(s->cone), takers);
  }
  if (s->cone != TALUS_CONE_CIRCULAR && s->measure == TALUS_MEASURE_SICONOS) {
    return tl_fail(context, TALUS_UNSUPPORTED,
                   "settings.measure SICONOS is of the circular cone: use EPSILON with cone %s",
                   talus_cone_name(s->cone));
  }
  const tl_method *const method = tl_method_of(s->method);
  if ((method->laws >> s->law & 1) == 0) {
    return tl_fail(context, TALUS_UNSUPPORTED,
                   "settings.method %s is for the law COULOMB; for the law CCP take %s",
                   method->name, tl_method_of(method->for_other_law)->name);
  }
  return TALUS_OK;
}

/* Below this tolerance single precision is not tried by itself. */
#define SINGLE_TOLERANCE 1e-5

talus_precision talus_precision_auto(const talus_context *context) {
  return context != NULL && context->halved ? TALUS_F32 : TALUS_F64;
}

static bool has_single(const talus_settings *s) {
  return !tl_settings_small(s) && (tl_method_of(s->method)->precisions >> TALUS_F32 & 1) != 0;
}

/* What AUTO stands for. */
static talus_precision precision_choose(const talus_context *context, const talus_settings *s) {
  return s->tolerance >= SINGLE_TOLERANCE && has_single(s) && !s->unique && !s->islands
             ? talus_precision_auto(context)
             : TALUS_F64;
}

/* Second-order methods and those for small problems have no single precision. */
static talus_status precision_check(talus_context *context, const talus_settings *s) {
  if (s->precision != TALUS_F32) {
    return TALUS_OK;
  }
  if (!has_single(s)) {
    return tl_fail(context, TALUS_UNSUPPORTED,
                   "settings.method %s works in double precision: set settings.precision to F64",
                   talus_method_name(s->method));
  }
  return s->unique || s->islands
             ? tl_fail(context, TALUS_UNSUPPORTED,
                       "settings.%s works in double precision: set settings.precision to F64",
                       s->unique ? "unique" : "islands")
             : TALUS_OK;
}

static talus_status dump_check(talus_context *context, const talus_settings *s) {
  if ((unsigned)s->dump > TALUS_DUMP_EVERY || s->dump_most < 1) {
    return tl_fail(context, TALUS_BAD_SETTING,
                   "settings.dump (%d) is unknown, or dump_most (%d) below 1", (int)s->dump,
                   s->dump_most);
  }
  if (s->dump != TALUS_DUMP_NONE && (s->dump_path == NULL || s->dump_path[0] == 0)) {
    return tl_fail(context, TALUS_BAD_SETTING,
                   "settings.dump needs dump_path, with which the files' names begin");
  }
  return TALUS_OK;
}

static talus_status flags_check(talus_context *context, const talus_settings *s) {
  const struct {
    const char *name;
    int32_t value;
  } flags[] = {{"warm_start", s->warm_start},
               {"same_bits", s->same_bits},
               {"unique", s->unique},
               {"facet_align", s->facet_align},
               {"islands", s->islands}};
  for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
    if ((uint32_t)flags[i].value > 1) {
      return tl_fail(context, TALUS_BAD_SETTING, "settings.%s is %d: it must be 0 or 1",
                     flags[i].name, flags[i].value);
    }
  }
  return TALUS_OK;
}

/* A number of iterations that is given in advance is one of passes of equal cost. */
static talus_status fixed_check(talus_context *context, const talus_settings *s) {
  const tl_method *const method = tl_method_of(s->method);
  if (s->fixed_iterations == 0) {
    return TALUS_OK;
  }
  if (s->fixed_iterations < 0) {
    return tl_fail(context, TALUS_BAD_SETTING,
                   "settings.fixed_iterations (%lld) must not be negative",
                   (long long)s->fixed_iterations);
  }
  if ((method->family != TL_FAMILY_AUTO && method->family != TL_FAMILY_FIRST_ORDER) ||
      method->iteration == TL_ITERATE_BACKTRACK || s->cone != TALUS_CONE_CIRCULAR) {
    return tl_fail(
        context, TALUS_UNSUPPORTED,
        "settings.fixed_iterations is for the circular cone and the methods auto, jacobi, "
        "apgdb, gauss_seidel, gauss_seidel_nesterov and spectral, not %s with cone %s",
        method->name, talus_cone_name(s->cone));
  }
  return s->unique || s->islands
             ? tl_fail(context, TALUS_UNSUPPORTED,
                       "settings.%s goes beyond settings.fixed_iterations: set one of them to 0",
                       s->unique ? "unique" : "islands")
             : TALUS_OK;
}

static talus_status settings_check(talus_context *context, const talus_settings *s) {
  if ((unsigned)s->law >= TALUS_LAW_COUNT || (unsigned)s->method >= TALUS_METHOD_COUNT ||
      (unsigned)s->precision > TALUS_PRECISION_AUTO ||
      (unsigned)s->measure > TALUS_MEASURE_SICONOS) {
    return tl_fail(context, TALUS_BAD_SETTING,
                   "settings: law, method, precision or measure is "
                   "unknown (%d, %d, %d, %d)",
                   (int)s->law, (int)s->method, (int)s->precision, (int)s->measure);
  }
  if (!(s->tolerance > 0) || !isfinite(s->tolerance)) {
    return tl_fail(context, TALUS_BAD_SETTING, "settings.tolerance is %g: it must be positive",
                   s->tolerance);
  }
  if (s->max_iterations < 0 || !(s->max_seconds >= 0)) {
    return tl_fail(context, TALUS_BAD_SETTING,
                   "settings.max_iterations (%lld) and max_seconds (%g) must not be negative",
                   (long long)s->max_iterations, s->max_seconds);
  }
  if (s->threads < 0 || s->threads > 4096) {
    return tl_fail(context, TALUS_BAD_SETTING, "settings.threads is %d, outside 0 .. 4096",
                   s->threads);
  }
  TL_TRY(flags_check(context, s));
  if (s->certify < 0) {
    return tl_fail(
        context, TALUS_BAD_SETTING,
        "settings.certify is %lld: 1 for every solve, N for every Nth, 0 for those alone "
        "that miss the tolerance",
        (long long)s->certify);
  }
  if (!(s->momentum_cap < 1) || !(s->slip_filter >= 0 && s->slip_filter <= 1)) {
    return tl_fail(context, TALUS_BAD_SETTING,
                   "settings.momentum_cap (%g) must be below 1, slip_filter (%g) in 0 .. 1",
                   s->momentum_cap, s->slip_filter);
  }
  TL_TRY(cone_check(context, s));
  TL_TRY(dump_check(context, s));
  TL_TRY(fixed_check(context, s));
  return precision_check(context, s);
}

talus_status tl_settings_read(talus_context *context, const talus_settings *given,
                              talus_settings *own) {
  *own = talus_settings_default();
  if (given == NULL) {
    return TALUS_OK;
  }
  TL_TRY(tl_struct_read(context, &tl_struct_settings, "settings", given, own));
  TL_TRY(settings_check(context, own));
  own->precision =
      own->precision == TALUS_PRECISION_AUTO ? precision_choose(context, own) : own->precision;
  return TALUS_OK;
}
