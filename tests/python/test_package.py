"""The Python package over libtalus: layouts, arrays without copies, all forms, errors.

Exit code 77 where NumPy is missing. Results are judged here, by NumPy, from the problem's own
arrays.
"""

import copy
import ctypes
import gc
import multiprocessing
import os
import subprocess
import sys
import threading
import unittest

try:
    import numpy as np
except ImportError:
    print("skipped: NumPy is not installed")
    sys.exit(77)

import talus
from talus import enums, library, structs


def random_rigid(contacts=12, bodies=6, seed=1, dtype=np.float64):
    """Bodies of general inertia touching each other and the ground, as named arrays."""
    draw = np.random.default_rng(seed)
    normal = draw.normal(size=(contacts, 3))
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    b = draw.integers(0, bodies, contacts)
    a = np.where(draw.random(contacts) < 0.4, -1, (b + 1) % bodies)
    inertia = np.zeros((bodies, 6))
    inertia[:, [0, 3, 5]] = 2 + draw.random((bodies, 3))
    inertia[:, [1, 2, 4]] = 0.2 * draw.normal(size=(bodies, 3))
    made = dict(velocity=draw.normal(size=(bodies, 6)), inverse_mass=1 + draw.random(bodies),
                inverse_inertia=inertia, normal=normal, arm_a=0.3 * draw.normal(size=(contacts, 3)),
                arm_b=0.3 * draw.normal(size=(contacts, 3)),
                friction=0.2 + 0.5 * draw.random(contacts),
                bias=0.1 * draw.normal(size=contacts))
    made = {name: value.astype(dtype) for name, value in made.items()}
    made["normal"] = normal if dtype == np.float64 else made["normal"]
    return dict(made, body_a=a.astype(np.int32), body_b=b.astype(np.int32))


def frames(normal):
    """t1 and t2 to each normal."""
    helper = np.where(np.abs(normal[:, :1]) < 0.9, [[1, 0, 0]], [[0, 1, 0]])
    t1 = np.cross(normal, helper)
    t1 /= np.linalg.norm(t1, axis=1)[:, None]
    return t1, np.cross(normal, t1)


def dense(p):
    """Jacobian (3n, 6 bodies) in (n, t1, t2), M^-1, and q."""
    n, bodies = len(p["body_a"]), len(p["inverse_mass"])
    rows = np.stack((p["normal"],) + frames(p["normal"]), axis=1)
    jacobian = np.zeros((3 * n, 6 * bodies))
    for k in range(n):
        for side, sign in (("a", -1), ("b", 1)):
            body, arm = p["body_" + side][k], p["arm_" + side][k]
            if body >= 0:
                jacobian[3 * k:3 * k + 3, 6 * body:6 * body + 3] = sign * rows[k]
                jacobian[3 * k:3 * k + 3, 6 * body + 3:6 * body + 6] = sign * np.cross(arm, rows[k])
    inverse = np.zeros((6 * bodies, 6 * bodies))
    for i in range(bodies):
        xx, xy, xz, yy, yz, zz = p["inverse_inertia"][i]
        inverse[6 * i:6 * i + 3, 6 * i:6 * i + 3] = p["inverse_mass"][i] * np.eye(3)
        turning = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
        inverse[6 * i + 3:6 * i + 6, 6 * i + 3:6 * i + 6] = turning
    bias = np.zeros(3 * n)
    bias[::3] = p["bias"]
    return jacobian, inverse, jacobian @ p["velocity"].ravel() + bias, bias


def violation(w, q, friction, impulse):
    """How far impulses in (n, t1, t2) are from exact Coulomb friction, relative to none at all."""
    def residual(x):
        u = (w @ x.ravel() + q).reshape(-1, 3)
        total = 0.0
        for k, mu in enumerate(friction):
            weight = np.trace(w[3 * k:3 * k + 3, 3 * k:3 * k + 3]) / 3
            z = x[k] - (u[k] + [mu * np.hypot(u[k, 1], u[k, 2]), 0, 0]) / weight
            length = np.hypot(z[1], z[2])
            if length <= mu * z[0]:
                p = z
            elif mu * length <= -z[0]:
                p = np.zeros(3)
            else:
                along = (z[0] + mu * length) / (1 + mu * mu)
                p = np.array([along, *(mu * along * z[1:] / length)])
            total += weight * np.sum((x[k] - p) ** 2)
        return np.sqrt(total)
    return residual(impulse) / residual(np.zeros_like(impulse))


