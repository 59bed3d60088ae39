"""What worlds are built of: materials, bodies, shapes."""

from ctypes import byref, c_void_p
from typing import Any, Dict, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt

from . import structs
from .define import Reals, Vector, address, broadcast, define, ids, real, reals, whole
from .enums import Adhesion, BodyType, ShapeKind, Status
from .library import fill, library
from .settings import member
from .solver import Error
from .world_state import STATE, WorldState

BODY_KINDS: Dict[str, Any] = {"type": BodyType}


class WorldBuild(WorldState):
    """The part of World that adds things."""

    def add_material(self, density: Optional[float] = None, friction: Optional[float] = None,
                     restitution: Optional[float] = None, *, pull_off: Optional[float] = None,
                     surface_energy: Optional[float] = None,
                     surface_tension: Optional[float] = None,
                     contact_angle: Optional[float] = None, bridge_volume: Optional[float] = None,
                     adhesion: Union[Adhesion, str, None] = None,
                     stiffness: Optional[float] = None, young: Optional[float] = None,
                     poisson: Optional[float] = None, rigid: Optional[bool] = None,
                     rolling_friction: Optional[float] = None,
                     spinning_friction: Optional[float] = None,
                     rolling_fraction: Optional[float] = None,
                     spinning_fraction: Optional[float] = None,
                     cross_friction: Optional[float] = None,
                     friction_direction: Optional[Sequence[float]] = None) -> int:
        """density: kg/m3 (2500); friction (0.5): a pair takes the smaller; restitution (0): the
        larger. Cohesion: pull_off (N), surface_energy (J/m2) with adhesion "jkr" or "dmt", or liquid
        bridges of surface_tension (N/m), contact_angle (rad), bridge_volume (m3). Soft contacts:
        stiffness (N/m), or young (Pa) and poisson (0.25); rigid: contacts between two such materials
        are rigid in a world of softness "auto". Resistance to rolling and spinning: lengths
        rolling_friction and spinning_friction (m), or fractions of the reduced radius. Friction by
        direction: cross_friction across friction_direction, in the frame of the body. Gives the
        material's number."""
        values = dict(
            density=density, friction=friction, restitution=restitution, pull_off=pull_off,
            surface_energy=surface_energy, surface_tension=surface_tension,
            contact_angle=contact_angle, bridge_volume=bridge_volume, adhesion=adhesion,
            stiffness=stiffness, young=young, poisson=poisson, rigid=rigid,
            rolling_friction=rolling_friction, spinning_friction=spinning_friction,
            rolling_fraction=rolling_fraction, spinning_fraction=spinning_fraction,
            cross_friction=cross_friction, friction_direction=friction_direction)
        made = define(structs.MaterialDef, "material", values, {"adhesion": Adhesion})
        with self._alone() as world:
            number = self._add(library.talus_material_add, world, byref(made))
        self._materials[number] = values
        return number

    def set_material(self, material: int, **values: Any) -> None:
        """Other values for a material, named as in add_material, from the next step on; what is not
        named stays, and so does the density. None: its default. For materials of add_material: those
        of a scene are changed by the stages of its file."""
        number = whole("material", material)
        if number not in self._materials:
            raise Error(Status.INDEX_RANGE, f"material {number} was not made by add_material of this "
                        "world")
        if "density" in values:
            raise TypeError("material: the density stays as it was")
        changed = dict(self._materials[number], **values)
        made = define(structs.MaterialDef, "material", changed, {"adhesion": Adhesion})
        with self._alone() as world:
            self.context.check(library.talus_material_set(world, number, byref(made)))
        self._materials[number] = changed

    def set_pair(self, material_a: int, material_b: int, friction: float,
                 restitution: float = 0.0) -> None:
        """What two materials do to each other, instead of the rule."""
        with self._alone() as world:
            self.context.check(library.talus_material_pair(
                world, whole("material_a", material_a), whole("material_b", material_b),
                real("friction", friction), real("restitution", restitution)))

    def _material_of(self, world: c_void_p, material: Optional[int]) -> int:
        """The given one; else one with the defaults of talus_material_def, made when first needed."""
        if material is not None:
            return whole("material", material)
        if self._material is None:
            self._material = self._add(library.talus_material_add, world,
                                       byref(fill(structs.MaterialDef)))
        return self._material

    @staticmethod
    def _material_check(world: c_void_p, material: int) -> None:
        """For what is made of several parts: nothing is made if the material does not exist."""
        friction = -1.0  # refused where the material is there: nothing changes
        if library.talus_material_pair(world, material, material, friction, 0) == Status.INDEX_RANGE:
            raise Error(Status.INDEX_RANGE, f"material {material} does not exist")

    def add_body(self, position: Vector = (0, 0, 0), *, type: Union[BodyType, str] = "free",
                 orientation: Optional[Vector] = None, velocity: Optional[Vector] = None,
                 spin: Optional[Vector] = None, group: Optional[int] = None,
                 collides: Optional[int] = None) -> int:
        """A body without shapes, for add_shape. position (m): of the frame in which its shapes are
        placed; orientation: unit quaternion w x y z; velocity (m/s), spin (rad/s): of the centre of
        mass, world frame; group 0 .. 31; collides: bit g for each group it meets."""
        made = self._body_define(position, type, orientation, velocity, spin, group, collides)
        with self._alone(changes=True) as world:
            return self._add(library.talus_body_add, world, byref(made))

    @staticmethod
    def _body_define(position: Any, type: Any, orientation: Any, velocity: Any, spin: Any,
                     group: Any, collides: Any) -> structs.BodyDef:
        return define(structs.BodyDef, "body", dict(
            position=position, type=type, orientation=orientation, velocity=velocity, spin=spin,
            group=group, collides=collides), BODY_KINDS)

    def add_shape(self, body: int, kind: Union[ShapeKind, str], *, material: Optional[int] = None,
                  position: Optional[Vector] = None, orientation: Optional[Vector] = None,
                  radius: Optional[float] = None, half_length: Optional[float] = None,
                  half_edge: Optional[Vector] = None, points: Any = None,
                  triangles: Any = None) -> int:
        """Adds a shape to a body; several make a clump, whose mass and centre follow from them.
        position (m) and orientation: in the frame in which the body was defined. Gives the shape's
        id."""
        made = self._shape_define(kind, dict(
            position=position, orientation=orientation, radius=radius, half_length=half_length,
            half_edge=half_edge), points, triangles)
        with self._alone(changes=True) as world:
            made.material = self._material_of(world, material)
            return self._add(library.talus_shape_add, world, whole("body", body), byref(made))

    @staticmethod
    def _shape_define(kind: Any, values: Dict[str, Any], points: Any = None,
                      triangles: Any = None) -> structs.ShapeDef:
        chosen = ShapeKind(member("shape.kind", kind, ShapeKind))
        made = define(structs.ShapeDef, "shape", values, kind=chosen)
        if points is not None:
            corners = reals("shape.points", points, None, 3)
            made.point, made.point_count, made.corners = address(corners), len(corners), corners
        if triangles is not None:
            faces = np.asarray(triangles)
            if faces.dtype.kind not in "iu" or faces.ndim != 2 or faces.shape[1] != 3:
                raise ValueError(f"shape.triangles is {faces.dtype} of shape {faces.shape}: whole "
                                 "numbers of shape (n, 3) are needed")
            packed = np.ascontiguousarray(faces, dtype=np.int32)
            if not np.array_equal(packed, faces):
                raise ValueError("shape.triangles has numbers that int32 does not hold")
            made.triangle, made.triangle_count, made.faces = address(packed), len(packed), packed
        return made

    def _solid(self, made: structs.ShapeDef, position: Any, material: Optional[int],
               body: Dict[str, Any]) -> int:
        """A body of one shape; nothing stays of it if the shape is refused."""
        unknown = set(body) - {"type", "orientation", "velocity", "spin", "group", "collides"}
        if unknown:
            raise TypeError(f"body: {', '.join(sorted(unknown))} is unknown: one of type, orientation, "
                            "velocity, spin, group, collides")
        defined = define(structs.BodyDef, "body", dict(body, position=position), BODY_KINDS)
        with self._alone(changes=True) as world:
            made.material = self._material_of(world, material)
            added = self._add(library.talus_body_add, world, byref(defined))
            try:
                self._add(library.talus_shape_add, world, added, byref(made))
            except Error:
                library.talus_body_remove(world, added)
                raise
            return added

    def add_plane(self, position: Vector = (0, 0, 0), normal: Vector = (0, 0, 1), *,
                  material: Optional[int] = None, **body: Any) -> int:
        """A fixed half-space below the plane through position (m) with the outward normal."""
        n = reals("normal", normal, 3)
        length = float(np.linalg.norm(n))
        if not np.isfinite(length) or length == 0:
            raise ValueError(f"normal is {tuple(float(x) for x in n)}: it has no direction")
        w = 1 + n[2] / length  # turns z into the normal
        turn = np.array([w, -n[1] / length, n[0] / length, 0]) if w > 1e-12 else np.array([0., 1, 0, 0])
        body.setdefault("type", BodyType.FIXED)
        body.setdefault("orientation", turn / np.linalg.norm(turn))
        return self._solid(self._shape_define("halfspace", {}), position, material, body)

    def add_sphere(self, position: Vector, radius: float, *, material: Optional[int] = None,
                   **body: Any) -> int:
        """radius: m. Further arguments: type, orientation, velocity, spin, group, collides."""
        return self._solid(self._shape_define("sphere", dict(radius=radius)), position, material, body)

    def add_box(self, position: Vector, half_edge: Vector, *, material: Optional[int] = None,
                **body: Any) -> int:
        """half_edge: three half lengths, m. Further arguments as of add_sphere."""
        return self._solid(self._shape_define("box", dict(half_edge=half_edge)), position, material,
                           body)

    def add_capsule(self, position: Vector, radius: float, half_length: float, *,
                    material: Optional[int] = None, **body: Any) -> int:
        """Axis z; half_length (m): half the way between the centres of its caps."""
        return self._solid(self._shape_define("capsule", dict(
            radius=radius, half_length=half_length)), position, material, body)

    def add_cylinder(self, position: Vector, radius: float, half_length: float, *,
                     material: Optional[int] = None, **body: Any) -> int:
        """Axis z; m."""
        return self._solid(self._shape_define("cylinder", dict(
            radius=radius, half_length=half_length)), position, material, body)

    def add_hull(self, position: Vector, points: Any, *, material: Optional[int] = None,
                 **body: Any) -> int:
        """The convex hull of points (n, 3), m, in the body's frame."""
        return self._solid(self._shape_define("hull", {}, points), position, material, body)

    def add_mesh(self, position: Vector, points: Any, triangles: Any, *,
                 material: Optional[int] = None, **body: Any) -> int:
        """Triangles (n, 3) of points (m, 3), counter-clockwise seen from outside; of a fixed body, or
        a kinematic one."""
        body.setdefault("type", BodyType.FIXED)
        return self._solid(self._shape_define("mesh", {}, points, triangles), position, material, body)

    def add_clump(self, position: Vector, centres: Any, radii: Any, *,
                  material: Optional[int] = None, **body: Any) -> int:
        """One body of several spheres: centres (n, 3) in its frame and radii (n,), m. Its position
        becomes the centre of mass."""
        at = reals("centres", centres, None, 3)
        sizes = broadcast("radii", radii, len(at))
        added = self.add_body(position, **body)
        try:
            for centre, radius in zip(at, sizes):
                self.add_shape(added, "sphere", position=centre, radius=float(radius),
                               material=material)
        except Exception:
            self.remove(added)
            raise
        return added

    def add_spheres(self, positions: Any, radii: Any, *, material: Optional[int] = None,
                    velocities: Any = None, spins: Any = None,
                    **body: Any) -> npt.NDArray[np.int32]:
        """Spheres from arrays, thousands at once: positions (n, 3), radii (n,) or one, m; velocities
        (m/s) and spins (rad/s): (n, 3) or (3,). Gives their ids. All are added, or none."""
        at = reals("positions", positions, None, 3)
        sizes = broadcast("radii", radii, len(at))
        moving = [(name, broadcast(label, value, len(at), 3)) for name, label, value in (
            ("velocity", "velocities", velocities), ("spin", "spins", spins)) if value is not None]
        for name, rows in moving:
            if not np.isfinite(rows).all():
                raise ValueError(f"{name} of sphere {int(np.argwhere(~np.isfinite(rows))[0, 0])} is "
                                 "not finite")
        made = define(structs.BodyDef, "body", body, BODY_KINDS)
        added = np.empty(len(at), np.int32)
        with self._alone(changes=True) as world:
            self.context.check(library.talus_spheres_add(
                world, byref(made), self._material_of(world, material), len(at), address(at),
                address(sizes), address(added)))
        if moving and len(at):
            state = self._arrays()
            for name, rows in moving:
                state[added, STATE[name]] = rows
        return added

    def remove(self, bodies: Any) -> None:
        """Removes a body, or several, with their shapes and motions."""
        with self._alone(changes=True) as world:
            for body in ids("bodies", bodies):
                self.context.check(library.talus_body_remove(world, int(body)))
