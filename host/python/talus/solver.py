"""Context, solver, certificate: what talus_solve.h does, with exceptions."""

import contextlib
import ctypes
import dataclasses
from ctypes import byref, c_void_p
from typing import TYPE_CHECKING, Any, Callable, Iterator, List, Optional, Tuple, Union

import numpy as np

from . import _core, structs
from .enums import Backend, Form, Method, Note, Outcome, Precision, Status
from .library import fill, library, text
from .problem import AnyArray, Array, Problem, view
from .raised import listen
from .settings import Settings, member, number


class Error(Exception):
    """A call was not carried out: `status` says why, the message where and what to do."""

    def __init__(self, status: int, message: str) -> None:
        self._given = status, message
        self.status = Status(status) if status in Status._value2member_map_ else status
        super().__init__(f"{text('status_name', status)}: {message or text('status_text', status)}")

    def __reduce__(self) -> Any:
        return type(self), self._given


class _Context:
    """A Context that ends by _release alone. A __del__ is a place where what a signal raises is lost,
    even if there is nothing left to do in it."""

    def __init__(self, threads: int = 0, backend: Union[Backend, str] = Backend.AUTO,
                 device: int = 0, log: Optional[Callable[[int, str], None]] = None,
                 single_blas: bool = False, ranks: Any = None) -> None:
        self._handle = c_void_p()
        definition = fill(structs.ContextDef)
        backend = member("backend", backend, Backend)
        for name, value in (("threads", threads), ("backend", backend), ("device", device)):
            setattr(definition, name, number(name, value, ctypes.c_int32))
        definition.single_blas = 1 if single_blas else 0
        if log is not None:
            call = log
            self._log = structs.log_fn(lambda user, level, said: call(level, said.decode()))
            definition.log = self._log
        self._ranks: Any = None
        if ranks is not None:
            from .ranks import Ranks
            self._ranks = Ranks(ranks)
            definition.ranks = ctypes.addressof(self._ranks.transport)
        status = library.talus_context_create(byref(definition), byref(self._handle))
        if status != Status.OK:
            said = library.talus_context_message(self._handle).decode() if self._handle else ""
            library.talus_context_destroy(self._handle)
            self._handle = c_void_p()
            if self._ranks is not None:
                self._ranks.close()
            raise Error(status, said)

        self._users = 1  # this object, and the worlds and scenes that must end before the context

    def _retain(self) -> None:
        self._users += 1

    def _release(self) -> None:
        self._users -= 1
        if self._users == 0:
            library.talus_context_destroy(self._handle)
            self._handle = c_void_p()
            if self._ranks is not None:
                self._ranks.close()

    def _by_first(self, call: Callable[[], Any]) -> Any:
        """What the call gives, or raises; on ranks the first process makes it, for all."""
        if self._ranks is None:
            return call()
        communicator = self._ranks.communicator
        told: Tuple[Any, Optional[BaseException]] = None, None
        if communicator.rank == 0:
            try:
                told = (call(), None)
            except BaseException as error:  # KeyboardInterrupt too
                told = (None, error)
        made, raised = communicator.bcast(told, 0)
        if raised is not None:
            raise raised
        return made

    def __reduce__(self) -> Any:
        raise TypeError("a Context cannot be copied: make another")

    def __repr__(self) -> str:
        return f"<talus.Context on {self.backend}, {self.threads} threads>"

    @property
    def backend(self) -> str:
        """"cpu" or "cuda"."""
        return str(library.talus_context_backend(self._handle).decode())

    @property
    def threads(self) -> int:
        return int(library.talus_context_threads(self._handle))

    def check(self, status: int) -> None:
        """Raises Error unless the status is OK."""
        if status != Status.OK:
            raise Error(status, library.talus_context_message(self._handle).decode())