class Layouts(unittest.TestCase):
    def test_offsets_are_the_headers(self):
        """A C program says where the header has each field."""
        compiler, include = os.environ.get("TALUS_CC"), os.environ.get("TALUS_INCLUDE")
        if not compiler or not include:
            self.skipTest("no compiler was named")
        pairs = {"talus_matrix": structs.Matrix, "talus_rigid": structs.Rigid,
                 "talus_blocks": structs.Blocks, "talus_delassus": structs.Delassus,
                 "talus_global": structs.Global, "talus_strided": structs.Strided,
                 "talus_layout": structs.Layout, "talus_problem": structs.Problem,
                 "talus_settings": structs.Settings, "talus_solution": structs.Solution,
                 "talus_solution_layout": structs.SolutionLayout,
                 "talus_certificate": structs.Certificate, "talus_info": structs.Info,
                 "talus_context_def": structs.ContextDef, "talus_islands": structs.Islands,
                 "talus_world_def": structs.WorldDef, "talus_material_def": structs.MaterialDef,
                 "talus_cell": structs.Cell,
                 "talus_body_def": structs.BodyDef, "talus_shape_def": structs.ShapeDef,
                 "talus_step_report": structs.StepReport, "talus_body_state": structs.BodyState,
                 "talus_contact": structs.Contact, "talus_motion_def": structs.MotionDef,
                 "talus_joint_def": structs.JointDef, "talus_joint_state": structs.JointState,
                 "talus_bond_def": structs.BondDef, "talus_bond": structs.Bond,
                 "talus_broken_bond": structs.BrokenBond,
                 "talus_link_def": structs.LinkDef, "talus_mechanism_def": structs.MechanismDef,
                 "talus_loop_def": structs.LoopDef, "talus_coupling_def": structs.CouplingDef,
                 "talus_touch": structs.Touch, "talus_fleet_def": structs.FleetDef,
                 "talus_fleet_report": structs.FleetReport, "talus_urdf_def": structs.UrdfDef}
        lines = ["#include <stdio.h>", "#include <talus/talus_solve.h>",
                 "#include <talus/talus_urdf.h>", "int main(void) {"]
        wanted = []
        for name, struct in pairs.items():
            for field, *_ in struct._fields_:
                lines.append(f'printf("%zu\\n", offsetof({name}, {field}));')
                wanted.append((f"{name}.{field}", getattr(struct, field).offset))
            if struct not in structs.SIZED:
                lines.append(f'printf("%zu\\n", sizeof({name}));')
                wanted.append((f"sizeof {name}", ctypes.sizeof(struct)))
        with open("offsets.c", "w") as file:
            file.write("\n".join(lines + ["return 0; }\n"]))
        subprocess.run([compiler, "offsets.c", "-o", "offsets", "-I", include], check=True)
        said = subprocess.run(["./offsets"], check=True, capture_output=True, text=True).stdout
        for (name, ours), theirs in zip(wanted, said.split()):
            self.assertEqual(ours, int(theirs), name)
        self.assertEqual(len(wanted), len(said.split()))

    def test_names_are_the_librarys(self):
        for kind, function in ((enums.Status, "status_name"), (enums.Law, "law_name"),
                               (enums.Method, "method_name"), (enums.Cone, "cone_name"),
                               (enums.Outcome, "outcome_name")):
            for member in kind:
                self.assertEqual(library.text(function, member).upper(), member.name)

    def test_defaults_are_the_librarys(self):
        ours, theirs = talus.Settings().struct(), library.fill(structs.Settings)
        for name, *_ in structs.Settings._fields_:
            if name != "progress":
                self.assertEqual(getattr(ours, name), getattr(theirs, name), name)


