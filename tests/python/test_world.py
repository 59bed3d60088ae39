"""Worlds, scenes, mechanisms and runs from Python: against physics, against the library's own calls,
and with input that is wrong. Exit code 77 where NumPy is missing."""

import copy
import ctypes
import gc
import multiprocessing
import os
import pickle
import signal
import sys
import tempfile
import threading
import time
import unittest

try:
    import numpy as np
except ImportError:
    print("skipped: NumPy is not installed")
    sys.exit(77)

import talus
from talus import library, structs

URDF = """<?xml version="1.0"?>
<robot name="arm">
  <link name="foot"><collision><geometry><box size="0.2 0.2 0.1"/></geometry></collision></link>
  <link name="rod">
    <inertial><origin xyz="0 0 -0.5"/><mass value="2"/>
      <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial>
    <collision><origin xyz="0 0 -0.5"/><geometry><sphere radius="0.05"/></geometry></collision>
  </link>
  <joint name="hip" type="continuous">
    <parent link="foot"/><child link="rod"/><axis xyz="0 1 0"/>
  </joint>
</robot>
"""
BOX = {"walls": [{"kind": "box", "size": [0.1, "10 cm", 0.1]}],
       "grains": [{"kind": "random", "radius": 0.005, "count": 40}],
       "run": {"time": 0.02}, "output": {"every": 0.01}}


def grid(count, spacing=0.022, height=0.012):
    """Positions of a lattice, slightly out of order."""
    side = int(np.ceil(count ** (1 / 3)))
    at = np.stack(np.meshgrid(*[np.arange(side)] * 3, indexing="ij"), -1).reshape(-1, 3)[:count]
    return at * spacing + [0, 0, height] + np.random.default_rng(1).uniform(0, 1e-3, (count, 3))


def heap(count=60, **options):
    world = talus.World(**options)
    world.add_plane()
    return world, world.add_spheres(grid(count), 0.01)


