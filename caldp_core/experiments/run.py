"""Scenario → mechanism → tally → estimate → Result: the one way of the data.

Everything random follows from the scenario's seed: trial i takes the i-th child of its
SeedSequence, which has two children of its own, one for who the people are and one for their coins.
Two scenarios that differ only in protection so face the same people.

For notebooks a result is a small picture: SVG by hand, in HTML that asks nothing of the network.
Texts take the colour of the page around them, so that it reads well on light and dark; blue and
orange differ also to color-blind readers.
"""

import base64
import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from html import escape
from math import ceil, cos, radians
from statistics import fmean
from time import perf_counter
from typing import TYPE_CHECKING, Final

import numpy as np

from caldp_core.audit.inference import readable_share
from caldp_core.basics.errors import CaldpError, check_type, count_text, require
from caldp_core.basics.extras import explain_missing
from caldp_core.basics.types import (
    Bools,
    EqualByFields,
    Floats,
    Ints,
    Levels,
    Progress,
    no_progress,
    read_only,
)
from caldp_core.datasets import Dataset
from caldp_core.domain.domains import Domain, GridDomain
from caldp_core.domain.partitions import Partition
from caldp_core.estimation.estimators import estimator
from caldp_core.estimation.evidence import Evidence, Options
from caldp_core.estimation.public_prior import NEEDS_MAP
from caldp_core.experiments import metrics
from caldp_core.experiments.table import columns_of
from caldp_core.mechanisms.base import Mechanism, Tally, check_mechanism
from caldp_core.mechanisms.catalogue import MechanismSpec
from caldp_core.mechanisms.randomness import generators, seed_sequence
from caldp_core.privacy.context import PersonalPolicy, PrivacyMatrix
from caldp_core.privacy.matrix import coverage
from caldp_core.scenarios.scenario import Scenario, choose_mechanism

if TYPE_CHECKING:
    from pandas import DataFrame

WIDTH: Final = 640
"""Width of a picture, in CSS pixels."""
ROWS_MAX: Final = 24
"""Most values of a bar chart."""
_PIXELS_MAX: Final = 150
"""Most columns of a map's picture: finer cells are added up."""
_BLUE: Final = (30, 136, 229)
_TRUTH: Final = "#d55e00"
_ALL_NAMED: Final = 0.995
"""Share of reports from which all of them are said to name their value."""
_NAME_MAX: Final = 38
_SIGN: Final = 7
"""Width of a letter, about, in CSS pixels."""
_LINE: Final = 20
_STYLE: Final = "font: 13px sans-serif; max-width: 100%; height: auto; color: inherit"


def result_html(result: "Result") -> str:
    """A figure: who is not protected, how far off the estimate is, and a picture of it."""
    domain = result.setup.dataset.domain
    grid = isinstance(domain, GridDomain)
    picture = map_svg(result, domain) if grid else bars_svg(result, domain)  # type: ignore[arg-type]
    nouns = ("place", "people in the wrong place")
    if not grid:
        nouns = ("answer", "people under the wrong answer")
    lines = (unprotected_text(result, nouns[0]), accuracy_text(result, nouns[1]))
    caption = "<br>".join(escape(line) for line in lines if line)
    return f'<figure style="margin: 0">{picture}<figcaption>{caption}</figcaption></figure>'


def unprotected_text(result: "Result", noun: str) -> str:
    """How many people's symbols their reports do not hide; empty where everybody is protected."""
    people, policy = result.first.people, result.setup.policy
    left = int(people[~coverage(policy).protected].sum())
    if isinstance(policy, PersonalPolicy):  # the share of them who are at a place of their own
        left = round(left * max(0.0, 1.0 - policy.shares.sum()))
    if not left:
        return ""
    of_all = f"Not protected: {left:,} of {count_text(int(people.sum()), 'person', 'people')}"
    named = readable_share(result.setup.mechanism, policy, people.astype(np.float64))
    if named > _ALL_NAMED:
        return f"{of_all}, whose {noun} can be read."
    return f"{of_all}; one report names the {noun} of {100 * named:.2g} % of them."