class Forms(unittest.TestCase):
    settings = talus.Settings(tolerance=1e-8)

    def setUp(self):
        self.p = random_rigid()
        self.jacobian, self.inverse, self.q, self.bias = dense(self.p)
        self.w = self.jacobian @ self.inverse @ self.jacobian.T

    def judge(self, impulse, info):
        self.assertEqual(info.outcome, talus.Outcome.CONVERGED)
        self.assertLess(violation(self.w, self.q, self.p["friction"], impulse), 1e-7)

    def test_rigid(self):
        solution, info = talus.solve_once(talus.Problem.rigid(**self.p), self.settings)
        frame = np.stack((self.p["normal"],) + frames(self.p["normal"]), axis=1)
        local = np.einsum("kij,kj->ki", frame, solution.impulse)
        self.judge(local, info)
        after = self.p["velocity"].ravel() + self.inverse @ self.jacobian.T @ local.ravel()
        np.testing.assert_allclose(solution.velocity.ravel(), after, atol=1e-9)
        self.assertLess(info.certificate.momentum_balance, 1e-12)

    def entries(self):
        """Contacts of form (b): blocks of one body each."""
        start, block, jacobian = [0], [], []
        for k in range(len(self.p["body_a"])):
            for body in (self.p["body_a"][k], self.p["body_b"][k]):
                if body >= 0:
                    block.append(body)
                    jacobian.append(self.jacobian[3 * k:3 * k + 3, 6 * body:6 * body + 6])
            start.append(len(block))
        masses = [self.inverse[6 * i:6 * i + 6, 6 * i:6 * i + 6]
                  for i in range(len(self.p["inverse_mass"]))]
        return dict(block_size=np.full(len(masses), 6, np.int32),
                    inverse_mass=np.array(masses), velocity=self.p["velocity"],
                    contact_start=np.array(start), contact_block=np.array(block, np.int32),
                    contact_jacobian=np.array(jacobian), bias=self.bias)

    def test_blocks(self):
        problem = talus.Problem.blocks(**self.entries(), friction=self.p["friction"])
        solution, info = talus.solve_once(problem, self.settings)
        self.judge(solution.impulse, info)
        self.assertEqual(solution.velocity.shape, (36,))

    def test_delassus(self):
        problem = talus.Problem.delassus(self.w, self.q, friction=self.p["friction"])
        solution, info = talus.solve_once(problem, self.settings)
        self.judge(solution.impulse, info)
        np.testing.assert_allclose(solution.contact_velocity.ravel(),
                                   self.w @ solution.impulse.ravel() + self.q, atol=1e-9)

    def test_delassus_by_rows(self):
        index = np.tile(np.arange(36, dtype=np.int32), 36)
        matrix = talus.Matrix(talus.Storage.CSR, (36, 36), self.w.ravel(), index,
                              np.arange(0, 36 * 36 + 1, 36))
        problem = talus.Problem.delassus(matrix, self.q, friction=self.p["friction"])
        self.judge(*self.unpack(talus.solve_once(problem, self.settings)))

    @staticmethod
    def unpack(result):
        return result[0].impulse, result[1]

    def test_global(self):
        mass = np.linalg.inv(self.inverse)
        problem = talus.Problem.global_(mass, self.jacobian.T, mass @ self.p["velocity"].ravel(),
                                        self.bias, friction=self.p["friction"])
        self.judge(*self.unpack(talus.solve_once(problem, self.settings)))

    def test_bilateral_rows(self):
        row = np.zeros((1, 12))
        row[0, 6] = 1  # body 0 does not move along x
        problem = talus.Problem.rigid(**self.p, row_body_a=[-1], row_body_b=[0], row_jacobian=row)
        solution, info = talus.solve_once(problem, self.settings)
        self.assertLess(abs(solution.velocity[0, 0]), 1e-6)
        self.assertNotEqual(solution.bilateral_impulse[0], 0)
        self.assertLess(info.certificate.bilateral, 1e-6)


