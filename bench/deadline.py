"""What fixed_iterations and derivatives take: the same counts, very different numbers.

    PYTHONPATH=build/python TALUS_LIBRARY=build/lib/libtalus.so python3 bench/deadline.py

Problems of 200 bodies and 400 contacts in a random graph, friction 0 .. 2, masses over four decades,
velocities from rest to 100 m/s, half of them without a contact that closes. CPU time of the calling
thread, update and solve; the median of 9 of each problem.
"""

import time

import numpy as np

import talus

BODIES, CONTACTS, PROBLEMS, REPEATS = 200, 400, 40, 9


def problem(draw):
    normal = draw.normal(size=(CONTACTS, 3))
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    b = np.arange(CONTACTS, dtype=np.int32) % BODIES
    mass = 10.0 ** draw.uniform(-2, 2, BODIES)
    inertia = np.zeros((BODIES, 6))
    inertia[:, [0, 3, 5]] = (mass * draw.uniform(100, 400))[:, None]
    return talus.Problem.rigid(
        velocity=draw.choice([0.0, 0.1, 100.0]) * draw.normal(size=(BODIES, 6)), inverse_mass=mass,
        inverse_inertia=inertia, body_a=((b + 1 + b // 7) % BODIES).astype(np.int32), body_b=b,
        normal=normal, reach_a=np.full(CONTACTS, .05), reach_b=np.full(CONTACTS, .05),
        friction=draw.uniform(0, 2, CONTACTS), bias=draw.choice([-1.0, 1.0]) * np.ones(CONTACTS))


def cpu(call):
    """Median CPU seconds."""
    taken = []
    for _ in range(REPEATS):
        begin = time.thread_time()
        call()
        taken.append(time.thread_time() - begin)
    return float(np.median(taken))


def spread(name, seconds):
    low, middle, high = np.min(seconds), np.median(seconds), np.max(seconds)
    print(f"{name:34s} least {1e3 * low:7.3f}  median {1e3 * middle:7.3f}  most {1e3 * high:7.3f} ms")


def main():
    context = talus.Context(threads=1)
    problems = [problem(np.random.default_rng(seed)) for seed in range(PROBLEMS)]
    for settings, name in ((talus.Settings(fixed_iterations=20), "fixed_iterations 20"),
                           (talus.Settings(fixed_iterations=100), "fixed_iterations 100"),
                           (talus.Settings(tolerance=1e-4, max_iterations=1000),
                            "tolerance 1e-4, at most 1000")):
        solver = talus.Solver(context=context, settings=settings)

        def both(p):
            solver.update(p)
            solver.solve()

        spread(name, [cpu(lambda: both(p)) for p in problems])
    law = talus.Settings(law="ccp", tolerance=1e-9, max_seconds=5)
    gradients, solves = [], []
    for p in problems[:10]:
        solution, info = talus.solve_once(p, law, context=context)
        solves.append(cpu(lambda: talus.solve_once(p, law, context=context)))
        gradients.append(cpu(lambda: talus.gradient(
            p, solution, velocity=np.ones((BODIES, 6)), settings=law, context=context)))
    spread("solve to 1e-9, law ccp", solves)
    spread("gradient of all parameters", gradients)


if __name__ == "__main__":
    main()
