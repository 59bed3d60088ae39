#!/usr/bin/env python3
"""200 contact problems of Pinocchio's models, from Python: by Talus and by Pinocchio's ADMM.

    PYTHONPATH=build/python TALUS_LIBRARY=build/lib/libtalus.so python3 bench/robots.py

100 of a humanoid (pin's sample model, 32 velocities) with 1 .. 12 points of its links on planes, 100
of 2 .. 8 free bodies with as many contacts among each other and the ground as they have velocities
or fewer. The same dense W and q to both, exact law, to 1e-8; both results are judged by Talus'
certificate, and again here, by NumPy. CPU time of the calling thread, median of 5. Needs `pip
install pin`.
"""

import sys
import time

import numpy as np

try:
    import pinocchio as pin
except ImportError:
    print("skipped: Pinocchio is not installed (pip install pin)")
    sys.exit(77)

import talus

TOLERANCE, REPEATS = 1e-8, 5


def frame(normal):
    """A rotation whose third column is the normal: Pinocchio's contacts have it last."""
    helper = [1, 0, 0] if abs(normal[0]) < 0.9 else [0, 1, 0]
    t1 = np.cross(normal, helper)
    t1 /= np.linalg.norm(t1)
    return np.stack([t1, np.cross(normal, t1), normal], axis=1)


def free_bodies(draw, count):
    model = pin.Model()
    for i in range(count):
        joint = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), f"body{i}")
        half = draw.uniform(0.05, 0.2, 3)
        model.appendBodyToJoint(joint, pin.Inertia.FromBox(draw.uniform(0.5, 5), *(2 * half)),
                                pin.SE3.Identity())
    return model


def contact(draw, model, data, upright):
    """A point of a random link against the ground, or of two free bodies against each other."""
    first = int(draw.integers(1, model.njoints))
    second = 0 if upright or draw.random() < 0.5 else int(draw.integers(1, model.njoints))
    second = 0 if second == first else second
    normal = np.array([0, 0, 1.0]) + (0.2 if upright else 0.7) * draw.normal(size=3)
    at = pin.SE3(frame(normal / np.linalg.norm(normal)),
                 data.oMi[first].translation + draw.uniform(-0.1, 0.1, 3))
    # the first placement is the body that is pushed along the normal: 2 of Pinocchio's two
    return pin.PointContactConstraintModel(model, second, data.oMi[second].actInv(at), first,
                                           data.oMi[first].actInv(at))