class Bodies(unittest.TestCase):
    def test_fall(self):
        world = talus.World(gravity=(0, 0, -10), step=1e-3)
        ball = world.add_sphere((0, 0, 5), 0.1)
        report = world.step(100)
        self.assertAlmostEqual(world.velocity[ball, 2], -1.0, places=12)
        self.assertAlmostEqual(world.time, 0.1)
        self.assertEqual((report.step, world.steps, world.body_count), (100, 100, 1))
        self.assertAlmostEqual(world.mass[ball], 2500 * 4 / 3 * np.pi * 1e-3)
        np.testing.assert_allclose(np.diag(world.inertia(ball)), 0.4 * world.mass[ball] * 0.01)
        np.testing.assert_array_equal(world.gravity, [0, 0, -10])
        self.assertEqual((world.step_length, world.integrator), (1e-3, talus.Integrator.EULER))
        for shown in (world, report, world.context):
            self.assertRegex(repr(shown), "^<talus")

    def test_spheres_are_those_of_single_calls(self):
        together, ids = heap()
        single = talus.World()
        single.add_plane()
        for place in grid(60):
            single.add_sphere(place, 0.01)
        together.step(60)
        single.step(60)
        np.testing.assert_array_equal(together.position, single.position)
        np.testing.assert_array_equal(together.spin, single.spin)
        np.testing.assert_array_equal(ids, np.arange(1, 61))
        self.assertEqual(ids.dtype, np.int32)
        np.testing.assert_array_equal(together.radius[ids], 0.01)
        self.assertEqual(together.radius[0], np.inf)

    def test_forces_balance(self):
        world, ids = heap(8, tolerance=1e-8)
        world.step(400)
        weight = 9.81 * world.mass.sum()
        np.testing.assert_allclose(world.contact_force[0], [0, 0, -weight], rtol=0.02, atol=0.02 * weight)
        np.testing.assert_allclose(world.contact_force.sum(axis=0), 0, atol=1e-12 * weight)
        contacts = world.contacts
        self.assertEqual(len(contacts), world.contact_count)
        np.testing.assert_allclose(np.linalg.norm(contacts["normal"], axis=1), 1)
        self.assertTrue((contacts["impulse"][:, 2] * contacts["normal"][:, 2] >= 0).all())
        self.assertEqual(world.contact_torque.shape, (9, 3))
        held = talus.World()
        ball = held.add_sphere((0, 0, 1), 0.1)
        held.apply(ball, force=(0, 0, 9.81 * held.mass[ball]), torque=(1e-3, 0, 0))
        held.step(10)
        self.assertAlmostEqual(held.velocity[ball, 2], 0, places=12)
        self.assertGreater(held.spin[ball, 0], 0)
        held.apply([ball])
        held.step()
        self.assertLess(held.velocity[ball, 2], -0.009)

    def test_shapes(self):
        world = talus.World()
        rough = world.add_material(friction=0.9, restitution=0.1, density=1000)
        world.set_pair(rough, world.add_material(), friction=0.2)
        box = world.add_box((0, 0, 1), (0.1, 0.2, 0.3), material=rough, type="fixed")
        others = [world.add_capsule((1, 0, 1), 0.1, 0.2), world.add_cylinder((2, 0, 1), 0.1, 0.2),
                  world.add_hull((3, 0, 1), np.eye(3).tolist() + [[0, 0, 0]]),
                  world.add_mesh((0, 0, 0), [[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])]
        clump = world.add_clump((5, 0, 1), [[0, 0, 0], [0.1, 0, 0]], 0.06)
        np.testing.assert_allclose(world.position[clump], [5.05, 0, 1])
        shapes = {shape["body"]: shape for shape in world.shapes()}
        self.assertEqual([shapes[b]["kind"].name for b in [box, *others]],
                         ["BOX", "CAPSULE", "CYLINDER", "HULL", "MESH"])
        np.testing.assert_array_equal(shapes[others[-1]]["triangles"], [[0, 1, 2]])
        self.assertEqual(len(shapes[others[2]]["points"]), 4)
        np.testing.assert_array_equal(world.type[[box, clump]], [1, 0])
        world.remove(clump)
        world.remove(others)
        self.assertEqual(world.body_count, 1)
        np.testing.assert_array_equal(world.ids, [box])
        self.assertTrue(np.isnan(world.position[clump]).all())

    def test_a_plane_in_any_direction(self):
        for normal in ((0, 0, 2), (0, 0, -1), (1, 0, 0), (1, -2, 0.5)):
            n = np.array(normal, float) / np.linalg.norm(normal)
            world = talus.World(gravity=-9.81 * n)
            world.add_plane((0, 0, 0), normal)
            ball = world.add_sphere(0.1 * n, 0.1)
            world.step(50)
            np.testing.assert_allclose(world.position[ball], 0.1 * n, atol=1e-4)

    def test_periodic_cell(self):
        world = talus.World(gravity=(0, 0, 0))
        world.set_cell("xy", (0, 0, 0), (1, 1, 1))
        ball = world.add_sphere((0.95, 0.5, 0.5), 0.05, velocity=(1, 0, 0))
        world.step(100)
        self.assertAlmostEqual(world.position[ball, 0], 0.05)
        self.assertEqual(world.cell.periodic, "xy")
        np.testing.assert_array_equal(world.cell.edge, [1, 1, 1, 0, 0, 0])
        self.assertEqual(world.stress.shape, (3, 3))
        with self.assertRaisesRegex(ValueError, "letters of xyz"):
            world.set_cell("xw", (0, 0, 0), (1, 1, 1))
        with self.assertRaisesRegex(ValueError, "servo"):
            world.set_cell("xyz", (0, 0, 0), (1, 1, 1), servo="q")
        soft = talus.World(gravity=(0, 0, 0), softness="auto")
        soft.set_cell("xyz", (0, 0, 0), (1, 1, 1), servo="xyz", stress=(100, 100, 100), rate_limit=0.5)
        soft.add_sphere((0.5, 0.5, 0.5), 0.05)
        soft.step(200)
        self.assertLess(soft.cell.edge[0], 1)
        self.assertGreater(soft.cell.edge[0], 0.9)
        soft.set_cell("xyz", (0, 0, 0), (1, 1, 1), servo=["xz"], shear_stress=(0, -10, 0), rate_limit=0.5)
        soft.step(200)
        self.assertAlmostEqual(soft.cell.rate[4], 0.5)  # nothing resists
        with self.assertRaisesRegex(talus.Error, "softness"):
            world.set_cell("xyz", (0, 0, 0), (1, 1, 1), servo="z", stress=(0, 0, 100))
            world.step()
        with self.assertRaisesRegex(talus.Error, "BAD_SETTING"):
            world.set_cell("x", (0, 0, 0), (-1, 1, 1))
        with self.assertRaisesRegex(talus.Error, "CALL_ORDER"):
            talus.World().stress

    def test_servo(self):
        world = talus.World(gravity=(0, 0, 0), step=5e-4)
        soft = world.add_material(friction=0.5, stiffness=1e4)
        world.add_plane(material=soft)
        world.add_spheres([[x, y, 5e-3] for x in (0, 0.011, 0.022) for y in (0, 0.011, 0.022)], 5e-3,
                          material=soft)
        lid = world.add_plane((0, 0, 0.012), (0, 0, -1), type="kinematic", material=soft)
        world.set_servo(lid, axis=(0, 0, -1), force=2.0, speed=0.05)
        world.step(1200)
        state = world.servo(lid)
        self.assertAlmostEqual(state.force, 2.0, delta=0.02)
        self.assertAlmostEqual(state.travel, 0.002, delta=1e-4)
        self.assertIn("N", repr(state))
        world.set_servo(lid, axis=(0, 0, -1), pressure=1e4, area=4e-4, speed=0.05)
        world.step(1200)
        self.assertAlmostEqual(world.servo(lid).pressure, 1e4, delta=100)
        world.remove_servo(lid)
        for wrong, text in ((dict(force=-1.0, speed=1.0), "force"), (dict(force=1.0, speed=0.0), "speed")):
            with self.assertRaisesRegex(talus.Error, text):
                world.set_servo(lid, **wrong)
        with self.assertRaisesRegex(talus.Error, "CALL_ORDER"):
            world.servo(lid)
        with self.assertRaisesRegex(talus.Error, "CALL_ORDER"):
            world.set_servo(1, force=1.0, speed=1.0)

    def test_stages(self):
        scene = talus.Scene({
            "world": {"gravity": [0, 0, 0], "step": 1e-3},
            "materials": {"bead": {"stiffness": 1000}},
            "walls": [{"kind": "plane"},
                      {"kind": "plane", "name": "lid", "position": [0, 0, 0.015], "normal": [0, 0, -1],
                       "servo": {"force": 1.0, "speed": 0.1, "gain": 0.2}}],
            "bodies": [{"position": [0, 0, 0.005], "shape": "sphere", "radius": 0.005}],
            "stages": [{"name": "press", "time": 1.0, "check": 1e-3, "hold": 0.01,
                        "until": [{"column": "servo_lid_force", "above": 0.98, "below": 1.02}]},
                       {"name": "open", "time": 0.05, "set": {"walls.lid.servo": None,
                                                             "walls.lid.motions": [
                                                                 {"kind": "velocity", "velocity": [0, 0, 0.1]}]}}]})
        world = scene.build()
        lid = scene.body("lid")
        world.step()
        while abs(world.servo(lid).force - 1) > 0.02:
            world.step()
        self.assertFalse(scene.over)
        while not scene.over:
            world.step()
        self.assertLess(world.time, 0.6)
        self.assertAlmostEqual(world.velocity[lid, 2], 0.1)
        with self.assertRaisesRegex(talus.Error, "until"):
            talus.Scene({"stages": [{"until": [{"column": "kinetic", "below": 1.0}]}]})


    def test_bonds(self):
        world = talus.World(gravity=(0, 0, 0))
        balls = world.add_spheres([(0.02 * i, 0, 0) for i in range(3)], radii=0.01)
        self.assertEqual(world.add_bonds(balls[:2], young=1e7, damping=0.01, tensile_limit=5), 1)
        last = world.add_bond(balls[1], balls[2], young=1e7, damping=0.01)
        world.apply(balls[2], (1, 0, 0))
        world.apply(balls[0], (-1, 0, 0))
        self.assertEqual(world.step(100).bond_count, 2)
        self.assertAlmostEqual(world.bonds["normal"][1], 1, places=2)
        self.assertEqual(list(world.bonds["id"]), [0, last])
        world.apply(balls[2], (8, 0, 0))
        world.apply(balls[0], (-8, 0, 0))
        while len(world.broken) == 0 and world.time < 1:
            world.step()
        self.assertEqual(world.broken["mode"][0], talus.BondMode.TENSION)
        self.assertEqual(world.broken["bond"]["body_b"][0], balls[1])
        world.remove_bond(last)
        self.assertEqual(len(world.bonds), 0)
        with self.assertRaisesRegex(talus.Error, "do not touch"):
            world.add_bond(balls[0], balls[2], young=1e7)
        with self.assertRaisesRegex(TypeError, "yong"):
            world.add_bond(balls[0], balls[2], yong=1e7)

    def test_motion_and_joints(self):
        world = talus.World(gravity=(0, 0, 0))
        plate = world.add_body((0, 0, 0), type="kinematic")
        world.add_shape(plate, "box", half_edge=(0.1, 0.1, 0.1))
        world.add_motion(plate, "velocity", vector=(1, 0, 0))
        bar = world.add_box((0, 2, 0), (0.1, 0.1, 0.1))
        hinge = world.add_joint("hinge", None, bar, point=(0, 2, 0), axis=(0, 0, 1), motor="rate", rate=2,
                                effort=1e4)
        world.step(500)
        self.assertAlmostEqual(world.position[plate, 0], 0.5)
        self.assertAlmostEqual(world.joint(hinge).coordinate, 1, places=3)
        world.drive(hinge, rate=-2)
        world.step(10)
        self.assertAlmostEqual(world.joint(hinge).rate, -2, places=3)
        with self.assertRaisesRegex(talus.Error, "held by joint"):
            world.remove(bar)
        world.remove_joint(hinge)
        world.remove(bar)


class State(unittest.TestCase):
    def test_writing(self):
        world, ids = heap()
        world.velocity[ids[3]] = 1, 2, 3  # into an array that nobody holds
        np.testing.assert_array_equal(world.velocity[ids[3]], [1, 2, 3])
        world.velocity[ids] += [0, 0, 1]
        world.spin += 0.5
        np.testing.assert_array_equal(world.velocity[ids[3]], [1, 2, 4])
        np.testing.assert_array_equal(world.spin[ids[0]], [0.5, 0.5, 0.5])
        at = world.position
        np.add(at, [0, 0, 1], out=at)
        single = talus.World(gravity=(0, 0, 0))
        ball = single.add_sphere((0, 0, 0), 1)
        shown, turned = single.position, single.orientation
        shown[ball] = 1, 2, 3
        turned[ball] = 0, 1, 0, 0
        single.velocity = (0, 0, 1)
        single.step(10)
        np.testing.assert_allclose(shown[ball], [1, 2, 3.01])  # the array follows
        np.testing.assert_array_equal(single.orientation[ball], [0, 1, 0, 0])

    def test_stale_arrays_do_no_harm(self):
        world, ids = heap()
        early = world.position
        world.step(5)
        later = world.add_sphere((0, 0, 3), 0.1)
        self.assertEqual((len(early), len(world.position)), (61, 62))
        kept = early.copy()
        early[:] = np.nan  # shows another number of bodies: no longer the world's
        world.step()
        self.assertTrue(np.isfinite(world.position[later]).all())
        self.assertTrue(np.isfinite(kept).all())

    def test_arrays_outlive_the_world(self):
        world, ids = heap()
        at = world.position
        world.close()
        at[ids] += 1
        self.assertTrue(np.isfinite(at).all())
        for call in (world.step, lambda: world.position, lambda: world.contacts,
                     lambda: world.add_sphere((0, 0, 0), 1), lambda: world.time):
            with self.assertRaisesRegex(talus.Error, "the world was destroyed"):
                call()
        world.close()
        self.assertEqual(repr(world), "<talus.World, destroyed>")
        with talus.World() as other:
            at = other.position
        del other, world
        gc.collect()
        self.assertEqual(at.shape, (0, 3))

    def test_what_is_refused_leaves_the_world_as_it_was(self):
        world, ids = heap()
        before = world.position.copy()
        world.position[ids[2]] = np.nan
        with self.assertRaisesRegex(talus.Error, f"NOT_FINITE: body {ids[2]}"):
            world.step()
        np.testing.assert_array_equal(world.position, before)
        world.orientation[ids[2]] = 2, 0, 0, 0
        with self.assertRaisesRegex(talus.Error, "quaternion"):
            world.step()
        for value in (np.zeros((3, 3)), "no", [[1, 2]]):
            with self.assertRaises((ValueError, TypeError)):
                world.velocity = value
        with self.assertRaises(ValueError):
            world.mass[0] = 3
        world.step()


    def test_save_and_load(self):
        with tempfile.TemporaryDirectory() as folder:
            world, ids = heap()
            world.step(40)
            try:
                path = world.save(folder)
            except talus.Error as error:
                self.assertEqual(error.status, talus.Status.UNSUPPORTED)  # built without HDF5
                return
            world.step(40)
            for source in (path, folder):
                again, _ = heap()
                held = again.position
                again.load(source)
                self.assertEqual(again.steps, 40)
                again.step(40)
                np.testing.assert_array_equal(held, world.position)
                np.testing.assert_array_equal(again.contacts["impulse"], world.contacts["impulse"])
            other, _ = heap(10)
            with self.assertRaisesRegex(talus.Error, "FILE_OPEN"):
                other.load(os.path.join(folder, "none.h5"))
            other.step()
            with self.assertRaisesRegex(talus.Error, "FILE_FORMAT"):
                other.load(path)
            with self.assertRaisesRegex(talus.Error, "destroyed"):
                other.step()

    def test_cohesion(self):
        world = talus.World(gravity=(0, 0, 9.81))
        sticky = world.add_material(pull_off=2e3)
        world.add_plane(material=sticky)
        ball = world.add_sphere((0, 0, 0.1), 0.1, material=sticky)
        world.step(50)
        self.assertLess(world.position[ball, 2], 0.101)
        with self.assertRaisesRegex(ValueError, "one of jkr, dmt"):
            world.add_material(adhesion="glue")


class Wrong(unittest.TestCase):
    def test_input(self):
        world, _ = heap(3)
        masked = np.ma.masked_array(grid(3), mask=True)
        for call, error, said in (
                (lambda: world.add_spheres(np.zeros((4, 2)), 1), ValueError, r"\(n, 3\) is needed"),
                (lambda: world.add_spheres(np.zeros((4, 3)), [1, 2]), ValueError, "radii has shape"),
                (lambda: world.add_spheres([["a"] * 3], 1), TypeError, "positions does not become"),
                (lambda: world.add_spheres(grid(3) * 1j, 1), TypeError, "complex"),
                (lambda: world.add_spheres(masked, 1), TypeError, "mask"),
                (lambda: world.add_spheres(grid(3), [1, np.nan, 1]), talus.Error, "sphere 1"),
                (lambda: world.add_spheres(grid(3) * np.inf, 1), talus.Error, "not finite"),
                (lambda: world.add_spheres(grid(3), 1, velocities=[1, 2, np.nan]), ValueError, "finite"),
                (lambda: world.add_spheres(grid(3), 1, colour=1), TypeError, "colour is unknown"),
                (lambda: world.add_spheres(grid(3), 1, material=7), talus.Error, "material 7"),
                (lambda: world.add_sphere((0, 0), 1), ValueError, r"body.position has shape \(2,\)"),
                (lambda: world.add_sphere((0, 0, 0), -1), talus.Error, "more than zero"),
                (lambda: world.add_sphere((0, 0, 0), None), talus.Error, "radius"),
                (lambda: world.add_sphere((0, 0, 0), 1, typ="free"), TypeError, "typ is unknown"),
                (lambda: world.add_sphere((0, 0, 0), 1, type="fre"), ValueError, "one of free, fixed"),
                (lambda: world.add_hull((0, 0, 0), [[0, 0, 0]]), talus.Error, "hull"),
                (lambda: world.add_mesh((0, 0, 0), grid(3), [[0, 1, 2.5]]), ValueError, "triangles"),
                (lambda: world.add_mesh((0, 0, 0), grid(3), [[0, 1, 9]]), talus.Error, "9"),
                (lambda: world.add_plane(normal=(0, 0, 0)), ValueError, "no direction"),
                (lambda: world.add_shape(99, "sphere", radius=1), talus.Error, "body 99"),
                (lambda: world.add_joint("hing", 1, 2), ValueError, "one of fixed, ball, hinge"),
                (lambda: world.add_joint("ball", 1, 77, point=(0, 0, 0)), talus.Error, "77"),
                (lambda: world.add_motion(1, "spin", vector=(0, 0, 1)), talus.Error, "kinematic"),
                (lambda: world.add_shape(2 ** 32, "sphere", radius=1), ValueError, "32 bits"),
                (lambda: world.add_shape(0.5, "sphere", radius=1), TypeError, "whole number"),
                (lambda: world.joint(2 ** 32), ValueError, "32 bits"),
                (lambda: world.drive(0, rate="fast"), TypeError, "rate is 'fast'"),
                (lambda: world.inertia(None), TypeError, "whole number"),
                (lambda: world.set_pair(0, 1, friction=None), TypeError, "friction is None"),
                (lambda: world.add_sphere((0, 0, 0), 1, material=2 ** 40), ValueError, "32 bits"),
                (lambda: world.remove(2 ** 32 + 1), ValueError, "int32 does not hold"),
                (lambda: world.remove(55), talus.Error, "body 55"),
                (lambda: world.remove([0.5]), TypeError, "whole numbers"),
                (lambda: world.apply([1, 2], force=np.zeros((3, 3))), ValueError, "force has shape"),
                (lambda: world.apply(1, force=(0, 0, np.nan)), talus.Error, "not finite"),
                (lambda: world.step(0), ValueError, "at least one"),
                (lambda: world.joint(3), talus.Error, "joint 3"),
                (lambda: world.mechanism(0), talus.Error, "mechanism 0"),
                (lambda: world.inertia(-4), talus.Error, "body -4"),
                (lambda: world.on_contact(3), TypeError, "not a function"),
                (lambda: world.nonsense, AttributeError, "nonsense"),
                (lambda: talus.World(gravity=(1, 2)), ValueError, "world.gravity"),
                (lambda: talus.World(step=-1), talus.Error, "step"),
                (lambda: talus.World(integrator="eulr"), ValueError, "one of euler, midpoint"),
                (lambda: talus.World(settings=talus.Settings(law="cpc")), ValueError, "settings.law"),
                (lambda: talus.Settings().__setattr__("tolerence", 1), AttributeError, "tolerence"),
                (lambda: talus.World(seed=2 ** 70), ValueError, "64 bits")):
            with self.assertRaisesRegex(error, said):
                call()
        self.assertEqual(world.body_count, 4)
        world.step()

    def test_callbacks(self):
        world = talus.World()
        world.add_plane()
        ball = world.add_sphere((0, 0, 0.1), 0.1, velocity=(1, 0, 0))
        events = []

        def smooth(event):
            events.append(event)
            event.friction = 0

        world.on_contact(smooth)
        world.step(20)
        self.assertEqual((world.velocity[ball, 0], world.spin[ball, 1]), (1, 0))
        self.assertEqual((events[0].body_a, events[0].body_b, events[0].normal), (0, ball, (0, 0, 1)))

        def fail(event):
            raise KeyError("what went wrong")

        def again(event):
            world.step()

        world.on_contact(fail)
        with self.assertRaisesRegex(KeyError, "what went wrong"):
            world.step(5)
        for inside in (again, lambda event: world.close(), lambda event: world.position,
                       lambda event: world.add_sphere((0, 0, 0), 1)):
            world.on_contact(inside)
            with self.assertRaisesRegex(talus.Error, "BUSY"):
                world.step(5)

        def drop(event):
            event.keep = False

        world.on_contact(drop)
        world.step(100)
        self.assertLess(world.position[ball, 2], 0.1)
        world.on_contact(None)
        world.step()

    def test_threads_pickle_and_fork(self):
        world, ids = heap(200)
        inside, leave = threading.Event(), threading.Event()

        def wait(event):
            inside.set()
            leave.wait(10)

        world.on_contact(wait)
        world.position[ids, 2] -= 0.002
        thread = threading.Thread(target=world.step)
        thread.start()
        self.assertTrue(inside.wait(10))
        for call in (world.step, lambda: world.add_sphere((0, 0, 0), 1), lambda: world.position,
                     world.close):
            with self.assertRaisesRegex(talus.Error, "BUSY"):
                call()
        leave.set()
        thread.join()
        world.on_contact(None)
        for act in (pickle.dumps, copy.copy, copy.deepcopy):
            with self.assertRaisesRegex(TypeError, "cannot be pickled"):
                act(world)
        queue = multiprocessing.get_context("fork").Queue()
        child = multiprocessing.get_context("fork").Process(target=stepped, args=(world, queue))
        child.start()
        try:
            theirs = queue.get(timeout=60)
            child.join(60)
        finally:
            child.kill()
            child.join()
        world.step(5)
        np.testing.assert_array_equal(world.position, theirs)

    def test_interrupt(self):
        world, _ = heap(20)
        last = signal.signal(signal.SIGINT, signal.default_int_handler)  # where it was ignored
        self.addCleanup(signal.signal, signal.SIGINT, last)
        timer = threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        begin = time.monotonic()
        with self.assertRaises(KeyboardInterrupt):
            world.step(10 ** 7)
        self.assertLess(time.monotonic() - begin, 20)
        world.step()

    def test_cycles_are_collected_in_any_order(self):
        for _ in range(10):
            world, _ = heap(3)
            world._me = world.context._me = [world, world.context]
            world.on_contact(lambda event: world)
            scene = talus.Scene(BOX)
            scene.me = scene.build()
        del world, scene
        gc.collect()


def stepped(world, queue):
    """In a child process."""
    world.step(5)
    queue.put(world.position.copy())


class Mechanisms(unittest.TestCase):
    def test_pendulum(self):
        world = talus.World()
        arm = world.add_mechanism([dict(name="swing", kind="revolute", axis=(0, 1, 0), mass=1.0,
                                        centre=(0, 0, -1), inertia=1e-3 * np.eye(3))])
        arm.coordinate = [0.1]
        self.assertEqual((arm.link_count, arm.link("swing"), arm.find("swing")), (1, 0, (0, 0)))
        world.step(500)
        omega = np.sqrt(9.81 / (1 + 1e-3))
        self.assertAlmostEqual(arm.coordinate[0], 0.1 * np.cos(omega * 0.5), places=3)
        np.testing.assert_allclose(world.position[arm.bodies[0]],
                                   [-np.sin(arm.coordinate[0]), 0, -np.cos(arm.coordinate[0])])
        self.assertEqual(arm.jacobian("swing", (0, 0, -1)).shape, (6, 1))
        np.testing.assert_allclose(arm.mass_matrix, [[1.001]])
        for call, error, said in ((lambda: arm.link("sway"), KeyError, "one of swing"),
                                  (lambda: arm.drive("swing", rate=1), talus.Error, "motor"),
                                  (lambda: setattr(arm, "coordinate", [1, 2]), ValueError, "shape"),
                                  (lambda: setattr(arm, "velocity", np.nan), talus.Error, "NOT_FINITE"),
                                  (lambda: arm.load(3, (0, 0, 0), (0, 0, 0)), talus.Error, "link 3"),
                                  (lambda: world.add_mechanism([dict(mas=1)]), TypeError, "mas is unk"),
                                  (lambda: world.add_mechanism([]), talus.Error, "link")):
            with self.assertRaisesRegex(error, said):
                call()
        world.velocity[arm.bodies[0]] = 1
        with self.assertRaisesRegex(talus.Error, "link 0 of mechanism 0"):
            world.step()

    def test_urdf(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "arm.urdf")
            with open(path, "w") as file:
                file.write(URDF)
            world = talus.World()
            try:
                arm = world.add_urdf(path, position=(0, 0, 2), motor="servo", response=0.02)
            except talus.Error as error:
                self.assertEqual(error.status, talus.Status.UNSUPPORTED)  # built without expat
                return
            arm.drive("hip", target=0.5, effort=100)
            world.step(300)
            self.assertAlmostEqual(arm.coordinate[0], 0.5, places=2)
            self.assertEqual(world.type[arm.base], talus.BodyType.FIXED)
            np.testing.assert_allclose(arm.pose("hip")[0], [0, 0, 2], atol=1e-12)
            with self.assertRaisesRegex(KeyError, "knee.*one of hip"):
                world.add_urdf(path, motor={"knee": "rate"})
            with open(path, "a") as file:
                file.write("<")
            with self.assertRaisesRegex(talus.Error, "FILE_FORMAT"):
                world.add_urdf(path)
            with self.assertRaisesRegex(talus.Error, "FILE_OPEN"):
                world.add_urdf(os.path.join(folder, "none.urdf"))


    def test_a_urdf_of_no_material_leaves_nothing(self):
        world = talus.World()
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "arm.urdf")
            with open(path, "w") as file:
                file.write(URDF)
            try:
                with self.assertRaisesRegex(talus.Error, "INDEX_RANGE: material 9"):
                    world.add_urdf(path, material=9)
            except talus.Error as error:
                self.assertEqual(error.status, talus.Status.UNSUPPORTED)  # built without expat
        self.assertEqual((world.body_count, world.mechanism_count), (0, 0))


