"""What worlds write and what is read again: runs of worlds, measurements, problem files, checkpoints of
scenes; changes of a world while it runs; ranks of MPI. Exit code 77 where NumPy is missing."""

import fcntl
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import warnings

try:
    import numpy as np
except ImportError:
    print("skipped: NumPy is not installed")
    sys.exit(77)

import talus

SILO = {"walls": [{"kind": "box", "size": [0.1, 0.1, 0.2]}],
        "inlets": [{"region": {"lower": [-0.03, -0.03, 0.14], "upper": [0.03, 0.03, 0.18]}, "radius": 0.006,
                    "rate": 400}],
        "run": {"time": 1}}


def heap(**values):
    world = talus.World(step=2e-3, **values)
    bead = world.add_material(friction=0.6, rolling_fraction=0.2)
    world.add_plane(material=bead)
    places = np.mgrid[0:3, 0:3, 0:3].reshape(3, -1).T * 0.022 + [0, 0, 0.03]
    places += np.random.default_rng(1).uniform(-1e-3, 1e-3, places.shape)
    return world, world.add_spheres(places, 0.01, material=bead)


class Runs(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def place(self, name):
        return os.path.join(self.folder, name)

    def test_run(self):
        world, ids = heap()
        run = world.run(self.place("out"), time=0.1, every=0.02)
        np.testing.assert_allclose(run.time, np.arange(6) * 0.02, atol=1e-12)
        np.testing.assert_allclose(run.scalars["time"], run.time[1:])
        self.assertEqual(run.scalars["bodies"][-1], 28)
        for axis, name in enumerate("xyz"):
            self.assertAlmostEqual(run.scalars[f"mean_velocity_{name}"][-1],
                                   np.average(world.velocity[ids, axis], weights=world.mass[ids]), 12)
        self.assertGreater(run.scalars["work_forces"][0], 0)
        np.testing.assert_array_equal(run[-1].position, world.position[ids].astype(np.float32)
                                      if run[-1].position.dtype == np.float32
                                      else world.position[ids])
        with self.assertRaisesRegex(talus.Error, "holds a run already"):
            world.run(self.place("out"), steps=1)
        world.gravity = (0, 0, -1.6)
        run = world.run(self.place("out"), steps=25, every=0.02, append=True)
        np.testing.assert_allclose(run.time[-3:], [0.12, 0.14, 0.15])
        self.assertEqual(len(run), 9)
        self.assertEqual(len(world.run(self.place("out"), steps=3, force=True)), 4)
        with self.assertRaisesRegex(talus.Error, "not written by a scene"):
            run.resume(time=1)
        for values, error in (({}, TypeError), ({"time": 1, "steps": 1}, TypeError),
                              ({"time": 0.01}, ValueError), ({"steps": 0}, ValueError),
                              ({"steps": 9, "every": 1e-4}, ValueError)):
            with self.assertRaises(error):
                world.run(self.place("other"), **values)
        for values, name in (({"time": np.inf}, "time"), ({"time": np.nan}, "time"),
                             ({"steps": 2, "every": np.nan}, "every"), ({"steps": 2, "every": np.inf}, "every")):
            with self.assertRaisesRegex(ValueError, f"run: {name} is"):
                world.run(self.place("other"), **values)
        self.assertFalse(os.path.exists(self.place("other")))

    def test_force_leaves_nothing_of_the_run_before(self):
        place = self.place("out")
        world, _ = heap()
        world.run(place, steps=20, every=4e-3)
        for name in ("scene.yaml", "checkpoint-000100.h5", "broken.csv", "mine.txt"):
            with open(os.path.join(place, name), "w"):
                pass
        other = talus.World()
        other.add_sphere((0, 0, 1), 0.01)
        run = other.run(place, steps=4, every=2e-3, force=True, contacts=False)
        self.assertEqual([frame.step for frame in run], [0, 2, 4])
        self.assertEqual((len(run[-1].contacts.get("force", [])), run[-1].part("walls")), (0, {}))
        self.assertEqual(sorted(name for name in os.listdir(place) if name.startswith(("grains-", "walls"))),
                         [f"grains-{step:08d}.vtp" for step in (0, 2, 4)])
        for name in ("scene.yaml", "checkpoint-000100.h5", "broken.csv"):
            self.assertFalse(os.path.exists(os.path.join(place, name)))
        self.assertTrue(os.path.exists(os.path.join(place, "mine.txt")))

    def test_what_a_run_writes(self):
        """The same files as those that `talus run --force` deletes."""
        from talus import record
        with open(os.path.join(os.environ["TALUS_SOURCE"], "host/scene/record_directory.c")) as file:
            listed = re.search(r"patterns\[\] = {(.*?)}", file.read(), re.S).group(1)
        self.assertEqual(re.findall(r'"([^"]+)"', listed), list(record.PATTERNS))

    def test_a_directory_at_work(self):
        world, _ = heap()
        world.run(self.place("out"), steps=2)
        with open(os.path.join(self.place("out"), ".lock"), "w+") as file:
            file.write("process 7 on ship\n")
            file.flush()
            fcntl.flock(file, fcntl.LOCK_EX)
            with self.assertRaisesRegex(talus.Error, "BUSY.*process 7"):
                world.run(self.place("out"), steps=2, force=True)
        self.assertEqual(len(talus.Run(self.place("out"))), 3)

    def test_append_goes_on(self):
        place = self.place("out")
        world, _ = heap()
        world.run(place, steps=20, every=4e-3)
        fresh, _ = heap()
        with self.assertRaisesRegex(talus.Error, "CALL_ORDER.*up to step 20"):
            fresh.run(place, steps=4, append=True)
        self.assertEqual(len(talus.Run(place)), 11)
        try:
            kept = world.save(self.place("kept"))
        except talus.Error as error:
            self.assertEqual(error.status, talus.Status.UNSUPPORTED)
            return
        world.run(place, steps=20, every=4e-3, append=True)
        fresh.load(kept)
        run = fresh.run(place, steps=4, every=4e-3, append=True)  # what came after is written anew
        self.assertEqual([frame.step for frame in run][-3:], [20, 22, 24])

    def test_tables(self):
        world, _ = heap()
        run = world.run(self.place("out"), steps=2)
        path = os.path.join(self.place("out"), "scalars.csv")
        with open(path, "w") as file:
            file.write("step,time [s]\n")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self.assertEqual([len(column) for column in talus.Run(run.directory).scalars.values()], [0, 0])
        os.remove(path)
        with self.assertRaisesRegex(talus.Error, "FILE_OPEN.*scalars.csv"):
            talus.Run(run.directory).scalars

    def test_same_as_steps(self):
        """Writing changes nothing."""
        world, ids = heap()
        again, _ = heap()
        world.run(self.place("out"), steps=60, every=0.01)
        again.step(60)
        np.testing.assert_array_equal(world.position, again.position)

    def test_frames(self):
        world, _ = heap()
        run = world.run(self.place("out"), time=0.1, every=0.02)
        self.assertEqual([frame.step for frame in run[1:-1]], [frame.step for frame in run][1:-1])
        self.assertEqual([frame.step for frame in run[::-2]], [run[5].step, run[3].step, run[1].step])
        self.assertEqual(run[7:], [])
        self.assertLess({"position", "velocity", "radius", "contacts", "time"}, set(dir(run[0])))

    def test_what_is_raised_leaves_frames(self):
        world, _ = heap()
        calls = []

        def stop(contact):
            calls.append(contact)
            if len(calls) > 100:
                raise KeyboardInterrupt

        world.on_contact(stop)
        with self.assertRaises(KeyboardInterrupt):
            world.run(self.place("out"), time=10, every=0.01)
        self.assertGreater(len(talus.Run(self.place("out"))), 1)

    def test_measure_is_interrupted(self):
        """What a signal's handler raises comes out, after the frame at hand, be it in the library or
        before the first line of what the library calls."""
        world, _ = heap()
        run = world.run(self.place("out"), time=0.1, every=2e-3)

        def handle(number, frame):
            raise KeyboardInterrupt

        before = signal.signal(signal.SIGALRM, handle)
        try:
            for delay in np.linspace(1e-4, 1e-2, 30):
                with self.subTest(delay=delay), self.assertRaises(KeyboardInterrupt):
                    for again in range(1000):
                        if again % 20 == 0:  # one that comes as an object ends is lost to Python
                            signal.setitimer(signal.ITIMER_REAL, delay)
                        run.measure()
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)

    def test_measure(self):
        world, ids = heap()
        run = world.run(self.place("out"), time=0.2, every=0.02)
        try:
            found = run.measure(begin=0.1)
        except talus.Error as error:
            self.assertEqual(error.status, talus.Status.UNSUPPORTED)
            self.skipTest(str(error))
        self.assertEqual((found.frames, len(found["time"])), (6, 6))
        np.testing.assert_array_equal(found["all_grains"], 27)
        mean, error = found.averages["all_packing_fraction"]
        self.assertAlmostEqual(mean, found["all_packing_fraction"].mean())
        self.assertGreaterEqual(error, 0)
        low, high = np.array([-0.1, -0.1, 0]), np.array([0.2, 0.2, 0.1])
        box = run.measure({"name": "box", "region": {"lower": low, "upper": high}},
                          {"kind": "profile", "name": "layers", "along": "z", "bins": 4, "region": {
                              "lower": low, "upper": high}}, out=self.place("box"))
        solid = 27 * 4 / 3 * np.pi * 0.01**3 / (0.3 * 0.3 * 0.1)
        self.assertAlmostEqual(box["box_packing_fraction"][-1], solid, places=6)
        self.assertEqual(len(next(iter(box.table("layers").values()))), 4)
        with self.assertRaisesRegex(KeyError, "one of step, time"):
            box["taste"]
        for place in (run.directory + "/measured", self.place("fresh")):  # beside columns of before; alone
            found = run.measure({"kind": "radial", "name": "g", "reach": 0.03, "bins": 5}, out=place)
            self.assertEqual((list(found.series), found.averages, len(found["time"])), (["step", "time"], {}, 11))
            self.assertEqual(len(found.table("g")["g"]), 5)
        with self.assertRaisesRegex(talus.Error, "taste"):
            run.measure({"taste": 1})

    def test_scene_runs_once(self):
        """What a directory that is taken may be told to do is what Python has."""
        try:
            scene = talus.Scene(dict(SILO, run={"steps": 2}))
        except talus.Error as error:
            self.assertEqual(error.status, talus.Status.UNSUPPORTED, error)
            self.skipTest(str(error))
        scene.run(self.place("out"))
        with self.assertRaisesRegex(talus.Error, "holds a run already.*resume.*force=True") as caught:
            scene.run(self.place("out"))
        self.assertNotIn("--", str(caught.exception))
        scene.run(self.place("out"), force=True)

    def test_the_program_is_beside_the_library(self):
        """Of a build or an installation, without a word in the environment."""
        named = {name: value for name, value in os.environ.items()
                 if name not in ("TALUS_LIBRARY", "TALUS_PROGRAM")}
        script = ("import os\nfrom talus import library, program\n"
                  "beside = os.path.join(os.path.dirname(library.library._name), '..', 'bin', 'talus')\n"
                  "print(not os.access(beside, os.X_OK) or os.path.samefile(beside, program.path()))\n")
        done = subprocess.run([sys.executable, "-c", script], env=dict(named, PATH=self.folder),
                              capture_output=True, text=True)
        if "libtalus was not found" in done.stderr:
            self.skipTest("a build elsewhere")
        self.assertEqual((done.stdout, done.stderr), ("True\n", ""))

    def test_signals_end_the_program(self):
        """SIGINT and SIGTERM of this process alone end the program that it runs, with a checkpoint, and
        SIGINT of both does not end it at once."""
        try:
            talus.Scene(SILO)
        except talus.Error as error:
            self.assertEqual(error.status, talus.Status.UNSUPPORTED, error)
            self.skipTest(str(error))
        script = ("import sys, talus\n"
                  "scene = talus.Scene({'bodies': [{'radius': 1}], 'run': {'steps': 10**12},\n"
                  "                      'output': {'every': 1e-3, 'frames': False}})\n"
                  "try:\n    scene.run(sys.argv[1])\n"
                  "except KeyboardInterrupt:\n    sys.exit(42)\n")
        for number, group, code in ((signal.SIGINT, False, 42), (signal.SIGTERM, False, -signal.SIGTERM),
                                    (signal.SIGINT, True, 42)):
            with self.subTest(number=number, group=group):
                out = self.place(f"out-{number}-{group}")
                started = subprocess.Popen([sys.executable, "-c", script, out], start_new_session=True)
                try:
                    lines = os.path.join(out, "scalars.csv")
                    for _ in range(600):  # steps are being made
                        if os.path.exists(lines) and os.path.getsize(lines) > 2000:
                            break
                        time.sleep(0.1)
                        self.assertIsNone(started.poll())
                    else:
                        self.fail("no step was made")
                    (os.killpg if group else os.kill)(started.pid, number)
                    self.assertEqual(started.wait(60), code)
                    left = [name for name in os.listdir(out) if name.startswith("checkpoint")]
                    self.assertEqual(len(left), 1)
                    with self.assertRaises(ProcessLookupError):  # nobody is left of the group
                        os.killpg(started.pid, 0)
                finally:
                    try:
                        os.killpg(started.pid, signal.SIGKILL)
                    except ProcessLookupError:
                        pass
                    started.wait()

    def test_scene_checkpoint(self):
        """Inlets go on where they were."""
        try:
            scene = talus.Scene(SILO)
        except talus.Error as error:
            self.assertEqual(error.status, talus.Status.UNSUPPORTED, error)
            self.skipTest(str(error))
        world = scene.build()
        world.step(60)
        try:
            path = world.save(self.place("kept"))
        except talus.Error as error:
            self.assertEqual(error.status, talus.Status.UNSUPPORTED)
            self.skipTest(str(error))
        world.step(60)
        self.assertGreater(scene.added, 10)
        other = talus.Scene(SILO)
        again = other.build()
        again.load(path)
        again.step(60)
        self.assertEqual(other.added, scene.added)
        np.testing.assert_array_equal(again.position, world.position)
        start = talus.Scene(dict(SILO, inlets=[]))
        filled = start.build(start=path)
        self.assertEqual((filled.type == talus.BodyType.FREE).sum(), (
            np.isfinite(world.position[:, 0]) & (world.type == talus.BodyType.FREE)).sum()
            - (scene.added - _added_at(path)))


