"""What the headers offer, Python offers: every public function is called by the package or named here
with the reason why not, and the members of defs that users fill are arguments of the method that
fills them."""

import glob
import inspect
import os
import re
import sys
import unittest

try:
    import numpy  # noqa: F401
except ImportError:
    print("skipped: NumPy is not installed")
    sys.exit(77)

import talus
from talus import structs

ROOT = os.environ["TALUS_SOURCE"]

_NAMES = "enumerations of Python have names; what is unknown is refused with the list of them"
_ONE = "the function for many bodies is called"
_RECORD = "Scene.run and Run.resume start the program, World.run writes frames and a table"
_COUPLING = "Fleet couples, solves and advances"
_FREE = "a Mechanism belongs to a World, or to a Fleet, which step it"
_RANKS = "Context(ranks=...) takes processes of MPI; threads of one Python would wait for each other"
ABSENT = {
    "talus_law_parse": _NAMES, "talus_method_parse": _NAMES, "talus_precision_parse": _NAMES,
    "talus_cone_parse": _NAMES,
    "talus_precision_auto": "info.precision and StepReport.precision tell what was used",
    "talus_method_takes": "a solver refuses a method that does not take the law, with Talus' message",
    "talus_urdf_find_joint": "Mechanism.names", "talus_urdf_find_link": "Mechanism.names",
    "talus_solve_once": "solve_once makes a solver",
    "talus_certify": "certify calls talus_certify_cone, which does the same for every cone",
    "talus_problem_diagonal": "for simulators in C that mix their own compliance",
    "talus_body_after": "World.ids", "talus_body_get": _ONE, "talus_body_set": _ONE,
    "talus_body_kind": _ONE, "talus_body_mass": _ONE, "talus_body_force": _ONE,
    "talus_joint_coordinate": "World.joint(...).coordinate",
    "talus_scene_body_radius": "World.radius",
    "talus_scene_info_init": "a scene is a file or a dict, which Python can read",
    "talus_scene_describe": "a scene is a file or a dict, which Python can read",
    "talus_scene_reference": "docs/reference/scene.md, talus help scene",
    "talus_record_def_init": _RECORD, "talus_record_create": _RECORD, "talus_record_resume": _RECORD,
    "talus_record_open": _RECORD, "talus_record_due": _RECORD, "talus_record_before_step": _RECORD,
    "talus_record_frame": _RECORD, "talus_record_checkpoint": _RECORD,
    "talus_record_newest": _RECORD, "talus_record_close": _RECORD,
    "talus_impulses_write": "numpy.savetxt", "talus_impulses_read": "numpy.loadtxt",
    "talus_file_write": "for programs in C",
    "talus_force_chains_draw": "talus.view and talus.page draw force chains",
    "talus_mechanism_accelerate_batch": _COUPLING, "talus_mechanism_response_batch": _COUPLING,
    "talus_mechanism_step": _FREE, "talus_coupling_build": _COUPLING,
    "talus_coupling_halfway": _COUPLING, "talus_coupling_rebound": _COUPLING,
    "talus_coupling_advance": _COUPLING,
    "talus_urdf_add": "World.add_urdf, which can switch motors on",
    "talus_thread_ranks_create": _RANKS, "talus_thread_ranks_destroy": _RANKS,
    "talus_thread_ranks_transport": _RANKS,
    "talus_mpi_ranks_create": "mpi4py gives the handle of Fortran",
    "talus_mpi_begin": "mpi4py begins and ends MPI", "talus_mpi_end": "mpi4py begins and ends MPI",
}

# Arguments of a method and the def that they fill; members that the method sets itself.
FILLED = [
    (talus.World.__init__, structs.WorldDef, {"solver_room"}),
    (talus.World.add_material, structs.MaterialDef, set()),
    (talus.World.add_body, structs.BodyDef, set()),
    (talus.World.add_shape, structs.ShapeDef, {"point", "point_count", "triangle", "triangle_count"}),
    (talus.World.set_cell, structs.Cell, set()),
    (talus.World.add_motion, structs.MotionDef, {"count"}),
    (talus.World.set_servo, structs.ServoDef, set()),
    (talus.World.add_joint, structs.JointDef, {"limited"}),
    (talus.World.add_urdf, structs.UrdfDef, set()),
    (talus.generate_problem, structs.GenerateDef, set()),
    (talus.Settings.__init__, structs.Settings, {"progress_user"}),
    (talus.Context.__init__, structs.ContextDef, {"stream", "allocate", "release", "allocate_user",
                                                  "log_user"}),
    (talus.Run.measure, structs.MeasureDef, {"add_count", "directory", "add", "file", "progress",
                                             "user"}),
]


def declared():
    """Functions of the headers."""
    found = set()
    for path in glob.glob(os.path.join(ROOT, "include", "talus", "*.h")) + [
            os.path.join(ROOT, "host", "mpi", "talus_mpi.h")]:
        with open(path) as file:
            text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
        found |= set(re.findall(r"TALUS_API\s+[^;(]*?\b(talus_\w+)\(", text))
    return found


def used():
    """Functions that the package calls."""
    found = set(structs.SIZED.values())
    for path in (glob.glob(os.path.join(ROOT, "host", "python", "talus", "*.py")) +
                 glob.glob(os.path.join(ROOT, "host", "python", "core", "*.c"))):
        with open(path) as file:
            text = file.read()
        found |= set(re.findall(r"(?:library|mpi|core)\.(talus_\w+)", text))
        found |= {"talus_" + name for name in re.findall(r'text\("?\'?(\w+)[\'"]', text)}
    return found


class Parity(unittest.TestCase):
    def test_functions(self):
        offered, called = declared(), used()
        self.assertGreater(len(offered), 200)
        names = {name for name in offered if re.fullmatch(
            r"talus_(law|method|precision|cone|outcome|status)_(name|text)", name)}
        missing = offered - called - set(ABSENT) - names
        self.assertFalse(missing, "of the headers, but neither called nor named as absent: "
                         + ", ".join(sorted(missing)))
        self.assertFalse(set(ABSENT) - offered, "named as absent, but not in a header")
        self.assertFalse(set(ABSENT) & called, "named as absent, but called")

    def test_members(self):
        for method, struct, own in FILLED:
            arguments = set(inspect.signature(method).parameters)
            members = {field[0] for field in struct._fields_} - {"struct_size", "unused"} - own
            with self.subTest(method.__qualname__):
                self.assertFalse(members - arguments)

    def test_certificate(self):
        self.assertEqual([field[0] for field in structs.Certificate._fields_[1:]],
                         list(talus.Certificate.__dataclass_fields__))


if __name__ == "__main__":
    unittest.main(verbosity=2)
