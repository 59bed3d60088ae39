/* table.c: the methods. What a method is, takes and needs stands here and nowhere else. */
#include <assert.h>
#include <string.h>

#include "host/method/first_order/first_order.h"
#include "host/method/method.h"
#include "host/method/newton/second_order.h"
#include "host/method/small/small_methods.h"

#define WORDS(id, name, text) static const char name_##id[] = name, text_##id[] = text;
TALUS_METHOD_LIST(WORDS)
#undef WORDS

#define COULOMB (1u << TALUS_LAW_COULOMB)
#define BOTH_LAWS (COULOMB | 1u << TALUS_LAW_CCP)
#define CIRCULAR (1u << TALUS_CONE_CIRCULAR)
#define BOX (1u << TALUS_CONE_BOX)
#define FACETED (BOX | 1u << TALUS_CONE_PYRAMID)
#define F64 (1u << TALUS_F64)
#define BOTH_PRECISIONS (F64 | 1u << TALUS_F32)
#define CPU (1u << TALUS_BACKEND_CPU)
#define ALL_BACKENDS (CPU | 1u << TALUS_BACKEND_CUDA)

#define METHOD(ID) .id = TALUS_METHOD_##ID, .name = name_##ID, .text = text_##ID
#define FIRST_ORDER                                                      \
  .family = TL_FAMILY_FIRST_ORDER, .laws = BOTH_LAWS, .cones = CIRCULAR, \
  .precisions = BOTH_PRECISIONS, .backends = ALL_BACKENDS, .order = 1
/* Second-order methods and those for small problems work on the host's arrays, in double. */
#define NEWTON                                                                         \
  .family = TL_FAMILY_NEWTON, .laws = BOTH_LAWS, .cones = CIRCULAR, .precisions = F64, \
  .backends = CPU, .order = 2
#define SMALL \
  .family = TL_FAMILY_SMALL, .precisions = F64, .backends = CPU, .order = 2, .most = TL_SMALL_MOST

static const tl_method methods[TALUS_METHOD_COUNT] = {
    [TALUS_METHOD_AUTO] = {METHOD(AUTO), .family = TL_FAMILY_AUTO, .laws = BOTH_LAWS,
                           .cones = CIRCULAR | FACETED, .precisions = BOTH_PRECISIONS,
                           .backends = ALL_BACKENDS},

    /* ---- first order */
    [TALUS_METHOD_JACOBI] = {METHOD(JACOBI), FIRST_ORDER, .scaled = true,
                             .prepare = tl_jacobi_prepare, .iteration = TL_ITERATE_GRADIENT},
    [TALUS_METHOD_APGD] = {METHOD(APGD), FIRST_ORDER, .prepare = tl_apgd_prepare,
                           .iteration = TL_ITERATE_BACKTRACK},
    [TALUS_METHOD_APGDB] = {METHOD(APGDB), FIRST_ORDER, .scaled = true, .prepare = tl_apgdb_prepare,
                            .iteration = TL_ITERATE_GRADIENT},
    [TALUS_METHOD_GAUSS_SEIDEL] = {METHOD(GAUSS_SEIDEL), FIRST_ORDER, .scaled = true,
                                   .sweeps = true, .prepare = tl_gauss_seidel_prepare,
                                   .iteration = TL_ITERATE_SWEEP},
    [TALUS_METHOD_GAUSS_SEIDEL_NESTEROV] = {METHOD(GAUSS_SEIDEL_NESTEROV), FIRST_ORDER,
                                            .scaled = true, .sweeps = true,
                                            .prepare = tl_gauss_seidel_nesterov_prepare,
                                            .iteration = TL_ITERATE_SWEEP},
    [TALUS_METHOD_SPECTRAL] = {METHOD(SPECTRAL), FIRST_ORDER, .scaled = true,
                               .prepare = tl_spectral_prepare, .iteration = TL_ITERATE_GRADIENT},

    /* ---- second order: Newton's method starts from some sweeps, the path where they are far
     * cheaper than its corners */
    [TALUS_METHOD_NEWTON] = {METHOD(NEWTON), NEWTON, .sweeps_from = 1,
                             .attempt = tl_newton_attempt},
    [TALUS_METHOD_INTERIOR_POINT] = {METHOD(INTERIOR_POINT), NEWTON, .most_dense = 64,
                                     .attempt = tl_interior_attempt},
    [TALUS_METHOD_PATH] = {METHOD(PATH), NEWTON, .sweeps_from = 2001, .attempt = tl_path_attempt},

    /* ---- small problems, circular cone */
    [TALUS_METHOD_MNCP_RLM] = {METHOD(MNCP_RLM), SMALL, .laws = BOTH_LAWS, .cones = CIRCULAR,
                               .phases = true, .solve = tl_phases_solve},
    [TALUS_METHOD_MNCP_PLM] = {METHOD(MNCP_PLM), SMALL, .laws = BOTH_LAWS, .cones = CIRCULAR,
                               .phases = true, .solve = tl_phases_solve},
    [TALUS_METHOD_MNCP_PROX] = {METHOD(MNCP_PROX), SMALL, .laws = BOTH_LAWS, .cones = CIRCULAR,
                                .phases = true, .most_in_auto = 32, .solve = tl_phases_solve},
    [TALUS_METHOD_MNCPOPT] = {METHOD(MNCPOPT), SMALL, .laws = COULOMB, .cones = CIRCULAR,
                              .for_other_law = TALUS_METHOD_MNCP_PLM, .solve = tl_reform_solve},

    /* ---- small problems, faceted cones */
    [TALUS_METHOD_LEMKE] = {METHOD(LEMKE), SMALL, .laws = BOTH_LAWS, .cones = FACETED,
                            .solve = tl_lemke_solve},
    [TALUS_METHOD_PFB_RLM] = {METHOD(PFB_RLM), SMALL, .laws = BOTH_LAWS, .cones = FACETED,
                              .solve = tl_pfb_regular_solve},
    [TALUS_METHOD_PFB_PLM] = {METHOD(PFB_PLM), SMALL, .laws = BOTH_LAWS, .cones = FACETED,
                              .solve = tl_pfb_projected_solve},
    [TALUS_METHOD_LCP1] = {METHOD(LCP1), SMALL, .laws = COULOMB, .cones = FACETED,
                           .for_other_law = TALUS_METHOD_LEMKE, .solve = tl_fixed_point_solve},
    [TALUS_METHOD_LCP2] = {METHOD(LCP2), SMALL, .laws = COULOMB, .cones = FACETED,
                           .for_other_law = TALUS_METHOD_LEMKE, .solve = tl_fixed_point_solve},
    [TALUS_METHOD_LCP3] = {METHOD(LCP3), SMALL, .laws = COULOMB, .cones = FACETED,
                           .for_other_law = TALUS_METHOD_LEMKE, .solve = tl_fixed_point_solve},
    [TALUS_METHOD_LCPOPT] = {METHOD(LCPOPT), SMALL, .laws = COULOMB, .cones = BOX,
                             .for_other_law = TALUS_METHOD_LEMKE, .solve = tl_reform_solve},
};

