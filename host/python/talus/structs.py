"""The structs of the public headers as ctypes sees them.

Fields stand in the header's order. A later library may have more at the end of those which carry a
struct_size, never in between: it is told the size that is known here, and keeps to it.
"""

import ctypes
from ctypes import POINTER, Structure, c_double, c_int32, c_int64, c_size_t, c_uint32, c_void_p
from ctypes import c_char_p, c_int
from typing import Any, Dict, List, Tuple

real_array = c_void_p  # const double *, set from a NumPy array's address
enum = c_int


class Matrix(Structure):
    _fields_ = [("storage", enum), ("rows", c_int32), ("columns", c_int32), ("count", c_int64),
                ("start", c_void_p), ("index", c_void_p), ("index2", c_void_p),
                ("value", c_void_p)]


def _pointers(*names: str) -> List[Tuple[str, Any]]:
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


def _strided(*names: str) -> List[Tuple[str, Any]]:
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
        "compliance", "target_impulse", "row_compliance", "row_target_impulse",
        "torque_friction", "cross_friction", "friction_direction", "positions")


class Problem(Structure):
    _fields_ = [("struct_size", c_uint32), ("form", enum), ("dimension", c_int32),
                ("contact_count", c_int32), ("bilateral_count", c_int32), ("friction", c_void_p),
                ("rigid", Rigid), ("blocks", Blocks), ("delassus", Delassus), ("global", Global),
                ("row_lower", c_void_p), ("row_upper", c_void_p), ("memory", enum),
                ("layout", POINTER(Layout))] + _pointers("contact_key", "row_key", "asleep") + [
                    ("velocity_scale", c_double)] + _pointers(
                        "compliance", "target_impulse", "row_compliance", "row_target_impulse",
                        "torque_friction", "cross_friction", "friction_direction",
                        "positions") + [("brick_size", c_double), ("ids", c_void_p),
                                        ("ghost_count", c_int32), ("unused", c_int32)]


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
                ("dump_most", c_int32), ("islands", c_int32), ("fixed_iterations", c_int64),
                ("certify", c_int64)]


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
                ("log_user", c_void_p), ("single_blas", c_int32), ("unused", c_int32),
                ("ranks", c_void_p)]


class Islands(Structure):
    _fields_ = [("struct_size", c_uint32), ("count", c_int32)] + _pointers("contact", "row", "body")


# ---- talus_gradient.h ------------------------------------------------------------------------------

class Loss(Structure):
    _fields_ = [("struct_size", c_uint32)] + _pointers("impulse", "bilateral_impulse", "velocity",
                                                       "contact_velocity")


class Gradient(Structure):
    _fields_ = [("struct_size", c_uint32), ("notes", c_uint32), ("between", c_int32),
                ("unused", c_int32), ("not_unique", c_double), ("residual", c_double), *_pointers(
                    "regime", "row_regime", "free_velocity", "row_free_velocity", "friction",
                    "compliance", "target_impulse", "row_compliance", "row_target_impulse",
                    "velocity", "inverse_mass", "inverse_inertia", "arm_a", "arm_b", "jacobian",
                    "row_jacobian", "delassus", "mass", "h", "g")]


# ---- talus_world.h ---------------------------------------------------------------------------------

real3, real4, real6, real9 = c_double * 3, c_double * 4, c_double * 6, c_double * 9


class _SettingsRoom(ctypes.Union):
    _fields_ = [("solver", Settings), ("rest", ctypes.c_uint64 * 64)]


class WorldDef(Structure):
    _anonymous_ = ("solver_room",)
    _fields_ = [("struct_size", c_uint32), ("gravity", real3), ("step", c_double),
                ("substeps", c_int32), ("integrator", enum), ("stabilisation", enum),
                ("restitution", enum), ("plane", c_int32), ("slop", c_double),
                ("margin", c_double), ("bias_cap", c_double), ("restitution_speed", c_double),
                ("tolerance", c_double), ("accept", c_double), ("solver_room", _SettingsRoom),
                ("seed", ctypes.c_uint64), ("on_miss", enum), ("penetration_limit", c_double),
                ("velocity_scale", c_double), ("softness", enum), ("unused", c_int32),
                ("brick_size", c_double)]


