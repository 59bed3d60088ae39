/* schema_world.c: the root of a scene file, and what belongs to the whole world: units, world,
 * materials, pairs, output, run. */
#include "host/io/frame_field.h"
#include "host/scene/schema_rows.h"

/* Words of the library's own lists; the order is that of the enumerators. */
#define WORD2(name, text) "|" text
#define WORD3(name, text, what) "|" text
#define WORD4(name, text, label, unit) "|" text

#define ROW_STRUCT tl_scene_units
static const tl_key rows_units[] = {
    PLAIN(TEXT, "length", base[TL_LENGTH], "m", 0, "of bare lengths, speeds, densities ..."),
    PLAIN(TEXT, "mass", base[TL_MASS], "kg", 0, "of bare densities, forces ..."),
    PLAIN(TEXT, "time", base[TL_TIME], "s", 0, "of bare times, speeds, frequencies ..."),
    PLAIN(TEXT, "angle", base[TL_ANGLE], "rad", 0, "of bare angles and angular velocities"),
};
SCHEMA(units, "units", NULL,
       "What numbers without a unit are in. Units beside a number (`5 cm`) need none of this.");
#undef ROW_STRUCT

#define ROW_STRUCT tl_scene_world
static const tl_key rows_world[] = {
    PLAIN(BOOLEAN, "plane", plane, "false", 0,
          "a world of disks and polygons: motion in the x-z plane only; vectors may be `[x, z]`"),
    NUMBERS(VECTOR, "gravity", gravity, ACCELERATION, "0 0 -9.81", 0, "any direction"),
    REAL("step", step, TIME, "0.001", ABOVE_0, 0, "the time step"),
    INTEGER("substeps", substeps, "1", 1, 1000000, 0, "a step is cut into so many"),
    CHOICE("law", law, &(TALUS_LAW_LIST(WORD2))[1], "coulomb", 0,
           "of friction: `coulomb` is exact, `ccp` convex: cheaper, and lifts sliding grains"),
    CHOICE("cone", cone, &(TALUS_CONE_LIST(WORD2))[1], "circular", 0,
           "of friction; `pyramid` (inscribed) and `box` (circumscribed) have flat faces, for "
           "methods that take them: exact, but seconds a step from 200 contacts on, at most 1024"),
    INTEGER("facets", facets, "4", 3, 64, 0, "of a pyramid"),
    REAL("facet_angle", facet_angle, ANGLE, "0", ANY, 0,
         "of the first edge of a pyramid or the axes of a box, in the plane of contact"),
    PLAIN(BOOLEAN, "facet_align", facet_align, "false", 0,
          "counts that angle from the way against sliding"),
    REAL("tolerance", tolerance, NUMBER, "0", FROM_0, 0,
         "error that each step's contact solve aims at; 0: 1e-4"),
    CHOICE(
        "on_miss", on_miss, "default|continue|halve|stop", "default", 0,
        "a step whose error stays above the tolerance: `continue` goes on with the best impulses; "
        "`halve` and `stop` do so up to `accept`, then try ten times the iterations, then cut "
        "the step in two or end the run. `default`: `halve` if `accept` is given, else `continue`"),
    REAL("accept", accept, NUMBER, "0", FROM_0, 0,
         "error above which `on_miss` acts; 0: ten times the tolerance"),
    REAL("penetration_limit", penetration_limit, NUMBER, "0.05", ABOVE_0, 0,
         "a pair may sink by this in a step, in radii of the smaller grain; beyond it the step is "
         "cut "
         "in two, up to four times, then the run ends"),
    REAL("velocity_scale", velocity_scale, SPEED, "0", FROM_0, 0,
         "contact velocities that are small: the error is relative to them where nothing presses; "
         "0: "
         "from gravity, step and motion"),
    CHOICE("method", method, &(TALUS_METHOD_LIST(WORD3))[1], "auto", 0,
           "of the contact solver; see `talus solve --help`"),
    CHOICE(
        "precision", precision, "f64|f32|auto", "auto", 0,
        "of the contact solver's iterations; positions are `f64`. `auto`: `f32` on a device whose "
        "double precision is slow (`talus info` says), else `f64`"),
    PLAIN(
        BOOLEAN, "islands", islands, "false", 0,
        "groups of up to 64 contacts that touch no others are solved directly, the rest as usual; "
        "method `auto`, precision `f64` or `auto`. Bonds, and joints without `brick_size`, have "
        "them anyway"),
    INTEGER("max_iterations", max_iterations, "0", 0, 1e15, 0,
            "per contact solve; 0: 200, or 2000 if the tolerance is below 1e-4 or there are bonds"),
    INTEGER(
        "certify", certify, "1", 0, 1e15, 0,
        "which steps the certificate judges: 1 every one, N every Nth, 0 none; solves that miss "
        "the tolerance always. The column `uncertified` names the others, whose `error` is the "
        "solver's own"),
    CHOICE("integrator", integrator, "euler|midpoint", "euler", 0,
           "`euler`: contacts at the old positions; `midpoint`: half a step ahead (Moreau), for "
           "bodies that move less than their radius in a step"),
    CHOICE(
        "stabilisation", stabilisation, "projection|bias|none", "projection", 0,
        "how penetration is undone: by moving positions, by the capped bias gap/step, not at all"),
    CHOICE("restitution", restitution, "newton|poisson", "newton", 0, "law of impact"),
    CHOICE(
        "softness", softness, "rigid|auto", "rigid", 0,
        "contacts of materials without `stiffness` and `young`: `auto` are springs as stiff as the "
        "step allows without costing more passes for more grains"),
    REAL("restitution_speed", restitution_speed, SPEED, "0", FROM_0, 0,
         "slower impacts are plastic; 0: twice gravity times step, or what the stress that a cell "
         "follows gives a grain in two steps"),
    REAL("slop", slop, NUMBER, "2e-4", FROM_0, 0,
         "penetration that is left alone, in radii of the smaller grain"),
    REAL("margin", margin, NUMBER, "0.02", FROM_0, 0,
         "gap below which contacts are considered, in radii; speed times step is added"),
    REAL("bias_cap", bias_cap, SPEED, "0.6", FROM_0, 0, "cap of the bias, stabilisation `bias`"),
    CHOICE("overlap", overlap, "refuse|resolve|ignore", "refuse", 0,
           "bodies that overlap at the start: name the pair and stop, push them apart, or go on"),
    INTEGER("seed", seed, "1", 0, 9e15, 0, "of all random numbers"),
    REAL("brick_size", brick_size, LENGTH, "0", FROM_0, 0,
         "edge of the bricks by which steps are solved: several processes (`mpirun`) then iterate "
         "together, with the results of one; some eight grain diameters. 0: none"),
};
SCHEMA(world, "world", NULL, NULL);
#undef ROW_STRUCT

