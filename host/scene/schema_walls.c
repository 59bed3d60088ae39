/* schema_walls.c: containers, floors, drums, hoppers and meshes. */
#include "host/scene/schema_rows.h"

#define IS_PLANE BIT(TL_WALL_PLANE)
#define IS_BOX BIT(TL_WALL_BOX)
#define IS_SILO BIT(TL_WALL_SILO)
#define IS_HOPPER BIT(TL_WALL_HOPPER)
#define IS_WEDGE BIT(TL_WALL_WEDGE)
#define IS_DRUM BIT(TL_WALL_DRUM)
#define IS_REVOLVED BIT(TL_WALL_REVOLVED)
#define IS_EXTRUDED BIT(TL_WALL_EXTRUDED)
#define IS_MESH BIT(TL_WALL_MESH)
#define IS_RING BIT(TL_WALL_RING)
#define IS_ROUND (IS_SILO | IS_HOPPER | IS_DRUM)
#define UP_TO_STEEP 0, 1.5533, 0 /* 89 degrees */

#define ROW_STRUCT tl_scene_wall
static const tl_key rows_wall[] = {
    CHOICE("kind", kind, "plane|box|silo|hopper|wedge|drum|revolved|extruded|mesh|ring", NULL, 0,
           "see above"),
    PLAIN(TEXT, "name", name, "", 0, "for `grains.inside`, joints and `--set`"),
    NUMBERS(VECTOR, "position", position, LENGTH, "0 0 0", 0,
            "plane: a point of it; box, silo: centre of the floor; hopper, wedge: centre of the "
            "opening; drum: its centre"),
    PLAIN(TURN, "orientation", orientation, "1 0 0 0", 0, "about the position"),
    CHOICE("type", type, "fixed|kinematic", "fixed", 0, "with motions it is `kinematic` anyway"),
    PLAIN(TEXT, "material", material, "", 0, "by name; none: the first material"),
    INTEGER("group", group, "0", 0, 31, 0, "of collisions"),
    PLAIN(GROUPS, "collides", collides, "all", 0, "groups that it meets"),
    TABLE(LIST, "motions", motions, tl_schema_motion, "", 0, "how it moves"),
    TABLE(SECTION, "servo", servo, tl_schema_servo, "", 0, "a force that it follows"),
    REAL("until", until, TIME, "inf", FROM_0, 0, "time at which it is taken away: a gate"),
    NUMBERS(VECTOR, "normal", normal, NUMBER, "0 0 1", IS_PLANE, "points out of the solid"),
    RANGED(
        VECTOR, "size", size, LENGTH, NULL, ABOVE_0, IS_BOX | IS_WEDGE,
        "of the inside: width, depth, height (wedge: the height above the slopes); one number: all "
        "three"),
    SET("faces", faces, "left|right|front|back|bottom|top", "left right front back bottom", IS_BOX,
        "that are there: −x, +x, −y, +y, −z, +z"),
    REAL("thickness", thickness, LENGTH, "0", FROM_0, IS_BOX,
         "0: faces are planes without end; otherwise slabs that grains can spill over"),
    REAL("radius", radius, LENGTH, NULL, ABOVE_0, IS_ROUND | IS_RING, "of the inside"),
    INTEGER("plates", plates, "16", 3, 1000, IS_RING, "planes around the axis z"),
    REAL("height", height, LENGTH, NULL, ABOVE_0, IS_SILO | IS_HOPPER,
         "of the cylinder; hopper: above the cone"),
    REAL("length", length, LENGTH, NULL, ABOVE_0, IS_DRUM, "along its axis y"),
    REAL("opening", opening, LENGTH, NULL, FROM_0, IS_HOPPER | IS_WEDGE,
         "diameter of the hole; width of the slot; 0: closed"),
    RANGED(REAL, "angle", angle, ANGLE, "45 deg", UP_TO_STEEP, IS_HOPPER | IS_WEDGE,
           "of the slope from the horizontal; 0: a flat bottom"),
    PLAIN(BOOLEAN, "closed", closed, "true", IS_SILO | IS_DRUM,
          "silo: has a floor; drum: has ends (planes)"),
    INTEGER("lifters", lifters, "0", 0, 64, IS_DRUM, "bars along the inside"),
    REAL("lifter", lifter, LENGTH, "0", FROM_0, IS_DRUM, "height and width of a bar"),
    INTEGER("segments", segments, "64", 3, 4096, IS_ROUND | IS_REVOLVED,
            "flat pieces around a circle"),
    NUMBERS(PAIRS, "profile", profile, LENGTH, NULL, IS_REVOLVED | IS_EXTRUDED,
            "revolved: `[radius, z]`, turned about z; extruded: `[x, z]`, drawn along y"),
    REAL("length", length, LENGTH, "1", ABOVE_0, IS_EXTRUDED, "along y, half to each side"),
    PLAIN(BOOLEAN, "flip", flip, "false", IS_REVOLVED | IS_EXTRUDED | IS_MESH,
          "grains are on the other side of the faces"),
    PLAIN(TEXT, "file", file, NULL, IS_MESH,
          "STL (text or binary) or OBJ, from the scene's folder"),
    REAL("scale", scale, NUMBER, "1", ABOVE_0, IS_MESH, "times the file's numbers: metres"),
    CHOICE("holes", holes, "tell|allow|refuse", "tell", IS_MESH,
           "edges of one triangle alone, as at a hole or at the rim of a funnel: say so and go on, "
           "go on, or stop"),
};
SCHEMA(wall, "walls", "kind",
       "`plane`: a half-space. `box`: an open box. `silo`: an upright cylinder with a floor. "
       "`hopper`: a cone with a hole, a cylinder above. `wedge`: two slopes with a slot between, "
       "vertical sides above. `drum`: a lying cylinder. `revolved`, `extruded`: faces from a "
       "profile; going up along it, grains are on the left of an extruded one (towards −x) and "
       "towards the axis of a revolved one. `mesh`: triangles from a file, counter-clockwise seen "
       "from the grains. `ring`: planes around z that face the axis, each a wall `NAME0`, `NAME1` "
       "... of its own, with the ring's motions and servo.");
#undef ROW_STRUCT
