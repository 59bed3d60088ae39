/* solver.c: the base of talus.Solver: update and solve, with the interpreter left to others while
 * the library works. Making, settings and asynchronous solves are Python (talus/solver.py). */
#include "core.h"

typedef struct tl_solver_object {
  PyObject_HEAD talus_solver *solver;
  tl_problem_object *problem; /* that was taken; NULL: none, or it was refused */
  PyObject *lender, *lent;    /* whose arrays the library reads, and those */
  PyObject *raised;           /* list: what callbacks raised */
  char calls_back;            /* functions of Python */
  bool busy;
} tl_solver_object;

/* ---- the results ----------------------------------------------------------------------------- */

PyObject *tl_solution_hold(PyObject *solution) {
  PyObject *const held = PyTuple_New(4);
  for (int i = 0; i < 4 && held != NULL; i++) {
    PyObject *const array = PyObject_GetAttr(solution, core.solution_name[i]);
    if (array == NULL) {
      Py_DECREF(held);
      return NULL;
    }
    PyTuple_SetItem(held, i, array);
  }
  return held;
}

bool tl_solution_write(PyObject *held, const talus_problem *problem, Py_ssize_t velocities,
                       talus_solution *solution, talus_solution_layout *layout) {
  const bool rigid = problem->form == TALUS_FORM_RIGID;
  const struct {
    tl_wanted wanted;
    void **pointer;
    talus_strided_out *layout;
  } results[4] = {
      {{"solution.impulse", problem->dimension, problem->contact_count, TL_REAL},
       (void **)&solution->impulse,
       &layout->impulse},
      {{"solution.bilateral_impulse", 1, problem->bilateral_count, TL_REAL},
       (void **)&solution->bilateral_impulse,
       &layout->bilateral_impulse},
      {{"solution.velocity", rigid ? 6 : 1, velocities, TL_REAL},
       (void **)&solution->velocity,
       &layout->velocity},
      {{"solution.contact_velocity", problem->dimension, problem->contact_count, TL_REAL},
       (void **)&solution->contact_velocity,
       &layout->contact_velocity},
  };
  for (int i = 0; i < 4; i++) {
    PyObject *const array = PyTuple_GetItem(held, i);
    tl_place place;
    if (array == Py_None) {
      continue;
    }
    if (!tl_array_place_writable(array, &results[i].wanted, &place)) {
      return false;
    }
    tl_place_write(&place, results[i].pointer, (talus_strided *)(void *)results[i].layout);
    if (!place.packed) {
      solution->layout = layout;
    }
  }
  return true;
}

/* ---- calls ----------------------------------------------------------------------------------- */

static bool enter(tl_solver_object *self) {
  if (self->busy) {
    PyObject *const result = PyObject_CallMethod((PyObject *)self, "_refuse", NULL);
    Py_XDECREF(result);
    return false;
  }
  self->busy = true;
  return true;
}

/* What callbacks raised comes first; then what the status says. True: nothing. */
static bool outcome_check(tl_solver_object *self, talus_status status) {
  const bool raised = self->raised != NULL && PyList_Size(self->raised) > 0;
  if (status == TALUS_OK && !raised) {
    return true;
  }
  PyObject *const result = PyObject_CallMethod((PyObject *)self, "_check", "i", (int)status);
  Py_XDECREF(result);
  return result != NULL;
}

static void reference_set(PyObject **place, PyObject *object) {
  PyObject *const before = *place;
  Py_XINCREF(object);
  *place = object;
  Py_XDECREF(before);
}

static PyObject *solver_update(PyObject *object, PyObject *given) {
  tl_solver_object *const self = (tl_solver_object *)object;
  if (!PyObject_TypeCheck(given, core.problem_type)) {
    PyErr_SetString(PyExc_TypeError, "a solver is updated with a Problem");
    return NULL;
  }
  if (!enter(self)) {
    return NULL;
  }
  tl_problem_object *const problem = (tl_problem_object *)given;
  talus_status status;
  PyObject *const arrays = problem->kept; /* not changed any more: somebody holds it */
  Py_INCREF(arrays);
  Py_BEGIN_ALLOW_THREADS status = core.talus_solver_update(self->solver, &problem->problem);
  Py_END_ALLOW_THREADS self->busy = false;
  if (status != TALUS_CALL_ORDER) { /* else a solve under way still reads the last one */
    reference_set((PyObject **)&self->problem, status == TALUS_OK ? given : NULL);
    reference_set(&self->lender, given);
    reference_set(&self->lent, arrays);
  }
  Py_DECREF(arrays);
  if (!outcome_check(self, status)) {
    return NULL;
  }
  Py_RETURN_NONE;
}

