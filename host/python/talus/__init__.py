"""Talus: contact problems in, certified impulses out.

    problem = talus.Problem.rigid(velocity=..., normal=..., ...)
    solution, info = talus.solve_once(problem, talus.Settings(tolerance=1e-6))

Names, units and sign conventions are those of talus_solve.h: impulses in N s, acting as +impulse on
body b and -impulse on body a, the normal from a to b.
"""

from .enums import (Backend, Cone, Dump, Form, Law, Measure, Method, Note, Outcome, Precision,
                    Status, Storage)
from .problem import Matrix, Problem
from .settings import Settings
from .solver import (Certificate, Context, Error, Info, Islands, Solution, Solver, build_text,
                     certify, find_islands, solve_batch, solve_once, version, workspace,
                     workspace_device)

__all__ = ["Backend", "Certificate", "Cone", "Context", "Dump", "Error", "Form", "Info", "Islands",
           "Law", "Matrix", "Measure", "Method", "Note", "Outcome", "Precision", "Problem", "Settings", "Solution",
           "Solver", "Status", "Storage", "build_text", "certify", "find_islands", "solve_batch",
           "solve_once", "version", "workspace", "workspace_device"]
