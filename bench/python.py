#!/usr/bin/env python3
"""What Python adds to C: the numbers of docs/measured/python.md.

    PYTHONPATH=build/python TALUS_LIBRARY=build/lib/libtalus.so python3 bench/python.py

Needs a C compiler (CC, default cc): loops of C calls over the very same solver, problem and world are
compiled and timed in turn with loops of Python. CPU time of one thread; the best of some rounds.
"""

import ctypes
import os
import subprocess
import sys
import tempfile
import time

import numpy as np

import talus
from talus import library, structs

LOOPS = """
#include <talus/talus_world.h>
void solves(talus_solver *solver, const talus_problem *problem, talus_solution *solution, int count) {
  for (int i = 0; i < count; i++) {
    talus_info info = talus_info_default();
    talus_solver_update(solver, problem);
    talus_solver_solve(solver, solution, &info);
  }
}
void batch(talus_context *context, const talus_settings *settings, int count,
           const talus_problem *problem, talus_solution *solution, talus_info *info,
           talus_status *status) {
  talus_solve_batch(context, settings, count, problem, solution, info, status);
}
void steps(talus_world *world, int count) {
  talus_step_report report = talus_step_report_default();
  for (int i = 0; i < count; i++) {
    talus_world_step(world, &report);
  }
}
"""


def compiled(folder):
    """The loops, linked to the library that the package uses."""
    source, made = os.path.join(folder, "loops.c"), os.path.join(folder, "loops.so")
    with open(source, "w") as file:
        file.write(LOOPS)
    include = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "include")
    subprocess.run([os.environ.get("CC", "cc"), "-O2", "-fPIC", "-shared", source, "-o", made, "-I",
                    include, os.path.abspath(library.library._name)], check=True)
    return ctypes.CDLL(made)


def best(*calls, rounds=15):
    """CPU seconds of each call, taken in turn."""
    found = [float("inf")] * len(calls)
    for _ in range(rounds):
        for i, call in enumerate(calls):
            begin = time.process_time()
            call()
            found[i] = min(found[i], time.process_time() - begin)
    return found


def random_rigid(contacts, bodies, seed):
    draw = np.random.default_rng(seed)
    normal = draw.normal(size=(contacts, 3))
    b = draw.integers(0, bodies, contacts)
    return dict(velocity=draw.normal(size=(bodies, 6)), inverse_mass=1 + draw.random(bodies),
                inverse_inertia=np.tile([2.0, 0, 0, 3, 0, 4], (bodies, 1)),
                body_a=np.where(draw.random(contacts) < 0.4, -1, (b + 1) % bodies).astype(np.int32),
                body_b=b.astype(np.int32), normal=normal / np.linalg.norm(normal, axis=1)[:, None],
                arm_a=0.3 * draw.normal(size=(contacts, 3)), arm_b=0.3 * draw.normal(size=(contacts, 3)),
                friction=np.full(contacts, 0.5))


def call_costs(loops):
    context = talus.Context(threads=1, backend="cpu")
    solver, count = talus.Solver(context), 1000
    for contacts in (1, 4):
        arrays = random_rigid(contacts, 3, contacts)
        problem = talus.Problem.rigid(**arrays)
        solution = talus.Solution.empty(problem)
        made = solution.struct(problem)

        def direct():
            loops.solves(ctypes.c_void_p(solver._solver), ctypes.c_void_p(problem._address),
                         ctypes.byref(made[0]), count)

        def given():
            for _ in range(count):
                solver.update(problem)
                solver.solve(solution)

        def new():
            for _ in range(count):
                solver.update(problem)
                solver.solve()

        def fresh():
            for _ in range(count):
                solver.update(talus.Problem.rigid(**arrays))
                solver.solve()

        c, *python = (1e6 * t / count for t in best(direct, given, new, fresh))
        print(f"update + solve, {contacts} contacts: C {c:.2f} us; beyond it: into a given solution "
              f"{python[0] - c:.2f}, a new one {python[1] - c:.2f}, a new problem too {python[2] - c:.2f}")


def batch_costs(loops, count=1000):
    context, settings = talus.Context(threads=1, backend="cpu"), talus.Settings(tolerance=1e-4)
    made = [random_rigid(10, 6, seed) for seed in range(count)]
    stacked = {name: np.stack([p[name] for p in made]) for name in made[0]}
    problems = [talus.Problem.rigid(**p) for p in made]
    solutions = [talus.Solution.empty(problem) for problem in problems]
    filled = [solution.struct(problem) for solution, problem in zip(solutions, problems)]
    problem_row = b"".join(ctypes.string_at(p._address, talus._core.problem_size) for p in problems)
    solution_row = b"".join(bytes(f[0]) for f in filled)
    info = library.fill(structs.Info)
    info_row, status = ctypes.create_string_buffer(bytes(info) * count), (ctypes.c_int * count)()
    used = settings.struct()

    def direct():
        loops.batch(context._handle, ctypes.byref(used), count, problem_row, solution_row, info_row,
                    status)

    c, stack, listed = best(direct, lambda: talus.solve_batch(talus.Stack.rigid(**stacked), settings,
                                                              context=context),
                            lambda: talus.solve_batch(problems, settings, solutions, context), rounds=7)
    print(f"batch of {count} problems of 10 contacts: C {1e6 * c / count:.1f} us each; a Stack "
          f"{stack / c:.3f} times, a list {listed / c:.3f} times")


def world_costs(loops, count=10000):
    places = np.mgrid[0:25, 0:25, 0:16].reshape(3, -1).T * 0.0205 + [0, 0, 0.0105]
    places = places + np.random.default_rng(1).uniform(-2e-4, 2e-4, places.shape)

    def world_make():
        world = talus.World(context=talus.Context(threads=1, backend="cpu"))
        world.add_plane()
        return world, world.add_spheres(places, 0.01)

    begin = time.process_time()
    world, _ = world_make()
    built = time.process_time() - begin
    world.step(60)
    world.position

    def read():
        world._stale = True
        return world.position, world.velocity, world.orientation, world.spin

    def watched():
        shown = world.position
        world.step()
        return shown

    reading, = best(read)
    print(f"{count} spheres: built in {1e3 * built:.1f} ms, state read in {1e3 * reading:.2f} ms")
    # The bed settles while it is measured: sums over steps that follow each other in turn.
    calls, sums = (lambda: loops.steps(world._handle, 1), world.step, watched), np.zeros(3)
    for i in range(150):
        begin = time.process_time()
        calls[i % 3]()
        sums[i % 3] += time.process_time() - begin
    c, python, seen = sums / 50
    print(f"a step of them: C {1e3 * c:.2f} ms, Python {python / c:.3f} times, with its arrays watched "
          f"{seen / c:.3f} times")


with tempfile.TemporaryDirectory() as place:
    made_loops = compiled(place)
    call_costs(made_loops)
    batch_costs(made_loops)
    world_costs(made_loops)
    sys.stdout.flush()