def accuracy_text(result: "Result", wrong: str) -> str:
    """How many people of a hundred the estimate misplaces, mean of all trials."""
    tv, setup = fmean(each.tv for each in result.errors), result.setup
    trials = len(result.errors)
    mean = f", mean of {count_text(trials, 'trial', 'trials')}" if trials > 1 else ""
    off = f"{float(f'{100 * tv:.2g}'):g}" if tv >= 0.001 else "less than 0.1"
    return (
        f"The estimate from {count_text(setup.n, 'report', 'reports')} puts {off} of 100 {wrong} "
        f"({setup.mechanism_name}{mean})."
    )


def bars_svg(result: "Result", domain: Domain) -> str:
    """Bars of the estimated shares, with a tick at the share among these people.

    Of more than `ROWS_MAX` values the most frequent ones, in their order.
    """
    truth, estimate = _shares(result.first.people), np.maximum(result.first.estimate, 0.0)
    top_symbols = np.sort(np.argsort(-truth, kind="stable")[:ROWS_MAX])
    top = max(float(truth[top_symbols].max()), float(estimate[top_symbols].max()), 1e-12)
    names = [domain.name_of(int(x)) for x in top_symbols]
    left = _SIGN * min(max(map(len, names)), _NAME_MAX) + 28
    scale = (WIDTH - left - 60) / top
    hides = coverage(result.setup.policy).protected
    rows = [
        _row(
            line,
            names[line],
            left=left,
            hidden=bool(hides[x]),
            truth=float(truth[x]),
            estimate=float(estimate[x]),
            scale=scale,
        )
        for line, x in enumerate(top_symbols)
    ]
    omitted = (
        f"; the {len(top_symbols)} most frequent of {domain.k:,}"
        if len(top_symbols) < domain.k
        else ""
    )
    open_ones = "" if hides[top_symbols].all() else ". ○ not protected"
    key = f"Bars: the estimate. Ticks: these people{open_ones}{omitted}"
    bottom = _LINE * (len(rows) + 1)
    rows.append(f'<text x="0" y="{bottom}" fill="currentColor" opacity="0.8">{escape(key)}</text>')
    shares = ", ".join(
        f"{name} {estimate[x]:.1%}" for name, x in zip(names, top_symbols, strict=True)
    )
    return _svg(bottom + 8, f"Estimated shares: {shares}", rows)


def _row(
    line: int, name: str, *, left: int, hidden: bool, truth: float, estimate: float, scale: float
) -> str:
    y, width = line * _LINE, estimate * scale
    short = name if len(name) <= _NAME_MAX else f"{name[: _NAME_MAX - 1]}…"
    label = escape(short if hidden else f"○ {short}")
    at, end = left + truth * scale, left + max(width, truth * scale) + 6
    return (
        f"<g><title>{escape(name)}: estimate {estimate:.2%}, these people {truth:.2%}</title>"
        f'<text x="{left - 8}" y="{y + 15}" text-anchor="end" fill="currentColor">'
        f'{label}</text><rect x="{left}" y="{y + 4}" width="{width:.1f}" height="13" '
        f'fill="rgb{_BLUE}"/><path d="M{at:.1f} {y + 1}v19" stroke="{_TRUTH}" stroke-width="3"/>'
        f'<text x="{end:.1f}" y="{y + 15}" fill="currentColor">{estimate:.1%}</text></g>'
    )


def map_svg(result: "Result", grid: GridDomain) -> str:
    """Two maps on one scale: where these people are, and where the estimate puts them."""
    shares = [_shares(result.first.people), np.maximum(result.first.estimate, 0.0)]
    small = [_coarser(each.reshape(grid.rows, grid.columns)) for each in shares]
    top = max(*(float(each.max()) for each in small), 1e-300)
    side = WIDTH / 2 - 8
    middle = radians(grid.south + grid.rows * grid.cell / 2)
    height = min(max(side * grid.rows / grid.columns / max(cos(middle), 0.1), 40.0), 480.0)
    parts, titles = [], ("These people", "The estimate")
    for place, (title, values) in enumerate(zip(titles, small, strict=True)):
        # The fourth root shows one person in a thousand beside a city.
        pixels = np.rint(255 * (values[::-1] / top) ** 0.25).astype(np.uint8)
        x = place * (WIDTH / 2 + 8)
        parts.append(
            f'<text x="{x:.0f}" y="14" fill="currentColor">{title}</text>'
            f'<rect x="{x:.0f}" y="22" width="{side:.0f}" height="{height:.0f}" fill="none" '
            f'stroke="currentColor" opacity="0.4"/><image x="{x:.0f}" y="22" width="{side:.0f}" '
            f'height="{height:.0f}" preserveAspectRatio="none" style="image-rendering: pixelated" '
            f'href="data:image/png;base64,{base64.b64encode(encode_png(pixels)).decode()}"/>'
        )
    label = "Maps of these people and of the estimate: stronger colour is more people"
    return _svg(ceil(height) + 26, label, parts)


