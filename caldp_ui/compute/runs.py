"""Cached work: runs, curves and files of results; a moved control costs only what it changes.

Results are kept in the one shared cache by a scenario's text and the state of its file. They are
shared by all visits and read-only. A scenario is compared with the plain LDP that is as accurate as
any, and the quickest to draw: beside a poorer one, context would look better than it is.

Points may take seconds of trials, so curves belong into jobs. Its abscissa is fixed in the key of a
curve, so that moving along the curve computes nothing.

Exported code and commands give the digits that the page shows; a test runs them.
"""

import hashlib
import io
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pprint import pformat
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from caldp_core import datasets
from caldp_core.audit.mechanisms import audit_mechanism
from caldp_core.basics.cache import cached, cached_by
from caldp_core.basics.errors import CaldpError
from caldp_core.basics.limits import EPSILON_MAX
from caldp_core.basics.types import Ints, Progress, no_progress, turn_of
from caldp_core.collect.protocol import Protocol
from caldp_core.datasets.public_map import PublicMap
from caldp_core.datasets.snap import GOWALLA_FILE, cache_folder
from caldp_core.domain.domains import GridDomain
from caldp_core.estimation.estimators import ESTIMATORS
from caldp_core.estimation.evidence import default_estimator
from caldp_core.experiments.forecast import (
    Curve,
    block_curve,
    curve_of,
    epsilon_curve,
    forecast_if_fast,
    has_valid_errors,
    is_slow,
    people_curve,
    people_for_same_error,
    sensitive_curve,
)
from caldp_core.experiments.regions import CellErrors, mean_cell_errors
from caldp_core.experiments.run import (
    Result,
    Setup,
    check_estimator,
    number_of_people,
    people_of_trial,
    prepare,
    run,
    trial_seeds,
)
from caldp_core.experiments.table import as_cell, as_csv, columns_of
from caldp_core.mechanisms import FAMILIES, in_context
from caldp_core.mechanisms.capabilities import people_max
from caldp_core.mechanisms.catalogue import MechanismSpec, SquareWave
from caldp_core.mechanisms.randomness import seed_sequence
from caldp_core.privacy.context import Context
from caldp_core.scenarios.blocks import GridBlocks, PolygonBlocks
from caldp_core.scenarios.policies import ContextPolicy
from caldp_core.scenarios.scenario import Scenario
from caldp_core.theory.expected_error import Forecast
from caldp_core.theory.planner import Recommendation, best_family
from caldp_ui.compute import coins

if TYPE_CHECKING:
    import pandas as pd

PEOPLE_OF_SYNTHETIC: Final = 1_000_000
_PLACES: Final[dict[str, datasets.DatasetSpec]] = {
    "Gowalla (reconstructed grid)": datasets.Gowalla(),
    "Synthetic cities": datasets.Cities(),
}
_TRUE_BACKGROUNDS: Final = ("truth", "mirrored")
_SNAP_TITLE: Final = "Gowalla (SNAP)"


def fetched_snap() -> datasets.Snap | None:
    """SNAP's own file, if it has been fetched to this machine."""
    path = cache_folder() / GOWALLA_FILE
    return datasets.Snap(str(path)) if path.is_file() else None


def places() -> dict[str, datasets.DatasetSpec]:
    """Datasets of places by the title that readers see."""
    snap = fetched_snap()
    return {**_PLACES, **({_SNAP_TITLE: snap} if snap else {})}


def title_of(spec: datasets.DatasetSpec, titles: Mapping[str, datasets.DatasetSpec]) -> str:
    """The title of a dataset; that of its kind if its settings are its own."""
    same_kind = [title for title, known in titles.items() if type(known) is type(spec)]
    return next((t for t in same_kind if titles[t] == spec), (*same_kind, type(spec).__name__)[0])


def has_people(spec: datasets.DatasetSpec) -> bool:
    """True where the data are people, not only a distribution to draw people from."""
    return is_own(spec) or isinstance(
        spec, datasets.Gowalla | datasets.Snap | datasets.Survey | datasets.InfantDeaths
    )


def is_own(spec: datasets.DatasetSpec) -> bool:
    """True of a visitor's own data: nothing that is shared unasked may hold their counts."""
    return isinstance(spec, datasets.OwnTable | datasets.OwnSurvey | datasets.OwnPlaces)


def estimate_is_public(scenario: Scenario) -> bool:
    """False of own data whose estimate has their truth mixed in, as a guess of homes."""
    return not is_own(scenario.dataset) or (
        getattr(scenario.policy, "background", "") not in _TRUE_BACKGROUNDS
    )


