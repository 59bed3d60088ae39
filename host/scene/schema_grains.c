/* schema_grains.c: grains by the thousand: regions, sizes, generators, inlets, outlets. */
#include "host/scene/schema_rows.h"

#define IS_BOX BIT(TL_REGION_BOX)
#define IS_CYLINDER BIT(TL_REGION_CYLINDER)
#define IS_BALL BIT(TL_REGION_BALL)
#define IS_ANNULUS BIT(TL_REGION_ANNULUS)
#define ROW_STRUCT tl_scene_region
static const tl_key rows_region[] = {
    CHOICE("kind", kind, "box|cylinder|ball|annulus|cell", "box", 0,
           "`annulus`: a cylinder with a coaxial hole. `cell`, of `output.measure` alone: the "
           "periodic "
           "cell as it is, with all grains and contacts"),
    RANGED(VECTOR, "lower", lower, LENGTH, NULL, ENDLESS, IS_BOX, "corner"),
    RANGED(VECTOR, "upper", upper, LENGTH, NULL, ENDLESS, IS_BOX,
           "corner; numbers may be `inf` in outlets, in `random` grains (z: as high as needed) and "
           "in what a region is without"),
    NUMBERS(VECTOR, "centre", centre, LENGTH, NULL, IS_CYLINDER | IS_BALL | IS_ANNULUS,
            "cylinder, annulus: of its bottom"),
    REAL("radius", radius, LENGTH, NULL, ABOVE_0, IS_CYLINDER | IS_BALL | IS_ANNULUS,
         "annulus: the outer one"),
    REAL("inner", inner, LENGTH, NULL, ABOVE_0, IS_ANNULUS, "radius of the hole"),
    REAL("height", height, LENGTH, NULL, ENDLESS, IS_CYLINDER | IS_ANNULUS,
         "may be `inf`, as above"),
    NUMBERS(VECTOR, "axis", axis, NUMBER, "0 0 1", IS_CYLINDER | IS_ANNULUS, "of any length"),
    TABLE(LIST, "without", without, tl_schema_region, "", 0,
          "boxes, cylinders and balls that are taken out of it"),
};
SCHEMA(
    region, "regions", "kind",
    "A part of space. Grains lie in it with all of their body, and outside of what it is without.");
#undef ROW_STRUCT

#define IS_UNIFORM BIT(TL_SIZE_UNIFORM)
#define IS_NORMAL (BIT(TL_SIZE_NORMAL) | BIT(TL_SIZE_LOGNORMAL))
#define ROW_STRUCT tl_scene_sizes
static const tl_key rows_sizes[] = {
    CHOICE("kind", kind, "equal|uniform|normal|lognormal|classes", "equal", 0, NULL),
    REAL("low", low, NUMBER, NULL, ABOVE_0, IS_UNIFORM, "smallest factor"),
    REAL("high", high, NUMBER, NULL, ABOVE_0, IS_UNIFORM, "largest factor"),
    REAL("mean", mean, NUMBER, "1", ABOVE_0, IS_NORMAL, "of the factor"),
    REAL("deviation", deviation, NUMBER, NULL, FROM_0, IS_NORMAL,
         "normal: of the factor; lognormal: of its logarithm"),
    REAL("low", low, NUMBER, "0.2", ABOVE_0, IS_NORMAL, "smaller ones are drawn again"),
    REAL("high", high, NUMBER, "5", ABOVE_0, IS_NORMAL, "larger ones are drawn again"),
    NUMBERS(PAIRS, "classes", classes, NUMBER, NULL, BIT(TL_SIZE_CLASSES),
            "`[factor, fraction]`; the fractions need not add up to 1"),
    CHOICE("by", by_volume, "number|volume", "number", BIT(TL_SIZE_CLASSES),
           "what the fractions are of"),
};
SCHEMA(sizes, "sizes", "kind",
       "How grains differ: the shape's lengths, times a random factor. With `radius: 1 mm` the "
       "factors are radii in millimetres.");
