/* means.h: what a domain holds, as means over its volume, its grains or its contacts.
 *
 * Packing fraction and density count each body as far as it is inside; velocity, temperature,
 * kinetic stress and coordination the grains whose centre is inside; stress each branch as far as
 * it is inside; fabric and force the contacts whose point is inside. Temperature and kinetic stress
 * are of what deviates from the mean velocity, in a cell as a whole from its mean motion, of which
 * its rates of deformation are part. Stress is positive in
 * compression (Love, Weber): the sum of force on b times branch from a to b, over the volume. */
#ifndef TL_MEASURE_MEANS_H
#define TL_MEASURE_MEANS_H

#include "host/measure/domain.h"
#include "host/measure/sample.h"

/* Groups of columns, by the word of the scene file. */
#define TL_QUANTITY_GROUP_LIST(X)         \
  X(GRAINS, "grains")                     \
  X(PACKING_FRACTION, "packing_fraction") \
  X(DENSITY, "density")                   \
  X(VELOCITY, "velocity")                 \
  X(TEMPERATURE, "temperature")           \
  X(KINETIC_STRESS, "kinetic_stress")     \
  X(COORDINATION, "coordination")         \
  X(STRESS, "stress")                     \
  X(FABRIC, "fabric")                     \
  X(FORCE, "force")
typedef enum tl_group {
#define TL_X(name, word) TL_GROUP_##name,
  TL_QUANTITY_GROUP_LIST(TL_X)
#undef TL_X
      TL_GROUP_COUNT
} tl_group;

/* Columns: group, name, unit; in the order of the table. */
#define TL_TENSOR_COLUMNS(X, group, name, unit) \
  X(group, name "_xx", unit)                    \
  X(group, name "_yy", unit)                    \
  X(group, name "_zz", unit)                    \
  X(group, name "_xy", unit) X(group, name "_xz", unit) X(group, name "_yz", unit)
#define TL_MEANS_LIST(X)                                       \
  X(GRAINS, "grains", "")                                      \
  X(PACKING_FRACTION, "packing_fraction", "")                  \
  X(DENSITY, "density", "kg/m3")                               \
  X(VELOCITY, "velocity_x", "m/s")                             \
  X(VELOCITY, "velocity_y", "m/s")                             \
  X(VELOCITY, "velocity_z", "m/s")                             \
  X(TEMPERATURE, "temperature", "m2/s2")                       \
  TL_TENSOR_COLUMNS(X, KINETIC_STRESS, "kinetic_stress", "Pa") \
  X(COORDINATION, "coordination", "")                          \
  X(COORDINATION, "coordination_held", "")                     \
  X(COORDINATION, "rattlers", "")                              \
  TL_TENSOR_COLUMNS(X, STRESS, "stress", "Pa")                 \
  X(STRESS, "pressure", "Pa")                                  \
  TL_TENSOR_COLUMNS(X, FABRIC, "fabric", "")                   \
  X(FORCE, "contacts", "")                                     \
  X(FORCE, "normal_force", "N")                                \
  X(FORCE, "tangential_force", "N")

/* The same as places in an array. */
enum {
  TL_MEAN_GRAINS,
  TL_MEAN_PACKING_FRACTION,
  TL_MEAN_DENSITY,
  TL_MEAN_VELOCITY,
  TL_MEAN_TEMPERATURE = TL_MEAN_VELOCITY + 3,
  TL_MEAN_KINETIC_STRESS,
  TL_MEAN_COORDINATION = TL_MEAN_KINETIC_STRESS + 6,
  TL_MEAN_COORDINATION_HELD,
  TL_MEAN_RATTLERS,
  TL_MEAN_STRESS,
  TL_MEAN_PRESSURE = TL_MEAN_STRESS + 6,
  TL_MEAN_FABRIC,
  TL_MEAN_CONTACTS = TL_MEAN_FABRIC + 6,
  TL_MEAN_NORMAL_FORCE,
  TL_MEAN_TANGENTIAL_FORCE,
  TL_MEAN_COUNT
};

typedef struct tl_mean_column {
  tl_group group;
  talus_column column;
} tl_mean_column;
extern const tl_mean_column tl_mean_columns[TL_MEAN_COUNT];

/* groups: bits of tl_group; values of others are NAN, as is what has nothing to be a mean of.
 * rattlers: grains that fewer bodies touch are rattlers. */
void tl_means_take(tl_sample *sample, const tl_domain *domain, uint32_t groups, int32_t rattlers,
                   double mean[TL_MEAN_COUNT]);

/* Mass, volume and number of grains that pass a plane per second, along the unit normal: of every
 * ball the area that the plane cuts, times its velocity; other shapes count as balls of their
 * volume. within: counts where the middle of the cut is in that domain, or NULL. */
typedef struct tl_flow {
  double mass, volume, number; /* kg/s, m3/s, 1/s */
} tl_flow;
tl_flow tl_flow_take(const tl_sample *sample, const double point[3], const double normal[3],
                     const tl_domain *within);

#endif