#define ROW_STRUCT tl_scene_material
static const tl_key rows_material[] = {
    REAL("density", density, DENSITY, "2500", ABOVE_0, 0,
         "in a plane world of a slice one metre thick"),
    RANGED(REAL, "friction", friction, NUMBER, "0.5", FRICTION, 0,
           "a pair takes the smaller of the two"),
    RANGED(REAL, "restitution", restitution, NUMBER, "0", ZERO_TO_1, 0,
           "a pair takes the larger of the two"),
    REAL("pull_off", pull_off, FORCE, "0", FROM_0, 0,
         "force that holds two touching shapes together; a pair takes the smaller of the two"),
    REAL("surface_energy", surface_energy, SURFACE_ENERGY, "0", FROM_0, 0,
         "pull-off force by size: 1.5 π w R (`jkr`) or 2 π w R (`dmt`), w = 2 √(γ γ'), 1/R = 1/r + "
         "1/r'"),
    CHOICE("adhesion", adhesion, "jkr|dmt", "jkr", 0,
           "`jkr` for soft grains, `dmt` for hard ones; a pair is `dmt` if both are"),
    REAL("surface_tension", surface_tension, SURFACE_TENSION, "0", FROM_0, 0,
         "of the liquid in bridges between grains that have touched; a pair takes the larger"),
    REAL("bridge_volume", bridge_volume, VOLUME, "0", FROM_0, 0,
         "of liquid in each bridge; a pair takes the larger"),
    RANGED(REAL, "contact_angle", contact_angle, ANGLE, "0", QUARTER_TURN, 0,
           "of the liquid; a pair takes the larger"),
    REAL("stiffness", stiffness, STIFFNESS, "0", FROM_0, 0,
         "of contacts as linear springs, N/m; 0: rigid, unless `young` or `softness` says "
         "otherwise; "
         "a pair takes the smaller one given"),
    REAL(
        "young", young, PRESSURE, "0", FROM_0, 0,
        "Young's modulus: contacts after Hertz and Mindlin; 0: rigid, as above; a material without "
        "is rigid beside one that has it"),
    RANGED(REAL, "poisson", poisson, NUMBER, "0.25", POISSON, 0, "Poisson's ratio, with `young`"),
    PLAIN(BOOLEAN, "rigid", rigid, "false", 0,
          "contacts between two such materials are rigid, whatever `world.softness` says; beside "
          "another material the other decides; not with `stiffness`, `young`"),
    RANGED(
        REAL, "rolling_friction", rolling_friction, LENGTH, "0", FRICTION, 0,
        "contacts resist rolling by a torque of up to this length times the normal force; a pair "
        "takes the smaller length"),
    RANGED(REAL, "spinning_friction", spinning_friction, LENGTH, "0", FRICTION, 0,
           "the same against spinning about the normal"),
    RANGED(REAL, "rolling_fraction", rolling_fraction, NUMBER, "0", FRICTION, 0,
           "`rolling_friction` as a fraction of the reduced radius R, 1/R = 1/r + 1/r'; not both"),
    RANGED(REAL, "spinning_fraction", spinning_fraction, NUMBER, "0", FRICTION, 0,
           "`spinning_friction` likewise"),
    RANGED(REAL, "cross_friction", cross_friction, NUMBER, "0", FRICTION, 0,
           "friction across `friction_direction`, along which `friction` holds; 0: the same in all "
           "directions"),
    NUMBERS(VECTOR, "friction_direction", friction_direction, NUMBER, "0 0 0", 0,
            "in the frame of the body"),
};
SCHEMA(material, "materials", NULL,
       "A map: name of the material → its keys. The first one is everybody's default; without any "
       "there is one of the defaults below, called `default`.");
