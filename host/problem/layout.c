/* layout.c: one array of the caller's; and the arrays of a solution, in and out. */
#include "host/problem/layout.h"

#include <string.h>

#include "host/base/structs.h"

talus_status tl_problem_copy_make(talus_context *context, const talus_problem *given,
                                  tl_problem_copy *copy) {
  if (!tl_struct_is_whole(&tl_struct_problem, given)) {
    copy->problem = talus_problem_default(TALUS_FORM_RIGID);
  }
  TL_TRY(tl_struct_read(context, &tl_struct_problem, "problem", given, &copy->problem));
  if (copy->problem.layout != NULL) {
    copy->layout = talus_layout_default();
    TL_TRY(tl_struct_read(context, &tl_struct_layout, "problem.layout", copy->problem.layout,
                          &copy->layout));
    copy->problem.layout = &copy->layout;
  }
  return TALUS_OK;
}

talus_status tl_solution_copy_make(talus_context *context, const talus_solution *given,
                                   tl_solution_copy *copy) {
  if (!tl_struct_is_whole(&tl_struct_solution, given)) {
    copy->solution = talus_solution_default();
  }
  TL_TRY(tl_struct_read(context, &tl_struct_solution, "solution", given, &copy->solution));
  if (copy->solution.layout != NULL) {
    copy->layout = talus_solution_layout_default();
    TL_TRY(tl_struct_read(context, &tl_struct_solution_layout, "solution.layout",
                          copy->solution.layout, &copy->layout));
    copy->solution.layout = &copy->layout;
  }
  return TALUS_OK;
}

talus_status tl_memory_backend(talus_context *context, talus_memory memory, const char *what,
                               const tl_backend **backend) {
  *backend = &tl_backend_cpu;
  if (memory == TALUS_MEMORY_HOST) {
    return TALUS_OK;
  }
  if (memory != TALUS_MEMORY_DEVICE) {
    return tl_fail(context, TALUS_INVALID_ARGUMENT, "%s.memory %d is unknown", what, (int)memory);
  }
  *backend = context->backend;
  if (context->backend->kind == TALUS_BACKEND_CPU) {
    return tl_fail(context, TALUS_UNSUPPORTED,
                   "%s.memory is DEVICE, but the context runs on the CPU: create it on a device, "
                   "or copy the arrays to the host",
                   what);
  }
  return TALUS_OK;
}

static talus_status field_check(talus_context *context, const tl_caller_array *field) {
  const int64_t size = tl_scalar_size(field->scalar);
  if (field->stride < field->components * size) {
    return tl_fail(context, TALUS_BAD_STRIDE,
                   "the stride of %s is %lld bytes, but an element has %d numbers of %d: at least "
                   "%lld (or 0: packed)",
                   field->name, (long long)field->stride, field->components, (int)size,
                   (long long)(field->components * size));
  }
  if (field->stride % size != 0 || (uintptr_t)field->array % (uintptr_t)size != 0) {
    return tl_fail(context, TALUS_BAD_STRIDE,
                   "%s has numbers of %d bytes: its address and its stride of %lld bytes must be "
                   "multiples of that",
                   field->name, (int)size, (long long)field->stride);
  }
  return TALUS_OK;
}

talus_status tl_caller_array_make(talus_context *context, const tl_given *given,
                                  tl_caller_array *field) {
  const talus_strided *const strided = &given->strided;
  *field = (tl_caller_array){.count = given->count,
                             .components = given->components,
                             .pitch = given->components,
                             .scalar = given->scalar,
                             .name = given->name};
  if (strided->array == NULL) {
    field->array = (void *)(uintptr_t)given->own;
  } else if (given->own != NULL) {
    return tl_fail(context, TALUS_INVALID_ARGUMENT,
                   "%s is given twice, by itself and by the layout: one of them must be NULL",
                   given->name);
  } else {
    field->array = (void *)(uintptr_t)strided->array;
    field->stride = strided->stride;
    if (strided->scalar == TALUS_SCALAR_F32 && given->scalar == TL_SCALAR_F64) {
      field->scalar = TL_SCALAR_F32;
    } else if (strided->scalar != TALUS_SCALAR_OWN) {
      return tl_fail(context, TALUS_INVALID_ARGUMENT, "the layout of %s has scalar %d, which %s",
                     given->name, (int)strided->scalar,
                     strided->scalar == TALUS_SCALAR_F32 ? "indices cannot have" : "is unknown");
    }
  }
  if (field->stride == 0) {
    field->stride = (int64_t)field->components * tl_scalar_size(field->scalar);
  }
  return field->array != NULL ? field_check(context, field) : TALUS_OK;
}

/* ---- the arrays of a solution ---------------------------------------------------------------- */