class Fleets(unittest.TestCase):
    LINK = dict(name="swing", axis=(0, 1, 0), mass=1.0, centre=(0, 0, -1), inertia=1e-3 * np.eye(3))

    def test_pendulums(self):
        fleet = talus.Fleet([self.LINK], 40, step=1e-3, scheme="runge_kutta")
        begin = np.linspace(0.01, 0.05, 40)
        fleet.coordinate = begin[:, None]
        report = fleet.step(500)
        omega = np.sqrt(9.81 / 1.001)
        np.testing.assert_allclose(fleet.coordinate[:, 0], begin * np.cos(omega * 0.5), atol=2e-5)
        self.assertEqual((len(fleet), report.failed, fleet.velocity.shape), (40, 0, (40, 1)))
        fleet.velocity = 0
        fleet.apply(np.full((40, 1), 1.0))
        fleet.step()
        self.assertTrue((fleet.velocity > 0).all())
        for call, error, said in (
                (lambda: talus.Fleet([self.LINK], 0), ValueError, "at least one"),
                (lambda: talus.Fleet([], 3), talus.Error, "link"),
                (lambda: talus.Fleet([self.LINK], 2, scheme="leap"), ValueError, "one of explicit_euler"),
                (lambda: setattr(fleet, "coordinate", np.zeros((3, 1))), ValueError, "coordinate has"),
                (lambda: fleet.drive("swing", rate=1), talus.Error, "motor"),
                (lambda: fleet.link("knee"), KeyError, "one of swing"),
                (lambda: pickle.dumps(fleet), TypeError, "pickled")):
            with self.assertRaisesRegex(error, said):
                call()
        fleet.close()
        with self.assertRaisesRegex(talus.Error, "destroyed"):
            fleet.step()

    def assert_given_up(self, touches):
        """What a signal's handler raises before the first line of the search comes out, and the
        step is given up, by the call itself: ctypes, which would tell a hook, would leave its result
        undefined."""
        fleet = talus.Fleet([self.LINK], 1, touches=touches, context=talus.Context(threads=1))
        fleet.coordinate = [[0.6]]
        for _ in range(5):
            fleet.step(200)
            before = fleet.coordinate, fleet.velocity

            def handle(frame, event, argument):
                if event == "call" and frame.f_code.co_name == "found":
                    sys.setprofile(None)
                    raise KeyboardInterrupt

            hook, told = sys.unraisablehook, []
            with self.assertRaises(KeyboardInterrupt):
                try:
                    sys.unraisablehook = told.append
                    sys.setprofile(handle)
                    fleet.step()
                finally:
                    sys.setprofile(None)
                    sys.unraisablehook = hook
            self.assertEqual(told, [])
            np.testing.assert_array_equal((fleet.coordinate, fleet.velocity), before)

    def test_contacts_and_motors(self):
        ground = -0.9

        def touches(one):
            position, _ = one.point("swing", (0, 0, -1))
            gap = position[2] - ground
            return [] if gap > 0.05 else [dict(link="swing", point=position, normal=(0, 0, 1), gap=gap,
                                               friction=0.3)]

        fleet = talus.Fleet([self.LINK], 8, touches=touches)
        fleet.coordinate = np.linspace(0.6, 1.0, 8)[:, None]
        report = fleet.step(600)
        self.assertGreater(report.contacts, 0)
        np.testing.assert_allclose(np.cos(fleet.coordinate[:, 0]), 0.9, atol=0.02)  # they lie on it

        def wrong(one):
            return [dict(link="swing", point=(0, 0))]

        broken = talus.Fleet([self.LINK], 2, touches=wrong)
        with self.assertRaisesRegex(ValueError, "touch.point"):
            broken.step()
        self.assert_given_up(touches)
        turning = talus.Fleet([dict(self.LINK, motor="rate", effort=1e3)], 3, gravity=(0, 0, 0))
        turning.drive("swing", rate=[1, 2, 3])
        turning.step(100)
        np.testing.assert_allclose(turning.velocity[:, 0], [1, 2, 3], atol=1e-6)


