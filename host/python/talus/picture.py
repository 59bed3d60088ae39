"""What a world or a frame of a run looks like: spheres, surfaces, contacts."""

from typing import TYPE_CHECKING, Any, Dict, List, Tuple

import numpy as np
import numpy.typing as npt

from .define import Reals
from .enums import BodyType, ShapeKind
from .problem import AnyArray
from .run import Frame

if TYPE_CHECKING:
    from .world import World

Faces = npt.NDArray[np.int64]
Surface = Tuple[Reals, Faces]  # points (n, 3), triangles (m, 3)
NOTHING: Surface = (np.zeros((0, 3)), np.zeros((0, 3), np.int64))


class Picture:
    """What one moment looks like: spheres with a value each, solids, walls, and forces at contacts."""

    def __init__(self, time: float, position: Reals, radius: Reals, fields: Dict[str, Reals],
                 solids: Surface, walls: Surface, contacts: Dict[str, Any]) -> None:
        self.time, self.position, self.radius, self.fields = time, position, radius, fields
        self.solids, self.walls, self.contacts = solids, walls, contacts

    def field(self, name: str) -> Reals:
        if name not in self.fields:
            raise ValueError(f"field {name!r} is unknown: one of {', '.join(self.fields)}")
        return self.fields[name]


def _fields(position: Reals, radius: Reals, velocity: Reals, spin: Reals) -> Dict[str, Reals]:
    return {"speed": np.linalg.norm(velocity, axis=1), "spin": np.linalg.norm(spin, axis=1),
            "radius": radius, "height": position[:, 2], "vx": velocity[:, 0], "vy": velocity[:, 1],
            "vz": velocity[:, 2]}


# ---- from a world ----------------------------------------------------------------------------------

def _rotation(q: Reals) -> Reals:
    """(n, 3, 3) of quaternions (n, 4)."""
    w, x, y, z = q.T
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]
                    ).transpose(2, 0, 1)


def _ball(rings: int = 12, sectors: int = 16) -> Surface:
    """A unit sphere, poles along z."""
    theta = np.linspace(0, np.pi, rings + 1)
    phi = np.linspace(0, 2 * np.pi, sectors, endpoint=False)
    t, p = np.meshgrid(theta, phi, indexing="ij")
    points = np.stack([np.sin(t) * np.cos(p), np.sin(t) * np.sin(p), np.cos(t)], -1).reshape(-1, 3)
    i, j = np.meshgrid(np.arange(rings), np.arange(sectors), indexing="ij")
    a, b = i * sectors + j, i * sectors + (j + 1) % sectors
    c, d = a + sectors, b + sectors
    return points, np.concatenate([np.stack([a, c, d], -1), np.stack([a, d, b], -1)]).reshape(-1, 3)


def _hull(points: Reals) -> Surface:
    """Triangles of the hull of points: those with all points on one side. Of many points the hull is
    drawn through those that are farthest in the directions of a fine ball."""
    if len(points) > 40:
        directions, faces = _ball(24, 36)
        corners = np.argmax(directions @ points.T, axis=1)[faces]
        distinct = ((corners[:, 0] != corners[:, 1]) & (corners[:, 1] != corners[:, 2])
                    & (corners[:, 2] != corners[:, 0]))
        return points, np.unique(corners[distinct], axis=0)
    triples = np.array([(i, j, k) for i in range(len(points)) for j in range(i + 1, len(points))
                        for k in range(j + 1, len(points))])
    at, one, two = points[triples].transpose(1, 0, 2)
    normal = np.cross(one - at, two - at)
    side = np.einsum("tj,tnj->tn", normal, points[None] - at[:, None])
    slack = 1e-9 * np.abs(side).max(initial=1e-300)
    outer = (side <= slack).all(axis=1) | (side >= -slack).all(axis=1)
    return points, triples[outer & (np.abs(normal).max(axis=1) > 0)]


def _drum(radius: float, half_length: float, sectors: int = 24) -> Surface:
    """A cylinder along z."""
    angle = np.linspace(0, 2 * np.pi, sectors, endpoint=False)
    rim = np.stack([radius * np.cos(angle), radius * np.sin(angle), np.zeros(sectors)], -1)
    points = np.concatenate([rim - [0, 0, half_length], rim + [0, 0, half_length],
                             [[0, 0, -half_length], [0, 0, half_length]]])
    a = np.arange(sectors)
    b, low, high = (a + 1) % sectors, np.full(sectors, 2 * sectors), np.full(sectors, 2 * sectors + 1)
    return points, np.concatenate([np.stack(t, -1) for t in (
        (a, b, b + sectors), (a, b + sectors, a + sectors), (b, a, low),
        (a + sectors, b + sectors, high))])


