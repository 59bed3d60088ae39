"""Worlds and runs as one page for any browser.

The page needs nothing but WebGL 2: it holds the frames, a slider and a small viewer (page.html).
"""

import base64
import html
import json
import os
from typing import TYPE_CHECKING, Any, Dict, List, Optional

import numpy as np
import numpy.typing as npt

from .picture import Picture, Surface, picture_of_frame, picture_of_world
from .run import Run

if TYPE_CHECKING:
    from .world import World


class _Page:
    """Bytes of all frames, one after the other, and where each part lies."""

    def __init__(self, pictures: List[Picture], field: str) -> None:
        corners = [array for p in pictures for array in (p.position, p.solids[0], p.walls[0])
                   if len(array)]
        if not corners:
            raise ValueError("there is nothing to show")
        self.largest = max([1e-30, *(float(p.radius.max()) for p in pictures if len(p.radius))])
        self.low = np.min([c.min(axis=0) for c in corners], axis=0)
        self.high = np.max([c.max(axis=0) for c in corners], axis=0)
        self.high = np.maximum(self.high, self.low + 1e-12 + 1e-9 * self.largest)
        values = [p.field(field) for p in pictures if len(p.radius)]
        self.least = min((float(v.min()) for v in values), default=0.0)
        self.most = max((float(v.max()) for v in values), default=0.0)
        moving = [array for p in pictures for array in (p.position, p.solids[0]) if len(array)]
        low, high = (np.min([c.min(axis=0) for c in moving or corners], axis=0),
                     np.max([c.max(axis=0) for c in moving or corners], axis=0))
        self.centre = (low + high) / 2
        self.reach = float(np.linalg.norm(high - low)) * 0.55 + self.largest
        self.field, self.parts, self.length = field, [], 0
        self.known: Dict[bytes, Dict[str, int]] = {}

    parts: List[bytes]

    def part(self, data: bytes) -> Dict[str, int]:
        """Where the bytes are; equal ones (walls that stand still) are kept once."""
        if data not in self.known:
            padding = -len(data) % 4
            self.known[data] = {"at": self.length, "bytes": len(data)}
            self.parts.append(data + bytes(padding))
            self.length += len(data) + padding
        return self.known[data]

    def shorts(self, values: Any, low: Any, high: Any) -> npt.NDArray[np.uint16]:
        share = (np.asarray(values) - low) / np.maximum(np.asarray(high) - low, 1e-300)
        made: npt.NDArray[np.uint16] = np.round(65535 * np.clip(share, 0, 1)).astype(np.uint16)
        return made

    def solid(self, surface: Surface) -> Dict[str, Any]:
        points = np.zeros((len(surface[0]), 4), "<u2")
        points[:, :3] = self.shorts(surface[0], self.low, self.high)
        return {"points": self.part(points.tobytes()),
                "faces": self.part(surface[1].astype("<u4").tobytes())}

    def forces(self, picture: Picture, least: float) -> Dict[str, int]:
        size = np.linalg.norm(picture.contacts["force"], axis=1)
        strongest = float(size.max(initial=0.0))
        strong = size > least * strongest
        at, normal = picture.contacts["position"][strong], picture.contacts["normal"][strong]
        half = (float(picture.radius.mean()) if len(picture.radius) else self.largest) * normal
        ends = np.stack([at - half, at + half], axis=1)
        made = np.zeros((len(at), 2, 4), "<u2")
        made[:, :, :3] = self.shorts(ends, self.low, self.high)
        made[:, :, 3] = self.shorts(size[strong], 0, strongest)[:, None]
        return self.part(made.tobytes())

    def frame(self, picture: Picture, least: float) -> Dict[str, Any]:
        grains = np.zeros((len(picture.radius), 5), "<u2")
        grains[:, :3] = self.shorts(picture.position, self.low, self.high)
        grains[:, 3] = self.shorts(picture.radius, 0, self.largest)
        grains[:, 4] = self.shorts(picture.field(self.field), self.least, self.most)
        return {"time": picture.time, "grains": self.part(grains.tobytes()),
                "solids": self.solid(picture.solids), "walls": self.solid(picture.walls),
                "forces": self.forces(picture, least)}


def _write_page(path: Any, title: str, pictures: List[Picture], field: str, least: float,
                plane: bool) -> None:
    page = _Page(pictures, field)
    about = {"frames": [page.frame(picture, least) for picture in pictures], "field": field,
             "low": page.low.tolist(), "high": page.high.tolist(), "largest": page.largest,
             "centre": page.centre.tolist(), "reach": page.reach,
             "least": page.least, "most": page.most, "plane": plane}
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "page.html")) as file:
        text = file.read()
    for mark, value in (("@TITLE@", html.escape(title)),
                        ("@ABOUT@", json.dumps(about).replace("<", "\\u003c")),
                        ("@BYTES@", base64.b64encode(b"".join(page.parts)).decode())):
        text = text.replace(mark, value, 1)
    with open(path, "w") as file:
        file.write(text)


def export_html(world: "World", path: Any, *, field: str = "speed", least_force: float = 0.1,
                title: str = "Talus") -> None:
    """Writes one page that shows the world in any browser. field: colours the spheres: speed, spin,
    radius, height, vx, vy, vz. least_force: contacts below this share of the moment's largest force are
    left out."""
    _write_page(path, title, [picture_of_world(world)], field, least_force, bool(world.plane))


def export_run(run: Run, path: Any, *, field: str = "speed", every: int = 1,
               frames: Optional[slice] = None, least_force: float = 0.1) -> None:
    """Writes one page that plays the run in any browser, with a slider over time. every: takes each
    such frame; frames: a slice of them. field, least_force: as of export_html."""
    chosen = range(len(run))[frames if frames is not None else slice(None)][::every]
    if len(chosen) == 0:
        raise ValueError(f"{run!r} has no frames to show")
    pictures = [picture_of_frame(run[i]) for i in chosen]
    plane = bool(np.ravel(run[chosen[0]].part("grains").get("plane", np.zeros(1)))[0])
    _write_page(path, os.path.basename(os.path.abspath(run.directory)), pictures, field, least_force,
                plane)
