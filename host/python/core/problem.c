/* problem.c: the base of talus.Problem: a talus_problem, its layout, and the arrays that it points
 * to. */
#include "core.h"

/* Where an array of the problem goes. */
typedef struct tl_member {
  tl_wanted wanted;
  size_t offset, layout_offset; /* in talus_problem and talus_layout */
} tl_member;

static void kept_release(tl_problem_object *object) {
  Py_CLEAR(object->kept);
}

static PyObject *problem_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
  (void)arguments, (void)keywords;
  tl_problem_object *const object = (tl_problem_object *)PyType_GenericAlloc(type, 0);
  if (object == NULL) {
    return NULL;
  }
  core.talus_problem_init(&object->problem, sizeof object->problem, TALUS_FORM_RIGID);
  core.talus_layout_init(&object->layout, sizeof object->layout);
  object->kept = PyDict_New();
  if (object->kept == NULL) {
    Py_DECREF(object);
    return NULL;
  }
  return (PyObject *)object;
}

static int problem_traverse(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(((tl_problem_object *)self)->kept);
  Py_VISIT(Py_TYPE(self));
  return 0;
}

static int problem_clear(PyObject *self) {
  kept_release((tl_problem_object *)self);
  return 0;
}

static void problem_dealloc(PyObject *self) {
  PyTypeObject *const type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  kept_release((tl_problem_object *)self);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

/* Remembers an array under its name. Somebody who holds the dict (a solver that was updated) goes
 * on with the arrays that it had: the change is made in a copy. */
static bool keep(tl_problem_object *object, const char *name, PyObject *array) {
  if (Py_REFCNT(object->kept) > 1) {
    PyObject *const copy = PyDict_Copy(object->kept);
    if (copy == NULL) {
      return false;
    }
    Py_DECREF(object->kept);
    object->kept = copy;
  }
  return PyDict_SetItemString(object->kept, name, array) == 0;
}

static bool member_set(tl_problem_object *object, const tl_member *member, PyObject *value) {
  tl_place place;
  PyObject *array;
  if (!tl_array_place(value, &member->wanted, &place, &array)) {
    return false;
  }
  const bool kept = keep(object, member->wanted.name, array);
  Py_DECREF(array);
  if (kept) {
    tl_place_write(&place, (void **)((char *)&object->problem + member->offset),
                   (talus_strided *)((char *)&object->layout + member->layout_offset));
    if (!place.packed) {
      object->problem.layout = &object->layout;
    }
  }
  return kept;
}

/* _place(name, value, width, count, number, offset, layout_offset); the name is of type bytes. */
static PyObject *problem_place(PyObject *self, PyObject *const *argument, Py_ssize_t count) {
  tl_member member;
  if (count != 7) {
    PyErr_SetString(PyExc_TypeError, "_place takes seven arguments");
    return NULL;
  }
  Py_ssize_t number[7] = {0};
  for (int i = 2; i < 7; i++) {
    number[i] = PyLong_AsSsize_t(argument[i]);
  }
  member.wanted.name = PyBytes_AsString(argument[0]);
  if (PyErr_Occurred()) {
    return NULL;
  }
  member.wanted.width = number[2];
  member.wanted.count = number[3];
  member.wanted.number = (tl_number)number[4];
  member.offset = (size_t)number[5];
  member.layout_offset = (size_t)number[6];
  if (member.offset > sizeof(talus_problem) - sizeof(void *) ||
      member.layout_offset > sizeof(talus_layout) - sizeof(talus_strided)) {
    PyErr_SetString(PyExc_ValueError, "no such member");
    return NULL;
  }
  if (!member_set((tl_problem_object *)self, &member, argument[1])) {
    return NULL;
  }
  Py_RETURN_NONE;
}

/* _hold(name, object): keeps something alive with the arrays. */
static PyObject *problem_hold(PyObject *self, PyObject *arguments) {
  const char *name;
  PyObject *object;
  if (!PyArg_ParseTuple(arguments, "sO", &name, &object) ||
      !keep((tl_problem_object *)self, name, object)) {
    return NULL;
  }
  Py_RETURN_NONE;
}

/* ---- form (a) in one call -------------------------------------------------------------------- */

/* By what an array of form (a) is counted; what there are so many of, it counts itself. */
typedef enum tl_counted { BY_BODIES, BY_CONTACTS, BY_ROWS } tl_counted;

#define RIGID(name, width, number, counted) \
  {                                         \
    {{"rigid." #name, width, -1, number},   \
     offsetof(talus_problem, rigid.name),   \
     offsetof(talus_layout, rigid.name)},   \
        counted                             \
  }
#define COMMON(name, width, number, counted)                                                   \
  {                                                                                            \
    {{#name, width, -1, number}, offsetof(talus_problem, name), offsetof(talus_layout, name)}, \
        counted                                                                                \
  }

/* In the order of the arguments; the first three are those by which others are counted. */
static const struct rigid_member {
  tl_member member;
  tl_counted counted;
} rigid_members[] = {
    RIGID(inverse_mass, 1, TL_REAL, BY_BODIES),    RIGID(body_a, 1, TL_INT32, BY_CONTACTS),
    RIGID(row_body_a, 1, TL_INT32, BY_ROWS),       RIGID(velocity, 6, TL_REAL, BY_BODIES),
    RIGID(inverse_inertia, 6, TL_REAL, BY_BODIES), RIGID(body_b, 1, TL_INT32, BY_CONTACTS),
    RIGID(normal, 3, TL_REAL, BY_CONTACTS),        RIGID(reach_a, 1, TL_REAL, BY_CONTACTS),
    RIGID(reach_b, 1, TL_REAL, BY_CONTACTS),       RIGID(arm_a, 3, TL_REAL, BY_CONTACTS),
    RIGID(arm_b, 3, TL_REAL, BY_CONTACTS),         COMMON(friction, 1, TL_REAL, BY_CONTACTS),
    RIGID(bias, 1, TL_REAL, BY_CONTACTS),          RIGID(surface_velocity, 3, TL_REAL, BY_CONTACTS),
    RIGID(row_body_b, 1, TL_INT32, BY_ROWS),       RIGID(row_jacobian, 12, TL_REAL, BY_ROWS),
    RIGID(row_bias, 1, TL_REAL, BY_ROWS),          COMMON(row_lower, 1, TL_REAL, BY_ROWS),
    COMMON(row_upper, 1, TL_REAL, BY_ROWS),
};
enum { RIGID_COUNT = sizeof rigid_members / sizeof *rigid_members, RIGID_COUNTING = 3 };

/* How many of something a first array has. */
static bool count_find(tl_problem_object *object, int index, PyObject *value, Py_ssize_t *count) {
  const tl_member *const member = &rigid_members[index].member;
  *count = 0;
  if (value == Py_None) {
    if (rigid_members[index].counted != BY_ROWS) {
      PyErr_Format(PyExc_TypeError, "%s is missing", member->wanted.name);
    }
    return rigid_members[index].counted == BY_ROWS;
  }
  if (!member_set(object, member, value)) {
    return false;
  }
  PyObject *const array = PyDict_GetItemString(object->kept, member->wanted.name);
  *count = array != NULL ? PyObject_Size(array) : -1;
  if (*count > INT32_MAX) {
    PyErr_Format(PyExc_ValueError, "%s has more elements than Talus can count",
                 member->wanted.name);
    return false;
  }
  return *count >= 0;
}

static bool rigid_fill(tl_problem_object *object, PyObject *const *value) {
  Py_ssize_t counts[RIGID_COUNTING];
  for (int i = 0; i < RIGID_COUNTING; i++) {
    if (!count_find(object, i, value[i], &counts[i])) {
      return false;
    }
  }
  object->problem.rigid.body_count = (int32_t)counts[BY_BODIES];
  object->problem.contact_count = (int32_t)counts[BY_CONTACTS];
  object->problem.bilateral_count = (int32_t)counts[BY_ROWS];
  for (int i = RIGID_COUNTING; i < RIGID_COUNT; i++) {
    tl_member member = rigid_members[i].member;
    member.wanted.count = counts[rigid_members[i].counted];
    if (value[i] != Py_None && !member_set(object, &member, value[i])) {
      return false;
    }
  }
  return true;
}

PyObject *tl_problem_rigid(PyObject *self, PyObject *const *argument, Py_ssize_t count) {
  (void)self;
  if (count != 1 + RIGID_COUNT || !PyType_Check(argument[0]) ||
      !PyType_IsSubtype((PyTypeObject *)argument[0], core.problem_type)) {
    PyErr_SetString(PyExc_TypeError, "rigid takes a subclass of Problem and its arrays");
    return NULL;
  }
  PyObject *const object = problem_new((PyTypeObject *)argument[0], NULL, NULL);
  if (object != NULL && !rigid_fill((tl_problem_object *)object, argument + 1)) {
    Py_DECREF(object);
    return NULL;
  }
  return object;
}

/* ---- the type -------------------------------------------------------------------------------- */

Py_ssize_t tl_problem_velocities(const tl_problem_object *object) {
  const talus_problem *const problem = &object->problem;
  Py_ssize_t total = 0;
  switch (problem->form) {
  case TALUS_FORM_RIGID:
    return problem->rigid.body_count;
  case TALUS_FORM_BLOCKS: {
    PyObject *const velocity = PyDict_GetItemString(object->kept, "blocks.velocity");
    total = velocity != NULL ? PyObject_Size(velocity) : 0;
    return total > 0 ? total : 0;
  }
  case TALUS_FORM_GLOBAL:
    return problem->global.mass.rows;
  default:
    return 0;
  }
}

static PyObject *address_get(PyObject *self, void *closure) {
  (void)closure;
  return PyLong_FromVoidPtr(&((tl_problem_object *)self)->problem);
}

static PyMemberDef problem_members[] = {
    {"dimension", T_INT, offsetof(tl_problem_object, problem.dimension), READONLY,
     "Rows per contact: 3, 2 or 1."},
    {"contact_count", T_INT, offsetof(tl_problem_object, problem.contact_count), READONLY,
     "Number of contacts."},
    {"bilateral_count", T_INT, offsetof(tl_problem_object, problem.bilateral_count), READONLY,
     "Number of bilateral rows."},
    {"_kept", T_OBJECT, offsetof(tl_problem_object, kept), READONLY, "The arrays by name."},
    {NULL, 0, 0, 0, NULL}};
static PyGetSetDef problem_getters[] = {
    {"_address", address_get, NULL, "Of the talus_problem.", NULL}, {NULL, NULL, NULL, NULL, NULL}};
static PyMethodDef problem_methods[] = {
    {"_place", (PyCFunction)(void (*)(void))problem_place, METH_FASTCALL,
     "Sets an array by its name and place in the struct."},
    {"_hold", problem_hold, METH_VARARGS, "Keeps an object alive under a name."},
    {NULL, NULL, 0, NULL}};

PyObject *tl_problem_type_make(void) {
  static PyType_Slot slots[] = {{Py_tp_new, problem_new},
                                {Py_tp_dealloc, problem_dealloc},
                                {Py_tp_traverse, problem_traverse},
                                {Py_tp_clear, problem_clear},
                                {Py_tp_members, problem_members},
                                {Py_tp_getset, problem_getters},
                                {Py_tp_methods, problem_methods},
                                {Py_tp_doc, "A talus_problem and the arrays that it points to."},
                                {0, NULL}};
  static PyType_Spec spec = {"talus._core.Problem", sizeof(tl_problem_object), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots};
  return PyType_FromSpec(&spec);
}
