/* schema_bodies.c: shapes, parts, motions, bodies, joints, forces. */
#include "host/scene/schema_rows.h"

#define ROW_STRUCT tl_scene_shape
static const tl_key rows_shape[] = {
    CHOICE("shape", kind, "sphere|disk|box|capsule|cylinder|hull|polygon|clump", "sphere", 0,
           "`disk` and `polygon` are for plane worlds; the axis of `capsule` and `cylinder` is z"),
    REAL("radius", radius, LENGTH, NULL, ABOVE_0,
         BIT(TL_SHAPE_SPHERE) | BIT(TL_SHAPE_DISK) | BIT(TL_SHAPE_CAPSULE) | BIT(TL_SHAPE_CYLINDER),
         "of the shape"),
    REAL("radius", radius, LENGTH, "", ABOVE_0, BIT(TL_SHAPE_POLYGON),
         "of a regular polygon's corners, with `sides`"),
    REAL("length", length, LENGTH, NULL, ABOVE_0, BIT(TL_SHAPE_CAPSULE) | BIT(TL_SHAPE_CYLINDER),
         "capsule: between the centres of its caps; cylinder: all of it"),
    RANGED(VECTOR, "size", size, LENGTH, NULL, ABOVE_0, BIT(TL_SHAPE_BOX),
           "edge lengths; one number: of a cube"),
    NUMBERS(VECTORS, "points", points, LENGTH, NULL, BIT(TL_SHAPE_HULL),
            "at least four, not in one plane; their convex hull is the shape"),
    NUMBERS(PAIRS, "corners", corners, LENGTH, "", BIT(TL_SHAPE_POLYGON),
            "`[x, z]`, at least three; their convex hull is the shape"),
    INTEGER("sides", sides, "0", 0, 64, BIT(TL_SHAPE_POLYGON), "of a regular polygon"),
    TABLE(LIST, "parts", parts, tl_schema_part, NULL, BIT(TL_SHAPE_CLUMP),
          "shapes that make one rigid body; where they overlap, their masses add up"),
};
SCHEMA(shape, "A shape", "shape",
       "These keys stand beside the others of a body, part, grains or "
       "inlet.");
#undef ROW_STRUCT

#define ROW_STRUCT tl_scene_part
static const tl_key rows_part[] = {
    TABLE(INCLUDE, "a shape", shape, tl_schema_shape, "", 0, "any but a clump"),
    NUMBERS(VECTOR, "position", position, LENGTH, "0 0 0", 0, "from the body's origin"),
    PLAIN(TURN, "orientation", orientation, "1 0 0 0", 0, "in the body"),
    PLAIN(TEXT, "material", material, "", 0, "by name; none: that of the body"),
};
SCHEMA(part, "parts of a clump", NULL, NULL);
#undef ROW_STRUCT

#define IS_TABLE BIT(TALUS_MOTION_TABLE)
#define IS_SINUSOID BIT(TALUS_MOTION_SINUSOID)
#define ROW_STRUCT tl_scene_motion
static const tl_key rows_motion[] = {
    CHOICE("kind", kind, "velocity|spin|sinusoid|table", NULL, 0, "several motions add up"),
    NUMBERS(VECTOR, "velocity", vector, SPEED, NULL, BIT(TALUS_MOTION_VELOCITY), "constant"),
    NUMBERS(VECTOR, "spin", vector, SPIN, NULL, BIT(TALUS_MOTION_SPIN),
            "constant; its direction is the axis"),
    NUMBERS(VECTOR, "centre", centre, LENGTH, "", BIT(TALUS_MOTION_SPIN),
            "a point of the axis; none: the body's position"),
    NUMBERS(VECTOR, "amplitude", vector, LENGTH, NULL, IS_SINUSOID,
            "offset = amplitude · sin(2π · frequency · t + phase)"),
    REAL("frequency", frequency, RATE, NULL, ABOVE_0, IS_SINUSOID, "of the oscillation"),
    REAL("phase", phase, ANGLE, "0", ANY, IS_SINUSOID, "at time 0"),
    NUMBERS(REALS, "times", time, TIME, NULL, IS_TABLE, "ascending"),
    NUMBERS(VECTORS, "offsets", offset, LENGTH, NULL, IS_TABLE,
            "where the body is at these times, from its start; straight lines between"),
    REAL("begin", begin, TIME, "0", FROM_0, 0, "before it this motion rests"),
    REAL("end", end, TIME, "inf", FROM_0, 0, "after it this motion rests where it is"),
};
SCHEMA(motion, "motions", "kind", "A list, in a body of type `kinematic` or in a wall.");
#undef ROW_STRUCT