def _added_at(path):
    scene = talus.Scene(SILO)
    world = scene.build()
    world.load(path)
    return scene.added


class Changes(unittest.TestCase):
    def test_set(self):
        world, ids = heap()
        world.set(gravity=(0, 0, 0), tolerance=1e-7, settings=talus.Settings(law="ccp"))
        np.testing.assert_array_equal(world.gravity, 0)
        self.assertEqual(world.tolerance, 1e-7)
        before = world.velocity[ids].copy()
        world.step()
        np.testing.assert_array_equal(world.velocity[ids], before)
        world.gravity = (0, 0, -1)
        self.assertEqual(world.tolerance, 1e-7)
        self.assertEqual(world.restitution_speed, 2 * 1 * 2e-3)  # goes with gravity, as when created
        world.tolerance = None
        self.assertEqual(world.tolerance, 1e-4)
        for name, value, error in (("step", 1e-4, TypeError), ("taste", 1, TypeError),
                                   ("substeps", -1, talus.Error), ("gravity", (1, 2), ValueError),
                                   ("gravity", (0, 0, np.nan), talus.Error)):
            with self.subTest(name), self.assertRaises(error):
                world.set(**{name: value})
        np.testing.assert_array_equal(world.gravity, (0, 0, -1))
        for name in ("positoin", "step_length", "plane", "mass", "stress", "run", "step"):
            with self.subTest(name), self.assertRaises(AttributeError):
                setattr(world, name, 1)
        with self.assertRaisesRegex(AttributeError, "step_length"):
            world.step = 1e-4
        with self.assertRaisesRegex(ValueError, "read-only"):
            world.gravity[2] = 0
        self.assertEqual(world.step().precision, talus.Precision.F64)
        self.assertIsInstance(world.step().precision, talus.Precision)

        class Mine(talus.World):
            pass

        mine = Mine()
        mine.grains, mine.gravity = [1], (0, 0, 0)
        np.testing.assert_array_equal(mine.gravity, 0)

    def test_set_a_world_of_a_scene(self):
        try:
            world = talus.Scene(SILO).build()
        except talus.Error as error:
            self.assertEqual(error.status, talus.Status.UNSUPPORTED, error)
            self.skipTest(str(error))
        world.gravity = (0, 0, -1)
        world.set(tolerance=1e-6)
        np.testing.assert_array_equal(world.gravity, (0, 0, -1))
        self.assertEqual(world.restitution_speed, 2 * world.step_length)
        world.step()

    def test_dump(self):
        """Settings say when problems are written, also while a world runs; a path outlives them."""
        with tempfile.TemporaryDirectory() as folder:
            world, _ = heap()

            def written(name, steps):
                world.step(steps)
                return len([file for file in os.listdir(folder) if file.startswith(name + "-")])

            path = os.path.join(folder, "first")
            world.set(settings=talus.Settings(dump="every", dump_path=path))
            if written("first", 2) == 0:
                self.skipTest("built without HDF5")
            self.assertEqual(written("first", 1), 3)
            world.set(settings=talus.Settings(law="ccp", dump="every",
                                              dump_path=os.path.join(folder, "second")))
            world.gravity = (0, 0, -9)
            self.assertEqual((written("second", 2), written("first", 1)), (2, 3))
            with self.assertRaisesRegex(talus.Error, "dump_path"):
                world.set(gravity=(0, 0, 0), settings=talus.Settings(dump="every"))
            np.testing.assert_array_equal(world.gravity, (0, 0, -9))
            with self.assertRaises(talus.Error):
                world.set(substeps=-1, settings=talus.Settings())
            self.assertEqual(written("second", 1), 4)
            world.set(settings=talus.Settings())
            self.assertEqual(written("second", 2), 4)

    def test_set_material(self):
        world = talus.World(gravity=(0, 0, -10))
        slick = world.add_material(friction=0.0, density=1000)
        world.add_plane(material=slick)
        box = world.add_box((0, 0, 0.1), (0.1, 0.1, 0.1), material=slick, velocity=(1, 0, 0))
        world.step(50)
        self.assertAlmostEqual(world.velocity[box, 0], 1)
        world.set_material(slick, friction=0.5)
        world.step(50)
        self.assertAlmostEqual(world.velocity[box, 0], 1 - 0.5 * 10 * 0.05, places=4)
        self.assertAlmostEqual(world.mass[box], 8)
        for call in (lambda: world.set_material(slick, density=1), lambda: world.set_material(slick, fun=1),
                     lambda: world.set_material(7, friction=1), lambda: world.set_material(slick, friction=-1)):
            with self.assertRaises((TypeError, talus.Error)):
                call()

    def test_clear_motions(self):
        world = talus.World()
        plate = world.add_box((0, 0, 0), (1, 1, 0.1), type="kinematic")
        world.add_motion(plate, "velocity", vector=(1, 0, 0))
        world.step(100)
        world.clear_motions(plate)
        world.step(100)
        self.assertAlmostEqual(world.position[plate, 0], 0.1)
        world.add_motion(plate, "velocity", vector=(0, 1, 0))
        world.step(100)
        np.testing.assert_allclose(world.position[plate], [0.1, 0.1, 0], atol=1e-12)
        with self.assertRaises(talus.Error):
            world.clear_motions(9)

    def test_device_and_softness(self):
        world, _ = heap(softness="auto")
        world.step()
        self.assertEqual(world.device_steps, 0)
        self.assertIn("cpu", world.device_reason)
        modulus, overlap = world.softness_found
        self.assertGreater(modulus, 0)
        self.assertTrue(0 < overlap < 0.01)

    def test_a_clump_that_is_refused_leaves_no_body(self):
        world = talus.World()
        for material in (9, "glass"):
            with self.assertRaises((talus.Error, TypeError)):
                world.add_clump((0, 0, 1), [[0, 0, 0]], 0.1, material=material)
        self.assertEqual(world.body_count, 0)

    def test_what_is_wrong_is_named(self):
        world, _ = heap()
        for call, error, said in ((lambda: talus.World(gravity="down"), TypeError, "world.gravity is 'down'"),
                                  (lambda: talus.World(gravity=[[1, 2], [3]]), TypeError, "world.gravity"),
                                  (lambda: world.step("3"), TypeError, "count is '3'"),
                                  (lambda: world.step(1.5), TypeError, "count is 1.5")):
            with self.assertRaisesRegex(error, said):
                call()
        world.on_contact(lambda contact: setattr(contact, "friction", "much"))
        with self.assertRaisesRegex(TypeError, "contact.friction is 'much'"):
            world.step(60)
        arm = world.add_mechanism([dict(mass=1.0, inertia=np.eye(3))])
        world.close()
        self.assertIn("destroyed", repr(arm))

    def test_arrays_follow_what_failed(self):
        world, ids = heap()
        position = world.position
        with self.assertRaises(talus.Error):
            world.remove([ids[0], 99])
        self.assertEqual(world.body_count, 27)
        self.assertTrue(np.isnan(position[ids[0]]).all())
        world.step()

    def test_forces_of_a_step(self):
        """Of the part of the step in which the impulses acted, whatever is set afterwards."""
        cut, i = 0, np.arange(12)
        column = np.stack([0.02 * (i % 3), 0.015 * (i % 2), 0.05 + 0.11 * i], -1)
        for accept in 0.5 * 0.7 ** np.arange(18):
            world = talus.World(tolerance=1e-12, accept=accept, penetration_limit=np.inf,
                                settings=talus.Settings(max_iterations=1))
            world.add_plane()
            world.add_spheres(column, 0.05)
            for _ in range(300):
                try:
                    report = world.step()
                except talus.Error:
                    break
                impulse = world.contacts["impulse"]
                force = world.contact_force[0]  # of the plane, body_a of its contacts
                held = world.contacts["body_a"] == 0
                if report.halvings == 0 or not held.any():
                    continue
                cut += 1
                wanted = -impulse[held].sum(axis=0) / (1e-3 / 2**report.halvings)
                np.testing.assert_allclose(force, wanted, rtol=1e-9, atol=1e-9)
                world.set(substeps=4)
                np.testing.assert_array_equal(world.contact_force[0], force)
                world.set(substeps=1)
        self.assertGreater(cut, 0)

    def test_bodies_of_bonds_are_ids(self):
        world, ids = heap()
        with self.assertRaises(TypeError):
            world.add_bonds([0.5, 1.5], young=1e6)
        with self.assertRaises(ValueError):
            world.set_servo(0, speed=1, force=1, across=[1, 2, 3])


