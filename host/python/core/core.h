/* core.h: what the files of talus._core share.
 *
 * The module holds the calls that a program makes many times a second: problems over NumPy arrays,
 * update, solve, batches. Everything else of the package is Python over ctypes. It is compiled
 * against the stable ABI of Python 3.9, so that one file serves all later versions, and is linked
 * to nothing: the functions of libtalus are handed over by address (talus/library.py), so that both
 * halves of the package always speak to the same library.
 *
 *   module.c   the module, functions of the library     array.c    NumPy arrays to addresses
 *   problem.c  Problem: a talus_problem and its arrays   info.c     Info: a talus_info
 *   solver.c   Solver: update and solve                  batch.c    many problems in one call
 *   callback.c functions that the library calls */
#ifndef TL_PYTHON_CORE_H
#define TL_PYTHON_CORE_H

#ifndef Py_LIMITED_API
#define Py_LIMITED_API 0x03090000
#endif
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdbool.h>
#include <stddef.h>
#include <structmember.h>

#include "talus/talus_solve.h"

/* ---- the buffer protocol: part of the stable ABI since 3.11, the same since 3.3 -------------- */

#ifndef PyBUF_STRIDES
typedef struct Py_buffer {
  void *buf;
  PyObject *obj;
  Py_ssize_t len, itemsize;
  int readonly, ndim;
  char *format;
  Py_ssize_t *shape, *strides, *suboffsets;
  void *internal;
} Py_buffer;
extern int PyObject_GetBuffer(PyObject *object, Py_buffer *view, int flags);
extern void PyBuffer_Release(Py_buffer *view);
#define PyBUF_WRITABLE 0x0001
#define PyBUF_RECORDS_RO 0x001c
#endif
#ifndef METH_FASTCALL
#define METH_FASTCALL 0x0080
#endif

/* ---- the library ----------------------------------------------------------------------------- */

/* The functions that are called from here. */
#define TL_CORE_FUNCTIONS(X)    \
  X(talus_problem_init)         \
  X(talus_layout_init)          \
  X(talus_solution_init)        \
  X(talus_solution_layout_init) \
  X(talus_info_init)            \
  X(talus_solver_update)        \
  X(talus_solver_solve)         \
  X(talus_solver_destroy)       \
  X(talus_solve_batch)

typedef struct tl_core {
#define TL_CORE_MEMBER(name) __typeof__(&name) name;
  TL_CORE_FUNCTIONS(TL_CORE_MEMBER)
#undef TL_CORE_MEMBER
  PyObject *array_type; /* numpy.ndarray */
  PyObject *view;       /* problem.view: any value as an array that can be read, or an exception */
  PyObject *zeros;      /* numpy.zeros */
  PyObject *solution_type; /* talus.Solution */
  PyObject *info_type;     /* talus.Info */
  PyTypeObject *problem_type;
  PyObject *solution_name[4]; /* impulse, bilateral_impulse, velocity, contact_velocity */
} tl_core;

extern tl_core core;

/* ---- arrays ---------------------------------------------------------------------------------- */

typedef enum tl_number { TL_REAL, TL_INT32, TL_INT64, TL_UINT64 } tl_number;

/* What an array has to be: `count` elements of `width` numbers; count -1: any. */
typedef struct tl_wanted {
  const char *name; /* for messages */
  Py_ssize_t width, count;
  tl_number number;
} tl_wanted;

/* An array in memory. */
typedef struct tl_place {
  void *data;
  Py_ssize_t count, stride; /* bytes between elements */
  bool packed;              /* one after the other, of the type that the library has by itself */
  bool is_f32;
} tl_place;

/* Finds where an array lies. A value that cannot be read as it is goes through core.view, which
 * converts or refuses it. *kept: the array, a new reference; NULL and an exception on failure. */
bool tl_array_place(PyObject *value, const tl_wanted *wanted, tl_place *place, PyObject **kept);
/* The same for one that will be written to; it is never converted. */
bool tl_array_place_writable(PyObject *value, const tl_wanted *wanted, tl_place *place);
/* Writes the place to a pointer of a struct, or to the layout where that cannot say it. */
void tl_place_write(const tl_place *place, void **pointer, talus_strided *layout);

/* ---- objects --------------------------------------------------------------------------------- */

typedef struct tl_problem_object {
  PyObject_HEAD talus_problem problem;
  talus_layout layout;
  PyObject *kept; /* dict: name to array. Replaced, never changed, once somebody else holds it */
} tl_problem_object;

typedef struct tl_info_object {
  PyObject_HEAD talus_info info;
} tl_info_object;

PyObject *tl_problem_type_make(void);
PyObject *tl_solver_type_make(void);
PyObject *tl_info_type_make(void);

/* A new talus.Info, as talus_info_init fills it. */
PyObject *tl_info_new(void);
/* problem.c: a Problem of form (a) from positional arguments. */
PyObject *tl_problem_rigid(PyObject *self, PyObject *const *argument, Py_ssize_t count);
/* solver.c: the four arrays of a talus.Solution, as a tuple that keeps them alive ... */
PyObject *tl_solution_hold(PyObject *solution);
/* ... and a talus_solution that points to them. */
bool tl_solution_write(PyObject *held, const talus_problem *problem, Py_ssize_t velocities,
                       talus_solution *solution, talus_solution_layout *layout);
PyObject *tl_solution_empty(PyObject *self, PyObject *problem);
/* How many elements (bodies of form (a), numbers of others) a problem's velocity has. */
Py_ssize_t tl_problem_velocities(const tl_problem_object *object);
/* batch.c */
PyObject *tl_solve_batch(PyObject *self, PyObject *const *argument, Py_ssize_t count);
PyObject *tl_solve_stack(PyObject *self, PyObject *const *argument, Py_ssize_t count);

/* callback.c: the address of a talus_touch_find. */
PyObject *tl_touch_find_address(void);

#endif