#undef ROW_STRUCT

#define ROW_STRUCT tl_scene_pair
static const tl_key rows_pair[] = {
    PLAIN(TEXTS, "between", between, NULL, 0, "names of two materials"),
    RANGED(REAL, "friction", friction, NUMBER, NULL, FRICTION, 0, "between the two"),
    RANGED(REAL, "restitution", restitution, NUMBER, "0", ZERO_TO_1, 0, "between the two"),
};
SCHEMA(pair, "pairs", NULL,
       "A list: what two materials do to each other, instead of the rules above.");
#undef ROW_STRUCT

#define ROW_STRUCT tl_scene_cell
static const tl_key rows_cell[] = {
    SET("periodic", periodic, "x|y|z", "x y z", 0,
        "directions in which the cell repeats itself; in the plane `[x, z]`"),
    NUMBERS(VECTOR, "lower", lower, LENGTH, NULL, 0, "its corner with the lowest coordinates"),
    NUMBERS(VECTOR, "upper", upper, LENGTH, NULL, 0, "the opposite one"),
    NUMBERS(VECTOR, "rate", rate, RATE, "0 0 0", 0,
            "of stretching along x, y, z; below 0 it is compressed"),
    NUMBERS(VECTOR, "shear", shear, RATE, "0 0 0", 0,
            "rates xy, xz, yz of simple shear (Lees and Edwards): dvx/dy, dvx/dz, dvy/dz"),
    SET("servo", servo, "x|y|z|xy|xz|yz", "", 0,
        "sides that follow `stress` instead of `rate`, and shears that follow `shear_stress` "
        "instead "
        "of `shear`; contacts have to be soft (`world.softness`)"),
    NUMBERS(VECTOR, "stress", stress, PRESSURE, "0 0 0", 0,
            "normal stresses that they are to carry, compression above 0"),
    NUMBERS(
        VECTOR, "shear_stress", shear_stress, PRESSURE, "0 0 0", 0,
        "stresses xy, xz, yz likewise, with the sign of the columns `stress_*`: below 0 to shear "
        "by a rate above 0"),
    REAL("rate_limit", rate_limit, RATE, "10", ABOVE_0, 0, "rates with a servo are no faster"),
};
SCHEMA(
    cell, "cell", NULL,
    "A periodic cell: what leaves it comes back on the other side, contacts reach across. Grains "
    "without a `region` fill it. Joints and bonds reach across; "
    "not with mechanisms.");
#undef ROW_STRUCT

