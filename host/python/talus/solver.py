"""Context, solver, certificate: what talus_solve.h does, with exceptions."""

import contextlib
import ctypes
import dataclasses
import threading
from ctypes import addressof, byref, c_void_p
from typing import Any, Callable, Iterable, Iterator, List, Optional, Sequence, Tuple, Union

import numpy as np

from . import structs
from .enums import Backend, Form, Method, Note, Outcome, Precision, Status
from .library import fill, library, text
from .problem import Array, Problem, place, view
from .settings import Settings, member, number


class Error(Exception):
    """A call was not carried out: `status` says why, the message where and what to do."""

    def __init__(self, status: int, message: str) -> None:
        self.status = Status(status) if status in Status._value2member_map_ else status
        super().__init__(f"{text('status_name', status)}: {message or text('status_text', status)}")


class Context:
    """Threads, device and messages. One thread at a time; several contexts may run at once.

    In a child process (multiprocessing's "fork") it goes on with one thread, unless it is on a
    CUDA device; a context made there has threads of its own.

    `log`, if there is one, is called with a level (1 warning, 2 choices made, 3 more) and a text.
    """

    def __init__(self, threads: int = 0, backend: Union[Backend, str] = Backend.AUTO,
                 device: int = 0, log: Optional[Callable[[int, str], None]] = None) -> None:
        self._handle = c_void_p()
        definition = fill(structs.ContextDef)
        backend = member("backend", backend, Backend)
        for name, value in (("threads", threads), ("backend", backend), ("device", device)):
            setattr(definition, name, number(name, value, ctypes.c_int32))
        if log is not None:
            self._log = structs.log_fn(lambda user, level, said: log(level, said.decode()))
            definition.log = self._log
        status = library.talus_context_create(byref(definition), byref(self._handle))
        if status != Status.OK:
            said = library.talus_context_message(self._handle).decode() if self._handle else ""
            library.talus_context_destroy(self._handle)
            self._handle = c_void_p()
            raise Error(status, said)

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            library.talus_context_destroy(self._handle)

    def __reduce__(self) -> Any:
        raise TypeError("a Context cannot be copied: make another")

    @property
    def backend(self) -> str:
        """"cpu" or "cuda"."""
        return library.talus_context_backend(self._handle).decode()

    @property
    def threads(self) -> int:
        return library.talus_context_threads(self._handle)

    def check(self, status: int) -> None:
        """Raises Error unless the status is OK."""
        if status != Status.OK:
            raise Error(status, library.talus_context_message(self._handle).decode())


@dataclasses.dataclass(frozen=True)
class Certificate:
    """What is true of some impulses; talus_certificate of the header."""

    epsilon_ccp: float
    epsilon_coulomb: float
    residual_ccp: float
    residual_coulomb: float
    reference_ccp: float
    reference_coulomb: float
    siconos_ccp: float
    siconos_coulomb: float
    cone_violation: float
    complementarity: float
    complementarity_ccp: float
    dissipation: float
    bilateral: float
    penetration_speed: float
    momentum_balance: float
    asymmetry: float
    epsilon_faceted_ccp: float
    epsilon_faceted_coulomb: float
    error_ccp: float
    error_coulomb: float
    reference_scale: float


@dataclasses.dataclass(frozen=True)
class Info:
    """What a solve found and what it cost; talus_info of the header."""

    outcome: Outcome
    method: Method
    precision: Precision
    backend: Backend
    threads: int
    colours: int
    notes: Note
    iterations: int
    passes: int
    measure: float
    certificate: Certificate
    seconds: float
    seconds_check: float
    seconds_build: float
    seconds_iterate: float
    seconds_certificate: float
    bytes: int
    incompatible: float
    factorisations: int
    islands: int
    islands_asleep: int
    keys_matched: int


def _certificate(made: structs.Certificate) -> Certificate:
    return Certificate(*(getattr(made, f.name) for f in dataclasses.fields(Certificate)))