def file_state(spec: datasets.DatasetSpec) -> tuple[int, int] | None:
    """(time of last change in ns, bytes) of the file that is read, None where there is none."""
    if not isinstance(spec, datasets.Snap):
        return None
    try:
        status = spec.file().stat()
    except (OSError, ValueError):  # loading it says what is wrong
        return None
    return status.st_mtime_ns, status.st_size


def with_dataset(scenario: Scenario, spec: datasets.DatasetSpec) -> Scenario:
    """The scenario with that dataset, without a public map; a distribution needs people."""
    return with_population(without_prior(replace(scenario, dataset=spec)))


def without_prior(scenario: Scenario) -> Scenario:
    """The scenario without its public map, which does not cover other places."""
    default = Scenario()
    needs_map = ESTIMATORS[scenario.estimator].needs_map
    name = default.estimator if needs_map else scenario.estimator
    return replace(scenario, prior=default.prior, estimator=name)


def with_population(scenario: Scenario) -> Scenario:
    """The scenario with a number of people, where the data have none of their own."""
    if scenario.n is None and not has_people(scenario.dataset):
        return replace(scenario, n=PEOPLE_OF_SYNTHETIC)
    return scenario


_LONG: Final = 10_000
_MANY_CELLS: Final = 2**18
"""Symbols from which a run takes more than a second by any mechanism, and a film many megabytes."""


def key(scenario: Scenario) -> str:
    """The cache key of the scenario and of the state of the file that its data come from.

    What is made of a visitor's own data has the visit in its key, as its coins are the visit's.
    """
    visit = coins.visit_name() if is_own(scenario.dataset) else ""
    return f"{_text(scenario)} {file_state(scenario.dataset)} {visit}"


def law_key(scenario: Scenario) -> str:
    """The cache key of what is true of the scenario whatever its coins show."""
    return key(replace(scenario, seed=0))


def _with_file(scenario: Scenario) -> tuple[Scenario, tuple[int, int] | None]:
    return scenario, file_state(scenario.dataset)


@cached
def _text(scenario: Scenario) -> str:
    text = json.dumps(scenario.to_dict(), sort_keys=True)
    # Caches hash their keys at each look-up: a scenario with its data in it stands by its own hash.
    return text if len(text) <= _LONG else hashlib.sha256(text.encode()).hexdigest()


@cached_by(lambda scenario: (scenario.dataset, file_state(scenario.dataset)))
def dataset(scenario: Scenario) -> datasets.Dataset:
    """The scenario's data, loaded once."""
    return scenario.dataset.load()


def people(scenario: Scenario) -> int:
    """The scenario's number of people, without making its mechanism; raises `CaldpError`."""
    return number_of_people(scenario, dataset(scenario))


def data_key(scenario: Scenario) -> str:
    """The cache key of the scenario's data alone."""
    return key(replace(Scenario(), dataset=scenario.dataset, n=1))


def map_of(data: datasets.Dataset) -> GridDomain:
    """The map of a dataset of places; `CaldpError` for other data."""
    if not isinstance(data.domain, GridDomain):
        raise CaldpError(f"{data.name} has no map; start afresh to see places.")
    return data.domain


def finest_map_of(data: datasets.Dataset) -> GridDomain:
    """The map before its cells are put together, to which blocks and sensitive places refer."""
    return map_of(data) if data.fine_map is None else data.fine_map.cells.fine


def setup(scenario: Scenario) -> Setup:
    """Data, blocks and mechanism of the scenario, ready to run."""
    return _setup_of(replace(scenario, seed=0))


@cached_by(_with_file)
def _setup_of(scenario: Scenario) -> Setup:
    people(scenario)  # raises if their number is missing
    default = Scenario()
    protection = replace(
        scenario,
        estimator=default.estimator,
        prior=default.prior,
        false_share=default.false_share,
        trials=default.trials,
        n=1,
    )
    # Neither people nor estimate change what is promised and by which mechanism.
    ready = replace(_setup(protection), scenario=scenario)
    check_estimator(ready)
    return ready


@cached_by(key)
def _setup(scenario: Scenario) -> Setup:
    return prepare(scenario, load=lambda source, _: dataset(source))


@cached_by(lambda scenario, *_: key(scenario))
def result(scenario: Scenario, progress: Progress = no_progress) -> Result:
    """The scenario, run once for all visits, or for the one visit whose data it has."""
    return uncached_result(scenario, progress)


