/* batch.c: many problems in one call: a list of them, or one whose arrays are stacked. */
#include "core.h"

#include <stdlib.h>
#include <string.h>

typedef struct tl_batch {
  talus_context *context;
  const talus_settings *settings;
  int32_t count;
  talus_problem *problem;
  talus_solution *solution;
  talus_solution_layout *layout; /* NULL: not needed */
  talus_info *info;
  talus_status *status;
} tl_batch;

static bool batch_read(tl_batch *batch, PyObject *context, PyObject *settings, Py_ssize_t count) {
  batch->context = PyLong_AsVoidPtr(context);
  batch->settings = PyLong_AsVoidPtr(settings);
  if (PyErr_Occurred()) {
    return false;
  }
  if (count < 0 || count > INT32_MAX) {
    PyErr_SetString(PyExc_ValueError, "more problems than Talus can count");
    return false;
  }
  batch->count = (int32_t)count;
  const size_t room = count > 0 ? (size_t)count : 1;
  batch->problem = calloc(room, sizeof *batch->problem);
  batch->solution = calloc(room, sizeof *batch->solution);
  if (batch->problem == NULL || batch->solution == NULL) {
    PyErr_NoMemory();
    return false;
  }
  for (size_t i = 0; i < room; i++) {
    core.talus_solution_init(&batch->solution[i], sizeof *batch->solution);
  }
  return true;
}

static void infos_begin(talus_info *info, int32_t count) {
  for (int32_t i = 0; i < count; i++) {
    core.talus_info_init(&info[i], sizeof *info);
    info[i].certificate.struct_size = (uint32_t)sizeof info[i].certificate;
  }
}

static talus_status batch_solve(const tl_batch *batch) {
  talus_status status;
  Py_BEGIN_ALLOW_THREADS status =
      core.talus_solve_batch(batch->context, batch->settings, batch->count, batch->problem,
                             batch->solution, batch->info, batch->status);
  Py_END_ALLOW_THREADS return status;
}

static void batch_release(tl_batch *batch) {
  free(batch->problem);
  free(batch->solution);
  free(batch->layout);
}

/* ---- a list ---------------------------------------------------------------------------------- */

/* Copies the structs of problems and solutions one after the other; `arrays`, a list, keeps alive
 * what they point to. */
static bool list_read(tl_batch *batch, PyObject *problems, PyObject *solutions, PyObject *arrays) {
  for (int32_t i = 0; i < batch->count; i++) {
    PyObject *const given = PyList_GetItem(problems, i), *const results =
                                                             PyList_GetItem(solutions, i);
    if (given == NULL || results == NULL) {
      return false;
    }
    if (!PyObject_TypeCheck(given, core.problem_type)) {
      PyErr_Format(PyExc_TypeError, "element %d is not a Problem", (int)i);
      return false;
    }
    const tl_problem_object *const problem = (const tl_problem_object *)given;
    if (PyList_Append(arrays, problem->kept) != 0) {
      return false;
    }
    batch->problem[i] = problem->problem;
    core.talus_solution_layout_init(&batch->layout[i], sizeof *batch->layout);
    PyObject *const held = tl_solution_hold(results);
    if (held == NULL || PyList_Append(arrays, held) != 0) {
      Py_XDECREF(held);
      return false;
    }
    Py_DECREF(held);
    if (!tl_solution_write(held, &problem->problem, tl_problem_velocities(problem),
                           &batch->solution[i], &batch->layout[i])) {
      return false;
    }
  }
  return true;
}

/* A tuple of the first failure and a list of an Info or a status for each. */
static PyObject *list_results(const tl_batch *batch, talus_status first) {
  PyObject *const list = PyList_New(batch->count);
  for (int32_t i = 0; i < batch->count && list != NULL; i++) {
    PyObject *const item =
        batch->status[i] == TALUS_OK ? tl_info_new() : PyLong_FromLong(batch->status[i]);
    if (item == NULL) {
      Py_DECREF(list);
      return NULL;
    }
    if (batch->status[i] == TALUS_OK) {
      ((tl_info_object *)item)->info = batch->info[i];
    }
    PyList_SetItem(list, i, item);
  }
  return list != NULL ? Py_BuildValue("iN", (int)first, list) : NULL;
}

