"""Problems of the four forms over NumPy arrays that stay where they are."""

import ctypes
from typing import Any, Dict, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from . import _core, structs
from .enums import Form, Storage
from .library import library

Array = npt.ArrayLike
AnyArray = npt.NDArray[Any]
NUMBERS: Dict[str, Any] = {"real": np.float64, "int32": np.int32, "int64": np.int64,
                           "uint64": np.uint64}
KINDS = {name: place for place, name in enumerate(NUMBERS)}


def _listed(name: str, value: Any, wanted: Any) -> AnyArray:
    """A list and the like as an array of the wanted type, if nothing is lost by it."""
    try:
        array = np.asarray(value)
        if array.dtype.kind not in ("biuf" if wanted is np.float64 else "biu") and array.size > 0:
            raise TypeError(f"its numbers are of type {array.dtype}")
        made: AnyArray = array.astype(wanted)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name} does not become an array of {np.dtype(wanted).name}: "
                        f"{error}") from None
    if wanted is not np.float64 and bool((made != array).any()):
        raise ValueError(f"{name} has numbers that {np.dtype(wanted).name} does not hold")
    return made


def view(name: str, value: Any, width: int, kind: str, count: int = -1) -> AnyArray:
    """The array as elements of `width` numbers, without a copy: shape (n, width), or (n,).

    kind: "real" (float64 or float32), "int32", "int64" or "uint64". Lists become arrays of that type.
    count: how many there must be; -1: any. One number stands for all where they are counted, and
    symmetric (n, 3, 3) for the six numbers of inertias.
    """
    wanted = NUMBERS[kind]
    array = value if isinstance(value, np.ndarray) else _listed(name, value, wanted)
    if isinstance(array, np.ma.MaskedArray):
        raise TypeError(f"{name} has a mask, which would not be looked at (use .filled or .data)")
    allowed = (np.float64, np.float32) if kind == "real" else (wanted,)
    if array.dtype not in allowed or not array.dtype.isnative:
        names = " or ".join(np.dtype(t).name for t in allowed)
        raise TypeError(f"{name} is of type {array.dtype}: {names} is needed (use .astype)")
    if array.ndim == 0 and width == 1 and count >= 0:
        return np.full(count, array[()], dtype=array.dtype)
    if array.ndim == 3 and array.shape[1:] == (3, 3) and name.endswith("inverse_inertia"):
        array = _halved(name, array)
    array = _shaped(name, array, width)
    if count >= 0 and array.shape[0] != count:
        raise ValueError(f"{name} has {array.shape[0]} elements, {count} are needed")
    return _placed(name, array, width)


def _halved(name: str, array: AnyArray) -> AnyArray:
    """xx xy xz yy yz zz of symmetric matrices."""
    if not np.array_equal(array, array.transpose(0, 2, 1)):
        raise ValueError(f"{name} has matrices that are not symmetric")
    return np.ascontiguousarray(array.reshape(-1, 9)[:, [0, 1, 2, 4, 5, 8]])


def _shaped(name: str, array: AnyArray, width: int) -> AnyArray:
    if width == 1:
        if array.ndim == 2 and array.shape[1] == 1:
            array = array[:, 0]
        if array.ndim != 1:
            raise ValueError(f"{name} has shape {array.shape}: (n,) is needed")
        return array
    if array.ndim == 1 and array.size % width == 0 and array.flags.c_contiguous:
        array = array.reshape(-1, width)
    if array.ndim != 2 or array.shape[1] != width:
        raise ValueError(f"{name} has shape {array.shape}: (n, {width}) is needed")
    if array.shape[0] > 0 and array.strides[1] != array.itemsize:
        raise ValueError(f"{name}: the {width} numbers of an element must lie side by side (use "
                         "numpy.ascontiguousarray)")
    return array


def _placed(name: str, array: AnyArray, width: int) -> AnyArray:
    """Refuses elements that lie over each other (numpy.broadcast_to), backwards or between words:
    the library reads forward, and takes a stride of 0 for a packed array."""
    if array.shape[0] > 1 and array.strides[0] < width * array.itemsize:
        raise ValueError(f"{name} has a stride of {array.strides[0]} bytes: its elements must follow "
                         "one another (use .copy())")
    if array.size > 0 and not array.flags.aligned:
        raise ValueError(f"{name} does not begin at, or step by, whole numbers (use .copy())")
    return array