def uncached_result(scenario: Scenario, progress: Progress = no_progress) -> Result:
    """The scenario's result, not cached: for what is looked at once."""
    ready = replace(setup(scenario), scenario=scenario)
    return run(ready, progress, _secret_of_reports(scenario), _secret_of_people(scenario))


def seeds(scenario: Scenario, purpose: str, *numbers: int) -> np.random.SeedSequence:
    """The seeds of a draw of that `purpose`: of what ships by the scenario's seed and `numbers`.

    On a visitor's own data they also follow from a secret of the visit and from all of the
    scenario, the data included.
    """
    secret = secret_of(scenario, purpose, *numbers)
    secrets = [secret] if secret else []
    return seed_sequence(scenario.seed, *numbers, *secrets)


def secret_of(scenario: Scenario, purpose: str, *settings: str | float) -> int:
    """The secret number of a draw on a visitor's own data (`coins`); 0 for all other data.

    `settings`: what the draw depends on beside the scenario.
    """
    if not is_own(scenario.dataset):
        return 0
    return coins.secret_number(purpose, _text(scenario), *settings)


def _secret_of_reports(scenario: Scenario) -> int:
    """What reports depend on: not on how they are estimated, so all estimates have the same."""
    default = Scenario()
    return secret_of(
        replace(
            scenario,
            estimator=default.estimator,
            prior=default.prior,
            false_share=default.false_share,
            trials=default.trials,
        ),
        "reports",
    )


def _secret_of_people(scenario: Scenario) -> int:
    """What it depends on who is drawn from a distribution: the data, how many, and the seed."""
    default = Scenario()
    people = replace(default, dataset=scenario.dataset, n=scenario.n, seed=scenario.seed)
    return secret_of(people, "people")


def first_people(ready: Setup) -> Ints:
    """(k,) the people of the first trial, as `run` draws them."""
    scenario = ready.scenario
    return people_of_trial(ready, trial_seeds(scenario, _secret_of_people(scenario))[0])


@cached_by(_with_file)  # a run of a page asks six times
def takes_long(scenario: Scenario) -> bool:
    """True if a run takes more than a second, by its cells, or minutes by `is_slow`."""
    return setup(scenario).mechanism.k >= _MANY_CELLS or is_slow(setup(scenario))


def max_people(scenario: Scenario) -> int:
    """The most people whose reports can be drawn at once."""
    return people_max(setup(scenario).mechanism)


@cached_by(lambda scenario, *_: key(replace(scenario, trials=1, seed=0)))
def expected_error(scenario: Scenario, progress: Progress = no_progress) -> Forecast | None:
    """Expected error of the scenario, whatever its seed; None where it takes long trials.

    None, too, where errors mean nothing (`has_valid_errors`).
    """
    ready = setup(scenario)
    return forecast_if_fast(ready, progress=progress) if has_valid_errors(ready) else None


def context_of(ready: Setup) -> Context:
    """The context that is a setup's policy; `CaldpError` for another policy."""
    if not isinstance(ready.policy, Context):
        raise CaldpError("Only contexts have methods to compare; choose a policy of kind context.")
    return ready.policy


def compare_methods(scenario: Scenario) -> tuple[Recommendation, dict[str, int]]:
    """Compare all families for the scenario's protection and people, whatever its own family.

    Returns the best of them, and the bits of each one's reports.
    """
    default = Scenario()
    return _methods(
        replace(
            scenario,
            estimator=default.estimator,
            prior=default.prior,
            seed=0,
            mechanism=default.mechanism,
        )
    )


@cached_by(key)
def _methods(scenario: Scenario) -> tuple[Recommendation, dict[str, int]]:
    ready = setup(scenario)
    policy = context_of(ready)
    bits = {name: in_context(policy, name).report_bits for name in FAMILIES}
    return best_family(policy, ready.dataset.distribution, ready.n), bits


_AS_GOOD: Final = 1.02
"""Families whose variance is within 2 % of the least are as good: 1 % of the error."""


@cached_by(_with_file)
def best_plain_ldp(scenario: Scenario) -> Scenario:
    """The scenario's people under the best plain LDP, whatever its own mechanism."""
    plain = scenario.plain()
    level = plain.context.epsilon
    assert isinstance(level, float)  # plain LDP has one
    if ESTIMATORS[scenario.estimator].in_order:  # then sums along the scale matter most
        return replace(plain, mechanism=SquareWave())
    best = _quickest_of_the_best(dataset(scenario).domain.k, level)
    on_distances, estimator = not isinstance(scenario.policy, ContextPolicy), scenario.estimator
    if on_distances and estimator == "maximum-likelihood":
        estimator = default_estimator()  # stands for the least error of a map; so does this
    return replace(plain, mechanism=best, estimator=estimator)


