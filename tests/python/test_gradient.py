"""Derivatives of a solve against finite differences: all forms, both laws, contacts that are open,
stick and slide, bilateral rows, compliance; notes; the wrappers for PyTorch and JAX where they are
installed. And solves of a fixed number of iterations.

Exit code 77 where NumPy is missing.
"""

import math
import sys
import unittest

try:
    import numpy as np
except ImportError:
    print("skipped: NumPy is not installed")
    sys.exit(77)

import talus

SOFT = ("compliance", "target_impulse", "row_compliance", "row_target_impulse")
RESULTS = ("impulse", "bilateral_impulse", "velocity", "contact_velocity")


def settings(law):
    return talus.Settings(law=law, tolerance=1e-13, max_iterations=1000000)


def made(make, arrays):
    problem = make(**{n: v for n, v in arrays.items() if n not in SOFT})
    problem.comply(**{n: arrays[n] for n in SOFT if n in arrays})
    return problem


def solved(make, arrays, law):
    problem = made(make, arrays)
    solution, info = talus.solve_once(problem, settings(law))
    assert info.measure < 1e-9, info
    return problem, solution


def inertia(draw, bodies):
    root = draw.normal(size=(bodies, 3, 3)) * 0.3
    full = np.einsum("nij,nkj->nik", root, root) + np.eye(3)
    return np.ascontiguousarray(full.reshape(-1, 9)[:, [0, 1, 2, 4, 5, 8]])


def rigid(seed, contacts=6, bodies=4, soft=False, rows=1):
    """Few enough contacts that impulses are unique."""
    draw = np.random.default_rng(seed)
    normal = draw.normal(size=(contacts, 3))
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    b = np.arange(contacts) % bodies
    a = np.where(np.arange(contacts) % 2 == 0, -1, (b + 1) % bodies)
    arrays = dict(
        velocity=draw.normal(size=(bodies, 6)), inverse_mass=1 + draw.random(bodies),
        inverse_inertia=inertia(draw, bodies), body_a=a.astype(np.int32), body_b=b.astype(np.int32),
        normal=normal, arm_a=0.3 * draw.normal(size=(contacts, 3)),
        arm_b=0.3 * draw.normal(size=(contacts, 3)), friction=draw.choice([0.0, 0.3, 1.5], contacts),
        bias=0.2 * draw.normal(size=contacts), surface_velocity=0.1 * draw.normal(size=(contacts, 3)),
        row_body_a=np.full(rows, -1, np.int32), row_body_b=np.zeros(rows, np.int32),
        row_jacobian=np.concatenate([np.zeros((rows, 6)), draw.normal(size=(rows, 6))], axis=1),
        row_bias=draw.normal(size=rows))
    if soft:
        arrays.update(compliance=0.3 * draw.random((contacts, 2)),
                      target_impulse=0.2 * draw.normal(size=(contacts, 3)),
                      row_compliance=0.3 * draw.random(rows), row_target_impulse=draw.normal(size=rows))
    return arrays


def delassus(seed, contacts=4, rows=2, dimension=3, symmetric=True, soft=False):
    draw = np.random.default_rng(seed)
    size = dimension * contacts + rows
    root = draw.normal(size=(size, size + 2))
    w = root @ root.T / size + 0.2 * np.eye(size)
    if not symmetric:
        w = w + 0.05 * draw.normal(size=(size, size))
    arrays = dict(w=w, q=draw.normal(size=size), dimension=dimension, bilateral_count=rows,
                  friction=draw.choice([0.2, 0.6, 1.5], contacts),
                  row_lower=np.full(rows, -0.3), row_upper=np.full(rows, 0.4))
    if soft:
        arrays.update(compliance=0.3 * draw.random((contacts, 2)))
    return arrays


def blocks(seed):
    """The rigid problem's W by Jacobian blocks of sizes 2, 5 and 3."""
    draw = np.random.default_rng(seed)
    size = np.array([2, 5, 3], np.int32)
    mass = [np.eye(n) + 0.2 * np.ones((n, n)) for n in size]
    start, block = np.array([0, 2, 3, 5], np.int64), np.array([0, 1, 1, 1, 2], np.int32)
    return dict(block_size=size, inverse_mass=np.concatenate([m.ravel() for m in mass]),
                velocity=draw.normal(size=10), contact_start=start, contact_block=block,
                contact_jacobian=draw.normal(size=int(3 * size[block].sum())),
                friction=np.array([0.4, 0.0, 1.2]), bias=0.1 * draw.normal(size=9),
                bilateral_start=np.array([0, 1], np.int64), bilateral_block=np.array([2], np.int32),
                bilateral_jacobian=draw.normal(size=3), bilateral_bias=np.array([0.3]))


