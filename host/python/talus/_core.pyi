"""The compiled half of the package: host/python/core."""

from typing import Any, Dict, List, Mapping, Optional, Tuple, Type, TypeVar

_P = TypeVar("_P", bound="Problem")

info_size: int
problem_size: int
touch_find: int

def bind(functions: Mapping[str, int]) -> None: ...
def use(hooks: Any) -> None: ...
def rigid(kind: Type[_P], *arrays: Any) -> _P: ...
def empty(problem: "Problem") -> Any: ...
def solve_batch(context: int, settings: int, problems: List[Any],
                solutions: List[Any]) -> Tuple[int, List[Any]]: ...
def solve_stack(context: int, settings: int, problem: "Problem", count: int,
                problem_places: List[Tuple[int, int, int]],
                solution_places: List[Tuple[int, int, int]], infos: int, statuses: int) -> int: ...

class Problem:
    @property
    def dimension(self) -> int: ...
    @property
    def contact_count(self) -> int: ...
    @property
    def bilateral_count(self) -> int: ...
    @property
    def _kept(self) -> Dict[str, Any]: ...
    @property
    def _address(self) -> int: ...
    def _place(self, name: bytes, value: Any, width: int, count: int, number: int, offset: int,
               layout_offset: int) -> None: ...
    def _hold(self, name: str, value: Any) -> None: ...

class Solver:
    _solver: int
    _raised: Optional[List[BaseException]]
    _calls_back: bool
    @property
    def _problem(self) -> Any: ...
    def update(self, problem: Any) -> None: ...
    def solve(self, solution: Any = None) -> Tuple[Any, Any]: ...
    def _enter(self) -> None: ...
    def _leave(self) -> None: ...

class Info:
    _outcome: int
    _method: int
    _precision: int
    _backend: int
    _notes: int
    threads: int
    colours: int
    iterations: int
    passes: int
    measure: float
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
    @property
    def _certificate(self) -> Tuple[float, ...]: ...
    @property
    def _address(self) -> int: ...
