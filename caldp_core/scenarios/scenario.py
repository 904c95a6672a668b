"""A scenario: everything a run depends on, in scalars and texts.

Room: scenarios. One record is a cache key, a link, a file and a command's argument; the file
format is described in docs/scenario.md and in README.md.
"""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from numpy.typing import ArrayLike

from caldp_core.basics.errors import CaldpError, check_epsilon, check_n, check_whole, require
from caldp_core.basics.limits import SEED_MAX, TRIALS_MAX
from caldp_core.datasets import (
    Cities,
    DatasetSpec,
    Geometric,
    Gowalla,
    PermutedGeometric,
    Snap,
    Uniform,
    Zipf,
)
from caldp_core.estimation.estimators import estimator
from caldp_core.mechanisms.registry import family_named
from caldp_core.scenarios.protection import (
    AdaptiveBlocks,
    BlocksSpec,
    DrawnBlocks,
    EvenRuns,
    EverythingSensitive,
    GridBlocks,
    OneBlock,
    SensitiveAreas,
    SensitiveInhabited,
    SensitiveSpec,
    SensitiveSymbols,
    StateBlocks,
)
from caldp_core.scenarios.records import Kinds, from_dict, from_flat, to_dict, to_flat

FORMAT: Final = 1
"""Version of the file format; the key `caldp_scenario` holds it."""
_MARK: Final = "caldp_scenario"

KINDS: Final[Kinds] = {
    "dataset": {
        "gowalla": Gowalla,
        "snap": Snap,
        "cities": Cities,
        "uniform": Uniform,
        "geometric": Geometric,
        "permuted-geometric": PermutedGeometric,
        "zipf": Zipf,
    },
    "blocks": {
        "one": OneBlock,
        "grid": GridBlocks,
        "states": StateBlocks,
        "adaptive": AdaptiveBlocks,
        "drawn": DrawnBlocks,
        "runs": EvenRuns,
    },
    "sensitive": {
        "everything": EverythingSensitive,
        "areas": SensitiveAreas,
        "inhabited": SensitiveInhabited,
        "symbols": SensitiveSymbols,
    },
}


@dataclass(frozen=True)
class Scenario:
    """What is measured, what is protected and how.

    `epsilon`: in [0.001, 20], one number or one per block. `n`: people drawn at random from the
    dataset's distribution, up to 10^12; None takes the very people of the dataset. `trials`:
    independent repetitions. `seed`: all randomness follows from it.
    """

    dataset: DatasetSpec = Gowalla()
    blocks: BlocksSpec = GridBlocks()
    sensitive: SensitiveSpec = EverythingSensitive()
    epsilon: float | tuple[float, ...] = 1.0
    family: str = "hadamard"
    estimator: str = "simplex"
    n: int | None = None
    trials: int = 1
    seed: int = 1

    def __post_init__(self) -> None:
        for slot, kinds in KINDS.items():
            value = getattr(self, slot)
            if type(value) not in kinds.values():
                known = ", ".join(cls.__name__ for cls in kinds.values())
                raise CaldpError(f"{slot} must be one of {known}, got {value!r}.")
        family_named(_text("family", self.family))
        estimator(_text("estimator", self.estimator))
        # NumPy's numbers and lists are taken too, but kept as what a file gives back.
        numbers = {
            "epsilon": _levels(self.epsilon),
            "n": None if self.n is None else check_n(self.n),
            "trials": check_whole("trials", self.trials, 1, TRIALS_MAX),
            "seed": check_whole("seed", self.seed, 0, SEED_MAX),
        }
        for name, number in numbers.items():
            object.__setattr__(self, name, number)

    def plain(self) -> "Scenario":
        """The same people under plain LDP: everything as secret as the most secret block."""
        levels = self.epsilon if isinstance(self.epsilon, tuple) else (self.epsilon,)
        return replace(
            self, blocks=OneBlock(), sensitive=EverythingSensitive(), epsilon=min(levels)
        )

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready dictionary, with the format's version."""
        return {_MARK: FORMAT, **to_dict(self, KINDS)}

    @classmethod
    def from_dict(cls, data: Any) -> "Scenario":
        """Read such a dictionary; raises `CaldpError` on unknown keys, kinds and versions."""
        version = data.get(_MARK) if isinstance(data, Mapping) else None
        # JSON's true and 1.0 are no versions, though Python has them equal to 1.
        if type(version) is not int or version != FORMAT:
            raise CaldpError(
                f'A scenario file starts with "{_MARK}": {FORMAT}, this one has {version!r}.'
            )
        rest = {key: value for key, value in data.items() if key != _MARK}
        return from_dict(cls, rest, KINDS)

    @classmethod
    def from_file(cls, path: str | Path) -> "Scenario":
        """Read a scenario file; raises `CaldpError` if it can't be read or is no scenario."""
        try:
            text = Path(path).read_text(encoding="utf-8")
        except (OSError, ValueError) as error:  # a path with a null character is a ValueError
            raise CaldpError(f"The scenario file {str(path)!r} can't be read: {error}.") from error
        try:
            data = json.loads(text, object_pairs_hook=_object)
        except CaldpError:
            raise
        except ValueError as error:
            raise CaldpError(f"The scenario file {path} is not JSON: {error}.") from error
        except RecursionError:
            raise CaldpError(
                f"The scenario file {path} has too many brackets in each other; "
                "a scenario needs three."
            ) from None
        return cls.from_dict(data)

    def to_query(self) -> dict[str, str]:
        """Flat texts for a link's query: only what differs from the defaults."""
        return to_flat(self, KINDS)

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> "Scenario":
        """Read such texts; raises `CaldpError` on anything unknown."""
        return from_flat(cls, query, KINDS)


def _levels(epsilon: ArrayLike) -> float | tuple[float, ...]:
    """One ε or several, as a float or a tuple of floats."""
    levels = check_epsilon(epsilon)
    require(
        levels.ndim <= 1 and levels.size > 0,
        "epsilon must be one number or one per block, got "
        f"{'none' if levels.size == 0 else repr(epsilon)}.",
    )
    return tuple(levels.tolist()) if levels.ndim else float(levels)


def _text(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise CaldpError(f"{name} must be a text, got {value!r}.")
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object; raises `CaldpError` on a key that is there twice: nothing is guessed."""
    made = dict(pairs)
    if len(made) < len(pairs):
        ((twice, _),) = Counter(key for key, _ in pairs).most_common(1)
        raise CaldpError(f"A scenario file has each key once, this one has {twice!r} twice.")
    return made
