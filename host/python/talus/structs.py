"""The structs of talus_base.h and talus_solve.h as ctypes sees them.

Fields stand in the header's order. A later library may have more at the end of those which carry a
struct_size, never in between: it is told the size that is known here, and keeps to it.
"""

import ctypes
from ctypes import POINTER, Structure, c_double, c_int32, c_int64, c_size_t, c_uint32, c_void_p
from ctypes import c_char_p, c_int

real_array = c_void_p  # const double *, set from a NumPy array's address
enum = c_int


class Matrix(Structure):
    _fields_ = [("storage", enum), ("rows", c_int32), ("columns", c_int32), ("count", c_int64),
                ("start", c_void_p), ("index", c_void_p), ("index2", c_void_p),
                ("value", c_void_p)]


def _pointers(*names):
    return [(name, c_void_p) for name in names]


class Rigid(Structure):
    _fields_ = [("body_count", c_int32)] + _pointers(
        "velocity", "inverse_mass", "inverse_inertia", "body_a", "body_b", "normal", "reach_a",
        "reach_b", "arm_a", "arm_b", "bias", "surface_velocity", "row_body_a", "row_body_b",
        "row_jacobian", "row_bias")


class Blocks(Structure):
    _fields_ = [("block_count", c_int32)] + _pointers(
        "block_size", "inverse_mass", "velocity", "contact_start", "contact_block",
        "contact_jacobian", "bias", "bilateral_start", "bilateral_block", "bilateral_jacobian",
        "bilateral_bias")


class Delassus(Structure):
    _fields_ = [("w", Matrix), ("q", c_void_p)]


class Global(Structure):
    _fields_ = [("mass", Matrix), ("h", Matrix), ("g", Matrix)] + _pointers("f", "w", "b")


class Strided(Structure):
    _fields_ = [("array", c_void_p), ("stride", c_int64), ("scalar", enum)]


class MatrixLayout(Structure):
    _fields_ = [(name, Strided) for name in ("start", "index", "index2", "value")]


def _strided(*names):
    return [(name, Strided) for name in names]


class RigidLayout(Structure):
    _fields_ = _strided("velocity", "angular_velocity", "inverse_mass", "inverse_inertia", "body_a",
                        "body_b", "normal", "reach_a", "reach_b", "arm_a", "arm_b", "bias",
                        "surface_velocity", "row_body_a", "row_body_b", "row_jacobian", "row_bias")


class BlocksLayout(Structure):
    _fields_ = _strided("block_size", "inverse_mass", "velocity", "contact_start", "contact_block",
                        "contact_jacobian", "bias", "bilateral_start", "bilateral_block",
                        "bilateral_jacobian", "bilateral_bias")


class DelassusLayout(Structure):
    _fields_ = [("w", MatrixLayout), ("q", Strided)]


class GlobalLayout(Structure):
    _fields_ = [("mass", MatrixLayout), ("h", MatrixLayout), ("g", MatrixLayout)] + _strided(
        "f", "w", "b")


class Layout(Structure):
    _fields_ = [("struct_size", c_uint32)] + _strided(
        "friction", "row_lower", "row_upper", "contact_key", "row_key", "asleep") + [
        ("rigid", RigidLayout), ("blocks", BlocksLayout), ("delassus", DelassusLayout),
        ("global", GlobalLayout)] + _strided(
        "compliance", "target_impulse", "row_compliance", "row_target_impulse")


class Problem(Structure):
    _fields_ = [("struct_size", c_uint32), ("form", enum), ("dimension", c_int32),
                ("contact_count", c_int32), ("bilateral_count", c_int32), ("friction", c_void_p),
                ("rigid", Rigid), ("blocks", Blocks), ("delassus", Delassus), ("global", Global),
                ("row_lower", c_void_p), ("row_upper", c_void_p), ("memory", enum),
                ("layout", POINTER(Layout))] + _pointers("contact_key", "row_key", "asleep") + [
                    ("velocity_scale", c_double)] + _pointers(
                        "compliance", "target_impulse", "row_compliance", "row_target_impulse")