def needed(name: str, value: Optional[Array], kind: str) -> AnyArray:
    """The view of an array by which others are counted."""
    if value is None:
        raise TypeError(f"{name} is missing")
    return view(name, value, 1, kind)


def _offsets() -> Dict[str, Tuple[int, int]]:
    """Of every array, where its pointer is in talus_problem and its layout in talus_layout."""
    found = {}
    for part in ("rigid", "blocks", "delassus", "global", ""):
        outer = getattr(structs.Problem, part).offset if part else 0
        beside = getattr(structs.Layout, part).offset if part else 0
        struct = {"rigid": structs.Rigid, "blocks": structs.Blocks, "delassus": structs.Delassus,
                  "global": structs.Global, "": structs.Problem}[part]
        layout = {"rigid": structs.RigidLayout, "blocks": structs.BlocksLayout,
                  "delassus": structs.DelassusLayout, "global": structs.GlobalLayout,
                  "": structs.Layout}[part]
        for field in struct._fields_:
            if field[1] is ctypes.c_void_p and hasattr(layout, field[0]):
                found[f"{part}.{field[0]}" if part else field[0]] = (
                    outer + getattr(struct, field[0]).offset,
                    beside + getattr(layout, field[0]).offset)
    return found


OFFSETS = _offsets()


class Matrix:
    """A matrix of the caller's: dense, or sparse in one of three storages, without a copy."""

    def __init__(self, storage: Storage, shape: Tuple[int, int], value: Array,
                 index: Optional[Array] = None, start: Optional[Array] = None,
                 index2: Optional[Array] = None) -> None:
        self.shape = (int(shape[0]), int(shape[1]))
        self.storage = Storage(storage)
        self.value = np.ascontiguousarray(value, dtype=np.float64)
        self.index = None if index is None else view("index", index, 1, "int32")
        self.start = None if start is None else view("start", start, 1, "int64")
        self.index2 = None if index2 is None else view("index2", index2, 1, "int32")

    @staticmethod
    def of(value: Any) -> "Matrix":
        """From a two-dimensional array or a SciPy sparse matrix (csr, csc, coo; others become csr).

        A dense array in Fortran's order is not copied, one in C's is.
        """
        if isinstance(value, Matrix):
            return value
        if hasattr(value, "tocsr"):
            return Matrix._of_sparse(value)
        dense = np.asarray(value, dtype=np.float64)
        if dense.ndim != 2:
            raise ValueError(f"a matrix has two dimensions, not {dense.ndim}")
        return Matrix(Storage.DENSE, (dense.shape[0], dense.shape[1]), dense.ravel(order="F"))

    @staticmethod
    def _of_sparse(value: Any) -> "Matrix":
        if value.format == "coo":
            return Matrix(Storage.TRIPLET, value.shape, value.data, value.row.astype(np.int32),
                          index2=value.col.astype(np.int32))
        lined = value if value.format in ("csr", "csc") else value.tocsr()
        storage = Storage.CSR if lined.format == "csr" else Storage.CSC
        return Matrix(storage, lined.shape, lined.data, lined.indices.astype(np.int32, copy=False),
                      lined.indptr.astype(np.int64))

    def struct(self) -> structs.Matrix:
        def address(array: Optional[AnyArray]) -> Optional[int]:
            return None if array is None else np.ascontiguousarray(array).ctypes.data

        for name in ("index", "start", "index2"):
            array = getattr(self, name)
            if array is not None and not array.flags.c_contiguous:
                raise ValueError(f"matrix.{name} must be packed")
            if array is not None and name != "start" and array.size != self.value.size:
                raise ValueError(f"matrix.{name} has {array.size} entries, value {self.value.size}")
        lines = {Storage.CSR: self.shape[0], Storage.CSC: self.shape[1]}.get(self.storage)
        if lines is not None and (self.start is None or self.start.size != lines + 1):
            raise ValueError(f"matrix.start must have {lines + 1} offsets")
        return structs.Matrix(self.storage, *self.shape, self.value.size, address(self.start),
                              address(self.index), address(self.index2), self.value.ctypes.data)