static int64_t motion_count(const talus_problem *problem) {
  int64_t count = 0;
  if (problem->form == TALUS_FORM_BLOCKS) {
    for (int32_t i = 0; i < problem->blocks.block_count; i++) {
      count += problem->blocks.block_size[i];
    }
  } else if (problem->form == TALUS_FORM_GLOBAL) {
    count = problem->global.mass.rows;
  }
  return count;
}

/* As an input, so that both are treated alike. */
static talus_strided input_of(const talus_strided_out *out) {
  return (talus_strided){.array = out->array, .stride = out->stride, .scalar = out->scalar};
}

static talus_status outlet_velocity(talus_context *context, const talus_problem *problem,
                                    const talus_solution *solution,
                                    const talus_solution_layout *layout, tl_outlet *outlet) {
  const bool rigid = problem->form == TALUS_FORM_RIGID;
  const bool split = layout->angular_velocity.array != NULL;
  if (split && (!rigid || solution->velocity != NULL)) {
    return tl_fail(context, TALUS_INVALID_ARGUMENT,
                   "the layout of solution.angular_velocity goes with form RIGID and a velocity of "
                   "three numbers in the same layout");
  }
  const tl_given velocity = {.own = solution->velocity,
                             .strided = input_of(&layout->velocity),
                             .components = split   ? 3
                                           : rigid ? 6
                                                   : 1,
                             .count = rigid ? problem->rigid.body_count : motion_count(problem),
                             .name = "solution.velocity"};
  const tl_given angular = {.strided = input_of(&layout->angular_velocity),
                            .components = 3,
                            .count = velocity.count,
                            .name = "solution.angular_velocity"};
  TL_TRY(tl_caller_array_make(context, &velocity, &outlet->velocity));
  TL_TRY(tl_caller_array_make(context, &angular, &outlet->angular));
  outlet->velocity.pitch = rigid ? 6 : 1;
  outlet->angular.pitch = 6;
  return TALUS_OK;
}

/* A device tells of arrays that are not where they should be; the host cannot know. */
static talus_status outlet_look(talus_context *context, const tl_outlet *outlet) {
  const tl_caller_array *const field[5] = {&outlet->impulse, &outlet->bilateral, &outlet->velocity,
                                           &outlet->angular, &outlet->contact_velocity};
  for (int i = 0; i < 5 && outlet->backend->kind == TALUS_BACKEND_CPU; i++) {
    if (field[i]->array != NULL && field[i]->count > 0) {
      TL_TRY(context->backend->copy_array(context, field[i], NULL, TL_COPY_LOOK));
    }
  }
  return TALUS_OK;
}

talus_status tl_outlet_make(talus_context *context, const talus_problem *problem,
                            const talus_solution *solution, tl_outlet *outlet) {
  memset(outlet, 0, sizeof *outlet);
  outlet->backend = &tl_backend_cpu;
  if (solution == NULL) {
    return TALUS_OK;
  }
  const talus_solution_layout none = {.struct_size = sizeof none};
  const talus_solution_layout *const layout = solution->layout != NULL ? solution->layout : &none;
  TL_TRY(tl_memory_backend(context, solution->memory, "solution", &outlet->backend));
  const tl_given impulse = {.own = solution->impulse,
                            .strided = input_of(&layout->impulse),
                            .components = problem->dimension,
                            .count = problem->contact_count,
                            .name = "solution.impulse"};
  const tl_given bilateral = {.own = solution->bilateral_impulse,
                              .strided = input_of(&layout->bilateral_impulse),
                              .components = 1,
                              .count = problem->bilateral_count,
                              .name = "solution.bilateral_impulse"};
  tl_given contact_velocity = impulse;
  contact_velocity.own = solution->contact_velocity;
  contact_velocity.strided = input_of(&layout->contact_velocity);
  contact_velocity.name = "solution.contact_velocity";
  TL_TRY(tl_caller_array_make(context, &impulse, &outlet->impulse));
  TL_TRY(tl_caller_array_make(context, &bilateral, &outlet->bilateral));
  TL_TRY(tl_caller_array_make(context, &contact_velocity, &outlet->contact_velocity));
  TL_TRY(outlet_velocity(context, problem, solution, layout, outlet));
  return outlet_look(context, outlet);
}

talus_status tl_outlet_copy(talus_context *context, const tl_outlet *outlet,
                            const tl_caller_array *field, double *packed, tl_copy_mode way) {
  if (field->array == NULL || field->count == 0) {
    return TALUS_OK;
  }
  return outlet->backend->copy_array(context, field, packed, way);
}

talus_status tl_outlet_end(talus_context *context, const tl_outlet *outlet) {
  const bool some = outlet->impulse.array != NULL || outlet->bilateral.array != NULL ||
                    outlet->velocity.array != NULL || outlet->contact_velocity.array != NULL;
  return some ? outlet->backend->copy_array(context, NULL, NULL, TL_COPY_END) : TALUS_OK;
}