class Arrays(unittest.TestCase):
    def test_records_go_in_and_come_out_in_place(self):
        p = random_rigid()
        contact = np.zeros(12, dtype=[("normal", "3f8"), ("name", "i4"), ("a", "i4"), ("b", "i4"),
                                      ("mu", "f4"), ("impulse", "3f8"), ("arm", "6f8")], )
        contact["normal"], contact["a"], contact["b"] = p["normal"], p["body_a"], p["body_b"]
        contact["mu"], contact["arm"] = p["friction"], np.hstack((p["arm_a"], p["arm_b"]))
        p.update(normal=contact["normal"], body_a=contact["a"], body_b=contact["b"],
                 friction=contact["mu"], arm_a=contact["arm"][:, :3], arm_b=contact["arm"][:, 3:])
        problem = talus.Problem.rigid(**p)
        solution, info = talus.solve_once(problem, talus.Settings(tolerance=1e-8),
                                          talus.Solution(impulse=contact["impulse"]))
        self.assertEqual(info.outcome, talus.Outcome.CONVERGED)
        self.assertGreater(np.abs(contact["impulse"]).max(), 0.01)
        packed = {k: np.ascontiguousarray(v) for k, v in p.items()}
        packed["friction"] = packed["friction"].astype(np.float64)
        other, _ = talus.solve_once(talus.Problem.rigid(**packed), talus.Settings(tolerance=1e-8))
        np.testing.assert_array_equal(contact["impulse"], other.impulse)

    def test_nothing_is_copied(self):
        p = random_rigid()
        problem = talus.Problem.rigid(**p)
        self.assertEqual(problem.struct.rigid.velocity, p["velocity"].ctypes.data)
        self.assertEqual(problem.struct.rigid.normal, p["normal"].ctypes.data)

    def test_arrays_outlive_their_names(self):
        problem = talus.Problem.rigid(**random_rigid())
        for _ in range(50):
            np.full((12, 3), np.nan)  # would land in memory that was freed
        self.assertEqual(talus.solve_once(problem)[1].outcome, talus.Outcome.CONVERGED)

    def test_other_types_are_refused(self):
        p = random_rigid()
        with self.assertRaisesRegex(TypeError, "rigid.body_b is of type int64: int32 is needed"):
            talus.Problem.rigid(**dict(p, body_b=p["body_b"].astype(np.int64)))
        with self.assertRaisesRegex(TypeError, "rigid.velocity is of type int64"):
            talus.Problem.rigid(**dict(p, velocity=np.zeros((6, 6), int)))
        with self.assertRaisesRegex(ValueError, "rigid.normal has 5 elements, 12 are needed"):
            talus.Problem.rigid(**dict(p, normal=p["normal"][:5]))
        with self.assertRaisesRegex(ValueError, "side by side"):
            talus.Problem.rigid(**dict(p, normal=np.asfortranarray(p["normal"])))
        with self.assertRaisesRegex(ValueError, "solution.impulse has 3 elements"):
            talus.solve_once(talus.Problem.rigid(**p), None, talus.Solution(np.zeros((3, 3))))


    def test_places_that_cannot_be_read_are_refused(self):
        """Strides of 0 would mean packed to the library, which would read behind the array."""
        p = random_rigid()
        record = np.zeros(12, dtype=[("flag", "u1"), ("mu", "f8")])  # numbers between words
        shifted = np.zeros(12 * 8 + 1, np.uint8)[1:].view(np.float64)
        for friction, said in ((np.broadcast_to(0.3, 12), "stride of 0 bytes"),
                               (p["friction"][::-1], "stride of -8 bytes"),
                               (record["mu"], "whole numbers"), (shifted, "whole numbers")):
            with self.assertRaisesRegex(ValueError, f"friction .*{said}.*copy"):
                talus.Problem.rigid(**dict(p, friction=friction))
            talus.Problem.rigid(**dict(p, friction=friction.copy()))
        with self.assertRaisesRegex(ValueError, "rigid.normal has a stride of 0"):
            talus.Problem.rigid(**dict(p, normal=np.broadcast_to([0.0, 0, 1], (12, 3))))
        out = np.lib.stride_tricks.as_strided(np.zeros((1, 3)), (12, 3), (0, 8))
        with self.assertRaisesRegex(ValueError, "solution.impulse has a stride of 0"):
            talus.solve_once(talus.Problem.rigid(**p), None, talus.Solution(impulse=out))
        masked = np.ma.masked_array(p["friction"], mask=p["friction"] > 0.4)
        with self.assertRaisesRegex(TypeError, "mask"):
            talus.Problem.rigid(**dict(p, friction=masked))

    def test_lists_lose_nothing(self):
        p = random_rigid()
        for body_b, said in (([0.7] * 12, "float64"), ([2 ** 40] * 12, "int32 does not hold"),
                             (["x"] * 12, "rigid.body_b")):
            with self.assertRaisesRegex((TypeError, ValueError), said):
                talus.Problem.rigid(**dict(p, body_b=body_b))
        with self.assertRaisesRegex(TypeError, "rigid.body_a is missing"):
            talus.Problem.rigid(**dict(p, body_a=None))
        with self.assertRaisesRegex(ValueError, "no whole number of contacts"):
            talus.Problem.delassus(np.eye(7), np.zeros(7))

    def test_an_array_given_anew_replaces_the_last(self):
        p = random_rigid(2, 2)
        p.update(body_a=np.array([-1, -1], np.int32), body_b=np.array([0, 1], np.int32))
        problem = talus.Problem.rigid(**p)
        pairs = np.array([[1, 7], [0, 7]], np.int32)
        for asleep, wanted in ((np.ones(2, np.int32), 2), (pairs[:, 0], 1), (np.zeros(2, np.int32), 0)):
            problem.asleep(asleep)
            self.assertEqual(talus.solve_once(problem)[1].islands_asleep, wanted)