class Problem(_core.Problem):
    """A contact problem: made by `rigid`, `blocks`, `delassus` or `global_`.

    It keeps its arrays alive. They are read at `Solver.update` and until the next solve has
    returned, and must not change in between.
    """

    def __init__(self, form: Form, dimension: int, contact_count: int,
                 bilateral_count: int) -> None:
        library.talus_problem_init(self._address, _core.problem_size, form)
        made = self.struct
        made.dimension = dimension
        made.contact_count = contact_count
        made.bilateral_count = bilateral_count

    def __repr__(self) -> str:
        rows = f", {self.bilateral_count} bilateral rows" if self.bilateral_count else ""
        return (f"<talus.Problem of form {self.form.name}: {self.contact_count} contacts of dimension "
                f"{self.dimension}{rows}>")

    def __reduce__(self) -> Any:
        raise TypeError("a Problem cannot be copied: it borrows its arrays; make another")

    @property
    def struct(self) -> structs.Problem:
        """The talus_problem, in place."""
        made = structs.Problem.from_address(self._address)
        made.owner = self  # which the struct must not outlive
        return made

    @property
    def form(self) -> Form:
        return Form(self.struct.form)

    @property
    def velocity_shape(self) -> Optional[Tuple[int, ...]]:
        """Of solution.velocity: (bodies, 6), flat for forms (b) and (d), None for (c)."""
        made = self.struct
        if made.form == Form.RIGID:
            return (made.rigid.body_count, 6)
        if made.form == Form.BLOCKS:
            return (len(self._kept["blocks.velocity"]),)
        return (getattr(made, "global").mass.rows,) if made.form == Form.GLOBAL else None

    def _set(self, part: str, name: str, value: Optional[Array], width: int, count: Optional[int],
             kind: str = "real") -> None:
        if value is not None:
            full = f"{part}.{name}" if part else name
            offset, beside = OFFSETS[full]
            self._place(full.encode(), value, width, -1 if count is None else count, KINDS[kind],
                        offset, beside)

    def borrowed(self) -> Tuple[Any, ...]:
        """The arrays that the struct points to, for whoever must keep them alive."""
        return (*self._kept.values(), self)

    def keys(self, contact_key: Optional[Array] = None, row_key: Optional[Array] = None) -> None:
        """Names (uint64) of contacts and rows that last from problem to problem: with
        settings.warm_start a solver starts each at the impulse that it last gave to the name."""
        self._set("", "contact_key", contact_key, 1, self.contact_count, "uint64")
        self._set("", "row_key", row_key, 1, self.bilateral_count, "uint64")

    def asleep(self, asleep: Array) -> None:
        """1 (int32) per body or block that sleeps, forms (a) and (b): islands that sleep as a whole
        are left out of the solve."""
        count = (self.struct.rigid.body_count if self.form == Form.RIGID
                 else self.struct.blocks.block_count)
        self._set("", "asleep", asleep, 1, count, "int32")

    def velocity_scale(self, scale: float) -> None:
        """Contact velocities that are small, m/s (0: none): the tolerance is relative to them where
        doing nothing would be nearly right. A simulator has gravity times its step at hand."""
        self.struct.velocity_scale = scale

    def comply(self, compliance: Optional[Array] = None, target_impulse: Optional[Array] = None,
               row_compliance: Optional[Array] = None,
               row_target_impulse: Optional[Array] = None) -> None:
        """Contacts and rows that give way: C_n and C_t of each contact and C of each row, (m/s)/(N s),
        about target impulses (None: 0). The law sees u + C (impulse - target) in the place of u."""
        self._set("", "compliance", compliance, 2, self.contact_count)
        self._set("", "target_impulse", target_impulse, self.struct.dimension, self.contact_count)
        self._set("", "row_compliance", row_compliance, 1, self.bilateral_count)
        self._set("", "row_target_impulse", row_target_impulse, 1, self.bilateral_count)

    def resist(self, torque_friction: Array) -> None:
        """Contacts of six rows: friction of spinning and of rolling of each contact, m. Impulses and
        contact velocities then have six numbers, the force and the torque. RIGID and BLOCKS, whose
        Jacobians must have six rows already."""
        self.struct.dimension = 6
        self._set("", "torque_friction", torque_friction, 2, self.contact_count)

    def ellipse(self, cross_friction: Array, friction_direction: Optional[Array] = None) -> None:
        """Elliptic cones: friction holds along a direction of each contact (RIGID: given in the world
        frame; BLOCKS: t1), cross_friction across it."""
        self._set("", "cross_friction", cross_friction, 1, self.contact_count)
        self._set("", "friction_direction", friction_direction, 3, self.contact_count)

    def _common(self, friction: Optional[Array], row_lower: Optional[Array],
                row_upper: Optional[Array]) -> None:
        self._set("", "friction", friction, 1, self.contact_count)
        self._set("", "row_lower", row_lower, 1, self.bilateral_count)
        self._set("", "row_upper", row_upper, 1, self.bilateral_count)

    @classmethod
    def rigid(cls, velocity: Array, inverse_mass: Array, inverse_inertia: Array, body_a: Array,
              body_b: Array, normal: Array, *, reach_a: Optional[Array] = None,
              reach_b: Optional[Array] = None, arm_a: Optional[Array] = None,
              arm_b: Optional[Array] = None, friction: Optional[Array] = None,
              bias: Optional[Array] = None, surface_velocity: Optional[Array] = None,
              row_body_a: Optional[Array] = None, row_body_b: Optional[Array] = None,
              row_jacobian: Optional[Array] = None, row_bias: Optional[Array] = None,
              row_lower: Optional[Array] = None, row_upper: Optional[Array] = None) -> "Problem":
        """Form (a): rigid bodies, unit normals from a to b, both reaches or both arms.

        velocity (n, 6): linear of the centre of mass (m/s), then angular (rad/s); inverse_mass (n,)
        in 1/kg; inverse_inertia (n, 6): xx xy xz yy yz zz, or (n, 3, 3), in 1/(kg m2); both in the
        world frame. Body -1 is the ground. reach (contacts,) and arm (contacts, 3) in m, from the
        centre of mass to the contact point; bias in m/s, along the normal. One number for friction
        or bias stands for all contacts.
        """
        return _core.rigid(cls, inverse_mass, body_a, row_body_a, velocity, inverse_inertia, body_b,
                           normal, reach_a, reach_b, arm_a, arm_b, friction, bias, surface_velocity,
                           row_body_b, row_jacobian, row_bias, row_lower, row_upper)

    @classmethod
    def blocks(cls, block_size: Array, inverse_mass: Array, velocity: Array, contact_start: Array,
               contact_block: Array, contact_jacobian: Array, *, dimension: int = 3,
               friction: Optional[Array] = None, bias: Optional[Array] = None,
               bilateral_start: Optional[Array] = None, bilateral_block: Optional[Array] = None,
               bilateral_jacobian: Optional[Array] = None, bilateral_bias: Optional[Array] = None,
               row_lower: Optional[Array] = None, row_upper: Optional[Array] = None) -> "Problem":
        """Form (b): Jacobian blocks against blocks of M^-1.

        inverse_mass, velocity, contact_jacobian: flat, block after block, row-major; contact k has
        the entries contact_start[k] .. contact_start[k + 1] - 1, rows n t1 t2.
        """
        size = needed("blocks.block_size", block_size, "int32")
        start = needed("blocks.contact_start", contact_start, "int64")
        rows = None if bilateral_start is None else view("blocks.bilateral_start", bilateral_start, 1,
                                                         "int64")
        contacts, bilateral = max(len(start) - 1, 0), 0 if rows is None else max(len(rows) - 1, 0)
        problem = cls(Form.BLOCKS, dimension, contacts, bilateral)
        problem.struct.blocks.block_count = len(size)
        velocities = int(size.sum())
        squares = int((size.astype(np.int64) ** 2).sum())
        problem._set("blocks", "block_size", size, 1, None, "int32")
        problem._set("blocks", "inverse_mass", _flat(inverse_mass), 1, squares)
        problem._set("blocks", "velocity", _flat(velocity), 1, velocities)
        problem._set("blocks", "bias", _flat(bias), 1, dimension * contacts)
        problem._entries("contact", size, start, contact_block, contact_jacobian, dimension)
        if rows is not None:
            problem._entries("bilateral", size, rows, bilateral_block, bilateral_jacobian, 1)
        problem._set("blocks", "bilateral_bias", bilateral_bias, 1, bilateral)
        problem._common(friction, row_lower, row_upper)
        return problem

    def _entries(self, what: str, size: AnyArray, start: AnyArray, block: Optional[Array],
                 jacobian: Optional[Array], rows: int) -> None:
        entries = int(start[-1]) if len(start) else 0
        blocks = None if block is None else view(f"blocks.{what}_block", block, 1, "int32")
        self._set("blocks", f"{what}_start", start, 1, None, "int64")
        self._set("blocks", f"{what}_block", blocks, 1, entries, "int32")
        known = blocks is not None and bool(((blocks >= 0) & (blocks < len(size))).all())
        reals = rows * int(size[blocks].sum()) if known else None  # else the library complains
        self._set("blocks", f"{what}_jacobian", _flat(jacobian), 1, reals)

    @classmethod
    def delassus(cls, w: Any, q: Array, *, dimension: int = 3, bilateral_count: int = 0,
                 friction: Optional[Array] = None, row_lower: Optional[Array] = None,
                 row_upper: Optional[Array] = None) -> "Problem":
        """Form (c): u = W impulse + q, contacts first, then the bilateral rows."""
        matrix = Matrix.of(w)
        if dimension not in (1, 2, 3, 6) or (matrix.shape[0] - bilateral_count) % dimension != 0:
            raise ValueError(f"{matrix.shape[0]} rows of w, {bilateral_count} of them bilateral, are "
                             f"no whole number of contacts of dimension {dimension}")
        contacts = (matrix.shape[0] - bilateral_count) // dimension
        problem = cls(Form.DELASSUS, dimension, contacts, bilateral_count)
        problem._hold("delassus.w", matrix)
        problem.struct.delassus.w = matrix.struct()
        problem._set("delassus", "q", _flat(q), 1, matrix.shape[0])
        problem._common(friction, row_lower, row_upper)
        return problem

    @classmethod
    def global_(cls, mass: Any, h: Any, f: Array, w: Array, *, g: Any = None,
                b: Optional[Array] = None, dimension: int = 3, friction: Optional[Array] = None,
                row_lower: Optional[Array] = None, row_upper: Optional[Array] = None) -> "Problem":
        """Form (d): M v = f + H r + G s, u = H^T v + w, G^T v + b = 0."""
        matrices = [Matrix.of(mass), Matrix.of(h)] + ([] if g is None else [Matrix.of(g)])
        rows = 0 if g is None else matrices[2].shape[1]
        if dimension not in (1, 2, 3, 6) or matrices[1].shape[1] % dimension != 0:
            raise ValueError(f"{matrices[1].shape[1]} columns of h are no whole number of contacts of "
                             f"dimension {dimension}")
        contacts = matrices[1].shape[1] // dimension
        problem = cls(Form.GLOBAL, dimension, contacts, rows)
        problem._hold("global", matrices)
        part = getattr(problem.struct, "global")
        for name, matrix in zip(("mass", "h", "g"), matrices):
            setattr(part, name, matrix.struct())
        problem._set("global", "f", _flat(f), 1, matrices[0].shape[0])
        problem._set("global", "w", _flat(w), 1, dimension * contacts)
        problem._set("global", "b", b, 1, rows)
        problem._common(friction, row_lower, row_upper)
        return problem


def _flat(value: Union[None, Array, Sequence[Any]]) -> Optional[AnyArray]:
    """One number after the other; a view where that is possible, and refused where it is not."""
    if value is None or not isinstance(value, np.ndarray) or value.ndim == 1:
        return None if value is None else (value if isinstance(value, np.ndarray)
                                           else np.asarray(value, dtype=np.float64).ravel())
    if not value.flags.c_contiguous:
        raise ValueError("an array of ragged parts must be packed (use numpy.ascontiguousarray)")
    return value.reshape(-1)