class MaterialDef(Structure):
    _fields_ = [("struct_size", c_uint32)] + [(name, c_double) for name in (
        "density", "friction", "restitution", "pull_off", "surface_energy", "surface_tension",
        "contact_angle", "bridge_volume")] + [("adhesion", enum), ("rigid", c_int32)] + [
            (name, c_double) for name in (
                "stiffness", "young", "poisson", "rolling_friction", "spinning_friction",
                "rolling_fraction", "spinning_fraction", "cross_friction")] + [
                    ("friction_direction", c_double * 3)]


class Cell(Structure):
    _fields_ = [("struct_size", c_uint32), ("periodic", c_uint32), ("origin", real3),
                ("edge", real6), ("rate", real6), ("servo", c_uint32), ("unused", c_uint32),
                ("stress", real3), ("rate_limit", c_double), ("shear_stress", real3)]


class BodyDef(Structure):
    _fields_ = [("struct_size", c_uint32), ("type", enum), ("position", real3),
                ("orientation", real4), ("velocity", real3), ("spin", real3), ("group", c_int32),
                ("collides", c_uint32)]


class ShapeDef(Structure):
    _fields_ = [("struct_size", c_uint32), ("kind", enum), ("material", c_int32),
                ("position", real3), ("orientation", real4), ("radius", c_double),
                ("half_length", c_double), ("half_edge", real3), ("point", c_void_p),
                ("point_count", c_int32), ("triangle", c_void_p), ("triangle_count", c_int32),
                ("unused", c_int32)]


class StepReport(Structure):
    _fields_ = [("struct_size", c_uint32), ("time", c_double), ("step", c_int64),
                ("contact_count", c_int32), ("touching_count", c_int32), ("epsilon", c_double),
                ("epsilon_other", c_double), ("outcome", enum), ("accepted", c_int32),
                ("halvings", c_int32), ("iterations", c_int64), ("passes", c_int64),
                ("penetration_mean", c_double), ("penetration_max", c_double),
                ("kinetic", c_double), ("potential", c_double), ("work_contacts", c_double),
                ("work_forces", c_double), ("work_motion", c_double), ("energy_error", c_double),
                ("momentum_error", c_double), ("coordination", c_double), ("seconds", c_double),
                ("seconds_collide", c_double), ("seconds_build", c_double),
                ("seconds_solve", c_double), ("seconds_project", c_double),
                ("work_joints", c_double), ("singular", c_int32), ("error", c_double),
                ("bond_count", c_int32), ("bonds_broken", c_int32),
                ("uncertified", c_int32), ("unused", c_int32),
                ("precision", enum), ("resident", c_int32)]


class BodyState(Structure):
    _fields_ = [("position", real3), ("orientation", real4), ("velocity", real3), ("spin", real3)]


class Contact(Structure):
    _fields_ = [("body_a", c_int32), ("body_b", c_int32), ("shape_a", c_int32),
                ("shape_b", c_int32), ("point", real3), ("normal", real3), ("gap", c_double),
                ("impulse", real3)]


class MotionDef(Structure):
    _fields_ = [("struct_size", c_uint32), ("kind", enum), ("vector", real3), ("centre", real3),
                ("frequency", c_double), ("phase", c_double), ("begin", c_double),
                ("end", c_double), ("time", c_void_p), ("offset", c_void_p), ("count", c_int32),
                ("unused", c_int32)]


class ServoDef(Structure):
    _fields_ = [("struct_size", c_uint32), ("unused", c_uint32), ("axis", real3),
                ("force", c_double), ("pressure", c_double), ("area", c_double),
                ("gain", c_double), ("speed", c_double), ("across", c_int32 * 4)]


class ServoState(Structure):
    _fields_ = [("struct_size", c_uint32), ("unused", c_uint32), ("force", c_double),
                ("area", c_double), ("pressure", c_double), ("travel", c_double),
                ("speed", c_double)]


class JointDef(Structure):
    _fields_ = [("struct_size", c_uint32), ("kind", enum), ("body_a", c_int32),
                ("body_b", c_int32), ("point", real3), ("point_b", real3), ("axis", real3),
                ("limited", c_int32), ("lower", c_double), ("upper", c_double),
                ("motor", c_int32), ("rate", c_double), ("effort", c_double),
                ("target", c_double), ("response", c_double), ("friction", c_double),
                ("restitution", c_double), ("collide", c_int32), ("unused", c_int32)]


class JointState(Structure):
    _fields_ = [("struct_size", c_uint32), ("coordinate", c_double), ("rate", c_double),
                ("impulse", real3), ("moment", real3), ("stop", c_double), ("motor", c_double),
                ("friction", c_double)]