#define ROW_STRUCT tl_scene_output
static const tl_key rows_output[] = {
    REAL("every", every, TIME, "0", FROM_0, 0,
         "between frames and lines of the CSV file, rounded to whole steps (and told); 0: a "
         "hundredth "
         "of the run"),
    PLAIN(BOOLEAN, "frames", frames, "true", 0, "ParaView files"),
    PLAIN(BOOLEAN, "contacts", contacts, "true", 0, "contacts with normal and force in the frames"),
    PLAIN(TEXTS, "columns", columns, "", 0,
          "of the CSV file; none: all. A run's scalars.csv names them"),
    PLAIN(TEXTS, "track", track, "", 0,
          "bodies by name: their positions and velocities become columns"),
    PLAIN(TEXTS, "forces", forces, "", 0,
          "bodies, walls or links by name: the sum of the contact forces on each, and their torque "
          "about its centre of mass (fixed and kinematic ones: about their `position`), become "
          "columns"),
    TABLE(
        SECTION, "region", region, tl_schema_region, "", 0,
        "where packing fraction and stress are measured; none: the convex space that the contacts "
        "of grains bound"),
    TABLE(LIST, "measure", measure, tl_schema_measure, "", 0,
          "what is measured of every frame; `talus measure` does the same afterwards"),
    REAL("checkpoint", checkpoint, TIME, "0", FROM_0, 0,
         "between checkpoints; 0: one at the end of the run"),
    INTEGER("keep", keep, "3", 1, 1000000, 0, "so many checkpoints, the newest"),
    PLAIN(BOOLEAN, "packing", packing, "false", 0,
          "with each checkpoint the free bodies as tables, packing.csv and packing.vtp (ParaView): "
          "place, radius, orientation, velocity, shape, material; clumps and hulls are left out, "
          "and the "
          "end of the run says how many"),
    PLAIN(BOOLEAN, "pictures", pictures, "false", 0,
          "PNG pictures of all frames when the run ends (`talus render` makes them at any time)"),
    PLAIN(BOOLEAN, "movie", movie, "false", 0,
          "of all frames when the run ends, by ffmpeg; where that is not installed the run says so "
          "at its end, and is complete but for it (`talus render DIR --movie` fails then)"),
    CHOICE("colour", colour, &(TL_FIELD_LIST(WORD4))[1], "speed", 0,
           "what colours the grains of pictures"),
    REAL("azimuth", azimuth, ANGLE, "", ANY, 0, "of the eye of pictures; none: −58 deg"),
    REAL("elevation", elevation, ANGLE, "", ANY, 0, "of the eye of pictures; none: 22 deg"),
    INTEGER("width", width, "1280", 16, 16384, 0, "of pictures, pixels"),
    INTEGER("height", height, "960", 16, 16384, 0, "of pictures, pixels"),
};
SCHEMA(output, "output", NULL, NULL);
#undef ROW_STRUCT

#define ROW_STRUCT tl_scene_run
static const tl_key rows_run[] = {
    REAL("time", time, TIME, "1", FROM_0, 0, "simulated time at which the run ends"),
    INTEGER("steps", steps, "0", 0, 9e15, 0,
            "ends the run after so many steps instead; 0: by time"),
};
SCHEMA(run, "run", NULL, NULL);
#undef ROW_STRUCT

#define ROW_STRUCT tl_scene_definition
static const tl_key rows_root[] = {
    PLAIN(TEXT, "title", title, "", 0, "a line about the scene"),
    PLAIN(TEXT, "folder", folder, "", 0,
          "where files with relative names are, from the scene's own folder, the default; the copy "
          "of a scene in a run's folder has it"),
    TABLE(SECTION, "units", units, tl_schema_units, "", 0, "of bare numbers"),
    TABLE(SECTION, "world", world, tl_schema_world, "", 0, "gravity, time step, contact law"),
    TABLE(SECTION, "cell", cell, tl_schema_cell, "", 0, "a part of space that repeats itself"),
    TABLE(MAP, "materials", materials, tl_schema_material, "", 0, "density, friction, restitution"),
    TABLE(LIST, "pairs", pairs, tl_schema_pair, "", 0, "of materials that behave differently"),
    TABLE(LIST, "walls", walls, tl_schema_wall, "", 0, "containers, floors, drums, meshes"),
    TABLE(LIST, "bodies", bodies, tl_schema_body, "", 0, "one by one"),
    TABLE(LIST, "grains", grains, tl_schema_grains, "", 0, "by the thousand"),
    TABLE(LIST, "joints", joints, tl_schema_joint, "", 0, "between bodies"),
    TABLE(LIST, "bonds", bonds, tl_schema_bonds, "", 0, "glue that breaks"),
    TABLE(LIST, "mechanisms", mechanisms, tl_schema_mechanism, "", 0,
          "robots and linkages, in the coordinates of their joints"),
    TABLE(LIST, "forces", forces, tl_schema_force, "", 0, "on bodies"),
    TABLE(LIST, "inlets", inlets, tl_schema_inlet, "", 0, "add grains during the run"),
    TABLE(LIST, "outlets", outlets, tl_schema_outlet, "", 0, "remove grains during the run"),
    TABLE(LIST, "stages", stages, tl_schema_stage, "", 0, "what changes during the run"),
    TABLE(SECTION, "output", output, tl_schema_output, "", 0, "files of a run"),
    TABLE(SECTION, "run", run, tl_schema_run, "", 0, "when it ends"),
};
SCHEMA(root, "The file", NULL,
       "Every section may be left out, but not all: a file with nothing in it is refused.");
#undef ROW_STRUCT
