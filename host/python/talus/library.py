"""Finds and loads libtalus, declares its functions, fills its structs."""

import ctypes
import ctypes.util
import glob
import os
import sys
from ctypes import POINTER, c_char_p, c_int, c_int32, c_int64, c_void_p
from typing import Any, Iterator, Type, TypeVar

from . import _core, structs

# TALUS_ABI_VERSION of the header: the number in the library's name.
ABI_VERSION = 1

Struct = TypeVar("Struct", bound=ctypes.Structure)


def _candidates() -> Iterator[str]:
    named = os.environ.get("TALUS_LIBRARY")
    if named:
        yield named
        return
    # In a wheel it lies beside this file; nothing else is looked for then.
    carried = sorted(glob.glob(os.path.join(os.path.dirname(__file__), "libtalus*.so*")))
    if carried:
        yield from carried
        return
    for prefix in (sys.prefix, sys.base_prefix, os.path.expanduser("~/.local"), "/usr/local"):
        name = f"libtalus.so.{ABI_VERSION}"
        yield from sorted(glob.glob(os.path.join(prefix, "lib*", name)))
        yield from sorted(glob.glob(os.path.join(prefix, "lib", "*", name)))
    found = ctypes.util.find_library("talus")
    if found:
        yield found
    tree = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
    yield from sorted(glob.glob(os.path.join(tree, "build*", "lib", "libtalus.so")))


def _load() -> ctypes.CDLL:
    failures = []
    for path in _candidates():
        try:
            return ctypes.CDLL(path)
        except OSError as error:
            failures.append(f"{path}: {error}")
    raise ImportError("libtalus was not found: install Talus (cmake --install), or name the file "
                      "in TALUS_LIBRARY\n" + "\n".join(failures))


library = _load()


def _declare(name: str, result: Any, *arguments: Any) -> None:
    function = getattr(library, name, None)
    if function is None:
        raise ImportError(f"libtalus at {library._name} does not suit this package, which needs "
                          f"{name}: a library of the same release or a later one does")
    function.restype = result
    function.argtypes = list(arguments)


_declare("talus_version", c_char_p)
for _name in ("status_name", "status_text", "law_name", "method_name", "method_text", "cone_name",
              "precision_name", "outcome_name", "outcome_text"):
    _declare("talus_" + _name, c_char_p, c_int)
_declare("talus_method_takes", c_int, c_int, c_int)
_declare("talus_build_text", None, c_char_p, structs.size_t)
_declare("talus_context_create", c_int, c_void_p, POINTER(c_void_p))
_declare("talus_context_destroy", None, c_void_p)
_declare("talus_context_message", c_char_p, c_void_p)
_declare("talus_context_backend", c_char_p, c_void_p)
_declare("talus_context_threads", c_int32, c_void_p)
_declare("talus_solver_create", c_int, c_void_p, c_void_p, POINTER(c_void_p))
_declare("talus_solver_set", c_int, c_void_p, c_void_p)
_declare("talus_solver_update", c_int, c_void_p, c_void_p)
_declare("talus_solver_solve", c_int, c_void_p, c_void_p, c_void_p)
_declare("talus_solver_solve_async", c_int, c_void_p, c_void_p, c_void_p)
_declare("talus_solver_wait", c_int, c_void_p)
_declare("talus_solver_workspace", c_int, c_void_p, c_void_p, c_void_p, POINTER(c_int64))
_declare("talus_solver_workspace_device", c_int, c_void_p, c_void_p, c_void_p, POINTER(c_int64))
_declare("talus_solver_destroy", None, c_void_p)
_declare("talus_solve_batch", c_int, c_void_p, c_void_p, c_int32, c_void_p, c_void_p, c_void_p,
         c_void_p)
_declare("talus_certify_cone", c_int, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p)
_declare("talus_islands_find", c_int, c_void_p, c_void_p, c_void_p)
_declare("talus_gradient_find", c_int, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p,
         c_void_p)
# Worlds, scenes, mechanisms: (result, arguments) in letters: v void pointer or handle, P pointer to an
# int32, i int32, l int64, d double, s text, e status, 0 nothing.
_LETTERS = {"v": c_void_p, "P": POINTER(c_int32), "i": c_int32, "l": c_int64, "d": ctypes.c_double,
            "s": c_char_p, "e": c_int, "0": None, "z": structs.size_t, "H": POINTER(c_void_p)}