@cached
def _quickest_of_the_best(k: int, epsilon: float) -> MechanismSpec:
    """The quickest family of least exact total variance, for people evenly over k values."""
    everything = Context.of(np.zeros(k, np.int64), np.ones(k, np.bool_), epsilon)
    even = np.full(k, 1.0 / k)
    losses = {}
    for name, entry in FAMILIES.items():
        if k >= entry.slow_from:  # making it would take as long as all others
            continue
        candidate = entry.make(everything)
        if people_max(candidate) > 10**9:
            losses[name] = float(candidate.variance(even, 1).sum())
    good = [name for name, loss in losses.items() if loss <= _AS_GOOD * min(losses.values())]
    return FAMILIES[min(good, key=lambda name: FAMILIES[name].tally_rank)].spec()


@cached_by(law_key)
def people_plain_needs(scenario: Scenario) -> int | None:
    """People that plain LDP needs for the scenario's expected error; None beyond 10^12."""
    return people_for_same_error(setup(scenario), setup(best_plain_ldp(scenario)))


_TRIALS = 4


@dataclass(frozen=True)
class CellErrorCurves:
    """Errors by size of cells, the smallest first: with this protection, and with plain LDP."""

    ours: tuple[CellErrors, ...]
    plain: tuple[CellErrors, ...]


def cells_key(scenarios: Sequence[Scenario]) -> str:
    """The cache key of the scenarios, one for each size."""
    return " ".join(key(each) for each in scenarios)


@cached_by(lambda sizes, _: cells_key(sizes))
def errors_by_cell_size(scenarios: Sequence[Scenario], progress: Progress) -> CellErrorCurves:
    """The mean errors of a few runs for each size; sizes whose runs take long are left out."""
    both = [(each, best_plain_ldp(each)) for each in scenarios]
    quick = [pair for pair in both if not any(takes_long(each) for each in pair)]
    ours, plain = (
        mean_cell_errors([partial(setup, one) for one in each], _TRIALS, turn_of(progress, turn, 2))
        for turn, each in enumerate(([one for one, _ in quick], [other for _, other in quick]))
    )
    return CellErrorCurves(ours, plain)


@dataclass(frozen=True)
class PrivacySummary:
    """The result of an audit.

    `holds`: whether the mechanism keeps its policy; None where no audit could be made, for the
    `reason` given. `method`: how it was audited. `loss`, `epsilon`: privacy loss and ε of the pair
    of symbols that comes nearest to its ε; None without pairs. `excess`: by how much the loss is
    above ε, in nats, where it does not hold.
    """

    holds: bool | None
    method: str = ""
    loss: float | None = None
    epsilon: float | None = None
    reason: str = ""
    excess: float = 0.0

    @property
    def nothing_promised(self) -> bool:
        """Whether no pair has a limit, so that nothing could be broken."""
        return self.holds is True and self.loss is None


@cached_by(lambda scenario, *_: key(scenario))
def summarize_privacy(scenario: Scenario, progress: Progress) -> PrivacySummary:
    """Audit the scenario's mechanism; people, estimator and seed do not change the result."""
    prepared = setup(scenario)
    try:
        audit = audit_mechanism(prepared.mechanism, prepared.policy, progress)
    except CaldpError as error:
        return PrivacySummary(None, reason=str(error))
    worst = audit.worst
    if worst is None:
        return PrivacySummary(audit.holds, audit.method)
    loss = float("inf") if worst.ratio is None else worst.privacy_loss
    excess = 0.0 if audit.holds else worst.excess
    return PrivacySummary(audit.holds, audit.method, loss, worst.epsilon, excess=excess)


EPSILONS: Final = (0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0, 10.0, EPSILON_MAX)
NUMBERS: Final = tuple(10**power for power in range(3, 13))
_GRIDS: Final = ((1, 1), (2, 3), (5, 7), (12, 17), (25, 35), (50, 70), (75, 150))
_SIZES: Final = 8
_EVEN_UP_TO: Final = 2_000
Pair: TypeAlias = tuple[Curve, Curve]
"""This protection, and the best plain LDP."""


def _over_blocks(ready: Setup, progress: Progress) -> Curve:
    domain = map_of(ready.dataset)
    fitting = [grid for grid in _GRIDS if grid[0] <= domain.rows and grid[1] <= domain.columns]
    return block_curve(ready, [GridBlocks(*grid) for grid in fitting], progress)


