/* schema_rows.h: short spellings for the rows of the schema_*.c files. ROW_STRUCT is the struct of
 * the table being written. */
#ifndef TL_SCHEMA_ROWS_H
#define TL_SCHEMA_ROWS_H

#include <math.h>
#include <stddef.h>

#include "host/scene/schema.h"

#define AT(field) offsetof(ROW_STRUCT, field)
#define BIT(kind) (1u << (kind))
/* Any number: low == high == 0. */
#define ANY 0, 0, 0
#define ABOVE_0 0, INFINITY, 1
#define FROM_0 0, INFINITY, 0
#define ZERO_TO_1 0, 1, 0
#define ABOVE_0_TO_1 0, 1, 1
#define QUARTER_TURN 0, 1.57, 0
#define POISSON 0, 0.5, 0
#define FRICTION 0, 1e6, 0             /* as much as contact problems take */
#define ENDLESS -INFINITY, INFINITY, 0 /* inf is a value too */

#define REAL(name, field, quantity, initial, range, kinds, note) \
  { name, TL_KEY_REAL, AT(field), TL_QUANTITY_##quantity, initial, range, kinds, NULL, NULL, note }
#define NUMBERS(type, name, field, quantity, initial, kinds, note) \
  { name, TL_KEY_##type, AT(field), TL_QUANTITY_##quantity, initial, ANY, kinds, NULL, NULL, note }
#define RANGED(type, name, field, quantity, initial, range, kinds, note)                       \
  {                                                                                            \
    name, TL_KEY_##type, AT(field), TL_QUANTITY_##quantity, initial, range, kinds, NULL, NULL, \
        note                                                                                   \
  }
#define INTEGER(name, field, initial, low, high, kinds, note) \
  { name, TL_KEY_INTEGER, AT(field), 0, initial, low, high, 0, kinds, NULL, NULL, note }
#define PLAIN(type, name, field, initial, kinds, note) \
  { name, TL_KEY_##type, AT(field), 0, initial, ANY, kinds, NULL, NULL, note }
#define CHOICE(name, field, words, initial, kinds, note) \
  { name, TL_KEY_CHOICE, AT(field), 0, initial, ANY, kinds, words, NULL, note }
#define SET(name, field, words, initial, kinds, note) \
  { name, TL_KEY_SET, AT(field), 0, initial, ANY, kinds, words, NULL, note }
#define TABLE(type, name, field, table, initial, kinds, note) \
  { name, TL_KEY_##type, AT(field), 0, initial, ANY, kinds, NULL, &table, note }

/* The table of rows `rows_<name>`. */
#define SCHEMA(name, title, selector, note)                                            \
  const tl_section tl_schema_##name = {title,                                          \
                                       note,                                           \
                                       selector,                                       \
                                       rows_##name,                                    \
                                       (int32_t)(sizeof rows_##name / sizeof(tl_key)), \
                                       sizeof(ROW_STRUCT)}

#endif