class Lives(unittest.TestCase):
    def test_cycles_are_collected_in_any_order(self):
        for _ in range(20):
            solver = talus.Solver(talus.Context())
            solver.update(talus.Problem.rigid(**random_rigid()))
            solver.me = solver.context.me = [solver, solver.context]
        del solver
        gc.collect()
        with self.assertRaisesRegex(TypeError, "cannot be copied"):
            copy.copy(talus.Solver())

    def test_a_refused_update_leaves_the_solve_its_arrays(self):
        other = talus.Problem.rigid(**random_rigid(seed=9))
        wanted = talus.solve_once(talus.Problem.rigid(**random_rigid(200, 60)))[0].impulse
        solver = talus.Solver()
        solver.update(talus.Problem.rigid(**random_rigid(200, 60)))  # nobody else has it
        solver.solve_async()
        with self.assertRaises(talus.Error):
            solver.update(other)
        gc.collect()
        waste = [np.full((60, 6), np.nan) for _ in range(50)]
        solution, info = solver.wait()
        self.assertEqual(info.outcome, talus.Outcome.CONVERGED)
        np.testing.assert_array_equal(solution.impulse, wanted)
        del waste

    def test_a_second_thread_is_sent_away(self):
        inside, leave, seen = threading.Event(), threading.Event(), []

        def progress(*where):
            inside.set()
            leave.wait(10)

        solver = talus.Solver(settings=talus.Settings(method="jacobi", tolerance=1e-12,
                                                      max_iterations=50, progress=progress))
        problem = talus.Problem.rigid(**random_rigid())
        solver.update(problem)
        thread = threading.Thread(target=lambda: seen.append(solver.solve()))
        thread.start()
        self.assertTrue(inside.wait(10))
        for call in (solver.solve, solver.solve_async, solver.wait,
                     lambda: solver.update(problem), lambda: solver.set(talus.Settings())):
            with self.assertRaises(talus.Error) as refused:
                call()
            self.assertEqual(refused.exception.status, talus.Status.BUSY)
        leave.set()
        thread.join()
        self.assertEqual(seen[0][1].iterations, 50)


class Waits(talus.Settings):
    """Each call of progress waits, in C, until another thread of Python has posted."""

    def struct(self):
        made = super().struct()
        made.progress = ctypes.cast(LIBC.sem_wait, structs.progress_fn)
        made.progress_user = ctypes.addressof(SEMAPHORE)
        return made


LIBC = ctypes.CDLL(None)
SEMAPHORE = ctypes.create_string_buffer(64)  # a sem_t


def solve_beside_a_thread(kind):
    """Ends if Python goes on during the solve: a post is made only when the one before is used up."""
    settings, value, over, posts = Waits(tolerance=1e-9, method="gauss_seidel"), ctypes.c_int(), [], []
    LIBC.sem_init(SEMAPHORE, 0, 0)

    def post():
        while not over:
            LIBC.sem_getvalue(SEMAPHORE, ctypes.byref(value))
            if value.value == 0:
                posts.append(LIBC.sem_post(SEMAPHORE))

    thread = threading.Thread(target=post, daemon=True)
    problem = talus.generate_problem("heap", body_count=40).problem
    world = talus.World(settings=settings)
    world.add_plane()
    world.add_spheres(np.arange(20)[:, None] * [0, 0, 0.019] + [0, 0, 0.009], 0.01)
    thread.start()
    if kind == "world":
        world.step(5)
    else:
        solver = talus.Solver(settings=settings)
        solver.update(problem)
        if kind == "solve":
            solver.solve()
        else:
            solver.solve_async()
            solver.wait()
    over.append(True)
    thread.join()
    assert len(posts) > 2, posts


