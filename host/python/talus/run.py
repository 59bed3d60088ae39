"""What a run wrote: frames and scalars as arrays, going on from checkpoints."""

import contextlib
import os
import re
import signal
import struct
import subprocess
import sys
import threading
import xml.etree.ElementTree as xml
import zlib
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional, Tuple, Union, overload

import numpy as np

from . import program
from .define import Reals
from .enums import Status
from .problem import AnyArray
from .solver import Error

if TYPE_CHECKING:
    from .measured import Measured

_TYPES = {"Float64": "<f8", "Float32": "<f4", "Int64": "<i8", "Int32": "<i4", "UInt8": "u1",
          "UInt64": "<u8", "UInt32": "<u4", "Int8": "i1"}


def read_vtp(path: Union[str, "os.PathLike[str]"]) -> Dict[str, AnyArray]:
    """The arrays of a frame file by name; the points are `position`, polygons `connectivity` and
    `offsets`. Points and fields of points are (n,) or (n, components)."""
    with open(path, "rb") as file:
        raw = file.read()
    try:
        start = raw.index(b"<AppendedData")
        begin = raw.index(b"_", raw.index(b">", start)) + 1
        tree = xml.fromstring(raw[:start] + b"</VTKFile>")
        appended = raw[begin:raw.rindex(b"</AppendedData>")]
        compressed = tree.get("compressor") is not None
        made: Dict[str, AnyArray] = {}
        for parent in tree.iter():
            for entry in parent.findall("DataArray"):
                name = {"Points": "position"}.get(parent.tag, entry.get("Name", ""))
                if parent.tag in ("Verts", "Lines", "Strips"):
                    continue
                made[name] = _array(entry, appended, compressed)
        return made
    except (ValueError, KeyError, struct.error, zlib.error, xml.ParseError, IndexError) as error:
        raise Error(Status.FILE_FORMAT, f"{os.fspath(path)} is no frame of Talus: {error}") from None


def _array(entry: xml.Element, appended: bytes, compressed: bool) -> AnyArray:
    place = int(entry.attrib["offset"])
    if compressed:
        blocks, _, _ = struct.unpack_from("<3Q", appended, place)
        if blocks * 8 > len(appended):
            raise ValueError("a block count is too large")
        sizes = struct.unpack_from(f"<{blocks}Q", appended, place + 24)
        place, parts = place + 24 + 8 * blocks, []
        for size in sizes:
            parts.append(zlib.decompress(appended[place:place + size]))
            place += size
        data = b"".join(parts)
    else:
        size, = struct.unpack_from("<Q", appended, place)
        data = appended[place + 8:place + 8 + size]
        if len(data) != size:
            raise ValueError("it ends too early")
    made = np.frombuffer(data, _TYPES[entry.attrib["type"]])
    width = int(entry.get("NumberOfComponents", "1"))
    return made.reshape(-1, width).copy() if width > 1 else made.copy()


def read_table(path: str) -> Dict[str, Reals]:
    """The columns of a table of numbers by name, without units."""
    try:
        with open(path) as file:
            names = [name.split(" [")[0] for name in file.readline().strip().split(",")]
            lines = [line for line in file if line.strip()]
        table = np.loadtxt(lines, delimiter=",", ndmin=2) if lines else np.zeros((0, len(names)))
    except OSError as error:
        raise Error(Status.FILE_OPEN, f"{path}: {error.strerror}") from None
    except ValueError as error:
        raise Error(Status.FILE_FORMAT, f"{path}: {error}") from None
    if table.size and table.shape[1] != len(names):
        raise Error(Status.FILE_FORMAT, f"{path}: {table.shape[1]} columns under {len(names)} names")
    return {name: np.ascontiguousarray(table[:, i]) if table.size else np.zeros(0)
            for i, name in enumerate(names)}


