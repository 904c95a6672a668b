"""How "chosen" does beside the cascade on towns that nobody looked at while either was made.

    python -m tests.estimation.unseen_maps

writes that into benchmarks/estimators.md: nineteen towns, one block and 64, four ε, three draws
each. It is what decides whether "chosen" is the default: its error over the cascade's, how near the
error that is told comes to the true one, how often ranges hold, and how long a run takes.
"""

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import product
from time import process_time
from typing import Final

import click
import numpy as np

from benchmarks.suites.accuracy import BLOCKS, EPSILONS, PEOPLE, collections
from caldp_core.basics.types import Floats
from caldp_core.estimation.estimators import ESTIMATORS, estimated_error
from caldp_core.estimation.evidence import Evidence
from caldp_core.estimation.intervals import ranges
from caldp_core.experiments.run import prepare, run
from caldp_core.scenarios.blocks import OneBlock
from caldp_core.scenarios.scenario import Scenario
from scripts.estimator_figures import write_table
from tests.estimation.maps import region

UNSEEN: Final = (
    *("London", "Moscow", "Bogotá", "Nairobi", "Seoul", "Karachi", "Madrid", "Lima", "Manila"),
    *("Bangkok", "Hanoi", "Toronto", "New York", "Los Angeles", "Rome", "Warsaw"),
    *("Johannesburg", "Dhaka", "Buenos Aires"),
)
"""Towns with their surroundings, none of which is among `TOWNS`."""
_SEED, _DRAWS = 57, 3
_NAMES: Final = ("cascade", "chosen")
_EDGES: Final = (1.0, 2.0, 4.0)
GROUPS: Final = ("0", "below 1 σ", "1 to 2 σ", "2 to 4 σ", "above 4 σ", "brightest 50")
_FEWEST: Final = 200
"""Ranges of a group of which a share is worth writing."""


@dataclass(frozen=True, eq=False)
class Found:
    """One estimator on one map: mean `error` of the draws, and `told`, the mean that it says.

    `hits`, `cells`: (6,) ranges that hold and ranges in each of `GROUPS`.
    """

    error: float
    told: float
    hits: Floats
    cells: Floats


def measure(evidences: Sequence[Evidence], truth: Floats, name: str) -> Found:
    """The named estimator on each draw of one map; `truth`: (k,) shares."""
    entry = ESTIMATORS[name]
    assert entry.law is not None
    errors, told = [], []
    hits, cells = np.zeros(len(GROUPS)), np.zeros(len(GROUPS))
    for evidence in evidences:
        shares = entry.apply(evidence)
        errors.append(np.abs(shares - truth).sum() / 2)
        estimate = estimated_error(evidence, entry.apply, entry.law)
        assert estimate is not None
        told.append(estimate.share)
        ends = ranges(evidence, shares)
        held = (ends.low <= truth) & (truth <= ends.high)
        sized = np.where(truth > 0, 1 + np.digitize(truth / evidence.deviation, _EDGES), 0)
        bright = np.argsort(-shares)[:50]
        hits += [*np.bincount(sized, held, 5), held[bright].sum()]
        cells += [*np.bincount(sized, minlength=5), bright.size]
    return Found(float(np.mean(errors)), float(np.mean(told)), hits, cells)


def drawn(town: str, side: int, epsilon: float) -> tuple[list[Evidence], Floats]:
    """The reports of each draw from a town in `side` × `side` blocks, and (k,) true shares."""
    grid, weights = region(town)
    rng = np.random.default_rng([_SEED, UNSEEN.index(town)])
    people = rng.multinomial(PEOPLE, weights / weights.sum())
    evidences = collections(grid, people, epsilon, (side, side), draws=_DRAWS, seed=_SEED)
    return evidences, people / people.sum()


@dataclass(frozen=True, eq=False)
class Case:
    """Both estimators on one map: a town in `side` × `side` blocks at one ε."""

    side: int
    found: dict[str, Found]

    @classmethod
    def of(cls, case: tuple[str, int, float]) -> "Case":
        """The case of a town, a side and an ε."""
        evidences, truth = drawn(*case)
        return cls(case[1], {name: measure(evidences, truth, name) for name in _NAMES})

    @property
    def quotient(self) -> float:
        """The error of "chosen" over that of the cascade."""
        return self.found["chosen"].error / self.found["cascade"].error


def all_cases() -> list[Case]:
    """All towns, blocks and ε."""
    with ProcessPoolExecutor(2) as pool:
        return list(pool.map(Case.of, product(UNSEEN, BLOCKS, EPSILONS), chunksize=4))


def is_told(found: Found) -> bool:
    """Whether the error that is told is within a fifth of the true one."""
    return 0.8 <= found.told / found.error <= 1.2


_COLUMNS: Final = ("mean", "best", "worst", "above 1.01", "told: cascade", "told: chosen")


def table_of_errors(cases: Sequence[Case]) -> list[str]:
    """Errors of "chosen" over the cascade's, and how often each tells its own within a fifth."""
    lines = [
        f"| unseen towns | cases | {' | '.join(_COLUMNS)} |",
        "|" + "---|" * 8,
    ]
    for side in BLOCKS:
        within = [case for case in cases if case.side == side]
        quotients = np.array([case.quotient for case in within])
        mean = float(np.exp(np.log(quotients).mean()))
        told = [sum(is_told(case.found[name]) for case in within) for name in _NAMES]
        title = "in one block" if side == 1 else f"in {side**2} blocks"
        cells = [title, len(within), f"{mean:.3f}", f"{quotients.min():.2f}"]
        cells += [f"{quotients.max():.2f}", int((quotients > 1.01).sum()), *told]
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return lines


def table_of_ranges(cases: Sequence[Case]) -> list[str]:
    """Ranges that hold, of 100, by the true size of cells: over all cases, and the worst one."""
    lines = [f"| ranges that hold | {' | '.join(GROUPS)} |", "|---|" + "---|" * len(GROUPS)]
    for name in _NAMES:
        hits = np.array([case.found[name].hits for case in cases])
        cells = np.array([case.found[name].cells for case in cases])
        whole = 100 * hits.sum(axis=0) / cells.sum(axis=0)
        each = 100 * hits / np.where(cells >= _FEWEST, cells, np.nan)
        worst = np.nanmin(np.where(np.isnan(each), np.inf, each), axis=0)
        lines.append(f"| {name}, all | {' | '.join(f'{share:.1f}' for share in whole)} |")
        shown = [f"{share:.1f}" if np.isfinite(share) else "" for share in worst]
        lines.append(f"| {name}, worst case | {' | '.join(shown)} |")
    return lines


def pace_of_runs(turns: int = 12) -> dict[str, float]:
    """Milliseconds of processor time that one run of the shipped map takes, median, in turn."""
    spent: dict[str, list[float]] = {name: [] for name in _NAMES}
    setups = {}
    for name in _NAMES:
        scenario = Scenario(estimator=name).with_context(blocks=OneBlock())
        setups[name] = prepare(scenario)
        run(setups[name])
    for _ in range(turns):
        for name, setup in setups.items():
            began = process_time()
            run(setup)
            spent[name].append(1000 * (process_time() - began))
    return {name: float(np.median(times)) for name, times in spent.items()}


def main() -> None:
    """Write both tables, and say the pace."""
    cases = all_cases()
    write_table(table_of_errors(cases))
    write_table(table_of_ranges(cases))
    for name, milliseconds in pace_of_runs().items():
        click.echo(f"one run of the shipped map with {name}: {milliseconds:.0f} ms")


if __name__ == "__main__":
    main()