def global_(seed):
    draw = np.random.default_rng(seed)
    n, contacts = 9, 2
    mass = np.zeros((n, n))
    for i in range(0, n, 3):
        root = draw.normal(size=(3, 3)) * 0.3
        mass[i:i + 3, i:i + 3] = root @ root.T + np.eye(3)
    return dict(mass=mass, h=draw.normal(size=(n, 3 * contacts)), f=draw.normal(size=n),
                w=0.2 * draw.normal(size=3 * contacts), g=draw.normal(size=(n, 1)),
                b=draw.normal(size=1), friction=np.array([0.3, 1.0]))


FORMS = {"rigid": (talus.Problem.rigid, rigid), "blocks": (talus.Problem.blocks, blocks),
         "delassus": (talus.Problem.delassus, delassus), "global": (talus.Problem.global_, global_)}


class FiniteDifferences(unittest.TestCase):
    """Directional derivatives along random changes of each array."""

    regimes = set()

    def compare(self, make, arrays, law, seed, results=RESULTS):
        draw = np.random.default_rng(seed + 100)
        problem, solution = solved(make, arrays, law)
        weights = {n: draw.normal(size=np.shape(getattr(solution, n))) for n in results
                   if getattr(solution, n) is not None}
        found = talus.gradient(problem, solution, settings=settings(law), **weights)
        if found.notes:
            return False
        self.assertLess(found.residual, 1e-9)
        FiniteDifferences.regimes |= {(law, int(r)) for r in found.regime}
        from talus.adjoint import _named
        named = _named(problem.form, arrays, found)
        for name, gradient in named.items():
            if name not in arrays or gradient is None or np.size(gradient) == 0:
                continue
            change = draw.normal(size=np.shape(arrays[name]))
            change = self.allowed(name, arrays, change)
            step = 1e-6

            def loss(sign):
                moved = dict(arrays, **{name: arrays[name] + sign * step * change})
                at = solved(make, moved, law)[1]
                return sum(float((weights[n] * getattr(at, n)).sum()) for n in weights)

            numeric = (loss(1) - loss(-1)) / (2 * step)
            exact = float((np.reshape(gradient, np.shape(change)) * change).sum())
            self.assertTrue(math.isclose(exact, numeric, rel_tol=2e-5, abs_tol=2e-5),
                            f"{law} {make.__name__} seed {seed} {name}: {exact} {numeric}")
        return True

    @staticmethod
    def allowed(name, arrays, change):
        """Symmetric matrices stay so; a contact without friction keeps it."""
        if name == "mass":
            change = change * (arrays["mass"] != 0)
            return change + change.T
        if name == "inverse_mass" and "block_size" in arrays:
            at, made = 0, np.array(change)
            for n in arrays["block_size"]:
                part = change[at:at + n * n].reshape(n, n)
                made[at:at + n * n] = (part + part.T).ravel()
                at += n * n
            return made
        if name == "friction":
            return change * (arrays["friction"] > 0)
        return change

    def check(self, name, seeds, **options):
        make, draw = FORMS[name]
        for law in ("coulomb", "ccp"):
            compared = sum(self.compare(make, draw(seed, **options), law, seed) for seed in range(seeds))
            self.assertGreaterEqual(compared, seeds - 1, "derivatives were refused")

    def test_rigid(self):
        self.check("rigid", 4)

    def test_soft(self):
        self.check("rigid", 3, soft=True)
        self.check("delassus", 2, soft=True)

    def test_blocks(self):
        self.check("blocks", 3)

    def test_delassus(self):
        self.check("delassus", 4)
        self.check("delassus", 2, dimension=2)
        self.check("delassus", 2, dimension=1)

    def test_asymmetric(self):
        self.check("delassus", 3, symmetric=False)

    def test_global(self):
        self.check("global", 3)

    @classmethod
    def tearDownClass(cls):
        met = {regime for _, regime in cls.regimes}
        assert met >= {0, 1, 2}, f"regimes met: {cls.regimes}"