class Scenes(unittest.TestCase):
    def setUp(self):
        try:
            talus.Scene(BOX)
        except talus.Error as error:
            if error.status != talus.Status.UNSUPPORTED:
                raise
            self.skipTest("built without libyaml")

    def test_world(self):
        scene = talus.Scene(BOX, {"world.step": "2 ms"})
        self.assertEqual(scene.end, 0.02)
        world = scene.build()
        self.assertEqual((world.body_count, world.step_length), (41, 2e-3))
        with self.assertRaisesRegex(talus.Error, "a world already"):
            scene.build()
        world.step(5)
        self.assertGreater(world.time, 0.009)
        self.assertEqual(world.contact_force.shape, (41, 3))
        with self.assertRaisesRegex(KeyError, "nobody"):
            scene.body("nobody")
        for wrong, said in (({"wals": []}, "did you mean walls"), ({"run": {"time": "soon"}}, "soon")):
            with self.assertRaisesRegex(talus.Error, said):
                talus.Scene(wrong)
        with self.assertRaisesRegex(TypeError, "cannot hold"):
            talus.Scene({"walls": object()})
        with self.assertRaisesRegex(talus.Error, "FILE_OPEN"):
            talus.Scene("nowhere.yaml")
        with self.assertRaisesRegex(TypeError, "pickled"):
            pickle.dumps(scene)

    def test_folder(self):
        """Names of files in a dict are as seen from its folder."""
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, "meshes"))
            with open(os.path.join(folder, "meshes", "floor.stl"), "w") as file:
                file.write("solid s\nfacet normal 0 0 1\nouter loop\nvertex -1 -1 0\nvertex 1 -1 0\n"
                           "vertex 0 1 0\nendloop\nendfacet\nendsolid s\n")
            mesh = {"kind": "mesh", "file": "floor.stl", "holes": "allow"}
            for place in (os.path.join(folder, "meshes"), os.path.relpath(os.path.join(folder, "meshes"))):
                self.assertEqual(talus.Scene({"folder": place, "walls": [mesh]}).build().body_count, 1)
            place = os.path.join(folder, "meshes", "floor.stl")
            self.assertEqual(talus.Scene({"walls": [dict(mesh, file=place)]}).build().body_count, 1)
            with self.assertRaisesRegex(talus.Error, "floor.stl"):
                talus.Scene({"folder": folder, "walls": [mesh]}).build()
            with self.assertRaisesRegex(talus.Error, "folder"):
                talus.Scene({"folder": ["a", "b"], "walls": [mesh]})

    def test_run(self):
        with tempfile.TemporaryDirectory() as folder:
            scene = talus.Scene(dict(BOX, grains=[{"kind": "random", "radius": np.float64(0.005),
                                                   "count": np.int64(40)}]))
            place = os.path.join(folder, "out")
            run = scene.run(place)
            np.testing.assert_allclose(run.time, [0, 0.01, 0.02])
            self.assertEqual(run[-1].position.shape, (40, 3))
            np.testing.assert_array_equal(run[0].radius, 0.005)
            world = talus.Scene(BOX).build()
            world.step(20)
            np.testing.assert_array_equal(run[2].position, world.position[run[2].id])
            self.assertEqual(list(run.scalars["time"]), [0, 0.01, 0.02])
            self.assertEqual(run[2].contacts["force"].shape[1], 3)
            self.assertIn("connectivity", run[1].part("walls"))
            self.assertEqual([frame.step for frame in run], [0, 10, 20])
            run.resume(steps=10)
            self.assertEqual((len(run), run[-1].step), (4, 30))
            world.step(10)
            np.testing.assert_array_equal(run[-1].velocity, world.velocity[run[-1].id])
            with self.assertRaisesRegex(talus.Error, "holds a run already"):
                scene.run(place)
            with self.assertRaises(AttributeError):
                run[0].nonsense
            with open(os.path.join(place, "grains-00000010.vtp"), "r+b") as file:
                file.truncate(700)
            with self.assertRaisesRegex(talus.Error, "FILE_FORMAT.*no frame of Talus"):
                run[1].position
        with self.assertRaisesRegex(talus.Error, "FILE_OPEN"):
            talus.Run(folder)


