/* schema_bonds.c: bonds between bodies. */
#include "host/scene/schema_rows.h"

#define ROW_STRUCT tl_scene_bonds
static const tl_key rows_bonds[] = {
    PLAIN(TEXT, "name", name, "", 0, "for `--set`"),
    PLAIN(TEXTS, "bodies", bodies, "", 0, "bodies, walls or links that are bonded, by name"),
    PLAIN(TEXTS, "grains", grains, "", 0, "sections of `grains` whose grains are, by name"),
    PLAIN(TEXTS, "materials", materials, "", 0,
          "what is made of these is; without any of the three: all grains"),
    REAL("gap", gap, LENGTH, "0", FROM_0, 0,
         "bodies nearer than this are bonded; 0: a hundredth of the smaller radius"),
    REAL("time", time, TIME, "0", FROM_0, 0, "at which the bonds are made; 0: at the start"),
    NUMBERS(VECTOR, "point", point, LENGTH, "", 0,
            "where a bond of two `bodies` sits, with `axis`; none: where they touch"),
    NUMBERS(VECTOR, "axis", axis, NUMBER, "", 0, "its direction, of any length"),
    REAL("radius", radius, LENGTH, "0", FROM_0, 0,
         "of its circular section; 0: `radius_ratio` times that of the smaller grain"),
    REAL("radius_ratio", radius_ratio, NUMBER, "1", ABOVE_0, 0, "with `radius` 0"),
    REAL("length", length, LENGTH, "0", FROM_0, 0,
         "of the beam; 0: between the centres, of walls from their surface"),
    REAL("young", young, PRESSURE, "0", FROM_0, 0,
         "Young's modulus of the beam that a bond is; 0: no beam, but the stiffnesses below"),
    RANGED(REAL, "poisson", poisson, NUMBER, "0.25", POISSON, 0, "Poisson's ratio, with `young`"),
    REAL("normal_stiffness", stiffness[0], STIFFNESS, "0", FROM_0, 0,
         "along the axis, instead of the beam's; 0: the beam's, or none"),
    REAL("shear_stiffness", stiffness[1], STIFFNESS, "0", FROM_0, 0,
         "across the axis; 0: as above"),
    REAL("bending_stiffness", stiffness[2], TURN_STIFFNESS, "0", FROM_0, 0,
         "against turning about directions across the axis; 0: as above"),
    REAL("twisting_stiffness", stiffness[3], TURN_STIFFNESS, "0", FROM_0, 0,
         "against turning about the axis; 0: as above"),
    REAL("damping", damping, TIME, "0", FROM_0, 0,
         "dampers beside the springs, so many seconds times their stiffness"),
    REAL("tensile_strength", strength[0], PRESSURE, "inf", ABOVE_0, 0,
         "breaks above it: N/A + M r/I, stress by tension and bending"),
    REAL("shear_strength", strength[1], PRESSURE, "inf", ABOVE_0, 0,
         "breaks above it: S/A + T r/J, stress by shear and twisting"),
    REAL("tensile_limit", limit[0], FORCE, "inf", ABOVE_0, 0, "force above which it breaks"),
    REAL("shear_limit", limit[1], FORCE, "inf", ABOVE_0, 0, "the same across the axis"),
    REAL("bending_limit", limit[2], TORQUE, "inf", ABOVE_0, 0, "moment above which it breaks"),
    REAL("twisting_limit", limit[3], TORQUE, "inf", ABOVE_0, 0, "the same about the axis"),
};
SCHEMA(
    bonds, "bonds", NULL,
    "A list: glue between bodies that touch, which gives way as a beam does and breaks for good. "
    "Bonded bodies do not touch each other until it breaks. What broke, when, how and under which "
    "loads is told in `broken.csv`; bonds are in the frames (`bonds.pvd`) and columns `bonds`, "
    "`bonds_broken`. [How](../explanation/bonds.md).");
#undef ROW_STRUCT
