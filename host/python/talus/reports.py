"""What worlds tell: reports of steps, states of joints, contacts that are about to be solved."""

from typing import Any, Dict, List

import numpy as np

from . import structs
from .enums import Outcome, Precision

CONTACT_TYPE = np.dtype([("body_a", "i4"), ("body_b", "i4"), ("shape_a", "i4"), ("shape_b", "i4"),
                         ("point", "3f8"), ("normal", "3f8"), ("gap", "f8"), ("impulse", "3f8")])

BOND_TYPE = np.dtype([("id", "i4"), ("body_a", "i4"), ("body_b", "i4"), ("unused", "i4"),
                      ("point", "3f8"), ("axis", "3f8"), ("radius", "f8"), ("normal", "f8"),
                      ("shear", "f8"), ("bending", "f8"), ("twisting", "f8"), ("load", "f8")])
BROKEN_TYPE = np.dtype([("time", "f8"), ("bond", BOND_TYPE), ("mode", "i4"), ("unused", "i4")])


_KINDS: Dict[str, Any] = {"outcome": Outcome, "precision": Precision}


class StepReport:
    """What a step tells; talus_step_report of the header: time (s), step, contact_count,
    touching_count, epsilon, error, iterations, passes, penetration_max (m), kinetic, potential
    (J), seconds ..."""

    def __init__(self, made: structs.StepReport) -> None:
        self._made = made

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name == "struct_size":
            raise AttributeError(name)
        value = getattr(self._made, name)
        return _KINDS[name](value) if name in _KINDS else value

    def __dir__(self) -> List[str]:
        return [field[0] for field in structs.StepReport._fields_[1:]]

    def __repr__(self) -> str:
        return (f"<talus.StepReport of step {self.step}, t = {self.time:.6g} s: "
                f"{self.touching_count} of {self.contact_count} contacts touch, error "
                f"{self.error:.3g}, penetration {self.penetration_max:.3g} m, kinetic "
                f"{self.kinetic:.4g} J, {self.seconds:.3g} s>")


class JointState:
    """talus_joint_state: coordinate and rate (rad or m, per s), impulse (N s) and moment (N m s) that
    the joint gave b in the last step, and its shares stop, motor, friction."""

    def __init__(self, made: structs.JointState) -> None:
        self.coordinate: float = made.coordinate
        self.rate: float = made.rate
        self.impulse = np.array(made.impulse)
        self.moment = np.array(made.moment)
        self.stop: float = made.stop
        self.motor: float = made.motor
        self.friction: float = made.friction

    def __repr__(self) -> str:
        return f"<talus.JointState coordinate {self.coordinate:.6g}, rate {self.rate:.6g}>"


class Cell:
    """A periodic cell as it is now: periodic ("xy"), origin (3) and edge (m: xx yy zz xy xz yz), rate
    (1/s)."""

    def __init__(self, made: structs.Cell) -> None:
        self.periodic = "".join(axis for bit, axis in enumerate("xyz") if made.periodic & 1 << bit)
        self.origin = np.array(made.origin)
        self.edge = np.array(made.edge)
        self.rate = np.array(made.rate)

    def __repr__(self) -> str:
        return f"<talus.Cell periodic along {self.periodic or 'nothing'}, edge {self.edge.tolist()} m>"


class Servo:
    """A servo after a step: force (N) that contacts pressed with, area (m2), pressure (Pa), travel (m)
    along its axis so far, speed (m/s) of the next step."""

    def __init__(self, made: structs.ServoState) -> None:
        self.force, self.area, self.pressure = float(made.force), float(made.area), float(made.pressure)
        self.travel, self.speed = float(made.travel), float(made.speed)

    def __repr__(self) -> str:
        return (f"<talus.Servo {self.force:g} N, {self.pressure:g} Pa over {self.area:g} m2, "
                f"travel {self.travel:g} m, speed {self.speed:g} m/s>")


class ContactEvent:
    """A contact that is about to be solved, for the function of World.on_contact. friction,
    restitution and keep may be changed; the rest says what it is: body_a, body_b, shape_a, shape_b,
    point, normal (from a to b), gap (m), impulse of the last step (N s, on b)."""

    __slots__ = ("body_a", "body_b", "shape_a", "shape_b", "point", "normal", "gap", "impulse",
                 "friction", "restitution", "keep")

    def __init__(self, contact: structs.Contact, friction: float, restitution: float) -> None:
        self.body_a: int = contact.body_a
        self.body_b: int = contact.body_b
        self.shape_a: int = contact.shape_a
        self.shape_b: int = contact.shape_b
        self.point = tuple(contact.point)
        self.normal = tuple(contact.normal)
        self.gap: float = contact.gap
        self.impulse = tuple(contact.impulse)
        self.friction, self.restitution, self.keep = friction, restitution, True

    def __repr__(self) -> str:
        return (f"<talus.ContactEvent of bodies {self.body_a} and {self.body_b}, gap {self.gap:.3g} m, "
                f"friction {self.friction:g}>")
