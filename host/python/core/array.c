/* array.c: where the numbers of a NumPy array lie. */
#include "core.h"

/* Size of one number of a buffer, 0 if it is not of the wanted type in this machine's order. */
static Py_ssize_t number_size(const char *format, tl_number wanted, bool *is_f32) {
  *is_f32 = false;
  if (format == NULL || format[0] == '\0' || format[1] != '\0') {
    return 0;
  }
  const char type = format[0];
  switch (wanted) {
  case TL_REAL:
    *is_f32 = type == 'f';
    return type == 'd' ? 8 : type == 'f' ? 4 : 0;
  case TL_INT32:
    return type == 'i' ? 4 : 0;
  case TL_INT64:
    return type == 'l' || type == 'q' ? 8 : 0;
  default:
    return type == 'L' || type == 'Q' ? 8 : 0;
  }
}

/* Whether a buffer can be read where it is; fills the place if so. */
static bool buffer_suits(const Py_buffer *buffer, const tl_wanted *wanted, tl_place *place) {
  const Py_ssize_t size = number_size(buffer->format, wanted->number, &place->is_f32);
  const int dimensions = wanted->width == 1 ? 1 : 2;
  if (size == 0 || size != buffer->itemsize || buffer->ndim != dimensions) {
    return false;
  }
  const Py_ssize_t count = buffer->shape[0], element = wanted->width * size;
  const Py_ssize_t stride = count > 1 ? buffer->strides[0] : element;
  if ((wanted->count >= 0 && count != wanted->count) ||
      (dimensions == 2 &&
       (buffer->shape[1] != wanted->width || (count > 0 && buffer->strides[1] != size))) ||
      stride < element || (count > 0 && ((size_t)buffer->buf % size != 0 || stride % size != 0))) {
    return false;
  }
  place->data = buffer->buf;
  place->count = count;
  place->stride = stride;
  place->packed = count == 0 || (stride == element && !place->is_f32);
  return true;
}

/* 1: it suits; 0: it does not; -1: an exception. */
static int place_find(PyObject *array, const tl_wanted *wanted, int flags, tl_place *place) {
  Py_buffer buffer;
  if (PyObject_GetBuffer(array, &buffer, PyBUF_RECORDS_RO | flags) != 0) {
    return -1;
  }
  const bool suits = buffer_suits(&buffer, wanted, place);
  PyBuffer_Release(&buffer);
  return suits;
}

/* What core.view makes of a value. */
static PyObject *value_view(PyObject *value, const tl_wanted *wanted) {
  static const char *const number[] = {"real", "int32", "int64", "uint64"};
  return PyObject_CallFunction(core.view, "sOnsn", wanted->name, value, wanted->width,
                               number[wanted->number], wanted->count);
}

bool tl_array_place(PyObject *value, const tl_wanted *wanted, tl_place *place, PyObject **kept) {
  *kept = NULL;
  if ((PyObject *)Py_TYPE(value) == core.array_type) {
    const int suits = place_find(value, wanted, 0, place);
    if (suits == 1) {
      Py_INCREF(value);
      *kept = value;
      return true;
    }
    PyErr_Clear(); /* core.view says more */
  }
  PyObject *const array = value_view(value, wanted);
  if (array == NULL) {
    return false;
  }
  const int suits = place_find(array, wanted, 0, place);
  if (suits != 1) {
    if (suits == 0) {
      PyErr_Format(PyExc_ValueError, "%s cannot be read as an array", wanted->name);
    }
    Py_DECREF(array);
    return false;
  }
  *kept = array;
  return true;
}

bool tl_array_place_writable(PyObject *value, const tl_wanted *wanted, tl_place *place) {
  if (!PyObject_IsInstance(value, core.array_type)) {
    PyErr_Format(PyExc_TypeError, "%s must be a NumPy array, since it is written to", wanted->name);
    return false;
  }
  if ((PyObject *)Py_TYPE(value) == core.array_type) {
    if (place_find(value, wanted, PyBUF_WRITABLE, place) == 1) {
      return true;
    }
    PyErr_Clear();
  }
  PyObject *const array = value_view(value, wanted);
  if (array == NULL) {
    return false;
  }
  const int suits = place_find(array, wanted, PyBUF_WRITABLE, place);
  Py_DECREF(array); /* a view of `value`, which the caller holds */
  if (suits != 1) {
    PyErr_Format(PyExc_ValueError, "%s cannot be written to", wanted->name);
  }
  return suits == 1;
}

void tl_place_write(const tl_place *place, void **pointer, talus_strided *layout) {
  *pointer = place->packed && place->count > 0 ? place->data : NULL;
  if (place->packed) {
    *layout = (talus_strided){0};
  } else {
    layout->array = place->data;
    layout->stride = place->stride;
    layout->scalar = place->is_f32 ? TALUS_SCALAR_F32 : (talus_scalar)0;
  }
}
