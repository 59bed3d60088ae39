/* schema_measure.c: measurements of a run. */
#include "host/measure/measure.h"
#include "host/scene/schema_rows.h"

#define WORD(name, text) "|" text

#define IS_REGION BIT(TL_MEASURE_REGION)
#define IS_PLANE BIT(TL_MEASURE_PLANE)
#define IS_PROFILE BIT(TL_MEASURE_PROFILE)
#define IS_RADIAL BIT(TL_MEASURE_RADIAL)
#define IS_FORCES BIT(TL_MEASURE_FORCES)
#define IS_FIELDS BIT(TL_MEASURE_FIELDS)
#define ROW_STRUCT tl_scene_measure
static const tl_key rows_measure[] = {
    CHOICE("kind", kind, &(TL_MEASURE_LIST(WORD))[1], "region", 0,
           "`region`: means over a region. `plane`: what passes a plane. `profile`: means over "
           "the slices or shells of a region. `radial`: g(r) of the grains' centres. `forces`: "
           "distribution of normal forces over their mean. `fields`: coarse graining on a grid"),
    PLAIN(TEXT, "name", name, NULL, 0, "of its columns and files: letters, digits, _ and -"),
    TABLE(SECTION, "region", region, tl_schema_region, "", 0,
          "where; finite and whole. None: the box around all grains (`plane`: no limits), or for "
          "`region` and `forces` the cell where it is periodic in all directions; "
          "`fields` need a box"),
    PLAIN(TEXT, "with", with, "", 0,
          "a body, wall or link: region, point and normal are in its frame (origin the centre of "
          "mass, of fixed and kinematic ones their `position`) and move with it"),
    SET("quantities", quantities, &(TL_QUANTITY_GROUP_LIST(WORD))[1], "", IS_REGION | IS_PROFILE,
        "which means; none: all"),
    INTEGER("rattlers", rattlers, "0", 0, 1000, IS_REGION | IS_PROFILE,
            "grains that touch fewer bodies, not counting other rattlers, are rattlers; 0: 2, with "
            "friction; without it a grain needs 4 (in a plane world 3) to be held"),
    CHOICE("along", along, &(TL_ALONG_LIST(WORD))[1], "z", IS_PROFILE,
           "how the bins follow each other: a box along `x`, `y` or `z`, a cylinder or annulus "
           "along its `axis` or `radius`, a ball along its `radius`"),
    INTEGER("bins", bins, "20", 1, 100000, IS_PROFILE, "slices or shells, of equal width"),
    INTEGER("bins", bins, "100", 1, 100000, IS_RADIAL, "of the distance"),
    INTEGER("bins", bins, "60", 1, 100000, IS_FORCES, "of the force"),
    REAL("reach", reach, LENGTH, NULL, ABOVE_0, IS_RADIAL,
         "the largest distance; only grains that far inside the region are looked from"),
    REAL("reach", reach, NUMBER, "6", ABOVE_0, IS_FORCES, "the largest force, over the mean"),
    NUMBERS(VECTOR, "point", point, LENGTH, NULL, IS_PLANE, "of the plane"),
    NUMBERS(VECTOR, "normal", normal, NUMBER, "0 0 1", IS_PLANE,
            "of any length; what passes along it counts as positive"),
    CHOICE("kernel", kernel, &(TL_KERNEL_LIST(WORD))[1], "gaussian", IS_FIELDS,
           "`gaussian`: of standard deviation `width`, cut at 3 widths; `lucy`: a polynomial that "
           "ends smoothly at 2 widths"),
    REAL("width", width, LENGTH, NULL, ABOVE_0, IS_FIELDS,
         "of the kernel; about a grain's radius to diameter"),
    REAL("spacing", spacing, LENGTH, "0", FROM_0, IS_FIELDS,
         "of the grid's points, at most; 0: the width"),
};
SCHEMA(measure, "measure", "kind",
       "A list. Regions and planes become columns `NAME_quantity` of measure.csv, profiles, "
       "distributions and fields a file for each frame. Definitions: "
       "[measure something](../how-to/measure.md#regions-profiles-fields).");
#undef ROW_STRUCT