def encode_png(alpha: np.ndarray[tuple[int, int], np.dtype[np.uint8]]) -> bytes:
    """(rows, columns) opacities 0 … 255, north first → a picture in one colour (RFC 2083)."""
    rows, columns = alpha.shape
    lines = b"".join(b"\0" + line.tobytes() for line in alpha)
    header = struct.pack(">IIBBBBB", columns, rows, 8, 3, 0, 0, 0)
    chunks = (
        (b"IHDR", header),
        (b"PLTE", bytes(_BLUE) * 256),
        (b"tRNS", bytes(range(256))),
        (b"IDAT", zlib.compress(lines, 9)),
        (b"IEND", b""),
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    )


def _coarser(values: Floats) -> Floats:
    """(rows, columns) shares, added up in squares until there are few enough for a picture."""
    step = ceil(max(values.shape) / _PIXELS_MAX)
    by_row = np.add.reduceat(values, np.arange(0, values.shape[0], step), axis=0)
    return np.asarray(np.add.reduceat(by_row, np.arange(0, values.shape[1], step), axis=1))


def _shares(people: Ints) -> Floats:
    return np.asarray(people / people.sum())


def _svg(height: int, label: str, parts: list[str]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" '
        f'height="{height}" role="img" aria-label="{escape(label)}" style="{_STYLE}">'
        f"{''.join(parts)}</svg>"
    )


@dataclass(frozen=True, eq=False, repr=False)
class Setup(EqualByFields):
    """A scenario with its data, policy and mechanism made: ready to run, and to be shared.

    `policy`: what is promised. `partition`, `sensitive`: its blocks and (k,) flags; a policy
    without blocks has one of everything. `spec`: the scenario's mechanism, or what `Best` chose.
    """

    scenario: Scenario
    dataset: Dataset
    policy: PrivacyMatrix
    partition: Partition
    sensitive: Bools
    mechanism: Mechanism
    mechanism_name: str
    spec: MechanismSpec

    def __hash__(self) -> int:
        # Short, as caches ask for it in each run of a page.
        return hash((self.mechanism_name, self.mechanism.k, self.scenario.n, self.scenario.seed))

    def __repr__(self) -> str:
        return (
            f"<Setup: {self.mechanism_name}, {count_text(self.n, 'report', 'reports')}, "
            f"{self.mechanism.k:,} values>"
        )

    @property
    def n(self) -> int:
        """Number of people."""
        return number_of_people(self.scenario, self.dataset)

    @cached_property
    def options(self) -> Options:
        """What the estimator knows; `CaldpError` for a public map that says nothing here."""
        return Options(
            self.scenario.prior.shares_on(self.dataset.domain), self.scenario.false_share
        )

    def evidence(self, tally: Tally, progress: Progress = no_progress) -> Evidence:
        """The input of the scenario's estimator: the tally, and what it may know beside it."""
        return Evidence.of(self.mechanism, tally, progress, self.dataset.domain, self.options)


@dataclass(frozen=True)
class BoxError:
    """Share `tv` of people in the wrong box of `cells` × `cells` cells."""

    cells: int
    tv: float


@dataclass(frozen=True, eq=False, repr=False)
class MapPair(EqualByFields):
    """(k,) true and estimated shares of the cells of a map of at most 500 cells."""

    truth: Floats
    estimate: Floats
    domain: GridDomain

    @cached_property
    def earth_movers_km(self) -> float:
        """How far apart they are; up to 0.3 s when it is first asked for."""
        return metrics.earth_movers_km(self.truth, self.estimate, self.domain)


