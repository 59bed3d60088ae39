"""Solves as PyTorch operations (pip install talus-contact[torch]).

    from talus.torch import solve
    q = torch.tensor(..., dtype=torch.float64, requires_grad=True)
    found = solve(talus.Problem.delassus, w=w, q=q, friction=mu)
    found.impulse.sum().backward()        # q.grad, and w.grad, mu.grad if they want one
"""

from typing import Any, Callable, Dict, List, Optional, Tuple

import numpy as np
import torch

from .adjoint import Call, Solved, accurate
from .problem import Problem
from .settings import Settings


class _Solve(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, make: Callable[..., Problem], settings: Settings,
                fixed: Dict[str, Any], names: List[str], *tensors: torch.Tensor) -> Tuple[Any, ...]:
        arrays = {n: t.detach().cpu().numpy().astype(np.float64) for n, t in zip(names, tensors)}
        ctx.call = Call(make, {**fixed, **arrays}, settings)
        ctx.names, ctx.like = names, [(t.dtype, t.device) for t in tensors]
        results = [None if value is None else
                   torch.from_numpy(np.array(value)).to(tensors[0].device, tensors[0].dtype)
                   for value in ctx.call.solved]
        return tuple(results)

    @staticmethod
    def backward(ctx: Any, *losses: Optional[torch.Tensor]) -> Tuple[Any, ...]:
        loss = Solved(*(None if value is None else value.detach().cpu().numpy().astype(np.float64)
                        for value in losses))
        found = ctx.call.pull(loss)
        given = [torch.from_numpy(np.array(found[name])).to(device, dtype) if name in found else None
                 for name, (dtype, device) in zip(ctx.names, ctx.like)]
        return (None, None, None, None, *given)


def solve(make: Callable[..., Problem], settings: Optional[Settings] = None,
          **arrays: Any) -> Solved:
    """Solves Problem.rigid(...), blocks, delassus or global_ of the arrays, compliance and targets
    among them. Tensors of floating-point numbers have derivatives (normals of form (a) and bounds of
    rows have none); all else is taken as it is. A solve that does not converge is an ArithmeticError."""
    names = [name for name, value in arrays.items()
             if isinstance(value, torch.Tensor) and value.is_floating_point()]
    if not names:
        raise TypeError("solve: none of the arrays is a tensor of floating-point numbers")
    fixed = {name: value.detach().cpu().numpy() if isinstance(value, torch.Tensor) else value
             for name, value in arrays.items() if name not in names}
    return Solved(*_Solve.apply(make, accurate(settings), fixed, names,
                                *(arrays[name] for name in names)))