class Problems(unittest.TestCase):
    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            for kind in ("heap", "stack", "random"):
                made = talus.generate_problem(kind, body_count=30, seed=3)
                self.assertEqual(made.position.shape, (len(made.radius), 3))
                settings = talus.Settings(tolerance=1e-7)
                solution, info = talus.solve_once(made.problem, settings)
                self.assertEqual(info.outcome, talus.Outcome.CONVERGED)
                for name, impulse in (("p.dat", None), ("p.h5", solution.impulse)):
                    path = os.path.join(folder, kind + name)
                    try:
                        talus.write_problem(path, made.problem, impulse)
                    except talus.Error as error:
                        self.assertEqual(error.status, talus.Status.UNSUPPORTED)  # without HDF5
                        continue
                    read = talus.read_problem(path)
                    self.assertEqual(read.problem.contact_count, made.problem.contact_count)
                    if impulse is None:
                        found = talus.solve_once(read.problem, settings)[0].impulse
                    else:
                        found = read.guess  # along normal and tangents, as the file has it
                    self.assertLess(talus.certify(read.problem, found).epsilon_coulomb, 2e-7)
            with self.assertRaisesRegex(talus.Error, "FILE_OPEN"):
                talus.read_problem(os.path.join(folder, "none.h5"))
            with open(os.path.join(folder, "bad.dat"), "w") as file:
                file.write("3\nno problem\n")
            with self.assertRaisesRegex(talus.Error, "FILE_FORMAT"):
                talus.read_problem(os.path.join(folder, "bad.dat"))
            count, place = made.problem.contact_count, os.path.join(folder, "x.h5")
            for wrong, error in (([1.0], ValueError), (np.zeros((3, count)), ValueError),
                                 (np.zeros((count, 3), complex), TypeError),
                                 (np.full((count, 3), np.nan), ValueError)):
                with self.assertRaisesRegex(error, "impulse"):
                    talus.write_problem(place, made.problem, wrong)
            self.assertFalse(os.path.exists(place))
            with self.assertRaises(ValueError):
                talus.generate_problem("tower")

    def test_guess_of_one_dimension(self):
        made = talus.Problem.delassus(np.eye(2), [-1.0, -2.0], friction=np.zeros(2), dimension=1)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "one.h5")
            try:
                talus.write_problem(path, made, [[1.0], [2.0]])
            except talus.Error as error:
                self.skipTest(str(error))
            np.testing.assert_array_equal(talus.read_problem(path).guess, [[1.0], [2.0]])

    def test_of_a_world(self):
        world, _ = heap()
        world.step(60)
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(talus.Error, "torques"):
                world.write_problem(os.path.join(folder, "step.dat"))
            path = os.path.join(folder, "step.h5")
            try:
                world.write_problem(path)
            except talus.Error as error:
                self.assertEqual(error.status, talus.Status.UNSUPPORTED)  # without HDF5
                return
            problem = talus.read_problem(path).problem
            self.assertGreater(problem.contact_count, 9)
            self.assertEqual(problem.dimension, 6)