def _brick(half_edge: Reals) -> Surface:
    points = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * half_edge
    sides = np.array([(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)])
    return points, np.concatenate([sides[:, [0, 1, 2]], sides[:, [0, 2, 3]]])


def _tessellated(shape: Dict[str, Any], size: float) -> Surface:
    """A shape in its own frame; half-spaces are squares of the given half edge."""
    kind = shape["kind"]
    if kind == ShapeKind.MESH:
        return shape["points"], shape["triangles"].astype(np.int64)
    if kind == ShapeKind.HALFSPACE:
        return (np.array([[-1., -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]]) * size,
                np.array([[0, 1, 2], [0, 2, 3]]))
    if kind == ShapeKind.HULL:
        return _hull(shape["points"])
    if kind == ShapeKind.BOX:
        return _brick(shape["half_edge"])
    if kind == ShapeKind.CYLINDER:
        return _drum(shape["radius"], shape["half_length"])
    points, faces = _ball()
    points = points * shape["radius"]
    if kind == ShapeKind.CAPSULE:
        points = points + np.sign(points[:, 2:]) * [[0, 0, shape["half_length"]]]
    return points, faces


def _joined(parts: List[Surface]) -> Surface:
    if not parts:
        return NOTHING
    starts = np.cumsum([0, *(len(points) for points, _ in parts[:-1])])
    return (np.concatenate([points for points, _ in parts]),
            np.concatenate([faces + start for (_, faces), start in zip(parts, starts)]))


def picture_of_world(world: "World") -> Picture:
    """The present state of a world."""
    state = {name: np.array(getattr(world, name)) for name in
             ("position", "orientation", "velocity", "spin", "type", "radius")}
    shapes = world.shapes()
    rotation = _rotation(state["orientation"])
    finite = np.isfinite(state["radius"]) & np.isfinite(state["position"][:, 0])
    around = state["position"][finite]
    size = float(np.ptp(around, axis=0).max() if len(around) else 1.0) * 0.75 + (
        2 * float(state["radius"][finite].max()) if len(around) else 1.0)
    middle = around.mean(axis=0) if len(around) else np.zeros(3)
    balls = [s for s in shapes if s["kind"] == ShapeKind.SPHERE
             and state["type"][s["body"]] != BodyType.FIXED]
    bodies = np.array([s["body"] for s in balls], np.int64)
    offsets = np.array([s["position"] for s in balls]).reshape(-1, 3)
    arms = np.einsum("nij,nj->ni", rotation[bodies], offsets)
    position = state["position"][bodies] + arms
    velocity = state["velocity"][bodies] + np.cross(state["spin"][bodies], arms)
    radius = np.array([s["radius"] for s in balls])
    solids: List[Surface] = []
    walls: List[Surface] = []
    for shape in shapes:
        body = shape["body"]
        fixed = state["type"][body] == BodyType.FIXED
        if shape["kind"] == ShapeKind.SPHERE and not fixed:
            continue
        points, faces = _tessellated(shape, size)
        turned = points @ _rotation(shape["orientation"][None])[0].T + shape["position"]
        placed = turned @ rotation[body].T + state["position"][body]
        if shape["kind"] == ShapeKind.HALFSPACE:  # under what there is to see
            normal = rotation[body] @ _rotation(shape["orientation"][None])[0][:, 2]
            away = middle - state["position"][body]
            placed = placed + (away - normal * (normal @ away))
        (walls if fixed else solids).append((placed, faces))
    found = world.contacts
    force = found["impulse"] / world._part_seconds
    return Picture(world.time, position, radius, _fields(position, radius, velocity,
                                                         state["spin"][bodies]),
                   _joined(solids), _joined(walls),
                   {"position": found["point"], "normal": found["normal"], "force": force})


# ---- from a run ------------------------------------------------------------------------------------

def _surface(part: Dict[str, AnyArray]) -> Surface:
    if "connectivity" not in part or len(part["connectivity"]) == 0:
        return NOTHING
    return part["position"].astype(np.float64), part["connectivity"].astype(np.int64).reshape(-1, 3)


def picture_of_frame(frame: Frame) -> Picture:
    """One frame of a run."""
    grains = frame.part("grains")
    round_ = grains["radius"] > 0 if "radius" in grains else np.zeros(0, bool)
    position, radius, velocity, spin = (
        grains[name][round_].astype(np.float64) if name in grains else np.zeros((0, 3))
        for name in ("position", "radius", "velocity", "spin"))
    contacts = frame.contacts or {name: np.zeros((0, 3)) for name in ("position", "normal", "force")}
    return Picture(frame.time, position, radius.reshape(-1), _fields(position, radius.reshape(-1),
                                                                     velocity, spin),
                   _surface(frame.part("surfaces")), _surface(frame.part("walls")), contacts)