@dataclass(frozen=True)
class Errors:
    """Distances of one estimate from the truth.

    `boxes`: errors of boxes of a map, small ones first; none elsewhere. `largest`: how well the
    largest symbols are found. `sampling_tv` is the part that stays without any privacy: these
    people against the truth. `maps`: the pair whose `earth_movers_km` is computed when it is asked
    for, as that takes longer than all else; None without one.
    """

    tv: float
    l1: float
    l2: float
    kl: float
    boxes: tuple[BoxError, ...]
    largest: metrics.Largest
    sampling_tv: float
    maps: MapPair | None = field(default=None, compare=False, repr=False)

    @property
    def earth_movers_km(self) -> float | None:
        """Kilometres that the average person is misplaced by (`metrics.earth_movers_km`).

        None but on maps of at most 500 cells, and for estimates that are not made of shares.
        """
        return None if self.maps is None else self.maps.earth_movers_km


@dataclass(frozen=True, eq=False, repr=False)
class Outcome(EqualByFields):
    """One trial: (k,) `people` counts, the `evidence` in their reports, and the `estimate`.

    `estimate`: (k,) shares by the scenario's estimator. `levels`: (k,) how far symbols were pooled
    for it (`estimation.cascade.Cascade`), 0 for those with a share of their own; None where all
    have. The arrays are read-only.
    """

    people: Ints
    evidence: Evidence
    estimate: Floats
    levels: Levels | None
    errors: Errors

    def __repr__(self) -> str:
        return (
            f"<Outcome: {count_text(int(self.people.sum()), 'report', 'reports')}, total "
            f"variation {self.errors.tv:.3f}>"
        )

    @property
    def unbiased(self) -> Floats:
        """(k,) unbiased shares, may be negative."""
        return self.evidence.unbiased

    @property
    def block_shares(self) -> Floats:
        """(m,) shares of whole blocks, which no context hides: exact for these people."""
        return self.evidence.block_shares


@dataclass(frozen=True, eq=False, repr=False)
class Result(EqualByFields):
    """The result of a scenario: the `first` trial whole, and the errors of all."""

    setup: Setup
    first: Outcome
    errors: tuple[Errors, ...]
    seconds: float

    def __repr__(self) -> str:
        tv, setup = fmean(each.tv for each in self.errors), self.setup
        return (
            f"<Result: {setup.mechanism_name}, {count_text(setup.n, 'report', 'reports')}, "
            f"{setup.mechanism.k:,} values, total variation {tv:.3f}, "
            f"{count_text(len(self.errors), 'trial', 'trials')}>"
        )

    def _repr_html_(self) -> str:
        """What a notebook shows: a small picture, and who is not protected."""
        return result_html(self)

    def to_pandas(self) -> "DataFrame":
        """A row a value, with the columns of `table.columns_of`.

        Raises `CaldpError` where pandas is not installed.
        """
        with explain_missing("to_pandas"):
            from pandas import DataFrame
        return DataFrame(columns_of(self))


def prepare(
    scenario: Scenario,
    progress: Progress = no_progress,
    load: Callable[[Scenario, Progress], Dataset] = lambda s, p: s.dataset.load(p),
) -> Setup:
    """Make data, policy and mechanism; raises `CaldpError` where they don't fit together.

    `load`: loads the dataset; callers that keep datasets pass their own.
    """
    check_type("scenario", scenario, Scenario, "Scenario.from_file reads one")
    dataset = load(scenario, progress)
    number_of_people(scenario, dataset)  # says early that n is missing
    protection = scenario.policy.build(dataset)
    choice = choose_mechanism(scenario.mechanism, protection.policy)
    setup = Setup(
        scenario,
        dataset,
        protection.policy,
        protection.partition,
        protection.sensitive,
        choice.mechanism,
        choice.name,
        choice.spec,
    )
    check_estimator(setup)
    return setup


def check_estimator(setup: Setup) -> None:
    """Raise `CaldpError` where the estimator needs a public map, or has one that says nothing."""
    needs_map = estimator(setup.scenario.estimator).needs_map
    require(setup.options.prior is not None or not needs_map, NEEDS_MAP)