def _info(made: structs.Info) -> Info:
    kinds = {"outcome": Outcome, "method": Method, "precision": Precision, "backend": Backend,
             "notes": Note, "certificate": _certificate}
    def value(name: str) -> Any:
        known, given = kinds.get(name, lambda x: x), getattr(made, name)
        try:
            return known(given)
        except ValueError:  # a later library has more methods and outcomes
            return given

    return Info(*(value(f.name) for f in dataclasses.fields(Info)))


@dataclasses.dataclass
class Solution:
    """Arrays that a solve fills, in place: float64 or float32, of any stride between elements.

    impulse and contact_velocity: (contacts, dimension); velocity: (bodies, 6), or flat for forms
    (b) and (d). What is None is not wanted.
    """

    impulse: Optional[np.ndarray] = None
    bilateral_impulse: Optional[np.ndarray] = None
    velocity: Optional[np.ndarray] = None
    contact_velocity: Optional[np.ndarray] = None

    @staticmethod
    def empty(problem: Problem) -> "Solution":
        """With room for everything that the problem's form gives, all zero."""
        contacts = (problem.contact_count, problem.dimension)
        shape = problem.velocity_shape
        return Solution(np.zeros(contacts), np.zeros(problem.bilateral_count),
                        None if shape is None else np.zeros(shape), np.zeros(contacts))

    def struct(self, problem: Problem) -> Tuple[structs.Solution, Any]:
        """The C struct, and what must live as long as it."""
        made, layout, used = fill(structs.Solution), fill(structs.SolutionLayout), False
        kept: List[np.ndarray] = []
        rigid = problem.form == Form.RIGID
        shape = problem.velocity_shape or (0,)
        for name, width, count in (("impulse", problem.dimension, problem.contact_count),
                                   ("bilateral_impulse", 1, problem.bilateral_count),
                                   ("velocity", 6 if rigid else 1, shape[0]),
                                   ("contact_velocity", problem.dimension, problem.contact_count)):
            given = getattr(self, name)
            if given is not None and not isinstance(given, np.ndarray):
                raise TypeError(f"solution.{name} must be a NumPy array, since it is written to")
            array = view(f"solution.{name}", given, width, "real")
            if array is None:
                continue
            if not array.flags.writeable:
                raise ValueError(f"solution.{name} cannot be written to")
            if array.shape[0] != count:
                raise ValueError(
                    f"solution.{name} has {array.shape[0]} elements, {count} are needed")
            kept.append(array)
            address, strided = place(array)
            if strided is None:
                setattr(made, name, address or None)
            else:
                setattr(layout, name, strided)
                used = True
        if used:
            made.layout = ctypes.pointer(layout)
        return made, (layout, kept)


