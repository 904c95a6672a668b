"""How much is measured: the full work, or so little that a test can run it."""

from dataclasses import dataclass, replace
from pathlib import Path


@dataclass(frozen=True)
class Sizes:
    """`people`: at most so many of the shipped check-ins; `peer_users`: timed with pure-ldp.

    `populations`: the n of sampled tallies. `repeats`: runs of short work, `long_repeats`: of the
    paper's tables. `table_runs`: runs a column of Table 1. `figure_sizes` and `figure_runs`:
    numbers of people and repetitions a point in Figure 2. `audit_k`: values in the audit's block.
    `family_users`, `family_k`: people and values of each family's run; `family_peer_users`: people
    of the peers'. `visits`: of the crowd; `readers`: who move every five seconds only; `workers`:
    numbers of them behind one address. `kernel_km`: kilometres within which the best noise
    promises ε = 1. `designed`: symbols of designs. `largest_k`: values of the plans that are left.
    `collected_numbers`, `collected_sets`: reports in a file, the sets of `collected_values` values;
    `collected_people`: of the week in the example; `clustered_sets`: of a cluster.
    `counted_rows`: of a file of places. `surveyed`: people of a survey with several questions.
    `estimator_epsilons`, `estimator_draws`: of the estimators; `scenarios`: random ones for
    them, and as many where a part is sensitive; `world`: a map for them.
    """

    people: int = 4_000_000
    peer_users: int = 20_000
    populations: tuple[int, ...] = (10**3, 10**6, 10**9, 10**12)
    repeats: int = 15
    long_repeats: int = 3
    table_runs: int = 100
    figure_sizes: int = 10
    figure_runs: int = 10
    audit_k: int = 43_750
    family_users: int = 1_000_000
    family_k: int = 1024
    family_peer_users: int = 2_000
    visits: int = 10
    readers: int = 200
    workers: tuple[int, ...] = (1, 2, 3)
    kernel_km: tuple[float, ...] = (200.0, 50.0, 20.0)
    designed: tuple[int, ...] = (16, 64, 256)
    largest_k: int = 2**20
    estimator_epsilons: tuple[float, ...] = (0.5, 1.0, 2.0)
    estimator_draws: int = 3
    scenarios: int = 200
    collected_numbers: int = 10**8
    collected_sets: int = 10**7
    collected_values: int = 1000
    collected_people: int = 100_000
    clustered_sets: int = 2_000_000
    counted_rows: int = 10**7
    surveyed: int = 5_000
    world: Path | None = None


FULL = Sizes()
_SMALL = Sizes(
    2_000, 50, (10**3, 10**6, 10**12), 2, 1, 1, 1, 1, 200, 2_000, 64, 20, 2, 2, (1,), (50.0,), (6,)
)
TINY = replace(
    _SMALL,
    largest_k=1000,
    estimator_epsilons=(2.0,),
    estimator_draws=1,
    scenarios=4,
    collected_numbers=1000,
    collected_sets=100,
    collected_values=70,
    collected_people=200,
    clustered_sets=100,
    counted_rows=1000,
    surveyed=200,
)
