"""Derivatives of a solve: talus_gradient.h."""

import ctypes
import dataclasses
import enum
from ctypes import byref
from typing import Dict, Optional, Tuple

import numpy as np

from . import structs
from .define import Reals, reals
from .enums import Form
from .library import fill, library
from .problem import AnyArray, Array, Problem
from .settings import Settings
from .solver import Context, Solution, borrowed


class Regime(enum.IntEnum):
    """What a contact or row does; its law is differentiated there."""

    OPEN = 0
    STICK = 1
    SLIDE = 2
    BOUND = 3


class GradientNote(enum.IntFlag):
    """BETWEEN: a contact or row stands between two regimes, and the derivative of one of them was
    taken. NOT_UNIQUE: the loss asks for impulses that are not unique; that part was left out."""

    BETWEEN = 1
    NOT_UNIQUE = 2


@dataclasses.dataclass(frozen=True)
class Gradient:
    """dL/d of what a problem is made of, each of the shape of the problem's array; None if the form
    does not have it.

    free_velocity: of q, hence of biases and surface velocities, (contacts, dimension);
    row_free_velocity the same of bilateral rows. arm_a, arm_b: form (a), of reaches too (arm = reach
    times normal). jacobian: form (b), flat. velocity: before the impulses; of f in form (d).
    delassus, mass, h, g: one number for each that is stored; for a dense matrix in Fortran's order.
    regime, row_regime: numbers of Regime. between: how many contacts and rows stand between two.
    not_unique: the share of the loss's derivative that was left out. residual: what the linear system
    is off by, relative to its right side.
    """

    notes: GradientNote
    between: int
    not_unique: float
    residual: float
    regime: AnyArray
    row_regime: AnyArray
    free_velocity: Reals
    row_free_velocity: Reals
    friction: Reals
    compliance: Reals
    target_impulse: Reals
    row_compliance: Reals
    row_target_impulse: Reals
    velocity: Optional[Reals] = None
    inverse_mass: Optional[Reals] = None
    inverse_inertia: Optional[Reals] = None
    arm_a: Optional[Reals] = None
    arm_b: Optional[Reals] = None
    jacobian: Optional[Reals] = None
    row_jacobian: Optional[Reals] = None
    delassus: Optional[Reals] = None
    mass: Optional[Reals] = None
    h: Optional[Reals] = None
    g: Optional[Reals] = None


def _shapes(problem: Problem) -> Dict[str, Tuple[int, ...]]:
    """Of the results that are numbers."""
    contacts, rows, d = problem.contact_count, problem.bilateral_count, problem.dimension
    struct = problem.struct
    shapes: Dict[str, Tuple[int, ...]] = {
        "free_velocity": (contacts, d), "row_free_velocity": (rows,), "friction": (contacts,),
        "compliance": (contacts, 2), "target_impulse": (contacts, d), "row_compliance": (rows,),
        "row_target_impulse": (rows,)}
    if problem.velocity_shape is not None:
        shapes["velocity"] = problem.velocity_shape
    if problem.form == Form.RIGID:
        bodies = struct.rigid.body_count
        shapes.update(inverse_mass=(bodies,), inverse_inertia=(bodies, 6), arm_a=(contacts, 3),
                      arm_b=(contacts, 3), row_jacobian=(rows, 12))
    elif problem.form == Form.BLOCKS:
        kept = problem._kept
        shapes.update(inverse_mass=(len(kept["blocks.inverse_mass"]),),
                      jacobian=(len(kept["blocks.contact_jacobian"]),))
        if rows:
            shapes["row_jacobian"] = (len(kept["blocks.bilateral_jacobian"]),)
    elif problem.form == Form.DELASSUS:
        shapes["delassus"] = (struct.delassus.w.count,)
    else:
        part = getattr(struct, "global")
        shapes.update(mass=(part.mass.count,), h=(part.h.count,))
        if rows:
            shapes["g"] = (part.g.count,)
    return shapes


def gradient(problem: Problem, solution: Solution, *, impulse: Optional[Array] = None,
             bilateral_impulse: Optional[Array] = None, velocity: Optional[Array] = None,
             contact_velocity: Optional[Array] = None, settings: Optional[Settings] = None,
             context: Optional[Context] = None) -> Gradient:
    """The gradient of a loss at a solution, by one linear system on the active set.

    The loss is given by its derivatives with respect to the solution's arrays of the same names; None
    is 0. Solve to a small tolerance (1e-8 or below): the regimes of the contacts are read off the
    impulses. Of settings the law is used.
    """
    contacts, rows, d = problem.contact_count, problem.bilateral_count, problem.dimension
    if solution.impulse is None or (rows > 0 and solution.bilateral_impulse is None):
        raise ValueError("solution.impulse and bilateral_impulse are needed")
    given = [reals("solution.impulse", np.reshape(solution.impulse, -1), contacts * d),
             reals("solution.bilateral_impulse", np.reshape(
                 [] if solution.bilateral_impulse is None else solution.bilateral_impulse, -1), rows)]
    loss, kept = fill(structs.Loss), []
    motion = int(np.prod(problem.velocity_shape or (0,)))
    for name, value, count in (("impulse", impulse, contacts * d),
                               ("bilateral_impulse", bilateral_impulse, rows),
                               ("velocity", velocity, motion),
                               ("contact_velocity", contact_velocity, contacts * d)):
        if value is not None:
            kept.append(reals(f"the loss's {name}", np.reshape(np.asarray(value), -1), count))
            setattr(loss, name, kept[-1].ctypes.data)
    made, found = fill(structs.Gradient), {}
    for name, shape in _shapes(problem).items():
        found[name] = np.zeros(shape)
        setattr(made, name, found[name].ctypes.data)
    regime, row_regime = np.zeros(contacts, np.int32), np.zeros(rows, np.int32)
    made.regime, made.row_regime = regime.ctypes.data, row_regime.ctypes.data
    used = (settings or Settings()).struct()
    with borrowed(context) as held:
        held.check(library.talus_gradient_find(
            held._handle, byref(problem.struct), byref(used), given[0].ctypes.data,
            given[1].ctypes.data, byref(loss), byref(made)))
    return Gradient(GradientNote(made.notes), made.between, made.not_unique, made.residual, regime,
                    row_regime, **found)