class Notes(unittest.TestCase):
    def test_between(self):
        """A ball that comes to rest without impulse: open and closed at once."""
        problem = talus.Problem.delassus(np.eye(3), [0, 0, 0], friction=[0.5])
        solution, _ = talus.solve_once(problem)
        found = talus.gradient(problem, solution, impulse=[1, 0, 0])
        self.assertEqual((found.notes, found.between), (talus.GradientNote.BETWEEN, 1))

    def table(self, **loss):
        """A table on four legs: 12 rows, 6 ways to move."""
        legs = np.array([[1, 1, -.5], [1, -1, -.5], [-1, 1, -.5], [-1, -1, -.5]], float)
        problem = talus.Problem.rigid(
            velocity=[[.01, 0, -1, 0, 0, 0]], inverse_mass=[1.], inverse_inertia=[[1., 0, 0, 1, 0, 1]],
            body_a=np.full(4, -1, np.int32), body_b=np.zeros(4, np.int32),
            normal=np.tile([0., 0, 1], (4, 1)), arm_a=np.zeros((4, 3)), arm_b=legs,
            friction=np.full(4, .9))
        solution, _ = talus.solve_once(problem, talus.Settings(tolerance=1e-12))
        return talus.gradient(problem, solution, **loss)

    def test_not_unique(self):
        """One leg's impulse is not unique; the sum of all, and the velocity, are."""
        one = np.zeros((4, 3))
        one[0, 2] = 1
        found = self.table(impulse=one)
        self.assertEqual(found.notes, talus.GradientNote.NOT_UNIQUE)
        self.assertAlmostEqual(found.not_unique, 0.5, places=6)  # of (1, 0, 0, 0) on (1, -1, -1, 1)
        found = self.table(impulse=np.tile([0., 0, 1], (4, 1)))
        self.assertEqual(found.notes, talus.GradientNote(0))
        np.testing.assert_allclose(found.velocity, [[0, 0, -1, 0, 0, 0]], atol=1e-9)
        found = self.table(velocity=np.ones((1, 6)))
        self.assertEqual(found.notes, talus.GradientNote(0))
        np.testing.assert_allclose(found.velocity, np.zeros((1, 6)), atol=1e-9)

    def test_refused(self):
        problem = talus.Problem.delassus(np.eye(3), [-1., 0, 0], friction=[0.5])
        solution, _ = talus.solve_once(problem)
        for wrong, words in ((dict(impulse=[1, 2]), "shape"), (dict(impulse=[1, 2, math.nan]), "loss"),
                             (dict(velocity=[1.]), "velocity"), (dict(impulse="x"), "numbers")):
            with self.assertRaisesRegex((ValueError, TypeError, talus.Error), words):
                talus.gradient(problem, solution, **wrong)
        with self.assertRaisesRegex(talus.Error, "circular"):
            talus.gradient(problem, solution, impulse=[1, 0, 0], settings=talus.Settings(cone="box"))
        with self.assertRaises(ValueError):
            talus.gradient(problem, talus.Solution(), impulse=[1, 0, 0])

    def test_nothing(self):
        problem = talus.Problem.rigid(
            velocity=np.ones((1, 6)), inverse_mass=[1.], inverse_inertia=[[1., 0, 0, 1, 0, 1]],
            body_a=np.zeros(0, np.int32), body_b=np.zeros(0, np.int32), normal=np.zeros((0, 3)),
            reach_a=np.zeros(0), reach_b=np.zeros(0))
        solution, _ = talus.solve_once(problem)
        found = talus.gradient(problem, solution, velocity=np.full((1, 6), 2.))
        np.testing.assert_array_equal(found.velocity, np.full((1, 6), 2.))


