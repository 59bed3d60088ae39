"""Problems of files and problems made to order (talus_io.h), as arrays of their own."""

import ctypes
import os
from ctypes import byref, c_void_p
from typing import Any, Dict, Optional, Union

import numpy as np

from . import structs
from .define import address, define, reals
from .enums import Form, GenerateKind, Storage
from .library import library
from .problem import AnyArray, Matrix, Problem
from .settings import member
from .solver import Context, _Context, borrowed

_INT = {"body_a", "body_b", "row_body_a", "row_body_b"}
_WIDTH = {"velocity": 6, "inverse_inertia": 6, "normal": 3, "arm_a": 3, "arm_b": 3,
          "surface_velocity": 3, "row_jacobian": 12}


def _copied(place: Optional[int], count: int, kind: Any = ctypes.c_double, width: int = 1) -> Any:
    if not place:
        return None
    made = np.frombuffer((kind * (count * width)).from_address(place), kind).copy()
    return made.reshape(-1, width) if width > 1 else made


def _matrix(given: structs.Matrix) -> Optional[Matrix]:
    if given.rows == 0:
        return None
    lines = {Storage.CSR: given.rows + 1, Storage.CSC: given.columns + 1}.get(given.storage, 0)
    value = _copied(given.value, given.count)
    return Matrix(Storage(given.storage), (given.rows, given.columns),
                  value if value is not None else np.zeros(0),
                  _copied(given.index, given.count, ctypes.c_int32),
                  _copied(given.start, lines, ctypes.c_int64),
                  _copied(given.index2, given.count, ctypes.c_int32))


def _common(given: structs.Problem) -> Dict[str, Any]:
    return dict(friction=_copied(given.friction, given.contact_count),
                row_lower=_copied(given.row_lower, given.bilateral_count),
                row_upper=_copied(given.row_upper, given.bilateral_count))


def _rigid(given: structs.Problem) -> Problem:
    part = given.rigid
    arrays: Dict[str, Any] = {}
    for name, _ in structs.Rigid._fields_[1:]:
        count = (part.body_count if name in ("velocity", "inverse_mass", "inverse_inertia") else
                 given.bilateral_count if name.startswith("row_") else given.contact_count)
        arrays[name] = _copied(getattr(part, name), count,
                               ctypes.c_int32 if name in _INT else ctypes.c_double,
                               _WIDTH.get(name, 1))
    return Problem.rigid(**arrays, **_common(given))


def _form(given: structs.Problem) -> Problem:
    if given.form == Form.RIGID:
        return _rigid(given)
    if given.form == Form.DELASSUS:
        rows = given.delassus.w.rows
        return Problem.delassus(_matrix(given.delassus.w), _copied(given.delassus.q, rows),
                                dimension=given.dimension, bilateral_count=given.bilateral_count,
                                **_common(given))
    part = getattr(given, "global")
    return Problem.global_(
        _matrix(part.mass), _matrix(part.h), _copied(part.f, part.mass.rows),
        _copied(part.w, given.dimension * given.contact_count), g=_matrix(part.g),
        b=_copied(part.b, given.bilateral_count), dimension=given.dimension, **_common(given))


def _problem(given: structs.Problem) -> Problem:
    """The same problem over arrays of NumPy."""
    made, contacts, rows = _form(given), given.contact_count, given.bilateral_count
    made.comply(_copied(given.compliance, contacts, width=2),
                _copied(given.target_impulse, contacts, width=given.dimension),
                _copied(given.row_compliance, rows), _copied(given.row_target_impulse, rows))
    if given.torque_friction:
        made.resist(_copied(given.torque_friction, contacts, width=2))
    if given.cross_friction:
        made.ellipse(_copied(given.cross_friction, contacts),
                     _copied(given.friction_direction, contacts, width=3))
    made.velocity_scale(given.velocity_scale)
    return made


