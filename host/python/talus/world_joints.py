"""Joints, bonds and mechanisms of worlds."""

from ctypes import POINTER, byref, c_char, c_int32, c_void_p, cast
from typing import Any, Dict, Optional, Sequence, Tuple, Union

import numpy as np

from . import structs
from .define import Vector, address, define, ids, real, whole
from .enums import JointCollide, JointKind, Motor, Status
from .library import fill, library
from .mechanism import Mechanism, links_define, loops_define, urdf_read
from .problem import AnyArray
from .reports import BOND_TYPE, BROKEN_TYPE, JointState
from .settings import member
from .solver import Error
from .world_build import BODY_KINDS
from .world_drive import WorldDrive


class WorldJoints(WorldDrive):
    """The part of World that holds bodies together."""

    def add_joint(self, kind: Union[JointKind, str], body_a: Optional[int], body_b: Optional[int], *,
                  point: Optional[Vector] = None, point_b: Optional[Vector] = None,
                  axis: Optional[Vector] = None, lower: Optional[float] = None,
                  upper: Optional[float] = None, motor: Union[Motor, str, None] = None,
                  rate: Optional[float] = None, effort: Optional[float] = None,
                  target: Optional[float] = None, response: Optional[float] = None,
                  friction: Optional[float] = None, restitution: Optional[float] = None,
                  collide: Union[JointCollide, str, None] = None) -> int:
        """fixed, ball, hinge, slider or distance between two bodies (None: the world). point, axis:
        world frame, m; lower and upper: stops, rad or m; motor rate or servo with rate (rad/s or
        m/s), target (rad or m), effort (N m or N). collide: whether the two touch each other; auto:
        those of a distance do, others do not. Gives the joint's id."""
        chosen = JointKind(member("joint.kind", kind, JointKind))
        limited = lower is not None or upper is not None
        made = define(structs.JointDef, "joint", dict(
            body_a=-1 if body_a is None else body_a, body_b=-1 if body_b is None else body_b,
            point=point, point_b=point_b, axis=axis, limited=int(limited),
            lower=-np.inf if limited and lower is None else lower,
            upper=np.inf if limited and upper is None else upper, motor=motor, rate=rate,
            effort=effort, target=target, response=response, friction=friction,
            restitution=restitution, collide=collide),
            {"motor": Motor, "collide": JointCollide}, kind=chosen)
        with self._alone(changes=True) as world:
            return self._add(library.talus_joint_add, world, byref(made))

    def remove_joint(self, joint: int) -> None:
        with self._alone(changes=True) as world:
            self.context.check(library.talus_joint_remove(world, whole("joint", joint)))

    def drive(self, joint: int, rate: float = 0.0, target: float = 0.0,
              effort: float = float("inf")) -> None:
        """New values for the motor of a joint: rad/s or m/s, rad or m, N m or N."""
        with self._alone() as world:
            self.context.check(library.talus_joint_drive(
                world, whole("joint", joint), real("rate", rate), real("target", target),
                real("effort", effort)))

    def joint(self, joint: int) -> JointState:
        """The state of a joint."""
        made = fill(structs.JointState)
        with self._alone() as world:
            self.context.check(library.talus_joint_get(world, whole("joint", joint), byref(made)))
        return JointState(made)

    def add_bond(self, body_a: Optional[int], body_b: Optional[int], **values: Any) -> int:
        """Glues two bodies (None: the world) where they touch, or at point along axis, until the bond
        breaks: young, poisson, radius, length of a beam, or normal_stiffness, shear_stiffness (N/m),
        bending_stiffness, twisting_stiffness (N m/rad); damping (s); tensile_strength,
        shear_strength (Pa), tensile_limit, shear_limit (N), bending_limit, twisting_limit (N m);
        gap (m) up to which bodies touch; talus_bond_def. Gives the bond's id."""
        made = define(structs.BondDef, "bond", dict(
            values, body_a=-1 if body_a is None else body_a,
            body_b=-1 if body_b is None else body_b))
        with self._alone(changes=True) as world:
            return self._add(library.talus_bond_add, world, byref(made))

    def add_bonds(self, bodies: Optional[Sequence[int]] = None, **values: Any) -> int:
        """Glues all of the bodies (None: all of the world) that touch; values as for add_bond. Gives
        the number of bonds."""
        made, added = define(structs.BondDef, "bond", values), c_int32()
        chosen = None if bodies is None else ids("bodies", bodies)
        with self._alone(changes=True) as world:
            self.context.check(library.talus_bonds_add(
                world, byref(made), 0 if chosen is None else chosen.size, address(chosen),
                byref(added)))
        return added.value

    def remove_bond(self, bond: int) -> None:
        with self._alone(changes=True) as world:
            self.context.check(library.talus_bond_remove(world, whole("bond", bond)))

    def _records(self, read: Any, kind: Any) -> AnyArray:
        """A copy of an array that belongs to the world."""
        found = c_void_p()
        with self._alone() as world:
            count = read(world, byref(found))
            if count < 0:
                raise Error(Status.OUT_OF_MEMORY, "no memory for the array")
            if count == 0:
                return np.zeros(0, kind)
            room = (c_char * (count * kind.itemsize)).from_address(found.value or 0)
            return np.frombuffer(room, kind).copy()

    @property
    def bonds(self) -> AnyArray:
        """Bonds as a structured array, a copy: id, body_a, body_b, point, axis, radius (m), loads
        normal, shear (N), bending, twisting (N m) of the last step, load (share of the
        strength)."""
        return self._records(library.talus_world_bonds, BOND_TYPE)

    @property
    def broken(self) -> AnyArray:
        """Bonds that broke in the last step: time (s), bond (as in bonds), mode (BondMode)."""
        return self._records(library.talus_world_broken, BROKEN_TYPE)

    def add_mechanism(self, links: Sequence[Dict[str, Any]],
                      loops: Sequence[Dict[str, Any]] = (), self_collide: bool = True) -> Mechanism:
        """An articulated tree: a dict of members of talus_link_def for each link (kind, parent, name,
        position, axis, mass, centre, inertia, motor ...), and of talus_loop_def for each loop."""
        rows, count = links_define(links)
        made = define(structs.MechanismDef, "mechanism", dict(
            link_count=count, self_collide=self_collide))
        made.link = cast(rows, POINTER(structs.LinkDef))
        closed = loops_define(loops)
        with self._alone(changes=True) as world:
            number = self._add(library.talus_world_add_mechanism, world, byref(made),
                               closed, len(loops))
        names = [str(link.get("name", "")) for link in links]
        return Mechanism(self, number, {name: i for i, name in enumerate(names) if name})

    def add_urdf(self, path: Any, *, position: Optional[Vector] = None,
                 orientation: Optional[Vector] = None, floating: bool = False,
                 lenient: bool = False, packages: Optional[str] = None,
                 motor: Union[None, str, Dict[str, str]] = None,
                 response: Optional[float] = None, material: Optional[int] = None) -> Mechanism:
        """A robot from a URDF file. motor: "rate" or "servo" for all joints, or by the joints' names;
        they begin at rest where they are. response (s): of servos, the time in which the distance to
        the target falls by e; default one step, which only a motor of much effort can do."""
        with urdf_read(self.context, path, dict(
                position=position, orientation=orientation, floating=int(floating),
                lenient=int(lenient), packages=packages)) as urdf:
            made = urdf.motors(motor, response)
            with self._alone(changes=True) as world:
                chosen, number, base = self._material_of(world, material), -1, -1
                self._material_check(world, chosen)
                if made.link_count > 0:
                    number = self._add(library.talus_world_add_mechanism, world, byref(made), None, 0)
                for link, shape in urdf.shapes():
                    shape.material = chosen
                    if link < 0 and base < 0:
                        fixed = define(structs.BodyDef, "body", dict(type="fixed"), BODY_KINDS)
                        base = self._add(library.talus_body_add, world, byref(fixed))
                    body = base if link < 0 else library.talus_link_body(world, number, link)
                    self._add(library.talus_shape_add, world, body, byref(shape))
                if base >= 0 and number >= 0:
                    self.context.check(library.talus_world_set_base(world, number, base))
            return Mechanism(self, number, urdf.joints(), base if base >= 0 else None)

    @property
    def mechanism_count(self) -> int:
        """Mechanisms of the world."""
        with self._alone() as world:
            return int(library.talus_world_mechanism_count(world))

    def mechanism(self, number: int) -> Mechanism:
        """A mechanism of the world by its number, in the order of adding."""
        with self._alone() as world:
            if not library.talus_world_mechanism(world, whole("mechanism", number)):
                raise Error(Status.INDEX_RANGE, f"mechanism {number} does not exist")
        return Mechanism(self, number, {})

    def link_of(self, body: int) -> Optional[Tuple[int, int]]:
        """The mechanism and the link that a body is; None if it is no link."""
        mechanism, link = c_int32(), c_int32()
        with self._alone() as world:
            if not library.talus_body_link(world, whole("body", body), byref(mechanism), byref(link)):
                return None
        return mechanism.value, link.value
