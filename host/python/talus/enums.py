"""The enumerations of the public headers, under the same names."""

import enum


class Status(enum.IntEnum):
    OK = 0
    INVALID_ARGUMENT = 1
    STRUCT_SIZE = 2
    CALL_ORDER = 3
    OUT_OF_MEMORY = 4
    SIZE_OVERFLOW = 5
    MISSING_ARRAY = 6
    NOT_FINITE = 7
    INDEX_RANGE = 8
    NEGATIVE_MASS = 9
    NEGATIVE_FRICTION = 10
    NORMAL_LENGTH = 11
    IMMOVABLE_PAIR = 12
    BAD_DIAGONAL = 13
    MATRIX_FORMAT = 14
    BAD_STRIDE = 15
    WRONG_MEMORY = 16
    BAD_SETTING = 17
    UNSUPPORTED = 18
    BACKEND_ABSENT = 19
    DEVICE_ABSENT = 20
    DEVICE_ERROR = 21
    FILE_OPEN = 22
    FILE_FORMAT = 23
    FILE_WRITE = 24
    STEP_FAILED = 25
    INTERNAL = 26
    BAD_BOUNDS = 27
    BUSY = 28


class Backend(enum.IntEnum):
    AUTO = 0
    CPU = 1
    CUDA = 2


class Form(enum.IntEnum):
    RIGID = 1
    BLOCKS = 2
    DELASSUS = 3
    GLOBAL = 4


class Storage(enum.IntEnum):
    DENSE = 1
    CSC = 2
    CSR = 3
    TRIPLET = 4


class Law(enum.IntEnum):
    COULOMB = 0
    CCP = 1


class Method(enum.IntEnum):
    AUTO = 0
    JACOBI = 1
    APGD = 2
    APGDB = 3
    GAUSS_SEIDEL = 4
    GAUSS_SEIDEL_NESTEROV = 5
    SPECTRAL = 6
    NEWTON = 7
    INTERIOR_POINT = 8
    LEMKE = 9
    PFB_RLM = 10
    PFB_PLM = 11
    MNCP_RLM = 12
    MNCP_PLM = 13
    LCP1 = 14
    LCP2 = 15
    LCP3 = 16
    MNCPOPT = 17
    LCPOPT = 18
    MNCP_PROX = 19
    PATH = 20


class Cone(enum.IntEnum):
    CIRCULAR = 0
    PYRAMID = 1
    BOX = 2


class Precision(enum.IntEnum):
    F64 = 0
    F32 = 1
    AUTO = 2


class Measure(enum.IntEnum):
    EPSILON = 0
    SICONOS = 1


class Dump(enum.IntEnum):
    NONE = 0
    WORST = 1
    FAILED = 2
    EVERY = 3


class Outcome(enum.IntEnum):
    NONE = -1
    CONVERGED = 0
    ITERATION_LIMIT = 1
    TIME_LIMIT = 2
    STALLED = 3
    NOT_FINITE = 4
    INCONSISTENT = 5
    UNCHECKED = 6


class Note(enum.IntFlag):
    ASYMMETRIC = 1
    DIAGONAL_REPLACED = 2
    CPU_FALLBACK = 4
    METHOD_CHANGED = 8
    SPHERES_FOUND = 16
    BLOCKS_FOUND = 32
    STOPPED = 64
    UNIQUE = 128
    UNCERTIFIED = 256


class Integrator(enum.IntEnum):
    EULER = 0
    MIDPOINT = 1


class Softness(enum.IntEnum):
    RIGID = 0
    AUTO = 1


class Stabilisation(enum.IntEnum):
    PROJECTION = 0
    BIAS = 1
    NONE = 2


class Restitution(enum.IntEnum):
    NEWTON = 0
    POISSON = 1


class Miss(enum.IntEnum):
    DEFAULT = 0
    CONTINUE = 1
    HALVE = 2
    STOP = 3


class Adhesion(enum.IntEnum):
    JKR = 0
    DMT = 1


class BodyType(enum.IntEnum):
    FREE = 0
    FIXED = 1
    KINEMATIC = 2
    LINK = 3


class ShapeKind(enum.IntEnum):
    SPHERE = 0
    BOX = 1
    CAPSULE = 2
    CYLINDER = 3
    HULL = 4
    HALFSPACE = 5
    MESH = 6


class MotionKind(enum.IntEnum):
    VELOCITY = 0
    SPIN = 1
    SINUSOID = 2
    TABLE = 3


class JointKind(enum.IntEnum):
    FIXED = 0
    BALL = 1
    HINGE = 2
    SLIDER = 3
    DISTANCE = 4


class BondMode(enum.IntEnum):
    TENSION = 0
    BENDING = 1
    SHEAR = 2
    TWISTING = 3


class Motor(enum.IntEnum):
    NONE = 0
    RATE = 1
    SERVO = 2


class JointCollide(enum.IntEnum):
    AUTO = 0
    YES = 1
    NO = 2


class LinkKind(enum.IntEnum):
    REVOLUTE = 0
    PRISMATIC = 1
    UNIVERSAL = 2
    SPHERICAL = 3
    FREE = 4
    PLANAR = 5


class Scheme(enum.IntEnum):
    EXPLICIT_EULER = 0
    EULER = 1
    RUNGE_KUTTA = 2
    MIDPOINT = 3


class Dynamics(enum.IntEnum):
    COMPOSITE = 0
    ARTICULATED = 1
    CONQUER = 2


class GenerateKind(enum.IntEnum):
    HEAP = 0
    STACK = 1
    RANDOM = 2