class Context(_Context):
    """Threads, device and messages. One thread at a time; several contexts may run at once.

    In a child process (multiprocessing's "fork") it goes on with one thread, unless it is on a
    CUDA device; a context made there has threads of its own.

    `log`, if there is one, is called with a level (1 warning, 2 choices made, 3 more) and a text.

    `single_blas` gives OpenBLAS one thread while a second-order method factors: faster where matrices
    are small, and the same bits whatever OPENBLAS_NUM_THREADS says. It holds for the whole process,
    NumPy's linear algebra too, so it is off by default.

    `ranks`, a communicator of mpi4py: every process makes the same calls, and worlds (with a
    brick_size) share the work of their solves with the bits of one process; needs libtalus_mpi
    (talus.ranks).
    """

    def __del__(self) -> None:
        if getattr(self, "_users", 0):
            self._release()


@contextlib.contextmanager
def borrowed(context: Optional[_Context]) -> Iterator[_Context]:
    """The one given, or one for a single call, which ends with it."""
    if context is not None:
        yield context
        return
    made = _Context()
    try:
        yield made
    finally:
        made._release()


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
    epsilon_rigid_ccp: float
    epsilon_rigid_coulomb: float


def _certificate(made: structs.Certificate) -> Certificate:
    return Certificate(*(getattr(made, f.name) for f in dataclasses.fields(Certificate)))


def _known(kind: Any, value: int) -> Any:
    """The enumerator; the number itself where a later library has more of them."""
    try:
        return kind(value)
    except ValueError:
        return value


class Info(_core.Info):
    """What a solve found and what it cost; talus_info of the header.

    outcome, method, precision, backend, notes: enumerations. iterations, passes, factorisations,
    threads, colours, islands, islands_asleep, keys_matched: counts. measure: what the tolerance was
    compared with. seconds and its parts seconds_check, _build, _iterate, _certificate: s. bytes:
    host memory that the solver holds.
    """

    __slots__ = ()

    @property
    def outcome(self) -> Outcome:
        return _known(Outcome, self._outcome)  # type: ignore[no-any-return]

    @property
    def method(self) -> Method:
        """The method that was used."""
        return _known(Method, self._method)  # type: ignore[no-any-return]

    @property
    def precision(self) -> Precision:
        return _known(Precision, self._precision)  # type: ignore[no-any-return]

    @property
    def backend(self) -> Backend:
        return _known(Backend, self._backend)  # type: ignore[no-any-return]

    @property
    def notes(self) -> Note:
        return _known(Note, self._notes)  # type: ignore[no-any-return]

    @property
    def certificate(self) -> Certificate:
        """What is true of the impulses."""
        return Certificate(*self._certificate[:len(dataclasses.fields(Certificate))])

    def __repr__(self) -> str:
        law = self.certificate
        return (f"<talus.Info {getattr(self.outcome, 'name', self.outcome)} by "
                f"{getattr(self.method, 'name', self.method)}: epsilon {law.epsilon_coulomb:.3g} "
                f"(coulomb) {law.epsilon_ccp:.3g} (ccp), {self.iterations} iterations, "
                f"{self.passes} passes, {self.seconds:.3g} s>")