class Rates(unittest.TestCase):
    """Bounds with room for a busy machine: ten times what was measured, or more."""

    def test_many_spheres(self):
        world = talus.World()
        at = grid(10000)
        begin = time.process_time()
        world.add_spheres(at, 0.01)
        built = time.process_time() - begin
        world.position
        begin = time.process_time()
        for _ in range(10):
            world._stale = True
            world.position
        read = (time.process_time() - begin) / 10
        print(f"10 000 spheres: built in {1e3 * built:.1f} ms, read in {1e3 * read:.2f} ms")
        self.assertLess(built, 1)
        self.assertLess(read, 0.01)

    def test_a_call(self):
        problem = talus.Problem.rigid(
            velocity=np.array([[2., 0, -1, 0, 0, 0]]), inverse_mass=np.ones(1),
            inverse_inertia=250 * np.eye(3)[None], body_a=np.array([-1], np.int32),
            body_b=np.zeros(1, np.int32), normal=np.array([[0., 0, 1]]), reach_a=np.zeros(1),
            reach_b=np.full(1, 0.1), friction=0.3)
        solver, solution = talus.Solver(talus.Context(threads=1, backend="cpu")), None
        solver.update(problem)
        solution, _ = solver.solve()
        np.testing.assert_allclose(solution.impulse, [[-0.3, 0, 1]], atol=1e-4)
        made, info = solution.struct(problem), library.fill(structs.Info)

        def direct():
            library.library.talus_solver_update(solver._solver, problem._address)
            library.library.talus_solver_solve(solver._solver, ctypes.byref(made[0]), ctypes.byref(info))

        def bound():
            solver.update(problem)
            solver.solve(solution)

        best = {}
        for call in (direct, bound) * 5:
            begin = time.process_time()
            for _ in range(1000):
                call()
            best[call] = min(best.get(call, 1), (time.process_time() - begin) / 1000)
        print(f"update and solve: {1e6 * best[bound]:.1f} us, by ctypes {1e6 * best[direct]:.1f} us")
        self.assertLess(best[bound], 100e-6)