_WORLD = {
    "world_create": "evvH", "world_set": "evv", "world_softness": "evvv",
    "world_device_steps": "lvv", "world_problem_write": "evs", "world_dump": "evis", "world_set_cell": "evv", "world_cell": "evv", "world_stress": "evv",
     "checkpoint_write": "evsi", "checkpoint_newest": "evssz",
    "checkpoint_read": "evs", "world_get": "evv", "world_destroy": "0v", "world_step": "evv", "world_time": "dv",
    "world_steps": "lv", "world_contacts": "ivH", "world_on_contact": "0vvv",
    "material_add": "evvP", "material_set": "eviv", "material_pair": "eviidd", "body_add": "evvP", "body_remove": "evi",
    "body_capacity": "iv", "body_count": "iv", "body_exists": "evi", "body_inertia": "0viv",
    "shape_add": "evivP", "shape_capacity": "iv", "shape_get": "eviPv", "motion_add": "eviv", "motions_clear": "evi",
    "servo_set": "eviv", "servo_get": "eviv",
    "joint_add": "evvP", "joint_remove": "evi", "joint_drive": "eviddd", "joint_get": "eviv",
    "bond_add": "evvP", "bonds_add": "evvivP", "bond_remove": "evi", "world_bonds": "ivH",
    "world_broken": "ivH",
    "spheres_add": "evviivvv", "bodies_get": "eviv", "bodies_set": "evivv",
    "bodies_force": "evivvv", "bodies_measure": "evivvv", "world_add_mechanism": "evvviP",
    "world_set_base": "evii", "world_mechanism_count": "iv", "world_mechanism": "vvi",
    "link_body": "ivii", "body_link": "eviPP", "mechanism_link_count": "iv", "mechanism_coordinate_count": "iv",
    "mechanism_velocity_count": "iv", "mechanism_find": "eviPP", "mechanism_set": "evvv",
    "mechanism_get": "evvv", "mechanism_apply": "evv", "mechanism_load": "evivvv",
    "mechanism_unload": "ev", "mechanism_drive": "evivvd", "mechanism_pose": "evivvv",
    "mechanism_jacobian": "evivv", "mechanism_mass_matrix": "evv",
    "mechanism_create": "evvH", "mechanism_destroy": "0v", "mechanism_point": "evivvv",
    "coupling_create": "evvH", "coupling_destroy": "0v", "fleet_create": "evvH",
    "fleet_destroy": "0v", "fleet_step": "eviv",
    "urdf_read_sized": "evsvzzH", "urdf_destroy": "0v", "urdf_mechanism": "vv",
    "urdf_shape_count": "iv",
    "urdf_shape": "eviPv", "scene_read": "evsviH", "scene_destroy": "0v", "scene_build": "evH",
    "scene_tick": "evv", "scene_watch": "evvv", "scene_end": "dv", "scene_over": "iv", "scene_body_find": "ivs",
    "scene_mechanism_find": "ivs", "scene_added": "lv", "scene_removed": "lv",
    "scene_save": "evvsi", "scene_resume": "evvs", "scene_from": "evs", "measure_run": "evvP",
    "problem_read_sized": "evszH", "problem_write": "evsvv", "stored_destroy": "0v",
    "problem_generate_sized": "evvzH", "frames_open": "evsvH", "frames_write": "evv",
    "frames_close": "0v", "table_open": "evsvilH", "table_row": "evlv", "table_close": "ev",
    "mechanism_measure": "evv", "mechanism_accelerate": "eviv", "mechanism_inverse_mass": "evv",
    "mechanism_response": "evivivv"}
for _name, _types in _WORLD.items():
    _declare("talus_" + _name, *(_LETTERS[letter] for letter in _types))
for _struct, _name in structs.SIZED.items():
    _declare(_name, None, c_void_p, structs.size_t,
             *([c_int] if _struct in structs.KINDED else []))
_core.bind({name: ctypes.cast(getattr(library, name), c_void_p).value or 0 for name in (
    "talus_problem_init", "talus_layout_init", "talus_solution_init", "talus_solution_layout_init",
    "talus_info_init", "talus_solver_update", "talus_solver_solve", "talus_solver_destroy",
    "talus_solve_batch")})


def fill(struct: Type[Struct], *arguments: int) -> Struct:
    """A struct as its _init function fills it, in the size that is known here."""
    value = struct()
    getattr(library, structs.SIZED[struct])(ctypes.byref(value), ctypes.sizeof(struct), *arguments)
    if struct is structs.Info:
        value.certificate.struct_size = ctypes.sizeof(structs.Certificate)
    return value


def text(function: str, number: int) -> str:
    """What a function such as talus_method_name says about a number."""
    return str(getattr(library, "talus_" + function)(number).decode())
