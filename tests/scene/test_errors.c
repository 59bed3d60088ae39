/* test_errors.c: every class of mistake in a scene file is refused, with its line and with words
 * that help. */
#include <stdio.h>
#include <string.h>

#include "tests/check.h"
#include "tests/scene/scene_text.h"

typedef struct mistake {
  const char *text;
  int line;          /* 0: the message has no line */
  const char *words; /* part of the message */
  int when_built;    /* found only when the world is made */
} mistake;

static const mistake mistakes[] = {
    /* not YAML */
    {"world: [1, 2\nrun: {time: 1}\n", 2, "not YAML", 0},
    {"- a\n- b\n", 1, "a scene is a map of sections", 0},
    {"world: {step: 1 ms}\n---\nworld: {step: 2 ms}\n", 3, "second document", 0},
    {"world: {step: 1 ms}\n---\n", 3, "second document", 0},
    {"world: {step: 1 ms}\n...\ngarbage\n", 3, "not YAML", 0},
    {"world: {step: 1 ms}\n...\n[\n", 3, "not YAML", 0},
    {"world: {step: 1 ms}\n...\n---\nworld: {step: 2 ms}\n", 4, "second document", 0},
    {"a: &x [*x]\n", 1, "an alias inside itself", 0},
    {"a: 1\nb: *x\n", 2, "names no anchor", 0},
    {"a: &x 1\nb: &x 2\n", 2, "for the second time", 0},
    {"a: &x [1, 1, 1, 1, 1, 1, 1, 1]\nb: &y [*x, *x, *x, *x, *x, *x, *x, *x]\n"
     "c: &z [*y, *y, *y, *y, *y, *y, *y, *y]\nd: &u [*z, *z, *z, *z, *z, *z, *z, *z]\n"
     "e: &v [*u, *u, *u, *u, *u, *u, *u, *u]\nf: &w [*v, *v, *v, *v, *v, *v, *v, *v]\n"
     "g: [*w, *w, *w, *w, *w, *w, *w, *w]\n",
     7, "more than a million", 0},
    /* nothing at all */
    {"", 1, "no scene", 0},
    {"# a comment\n", 1, "no scene", 0},
    {"{}\n", 1, "no scene", 0},
    {"---\n...\n", 2, "no scene", 0},
    {"~\n", 1, "no scene", 0},
    {"world:\n  step: 1 ms\n  step: 2 ms\n", 3, "for the second time (first in line 2)", 0},
    {"? [a, b]\n: 1\n", 1, "a key has to be a word", 0},
    /* unknown keys */
    {"wrld:\n  step: 1 ms\n", 1, "unknown key 'wrld' in the file (did you mean world?)", 0},
    {"world:\n  stepp: 1 ms\n", 2, "unknown key 'stepp' in world (did you mean step?)", 0},
    {"world:\n  frobnicate: 1\n", 2, "(there are: plane|gravity", 0},
    {"walls:\n  - kind: plane\n  - kind: box\n    size: [1, 1, 1]\n    radus: 2\n", 5,
     "unknown key 'radus' in walls[1]", 0},
    {"materials:\n  glass: {densty: 2500}\n", 2, "in materials.glass (did you mean density?)", 0},
    /* keys of another kind, and missing ones */
    {"walls:\n  - kind: box\n    size: [1, 1, 1]\n    radius: 2\n", 4,
     "'radius' in walls[0] is only for kind: silo, hopper, drum", 0},
    {"bodies:\n  - shape: box\n    radius: 1\n    size: 1\n", 3, "is only for shape:", 0},
    {"walls:\n  - kind: silo\n    radius: 1\n", 2, "walls[0] lacks the key 'height'", 0},
    {"walls:\n  - size: 1\n", 2, "needs the key 'kind': one of plane|box", 0},
    {"bodies:\n  - position: [0, 0, 0]\n", 2, "lacks the key 'radius'", 0},
    /* types */
    {"world: 5\n", 1, "world wants keys with values, not a single value", 0},
    {"world:\n  step: fast\n", 2, "world.step wants a time, not 'fast'", 0},
    {"world:\n  step: [1, 2]\n", 2, "world.step wants a time, not a list", 0},
    {"world:\n  step: {a: 1}\n", 2, "not a map of keys", 0},
    {"world:\n  gravity: 9.81\n", 2, "wants a list of 3 numbers, not '9.81'", 0},
    {"world:\n  gravity: [0, -9.81]\n", 2, "wants a list of 3 numbers, not of 2", 0},
    {"world:\n  substeps: 1.5\n", 2, "wants a whole number, not '1.5'", 0},
    {"world:\n  plane: maybe\n", 2, "wants true or false, not 'maybe'", 0},
    {"world:\n  law: coulom\n", 2, "one of coulomb|ccp (did you mean coulomb?)", 0},
    {"world:\n  cone: pyramide\n", 2, "one of circular|pyramid|box (did you mean pyramid?)", 0},
    {"world:\n  cone: pyramid\n  facets: 2\n", 3, "has to lie between 3 and 64", 0},
    {"world:\n  cone: pyramid\n  method: apgd\n", 2, "takes settings.cone circular, not pyramid",
     1},
    {"walls:\n  - kind: box\n    size: 1\n    faces: [left, rihgt]\n", 4, "did you mean right?", 0},
    {"bodies: 3\n", 1, "bodies wants a list of maps", 0},
    {"materials: [a]\n", 1, "wants a map: name, then keys", 0},
    {"bodies:\n  - radius: 1\n    collides: [0, 32]\n", 3, "has to lie between 0 and 31", 0},
    {"bodies:\n  - radius: 1\n    orientation: [0, 0, 0, 0]\n", 3, "length 0", 0},
    {"bodies:\n  - radius: 1\n    orientation: {axis: [0, 0, 1]}\n", 3, "lacks the key 'angle'", 0},
    {"title: [a]\n", 1, "title wants a text", 0},
    /* periodic cells */
    {"cell: {lower: [0, 0, 0]}\n", 1, "upper", 0},
    {"cell: {lower: [0, 0, 0], upper: [1, 1, 0]}\n", 1, "edges must be above 0", 1},
    {"cell: {lower: [0, 0, 0], upper: [1, 1, 1], periodic: [w]}\n", 1, "w", 0},
    {"cell: {lower: [0, 0, 0], upper: [1, 1, 1], periodic: [x], rate: [0, 1, 0]}\n", 1,
     "not periodic", 1},
    {"cell: {lower: [0, 0, 0], upper: [1, 1, 1], shear: [0, 1 m, 0]}\n", 1, "wants a rate", 0},
    /* cohesion */
    {"materials:\n  wet: {surface_energy: 5 N}\n", 2, "wants a surface energy (J/m2)", 0},
    {"materials:\n  wet: {pull_off: -1 mN}\n", 2, "materials.wet.pull_off", 0},
    {"materials:\n  wet: {contact_angle: 120 deg}\n", 2, "contact_angle", 0},
    {"materials:\n  wet: {bridge_volume: 1 nl}\n", 2, "need both bridge_volume and", 0},
    {"materials:\n  ball:\n    friction: 2e6\n", 3,
     "materials.ball.friction is '2e6' and has to lie between 0 and 1e+06", 0},
    {"materials:\n  a: {}\n  b: {}\npairs:\n  - {between: [a, b], friction: 2e6}\n", 5,
     "pairs[0].friction is '2e6' and has to lie between", 0},
    {"materials:\n  plate: {friction_direction: [1, 0, 0], cross_friction: 1e7}\n", 2,
     "materials.plate.cross_friction", 0},
    {"materials:\n  a: {}\n  soft: {stiffness: 1e-200 N/m}\n", 3,
     "stiffness is 1e-200, and must be 0 or in 1e-100 .. 1e+100", 1},
    {"materials:\n  ball: {rolling_friction: -1 mm}\n", 2, "materials.ball.rolling_friction", 0},
    {"materials:\n  ball: {spinning_friction: .nan}\n", 2, "spinning_friction", 0},
    {"materials:\n  ball: {rolling_friction: 5 kg}\n", 2, "a length", 0},
    {"materials:\n  ball: {rolling_friction: 1 mm,\n    rolling_fraction: 0.1}\n", 3,
     "exclude each other", 0},
    {"materials:\n  plate: {cross_friction: 0.2}\n", 2, "needs a friction_direction", 0},
    {"materials:\n  soft: {stiffness: 1e5 N/m, young: 1 MPa}\n", 2, "exclude each other", 0},
    {"materials:\n  soft: {stiffness: -1 N/m}\n", 2, "stiffness", 0},
    {"materials:\n  hard:\n    stiffness: 1e5 N/m\n    rigid: true\n", 4,
     "materials.hard.rigid: a rigid material has no stiffness", 0},
    {"materials:\n  hard: {young: 1 GPa, rigid: true}\n", 2, "has no young", 0},
    {"materials:\n  soft: {young: 5 N/m}\n", 2, "a pressure", 0},
    {"materials:\n  soft: {young: 1 GPa, poisson: 0.6}\n", 2, "poisson", 0},
    {"world: {softness: soft}\n", 1, "softness", 0},
    /* bonds */
    {"grains:\n  - {kind: lattice, name: g, radius: 1, counts: [3, 1, 1]}\nbonds:\n"
     "  - {grains: [h], young: 1 MPa}\n",
     4, "no section of grains is called 'h'", 0},
    {"bodies:\n  - {name: a, radius: 1}\nbonds:\n  - {bodies: [a, c], young: 1 MPa}\n", 4,
     "called 'c'", 0},
    {"bodies:\n  - {name: a, radius: 1}\nbonds:\n  - {materials: [glue], young: 1 MPa}\n", 4,
     "no material is called 'glue'", 0},
    {"bonds:\n  - {young: -1 Pa}\n", 2, "bonds[0].young", 0},
    {"bonds:\n  - {young: 1 MPa, tensile_strength: 5 N}\n", 2, "wants a pressure (Pa)", 0},
    {"bonds:\n  - {young: 1 MPa, bending_limit: 5 N}\n", 2, "wants a torque (N m)", 0},
    {"bonds:\n  - {normal_stiffness: nan}\n", 2, "wants a stiffness, not 'nan'", 0},
    {"bonds:\n  - {tensile_strength: 1 MPa}\n", 2, "bonds need a stiffness", 0},
    {"bodies:\n  - {name: a, radius: 1}\n  - {name: b, radius: 1, position: [2.1, 0, 0]}\nbonds:\n"
     "  - {bodies: [a, b], young: 1 MPa}\n",
     5, "they do not touch (centres 2.1 m apart", 1},
    {"bodies:\n  - {name: a, radius: 1}\n  - {name: b, radius: 1, position: [2.1, 0, 0]}\nbonds:\n"
     "  - {materials: [default], young: 1 MPa}\n",
     5, "no two of these 2 bodies touch", 1},
    {"bodies:\n  - {name: a, radius: 1}\n  - {name: b, radius: 1, position: [2, 0, 0]}\n"
     "  - {name: c, radius: 1, position: [9, 0, 0]}\nbonds:\n"
     "  - {bodies: [a, b, c], young: 1 MPa}\n",
     6, "'c' touches none", 1},
    {"bodies:\n  - {name: a, radius: 1}\n  - {name: b, radius: 1, position: [2, 0, 0]}\nbonds:\n"
     "  - {bodies: [a, b], young: 1 MPa, axis: [1, 0, 0]}\n",
     5, "axis and point are given together", 0},
    {"cell: {lower: [0, 0, 0], upper: [9, 9, 9]}\n"
     "bodies:\n  - {name: a, radius: 1}\n  - {name: b, radius: 1, position: [6.5, 0, 0]}\nbonds:\n"
     "  - {bodies: [a, b], young: 1 MPa}\n",
     6, "centres 2.5 m apart", 1},
    /* numbers and units */
    {"world:\n  step: 1 mm\n", 2, "world.step wants a time (s), and 'mm' is not its unit", 0},
    {"world:\n  step: 1 sce\n", 2, "unknown unit 'sce'", 0},
    {"world:\n  step: 1 mns\n", 2, "did you mean", 0},
    {"bodies:\n  - radius: 5 mm/\n", 2, "a unit is missing behind '/' in '5 mm/'", 0},
    {"bodies:\n  - radius: 5 mm*\n", 2, "a unit is missing behind '*'", 0},
    {"world:\n  step: nan\n", 2, "wants a time", 0},
    {"world:\n  step: inf\n", 2, "has to be finite", 0},
    {"world:\n  step: 0x10\n", 2, "wants a time", 0},
    {"world:\n  step: 1e999\n", 2, "too large", 0},
    {"world:\n  step: 0\n", 2, "has to be above 0 s", 0},
    {"world:\n  step: -1 ms\n", 2, "has to be above 0 s", 0},
    {"world:\n  slop: 1 m\n", 2, "wants a number without unit", 0},
    {"materials:\n  a: {restitution: 1.5}\n", 2, "has to lie between 0 and 1", 0},
    {"materials:\n  a: {density: 5 kg}\n", 2, "wants a density (kg/m3)", 0},
    {"bodies:\n  - radius: 1\n    spin: [0, 0, 3 Hz]\n", 3, "wants an angular velocity (rad/s)", 0},
    {"units: {length: kg}\n", 1, "'kg' is not a unit of length", 0},
    {"units:\n  lenght: mm\n", 2, "did you mean length?", 0},
    /* names */
    {"bodies:\n  - radius: 1\n    material: stel\nmaterials:\n  steel: {}\n", 3,
     "no material is called 'stel' (did you mean steel?)", 0},
    {"bodies:\n  - {name: a, radius: 1}\n  - {name: a, radius: 1}\n", 3, "two bodies or walls", 0},
    {"forces:\n  - body: nut\n    force: [1, 0, 0]\nbodies:\n  - {name: nutt, radius: 1}\n", 2,
     "no body, wall or mechanism.link is called 'nut' (did you mean nutt?)", 0},
    {"joints:\n  - {kind: ball, a: world, b: x, point: [0, 0, 0]}\n", 2, "called 'x'", 0},
    {"joints:\n  - {kind: ball, a: world, b: world, point: [0, 0, 0]}\n", 2, "to itself", 0},
    {"joints:\n  - {kind: hinge, a: world, b: x, point: [0, 0, 0], axis: [0, 1, 0], name: arm,\n"
     "     limits: [30 deg, 10 deg]}\nbodies:\n  - {name: x, radius: 1}\n",
     3, "joint 'arm': the lower limit is above", 0},
    {"joints:\n  - {kind: slider, a: world, b: x, point: [0, 0, 0], axis: [0, 1, 0], name: "
     "piston,\n"
     "     effort: 3 N}\nbodies:\n  - {name: x, radius: 1}\n",
     3, "joint 'piston': an effort without a rate", 0},
    {"joints:\n  - {kind: distance, a: world, b: x, point: [0, 0, 0], point_b: [0, 0, 0],\n"
     "     rate: 1}\nbodies:\n  - {name: x, radius: 1}\n",
     2, "a rod cannot be driven", 0},
    {"joints:\n  - {kind: ball, a: world, b: x, point: [0, 0, 0], rate: 1}\n"
     "bodies:\n  - {name: x, radius: 1}\n",
     2, "rate", 0},
    {"output:\n  track: [ghost]\n", 2, "called 'ghost'", 0},
    {"pairs:\n  - {between: [a, b, c], friction: 1}\n", 2, "between two materials", 0},
    /* things that do not fit together */
    {"bodies:\n  - radius: 1\n    motions:\n      - {kind: velocity, velocity: [1, 0, 0]}\n", 4,
     "only a body of type kinematic", 0},
    /* stages */
    {"world: {step: 1 ms}\nstages:\n  - {name: a}\n", 3, "lacks the key 'time'", 0},
    {"world: {step: 1 ms}\nstages:\n  - time: 1\n    until: {column: speed, below: 1}\n", 4,
     "no column 'speed'", 0},
    {"world: {step: 1 ms}\nstages:\n  - time: 1\n    until: {column: kinetic}\n", 4,
     "one of the keys above and below", 0},
    {"world: {step: 1 ms}\nstages:\n  - time: 1\n    until: {column: kinetic, below: 1 m}\n", 4,
     "not its unit", 0},
    {"world: {step: 1 ms}\nstages:\n  - time: 1\n    until: {column: time, above: 2, below: 1}\n",
     4, "never come true", 0},
    {"world: {step: 1 ms}\nstages:\n  - time: 1\n    set: {world.step: 2 ms}\n", 4,
     "a stage cannot set world.step", 0},
    {"materials: {a: {}}\nstages:\n  - time: 1\n    set:\n      materials: {a: {density: 1}}\n", 5,
     "a stage cannot set materials.a.density", 0},
    {"materials: {a: {}}\nstages:\n  - time: 1\n    set: {materials.a.friction: -1}\n", 4,
     "materials.a.friction", 0},
    {"walls:\n  - kind: plane\n    name: w\nstages:\n  - time: 1\n    set: {walls.v.motions: []}\n",
     6, "none called 'v'", 0},
    {"walls:\n  - kind: plane\n    type: fixed\nstages:\n  - time: 1\n    set: {walls.0.servo: "
     "{force: "
     "1, speed: 1}}\n",
     6, "cannot follow it", 0},
    /* servos */
    {"walls:\n  - kind: plane\n    type: fixed\n    servo: {force: 1 N, speed: 1 m/s}\n", 4,
     "this one cannot follow it", 0},
    {"bodies:\n  - radius: 1\n    servo:\n      {force: 1 N, speed: 1 m/s, axis: [1, 0, 0]}\n", 4,
     "it moves a wall, or a body of `type: kinematic`", 0},
    {"walls:\n  - kind: plane\n    servo: {speed: 1 m/s}\n", 3,
     "one of the keys force and pressure", 0},
    {"walls:\n  - kind: plane\n    servo: {force: 1 N}\n", 3, "lacks the key 'speed'", 0},
    {"walls:\n  - kind: drum\n    radius: 1\n    length: 1\n    servo: {force: 1 N, speed: 1}\n", 5,
     "wants an axis", 0},
    {"walls:\n  - kind: plane\n    servo: {pressure: 1, speed: 1, across: [a, b]}\n", 3,
     "wants two pairs", 0},
    {"walls:\n  - kind: plane\n    servo: {pressure: 1, speed: 1, across: [a, b, c, d]}\n", 3,
     "'a'", 0},
    {"walls:\n  - kind: plane\n    servo: {force: 1, speed: 1, gain: 2}\n", 3, "servo.gain", 0},
    {"walls:\n  - kind: plane\n    motions:\n      - kind: table\n        times: [0, 1]\n"
     "        offsets: [[0, 0, 0]]\n",
     4, "as many offsets (2 and 1)", 0},
    {"walls:\n  - kind: plane\n    motions:\n      - {kind: table, times: [1, 0], offsets: [[0, 0, "
     "0], "
     "[0, 0, 1]]}\n",
     4, "times have to ascend", 0},
    {"walls:\n  - {kind: hopper, radius: 1, height: 1, opening: 2}\n", 2, "as wide as", 0},
    {"walls:\n  - {kind: plane, normal: [0, 0, 0]}\n", 2, "length 0", 0},
    {"bodies:\n  - {shape: disk, radius: 1}\n", 2, "needs a plane world", 0},
    {"bodies:\n  - {shape: hull, points: [[0, 0, 0], [1, 0, 0]]}\n", 2, "at least four points", 0},
    {"bodies:\n  - shape: clump\n    parts:\n      - {shape: clump, parts: [{radius: 1}]}\n", 4,
     "cannot be a clump", 0},
    {"grains:\n  - kind: random\n    radius: 1\n    count: 5\n    region: {lower: [1, 0, 0], "
     "upper: [0, "
     "1, 1]}\n",
     5, "lower corner is not below", 0},
    {"grains:\n  - {kind: random, radius: 1, count: 5, sizes: {kind: uniform, low: 2, high: 1}}\n",
     2, "low is above high", 0},
    {"run:\n  time: 0\n", 2, "above 0 s", 0},
    {"run:\n  time: 1e300\n", 2, "more than 9e+15 steps", 0},
    {"world:\n  step: 1e-200\n", 2, "more than 9e+15 steps", 0},
    /* found when the world is made */
    {"bodies:\n  - {radius: 1e-110}\n", 2, "too small to be moved", 1},
    {"bodies:\n  - {radius: 1e-60}\n", 2, "too small to be moved", 1},
    {"bodies:\n  - {radius: 1e110}\n", 2, "too large to be moved", 1},
    {"materials: {a: {density: 1e-300}}\nbodies:\n  - {shape: box, size: 1 cm}\n", 3,
     "too small to be moved", 1},
    {"world: {plane: true}\nbodies:\n  - {shape: disk, radius: 1e-75}\n", 3,
     "too small to be moved", 1},
    {"grains:\n  - {kind: lattice, radius: 1e-110, counts: [2, 1, 1]}\n", 2,
     "too small to be moved", 1},
    {"grains:\n  - {kind: random, radius: 1, count: 5}\n", 2, "need a `region`", 1},
    {"walls:\n  - {kind: box, size: 9}\ngrains:\n  - {kind: random, radius: 1}\n", 4,
     "exactly one of count, fill, fraction", 1},
    {"grains:\n  - {kind: random, radius: 1, count: 50, region: {lower: [0, 0, 0], upper: [4, 4, "
     "4]}}\n",
     2, "of 50 grains found room", 1},
    {"grains:\n  - {kind: lattice, radius: 1, count: 50, region: {lower: [0, 0, 0], upper: [4, 4, "
     "4]}}\n",
     2, "of 50 grains fit", 1},
    {"walls:\n  - {kind: mesh, file: missing.stl}\n", 2, "missing.stl", 1},
    {"bodies:\n  - {name: a, radius: 1}\n  - {name: b, radius: 1, position: [1.5, 0, 0]}\n", 3,
     "bodies[0] a and bodies[1] b overlap by 0.5 m", 1},
    /* servos and stages */
    {"cell:\n  {lower: [0, 0, 0], upper: [9, 9, 9],\n  servo: [z], stress: [0, 0, 1 Pa]}\n", 3,
     "all are rigid", 0},
    {"walls:\n  - {kind: plane, servo: {force: 1 N, speed: 1}}\n", 2, "`world.softness: auto`", 0},
    {"world: {softness: auto}\nbodies:\n"
     "  - {radius: 1, servo: {force: 1 N, speed: 1, axis: [0, 0, 1]}}\n",
     3, "`type: kinematic`", 0},
    {"bodies: [{radius: 1}]\nstages:\n"
     "  - {time: 1, until: [{column: kinetik, below: 1}]}\n",
     3, "did you mean kinetic?", 0},
    {"materials: {bead: {}}\nbodies: [{radius: 1}]\nstages:\n"
     "  - {time: 1, set: {materials.bed.friction: 1}}\n",
     4, "no such material", 0},
};

