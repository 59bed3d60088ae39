/* canvas_load.c: finds Cairo at run time; see canvas_cairo.h. */
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <string.h>

#include "host/view/canvas_cairo.h"

#define CAIRO_FILE "libcairo.so.2"
#ifndef RTLD_NODELETE
#define RTLD_NODELETE 0
#endif

bool tl_cairo_load(tl_cairo *cairo) {
  memset(cairo, 0, sizeof *cairo);
  void *const library = dlopen(CAIRO_FILE, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  bool whole = library != NULL;
#define FIND(name)                                           \
  if (whole) {                                               \
    *(void **)&cairo->name = dlsym(library, "cairo_" #name); \
    whole = cairo->name != NULL;                             \
  }
  TL_CAIRO_LIST(FIND)
#undef FIND
  return whole;
}

const char *tl_text_missing(void) {
  tl_cairo cairo;
  return tl_cairo_load(&cairo) ? NULL : CAIRO_FILE " cannot be loaded (Debian: libcairo2)";
}
