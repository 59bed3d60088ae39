#!/usr/bin/env python3
"""MuJoCo with its contact solve offloaded to Talus.

MuJoCo keeps kinematics, collision and the smooth dynamics. Each step is taken twice from the same
state: by MuJoCo's own solver (mj_step), and by Talus, which is handed the contacts' Jacobians and
M^-1 per tree (form (b)) and solves exact Coulomb friction; its velocities go back to qvel and the
world is moved on. Both impulses are judged by the same certificate.

MuJoCo's contacts are soft by design: it lets them sink in and creep a little, and its cone is
associated with that. The certificate measures the distance from hard contact with Coulomb friction,
so what it says of MuJoCo's impulses is a difference of models, not an error of its solver.

Exit code 0: as expected; 1: not; 77: the packages mujoco or numpy are missing.
"""

import argparse
import os
import sys
import time

try:
    import mujoco
    import numpy as np
except ImportError as error:
    print(f"skipped: {error} (pip install mujoco numpy)")
    sys.exit(77)

try:
    import talus
except ModuleNotFoundError:  # not installed: the package and the library of the source tree
    sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "build", "python"))
    import talus

FRICTION = 0.6
STEP = 0.004


def scene(count):
    """Boxes, balls and capsules above a floor, and a chain of three links that swings into them."""
    bodies = []
    for i in range(count):
        shape = ('type="box" size=".1 .08 .06"', 'type="sphere" size=".09"',
                 'type="capsule" size=".06 .07"')[i % 3]
        at = " ".join(f"{0.24 * x:.3f}" for x in (i % 3 - 1, i // 3 % 3 - 1, i // 9 + 0.5))
        bodies.append(f'<body pos="{at}" euler="{10 * i % 40} {25 * i % 50} 0"><freejoint/>'
                      f'<geom {shape}/></body>')
    chain = ('<body pos="0 0 -.5"><joint axis="0 1 0"/>'
             '<geom type="capsule" fromto="0 0 0 0 0 -.4" size=".05"/>')
    return f"""<mujoco><option timestep="{STEP}" cone="elliptic" impratio="10" integrator="Euler"/>
<default><geom friction="{FRICTION} 0 0" condim="3" density="800"/></default>
<worldbody><geom type="plane" size="4 4 .1"/>
<body pos="1.2 0 1.6"><joint axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 -.45" size=".05"/>
{chain}{chain}</body></body></body>
{"".join(bodies)}</worldbody></mujoco>"""


def trees(model):
    """The first unknown and the size of each kinematic tree: M has a block for each."""
    first = np.append(np.flatnonzero(np.diff(model.dof_treeid, prepend=-1)), model.nv)
    return first[:-1], np.diff(first)


def inverse_masses(model, data, first, size):
    """M^-1 of each tree, one after the other."""
    mass = np.zeros((model.nv, model.nv))
    try:
        mujoco.mj_fullM(model, data, mass)
    except TypeError:  # before MuJoCo 4
        mujoco.mj_fullM(model, mass, data.qM)
    return [np.linalg.inv(mass[a:a + n, a:a + n]) for a, n in zip(first, size)]


def contact_entries(model, data, first, size):
    """Each contact's Jacobian in MuJoCo's frame (n, t1, t2), cut into the trees it touches."""
    start, block, jacobian = [0], [], []
    tree = np.asarray(model.dof_treeid)
    for contact in range(data.ncon):
        c = data.contact[contact]
        rows = np.zeros((3, model.nv))
        for sign, geom in ((-1, c.geom[0]), (1, c.geom[1])):
            point = np.zeros((3, model.nv))
            mujoco.mj_jac(model, data, point, None, c.pos, model.geom_bodyid[geom])
            rows += sign * c.frame.reshape(3, 3) @ point
        for t in np.unique(tree[np.abs(rows).max(axis=0) > 0]):
            block.append(t)
            jacobian.append(rows[:, first[t]:first[t] + size[t]].ravel())
        start.append(len(block))
    return np.array(start), np.array(block, np.int32), np.concatenate(jacobian or [np.zeros(0)])


def problem_of(model, data):
    """The step's contact problem: velocities as they would be without contacts, Jacobians, M^-1."""
    first, size = trees(model)
    start, block, jacobian = contact_entries(model, data, first, size)
    free = data.qvel + STEP * data.qacc_smooth
    distance = np.asarray(data.contact.dist)
    bias = np.zeros((data.ncon, 3))  # open: may close within the step; deep: a fifth is undone
    bias[:, 0] = np.where(distance > 0, distance / STEP, np.maximum(0.2 * distance / STEP, -1))
    return talus.Problem.blocks(
        block_size=size.astype(np.int32),
        inverse_mass=np.concatenate([m.ravel() for m in inverse_masses(model, data, first, size)]),
        velocity=free, contact_start=start, contact_block=block, contact_jacobian=jacobian,
        bias=bias, friction=np.array([data.contact[k].friction[0] for k in range(data.ncon)]))


def mujoco_impulses(model, data):
    """What MuJoCo's solver found, as impulses in (n, t1, t2)."""
    force, found = np.zeros(6), np.zeros((data.ncon, 3))
    for k in range(data.ncon):
        mujoco.mj_contactForce(model, data, k, force)
        found[k] = STEP * force[:3]
    return found


def smooth(model, data):
    """All of a step before its contacts are solved."""
    mujoco.mj_fwdPosition(model, data)
    mujoco.mj_fwdVelocity(model, data)
    mujoco.mj_fwdActuation(model, data)
    mujoco.mj_fwdAcceleration(model, data)


def step_mujoco(model, data):
    """MuJoCo's own step; CPU seconds of its solver alone, epsilon and depth."""
    smooth(model, data)
    problem = problem_of(model, data)
    begin = time.process_time()
    mujoco.mj_fwdConstraint(model, data)
    seconds = time.process_time() - begin
    epsilon = talus.certify(problem, mujoco_impulses(model, data)).epsilon_coulomb
    deepest = -min([0, *data.contact.dist])
    mujoco.mj_Euler(model, data)
    return seconds, epsilon, deepest


def step_talus(model, data, solver):
    """The same step with the contact impulses of Talus written back to qvel."""
    smooth(model, data)
    problem = problem_of(model, data)
    begin = time.process_time()
    solver.update(problem)
    solution, info = solver.solve()
    seconds = time.process_time() - begin
    data.qvel[:] = solution.velocity
    mujoco.mj_integratePos(model, data.qpos, data.qvel, STEP)
    data.time += STEP
    return seconds, info.certificate.epsilon_coulomb, -min([0, *data.contact.dist]), info


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--bodies", type=int, default=18, help="besides the chain; default 18")
    parser.add_argument("--seconds", type=float, default=0.5, help="simulated; default 0.5")
    parser.add_argument("--tolerance", type=float, default=1e-6, help="of Talus; default 1e-6")
    options = parser.parse_args()
    if options.bodies < 0 or not options.tolerance > 0 or not STEP <= options.seconds < 1e6:
        parser.error(f"--bodies wants 0 or more, --tolerance a positive number, --seconds at least {STEP}")
    model = mujoco.MjModel.from_xml_string(scene(options.bodies))
    ours, theirs = mujoco.MjData(model), mujoco.MjData(model)
    solver = talus.Solver(talus.Context(threads=1), talus.Settings(tolerance=options.tolerance))
    steps = round(options.seconds / STEP)
    rows, missed = [], 0
    for _ in range(steps):
        talus_row = step_talus(model, ours, solver)
        missed += talus_row[3].outcome != talus.Outcome.CONVERGED
        rows.append(talus_row[:3] + step_mujoco(model, theirs))
    table = np.array(rows)[-steps // 2:]  # the first half is free fall
    print(f"MuJoCo {mujoco.__version__}, {options.bodies + 1} trees, {model.nv} unknowns, "
          f"{ours.ncon} contacts at the end, {len(table)} steps of {1e3 * STEP:g} ms")
    print(f"{'':<10} {'CPU ms':>12} {'epsilon, mean':>14} {'worst':>10} {'deepest, mm':>12}")
    for name, at in (("MuJoCo", 3), ("Talus", 0)):
        part = table[:, at:at + 3]
        print(f"{name:<10} {1e3 * part[:, 0].mean():>12.3f} {part[:, 1].mean():>14.2e} "
              f"{part[:, 1].max():>10.2e} {1e3 * part[:, 2].max():>12.3f}")
    worst = table[:, 1].max()
    good = np.isfinite(ours.qpos).all() and worst < 1e-3 and table[:, 2].max() < 0.01
    print(f"steps that missed {options.tolerance:g}: {missed} of {steps}; "
          f"{'as expected' if good else 'not as expected'}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