@dataclasses.dataclass
class Solution:
    """Arrays that a solve fills, in place: float64 or float32, of any stride between elements.

    impulse and contact_velocity: (contacts, dimension); velocity: (bodies, 6), or flat for forms
    (b) and (d). What is None is not wanted.
    """

    impulse: Optional[AnyArray] = None
    bilateral_impulse: Optional[AnyArray] = None
    velocity: Optional[AnyArray] = None
    contact_velocity: Optional[AnyArray] = None

    @staticmethod
    def empty(problem: Problem) -> "Solution":
        """With room for everything that the problem's form gives, all zero."""
        made: Solution = _core.empty(problem)
        return made

    def struct(self, problem: Problem) -> Tuple[structs.Solution, Any]:
        """The C struct, and what must live as long as it."""
        made, layout, used = fill(structs.Solution), fill(structs.SolutionLayout), False
        kept: List[AnyArray] = []
        rigid = problem.form == Form.RIGID
        shape = problem.velocity_shape or (0,)
        for name, width, count in (("impulse", problem.dimension, problem.contact_count),
                                   ("bilateral_impulse", 1, problem.bilateral_count),
                                   ("velocity", 6 if rigid else 1, shape[0]),
                                   ("contact_velocity", problem.dimension, problem.contact_count)):
            given = getattr(self, name)
            if given is None:
                continue
            if not isinstance(given, np.ndarray):
                raise TypeError(f"solution.{name} must be a NumPy array, since it is written to")
            array = view(f"solution.{name}", given, width, "real", count)
            if not array.flags.writeable:
                raise ValueError(f"solution.{name} cannot be written to")
            kept.append(array)
            packed = array.shape[0] <= 1 or array.strides[0] == width * array.itemsize
            if array.size == 0 or (packed and array.dtype == np.float64):
                setattr(made, name, array.ctypes.data if array.size else None)
            else:
                stride = array.strides[0] if array.shape[0] > 1 else width * array.itemsize
                setattr(layout, name, structs.Strided(array.ctypes.data, stride,
                                                      int(array.dtype == np.float32)))
                used = True
        if used:
            made.layout = ctypes.pointer(layout)
        return made, (layout, kept)

    def __repr__(self) -> str:
        shapes = ((f.name, getattr(self, f.name)) for f in dataclasses.fields(self))
        return "<talus.Solution " + ", ".join(
            f"{name} {array.shape}" for name, array in shapes if array is not None) + ">"


class _Hooks:
    """What the compiled half calls of this one."""

    array_type = np.ndarray
    view = staticmethod(view)
    zeros = staticmethod(np.zeros)
    solution_type = Solution
    info_type = Info


_core.use(_Hooks)


class Solver(_core.Solver):
    """Keeps memory from problem to problem: update, solve, update, solve, ...

    One thread at a time: a second one gets Error (BUSY). Make one per thread. Other threads of
    Python go on while it solves.
    """

    def __init__(self, context: Optional[_Context] = None,
                 settings: Optional[Settings] = None) -> None:
        self.context: _Context = context if context is not None else Context()
        self._use((settings or Settings()).struct())
        self._under_way: Optional[Tuple[Solution, Any, Info]] = None
        handle = c_void_p()
        self.context.check(library.talus_solver_create(
            self.context._handle, byref(self._settings), byref(handle)))
        self._solver = handle.value or 0

    def _use(self, made: structs.Settings) -> None:
        self._settings = made
        self._raised = made.raised
        self._calls_back = bool(made.progress)

    _listen = staticmethod(listen)  # solve calls it

    def __repr__(self) -> str:
        return f"<talus.Solver of {self._problem!r} on {self.context.backend}>"

    def __reduce__(self) -> Any:
        raise TypeError("a Solver cannot be copied: make another")

    def _refuse(self) -> None:
        """The library guards itself; this guards what Python keeps alive for it."""
        raise Error(Status.BUSY, "another thread, or the solve that called back, is at work in "
                    "this solver: make one per thread, each with a context of its own")

    @staticmethod
    def _order() -> None:
        raise Error(Status.CALL_ORDER, "update must come first")

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        self._enter()
        try:
            yield
        finally:
            self._leave()

    if TYPE_CHECKING:
        def update(self, problem: Problem) -> None:
            """Checks and takes a problem, whose arrays are borrowed until the solve has returned."""

        def solve(self, solution: Optional[Solution] = None) -> Tuple[Solution, Info]:
            """Solves; fills the given solution or a new one. With settings.warm_start the given
            impulses are where it starts."""

    def set(self, settings: Settings) -> None:
        """Replaces the settings; the problem stays."""
        with self._alone():
            made = settings.struct()
            self.context.check(library.talus_solver_set(self._solver, byref(made)))
            self._use(made)

    def solve_async(self, solution: Optional[Solution] = None) -> None:
        """Solves in a thread of the solver's own and returns; `wait` gives the results.
        Until then problem, solution, settings and context are the solve's; other calls of this
        solver raise Error (CALL_ORDER)."""
        with self._alone():
            problem: Any = self._problem
            if problem is None:
                self._order()
            filled = solution if solution is not None else Solution.empty(problem)
            made, info = filled.struct(problem), Info()
            listen()
            self.context.check(
                library.talus_solver_solve_async(self._solver, byref(made[0]), info._address))
            self._under_way = (filled, made, info)

    def wait(self) -> Tuple[Solution, Info]:
        """Waits for what solve_async began."""
        with self._alone():
            status = library.talus_solver_wait(self._solver)
            under_way, self._under_way = self._under_way, None
            self._check(status)
            assert under_way is not None  # or the status would have been CALL_ORDER
            return under_way[0], under_way[2]

    def _check(self, status: int) -> None:
        """What progress raised comes first."""
        if self._settings.raised:
            error = self._settings.raised[0]
            self._settings.raised.clear()
            raise error
        self.context.check(status)


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
    used = (settings or Settings()).struct()
    found = ctypes.c_int64()
    with borrowed(context) as held:
        held.check(function(held._handle, byref(used), byref(problem.struct), byref(found)))
    return found.value