class Dynamics(unittest.TestCase):
    def test_mechanism(self):
        world = talus.World()
        arm = world.add_mechanism([
            dict(name="upper", kind="revolute", axis=(0, 1, 0), mass=1.0, centre=(0, 0, -0.5),
                 inertia=0.1 * np.eye(3)),
            dict(name="lower", kind="revolute", parent=0, position=(0, 0, -1), axis=(0, 1, 0), mass=2.0,
                 centre=(0, 0, -0.5), inertia=0.2 * np.eye(3))])
        arm.coordinate = [0.4, -0.9]
        np.testing.assert_allclose(arm.inverse_mass_matrix @ arm.mass_matrix, np.eye(2), atol=1e-12)
        tip = [("lower", (0, 0, -1))]
        matrix, free = arm.response(tip)
        jacobian = arm.jacobian("lower", (0, 0, -1))[:3]
        np.testing.assert_allclose(matrix, jacobian @ np.linalg.inv(arm.mass_matrix) @ jacobian.T,
                                   atol=1e-12)
        np.testing.assert_allclose(free, jacobian @ arm.acceleration(), atol=1e-9)  # at rest
        np.testing.assert_allclose(arm.acceleration("conquer"), arm.acceleration(), rtol=1e-9)
        balance = arm.balance()
        self.assertAlmostEqual(balance["mass"], 3)
        self.assertEqual(balance["kinetic"], 0)
        self.assertAlmostEqual(balance["potential"], 3 * 9.81 * balance["centre"][2])
        self.assertEqual(world.link_of(arm.bodies[1]), (0, 1))
        ball = world.add_sphere((5, 0, 0), 0.1)
        self.assertIsNone(world.link_of(ball))
        self.assertEqual(world.mechanism_count, 1)
        with self.assertRaises(AttributeError):
            arm.coordinates = [0, 0]