def forked_solve(solver, settings, problem, queue):
    """In a child process: by the solver that was inherited, then by one of the child's own."""
    solver.update(problem)
    inherited, info = solver.solve()
    own = talus.Solver(talus.Context(threads=2), settings)
    own.update(problem)
    queue.put((inherited.impulse, info.threads, own.solve()[0].impulse))


class Forks(unittest.TestCase):
    def test_children_of_multiprocessing_solve(self):
        method = multiprocessing.get_context("fork")
        problem = talus.Problem.rigid(**random_rigid(6000, 2000))
        settings = talus.Settings(method="apgd", max_iterations=50, tolerance=1e-9)
        solver = talus.Solver(talus.Context(threads=2, backend="cpu"), settings)
        solver.update(problem)
        wanted, info = solver.solve()
        self.assertEqual(info.threads, 2)
        queue = method.Queue()
        child = method.Process(target=forked_solve, args=(solver, settings, problem, queue))
        child.start()
        try:
            inherited, threads, own = queue.get(timeout=60)  # raises where the child hangs
            child.join(60)
            self.assertEqual(child.exitcode, 0)
        finally:
            child.kill()
            child.join()
        self.assertEqual(threads, 1)
        np.testing.assert_array_equal(inherited, wanted.impulse)
        np.testing.assert_array_equal(own, wanted.impulse)


class Threads(unittest.TestCase):
    def test_python_goes_on_during_a_solve(self):
        if not all(hasattr(LIBC, name) for name in ("sem_init", "sem_wait", "sem_post", "sem_getvalue")):
            self.skipTest("libc has no semaphores")
        for kind in ("solve", "wait", "world"):
            with self.subTest(kind):
                done = subprocess.run([sys.executable, os.path.abspath(__file__), "--beside", kind],
                                      capture_output=True, text=True, timeout=120)
                self.assertEqual(done.returncode, 0, done.stderr)


