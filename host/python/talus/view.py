"""Worlds and runs in a window or a notebook, by PyVista: pip install talus-contact[view]."""

from typing import TYPE_CHECKING, Any, Sequence, Tuple

import numpy as np

from .picture import Picture, Surface, picture_of_frame, picture_of_world
from .run import Run

if TYPE_CHECKING:
    from .world import World


def _pyvista() -> Any:
    try:
        import pyvista
    except ImportError:
        raise ImportError("PyVista is not installed: pip install talus-contact[view]; export_html works "
                          "without it") from None
    return pyvista


def _poly(pyvista: Any, surface: Surface) -> Any:
    points, faces = surface
    return pyvista.PolyData(points, np.concatenate([np.full((len(faces), 1), 3), faces], axis=1).ravel())


def _add(plotter: Any, picture: Picture, field: str, limits: Tuple[float, float],
         forces: bool) -> None:
    """Draws a picture, in place of the one before."""
    pyvista = _pyvista()
    for name in ("grains", "solids", "walls", "forces"):  # it may have less than the one before
        plotter.remove_actor(name, reset_camera=False, render=False)
    if len(picture.radius):
        cloud = pyvista.PolyData(picture.position)
        cloud["diameter"], cloud[field] = 2 * picture.radius, picture.field(field)
        ball = pyvista.Sphere(radius=0.5, theta_resolution=16, phi_resolution=12)
        plotter.add_mesh(cloud.glyph(geom=ball, scale="diameter", orient=False), scalars=field,
                         clim=limits, name="grains", smooth_shading=True,
                         opacity=0.25 if forces else 1.0, scalar_bar_args=dict(
                             title=field, n_labels=3, position_x=0.3, width=0.4))
    for name, surface, look in (("solids", picture.solids, dict(color="orange")),
                                ("walls", picture.walls, dict(color="lightgrey", opacity=0.3))):
        if len(surface[1]):
            plotter.add_mesh(_poly(pyvista, surface), name=name, **look)
    size = np.linalg.norm(picture.contacts["force"], axis=1)
    if forces and len(size) and size.max() > 0:
        strong = size > 0.1 * size.max()
        marks = pyvista.PolyData(picture.contacts["position"][strong])
        marks["normal"], marks["force"] = picture.contacts["normal"][strong], size[strong]
        thickness = float(picture.radius.mean()) if len(picture.radius) else 1.0
        rod = pyvista.Cylinder(direction=(1, 0, 0), radius=0.1, height=2)
        plotter.add_mesh(marks.glyph(geom=rod, orient="normal", scale=False, factor=thickness),
                         scalars="force", cmap="Reds", name="forces", scalar_bar_args=dict(
                             title="force", n_labels=3, vertical=True, position_x=0.87,
                             position_y=0.3, height=0.4))


def _is_aimed(plotter: Any) -> bool:
    """Whether the caller chose where its plotter looks from."""
    return plotter is not None and bool(plotter.camera_set)


def _aim(plotter: Any, pictures: Sequence[Picture]) -> None:
    """Fills the view with what moves; walls may reach out of it."""
    corners = [array for p in pictures for array in (
        p.position - p.radius[:, None], p.position + p.radius[:, None], p.solids[0]) if len(array)]
    if corners:
        low, high = np.concatenate(corners).min(axis=0), np.concatenate(corners).max(axis=0)
        plotter.view_isometric()
        plotter.reset_camera(bounds=np.stack([low, high], axis=1).ravel().tolist())
        plotter.camera_set = True  # or the first picture would show all of the walls


def show(world: "World", *, field: str = "speed", forces: bool = False, plotter: Any = None,
         **options: Any) -> Any:
    """Shows the world in a window, or in a notebook. field: as of export_html; forces: rods at
    contacts, seen through the grains. With a plotter of yours it is drawn into that and not shown; a
    camera that was set stays. Further options go to Plotter.show."""
    picture = picture_of_world(world)
    values = picture.field(field)
    aimed, drawn = _is_aimed(plotter), plotter if plotter is not None else _pyvista().Plotter(
        off_screen=options.pop("off_screen", None))
    _add(drawn, picture, field, (float(values.min(initial=0)), float(values.max(initial=1e-12))), forces)
    if not aimed:
        _aim(drawn, [picture])
    return drawn if plotter is not None else drawn.show(**options)


def show_run(run: Run, *, field: str = "speed", forces: bool = False, plotter: Any = None,
             **options: Any) -> Any:
    """Shows a run in a window, or in a notebook, with a slider over its frames."""
    if len(run) == 0:
        raise ValueError(f"{run!r} has no frames to show")
    aimed, drawn = _is_aimed(plotter), plotter if plotter is not None else _pyvista().Plotter(
        off_screen=options.pop("off_screen", None))
    some = [picture_of_frame(run[i]) for i in (0, len(run) // 2, len(run) - 1)]
    values = np.concatenate([picture.field(field) for picture in some])
    limits = float(values.min(initial=0)), float(values.max(initial=1e-12))

    def choose(value: float) -> None:
        _add(drawn, picture_of_frame(run[int(round(value))]), field, limits, forces)

    choose(0)
    if not aimed:
        _aim(drawn, some)
    if len(run) > 1:
        drawn.add_slider_widget(choose, (0, len(run) - 1), value=0, title="frame", fmt="%.0f")
    return drawn if plotter is not None else drawn.show(**options)
