"""A solve as a function of arrays, with its derivative: what the wrappers for PyTorch and JAX share."""

import dataclasses
from typing import Any, Callable, Dict, NamedTuple, Optional

import numpy as np

from .define import Reals
from .enums import Form, Outcome
from .gradient import Gradient, gradient
from .problem import Problem
from .settings import Settings
from .solver import Context, Solution, solve_once

COMPLIANCE = ("compliance", "target_impulse", "row_compliance", "row_target_impulse")


class Solved(NamedTuple):
    """What a solve gives; velocity is None for form (c)."""

    impulse: Any
    bilateral_impulse: Any
    velocity: Any
    contact_velocity: Any


def accurate(settings: Optional[Settings]) -> Settings:
    """The settings, or those for derivatives: a tolerance of 1e-10."""
    return settings if settings is not None else Settings(tolerance=1e-10)


@dataclasses.dataclass
class Call:
    """One solve, kept for its derivative. make: Problem.rigid and its siblings; arrays: their
    arguments, and those of Problem.comply."""

    make: Callable[..., Problem]
    arrays: Dict[str, Any]
    settings: Settings

    def __post_init__(self) -> None:
        soft = {name: self.arrays[name] for name in COMPLIANCE if name in self.arrays}
        self.problem = self.make(**{n: v for n, v in self.arrays.items() if n not in soft})
        if soft:
            self.problem.comply(**soft)
        self.context = Context()
        solution, self.info = solve_once(self.problem, self.settings, context=self.context)
        self.solution: Solution = solution
        if self.info.outcome != Outcome.CONVERGED:
            raise ArithmeticError(f"the solve ended {self.info!r}: it has no derivative to speak of")

    @property
    def solved(self) -> Solved:
        return Solved(self.solution.impulse, self.solution.bilateral_impulse,
                      self.solution.velocity, self.solution.contact_velocity)

    def pull(self, loss: Solved) -> Dict[str, Reals]:
        """dL/d of the arrays, each of its own shape, from dL/d of the results."""
        parts = {name: value for name, value in loss._asdict().items()
                 if value is not None and np.size(value) > 0}
        found = gradient(self.problem, self.solution, settings=self.settings, context=self.context,
                         **parts)
        named = _named(self.problem.form, self.arrays, found)
        return {name: _like(value, self.arrays[name]) for name, value in named.items()
                if name in self.arrays and value is not None}


def _like(value: Reals, array: Any) -> Reals:
    """In the array's shape; one number stood for all."""
    return np.reshape(value if np.ndim(array) else np.sum(value), np.shape(array))


def _dense(value: Optional[Reals], like: Any) -> Optional[Reals]:
    """Numbers of a dense matrix in Fortran's order, as the matrix."""
    return None if value is None or like is None else np.reshape(value, np.shape(like), order="F")


def _named(form: Form, arrays: Dict[str, Any], g: Gradient) -> Dict[str, Optional[Reals]]:
    """The results under the names that the arguments have."""
    found: Dict[str, Optional[Reals]] = {
        "friction": g.friction, **{name: getattr(g, name) for name in COMPLIANCE}}
    if form == Form.RIGID:
        normal = np.asarray(arrays["normal"], dtype=np.float64).reshape(-1, 3)
        assert g.arm_a is not None and g.arm_b is not None
        found.update(
            velocity=g.velocity, inverse_mass=g.inverse_mass, inverse_inertia=g.inverse_inertia,
            arm_a=g.arm_a, arm_b=g.arm_b, reach_a=(g.arm_a * normal).sum(axis=1),
            reach_b=-(g.arm_b * normal).sum(axis=1), bias=(g.free_velocity * normal).sum(axis=1),
            surface_velocity=g.free_velocity, row_jacobian=g.row_jacobian,
            row_bias=g.row_free_velocity)
        if np.ndim(arrays["inverse_inertia"]) == 3:
            assert g.inverse_inertia is not None
            half = g.inverse_inertia * [1, .5, .5, 1, .5, 1]
            found["inverse_inertia"] = half[:, [0, 1, 2, 1, 3, 4, 2, 4, 5]]
    elif form == Form.BLOCKS:
        found.update(velocity=g.velocity, inverse_mass=g.inverse_mass, contact_jacobian=g.jacobian,
                     bias=g.free_velocity, bilateral_jacobian=g.row_jacobian,
                     bilateral_bias=g.row_free_velocity)
    elif form == Form.DELASSUS:
        found.update(w=_dense(g.delassus, arrays["w"]),
                     q=np.concatenate([g.free_velocity.ravel(), g.row_free_velocity]))
    else:
        found.update(mass=_dense(g.mass, arrays["mass"]), h=_dense(g.h, arrays["h"]),
                     g=_dense(g.g, arrays.get("g")), f=g.velocity, w=g.free_velocity,
                     b=g.row_free_velocity)
    return found
