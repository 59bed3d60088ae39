/* units.h: numbers with units to SI, with a check of the dimension.
 *
 * A unit is a product of symbols with whole exponents: "kg/m3", "mm/s^2", "N m". Angles count as a
 * dimension of their own, so that a frequency in Hz is not taken for a spin in rad/s. */
#ifndef TL_SCENE_UNITS_H
#define TL_SCENE_UNITS_H

#include <stdbool.h>
#include <stddef.h>

/* Exponents of length, mass, time, angle. */
enum { TL_LENGTH, TL_MASS, TL_TIME, TL_ANGLE, TL_BASE_COUNT };
typedef struct tl_dimension {
  signed char power[TL_BASE_COUNT];
} tl_dimension;

/* What a key measures. */
#define TL_QUANTITY_LIST(X)                                                 \
  X(NUMBER, "a number without unit", "", 0, 0, 0, 0)                        \
  X(LENGTH, "a length", "m", 1, 0, 0, 0)                                    \
  X(TIME, "a time", "s", 0, 0, 1, 0)                                        \
  X(ANGLE, "an angle", "rad", 0, 0, 0, 1)                                   \
  X(SPEED, "a speed", "m/s", 1, 0, -1, 0)                                   \
  X(SPIN, "an angular velocity", "rad/s", 0, 0, -1, 1)                      \
  X(ACCELERATION, "an acceleration", "m/s2", 1, 0, -2, 0)                   \
  X(DENSITY, "a density", "kg/m3", -3, 1, 0, 0)                             \
  X(RATE, "a rate or frequency", "1/s", 0, 0, -1, 0)                        \
  X(FORCE, "a force", "N", 1, 1, -2, 0)                                     \
  X(TORQUE, "a torque", "N m", 2, 1, -2, 0)                                 \
  X(ENERGY, "an energy", "J", 2, 1, -2, 0)                                  \
  X(SURFACE_ENERGY, "a surface energy", "J/m2", 0, 1, -2, 0)                \
  X(SURFACE_TENSION, "a surface tension", "N/m", 0, 1, -2, 0)               \
  X(STIFFNESS, "a stiffness", "N/m", 0, 1, -2, 0)                           \
  X(TURN_STIFFNESS, "a stiffness against turning", "N m/rad", 2, 1, -2, -1) \
  X(PRESSURE, "a pressure", "Pa", -1, 1, -2, 0)                             \
  X(AREA, "an area", "m2", 2, 0, 0, 0)                                      \
  X(VOLUME, "a volume", "m3", 3, 0, 0, 0)                                   \
  X(MASS, "a mass", "kg", 0, 1, 0, 0)                                       \
  X(INERTIA, "a moment of inertia", "kg m2", 2, 1, 0, 0)                    \
  X(DAMPING, "a damping", "N s/m", 0, 1, -1, 0)                             \
  X(TURN_DAMPING, "a damping of turns", "N m s", 2, 1, -1, 0)
typedef enum tl_quantity {
#define TL_X(name, words, unit, l, m, t, a) TL_QUANTITY_##name,
  TL_QUANTITY_LIST(TL_X)
#undef TL_X
      TL_QUANTITY_COUNT
} tl_quantity;

const char *tl_quantity_words(tl_quantity quantity); /* "a length" */
const char *tl_quantity_unit(tl_quantity quantity);  /* "m" */
tl_dimension tl_quantity_dimension(tl_quantity quantity);

/* SI value of one of the unit, and its dimension. Returns 0 if a symbol is unknown; then unknown
 * (of capacity bytes) holds it, or the mark * or / behind which a symbol is missing. */
bool tl_unit_parse(const char *text, double *factor, tl_dimension *dimension, char *unknown,
                   size_t capacity);
/* The symbol nearest to a mistyped one, or NULL; the text belongs to storage. */
const char *tl_unit_nearest(const char *symbol, char *storage, int capacity);
/* All symbols with what they are worth, one row of a Markdown table each, for the reference page;
 * index from 0, returns 0 at the end. */
bool tl_unit_describe(int index, char *text, size_t capacity);

/* What a bare number of this dimension is worth, if the bases are (m, kg, s, rad) by default. */
double tl_unit_scale(tl_dimension dimension, const double base[TL_BASE_COUNT]);

#endif
