#!/usr/bin/env python3
"""What an offloaded solve costs, part by part: the numbers of docs/measured/offload.md.

    TALUS_LIBRARY=build/lib/libtalus.so PYTHONPATH=build/python python3 bench/offload.py

One thread. Each number is the best of some solves; a pass is the difference of two solves that
differ in nothing but their iterations.
"""

import sys

import numpy as np

import talus


def lattice(side):
    """Balls in a cubic lattice on a floor, each touching six others; as named arrays."""
    index = np.arange(side ** 3).reshape(side, side, side)
    pairs = [(index[:-1], index[1:], 0), (index[:, :-1], index[:, 1:], 1),
             (index[:, :, :-1], index[:, :, 1:], 2), (np.full((side, side), -1), index[:, :, 0], 2)]
    a = np.concatenate([p[0].ravel() for p in pairs]).astype(np.int32)
    b = np.concatenate([p[1].ravel() for p in pairs]).astype(np.int32)
    normal = np.concatenate([np.tile(np.eye(3)[p[2]], (p[0].size, 1)) for p in pairs])
    draw = np.random.default_rng(1)
    order = draw.permutation(len(a))  # a simulator's contacts come in no order
    bodies = side ** 3
    velocity = 0.1 * draw.normal(size=(bodies, 6))
    velocity[:, 2] -= 1
    return dict(velocity=velocity, inverse_mass=np.ones(bodies),
                inverse_inertia=np.tile([250.0, 0, 0, 250, 0, 250], (bodies, 1)), body_a=a[order],
                body_b=b[order], normal=np.ascontiguousarray(normal[order]),
                friction=np.full(len(a), 0.5))


def with_reaches(p):
    n = len(p["body_a"])
    return talus.Problem.rigid(**p, reach_a=np.where(p["body_a"] < 0, 0, 0.1),
                               reach_b=np.full(n, 0.1))


def with_arms(p):
    arm = 0.1 * p["normal"]
    arm[:, 1] += 0.001  # or it would be balls again
    return talus.Problem.rigid(**p, arm_a=arm, arm_b=-arm)


def as_records(p):
    """The same in an array of structs in single precision, as a game engine has it."""
    n = len(p["body_a"])
    record = np.zeros(n, dtype=[("normal", "3f4"), ("arm_a", "3f4"), ("arm_b", "3f4"), ("mu", "f4"),
                                ("a", "i4"), ("b", "i4"), ("other", "40u1")])
    record["normal"], record["mu"] = p["normal"], p["friction"]
    record["a"], record["b"] = p["body_a"], p["body_b"]
    record["arm_a"], record["arm_b"] = 0.1 * p["normal"], -0.1 * p["normal"]
    record["arm_a"][:, 1] += 0.001
    record["arm_b"][:, 1] -= 0.001
    rest = {name: p[name] for name in ("velocity", "inverse_mass", "inverse_inertia")}
    return talus.Problem.rigid(**rest, normal=record["normal"], arm_a=record["arm_a"],
                               arm_b=record["arm_b"], friction=record["mu"], body_a=record["a"],
                               body_b=record["b"])


def as_blocks(p):
    """Form (b), one block of six per ball."""
    n, bodies = len(p["body_a"]), len(p["inverse_mass"])
    helper = np.where(np.abs(p["normal"][:, :1]) < 0.9, [[1.0, 0, 0]], [[0, 1.0, 0]])
    t1 = np.cross(p["normal"], helper)
    frame = np.stack((p["normal"], t1, np.cross(p["normal"], t1)), axis=1)
    arm = 0.1 * p["normal"]
    turn = np.cross(arm[:, None, :], frame)
    on_a, on_b = np.concatenate((-frame, -turn), axis=2), np.concatenate((frame, -turn), axis=2)
    both = p["body_a"] >= 0
    start = np.concatenate(([0], np.cumsum(1 + both)))
    jacobian, block = np.zeros((start[-1], 3, 6)), np.zeros(start[-1], np.int32)
    jacobian[start[1:] - 1], block[start[1:] - 1] = on_b, p["body_b"]
    jacobian[start[:-1][both]], block[start[:-1][both]] = on_a[both], p["body_a"][both]
    mass = np.tile(np.diag([1.0, 1, 1, 250, 250, 250]), (bodies, 1, 1))
    return talus.Problem.blocks(np.full(bodies, 6, np.int32), mass, p["velocity"], start, block,
                                jacobian, friction=p["friction"])


def best(problem, repeat=3, **settings):
    """Least seconds of each part over some solves."""
    solver = talus.Solver(talus.Context(threads=1),
                          talus.Settings(tolerance=1e-14, threads=1, same_bits=True, **settings))
    infos = []
    for _ in range(repeat):
        solver.update(problem)
        infos.append(solver.solve()[1])
    return {name: min(getattr(i, name) for i in infos)
            for name in ("seconds_check", "seconds_build", "seconds_iterate",
                         "seconds_certificate")}, infos[0]


def measure(name, problem, method, precision):
    n = problem.contact_count
    few, few_info = best(problem, method=method, precision=precision, max_iterations=5)
    many, many_info = best(problem, method=method, precision=precision, max_iterations=25)
    passes = many_info.passes - few_info.passes
    spent = many["seconds_iterate"] - few["seconds_iterate"]
    print(f"| {name} | {method}, {precision} | {1e9 * many['seconds_check'] / n:.0f} | "
          f"{1e9 * many['seconds_build'] / n:.0f} | {1e9 * spent / passes / n:.0f} | "
          f"{1e9 * many['seconds_certificate'] / n:.0f} | {many_info.bytes / n:.0f} |", flush=True)


def main():
    side = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    p = lattice(side)
    print(f"{side ** 3} bodies, {len(p['body_a'])} contacts, one thread, law coulomb; "
          "nanoseconds per contact\n")
    print("| problem | method | check | build | a pass | certificate | bytes |\n"
          "|---|---|---|---|---|---|---|")
    for name, make in (("(a) reaches: balls", with_reaches), ("(a) arms", with_arms),
                       ("(a) arms, records in float32", as_records),
                       ("(b) blocks of 6", as_blocks)):
        problem = make(p)
        for method, precision in (("gauss_seidel_nesterov", "f64"), ("apgdb", "f64"),
                                  ("apgdb", "f32")):
            measure(name, problem, method, precision)


if __name__ == "__main__":
    main()