PROGRAM = """
import os, sys
import numpy as np, talus
from mpi4py import MPI
ranks = MPI.COMM_WORLD if sys.argv[1] == "ranks" else None
world = talus.World(step=2e-3, brick_size=0.08, context=talus.Context(threads=1, ranks=ranks))
world.add_plane()
places = np.mgrid[0:8, 0:8, 0:6].reshape(3, -1).T * 0.0201 + [0, 0, 0.0102]
world.add_spheres(places + np.random.default_rng(1).uniform(-2e-5, 2e-5, places.shape), 0.01)
world.step(20)
assert world.contact_count > 512, world    # with fewer each process solves alone
run = world.run(sys.argv[2] + ".run", steps=4, every=4e-3)
assert len(run) == 3 and len(run[-1].contacts["force"]) > 512, run
try:
    world.run(sys.argv[2] + ".run", steps=4)
    raise SystemExit("a run was replaced")
except talus.Error as error:
    assert "holds a run already" in str(error)
try:
    kept = world.save(sys.argv[2] + ".kept")
    world.load(kept)
except talus.Error as error:
    assert error.status == talus.Status.UNSUPPORTED    # built without HDF5
if MPI.COMM_WORLD.rank == 0:
    np.save(sys.argv[2], world.position)
del world
"""


