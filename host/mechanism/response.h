/* response.h: points of a mechanism, and the wrenches of unit forces there. */
#ifndef TL_RESPONSE_H
#define TL_RESPONSE_H

#include "host/mechanism/mechanism.h"

typedef struct tl_places {
  int32_t count;
  double *arm;          /* [3 count] from the links' origins, world axes */
  tl_unit_wrench *unit; /* [3 count] */
  double *motion;       /* [6 3 count (3 count + 1)]: divide and conquer, and room for others */
  double *row;          /* [3 count v_count] */
  double *acceleration; /* [v_count] */
  int32_t *link;        /* [count] */
  double *memory;
} tl_places;

/* Checks the points, places the mechanism and makes the arrays; tl_free(places->memory) at the end.
 */
talus_status tl_places_make(talus_mechanism *mechanism, talus_dynamics dynamics,
                            const talus_link_point *point, int32_t count, tl_places *places);
/* The results of talus_mechanism_response from what divide and conquer left in `motion`. */
void tl_places_conquered(const talus_mechanism *mechanism, const tl_places *places,
                         double *response, double *free);

#endif