def _over_sensitive(ready: Setup, progress: Progress) -> Curve:
    """Even steps for a table of answers, ever larger ones for maps."""
    k = ready.mechanism.k
    steps = np.linspace(0, k, _SIZES + 3) if k <= _EVEN_UP_TO else np.geomspace(10, k, _SIZES)
    return sensitive_curve(ready, np.unique(steps.astype(int)).tolist(), progress=progress)


_ALONG: Final[Mapping[str, Callable[[Setup, Progress], Curve]]] = {
    "epsilon": lambda ready, progress: epsilon_curve(ready, EPSILONS, progress),
    "people": lambda ready, progress: people_curve(ready, NUMBERS, progress),
    "blocks": _over_blocks,
    "sensitive": _over_sensitive,
}


@cached_by(lambda name, scenario, _: f"{name} {key(scenario)}")
def _curve(name: str, scenario: Scenario, progress: Progress) -> Curve:
    return _ALONG[name](setup(scenario), progress)


def error_curves(name: str, scenario: Scenario, progress: Progress) -> Pair:
    """Expected errors against an abscissa: epsilon, people, blocks as grids, or sensitive values.

    Plain LDP is the same at each number of blocks and of sensitive values: it has one block, and
    all is sensitive to it.
    """
    if name in ("blocks", "sensitive"):
        ours, plain = _curve(name, scenario, progress), expected_error(best_plain_ldp(scenario))
        return ours, curve_of(ours.x, [plain] * ours.x.size, no_progress)
    ours = _curve(name, scenario, turn_of(progress, 0, 2))
    return ours, _curve(name, best_plain_ldp(scenario), turn_of(progress, 1, 2))


_RUN: Final = "python -m caldp_core run"
FILE: Final = "scenario.json"
INTERNAL_FILE: Final = "scenario-internal.json"
"""The file of a scenario that holds a visitor's own data."""
Table: TypeAlias = "Sequence[Mapping[str, object]] | Mapping[str, object] | pd.DataFrame"
_LONG_LINE: Final = 4_000
"""Characters of a file that is too long for code and for a sheet of paper."""


def scenario_file(scenario: Scenario) -> str:
    """The name of a scenario's file."""
    return INTERNAL_FILE if is_own(scenario.dataset) else FILE


def command(scenario: Scenario) -> str:
    """The command that runs a scenario's file."""
    return f"{_RUN} {scenario_file(scenario)}"


def is_in_file(scenario: Scenario) -> bool:
    """True where only a file holds the scenario: a visitor's data, or areas that fill a page."""
    blocks = getattr(scenario.policy, "blocks", None)
    is_brought = isinstance(blocks, PolygonBlocks) or isinstance(scenario.prior, PublicMap)
    return is_own(scenario.dataset) or (is_brought and len(scenario.to_json()) > _LONG_LINE)


def snippet(scenario: Scenario) -> str:
    """Python that runs the scenario and prints the error that the page shows."""
    return (
        "from caldp_core import Scenario, prepare, run\n\n"
        f"scenario = {literal(scenario)}\n"
        "result = run(prepare(scenario))\n"
        "print(result.first.errors.tv)\n"
    )


def literal(scenario: Scenario) -> str:
    """The scenario as a Python expression: whole, or from its file (see `is_in_file`)."""
    if is_in_file(scenario):
        return f'Scenario.from_file("{scenario_file(scenario)}")'
    return f"Scenario.from_dict(\n{pformat(scenario.to_dict(), sort_dicts=False)}\n)"


def protocol_json(result: Result) -> bytes:
    """The protocol that devices and collector of a real collection share, as JSON.

    Also where it leaves values unprotected: the caller has asked.
    """
    return Protocol.of(result.setup, allow_unprotected=True).to_json().encode()


def csv(table: Table) -> bytes:
    """A table as a CSV file: rows, columns by name, or a frame without its index.

    Texts that a spreadsheet would run are escaped, see `as_cell`.
    """
    import pandas as pd

    frame = pd.DataFrame(table).rename(columns=as_cell)
    buffer = io.StringIO()
    # By RFC 4180; with "\n" alone a "\r" in a cell is not quoted, and begins a line.
    frame.map(as_cell).to_csv(buffer, index=False, lineterminator="\r\n")
    return buffer.getvalue().encode()


def estimate_csv(result: Result) -> bytes:
    """One row a cell or answer: where it is, its block, its estimated share, and how far off."""
    return as_csv(columns_of(result)).encode()