class Calls(unittest.TestCase):
    def test_errors_carry_status_and_message(self):
        p = random_rigid()
        p["normal"][3] = [0, 0, 2]
        with self.assertRaisesRegex(talus.Error, "normal of contact 3 has length 2") as caught:
            talus.solve_once(talus.Problem.rigid(**p))
        self.assertEqual(caught.exception.status, talus.Status.NORMAL_LENGTH)
        with self.assertRaisesRegex(talus.Error, "tolerance"):
            talus.Solver(settings=talus.Settings(tolerance=-1))
        with self.assertRaisesRegex(ValueError, "one of auto, jacobi"):
            talus.Settings(method="magic").struct()
        with self.assertRaises(talus.Error) as caught:
            talus.Solver().solve()
        self.assertEqual(caught.exception.status, talus.Status.CALL_ORDER)
        if "cuda" not in talus.build_text().lower():
            with self.assertRaises(talus.Error):
                talus.Context(backend=talus.Backend.CUDA)

    def test_limits_and_progress(self):
        problem = talus.Problem.rigid(**random_rigid(200, 60))
        calls = []
        settings = talus.Settings(method="jacobi", tolerance=1e-12, max_iterations=50,
                                  progress=lambda *where: calls.append(where))
        info = talus.solve_once(problem, settings)[1]
        self.assertEqual(info.outcome, talus.Outcome.ITERATION_LIMIT)
        self.assertEqual(info.method, talus.Method.JACOBI)
        self.assertEqual(info.iterations, 50)
        self.assertTrue(calls and len(calls[0]) == 4)
        settings.progress = lambda *where: True
        info = talus.solve_once(problem, settings)[1]
        self.assertTrue(info.notes & talus.Note.STOPPED)
        settings.progress = lambda *where: {}["what went wrong"]
        with self.assertRaisesRegex(KeyError, "what went wrong"):
            talus.solve_once(problem, settings)
        solver = talus.Solver(settings=settings)
        solver.update(problem)
        solver.solve_async()
        with self.assertRaisesRegex(KeyError, "what went wrong"):
            solver.wait()
        settings.progress = None
        solver.set(settings)
        self.assertEqual(solver.solve()[1].iterations, 50)

    def test_raised_before_the_first_line(self):
        """What a signal's handler raises as progress begins comes out, whoever has put what hook in
        place since."""
        problem = talus.Problem.rigid(**random_rigid(200, 60))
        settings = talus.Settings(method="jacobi", tolerance=1e-12, max_iterations=50,
                                  progress=lambda *where: False)
        solver, before, lost = talus.Solver(settings=settings), sys.unraisablehook, []
        solver.update(problem)

        def handle(frame, event, argument):
            if event == "call" and frame.f_code.co_name == "progress":
                raise KeyboardInterrupt

        try:
            sys.unraisablehook = lost.append
            with self.assertRaises(KeyboardInterrupt):
                try:
                    sys.setprofile(handle)
                    solver.solve()
                finally:
                    sys.setprofile(None)
            self.assertEqual((lost, solver.solve()[1].iterations), ([], 50))
        finally:
            sys.unraisablehook = before
        # of two the first, and nothing of it in the next solve
        solver._settings.raised.extend([KeyError("first"), KeyError("second")])
        with self.assertRaisesRegex(KeyError, "first"):
            solver.solve()
        self.assertEqual(solver.solve()[1].iterations, 50)

    def test_settings_that_do_not_fit(self):
        for name, value, said in (("threads", 2 ** 40 + 1, "32 bits"), ("facets", 4.5, "whole"),
                                  ("tolerance", None, "a number"), ("max_iterations", "9", "whole")):
            with self.assertRaisesRegex((TypeError, ValueError), f"settings.{name} is .*{said}"):
                talus.Settings(**{name: value}).struct()
        self.assertEqual(talus.Settings(warm_start=np.bool_(True)).struct().warm_start, 1)
        self.assertEqual(talus.Context(backend="cpu").backend, "cpu")
        with self.assertRaisesRegex(ValueError, "backend 'gpu' is unknown: one of auto, cpu, cuda"):
            talus.Context(backend="gpu")

    def test_warm_start(self):
        problem = talus.Problem.rigid(**random_rigid(200, 60))
        solver = talus.Solver(settings=talus.Settings(tolerance=1e-6))
        solver.update(problem)
        solution, cold = solver.solve()
        solver.set(talus.Settings(tolerance=1e-5, warm_start=True))
        _, warm = solver.solve(solution)
        self.assertEqual(warm.iterations, 0)
        self.assertGreater(cold.iterations, 0)

    def test_keys(self):
        problem = talus.Problem.rigid(**random_rigid(200, 60))
        problem.keys(contact_key=np.arange(200, dtype=np.uint64) * 7)
        solver = talus.Solver(settings=talus.Settings(tolerance=1e-6, warm_start=True))
        solver.update(problem)
        _, first = solver.solve()
        solver.update(problem)
        _, again = solver.solve()  # into new arrays: only the names can have helped
        self.assertEqual((first.keys_matched, again.keys_matched), (0, 200))
        self.assertLess(again.passes, first.passes)

    def test_islands_and_sleep(self):
        p = random_rigid(2, 2)
        p.update(body_a=np.array([-1, -1], np.int32), body_b=np.array([0, 1], np.int32))
        problem = talus.Problem.rigid(**p)
        found = talus.find_islands(problem)
        self.assertEqual((found.count, *found.contact, *found.body), (2, 0, 1, 0, 1))
        problem.asleep(np.array([1, 0], np.int32))
        solution, info = talus.solve_once(problem)
        self.assertEqual((info.islands, info.islands_asleep), (2, 1))
        np.testing.assert_array_equal(solution.velocity[0], p["velocity"][0])

    def test_dump(self):
        settings = talus.Settings(tolerance=1e-12, max_iterations=1, dump="failed",
                                  dump_path="dumped", method="jacobi")
        try:
            talus.solve_once(talus.Problem.rigid(**random_rigid()), settings)
        except talus.Error as error:
            self.assertEqual(error.status, talus.Status.UNSUPPORTED)  # built without HDF5
        else:
            self.assertTrue(os.path.exists("dumped-000001.hdf5"))

    def test_solve_async(self):
        problems = [talus.Problem.rigid(**random_rigid(seed=i)) for i in range(3)]
        settings = talus.Settings(tolerance=1e-8)
        solvers = [talus.Solver(talus.Context(threads=1), settings) for _ in problems]
        for solver, problem in zip(solvers, problems):
            solver.update(problem)
            solver.solve_async()
            with self.assertRaises(talus.Error) as refused:
                solver.update(problem)
            self.assertEqual(refused.exception.status, talus.Status.CALL_ORDER)
        for solver, problem in zip(solvers, problems):
            solution, info = solver.wait()
            alone, _ = talus.solve_once(problem, settings)
            self.assertEqual(info.outcome, talus.Outcome.CONVERGED)
            np.testing.assert_array_equal(solution.impulse, alone.impulse)
            with self.assertRaises(talus.Error) as refused:
                solver.wait()
            self.assertEqual(refused.exception.status, talus.Status.CALL_ORDER)
        unfinished = talus.Solver(talus.Context(threads=1), settings)
        unfinished.update(problems[0])
        unfinished.solve_async()
        del unfinished  # waits

    def test_workspace(self):
        context = talus.Context(threads=1, backend=talus.Backend.CPU)
        settings = talus.Settings(method="apgdb", max_iterations=5)
        problem = talus.Problem.rigid(**random_rigid())
        foretold = talus.workspace(problem, settings, context)
        _, info = talus.solve_once(problem, settings, context=context)
        self.assertLessEqual(info.bytes, foretold)
        self.assertLess(foretold, 10 * info.bytes)
        self.assertEqual(talus.workspace_device(problem, settings, context), 0)
        with self.assertRaises(talus.Error) as refused:
            talus.workspace(problem, talus.Settings(method="newton"), context)
        self.assertEqual(refused.exception.status, talus.Status.UNSUPPORTED)

    def test_certify(self):
        problem = talus.Problem.rigid(**random_rigid())
        solution, info = talus.solve_once(problem, talus.Settings(tolerance=1e-8))
        certificate = talus.certify(problem, solution.impulse)
        self.assertEqual(certificate.epsilon_coulomb, info.certificate.epsilon_coulomb)
        nothing = talus.certify(problem, np.zeros((12, 3)), settings=talus.Settings(cone="box"))
        self.assertAlmostEqual(nothing.epsilon_coulomb, 1)
        with self.assertRaisesRegex(ValueError, "3 impulses were given, 36 are needed"):
            talus.certify(problem, np.zeros(3))

    def test_batch(self):
        made = [random_rigid(4 + i % 7, 3, seed=i) for i in range(40)]
        made[17]["normal"][0] *= 3
        problems = [talus.Problem.rigid(**p) for p in made]
        results = talus.solve_batch(problems, talus.Settings(tolerance=1e-8))
        self.assertIsInstance(results[17], talus.Error)
        self.assertEqual(results[17].status, talus.Status.NORMAL_LENGTH)
        self.assertIn("17", str(results[17]))
        for i in (0, 5, 39):
            solution, info = results[i]
            alone, _ = talus.solve_once(problems[i], talus.Settings(tolerance=1e-8))
            self.assertEqual(info.outcome, talus.Outcome.CONVERGED)
            np.testing.assert_array_equal(solution.impulse, alone.impulse)

    def test_batch_of_all_forms(self):
        p = random_rigid()
        jacobian, inverse, q, bias = dense(p)
        w = jacobian @ inverse @ jacobian.T
        mass = np.linalg.inv(inverse)
        problems = [talus.Problem.rigid(**p), talus.Problem.delassus(w, q, friction=p["friction"]),
                    talus.Problem.global_(mass, jacobian.T, mass @ p["velocity"].ravel(), bias,
                                          friction=p["friction"])]
        for result in talus.solve_batch(problems, talus.Settings(tolerance=1e-8)):
            self.assertEqual(result[1].outcome, talus.Outcome.CONVERGED)

    def test_readme(self):
        """The example of the package's page, as it stands."""
        page = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "host", "python", "README.md")
        with open(page) as file:
            code = file.read().split("```python\n")[1].split("```")[0]
        names = {}
        exec(code, names)
        np.testing.assert_allclose(names["solution"].impulse, [[-0.3, 0, 1]], atol=1e-6)

    def test_log_and_context(self):
        said = []
        context = talus.Context(threads=1, log=lambda level, text: said.append(text))
        self.assertEqual((context.threads, context.backend in ("cpu", "cuda")), (1, True))
        self.assertRegex(talus.version(), r"^\d+\.\d+\.\d+$")


if __name__ == "__main__" and sys.argv[1:2] == ["--beside"]:
    solve_beside_a_thread(sys.argv[2])
    sys.exit(0)
if __name__ == "__main__":
    unittest.main()
