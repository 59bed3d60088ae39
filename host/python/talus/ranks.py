"""Ranks of MPI for contexts (talus_mpi.h): processes that share the work of their solves.

    context = talus.Context(ranks=mpi4py.MPI.COMM_WORLD)
    world = talus.World(brick_size=0.1, context=context)

libtalus_mpi is looked for in TALUS_MPI_LIBRARY (a file), beside libtalus, and where the system's loader
looks. It has to be built with the MPI that mpi4py was built with.
"""

import ctypes
import os
from ctypes import POINTER, byref, c_int, c_int32, c_void_p
from typing import Any

from . import structs
from .enums import Status
from .library import ABI_VERSION, library


def _load() -> ctypes.CDLL:
    named, name = os.environ.get("TALUS_MPI_LIBRARY"), f"libtalus_mpi.so.{ABI_VERSION}"
    beside = os.path.join(os.path.dirname(os.path.abspath(library._name)), name)
    failures = []
    for path in [named] if named else [beside, name]:
        try:
            return ctypes.CDLL(path)
        except OSError as error:
            failures.append(f"{path}: {error}")
    raise ImportError("libtalus_mpi was not found: install Talus with MPI (cmake --install), or name "
                      "the file in TALUS_MPI_LIBRARY\n" + "\n".join(failures))


class Ranks:
    """A transport over a communicator of mpi4py; lives as long as the contexts that use it."""

    def __init__(self, communicator: Any) -> None:
        from .solver import Error
        if not callable(getattr(communicator, "py2f", None)):
            raise TypeError(f"ranks is {communicator!r}: a communicator of mpi4py is needed")
        self._handle, mpi, self.communicator = c_void_p(), _load(), communicator
        self._destroy = mpi.talus_mpi_ranks_destroy
        mpi.talus_mpi_ranks_create_fortran.argtypes = [c_int32, POINTER(c_void_p)]
        mpi.talus_mpi_ranks_create_fortran.restype = c_int
        self._destroy.argtypes, self._destroy.restype = [c_void_p], None
        mpi.talus_mpi_ranks_transport.argtypes = [c_void_p]
        mpi.talus_mpi_ranks_transport.restype = structs.Transport
        status = mpi.talus_mpi_ranks_create_fortran(communicator.py2f(), byref(self._handle))
        if status != Status.OK:
            raise Error(status, "")
        self.transport: structs.Transport = mpi.talus_mpi_ranks_transport(self._handle)

    def close(self) -> None:
        """Frees the communicator; no call can be made after MPI_Finalize."""
        handle, self._handle = self._handle, c_void_p()
        if handle and not _finalized():
            self._destroy(handle)


def _finalized() -> bool:
    from mpi4py import MPI
    return bool(MPI.Is_finalized())