class Fixed(unittest.TestCase):
    """fixed_iterations: so many, and no word on what they are worth."""

    def test_outcome(self):
        arrays = rigid(3, contacts=30, bodies=12)
        problem = made(talus.Problem.rigid, arrays)
        errors = []
        for count in (1, 10, 300):
            solution, info = talus.solve_once(problem, talus.Settings(fixed_iterations=count))
            self.assertEqual(info.outcome, talus.Outcome.UNCHECKED)
            self.assertEqual(info.iterations, count)
            self.assertTrue(math.isnan(info.measure))
            self.assertTrue(math.isnan(info.certificate.epsilon_coulomb))
            found = talus.certify(problem, solution.impulse, solution.bilateral_impulse)
            errors.append(found.epsilon_coulomb)
            self.assertLess(found.cone_violation, 1e-12)
        self.assertTrue(errors[0] > errors[1] > errors[2], errors)

    def test_nothing_to_do_is_unchecked(self):
        problem = talus.Problem.delassus(np.eye(3), [1., 0, 0], friction=[0.5])
        solution, info = talus.solve_once(problem, talus.Settings(fixed_iterations=5))
        self.assertEqual(info.outcome, talus.Outcome.UNCHECKED)
        np.testing.assert_array_equal(solution.impulse, np.zeros((1, 3)))

    def test_warm_start_goes_on(self):
        problem = made(talus.Problem.rigid, rigid(3, contacts=30, bodies=12))
        errors = []
        solver = talus.Solver(settings=talus.Settings(fixed_iterations=5, warm_start=True))
        solution = talus.Solution.empty(problem)
        for _ in range(4):
            solver.update(problem)
            solver.solve(solution)
            errors.append(talus.certify(problem, solution.impulse,
                                        solution.bilateral_impulse).epsilon_coulomb)
        self.assertLess(errors[-1], 0.2 * errors[0])

    def test_refused(self):
        problem = talus.Problem.delassus(np.eye(3), [-1., 0, 0], friction=[0.5])
        for wrong in (dict(method="newton"), dict(method="apgd"), dict(cone="box"),
                      dict(unique=True), dict(method="mncp_prox")):
            with self.assertRaisesRegex(talus.Error, "fixed_iterations"):
                talus.solve_once(problem, talus.Settings(fixed_iterations=3, **wrong))
        with self.assertRaisesRegex(talus.Error, "negative"):
            talus.solve_once(problem, talus.Settings(fixed_iterations=-1))

    def test_batch(self):
        problems = [made(talus.Problem.rigid, rigid(seed)) for seed in range(3)]
        for solution, info in talus.solve_batch(problems, talus.Settings(fixed_iterations=7)):
            self.assertEqual((info.outcome, info.iterations), (talus.Outcome.UNCHECKED, 7))


class Wrappers(unittest.TestCase):
    """The same numbers through PyTorch and JAX."""

    def expected(self, arrays):
        problem, solution = solved(talus.Problem.rigid, arrays, "coulomb")
        loss = dict(impulse=np.ones_like(solution.impulse), velocity=2 * solution.velocity)
        return talus.gradient(problem, solution, settings=settings("coulomb"), **loss)

    def test_torch(self):
        try:
            import torch
        except ImportError:
            self.skipTest("PyTorch is not installed")
        from talus.torch import solve
        arrays = rigid(2, soft=True)
        tensors = {n: torch.tensor(v, requires_grad=True) if v.dtype == float and n != "normal" else v
                   for n, v in arrays.items()}
        found = solve(talus.Problem.rigid, settings("coulomb"), **tensors)
        (found.impulse.sum() + (found.velocity ** 2).sum()).backward()
        exact = self.expected(arrays)
        for name in ("velocity", "inverse_mass", "inverse_inertia", "friction", "compliance", "arm_b",
                     "row_jacobian", "surface_velocity", "target_impulse"):
            wanted = getattr(exact, {"surface_velocity": "free_velocity"}.get(name, name))
            np.testing.assert_allclose(tensors[name].grad.numpy(), wanted, rtol=1e-9, atol=1e-9)
        q = torch.tensor([-1., .3, .2], dtype=torch.float64, requires_grad=True)
        w = torch.eye(3, dtype=torch.float64, requires_grad=True)
        self.assertTrue(torch.autograd.gradcheck(
            lambda q: solve(talus.Problem.delassus, settings("coulomb"), w=w.detach(), q=q,
                            friction=np.array([.2])).impulse, q, eps=1e-6, atol=1e-6))

    def test_jax(self):
        try:
            import jax
        except ImportError:
            self.skipTest("JAX is not installed")
        jax.config.update("jax_enable_x64", True)
        from talus.jax import solve
        arrays = rigid(2, soft=True)

        def loss(velocity, friction, compliance):
            found = solve(talus.Problem.rigid, settings("coulomb"), **dict(
                arrays, velocity=velocity, friction=friction, compliance=compliance))
            return found.impulse.sum() + (found.velocity ** 2).sum()

        given = arrays["velocity"], arrays["friction"], arrays["compliance"]
        exact = self.expected(arrays)
        for call in (jax.grad(loss, argnums=(0, 1, 2)), jax.jit(jax.grad(loss, argnums=(0, 1, 2)))):
            for got, wanted in zip(call(*given), (exact.velocity, exact.friction, exact.compliance)):
                np.testing.assert_allclose(got, wanted, rtol=1e-9, atol=1e-9)


if __name__ == "__main__":
    unittest.main()
