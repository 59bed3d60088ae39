/* device_world.h: what tests of worlds on a device begin with. */
#ifndef TL_DEVICE_WORLD_H
#define TL_DEVICE_WORLD_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "talus/talus_world.h"
#include "tests/check.h"

/* Without it nothing else makes sense. */
#define MUST(call)                                                                      \
  do {                                                                                  \
    const talus_status status_ = (call);                                                \
    if (status_ != TALUS_OK) {                                                          \
      printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, talus_status_name(status_)); \
      exit(EXIT_FAILURE);                                                               \
    }                                                                                   \
  } while (0)

/* Ends the program as skipped where there is no device. */
static inline talus_context *context_open(talus_backend_kind backend, int32_t threads) {
  talus_context_def def = talus_context_def_default();
  talus_context *context = NULL;
  def.backend = backend;
  def.threads = threads;
  if (talus_context_create(&def, &context) == TALUS_DEVICE_ABSENT) {
    printf("no device\n");
    exit(CHECK_SKIPPED);
  }
  CHECK(context != NULL);
  return context;
}

/* A step; the report without what differs from run to run. */
static inline talus_step_report world_step(talus_world *world) {
  talus_step_report report = talus_step_report_default();
  MUST(talus_world_step(world, &report));
  report.seconds = report.seconds_collide = report.seconds_build = 0;
  report.seconds_solve = report.seconds_project = 0;
  report.resident = 0;
  return report;
}

/* Whether bodies and contacts of two worlds are the same. */
static inline bool same_state(const talus_world *a, const talus_world *b) {
  enum { MOST = 256 };
  static talus_body_state p[MOST], q[MOST];
  const talus_contact *c, *d;
  const int32_t bodies = talus_body_capacity(a), contacts = talus_world_contacts(a, &c);
  MUST(talus_bodies_get(a, bodies, p));
  MUST(talus_bodies_get(b, bodies, q));
  return talus_world_contacts(b, &d) == contacts && memcmp(p, q, (size_t)bodies * sizeof *p) == 0 &&
         (contacts == 0 || memcmp(c, d, (size_t)contacts * sizeof *c) == 0);
}

#endif