#undef ROW_STRUCT

#define ROW_STRUCT tl_scene_grain
static const tl_key rows_grain[] = {
    TABLE(INCLUDE, "a shape", shape, tl_schema_shape, "", 0, NULL),
    TABLE(SECTION, "sizes", sizes, tl_schema_sizes, "", 0, "how they differ; none: all are equal"),
    PLAIN(TEXT, "material", material, "", 0, "by name; none: the first material"),
    INTEGER("group", group, "0", 0, 31, 0, "of collisions"),
    PLAIN(GROUPS, "collides", collides, "all", 0, "groups that they meet"),
    CHOICE("turned", turned, "no|random", "no", 0, "orientation"),
    NUMBERS(VECTOR, "velocity", velocity, SPEED, "0 0 0", 0, "at the start"),
    NUMBERS(VECTOR, "spin", spin, SPIN, "0 0 0", 0, "at the start"),
};
static const tl_section schema_grain = {"A grain",
                                        "These keys stand beside the others of grains or inlets.",
                                        NULL,
                                        rows_grain,
                                        (int32_t)(sizeof rows_grain / sizeof(tl_key)),
                                        sizeof(ROW_STRUCT)};
#undef ROW_STRUCT

#define ROW_STRUCT tl_scene_layer
static const tl_key rows_layer[] = {
    REAL("height", height, LENGTH, NULL, ABOVE_0, 0, "of this layer of the region"),
    INTEGER("count", count, "0", 0, 2147483647, 0, "grains; 0: by `fraction`"),
    RANGED(REAL, "fraction", fraction, NUMBER, "0.25", ZERO_TO_1, 0,
           "of the layer that grains fill"),
    PLAIN(TEXT, "material", material, "", 0, "none: that of the grains"),
    TABLE(SECTION, "sizes", sizes, tl_schema_sizes, "", 0, "none: those of the grains"),
};
SCHEMA(layer, "layers", NULL, "From the bottom up.");
#undef ROW_STRUCT