#define ROW_STRUCT tl_scene_servo
static const tl_key rows_servo[] = {
    REAL("force", force, FORCE, "0", FROM_0, 0, "with which contacts are to press against it"),
    REAL("pressure", pressure, PRESSURE, "0", FROM_0, 0, "instead: over its area"),
    NUMBERS(VECTOR, "axis", axis, NUMBER, "", 0,
            "the way in which it presses, of any length; none: the normal of a `plane`"),
    REAL("speed", speed, SPEED, NULL, ABOVE_0, 0, "it moves no faster"),
    REAL(
        "area", area, AREA, "0", FROM_0, 0,
        "for the pressure; 0: by `across`, or the convex hull of the points that press, seen along "
        "the axis, widened by the mean radius of the grains that touch"),
    PLAIN(TEXTS, "across", across, "", 0,
          "two pairs of bodies or walls that face each other across it, in a plane world one: the "
          "area is what lies between their positions"),
    {"gain", TL_KEY_REAL, AT(gain), TL_QUANTITY_NUMBER, "0.6", ABOVE_0_TO_1, 0, NULL, NULL,
     "share of the missing force that a step makes up for if nothing but the contacts at the plate "
     "gives way"},
};
SCHEMA(servo, "servo", NULL,
       "Moves a kinematic body or wall along an axis until contacts press against it as wanted; "
       "beside its motions. Contacts have to be soft (`world.softness`). Columns of scalars.csv: "
       "`servo_NAME_force`, `_pressure`, `_area`, `_travel`, `_speed`. How to: [load a sample by "
       "plates](../how-to/servo.md).");
#undef ROW_STRUCT

#define ROW_STRUCT tl_scene_body
static const tl_key rows_body[] = {
    PLAIN(TEXT, "name", name, "", 0, "for joints, forces, `output.track` and `--set`"),
    CHOICE("type", type, "free|fixed|kinematic", "free", 0,
           "`kinematic` moves as its motions say, whatever touches it"),
    TABLE(INCLUDE, "a shape", shape, tl_schema_shape, "", 0, NULL),
    NUMBERS(VECTOR, "position", position, LENGTH, "0 0 0", 0,
            "of the origin of its shape or parts; files and columns tell the centre of mass"),
    PLAIN(TURN, "orientation", orientation, "1 0 0 0", 0,
          "quaternion `[w, x, y, z]` or `{axis: [0, 0, 1], angle: 30 deg}`"),
    NUMBERS(VECTOR, "velocity", velocity, SPEED, "0 0 0", 0, "at the start"),
    NUMBERS(VECTOR, "spin", spin, SPIN, "0 0 0", 0, "at the start"),
    PLAIN(TEXT, "material", material, "", 0, "by name; none: the first material"),
    INTEGER("group", group, "0", 0, 31, 0, "of collisions"),
    PLAIN(GROUPS, "collides", collides, "all", 0,
          "groups that it meets, `[0, 2]`; both sides have to agree"),
    TABLE(LIST, "motions", motions, tl_schema_motion, "", 0, "type `kinematic` only"),
    TABLE(SECTION, "servo", servo, tl_schema_servo, "", 0,
          "type `kinematic` only: a force that it follows"),
    REAL("until", until, TIME, "inf", FROM_0, 0, "time at which it is taken away"),
};
SCHEMA(body, "bodies", NULL, NULL);
#undef ROW_STRUCT