/* Solves into the four arrays; a new Info. */
static PyObject *solve_into(tl_solver_object *self, tl_problem_object *problem, PyObject *held) {
  talus_solution results;
  talus_solution_layout layout;
  talus_status status;
  core.talus_solution_init(&results, sizeof results);
  core.talus_solution_layout_init(&layout, sizeof layout);
  if (!tl_solution_write(held, &problem->problem, tl_problem_velocities(problem), &results,
                         &layout)) {
    return NULL;
  }
  PyObject *const listened =
      self->calls_back ? PyObject_CallMethod((PyObject *)self, "_listen", NULL) : NULL;
  PyObject *const info = listened != NULL || !self->calls_back ? tl_info_new() : NULL;
  Py_XDECREF(listened);
  if (info == NULL) {
    return NULL;
  }
  Py_BEGIN_ALLOW_THREADS status =
      core.talus_solver_solve(self->solver, &results, &((tl_info_object *)info)->info);
  Py_END_ALLOW_THREADS if (!outcome_check(self, status)) {
    Py_DECREF(info);
    return NULL;
  }
  return info;
}

/* Zeros of a shape of one number, or two. */
static PyObject *zeros(Py_ssize_t count, Py_ssize_t width) {
  return width > 0 ? PyObject_CallFunction(core.zeros, "((nn))", count, width)
                   : PyObject_CallFunction(core.zeros, "(n)", count);
}

/* A talus.Solution with room for all that a problem's form gives. */
PyObject *tl_solution_empty(PyObject *self, PyObject *given) {
  (void)self;
  if (!PyObject_TypeCheck(given, core.problem_type)) {
    PyErr_SetString(PyExc_TypeError, "a Solution is made for a Problem");
    return NULL;
  }
  const tl_problem_object *const object = (const tl_problem_object *)given;
  const talus_problem *const problem = &object->problem;
  PyObject *const impulse = zeros(problem->contact_count, problem->dimension);
  PyObject *const bilateral = zeros(problem->bilateral_count, 0);
  PyObject *const slip = zeros(problem->contact_count, problem->dimension);
  PyObject *velocity = Py_None, *solution = NULL;
  Py_INCREF(velocity);
  if (problem->form != TALUS_FORM_DELASSUS) {
    Py_DECREF(velocity);
    velocity = zeros(tl_problem_velocities(object), problem->form == TALUS_FORM_RIGID ? 6 : 0);
  }
  if (impulse != NULL && bilateral != NULL && velocity != NULL && slip != NULL) {
    solution =
        PyObject_CallFunctionObjArgs(core.solution_type, impulse, bilateral, velocity, slip, NULL);
  }
  Py_XDECREF(impulse);
  Py_XDECREF(bilateral);
  Py_XDECREF(velocity);
  Py_XDECREF(slip);
  return solution;
}

static PyObject *solver_solve(PyObject *object, PyObject *const *argument, Py_ssize_t count,
                              PyObject *keywords) {
  tl_solver_object *const self = (tl_solver_object *)object;
  PyObject *result = NULL, *info = NULL, *held = NULL;
  const Py_ssize_t named = keywords != NULL ? PyTuple_Size(keywords) : 0;
  count += named;
  if (count > 1 || (named == 1 && PyUnicode_CompareWithASCIIString(PyTuple_GetItem(keywords, 0),
                                                                   "solution") != 0)) {
    PyErr_SetString(PyExc_TypeError, "solve takes a Solution, or nothing");
    return NULL;
  }
  if (!enter(self)) {
    return NULL;
  }
  PyObject *const problem = (PyObject *)self->problem;
  Py_XINCREF(problem);
  PyObject *solution = count == 1 && argument[0] != Py_None ? argument[0] : NULL;
  Py_XINCREF(solution);
  if (problem == NULL) {
    PyObject *const refused = PyObject_CallMethod(object, "_order", NULL);
    Py_XDECREF(refused);
    goto end;
  }
  if (solution == NULL) {
    solution = tl_solution_empty(NULL, problem);
  }
  held = solution != NULL ? tl_solution_hold(solution) : NULL;
  info = held != NULL ? solve_into(self, self->problem, held) : NULL;
  if (info != NULL) {
    result = PyTuple_Pack(2, solution, info);
  }
end:
  self->busy = false;
  Py_XDECREF(info);
  Py_XDECREF(held);
  Py_XDECREF(solution);
  Py_XDECREF(problem);
  return result;
}