#define IS_LATTICE BIT(TL_GRAINS_LATTICE)
#define IS_RANDOM BIT(TL_GRAINS_RANDOM)
#define IS_SETTLED BIT(TL_GRAINS_SETTLED)
#define IS_PACKING BIT(TL_GRAINS_PACKING)
#define ROW_STRUCT tl_scene_grains
static const tl_key rows_grains[] = {
    CHOICE(
        "kind", kind, "lattice|random|settled|layers|packing", NULL, 0,
        "`random`: anywhere without overlap; `settled`: spheres dropped one by one until each "
        "rests, in a box, those that would lie in a body or wall left out (one after the other: on "
        "several processes each one makes all of them); `layers`: random, layer by layer; "
        "`packing`: bodies of a table, where it says"),
    PLAIN(TEXT, "name", name, "", 0, "for `--set`"),
    CHOICE("type", grain.fixed, "free|fixed", "free", 0,
           "`fixed`: grains of a rough floor or wall"),
    PLAIN(TEXT, "file", file, NULL, IS_PACKING,
          "CSV, from the scene's folder: columns x, y, z, r, and if they are there qw qx qy qz, vx "
          "vy "
          "vz, wx wy wz, shape (sphere, box, capsule, cylinder), length, size_x size_y size_z, "
          "material; or .vtp, ParaView's points with a radius: frames of a run too; "
          "`output.packing` writes both"),
    TABLE(INCLUDE, "a grain", grain, schema_grain, "", ~IS_PACKING, NULL),
    PLAIN(TEXT, "material", grain.material, "", IS_PACKING,
          "of all, whatever the table says; none: by the table, by name"),
    TABLE(SECTION, "region", region, tl_schema_region, "", 0,
          "where they are; none: the inside of a wall"),
    PLAIN(TEXT, "inside", inside, "", 0,
          "name of the box, silo, hopper, wedge or drum that they fill; none: the only one"),
    INTEGER("count", count, "0", 0, 2147483647, IS_LATTICE, "0: as many as fit"),
    INTEGER("count", count, "0", 0, 2147483647, IS_RANDOM | IS_SETTLED,
            "how many; or use `fill` or `fraction`"),
    REAL("fill", fill, LENGTH, "0", FROM_0, IS_RANDOM | IS_SETTLED,
         "as many as lie this high once settled (estimated at 60 % solid, 82 % in the plane)"),
    RANGED(REAL, "fraction", fraction, NUMBER, "0", ZERO_TO_1, IS_RANDOM,
           "of the region that they fill; more than 0.3 (plane: 0.45) is hard to place"),
    PLAIN(BOOLEAN, "across", across, "false", IS_RANDOM,
          "grains that fill a periodic cell may lie across its faces, clear of images"),
    CHOICE("arrangement", arrangement, "sc|fcc|hex|brick|pyramid", "sc", IS_LATTICE,
           "simple cubic; face-centred; hexagonal layers; running bond of boxes (odd rows shifted, "
           "with half boxes at their ends); rows that get shorter upwards (plane: triangular, "
           "else square)"),
    RANGED(VECTOR, "counts", counts, NUMBER, "0 0 0", FROM_0, IS_LATTICE,
           "along x, y, z, from the region's lower corner; 0: as many as fit. pyramid: the bottom "
           "row"),
    RANGED(VECTOR, "spacing", spacing, LENGTH, "0 0 0", FROM_0, IS_LATTICE,
           "between centres; 0: the size of the grain and the gap"),
    REAL("gap", gap, NUMBER, "0.001", ANY, IS_LATTICE, "between neighbours, in radii"),
    RANGED(REAL, "jitter", jitter, NUMBER, "0", ZERO_TO_1, IS_LATTICE,
           "random displacement, as a part of the room that neighbours leave"),
    TABLE(LIST, "layers", layers, tl_schema_layer, NULL, BIT(TL_GRAINS_LAYERS), NULL),
};
SCHEMA(
    grains, "grains", "kind",
    "Generators keep away from walls, bodies, mechanisms and earlier grains, by their true shapes, "
    "unless groups keep them from colliding; what a wall of triangles encloses counts as free.");
#undef ROW_STRUCT

#define ROW_STRUCT tl_scene_inlet
static const tl_key rows_inlet[] = {
    PLAIN(TEXT, "name", name, "", 0, "for `--set`"),
    TABLE(INCLUDE, "a grain", grain, schema_grain, "", 0, NULL),
    TABLE(SECTION, "region", region, tl_schema_region, NULL, 0,
          "where they appear; keep it free: a region that walls fill is refused"),
    REAL("rate", rate, RATE, NULL, FROM_0, 0, "grains per second; those without room wait"),
    REAL("begin", begin, TIME, "0", FROM_0, 0, NULL),
    REAL("end", end, TIME, "inf", FROM_0, 0, NULL),
    INTEGER("limit", limit, "0", 0, 2147483647, 0, "so many altogether; 0: no limit"),
};
SCHEMA(inlet, "inlets", NULL, NULL);
#undef ROW_STRUCT

#define ROW_STRUCT tl_scene_outlet
static const tl_key rows_outlet[] = {
    PLAIN(TEXT, "name", name, "", 0, "for `--set`"),
    TABLE(SECTION, "region", region, tl_schema_region, NULL, 0, NULL),
    CHOICE("where", where, "inside|outside", "inside", 0,
           "free bodies are removed when their centre is there"),
    REAL("begin", begin, TIME, "0", FROM_0, 0, NULL),
    REAL("end", end, TIME, "inf", FROM_0, 0, NULL),
};
SCHEMA(outlet, "outlets", NULL, NULL);
#undef ROW_STRUCT