def problem(seed):
    """Models, W and q in Pinocchio's order (t1, t2, n), friction."""
    draw = np.random.default_rng(seed)
    upright = seed % 2 == 0
    model = (pin.buildSampleModelHumanoid() if upright
             else free_bodies(draw, int(draw.integers(2, 9))))
    data = model.createData()
    q = pin.neutral(model)
    q = pin.integrate(model, q, 0.3 * draw.normal(size=model.nv))
    pin.forwardKinematics(model, data, q)
    count = int(draw.integers(1, 13 if upright else model.nv // 3))
    models, datas = pin.StdVec_ConstraintModel(), pin.StdVec_ConstraintData()
    friction = draw.uniform(0.1, 1.0, count)
    for mu in friction:
        made = contact(draw, model, data, upright)
        made.setFriction(float(mu))
        models.append(pin.ConstraintModel(made))
        datas.append(models[len(models) - 1].createData())
    pin.computeJointJacobians(model, data, q)
    rows = []
    for m, d in zip(models, datas):
        m.calc(model, data, d)
        rows.append(m.jacobian(model, data, d))
    jacobian = np.vstack(rows)
    mass = pin.crba(model, data, q)
    mass = np.triu(mass) + np.triu(mass, 1).T
    w = jacobian @ np.linalg.solve(mass, jacobian.T)
    free = draw.normal(size=model.nv)
    return models, datas, 0.5 * (w + w.T), jacobian @ free, friction


def talus_problem(w, q, friction):
    """The same in Talus' order (n, t1, t2)."""
    order = np.arange(len(q)).reshape(-1, 3)[:, [2, 0, 1]].ravel()
    return talus.Problem.delassus(w[np.ix_(order, order)], q[order], friction=friction), order


def judge(w, q, friction, impulse):
    """R(x)/R(0) by NumPy: the natural map of the exact law, each contact in its own metric."""
    def residual(x):
        u = (w @ x.ravel() + q).reshape(-1, 3)
        weight = np.diag(w).reshape(-1, 3).mean(axis=1)
        u = u.copy()
        u[:, 0] += friction * np.linalg.norm(u[:, 1:], axis=1)
        z = x - u / weight[:, None]
        m = np.linalg.norm(z[:, 1:], axis=1)
        along = (z[:, 0] + friction * m) / (1 + friction ** 2)
        inside, polar = m <= friction * z[:, 0], along <= 0
        turn = friction * along / np.where(m > 0, m, 1)
        p = np.concatenate([along[:, None], turn[:, None] * z[:, 1:]], axis=1)
        p = np.where(inside[:, None], z, np.where(polar[:, None], 0, p))
        return np.sqrt((weight[:, None] * (x - p) ** 2).sum())
    begin, end = residual(np.zeros_like(impulse)), residual(impulse)
    return end / begin if begin > 0 else (0.0 if end == 0 else np.inf)  # nothing presses


def cpu(call):
    taken = []
    for _ in range(REPEATS):
        begin = time.thread_time()
        result = call()
        taken.append(time.thread_time() - begin)
    return float(np.median(taken)), result


def admm(models, datas, w, q):
    settings, result = pin.ADMMSolverSettings(), pin.ADMMSolverResult()
    settings.max_iterations = 10000
    settings.absolute_feasibility_tol = settings.relative_feasibility_tol = 1e-10
    settings.absolute_complementarity_tol = settings.relative_complementarity_tol = 1e-10
    solver = pin.ADMMConstraintSolver(len(q))
    solver.solve(pin.DelassusOperatorDense(w), q, models, datas, settings, result)
    return np.array(result.retrieveConstraintImpulses())


def main(count=200):
    solver = talus.Solver(context=talus.Context(threads=1), settings=talus.Settings(tolerance=TOLERANCE))
    ours, theirs, solved, false = [], [], [0, 0], 0
    for seed in range(count):
        models, datas, w, q, friction = problem(seed)
        own, order = talus_problem(w, q, friction)

        def both():
            solver.update(own)
            return solver.solve()

        seconds, (solution, info) = cpu(both)
        permuted = w[np.ix_(order, order)]
        epsilon = judge(permuted, q[order], friction, solution.impulse)
        converged = info.outcome == talus.Outcome.CONVERGED
        false += converged and not epsilon <= 1.01 * TOLERANCE
        other, impulse = cpu(lambda: admm(models, datas, w, q))
        reached = judge(permuted, q[order], friction, impulse[order].reshape(-1, 3))
        solved[0] += converged
        solved[1] += reached <= TOLERANCE
        ours.append(seconds)
        theirs.append(other)
    ratio = np.array(theirs) / np.array(ours)
    print(f"{count} problems to {TOLERANCE:g}: Talus converged on {solved[0]}, false {false}; "
          f"ADMM within {TOLERANCE:g} on {solved[1]}")
    for name, part in (("humanoid", slice(0, None, 2)), ("free bodies", slice(1, None, 2))):
        print(f"{name:12s} median: Talus {1e6 * np.median(ours[part]):.1f} us, ADMM "
              f"{1e6 * np.median(theirs[part]):.1f} us; median of the ratios {np.median(ratio[part]):.1f}")
    return 0 if false == 0 else 1


if __name__ == "__main__":
    sys.exit(main(*(int(a) for a in sys.argv[1:])))
