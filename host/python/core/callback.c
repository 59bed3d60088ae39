/* callback.c: a function of Python that the library calls, where what it returns matters when it
 * raises.
 *
 * ctypes gives the library an undefined number then, whatever the function itself catches: a
 * signal's handler may raise before its first line. Here it gives the step up. */
#include "core.h"

#include "talus/talus_mechanism.h"

/* What was raised goes to the list. */
static void raised_keep(PyObject *list) {
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  if (value != NULL && trace != NULL) {
    PyException_SetTraceback(value, trace);
  }
  if (value == NULL || PyList_Append(list, value) != 0) {
    PyErr_Clear();
  }
  Py_XDECREF(type);
  Py_XDECREF(value);
  Py_XDECREF(trace);
}

/* A talus_touch_find. user: a tuple of the function and the list of what was raised; the function
 * is given the index, an address and the capacity. */
static int32_t touch_find(void *user, int32_t index, talus_touch *touch, int32_t capacity) {
  const PyGILState_STATE state = PyGILState_Ensure();
  PyObject *const function = PyTuple_GetItem(user, 0), *const raised = PyTuple_GetItem(user, 1);
  long count = -1;
  if (PyList_Size(raised) == 0) {
    PyObject *const address = PyLong_FromVoidPtr(touch);
    PyObject *const found =
        address != NULL ? PyObject_CallFunction(function, "iOi", (int)index, address, (int)capacity)
                        : NULL;
    count = found != NULL ? PyLong_AsLong(found) : -1;
    if (PyErr_Occurred() != NULL) {
      raised_keep(raised);
      count = -1;
    }
    Py_XDECREF(address);
    Py_XDECREF(found);
  }
  PyGILState_Release(state);
  return count < 0 || count > INT32_MAX ? -1 : (int32_t)count;
}

PyObject *tl_touch_find_address(void) {
  return PyLong_FromVoidPtr((void *)(uintptr_t)touch_find);
}
