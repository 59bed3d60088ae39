"""Solves as JAX functions (pip install talus-contact[jax]); they may be traced and compiled.

    from talus.jax import solve
    loss = lambda q: solve(talus.Problem.delassus, w=w, q=q, friction=mu).impulse.sum()
    jax.grad(loss)(q)

The solve runs on the host, in double precision; switch jax_enable_x64 on to get it whole.
"""

from typing import Any, Callable, Dict, List, Optional, Tuple

import jax
import jax.numpy as jnp
import numpy as np

from .adjoint import COMPLIANCE, Call, Solved, accurate
from .problem import Problem
from .settings import Settings


def _shapes(make: Callable[..., Problem], arrays: Dict[str, Any]) -> Solved:
    """Of the results, from arrays of which only the shapes are known: numbers of 1 stand for them."""
    stand = {n: np.ones(v.shape) if isinstance(v, jax.core.Tracer) else np.asarray(v)
             for n, v in arrays.items() if n not in COMPLIANCE}
    problem = make(**{n: v if v.ndim or v.dtype.kind == "f" else v[()] for n, v in stand.items()})
    contacts = (problem.contact_count, problem.dimension)
    kind = jnp.zeros(0).dtype
    return Solved(*(None if s is None else jax.ShapeDtypeStruct(s, kind) for s in (
        contacts, (problem.bilateral_count,), problem.velocity_shape, contacts)))


def solve(make: Callable[..., Problem], settings: Optional[Settings] = None,
          **arrays: Any) -> Solved:
    """Solves Problem.rigid(...), blocks, delassus or global_ of the arrays, compliance and targets
    among them. Arrays of floating-point numbers have derivatives (normals of form (a) and bounds of
    rows have none: 0); whole numbers and what is no array are taken as they are. A solve that does not
    converge is an ArithmeticError."""
    used = accurate(settings)
    names = [n for n, v in arrays.items()
             if isinstance(v, (jax.Array, np.ndarray)) and jnp.issubdtype(v.dtype, jnp.floating)]
    fixed = {n: v for n, v in arrays.items() if n not in names}
    shapes = _shapes(make, arrays)

    def call(values: List[Any]) -> Call:
        given = {n: np.asarray(v, dtype=np.float64) for n, v in zip(names, values)}
        return Call(make, {**fixed, **given}, used)

    def run(*values: Any) -> Tuple[Any, ...]:
        return tuple(np.asarray(x, dtype=s.dtype) for x, s in zip(call(list(values)).solved, shapes)
                     if s is not None)

    def pull(loss: Tuple[Any, ...], *values: Any) -> Tuple[Any, ...]:
        parts = iter(np.asarray(x, dtype=np.float64) for x in loss)
        found = call(list(values)).pull(Solved(*(None if s is None else next(parts) for s in shapes)))
        return tuple(np.asarray(found.get(n, np.zeros(np.shape(v))), dtype=v.dtype)
                     for n, v in zip(names, values))

    @jax.custom_vjp
    def solved(*values: Any) -> Tuple[Any, ...]:
        wanted = tuple(s for s in shapes if s is not None)
        return tuple(jax.pure_callback(run, wanted, *values))

    def forward(*values: Any) -> Tuple[Any, Any]:
        return solved(*values), values

    def backward(values: Any, loss: Any) -> Tuple[Any, ...]:
        like = tuple(jax.ShapeDtypeStruct(v.shape, v.dtype) for v in values)
        return tuple(jax.pure_callback(pull, like, tuple(loss), *values))

    solved.defvjp(forward, backward)
    results = iter(solved(*(jnp.asarray(arrays[n]) for n in names)))
    return Solved(*(None if s is None else next(results) for s in shapes))