static void check_mistake(talus_context *context, const mistake *m, int number) {
  talus_scene *scene = NULL;
  talus_world *world = NULL;
  talus_status status = scene_of(context, m->text, &scene);
  CHECK_CASE((status == TALUS_OK) == m->when_built, "%d: %s%s", number, m->text,
             talus_context_message(context));
  if (status == TALUS_OK) {
    status = talus_scene_build(scene, &world);
  }
  CHECK_CASE(status != TALUS_OK && world == NULL, "%d: %s", number, m->text);
  const char *message = talus_context_message(context);
  char place[64];
  snprintf(place, sizeof place, m->line > 0 ? "scene.yaml:%d:" : "scene.yaml: ", m->line);
  CHECK_CASE(strncmp(message, place, strlen(place)) == 0, "%d: wanted %s..., got %s", number, place,
             message);
  CHECK_CASE(strstr(message, m->words) != NULL, "%d: wanted '%s', got %s", number, m->words,
             message);
  talus_world_destroy(world);
  talus_scene_destroy(scene);
}

/* Lists of what could stand in a place are whole, whatever the place. */
static void check_lists(talus_context *context) {
  static const struct {
    const char *text, *end; /* of the message */
  } cases[] = {
      {"qqqqqqqqqq: 1\n", ")"},
      {"units: {qqqqqqqqqq: 1}\n", ")"},
      {"world: {qqqqqqqqqq: 1}\n", ")"},
      {"materials: {a: {qqqqqqqqqq: 1}}\n", ")"},
      {"pairs: [{qqqqqqqqqq: 1}]\n", ")"},
      {"walls: [{kind: box, qqqqqqqqqq: 1}]\n", ")"},
      {"walls: [{kind: drum, qqqqqqqqqq: 1}]\n", ")"},
      {"walls: [{kind: mesh, qqqqqqqqqq: 1}]\n", ")"},
      {"bodies: [{shape: capsule, qqqqqqqqqq: 1}]\n", ")"},
      {"grains: [{kind: lattice, qqqqqqqqqq: 1}]\n", ")"},
      {"grains: [{kind: random, qqqqqqqqqq: 1}]\n", ")"},
      {"joints: [{kind: hinge, qqqqqqqqqq: 1}]\n", ")"},
      {"mechanisms: [{qqqqqqqqqq: 1}]\n", ")"},
      {"mechanisms: [{links: [{kind: spherical, qqqqqqqqqq: 1}]}]\n", ")"},
      {"forces: [{qqqqqqqqqq: 1}]\n", ")"},
      {"inlets: [{qqqqqqqqqq: 1}]\n", ")"},
      {"outlets: [{qqqqqqqqqq: 1}]\n", ")"},
      {"output: {qqqqqqqqqq: 1}\n", ")"},
      {"run: {qqqqqqqqqq: 1}\n", ")"},
      {"world: {method: qqqqqqqqqq}\n", ", not 'qqqqqqqqqq'"},
      {"output: {colour: qqqqqqqqqq}\n", ", not 'qqqqqqqqqq'"},
      {"mechanisms: [{links: [{kind: qqqqqqqqqq}]}]\n", ", not 'qqqqqqqqqq'"},
  };
  talus_scene *none = NULL;
  CHECK(scene_of(context, "world: {qqqqqqqqqq: 1}\n", &none) == TALUS_FILE_FORMAT);
  CHECK(strstr(talus_context_message(context), "|overlap|seed") != NULL);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    talus_scene *scene = NULL;
    CHECK(scene_of(context, cases[i].text, &scene) == TALUS_FILE_FORMAT);
    const char *const message = talus_context_message(context);
    const size_t length = strlen(message), end = strlen(cases[i].end);
    CHECK_CASE(length > end && strcmp(message + length - end, cases[i].end) == 0, "%s%s",
               cases[i].text, message);
  }
}