def _taken(context: _Context, handle: c_void_p) -> "StoredProblem":
    """Copies what a talus_stored holds, and destroys it."""
    try:
        stored = structs.Stored.from_address(handle.value or 0)
        given = stored.problem
        made = StoredProblem(_problem(given))
        made.title = stored.title.decode() if stored.title else ""
        guess = _copied(stored.guess, given.contact_count, width=given.dimension)
        made.guess = None if guess is None else guess.reshape(-1, given.dimension)
        made.guess_bilateral = _copied(stored.guess_bilateral, given.bilateral_count)
        bodies = given.rigid.body_count if given.form == Form.RIGID else 0
        made.position = _copied(stored.position, bodies, width=3)
        made.radius = _copied(stored.radius, bodies)
        return made
    finally:
        library.talus_stored_destroy(handle)


class StoredProblem:
    """A problem that was read or generated: problem, title, guess (contacts, dimension) and
    guess_bilateral (impulses of the file, N s, or None), and of generated ones position (bodies, 3)
    and radius (m)."""

    def __init__(self, problem: Problem) -> None:
        self.problem, self.title = problem, ""
        self.guess: Optional[AnyArray] = None
        self.guess_bilateral: Optional[AnyArray] = None
        self.position: Optional[AnyArray] = None
        self.radius: Optional[AnyArray] = None

    def __repr__(self) -> str:
        named = f" {self.title!r}" if self.title else ""
        return f"<talus.StoredProblem{named}: {self.problem!r}>"


def read_problem(path: Any, context: Optional[Context] = None) -> StoredProblem:
    """Reads a problem file: FCLIB's HDF5, or Siconos' text."""
    handle = c_void_p()
    with borrowed(context) as held:
        held.check(library.talus_problem_read_sized(
            held._handle, os.fsencode(path), ctypes.sizeof(structs.Problem), byref(handle)))
        return _taken(held, handle)


def write_problem(path: Any, problem: Problem, impulse: Any = None,
                  context: Optional[Context] = None) -> None:
    """Writes a problem, and impulses (contacts, dimension) as its solution: *.dat as Siconos' text, any
    other name as FCLIB's HDF5."""
    given = None if impulse is None else reals("impulse", impulse, problem.contact_count,
                                               problem.dimension)
    if given is not None and not np.isfinite(given).all():
        raise ValueError(f"impulse of contact {int(np.argwhere(~np.isfinite(given))[0, 0])} is not "
                         "finite")
    with borrowed(context) as held:
        held.check(library.talus_problem_write(held._handle, os.fsencode(path), byref(problem.struct),
                                             address(given)))


def generate_problem(kind: Union[GenerateKind, str] = "heap", *, body_count: Optional[int] = None,
                     friction: Optional[float] = None, radius: Optional[float] = None,
                     spread: Optional[float] = None, density: Optional[float] = None,
                     step: Optional[float] = None, contact_ratio: Optional[float] = None,
                     aspect: Optional[float] = None, seed: Optional[int] = None,
                     context: Optional[Context] = None) -> StoredProblem:
    """A heap of spheres, a stack of boxes or random contacts, as `talus generate` makes them:
    body_count (1000), friction (0.5), radius (m, 0.05), spread of sizes (0.3), density (kg/m3), step
    (s, 1e-3), contact_ratio (random: contacts per body), aspect (heap: depth over width), seed."""
    handle = c_void_p()
    chosen = GenerateKind(member("generate.kind", kind, GenerateKind))
    made = define(structs.GenerateDef, "generate", dict(
        body_count=body_count, friction=friction, radius=radius, spread=spread, density=density,
        step=step, contact_ratio=contact_ratio, aspect=aspect, seed=seed), kind=chosen)
    with borrowed(context) as held:
        held.check(library.talus_problem_generate_sized(
            held._handle, byref(made), ctypes.sizeof(structs.Problem), byref(handle)))
        return _taken(held, handle)