class Solver:
    """Keeps memory from problem to problem: update, solve, update, solve, ...

    One thread at a time: a second one gets Error (BUSY). Make one per thread.
    """

    def __init__(self, context: Optional[Context] = None,
                 settings: Optional[Settings] = None) -> None:
        self._handle = c_void_p()
        self._turn = threading.Lock()
        self.context = context if context is not None else Context()
        self._settings = (settings or Settings()).struct()
        self._problem: Optional[Problem] = None
        self._borrowed: Tuple[Any, ...] = ()
        self._under_way: Optional[Tuple[Solution, Any, structs.Info]] = None
        self.context.check(library.talus_solver_create(
            self.context._handle, byref(self._settings), byref(self._handle)))

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            library.talus_solver_destroy(self._handle)

    def __reduce__(self) -> Any:
        raise TypeError("a Solver cannot be copied: make another")

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """The library guards itself; this guards what Python keeps alive for it."""
        if not self._turn.acquire(blocking=False):
            raise Error(Status.BUSY, "another thread, or the solve that called back, is at work in "
                        "this solver: make one per thread, each with a context of its own")
        try:
            yield
        finally:
            self._turn.release()

    def set(self, settings: Settings) -> None:
        """Replaces the settings; the problem stays."""
        with self._alone():
            made = settings.struct()
            self.context.check(library.talus_solver_set(self._handle, byref(made)))
            self._settings = made

    def update(self, problem: Problem) -> None:
        """Checks and takes a problem, whose arrays are borrowed until the solve has returned."""
        with self._alone():
            status = library.talus_solver_update(self._handle, byref(problem.struct))
            if status != Status.CALL_ORDER:  # else a solve under way still reads the last one
                self._problem = problem if status == Status.OK else None
                self._borrowed = problem.borrowed()
            self.context.check(status)

    def solve(self, solution: Optional[Solution] = None) -> Tuple[Solution, Info]:
        """Solves; fills the given solution or a new one. With settings.warm_start the given
        impulses are where it starts."""
        with self._alone():
            filled, made, info = self._results(solution)
            self._check(library.talus_solver_solve(self._handle, byref(made[0]), byref(info)))
            return filled, _info(info)

    def solve_async(self, solution: Optional[Solution] = None) -> None:
        """Begins to solve on a thread of the solver's own and returns; `wait` gives the results.
        Until then problem, solution, settings and context are the solve's; other calls of this
        solver raise Error (CALL_ORDER)."""
        with self._alone():
            filled, made, info = self._results(solution)
            self.context.check(
                library.talus_solver_solve_async(self._handle, byref(made[0]), byref(info)))
            self._under_way = (filled, made, info)

    def wait(self) -> Tuple[Solution, Info]:
        """Waits for what solve_async began."""
        with self._alone():
            status = library.talus_solver_wait(self._handle)
            under_way, self._under_way = self._under_way, None
            self._check(status)
            assert under_way is not None  # or the status would have been CALL_ORDER
            return under_way[0], _info(under_way[2])

    def _check(self, status: int) -> None:
        """What progress raised comes first."""
        if self._settings.raised:
            raise self._settings.raised.pop()
        self.context.check(status)

    def _results(self, solution: Optional[Solution]) -> Tuple[Solution, Any, structs.Info]:
        """What a solve writes to."""
        if self._problem is None:
            raise Error(Status.CALL_ORDER, "update must come first")
        filled = solution if solution is not None else Solution.empty(self._problem)
        return filled, filled.struct(self._problem), fill(structs.Info)


def workspace(problem: Problem, settings: Optional[Settings] = None,
              context: Optional[Context] = None) -> int:
    """Bytes of host memory that a solver takes at the most for problems no larger than this one;
    talus_solver_workspace says for which cases it is known."""
    return _foretold(library.talus_solver_workspace, problem, settings, context)


def workspace_device(problem: Problem, settings: Optional[Settings] = None,
                     context: Optional[Context] = None) -> int:
    """The same of the memory of the context's device; 0 where the CPU would solve."""
    return _foretold(library.talus_solver_workspace_device, problem, settings, context)


def _foretold(function: Any, problem: Problem, settings: Optional[Settings],
              context: Optional[Context]) -> int:
    context = context if context is not None else Context()
    used = (settings or Settings()).struct()
    found = ctypes.c_int64()
    context.check(function(context._handle, byref(used), byref(problem.struct), byref(found)))
    return found.value


def solve_once(problem: Problem, settings: Optional[Settings] = None,
               solution: Optional[Solution] = None,
               context: Optional[Context] = None) -> Tuple[Solution, Info]:
    """One problem, start to end."""
    solver = Solver(context, settings)
    solver.update(problem)
    return solver.solve(solution)


def _row(struct: Any, items: Sequence[ctypes.Structure]) -> ctypes.Array:
    """Structs one after the other."""
    row = (struct * max(1, len(items)))()
    for i, item in enumerate(items):
        ctypes.memmove(addressof(row[i]), addressof(item), ctypes.sizeof(struct))
    return row


