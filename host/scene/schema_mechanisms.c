/* schema_mechanisms.c: mechanisms, their links, loops, and the drives of robot files. */
#include "host/scene/schema_rows.h"

#define TURNS BIT(TALUS_LINK_REVOLUTE)
#define SLIDES BIT(TALUS_LINK_PRISMATIC)
#define BENDS BIT(TALUS_LINK_UNIVERSAL)
#define FLIES BIT(TALUS_LINK_FREE)
#define GLIDES BIT(TALUS_LINK_PLANAR)
#define SWIVELS BIT(TALUS_LINK_SPHERICAL)

/* A joint's drive in the angular and in the linear form: the same keys of a link and of a robot
 * file's joint, each in its own struct (prefix). */
#define DRIVE_ROWS(prefix, turns, slides)                                                         \
  REAL("start", prefix start, ANGLE, "0", ANY, turns, "where it begins"),                         \
      REAL("start", prefix start, LENGTH, "0", ANY, slides, "where it begins"),                   \
      RANGED(PAIR, "limits", prefix limits, ANGLE, "", ENDLESS, turns,                            \
             "`[lower, upper]`; `inf` is none"),                                                  \
      RANGED(PAIR, "limits", prefix limits, LENGTH, "", ENDLESS, slides,                          \
             "`[lower, upper]`; `inf` is none"),                                                  \
      REAL("rate", prefix rate, SPIN, "", ANY, turns,                                             \
           "that a motor drives it to; with a target: at most"),                                  \
      REAL("rate", prefix rate, SPEED, "", ANY, slides,                                           \
           "that a motor drives it to; with a target: at most"),                                  \
      REAL("target", prefix target, ANGLE, "", ANY, turns, "to which a motor brings it"),         \
      REAL("target", prefix target, LENGTH, "", ANY, slides, "to which a motor brings it"),       \
      NUMBERS(REALS, "times", prefix times, TIME, "", turns | slides, "ascending, of `targets`"), \
      NUMBERS(REALS, "targets", prefix targets, ANGLE, "", turns,                                 \
              "to which a motor brings it at these `times`, straight lines between"),             \
      NUMBERS(REALS, "targets", prefix targets, LENGTH, "", slides,                               \
              "to which a motor brings it at these `times`, straight lines between"),             \
      REAL("response", prefix response, TIME, "0", FROM_0, turns | slides,                        \
           "in which the way to the target shrinks to 1/e; not below a step"),                    \
      REAL("effort", prefix effort, TORQUE, "inf", FROM_0, turns, "that the motor has at most"),  \
      REAL("effort", prefix effort, FORCE, "inf", FROM_0, slides, "that the motor has at most")

#define ROW_STRUCT tl_scene_link
static const tl_key rows_link[] = {
    PLAIN(TEXT, "name", name, NULL, 0, "joints, forces and `track` call it `mechanism.link`"),
    CHOICE("kind", kind, "revolute|prismatic|universal|spherical|free|planar", "revolute", 0,
           "of the joint that hangs it on its parent"),
    PLAIN(TEXT, "parent", parent, "base", 0, "another link, in any order, or `base`"),
    NUMBERS(VECTOR, "position", position, LENGTH, "0 0 0", 0, "of the joint in the parent's frame"),
    PLAIN(TURN, "orientation", orientation, "1 0 0 0", 0, "of the joint in the parent's frame"),
    NUMBERS(VECTOR, "axis", axis, NUMBER, "0 0 1", TURNS | SLIDES | BENDS | GLIDES | SWIVELS,
            "in the joint's frame, of any length; `planar`: across the plane; `spherical`: of "
            "`swing` and `twist`"),
    NUMBERS(VECTOR, "axis2", axis2, NUMBER, "1 0 0", BENDS | GLIDES,
            "the second axis; `planar`: the first way"),
    REAL("mass", mass, MASS, "", ABOVE_0, 0, "none: that of its shapes, with centre and inertia"),
    NUMBERS(VECTOR, "centre", centre, LENGTH, "", 0, "of mass, in the link's frame; with `mass`"),
    RANGED(VECTOR, "inertia", inertia, INERTIA, "", ABOVE_0, 0,
           "about the centre of mass and the link's axes; with `mass`"),
    TABLE(LIST, "shapes", shapes, tl_schema_part, "", 0,
          "in the link's frame; none: it touches nothing"),
    PLAIN(TEXT, "material", material, "", 0, "of its shapes; none: that of the mechanism"),
    DRIVE_ROWS(drive., TURNS, SLIDES),
    RANGED(PAIR, "limits", drive.limits, ANGLE, "", ENDLESS, BENDS,
           "`[lower, upper]` of the first angle; `inf` is none"),
    RANGED(PAIR, "limits2", limits2, ANGLE, "", ENDLESS, BENDS, "of the second angle"),
    REAL("start", drive.start, ANGLE, "0", ANY, BENDS, "of the first angle"),
    REAL("start2", start2, ANGLE, "0", ANY, BENDS, "of the second angle"),
    REAL("rate", drive.rate, SPIN, "", ANY, BENDS,
         "of the first angle, that a motor drives it to; with a target: at most"),
    REAL("rate2", rate2, SPIN, "0", ANY, BENDS, "of the second angle; with `rate`"),
    REAL("target", drive.target, ANGLE, "", ANY, BENDS, "to which a motor brings the first angle"),
    REAL("target2", target2, ANGLE, "0", ANY, BENDS, "of the second angle; with `target`"),
    REAL("response", drive.response, TIME, "0", FROM_0, BENDS,
         "in which the way to the targets shrinks to 1/e; not below a step"),
    NUMBERS(VECTOR, "rates", rates, SPIN, "", SWIVELS,
            "angular velocity that a motor drives it to, in the joint's frame"),
    REAL("effort", drive.effort, TORQUE, "inf", FROM_0, BENDS | SWIVELS,
         "that the motor has at most, about each axis"),
    REAL("swing", swing, ANGLE, "", ABOVE_0, SWIVELS,
         "how far its axis may lean from where it began"),
    RANGED(PAIR, "twist", twist, ANGLE, "", ENDLESS, SWIVELS,
           "`[lower, upper]` of the turn about its axis, less than a turn apart"),
    REAL("friction", friction, TORQUE, "0", FROM_0, TURNS | BENDS | SWIVELS, "dry, in the joint"),
    REAL("friction", friction, FORCE, "0", FROM_0, SLIDES, "dry, in the joint"),
    REAL("damping", damping, TURN_DAMPING, "0", FROM_0, TURNS | BENDS | SWIVELS,
         "torque per angular velocity"),
    REAL("damping", damping, DAMPING, "0", FROM_0, SLIDES, "force per velocity"),
    NUMBERS(VECTOR, "velocity", velocity, SPEED, "0 0 0", FLIES, "at the start"),
    NUMBERS(VECTOR, "spin", spin, SPIN, "0 0 0", FLIES, "at the start"),
    INTEGER("group", group, "0", 0, 31, 0, "of collisions"),
    PLAIN(GROUPS, "collides", collides, "all", 0, "groups that it meets; both sides have to agree"),
};
SCHEMA(
    link, "links", "kind",
    "A link's frame lies on its joint's while the joint is at zero, and moves with it. A motor has "
    "`rate` (`spherical`: `rates`), `target`, or `times` and `targets`; where its effort does not "
    "suffice, it stalls.");
