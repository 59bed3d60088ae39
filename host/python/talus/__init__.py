"""Talus: worlds of grains and mechanisms, and contact problems with certified impulses.

    world = talus.World(gravity=(0, 0, -9.81))
    world.add_plane()
    ids = world.add_spheres(positions, radii)
    world.step(1000)
    world.position[ids]

    problem = talus.Problem.rigid(velocity=..., normal=..., ...)
    solution, info = talus.solve_once(problem, talus.Settings(tolerance=1e-6))

Names, units and sign conventions are those of the headers: SI, or any consistent set; impulses in
N s, acting as +impulse on body b and -impulse on body a, the normal from a to b.
"""

from .batch import Stack, solve_batch
from .enums import (Adhesion, Backend, BodyType, BondMode, Cone, Dump, Dynamics, Form, GenerateKind,
                    Integrator, JointCollide, JointKind, Law, LinkKind, Measure, Method, Miss, MotionKind, Motor,
                    Note, Outcome, Precision, Restitution, Scheme, ShapeKind, Softness, Stabilisation, Status,
                    Storage)
from .fleet import Copy, Fleet, FleetReport
from .gradient import Gradient, GradientNote, Regime, gradient
from .measured import Measured
from .mechanism import Mechanism
from .problem import Matrix, Problem
from .reports import Cell, ContactEvent, JointState, StepReport
from .run import Frame, Run
from .scene import Scene
from .settings import Settings
from .solver import (Certificate, Context, Error, Info, Islands, Solution, Solver, build_text,
                     certify, find_islands, solve_once, version, workspace, workspace_device)
from .stored import StoredProblem, generate_problem, read_problem, write_problem
from .world import World

__all__ = ["Adhesion", "Backend", "BodyType", "BondMode", "Cell", "Certificate", "Cone", "ContactEvent",
           "Context", "Copy", "Dump", "Dynamics", "Error", "Fleet", "FleetReport", "Form",
           "Frame", "GenerateKind", "Gradient", "GradientNote", "Info", "Integrator", "Islands", "JointCollide",
           "JointKind", "JointState", "Law", "LinkKind",
           "Matrix", "Measure", "Measured", "Mechanism", "Method", "Miss", "MotionKind", "Motor", "Note",
           "Outcome", "Precision", "Problem", "Regime", "Restitution", "Run", "Scene", "Scheme", "Settings",
           "ShapeKind", "Softness", "Solution", "Solver", "Stabilisation", "Stack", "Status", "StepReport",
           "Storage", "StoredProblem", "World", "build_text", "certify", "find_islands", "generate_problem", "gradient", "read_problem", "solve_batch",
           "solve_once", "version", "workspace", "workspace_device",
           "write_problem"]