class Stacks(unittest.TestCase):
    def arrays(self, count=20):
        from test_package import random_rigid
        made = [random_rigid(6, 4, seed=i) for i in range(count)]
        return made, {name: np.stack([p[name] for p in made]) for name in made[0]}

    def test_rigid(self):
        made, stacked = self.arrays()
        settings = talus.Settings(tolerance=1e-8)
        solution, info = talus.solve_batch(talus.Stack.rigid(**stacked), settings)
        self.assertEqual(solution.impulse.shape, (20, 6, 3))
        self.assertTrue((info["outcome"] == 0).all() and (info["status"] == 0).all())
        self.assertLess(info["epsilon_coulomb"].max(), 1e-7)
        for i in (0, 7, 19):
            alone, told = talus.solve_once(talus.Problem.rigid(**made[i]), settings)
            np.testing.assert_array_equal(solution.impulse[i], alone.impulse)
            np.testing.assert_array_equal(solution.velocity[i], alone.velocity)
            self.assertEqual(info["iterations"][i], told.iterations)
        shared = dict(stacked, friction=0.4, inverse_mass=stacked["inverse_mass"][0])
        again, _ = talus.solve_batch(talus.Stack.rigid(**shared), settings)
        alone, _ = talus.solve_once(talus.Problem.rigid(**dict(
            made[5], friction=0.4, inverse_mass=made[0]["inverse_mass"])), settings)
        np.testing.assert_array_equal(again.impulse[5], alone.impulse)
        stacked["normal"][3, 0] *= 2
        _, info = talus.solve_batch(talus.Stack.rigid(**stacked), settings)
        self.assertEqual(list(np.flatnonzero(info["status"])), [3])
        self.assertEqual(info["status"][3], talus.Status.NORMAL_LENGTH)

    def test_delassus(self):
        from test_package import dense, random_rigid
        made = [random_rigid(4, 3, seed=i) for i in range(8)]
        systems = [dense(p) for p in made]
        w = np.array([j @ m @ j.T for j, m, _, _ in systems])
        q = np.array([s[2] for s in systems])
        mu = np.array([p["friction"] for p in made])
        solution, info = talus.solve_batch(talus.Stack.delassus(w, q, friction=mu))
        self.assertTrue((info["outcome"] == 0).all())
        alone, _ = talus.solve_once(talus.Problem.delassus(w[3], q[3], friction=mu[3]))
        np.testing.assert_array_equal(solution.impulse[3], alone.impulse)

    def test_wrong(self):
        _, stacked = self.arrays(4)
        for change, error, said in (
                (dict(normal=stacked["normal"][:3]), ValueError, "different numbers of problems"),
                (dict(mass=1), TypeError, "mass is unknown"),
                (dict(normal=stacked["normal"][:, :5]), ValueError, "5 elements, 6 are needed"),
                (dict(body_b=stacked["body_b"] * 0.5), TypeError, "int32 is needed")):
            with self.assertRaisesRegex(error, said):
                talus.Stack.rigid(**dict(stacked, **change))
        with self.assertRaisesRegex(ValueError, "solution.impulse must be a packed"):
            talus.solve_batch(talus.Stack.rigid(**stacked), None, talus.Solution(np.zeros((4, 6, 2))))

    def test_inertia_and_numbers(self):
        from test_package import random_rigid
        p = random_rigid()
        six = p["inverse_inertia"]
        full = np.zeros((6, 3, 3))
        for place, (i, j) in enumerate(((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))):
            full[:, i, j] = full[:, j, i] = six[:, place]
        wanted, _ = talus.solve_once(talus.Problem.rigid(**dict(p, friction=np.full(12, 0.3))))
        got, _ = talus.solve_once(talus.Problem.rigid(**dict(p, friction=0.3, inverse_inertia=full)))
        np.testing.assert_array_equal(got.impulse, wanted.impulse)
        full[2, 0, 1] += 1
        with self.assertRaisesRegex(ValueError, "not symmetric"):
            talus.Problem.rigid(**dict(p, inverse_inertia=full))


if __name__ == "__main__":
    unittest.main()