#undef ROW_STRUCT

#define ROW_STRUCT tl_scene_loop
static const tl_key rows_loop[] = {
    PLAIN(TEXT, "a", a, NULL, 0, "a link, or `base`: the world"),
    PLAIN(TEXT, "b", b, NULL, 0, "a link, or `base`: the world"),
    NUMBERS(VECTOR, "point_a", point_a, LENGTH, "0 0 0", 0, "in the frame of a"),
    NUMBERS(VECTOR, "point_b", point_b, LENGTH, "0 0 0", 0, "in the frame of b"),
    NUMBERS(
        VECTORS, "directions", directions, NUMBER, "", 0,
        "in the frame of a, up to three of length 1, along which the points stay together; not "
        "given: "
        "all, `[]`: none, with `turns`. Across the plane of a plane loop there is nothing to hold"),
    NUMBERS(VECTORS, "turns", turns, NUMBER, "", 0,
            "in the frame of a, up to three of length 1, about which b does not turn"),
    PLAIN(TURN, "orientation", orientation, "1 0 0 0", 0,
          "of b's frame in a's when closed; with `turns`"),
};
SCHEMA(loop, "loops", NULL, "A list: where the tree of links is closed.");
#undef ROW_STRUCT

#define ROW_STRUCT tl_scene_drive
static const tl_key rows_drive[] = {
    PLAIN(TEXT, "joint", joint, NULL, 0, "its name in the robot file"),
    CHOICE("kind", kind, "revolute|prismatic", "revolute", 0, "of the joint"),
    DRIVE_ROWS(, BIT(0), BIT(1)),
};
SCHEMA(
    drive, "drives", "kind",
    "A list, with `urdf`: starts, limits and motors of its joints. Limits and effort that are not "
    "given here are the robot file's.");
#undef ROW_STRUCT

#define ROW_STRUCT tl_scene_mechanism
static const tl_key rows_mechanism[] = {
    PLAIN(TEXT, "name", name, "", 0, "`name.link` is a body for joints, forces and `track`"),
    PLAIN(TEXT, "urdf", urdf, "", 0, "a robot file, seen from the scene's; instead of `links`"),
    NUMBERS(VECTOR, "position", position, LENGTH, "0 0 0", 0, "of the base"),
    PLAIN(TURN, "orientation", orientation, "1 0 0 0", 0, "of the base"),
    PLAIN(BOOLEAN, "floating", floating, "false", 0, "with `urdf`: its root link moves freely"),
    PLAIN(BOOLEAN, "self_collide", self_collide, "true", 0,
          "links that are not neighbours touch each other"),
    PLAIN(TEXT, "base", base, "", 0,
          "with `links`: name of the fixed body or wall it stands on: its neighbour, which the "
          "links on "
          "`base` do not touch"),
    PLAIN(TEXT, "material", material, "", 0, "by name; none: the first material"),
    TABLE(LIST, "links", links, tl_schema_link, "", 0, "and the joints that carry them"),
    TABLE(LIST, "loops", loops, tl_schema_loop, "", 0, "that close the tree"),
    TABLE(LIST, "drives", drives, tl_schema_drive, "", 0, "of a robot file's joints"),
};
SCHEMA(
    mechanism, "mechanisms", NULL,
    "A list. A mechanism has the coordinates of its joints: nothing holds its links together but "
    "arithmetic, so that joints never drift and motors are exact. With one in the scene a step "
    "costs "
    "as much as with grains that are no spheres.");
#undef ROW_STRUCT