class Frame:
    """One moment of a run: time (s), step, and arrays of the grains (a row for each sphere of a body
    that can move): position (m), radius (m), velocity (m/s), spin (rad/s), orientation, id, part,
    material, type."""

    def __init__(self, run: "Run", step: int, time: float) -> None:
        self.run, self.step, self.time = run, step, time
        self._read: Dict[str, Dict[str, AnyArray]] = {}

    def __repr__(self) -> str:
        return f"<talus.Frame at t = {self.time:.6g} s, step {self.step}>"

    def part(self, kind: str) -> Dict[str, AnyArray]:
        """All arrays of a file of the frame: grains, surfaces, walls or contacts; empty if the run
        wrote none."""
        if kind not in self._read:
            path = self.run._file(kind, self.step)
            self._read[kind] = read_vtp(path) if path is not None else {}
        return self._read[kind]

    @property
    def contacts(self) -> Dict[str, AnyArray]:
        """position (m), normal, force (N, on the second body), gap (m), body (n, 2)."""
        return self.part("contacts")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        grains = self.part("grains")
        if name not in grains:
            raise AttributeError(f"a frame has no {name}: one of {', '.join(grains)}")
        return grains[name]

    def __dir__(self) -> List[str]:
        return [*super().__dir__(), *self.part("grains")]


def holds_run(directory: str) -> bool:
    """Whether frames, or the files of a scene's run, are there."""
    return any(os.path.isfile(os.path.join(directory, name)) for name in (
        "scene.yaml", "grains.pvd", "surfaces.pvd", "walls.pvd", "scalars.csv"))


class Run:
    """The directory of a run: `talus run`, Scene.run, or World.run.

        run = talus.Run("heap.out")
        run.time, run.scalars["kinetic"]
        run[-1].position, run[-1].contacts["force"]
        run.measure()["all_packing_fraction"]
        run.resume(time=10)
    """

    def __init__(self, directory: Union[str, "os.PathLike[str]"]) -> None:
        self.directory = os.fspath(directory)
        if not holds_run(self.directory):
            raise Error(Status.FILE_OPEN, f"{self.directory} holds no run of Talus: there is neither "
                        "a scene.yaml nor a frame")
        self.refresh()

    def __repr__(self) -> str:
        until = f", to t = {self.time[-1]:.6g} s" if len(self) else ""
        return f"<talus.Run {self.directory!r}: {len(self)} frames{until}>"

    def refresh(self) -> None:
        """Looks again at what has been written since."""
        self._series: Dict[str, Dict[int, str]] = {
            kind: self._list(kind) for kind in ("grains", "surfaces", "walls", "contacts")}
        found: Dict[int, float] = {}
        for kind in ("grains", "surfaces", "walls"):
            for step, time in self._times(kind).items():
                found.setdefault(step, time)
        self._steps = sorted(found)
        self.time: Reals = np.array([found[step] for step in self._steps], dtype=np.float64)
        self._scalars: Optional[Dict[str, Reals]] = None

    def _entries(self, kind: str) -> Iterator[Any]:
        path = os.path.join(self.directory, kind + ".pvd")
        if os.path.isfile(path):
            with open(path) as file:
                yield from re.finditer(r'timestep="([^"]+)"[^>]*file="([^"/]+)"/><!-- step (\d+)',
                                       file.read())

    def _list(self, kind: str) -> Dict[int, str]:
        return {int(entry[3]): entry[2] for entry in self._entries(kind)}

    def _times(self, kind: str) -> Dict[int, float]:
        return {int(entry[3]): float(entry[1]) for entry in self._entries(kind)}

    def _file(self, kind: str, step: int) -> Optional[str]:
        """Of the step, or of the last before it: walls are written when they change."""
        earlier = [known for known in self._series[kind] if known <= step]
        if not earlier or (kind != "walls" and max(earlier) != step):
            return None
        return os.path.join(self.directory, self._series[kind][max(earlier)])

    def __len__(self) -> int:
        return len(self._steps)

    @overload
    def __getitem__(self, index: int) -> Frame: ...

    @overload
    def __getitem__(self, index: slice) -> List[Frame]: ...

    def __getitem__(self, index: Union[int, slice]) -> Union[Frame, List[Frame]]:
        """A frame; of a slice a list of them."""
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        step = self._steps[index]
        return Frame(self, step, float(self.time[index]))

    def __iter__(self) -> Iterator[Frame]:
        return (self[i] for i in range(len(self)))

    @property
    def scalars(self) -> Dict[str, Reals]:
        """The columns of scalars.csv by name, without units: time (s), kinetic (J), contacts ..."""
        if self._scalars is None:
            self._scalars = read_table(os.path.join(self.directory, "scalars.csv"))
        return self._scalars

    def resume(self, *, time: Optional[float] = None, steps: Optional[int] = None,
               overrides: Optional[Dict[str, str]] = None, scene: Optional[str] = None,
               threads: Optional[int] = None, quiet: bool = True) -> "Run":
        """Goes on from the newest checkpoint, bit for bit, to a time (s), or for so many steps. A
        scene that was changed by overrides needs them again."""
        if scene is None and not os.path.isfile(os.path.join(self.directory, "scene.yaml")):
            raise Error(Status.CALL_ORDER, f"{self.directory} was not written by a scene: build its "
                        "world again, load() a checkpoint and run(..., append=True)")
        options = [option for key, value in (overrides or {}).items()
                   for option in ("--set", f"{key}={value}")]
        run_program(scene or os.path.join(self.directory, "scene.yaml"), self.directory,
                    [*options, "--resume", self.directory], time, steps, threads, False, quiet)
        self.refresh()
        return self

    def measure(self, *measurements: Any, out: Optional[str] = None, begin: Optional[float] = None,
                end: Optional[float] = None, every: int = 1) -> "Measured":
        """Measures the frames: packing fraction, stress, coordination ... (docs/how-to/measure.md).
        measurements: dicts as a scene has them in output.measure, {"name": "bed", "region": {...}};
        none: those of the scene, or all bodies. begin, end: s; every: takes each such frame. Results
        are written to `out` (the folder "measured" of the run) and given as arrays."""
        from .measured import measure
        return measure(self.directory, measurements, out, begin, end, every)

    def show(self, **options: Any) -> Any:
        """Shows the run, with a slider over its frames, by PyVista; see talus.view.show_run."""
        from . import view
        return view.show_run(self, **options)

    def export_html(self, path: Union[str, "os.PathLike[str]"], **options: Any) -> None:
        """Writes one page that plays the run in any browser; see talus.page.export_run."""
        from . import page
        page.export_run(self, path, **options)