/* Columns are told too: the mistyped key begins in column 3. */
static void check_column(talus_context *context) {
  talus_scene *scene = NULL;
  CHECK(scene_of(context, "world:\n  stepp: 1\n", &scene) == TALUS_FILE_FORMAT);
  CHECK(strncmp(talus_context_message(context), "scene.yaml:2:3: ", 16) == 0);
  CHECK(scene_of(context, "world:\n  step: x\n", &scene) == TALUS_FILE_FORMAT);
  CHECK(strncmp(talus_context_message(context), "scene.yaml:2:9: ", 16) == 0);
  CHECK(talus_scene_read(context, "not there.yaml", NULL, 0, &scene) == TALUS_FILE_OPEN);
}

static void check_overrides(talus_context *context) {
  static const char *const bad[] = {
      "world.stepp=1",      "world.step=1 kg", "world.step",          "=3",
      "walls.3.kind=plane", "world.step.x=1",  "walls.box.kind=plane"};
  static const char *const good[] = {"world.step=2 ms", "run.steps=7", "walls.0.normal=[1, 0, 0]",
                                     "walls[0].name=floor"};
  talus_scene *scene = NULL;
  CHECK(scene_of(context, "world: {step: 1 ms}\nwalls:\n  - {kind: plane, name: floor}\n",
                 &scene) == TALUS_OK);
  talus_scene_destroy(scene);
  for (int i = 0; i < 7; i++) {
    CHECK_CASE(talus_scene_read(context, "scene.yaml", &bad[i], 1, &scene) == TALUS_FILE_FORMAT,
               "%s: %s", bad[i], talus_context_message(context));
    CHECK(scene == NULL && strstr(talus_context_message(context), "--set") != NULL);
  }
  CHECK(talus_scene_read(context, "scene.yaml", good, 4, &scene) == TALUS_OK);
  if (scene != NULL) {
    const tl_scene_definition *def = tl_scene_def(scene);
    CHECK(def->world.step == 2e-3 && def->run.steps == 7);
    CHECK(((const tl_scene_wall *)def->walls.item)->normal[0] == 1);
  }
  talus_scene_destroy(scene);
}

