/* module.c: the module talus._core and the functions of the library that it was given. */
#include "core.h"

tl_core core;

/* An attribute of an object as a reference of ours. */
static bool attribute_take(PyObject *from, const char *name, PyObject **place) {
  Py_XDECREF(*place);
  *place = PyObject_GetAttrString(from, name);
  return *place != NULL;
}

/* The address of a function of the library. A pointer to a function has the size of one to an
 * object wherever there is a dynamic loader. */
static bool function_take(PyObject *functions, const char *name, void *place) {
  PyObject *const address = PyMapping_GetItemString(functions, name);
  void *const pointer = address != NULL ? PyLong_AsVoidPtr(address) : NULL;
  Py_XDECREF(address);
  *(void **)place = pointer;
  if (pointer == NULL && !PyErr_Occurred()) {
    PyErr_Format(PyExc_ImportError, "%s has no address", name);
  }
  return pointer != NULL;
}

/* bind(functions): addresses of the library's functions, by name. */
static PyObject *bind(PyObject *self, PyObject *functions) {
  (void)self;
#define TAKE(name)                                    \
  if (!function_take(functions, #name, &core.name)) { \
    return NULL;                                      \
  }
  TL_CORE_FUNCTIONS(TAKE)
#undef TAKE
  Py_RETURN_NONE;
}

/* use(hooks): the Python half's array type, zeros, view, Solution and Info, as attributes of an
 * object. */
static PyObject *use(PyObject *self, PyObject *hooks) {
  (void)self;
  if (!attribute_take(hooks, "array_type", &core.array_type) ||
      !attribute_take(hooks, "view", &core.view) || !attribute_take(hooks, "zeros", &core.zeros) ||
      !attribute_take(hooks, "solution_type", &core.solution_type) ||
      !attribute_take(hooks, "info_type", &core.info_type)) {
    return NULL;
  }
  Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"bind", bind, METH_O, "Takes the addresses of the library's functions."},
    {"use", use, METH_O, "Takes what this module calls of the package."},
    {"rigid", (PyCFunction)(void (*)(void))tl_problem_rigid, METH_FASTCALL,
     "A Problem of form (a)."},
    {"empty", tl_solution_empty, METH_O, "A Solution with room for all that a problem gives."},
    {"solve_batch", (PyCFunction)(void (*)(void))tl_solve_batch, METH_FASTCALL,
     "Solves a list of problems."},
    {"solve_stack", (PyCFunction)(void (*)(void))tl_solve_stack, METH_FASTCALL,
     "Solves problems whose arrays are stacked."},
    {NULL, NULL, 0, NULL}};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                                        "talus._core",
                                        "The calls of Talus that are made often.",
                                        -1,
                                        methods,
                                        NULL,
                                        NULL,
                                        NULL,
                                        NULL};

static bool type_add(PyObject *module, const char *name, PyObject *type) {
  if (type == NULL) {
    return false;
  }
  Py_INCREF(type); /* PyModule_AddObject takes one, core may keep the other */
  return PyModule_AddObject(module, name, type) == 0;
}

PyMODINIT_FUNC PyInit__core(void) {
  static const char *const names[4] = {"impulse", "bilateral_impulse", "velocity",
                                       "contact_velocity"};
  PyObject *const module = PyModule_Create(&definition);
  if (module == NULL) {
    return NULL;
  }
  for (int i = 0; i < 4; i++) {
    core.solution_name[i] = PyUnicode_InternFromString(names[i]);
  }
  PyObject *const problem = tl_problem_type_make();
  core.problem_type = (PyTypeObject *)problem;
  if (!type_add(module, "Problem", problem) || !type_add(module, "Solver", tl_solver_type_make()) ||
      !type_add(module, "Info", tl_info_type_make()) ||
      PyModule_AddObject(module, "touch_find", tl_touch_find_address()) != 0 ||
      PyModule_AddIntConstant(module, "info_size", sizeof(talus_info)) != 0 ||
      PyModule_AddIntConstant(module, "problem_size", sizeof(talus_problem)) != 0) {
    Py_DECREF(module);
    return NULL;
  }
  return module;
}