class BondDef(Structure):
    _fields_ = [("struct_size", c_uint32), ("body_a", c_int32), ("body_b", c_int32),
                ("unused", c_int32), ("axis", real3), ("point", real3), ("gap", c_double),
                ("radius", c_double), ("radius_ratio", c_double), ("length", c_double),
                ("young", c_double), ("poisson", c_double), ("normal_stiffness", c_double),
                ("shear_stiffness", c_double), ("bending_stiffness", c_double),
                ("twisting_stiffness", c_double), ("damping", c_double),
                ("tensile_strength", c_double), ("shear_strength", c_double),
                ("tensile_limit", c_double), ("shear_limit", c_double),
                ("bending_limit", c_double), ("twisting_limit", c_double)]


class Bond(Structure):
    _fields_ = [("id", c_int32), ("body_a", c_int32), ("body_b", c_int32), ("unused", c_int32),
                ("point", real3), ("axis", real3), ("radius", c_double), ("normal", c_double),
                ("shear", c_double), ("bending", c_double), ("twisting", c_double),
                ("load", c_double)]


class BrokenBond(Structure):
    _fields_ = [("time", c_double), ("bond", Bond), ("mode", c_int32), ("unused", c_int32)]


contact_fn = ctypes.CFUNCTYPE(None, c_void_p, POINTER(Contact), POINTER(c_double),
                              POINTER(c_double), POINTER(c_int))


# ---- talus_mechanism.h, talus_urdf.h ---------------------------------------------------------------

class LinkDef(Structure):
    _fields_ = [("struct_size", c_uint32), ("name", c_char_p), ("parent", c_int32),
                ("kind", enum), ("position", real3), ("orientation", real4), ("axis", real3),
                ("axis2", real3), ("mass", c_double), ("centre", real3), ("inertia", real6),
                ("damping", c_double), ("friction", c_double), ("limited", c_int32),
                ("lower", real3), ("upper", real3), ("motor", c_int32), ("rate", real3),
                ("target", real3), ("effort", c_double), ("response", c_double),
                ("group", c_int32), ("collides", c_uint32)]


class MechanismDef(Structure):
    _fields_ = [("struct_size", c_uint32), ("gravity", real3), ("dynamics", enum),
                ("link_count", c_int32), ("link", POINTER(LinkDef)), ("self_collide", c_int32),
                ("unused", c_int32)]


class LoopDef(Structure):
    _fields_ = [("struct_size", c_uint32), ("mechanism_a", c_int32), ("link_a", c_int32),
                ("mechanism_b", c_int32), ("link_b", c_int32), ("point_a", real3),
                ("point_b", real3), ("direction_count", c_int32), ("direction", real9),
                ("turn_count", c_int32), ("turn", real9), ("orientation", real4)]


class CouplingDef(Structure):
    _fields_ = [("struct_size", c_uint32), ("form", enum), ("step", c_double),
                ("gap_clamp", c_double), ("restitution_speed", c_double),
                ("correction", c_double), ("dimension", c_int32), ("mechanism_count", c_int32),
                ("mechanism", c_void_p), ("loop_count", c_int32), ("loop", c_void_p),
                ("restitution", enum), ("drift", c_int32)]


class Touch(Structure):
    _fields_ = [("mechanism_a", c_int32), ("link_a", c_int32), ("mechanism_b", c_int32),
                ("link_b", c_int32), ("point", real3), ("normal", real3), ("gap", c_double),
                ("friction", c_double), ("restitution", c_double), ("tangent", real3)]


touch_fn = ctypes.CFUNCTYPE(c_int32, c_void_p, c_int32, POINTER(Touch), c_int32)


class _FleetRoom(ctypes.Union):
    _fields_ = [("settings", Settings), ("rest", ctypes.c_uint64 * 64)]


class FleetDef(Structure):
    _anonymous_ = ("settings_room",)
    _fields_ = [("struct_size", c_uint32), ("count", c_int32), ("coupling", c_void_p),
                ("find", touch_fn), ("user", c_void_p), ("scheme", enum),
                ("settings_room", _FleetRoom), ("accept", c_double)]


class FleetReport(Structure):
    _fields_ = [("struct_size", c_uint32), ("solves", c_int64), ("contacts", c_int64),
                ("missed", c_int64), ("measure", c_double), ("depth", c_double),
                ("failed", c_int64), ("first_failed", c_int32), ("unused", c_int32)]