def number_of_people(scenario: Scenario, dataset: Dataset) -> int:
    """Number of people; raises `CaldpError` where neither scenario nor dataset gives one."""
    n = dataset.n if scenario.n is None else scenario.n
    if n is None:
        raise CaldpError(f"{dataset.name} has no people of its own; give n, the number to draw.")
    return n


def run(
    setup: Setup, progress: Progress = no_progress, secret: int = 0, people_secret: int = 0
) -> Result:
    """Run all trials; `progress` is called with the finished share and may raise `Cancelled`.

    `secret`, `people_secret`: whole numbers from which the coins of reports, and who is drawn,
    follow beside the seed, so that who knows the seed alone can't draw the same; 0 for none.
    """
    check_type("setup", setup, Setup, "run(prepare(scenario)) makes it")
    check_mechanism("A run takes a mechanism", setup.mechanism)
    started = perf_counter()
    scenario = setup.scenario
    errors: list[Errors] = []
    first: Outcome | None = None
    trials = zip(trial_seeds(scenario, people_secret), trial_seeds(scenario, secret), strict=True)
    for trial, (people_seeds, seeds) in enumerate(trials):

        def within(share: float, trial: int = trial) -> None:
            progress((trial + share) / scenario.trials)

        outcome = run_trial(setup, seeds, within, people_seeds)
        first = first or outcome
        errors.append(outcome.errors)
        progress((trial + 1) / scenario.trials)
    assert first is not None  # a scenario has at least one trial
    return Result(setup, first, tuple(errors), perf_counter() - started)


def trial_seeds(scenario: Scenario, secret: int = 0) -> list[np.random.SeedSequence]:
    """The seeds of each trial: they follow from the scenario's, and from a `secret` above 0."""
    secrets = [secret] if secret else []
    return seed_sequence(scenario.seed, *secrets).spawn(scenario.trials)


def people_of_trial(setup: Setup, seeds: np.random.SeedSequence) -> Ints:
    """(k,) people of the trial with these seeds, which are not used up."""
    who, _ = generators(seeds, 2)
    return draw_people(setup, who)


def run_trial(
    setup: Setup,
    seeds: np.random.SeedSequence,
    progress: Progress = no_progress,
    people_seeds: np.random.SeedSequence | None = None,
) -> Outcome:
    """One population, its reports' tally, and the estimate from it.

    `people_seeds`: those from which the population is drawn, if they are not `seeds`.
    """
    people = people_of_trial(setup, seeds if people_seeds is None else people_seeds)
    _, coins = generators(seeds, 2)
    tally = setup.mechanism.sample_tally(people, coins)
    evidence = setup.evidence(tally, progress)
    post_process = estimator(setup.scenario.estimator)
    estimate, levels = post_process.apply(evidence), post_process.levels(evidence)
    errors = compute_errors(setup.dataset, people, estimate)
    kept = replace(evidence, progress=no_progress)
    return Outcome(read_only(people), kept, read_only(estimate), levels, errors)


def draw_people(setup: Setup, rng: np.random.Generator) -> Ints:
    """(k,) people per symbol: the dataset's own, or n drawn from its distribution."""
    if setup.scenario.n is None and setup.dataset.counts is not None:
        return setup.dataset.counts
    return rng.multinomial(setup.n, setup.dataset.distribution)


def compute_errors(dataset: Dataset, people: Ints, estimate: Floats) -> Errors:
    """Every metric of one estimate against the dataset's distribution."""
    truth, domain = dataset.distribution, dataset.domain
    maps: MapPair | None = None
    boxes: tuple[BoxError, ...] = ()
    if isinstance(domain, GridDomain):
        sides = metrics.box_sides(domain)
        boxes = tuple(BoxError(s, metrics.box_error(truth, estimate, domain, s)) for s in sides)
        is_made_of_shares = bool((estimate >= 0).all())
        if is_made_of_shares and metrics.can_move(domain):
            maps = MapPair(truth, estimate, domain)
    return Errors(
        tv=metrics.total_variation(truth, estimate),
        l1=metrics.l1(truth, estimate),
        l2=metrics.l2(truth, estimate),
        kl=metrics.kl_divergence(truth, estimate),
        boxes=boxes,
        largest=metrics.largest(truth, estimate),
        sampling_tv=metrics.total_variation(truth, people / people.sum()),
        maps=maps,
    )