progress_fn = ctypes.CFUNCTYPE(c_int, c_void_p, c_int64, c_int64, c_double, c_double)
log_fn = ctypes.CFUNCTYPE(None, c_void_p, c_int, c_char_p)


class Settings(Structure):
    _fields_ = [("struct_size", c_uint32), ("law", enum), ("method", enum), ("precision", enum),
                ("measure", enum), ("tolerance", c_double), ("max_iterations", c_int64),
                ("max_seconds", c_double), ("threads", c_int32), ("warm_start", c_int32),
                ("momentum_cap", c_double), ("slip_filter", c_double), ("progress", progress_fn),
                ("progress_user", c_void_p), ("same_bits", c_int32), ("unique", c_int32),
                ("cone", enum), ("facets", c_int32), ("facet_angle", c_double),
                ("facet_align", c_int32), ("dump", enum), ("dump_path", c_char_p),
                ("dump_most", c_int32), ("islands", c_int32)]


class SolutionLayout(Structure):
    _fields_ = [("struct_size", c_uint32)] + _strided(
        "impulse", "bilateral_impulse", "velocity", "angular_velocity", "contact_velocity")


class Solution(Structure):
    _fields_ = [("struct_size", c_uint32), ("impulse", c_void_p), ("bilateral_impulse", c_void_p),
                ("velocity", c_void_p), ("contact_velocity", c_void_p), ("memory", enum),
                ("layout", POINTER(SolutionLayout))]


class Certificate(Structure):
    _fields_ = [("struct_size", c_uint32)] + [(name, c_double) for name in (
        "epsilon_ccp", "epsilon_coulomb", "residual_ccp", "residual_coulomb", "reference_ccp",
        "reference_coulomb", "siconos_ccp", "siconos_coulomb", "cone_violation", "complementarity",
        "complementarity_ccp", "dissipation", "bilateral", "penetration_speed", "momentum_balance",
        "asymmetry", "epsilon_faceted_ccp", "epsilon_faceted_coulomb", "error_ccp", "error_coulomb",
        "reference_scale", "epsilon_rigid_ccp", "epsilon_rigid_coulomb")]


class _CertificateRoom(ctypes.Union):
    _fields_ = [("certificate", Certificate), ("rest", c_double * 48)]


class Info(Structure):
    _anonymous_ = ("certificate_room",)
    _fields_ = [("struct_size", c_uint32), ("outcome", enum), ("method", enum),
                ("precision", enum), ("backend", enum), ("threads", c_int32), ("colours", c_int32),
                ("notes", c_uint32), ("iterations", c_int64), ("passes", c_int64),
                ("measure", c_double), ("certificate_room", _CertificateRoom),
                ("seconds", c_double),
                ("seconds_check", c_double), ("seconds_build", c_double),
                ("seconds_iterate", c_double), ("seconds_certificate", c_double),
                ("bytes", c_int64), ("incompatible", c_double), ("factorisations", c_int64),
                ("islands", c_int32), ("islands_asleep", c_int32), ("keys_matched", c_int32),
                ("unused", c_int32)]


class ContextDef(Structure):
    _fields_ = [("struct_size", c_uint32), ("threads", c_int32), ("backend", enum),
                ("device", c_int32), ("stream", c_void_p), ("allocate", c_void_p),
                ("release", c_void_p), ("allocate_user", c_void_p), ("log", log_fn),
                ("log_user", c_void_p)]


class Islands(Structure):
    _fields_ = [("struct_size", c_uint32), ("count", c_int32)] + _pointers("contact", "row", "body")


# Structs that begin with their size, and the function that fills them.
SIZED = {
    Problem: "talus_problem_init",
    Layout: "talus_layout_init",
    Settings: "talus_settings_init",
    SolutionLayout: "talus_solution_layout_init",
    Solution: "talus_solution_init",
    Certificate: "talus_certificate_init",
    Info: "talus_info_init",
    ContextDef: "talus_context_def_init",
    Islands: "talus_islands_init",
}
size_t = c_size_t
