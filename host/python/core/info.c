/* info.c: the base of talus.Info: a talus_info, its numbers as attributes. */
#include "core.h"

PyObject *tl_info_new(void) {
  PyObject *const object = PyType_GenericAlloc((PyTypeObject *)core.info_type, 0);
  if (object != NULL) {
    talus_info *const info = &((tl_info_object *)object)->info;
    core.talus_info_init(info, sizeof *info);
    info->certificate.struct_size = (uint32_t)sizeof info->certificate;
  }
  return object;
}

static void info_dealloc(PyObject *self) {
  PyTypeObject *const type = Py_TYPE(self);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

/* The numbers of the certificate, in the order of the struct. */
static PyObject *certificate_get(PyObject *self, void *closure) {
  (void)closure;
  const talus_certificate *const certificate = &((tl_info_object *)self)->info.certificate;
  const double *const first = &certificate->epsilon_ccp;
  const Py_ssize_t count =
      (Py_ssize_t)((sizeof *certificate - offsetof(talus_certificate, epsilon_ccp)) /
                   sizeof *first);
  PyObject *const tuple = PyTuple_New(count);
  for (Py_ssize_t i = 0; i < count && tuple != NULL; i++) {
    PyObject *const number = PyFloat_FromDouble(first[i]);
    if (number == NULL) {
      Py_DECREF(tuple);
      return NULL;
    }
    PyTuple_SetItem(tuple, i, number);
  }
  return tuple;
}

static PyObject *info_address(PyObject *self, void *closure) {
  (void)closure;
  return PyLong_FromVoidPtr(&((tl_info_object *)self)->info);
}

#define MEMBER(name, shown, type, text) \
  { shown, type, offsetof(tl_info_object, info.name), READONLY, text }

static PyMemberDef info_members[] = {
    MEMBER(outcome, "_outcome", T_INT, "talus_outcome"),
    MEMBER(method, "_method", T_INT, "talus_method"),
    MEMBER(precision, "_precision", T_INT, "talus_precision"),
    MEMBER(backend, "_backend", T_INT, "talus_backend_kind"),
    MEMBER(notes, "_notes", T_UINT, "bits of Note"),
    MEMBER(threads, "threads", T_INT, "CPU threads that worked on it."),
    MEMBER(colours, "colours", T_INT, "Colours of the sweeps' order."),
    MEMBER(iterations, "iterations", T_LONGLONG, "Iterations made."),
    MEMBER(passes, "passes", T_LONGLONG, "Passes over all contacts."),
    MEMBER(measure, "measure", T_DOUBLE, "What the tolerance was compared with."),
    MEMBER(seconds, "seconds", T_DOUBLE, "Of the whole solve, s."),
    MEMBER(seconds_check, "seconds_check", T_DOUBLE, "Of checking the problem, s."),
    MEMBER(seconds_build, "seconds_build", T_DOUBLE, "Of building the system, s."),
    MEMBER(seconds_iterate, "seconds_iterate", T_DOUBLE, "Of the method, s."),
    MEMBER(seconds_certificate, "seconds_certificate", T_DOUBLE, "Of the certificate, s."),
    MEMBER(bytes, "bytes", T_LONGLONG, "Host memory that the solver holds."),
    MEMBER(incompatible, "incompatible", T_DOUBLE, "See talus_info."),
    MEMBER(factorisations, "factorisations", T_LONGLONG, "Factorisations of matrices."),
    MEMBER(islands, "islands", T_INT, "Groups that hang together."),
    MEMBER(islands_asleep, "islands_asleep", T_INT, "Of them, left out since they sleep."),
    MEMBER(keys_matched, "keys_matched", T_INT, "Contacts and rows that started warm by key."),
    {NULL, 0, 0, 0, NULL}};
static PyGetSetDef info_getters[] = {
    {"_certificate", certificate_get, NULL, "The certificate's numbers.", NULL},
    {"_address", info_address, NULL, "Of the talus_info.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};

static PyObject *info_make(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
  (void)type, (void)arguments, (void)keywords;
  return tl_info_new();
}

PyObject *tl_info_type_make(void) {
  static PyType_Slot slots[] = {{Py_tp_new, info_make},        {Py_tp_dealloc, info_dealloc},
                                {Py_tp_members, info_members}, {Py_tp_getset, info_getters},
                                {Py_tp_doc, "A talus_info."},  {0, NULL}};
  static PyType_Spec spec = {"talus._core.Info", sizeof(tl_info_object), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
  return PyType_FromSpec(&spec);
}