def solve_once(problem: Problem, settings: Optional[Settings] = None,
               solution: Optional[Solution] = None,
               context: Optional[Context] = None) -> Tuple[Solution, Info]:
    """One problem, start to end."""
    with borrowed(context) as held:
        solver = Solver(held, settings)
        solver.update(problem)
        return solver.solve(solution)


def certify(problem: Problem, impulse: Array, bilateral_impulse: Optional[Array] = None,
            settings: Optional[Settings] = None, context: Optional[Context] = None) -> Certificate:
    """Judges any impulses, whoever found them; the epsilons called faceted are of the settings'
    cone."""
    given = np.ascontiguousarray(impulse, dtype=np.float64)
    rows = (None if bilateral_impulse is None
            else np.ascontiguousarray(bilateral_impulse, dtype=np.float64))
    for value, count in ((given, problem.contact_count * problem.dimension),
                         (rows, problem.bilateral_count)):
        if value is not None and value.size != count:
            raise ValueError(f"{value.size} impulses were given, {count} are needed")
    made = fill(structs.Certificate)
    used = (settings or Settings()).struct()
    with borrowed(context) as held:
        held.check(library.talus_certify_cone(
            held._handle, byref(problem.struct), byref(used), given.ctypes.data,
            None if rows is None else rows.ctypes.data, byref(made)))
    return _certificate(made)


@dataclasses.dataclass(frozen=True)
class Islands:
    """What hangs together; talus_islands of the header. body is None for forms (c) and (d)."""

    count: int
    contact: AnyArray
    row: AnyArray
    body: Optional[AnyArray]


def find_islands(problem: Problem, context: Optional[Context] = None) -> Islands:
    """The island of each contact, bilateral row and body or block; -1: nothing touches it, or it
    cannot move."""
    bodies = {Form.RIGID: problem.struct.rigid.body_count,
              Form.BLOCKS: problem.struct.blocks.block_count}.get(problem.form)
    contact = np.zeros(problem.contact_count, np.int32)
    row = np.zeros(problem.bilateral_count, np.int32)
    body = None if bodies is None else np.zeros(bodies, np.int32)
    made = fill(structs.Islands)
    made.contact, made.row = contact.ctypes.data, row.ctypes.data
    made.body = None if body is None else body.ctypes.data
    with borrowed(context) as held:
        held.check(library.talus_islands_find(held._handle, byref(problem.struct), byref(made)))
    return Islands(made.count, contact, row, body)


def version() -> str:
    """Of the library that is running."""
    return str(library.talus_version().decode())


def build_text() -> str:
    """How the library was built and what this machine offers."""
    room = ctypes.create_string_buffer(4096)
    library.talus_build_text(room, len(room))
    return room.value.decode()
