"""Scene files (talus_scene.h; docs/reference/scene.md): worlds from YAML, or from a dict."""

import json
import os
import shutil
import tempfile
import weakref
from ctypes import byref, c_char_p, c_void_p
from typing import Any, Dict, Mapping, Optional, Union

import numpy as np

from .enums import Status
from .library import library
from .mechanism import Mechanism
from .run import Run, holds_run, run_program
from .solver import Context, Error
from .world import World


class Scene:
    """A scene file, or a dict with the same keys, read and checked.

        scene = talus.Scene("heap.yaml", {"materials.bead.friction": 0.3})
        world = scene.build()
        world.step(100)                    # inlets, outlets and motors of the file at work
        run = scene.run("heap.out")        # or the whole of it, with frames and checkpoints

    overrides: keys with dots and their values, as `talus run --set` takes them. In a dict names of
    files are relative to its `folder`, and that to the present directory, the default.
    """

    def __init__(self, source: Union[str, "os.PathLike[str]", Mapping[str, Any]],
                 overrides: Optional[Mapping[str, Any]] = None,
                 context: Optional[Context] = None) -> None:
        self.context = context if context is not None else Context()
        self.overrides: Dict[str, str] = {k: _text(v) for k, v in (overrides or {}).items()}
        self._handle = c_void_p()
        self._world: Optional["weakref.ref[World]"] = None
        if isinstance(source, Mapping):
            text = json.dumps(source, default=_plain, indent=1)
            folder = tempfile.mkdtemp(prefix="talus-scene-")
            weakref.finalize(self, shutil.rmtree, folder, True)
            self.path = os.path.join(folder, "scene.yaml")
            with open(self.path, "w") as file:
                file.write(_absolute(text))
        else:
            self.path = os.fspath(source)
        texts = [f"{key}={value}".encode() for key, value in self.overrides.items()]
        self.context.check(library.talus_scene_read(
            self.context._handle, os.fsencode(self.path), (c_char_p * max(1, len(texts)))(*texts),
            len(texts), byref(self._handle)))
        self.context._retain()

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            library.talus_scene_destroy(self._handle)
            self._handle = c_void_p()
            self.context._release()

    def __reduce__(self) -> Any:
        raise TypeError("a Scene cannot be pickled or copied: read the file again")

    def __repr__(self) -> str:
        return f"<talus.Scene {self.path!r}, to t = {self.end:g} s>"

    @property
    def end(self) -> float:
        """When the file says that a run ends, s."""
        return float(library.talus_scene_end(self._handle))

    @property
    def over(self) -> bool:
        """Whether the stages of the file are over; without stages never."""
        return bool(library.talus_scene_over(self._handle))

    @property
    def added(self) -> int:
        """Grains made by inlets so far."""
        return int(library.talus_scene_added(self._handle))

    @property
    def removed(self) -> int:
        """Grains removed by outlets so far."""
        return int(library.talus_scene_removed(self._handle))

    def build(self, start: Union[str, "os.PathLike[str]", None] = None) -> World:
        """Makes the world. Its steps include what happens between them: inlets, outlets, motors. A
        scene serves one world at a time. start: a checkpoint of any scene's run, or a directory with
        some, whose free bodies are there from the beginning, as `talus run --from` takes it."""
        last = self._world() if self._world is not None else None
        if last is not None and last._handle:
            raise Error(Status.CALL_ORDER, "the scene has a world already: close it, or read the file "
                        "again")
        if start is not None:
            self.context.check(library.talus_scene_from(self._handle, os.fsencode(start)))
        world, handle = World.__new__(World), c_void_p()
        world._begin(self.context)
        self.context.check(library.talus_scene_build(self._handle, byref(handle)))
        world._take(handle)
        world._scene = self  # lives as long as its world
        world._before_step = lambda: self.context.check(
            library.talus_scene_tick(self._handle, handle))
        world._after_step = lambda report: self.context.check(
            library.talus_scene_watch(self._handle, handle, byref(report)))
        self._world = weakref.ref(world)
        return world

    def body(self, name: str) -> int:
        """The id of a body or wall by its name; "mechanism.link" for links."""
        found = int(library.talus_scene_body_find(self._handle, name.encode()))
        if found < 0:
            raise KeyError(f"the scene has no body called {name!r} in its world")
        return found

    def mechanism(self, name: str) -> Mechanism:
        """A mechanism of the built world by its name."""
        found = int(library.talus_scene_mechanism_find(self._handle, name.encode()))
        world = self._world() if self._world is not None else None
        if found < 0 or world is None:
            raise KeyError(f"the scene has no mechanism called {name!r} in its world")
        return world.mechanism(found)

    def run(self, directory: Union[str, "os.PathLike[str]"], *, time: Optional[float] = None,
            steps: Optional[int] = None, threads: Optional[int] = None, force: bool = False,
            quiet: bool = True) -> Run:
        """Runs the scene by the program `talus` and writes frames, scalars and checkpoints to a
        directory. time: where to end, s. force: replaces a run that is there. Ctrl-C, or SIGTERM,
        lets it write a checkpoint and ends it; Run.resume goes on."""
        if not force and holds_run(os.fspath(directory)):
            raise Error(Status.FILE_WRITE, f"{os.fspath(directory)} holds a run already: choose another directory, "
                        "go on with it by talus.Run(...).resume(), or replace it by force=True")
        options = [option for key, value in self.overrides.items()
                   for option in ("--set", f"{key}={value}")]
        run_program(self.path, os.fspath(directory), options, time, steps, threads, force, quiet)
        return Run(directory)


def _plain(value: Any) -> Any:
    """NumPy numbers and arrays for JSON, which is YAML."""
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    raise TypeError(f"a scene cannot hold {value!r}")


def _text(value: Any) -> str:
    """A value as --set takes it."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    return value if isinstance(value, str) else json.dumps(value, default=_plain)


def _absolute(text: str) -> str:
    """The scene's text with whole names of files, as seen from its folder."""
    made = json.loads(text)
    named = isinstance(made.get("folder"), str)  # what is none, the library refuses
    base = os.path.abspath(made.pop("folder") if named else ".")

    def walk(part: Any) -> None:
        items = part.items() if isinstance(part, dict) else enumerate(part)
        for key, value in items:
            if isinstance(value, (dict, list)):
                walk(value)
            elif key in ("file", "urdf", "packages") and isinstance(value, str):
                part[key] = os.path.abspath(os.path.join(base, value))

    walk(made)
    return json.dumps(made, indent=1)