def run_program(scene: str, directory: str, options: List[str], time: Optional[float],
                steps: Optional[int], threads: Optional[int], force: bool, quiet: bool) -> None:
    """`talus run`; Error with what it said if it fails. Ctrl-C, and SIGTERM in the main thread, let it
    write a checkpoint first."""
    command = [program.path(), "run", scene, "--out", directory, *options]
    for name, value in (("--time", time), ("--steps", steps), ("--threads", threads)):
        if value is not None:
            command += [name, repr(value)]
    command += ["--force"] * force + ["--quiet"] * quiet
    with _sigterm_raises():
        running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE if quiet
                                   else None, text=True)
        said, complained = _wait(running)
    if not quiet and said:
        sys.stderr.write(said)
    if running.returncode != 0:
        status = {2: Status.INVALID_ARGUMENT, 3: Status.STEP_FAILED}.get(running.returncode,
                                                                      Status.INTERNAL)
        raise Error(status, (complained or said or f"talus run ended with {running.returncode}").strip())


def _wait(running: "subprocess.Popen[str]") -> Tuple[str, str]:
    """What it said. Whatever is raised meanwhile lets it write a checkpoint and end, and is raised then;
    the second time it is killed. It takes the first SIGINT and the first SIGTERM as one request: that
    of a terminal has reached it already, one to this process alone has not."""
    try:
        return running.communicate()
    except BaseException:
        try:
            running.terminate()
            running.communicate()
        except BaseException:
            running.kill()
            running.wait()
            raise
        raise


class _Terminated(BaseException):
    """SIGTERM came."""


@contextlib.contextmanager
def _sigterm_raises() -> Iterator[None]:
    """SIGTERM, where nobody handles it, ends this process only after what it would leave behind."""
    if threading.current_thread() is not threading.main_thread() or signal.getsignal(
            signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return

    def handle(number: int, frame: Any) -> None:
        raise _Terminated

    try:
        signal.signal(signal.SIGTERM, handle)
        yield
    except _Terminated:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGTERM)
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