class UrdfDef(Structure):
    _fields_ = [("struct_size", c_uint32), ("position", real3), ("orientation", real4),
                ("floating", c_int32), ("lenient", c_int32), ("packages", c_char_p)]


# ---- talus_io.h, talus_scene.h, talus_ranks.h ------------------------------------------------------

class _ProblemRoom(ctypes.Union):
    _fields_ = [("problem", Problem), ("rest", ctypes.c_uint64 * 128)]


class Stored(Structure):
    _anonymous_ = ("problem_room",)
    _fields_ = [("problem_room", _ProblemRoom), ("title", c_char_p)] + _pointers(
        "guess", "guess_bilateral", "position", "radius", "memory")


class GenerateDef(Structure):
    _fields_ = [("struct_size", c_uint32), ("kind", enum), ("body_count", c_int32),
                ("friction", c_double), ("radius", c_double), ("spread", c_double),
                ("density", c_double), ("step", c_double), ("contact_ratio", c_double),
                ("aspect", c_double), ("seed", ctypes.c_uint64)]


class FramesDef(Structure):
    _fields_ = [("struct_size", c_uint32), ("contacts", c_int32), ("resume", c_int64)]


class Column(Structure):
    _fields_ = [("name", c_char_p), ("unit", c_char_p)]


measure_fn = ctypes.CFUNCTYPE(c_int, c_void_p, c_int32, c_int32)


class MeasureDef(Structure):
    _fields_ = [("struct_size", c_uint32), ("add_count", c_int32), ("directory", c_char_p),
                ("out", c_char_p), ("add", POINTER(c_char_p)), ("file", c_char_p),
                ("begin", c_double), ("end", c_double), ("every", c_int32), ("unused", c_int32),
                ("progress", measure_fn), ("user", c_void_p)]


class MechanismBalance(Structure):
    _fields_ = [("struct_size", c_uint32), ("mass", c_double), ("centre", real3),
                ("kinetic", c_double), ("potential", c_double), ("momentum", real3),
                ("angular_momentum", real3)]


class LinkPoint(Structure):
    _fields_ = [("link", c_int32), ("point", real3)]


class Transport(Structure):
    _fields_ = [("struct_size", c_uint32), ("rank", c_int32), ("size", c_int32),
                ("unused", c_int32)] + _pointers("user", "exchange", "sum", "largest", "gather",
                                                 "fail")


# Structs that begin with their size, and the function that fills them.
SIZED: Dict[Any, str] = {
    Problem: "talus_problem_init",
    Layout: "talus_layout_init",
    Settings: "talus_settings_init",
    SolutionLayout: "talus_solution_layout_init",
    Solution: "talus_solution_init",
    Certificate: "talus_certificate_init",
    Info: "talus_info_init",
    ContextDef: "talus_context_def_init",
    Islands: "talus_islands_init",
    Loss: "talus_loss_init",
    Gradient: "talus_gradient_init",
    WorldDef: "talus_world_def_init",
    MaterialDef: "talus_material_def_init",
    Cell: "talus_cell_init",
    BodyDef: "talus_body_def_init",
    ShapeDef: "talus_shape_def_init",
    StepReport: "talus_step_report_init",
    MotionDef: "talus_motion_def_init",
    ServoDef: "talus_servo_def_init",
    ServoState: "talus_servo_state_init",
    JointDef: "talus_joint_def_init",
    JointState: "talus_joint_state_init",
    BondDef: "talus_bond_def_init",
    LinkDef: "talus_link_def_init",
    MechanismDef: "talus_mechanism_def_init",
    LoopDef: "talus_loop_def_init",
    CouplingDef: "talus_coupling_def_init",
    FleetDef: "talus_fleet_def_init",
    FleetReport: "talus_fleet_report_init",
    UrdfDef: "talus_urdf_def_init",
    GenerateDef: "talus_generate_def_init",
    FramesDef: "talus_frames_def_init",
    MeasureDef: "talus_measure_def_init",
    MechanismBalance: "talus_mechanism_balance_init",
    Transport: "talus_transport_init",
}
# Of them, those whose function also takes a form or kind.
KINDED = (Problem, ShapeDef, MotionDef, JointDef, LinkDef, GenerateDef)
size_t = c_size_t