/* Meshes with holes and with faces that have no area. */
static void check_meshes(talus_context *context) {
  static const char *const face = "facet normal 0 0 1\nouter loop\nvertex %s\nvertex %s\nvertex "
                                  "%s\nendloop\nendfacet\n";
  static const char *const corner[4] = {"0 0 0", "1 0 0", "0 1 0", "0 0 1"};
  static const int closed[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
  static const struct {
    const char *keys;
    int faces, flat; /* of the tetrahedron; whether one without area follows */
    const char *words;
  } cases[] = {{"", 4, 0, NULL},
               {", holes: refuse", 4, 0, NULL},
               {"", 3, 0, NULL},
               {", holes: allow", 3, 0, NULL},
               {", holes: refuse", 3, 0, "shape.stl is not closed: 3 edges"},
               {", holes: allow", 3, 1, "shape.stl: mesh: triangle 3"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    FILE *const file = fopen("shape.stl", "wb");
    fprintf(file, "solid s\n");
    for (int f = 0; f < cases[i].faces; f++) {
      fprintf(file, face, corner[closed[f][0]], corner[closed[f][1]], corner[closed[f][2]]);
    }
    if (cases[i].flat) {
      fprintf(file, face, "0 0 0", "1 0 0", "2 0 0");
    }
    fprintf(file, "endsolid s\n");
    fclose(file);
    char text[256];
    talus_scene *scene = NULL;
    talus_world *world = NULL;
    snprintf(text, sizeof text, "walls:\n  - {kind: mesh, file: shape.stl%s}\n", cases[i].keys);
    const talus_status status = world_of(context, text, &scene, &world);
    const char *const message = talus_context_message(context);
    CHECK_CASE((status == TALUS_OK) == (cases[i].words == NULL), "%d: %s", (int)i, message);
    CHECK_CASE(cases[i].words == NULL || (strstr(message, cases[i].words) != NULL &&
                                          strstr(message, "scene.yaml:2:") != NULL),
               "%d: %s", (int)i, message);
    talus_world_destroy(world);
    talus_scene_destroy(scene);
  }
}

int main(void) {
  talus_context *context = NULL;
  talus_context_def def = talus_context_def_default();
  def.threads = 1;
  if (!CHECK(talus_context_create(&def, &context) == TALUS_OK)) {
    return check_end();
  }
  talus_scene *scene = NULL;
  if (scene_of(context, "title: any\n", &scene) == TALUS_UNSUPPORTED) {
    talus_context_destroy(context);
    return CHECK_SKIPPED;
  }
  CHECK(scene != NULL);
  talus_scene_destroy(scene);
  for (int i = 0; i < (int)(sizeof mistakes / sizeof mistakes[0]); i++) {
    check_mistake(context, &mistakes[i], i);
  }
  check_lists(context);
  check_column(context);
  check_overrides(context);
  check_meshes(context);
  talus_context_destroy(context);
  return check_end();
}