/* solve_batch(context, settings, problems, solutions) */
PyObject *tl_solve_batch(PyObject *self, PyObject *const *argument, Py_ssize_t count) {
  (void)self;
  tl_batch batch = {0};
  PyObject *result = NULL, *const arrays = PyList_New(0);
  if (arrays == NULL) {
    return NULL;
  }
  if (count != 4 || !PyList_Check(argument[2]) || !PyList_Check(argument[3])) {
    PyErr_SetString(PyExc_TypeError, "solve_batch takes two addresses and two lists");
    Py_DECREF(arrays);
    return NULL;
  }
  if (batch_read(&batch, argument[0], argument[1], PyList_Size(argument[2]))) {
    const size_t room = batch.count > 0 ? (size_t)batch.count : 1;
    batch.layout = calloc(room, sizeof *batch.layout);
    batch.info = calloc(room, sizeof *batch.info);
    batch.status = calloc(room, sizeof *batch.status);
    if (batch.layout == NULL || batch.info == NULL || batch.status == NULL) {
      PyErr_NoMemory();
    } else if (list_read(&batch, argument[2], argument[3], arrays)) {
      infos_begin(batch.info, batch.count);
      result = list_results(&batch, batch_solve(&batch));
    }
  }
  Py_DECREF(arrays);
  free(batch.info);
  free(batch.status);
  batch_release(&batch);
  return result;
}

/* ---- a stack --------------------------------------------------------------------------------- */

/* For each (offset, address, step) of a list: the pointer at `offset` of struct i is address + i
 * step. */
static bool stack_point(PyObject *places, char *structs, size_t size, int32_t count) {
  for (Py_ssize_t k = 0; k < PyList_Size(places); k++) {
    Py_ssize_t offset, step;
    unsigned long long address;
    if (!PyArg_ParseTuple(PyList_GetItem(places, k), "nKn", &offset, &address, &step)) {
      return false;
    }
    if (offset < 0 || (size_t)offset > size - sizeof(void *)) {
      PyErr_SetString(PyExc_ValueError, "no such member");
      return false;
    }
    for (int32_t i = 0; i < count; i++) {
      char *const at = (char *)(uintptr_t)address + (Py_ssize_t)i * step;
      memcpy(structs + (size_t)i * size + offset, &at, sizeof at);
    }
  }
  return true;
}

/* solve_stack(context, settings, problem, count, problem places, solution places, infos, statuses):
 * the last two are addresses of arrays. Gives the first failure. */
PyObject *tl_solve_stack(PyObject *self, PyObject *const *argument, Py_ssize_t count) {
  (void)self;
  tl_batch batch = {0};
  PyObject *result = NULL;
  if (count != 8 || !PyObject_TypeCheck(argument[2], core.problem_type) ||
      !PyList_Check(argument[4]) || !PyList_Check(argument[5])) {
    PyErr_SetString(PyExc_TypeError, "solve_stack takes addresses, a Problem and lists of places");
    return NULL;
  }
  batch.info = PyLong_AsVoidPtr(argument[6]);
  batch.status = PyLong_AsVoidPtr(argument[7]);
  if (batch_read(&batch, argument[0], argument[1], PyLong_AsSsize_t(argument[3]))) {
    const talus_problem *const problem = &((tl_problem_object *)argument[2])->problem;
    for (int32_t i = 0; i < batch.count; i++) {
      batch.problem[i] = *problem;
    }
    if (stack_point(argument[4], (char *)batch.problem, sizeof *batch.problem, batch.count) &&
        stack_point(argument[5], (char *)batch.solution, sizeof *batch.solution, batch.count)) {
      infos_begin(batch.info, batch.count);
      result = PyLong_FromLong(batch_solve(&batch));
    }
  }
  batch_release(&batch);
  return result;
}