#define TURNS BIT(TALUS_JOINT_HINGE)
#define SLIDES BIT(TALUS_JOINT_SLIDER)
#define STRETCHES BIT(TALUS_JOINT_DISTANCE)
#define SWINGS BIT(TALUS_JOINT_BALL)
#define ROW_STRUCT tl_scene_joint
static const tl_key rows_joint[] = {
    PLAIN(TEXT, "name", name, "", 0, "for `--set`"),
    CHOICE("kind", kind, "fixed|ball|hinge|slider|distance", NULL, 0,
           "what is left free: nothing, turning, turning about the axis, sliding along it, all but "
           "the distance"),
    PLAIN(TEXT, "a", a, NULL, 0, "name of a body or wall, or `world`"),
    PLAIN(TEXT, "b", b, NULL, 0, "name of a body or wall, or `world`"),
    NUMBERS(VECTOR, "point", point, LENGTH, NULL, 0, "where it sits; `distance`: the point of a"),
    NUMBERS(VECTOR, "point_b", point_b, LENGTH, NULL, STRETCHES, "the point of b"),
    NUMBERS(VECTOR, "axis", axis, NUMBER, NULL, TURNS | SLIDES, "a direction of any length"),
    NUMBERS(VECTOR, "axis", axis, NUMBER, "0 0 1", SWINGS, "the middle of the cone, with `swing`"),
    RANGED(PAIR, "limits", limits, ANGLE, "", ENDLESS, TURNS,
           "`[lower, upper]`, from the start; whole turns count; `inf` is none"),
    RANGED(PAIR, "limits", limits, LENGTH, "", ENDLESS, SLIDES,
           "`[lower, upper]`, from the start; `inf` is none"),
    RANGED(PAIR, "limits", limits, LENGTH, "", FROM_0, STRETCHES,
           "`[shortest, longest]`; a rope is `[0, length]`; none: a rod of the present length"),
    REAL("swing", limits[1], ANGLE, "", ABOVE_0, SWINGS, "how far it may lean from the axis"),
    REAL("restitution", restitution, NUMBER, "0", ZERO_TO_1, TURNS | SLIDES | STRETCHES | SWINGS,
         "of the stops"),
    REAL("rate", rate, SPIN, "", ANY, TURNS, "that a motor drives it to; with `target`: at most"),
    REAL("rate", rate, SPEED, "", ANY, SLIDES | STRETCHES,
         "that a motor drives it to; with `target`: at most"),
    REAL("target", target, ANGLE, "", ANY, TURNS, "to which a motor brings it"),
    REAL("target", target, LENGTH, "", ANY, SLIDES | STRETCHES, "to which a motor brings it"),
    REAL("response", response, TIME, "0", FROM_0, TURNS | SLIDES | STRETCHES,
         "in which the way to the `target` shrinks to 1/e; not below a step"),
    REAL("effort", effort, TORQUE, "inf", FROM_0, TURNS, "that the motor has at most"),
    REAL("effort", effort, FORCE, "inf", FROM_0, SLIDES | STRETCHES, "that the motor has at most"),
    REAL("friction", friction, TORQUE, "0", FROM_0, TURNS, "dry, in the joint"),
    REAL("friction", friction, FORCE, "0", FROM_0, SLIDES | STRETCHES, "dry, in the joint"),
    CHOICE("collide", collide, "auto|yes|no", "auto", 0,
           "whether a and b touch each other; `auto`: those of a `distance` do, others not"),
};
SCHEMA(joint, "joints", "kind",
       "Stops hold like contacts do. A motor has `rate` or `target`; where its effort does not "
       "suffice, it stalls. A `distance` needs `limits` for a motor or friction.");
#undef ROW_STRUCT

#define ROW_STRUCT tl_scene_force
static const tl_key rows_force[] = {
    PLAIN(TEXT, "body", body, NULL, 0, "name of a free body"),
    NUMBERS(VECTOR, "force", force, FORCE, "0 0 0", 0, "at the centre of mass, beside gravity"),
    NUMBERS(VECTOR, "torque", torque, TORQUE, "0 0 0", 0, NULL),
    REAL("begin", begin, TIME, "0", FROM_0, 0, NULL),
    REAL("end", end, TIME, "inf", FROM_0, 0, NULL),
};
SCHEMA(force, "forces", NULL, "Several on one body add up.");
#undef ROW_STRUCT