def solve_batch(problems: Iterable[Problem], settings: Optional[Settings] = None,
                solutions: Optional[Iterable[Solution]] = None,
                context: Optional[Context] = None
                ) -> List[Union[Tuple[Solution, Info], Error]]:
    """Many independent problems of any sizes, shared out among the context's threads. One that fails
    gives its Error in the list (the first with Talus' message) and leaves the others alone."""
    context = context if context is not None else Context()
    problems = list(problems)
    filled = list(solutions) if solutions is not None else [Solution.empty(p) for p in problems]
    if len(filled) != len(problems):
        raise ValueError(f"{len(filled)} solutions for {len(problems)} problems")
    made = [s.struct(p) for s, p in zip(filled, problems)]
    infos = _row(structs.Info, [fill(structs.Info) for _ in problems])
    statuses = (ctypes.c_int * max(1, len(problems)))()
    used = (settings or Settings()).struct()
    first = library.talus_solve_batch(
        context._handle, byref(used), len(problems),
        _row(structs.Problem, [p.struct for p in problems]),
        _row(structs.Solution, [m[0] for m in made]), infos, statuses)
    if first != Status.OK and not any(statuses):
        context.check(first)
    said = library.talus_context_message(context._handle).decode() if first != Status.OK else ""
    results: List[Union[Tuple[Solution, Info], Error]] = []
    for i, solution in enumerate(filled):
        if statuses[i] == Status.OK:
            results.append((solution, _info(infos[i])))
        else: # the message is the first failure's
            results.append(Error(statuses[i], said))
            said = ""
    return results


def certify(problem: Problem, impulse: Array, bilateral_impulse: Optional[Array] = None,
            settings: Optional[Settings] = None, context: Optional[Context] = None) -> Certificate:
    """Judges any impulses, whoever found them; the epsilons called faceted are of the settings'
    cone."""
    context = context if context is not None else Context()
    values = [np.ascontiguousarray(impulse, dtype=np.float64),
              None if bilateral_impulse is None
              else np.ascontiguousarray(bilateral_impulse, dtype=np.float64)]
    for value, count in zip(values, (problem.contact_count * problem.dimension,
                                     problem.bilateral_count)):
        if value is not None and value.size != count:
            raise ValueError(f"{value.size} impulses were given, {count} are needed")
    made = fill(structs.Certificate)
    used = (settings or Settings()).struct()
    context.check(library.talus_certify_cone(
        context._handle, byref(problem.struct), byref(used), values[0].ctypes.data,
        None if values[1] is None else values[1].ctypes.data, byref(made)))
    return _certificate(made)


@dataclasses.dataclass(frozen=True)
class Islands:
    """What hangs together; talus_islands of the header. body is None for forms (c) and (d)."""

    count: int
    contact: np.ndarray
    row: np.ndarray
    body: Optional[np.ndarray]


def find_islands(problem: Problem, context: Optional[Context] = None) -> Islands:
    """The island of each contact, bilateral row and body or block; -1: nothing touches it, or it
    cannot move."""
    context = context if context is not None else Context()
    bodies = {Form.RIGID: problem.struct.rigid.body_count,
              Form.BLOCKS: problem.struct.blocks.block_count}.get(problem.form)
    contact = np.zeros(problem.contact_count, np.int32)
    row = np.zeros(problem.bilateral_count, np.int32)
    body = None if bodies is None else np.zeros(bodies, np.int32)
    made = fill(structs.Islands)
    made.contact, made.row = contact.ctypes.data, row.ctypes.data
    made.body = None if body is None else body.ctypes.data
    context.check(library.talus_islands_find(context._handle, byref(problem.struct), byref(made)))
    return Islands(made.count, contact, row, body)


def version() -> str:
    """Of the library that is running."""
    return library.talus_version().decode()


def build_text() -> str:
    """How the library was built and what this machine offers."""
    room = ctypes.create_string_buffer(4096)
    library.talus_build_text(room, len(room))
    return room.value.decode()