static PyObject *solver_enter(PyObject *self, PyObject *ignored) {
  (void)ignored;
  if (!enter((tl_solver_object *)self)) {
    return NULL;
  }
  Py_RETURN_NONE;
}

static PyObject *solver_leave(PyObject *self, PyObject *ignored) {
  (void)ignored;
  ((tl_solver_object *)self)->busy = false;
  Py_RETURN_NONE;
}

/* ---- the type -------------------------------------------------------------------------------- */

static int solver_clear(PyObject *object) {
  tl_solver_object *const self = (tl_solver_object *)object;
  Py_CLEAR(self->problem);
  Py_CLEAR(self->raised);
  Py_CLEAR(self->lent);
  Py_CLEAR(self->lender);
  return 0;
}

static int solver_traverse(PyObject *object, visitproc visit, void *arg) {
  tl_solver_object *const self = (tl_solver_object *)object;
  Py_VISIT(self->problem);
  Py_VISIT(self->raised);
  Py_VISIT(self->lent);
  Py_VISIT(self->lender);
  Py_VISIT(Py_TYPE(object));
  return 0;
}

/* What has been lent and called is still there; an asynchronous solve is waited for. Not a __del__
 * of Python: what a signal raised there would be lost. */
static void solver_finalize(PyObject *object) {
  tl_solver_object *const self = (tl_solver_object *)object;
  talus_solver *const solver = self->solver;
  self->solver = NULL;
  if (solver != NULL) {
    Py_BEGIN_ALLOW_THREADS core.talus_solver_destroy(solver);
    Py_END_ALLOW_THREADS
  }
}

static void solver_dealloc(PyObject *self) {
  PyTypeObject *const type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  solver_clear(self);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

static PyMemberDef solver_members[] = {
    {"_solver", T_ULONGLONG, offsetof(tl_solver_object, solver), 0, "Address of the talus_solver."},
    {"_problem", T_OBJECT, offsetof(tl_solver_object, problem), READONLY, "That was taken last."},
    {"_calls_back", T_BOOL, offsetof(tl_solver_object, calls_back), 0,
     "Whether solves call functions of Python."},
    {"_raised", T_OBJECT, offsetof(tl_solver_object, raised), 0, "What callbacks raised."},
    {NULL, 0, 0, 0, NULL}};
static PyMethodDef solver_methods[] = {
    {"update", solver_update, METH_O,
     "Checks and takes a problem, whose arrays are borrowed until the solve has returned."},
    {"solve", (PyCFunction)(void (*)(void))solver_solve, METH_FASTCALL | METH_KEYWORDS,
     "Solves; fills the given solution or a new one. With settings.warm_start the given impulses "
     "are where it starts. Gives the solution and an Info."},
    {"_enter", solver_enter, METH_NOARGS, "Refuses all others from now on."},
    {"_leave", solver_leave, METH_NOARGS, "Lets others in again."},
    {NULL, NULL, 0, NULL}};

PyObject *tl_solver_type_make(void) {
  static PyType_Slot slots[] = {{Py_tp_dealloc, solver_dealloc},
                                {Py_tp_finalize, solver_finalize},
                                {Py_tp_traverse, solver_traverse},
                                {Py_tp_clear, solver_clear},
                                {Py_tp_members, solver_members},
                                {Py_tp_methods, solver_methods},
                                {Py_tp_doc, "A talus_solver and what it has borrowed."},
                                {0, NULL}};
  static PyType_Spec spec = {"talus._core.Solver", sizeof(tl_solver_object), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots};
  return PyType_FromSpec(&spec);
}