class Ranks(unittest.TestCase):
    def test_no_communicator(self):
        with self.assertRaisesRegex(TypeError, "mpi4py"):
            talus.Context(ranks=3)

    def test_processes(self):
        try:
            import mpi4py  # noqa: F401
        except ImportError:
            self.skipTest("mpi4py is not installed")
        if shutil.which("mpirun") is None:
            self.skipTest("there is no mpirun")
        beside = os.path.join(os.path.dirname(os.environ["TALUS_LIBRARY"]), "libtalus_mpi.so.1")
        if not os.path.exists(beside):
            self.skipTest("built without MPI")
        with tempfile.TemporaryDirectory() as folder:
            program, found = os.path.join(folder, "program.py"), {}
            with open(program, "w") as file:
                file.write(PROGRAM)
            for name, count in (("alone", 1), ("ranks", 2)):
                place = os.path.join(folder, name + ".npy")
                done = subprocess.run(
                    ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", str(count), sys.executable,
                     program, name, place], capture_output=True, text=True, timeout=120)
                self.assertEqual(done.returncode, 0, done.stderr)
                found[name] = np.load(place)
                runs = [(run[-1].position, run[-1].contacts["force"]) for run in [
                    talus.Run(place + ".run")]]
                found[name + " run"] = runs[0]
            np.testing.assert_array_equal(found["alone"], found["ranks"])
            for alone, ranks in zip(found["alone run"], found["ranks run"]):
                np.testing.assert_array_equal(alone, ranks)


if __name__ == "__main__":
    unittest.main(verbosity=2)