const tl_method *tl_method_of(talus_method id) {
  assert((unsigned)id < TALUS_METHOD_COUNT);
  return &methods[id];
}

bool tl_method_colours(const tl_method *method, int32_t constraints) {
  return method->sweeps || (method->sweeps_from > 0 && constraints >= method->sweeps_from);
}

bool tl_settings_small(const talus_settings *settings) {
  return tl_method_of(settings->method)->family == TL_FAMILY_SMALL ||
         settings->cone != TALUS_CONE_CIRCULAR;
}

/* ---- public ---------------------------------------------------------------------------------- */

const char *talus_method_name(talus_method method) {
  return (unsigned)method < TALUS_METHOD_COUNT ? methods[method].name : "unknown";
}

const char *talus_method_text(talus_method method) {
  return (unsigned)method < TALUS_METHOD_COUNT ? methods[method].text : "unknown";
}

int talus_method_parse(const char *name, talus_method *method) {
  for (int i = 0; name != NULL && method != NULL && i < TALUS_METHOD_COUNT; i++) {
    if (strcmp(methods[i].name, name) == 0) {
      *method = methods[i].id;
      return 1;
    }
  }
  return 0;
}

int talus_method_takes(talus_method method, talus_cone cone) {
  return (unsigned)method < TALUS_METHOD_COUNT && (unsigned)cone < TALUS_CONE_COUNT &&
         (methods[method].cones >> cone & 1) != 0;
}

/* ---- memory ---------------------------------------------------------------------------------- */

void tl_method_memory_forget(tl_method_memory *memory) {
  tl_newton_forget(memory->newton);
  tl_small_forget(memory->small);
}

int64_t tl_method_memory_bytes(const tl_method_memory *memory) {
  return tl_newton_bytes(memory->newton) + tl_small_bytes(memory->small);
}

void tl_method_memory_release(talus_context *context, tl_method_memory *memory) {
  tl_newton_release(context, memory->newton);
  tl_small_release(context, memory->small);
}
