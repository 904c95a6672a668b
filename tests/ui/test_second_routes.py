"""Second routes of headlines' figures that no test of their page works out: see `claims.toml`.

Each test makes a figure again from less: from the definition of protection by all pairs, from drawn
reports, from a program in another form, from lists of errors. Significance 10⁻⁷, fixed seeds.
"""

import itertools
import math
import statistics
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.stats import binom

from caldp_core.basics.types import Bools, Floats, no_progress
from caldp_core.cli.collect import mixed_command
from caldp_core.collect.estimate import Results
from caldp_core.collect.protocol import Protocol
from caldp_core.datasets import Gowalla, OwnTable
from caldp_core.domain.domains import Domain
from caldp_core.experiments import reproduce
from caldp_core.experiments.reproduce import LINES, PANELS, SIZES, TABLE_1, MeanError
from caldp_core.experiments.run import prepare, run
from caldp_core.mechanisms import catalogue
from caldp_core.mechanisms.catalogue import MechanismName
from caldp_core.privacy.context import Context, PrivacyMatrix
from caldp_core.scenarios.blocks import GridBlocks, OneBlock
from caldp_core.scenarios.policies import Streets
from caldp_core.scenarios.scenario import Scenario
from caldp_core.theory.bounds import least_loss
from caldp_core.theory.mixing import epsilon_after_mixing
from caldp_ui.adversary import view as adversary_view
from caldp_ui.app.texts import read_texts
from caldp_ui.coarser import alone
from caldp_ui.coarser.outcomes import load_data as load_treatments
from caldp_ui.coarser.page_state import ALONE, ATTACKS, NOTHING, TABLES, Publication, with_data
from caldp_ui.curves import page_state as curves_state
from caldp_ui.curves import view as curves_view
from caldp_ui.curves.page_state import Curves, make_curves
from caldp_ui.distances import page_state as distances_state
from caldp_ui.distances import view as distances_view
from caldp_ui.distances.page_state import DistanceState
from caldp_ui.paper import page as paper_page
from caldp_ui.paper import view as paper_view
from caldp_ui.paper.page_state import STATE as PAPER_STATE
from caldp_ui.paper.page_state import PaperRecord
from caldp_ui.parts import comparison
from caldp_ui.results.view import headline as results_headline
from tests.contract.checks import naming
from tests.ui.driver import capture_headlines, jobs_done, open_record

Z = 5.4
"""Standard errors that one of 10⁷ normal draws is beyond."""


def total_variation(truth: Floats, shares: Floats) -> float:
    """Half of the sum of absolute differences, each added exactly."""
    return math.fsum(abs(a - b) for a, b in zip(truth.tolist(), shares.tolist(), strict=True)) / 2


def protected_by_pairs(policy: PrivacyMatrix) -> Bools:
    """(k,) whether a symbol may be taken for another: some finite E(x, x′), by all pairs."""
    symbols = np.arange(policy.k)
    found = np.zeros(policy.k, np.bool_)
    for symbol in range(policy.k):
        levels = policy.between(np.full(policy.k, symbol), symbols)
        found[symbol] = np.isfinite(np.delete(levels, symbol)).any()
    return found


CURVES = (
    Curves(),
    Curves(protections=("sensitive",)),
    Curves(protections=("blocks", "sensitive")),
)


@pytest.mark.parametrize("record", CURVES, ids=lambda record: "-".join(record.protections))
def test_curves_protect_whom_all_pairs_say(record: Curves) -> None:
    lines = curves_state.record_lines(record)
    data = make_curves(lines, [], [[None] * len(line.places) for line in lines])
    figures = curves_view.headline(record, data).figures
    # Zipf's law: the j-th value has a share in 1/j.
    weights = 1.0 / np.arange(1, 1001)
    shares = weights / weights.sum()
    covered = []
    for line in lines:
        policy = prepare(line.scenarios[0]).policy
        covered.append(math.fsum(shares[protected_by_pairs(policy)].tolist()))
    assert figures["protected"] == pytest.approx(max(covered))
    partly = [share for share in covered if share < 1 - 1e-9]
    if partly and max(covered) > 1 - 1e-9:
        assert figures["partly"] == pytest.approx(partly[0])
        assert 0.01 < figures["partly"] < 0.5
    else:
        assert figures["partly"] == 1.0


def test_large_maps_say_how_many_are_in_the_wrong_place() -> None:
    """Of more than 500 cells no kilometres are computed: the figures are total variations."""
    northeast = Gowalla("39,44,-78,-70")
    begin = DistanceState()
    scenario = replace(
        begin.scenario,
        dataset=northeast,
        policy=Streets(1.0, 50.0),
        mechanism=catalogue.GridGeometric(),
        estimator="simplex",
    )
    data = distances_state.load_data(
        replace(begin, scenario=scenario), comparison.load_fast_results
    )
    assert data.domain.k == 1000
    figures = distances_view.headline(data).figures
    assert data.plain is not None
    for name, source in (("tv", scenario), ("plain_tv", data.plain.setup.scenario)):
        result = run(prepare(Scenario.from_json(source.to_json())))
        truth = result.setup.dataset.counts
        assert truth is not None
        off = total_variation(truth / truth.sum(), result.first.estimate)
        assert figures[name] == pytest.approx(off, rel=1e-9), name
    assert figures["tv"] != pytest.approx(figures["plain_tv"], rel=0.01)


def test_columns_beyond_chance_are_those_of_their_own_lists_of_errors() -> None:
    """Ten runs a column, some of them far off the printed number: counted from the runs."""
    rng = np.random.default_rng(57)
    for off in (0.0, 0.02, 0.05):
        runs_of = [column.paper * (1 + off + 0.03 * rng.normal(size=10)) for column in TABLE_1]
        rows = [
            (column, MeanError.of(errors.tolist()))
            for column, errors in zip(TABLE_1, runs_of, strict=True)
        ]
        beyond = 0
        for column, errors in zip(TABLE_1, runs_of, strict=True):
            of_mean = statistics.stdev(errors.tolist()) / math.sqrt(len(errors))
            beyond += abs(statistics.fmean(errors.tolist()) - column.paper) > 3 * of_mean
        with naming(f"{off}"):
            assert paper_view.headline(reproduce.PAPER, rows).figures["beyond"] == beyond
            assert (beyond > len(TABLE_1) / 2) == (off == 0.05)


def test_comparisons_in_the_papers_order_are_counted_pair_by_pair() -> None:
    rng = np.random.default_rng(5)
    errors = {(panel, line, n): rng.random() for panel in PANELS for line in LINES for n in SIZES}
    means: dict[tuple[str, str, int | None], MeanError | None] = {}
    for place, error in errors.items():
        means[place] = None if rng.random() < 0.1 else MeanError(10, error, 0.0)
    fewest_first = list(LINES)
    compared = in_order = 0
    for (panel, line, n), mean in means.items():
        after = fewest_first.index(line) + 1
        more = means.get((panel, fewest_first[after], n)) if after < len(LINES) else None
        if mean is not None and more is not None:
            compared += 1
            in_order += more.error < mean.error
    figures = paper_page._order(means).figures
    assert figures == {"in_order": in_order, "compared": compared}
    assert 0 < in_order < compared < len(PANELS) * len(SIZES) * (len(LINES) - 1)


def nearest_shares(estimate: Floats) -> Floats:
    """The nearest point of the simplex by bisection of the shift, not by sorting."""
    low, high = float(estimate.min()) - 1.0, float(estimate.max())
    for _ in range(200):
        middle = (low + high) / 2
        if np.maximum(estimate - middle, 0.0).sum() > 1.0:
            low = middle
        else:
            high = middle
    return np.maximum(estimate - high, 0.0)


def test_errors_of_figure_3_follow_from_its_reports_and_people() -> None:
    with capture_headlines() as headlines:
        jobs_done(open_record(PAPER_STATE, PaperRecord(view="figure-3")))
    figures = headlines[-1].figures
    for name, blocks in (("ours", GridBlocks(25, 35)), ("plain", OneBlock())):
        result = run(prepare(reproduce.PAPER.with_context(blocks=blocks)))
        mechanism, evidence = result.setup.mechanism, result.first.evidence
        shares = nearest_shares(mechanism.estimate(evidence.tally))
        people = result.first.people
        off = total_variation(people / people.sum(), shares)
        assert figures[name] == pytest.approx(off, rel=1e-6), name
    assert figures["ours"] < 0.8 * figures["plain"]


DRAWS = 1000
EACH = 10_000
"""Collections, and people of each."""


@pytest.mark.parametrize(
    ("name", "spec"),
    [
        ("RAPPOR as published (uRAP)", catalogue.PublishedUrap()),
        ("randomized response (uRR)", catalogue.RandomizedResponse()),
    ],
)
def test_people_that_published_methods_take_are_those_of_drawn_collections(
    name: str, spec: catalogue.MechanismSpec
) -> None:
    """Squared errors of drawn collections, over the least loss. Power: 10 % more is rejected."""
    record = PaperRecord(view="sensitive-sets", values=100, share=0.02)
    stated = paper_page.load_data(record).headline.figures[name]
    p = np.where(np.arange(100) < 10, 0.002, 0.98 / 90)
    mechanism = spec.make(Context.high_low(np.arange(100) < 10, 1.0))
    rng = np.random.default_rng(57)
    squares = []
    for _ in range(DRAWS):
        tally = mechanism.sample_tally(rng.multinomial(EACH, p), rng)
        squares.append(EACH * float(((mechanism.estimate(tally) - p) ** 2).sum()))
    least = least_loss(100, 10, 1.0, 0.02).loss
    found = statistics.fmean(squares) / least
    reach = Z * statistics.stdev(squares) / math.sqrt(DRAWS) / least
    assert abs(found - stated) < reach
    assert abs(found - 1.1 * stated) > reach, "the test has no power"


GROUPS = ("A", "A", "B", "B", "C", "C", "D")
TABLE = OwnTable(tuple("abcdefg"), (0, 3, 1, 9, 2, 40, 4), groups=GROUPS)


@pytest.mark.parametrize("attack", [name for name in ATTACKS if name not in ALONE])
def test_a_table_with_every_count_gives_away_whoever_is_missing_from_it(attack: str) -> None:
    """An attacker who knows all others subtracts them: what is left is the one person's cell."""
    begin = with_data(Publication(), TABLE)
    record = replace(begin.with_attack(attack), moves=1)
    outcome = load_treatments(record, comparison.load_fast_results).attack_result.outcomes
    counts = np.array(TABLE.counts)
    right = 0
    for cell in np.flatnonzero(counts):
        others = counts.copy()
        others[cell] -= 1
        left = counts - others
        right += int(left.argmax() == cell and left.sum() == 1)
    if outcome[NOTHING].share is not None:
        assert outcome[NOTHING].share == right / np.count_nonzero(counts) == 1.0


class Office:
    """What an office publishes of true counts, drawn by rules that this file states itself."""

    def __init__(self, base: int, epsilon: float) -> None:
        self.base, self.epsilon = base, epsilon

    def exact(self, counts: Floats, tables: int, rng: np.random.Generator) -> Floats:
        """The counts."""
        del tables, rng
        return counts

    def rounded(self, counts: Floats, tables: int, rng: np.random.Generator) -> Floats:
        """Up to the next multiple with the chance that keeps the mean."""
        del tables
        down = self.base * (counts // self.base)
        return down + self.base * (rng.random(counts.size) < (counts - down) / self.base)

    def noisy(self, counts: Floats, tables: int, rng: np.random.Generator) -> Floats:
        """Plus the difference of two geometric numbers: one person changes each table by 1."""
        stay = 1 - math.exp(-self.epsilon / tables)
        noise = rng.geometric(stay, counts.size) - rng.geometric(stay, counts.size)
        return counts + noise


def share_found(tables: int, publish: Any, rng: np.random.Generator) -> float:
    """Right answers of 100 people by the least sum of differences, in its form with bounds."""
    truth = rng.permutation(100) < 50
    members = (rng.random((tables, 100)) < 0.5).astype(np.float64)
    published = publish(members @ truth, tables, rng)
    own = np.hstack([members, -np.eye(tables)])
    other = np.hstack([-members, -np.eye(tables)])
    solved = linprog(
        np.concatenate([np.zeros(100), np.ones(tables)]),
        A_ub=np.vstack([own, other]),
        b_ub=np.concatenate([published, -published]),
        bounds=[(0, 1)] * 100 + [(0, None)] * tables,
        method="highs-ds",
    )
    assert solved.x is not None
    return float(((solved.x[:100] > 0.5) == truth).mean())


RUNS = 24


@pytest.mark.slow
def test_reconstructions_find_as_many_answers_as_other_tables_and_another_program() -> None:
    """Other people, tables, coins and form of the program; the page's means are of three runs."""
    record = replace(Publication(), attack=TABLES, tables=50)
    epsilon = record.scenario.policy.plain_epsilon
    made = alone.compute_curves(record, no_progress)
    figures = alone.tables_headline(record, made).figures
    office, rng = Office(record.base, epsilon), np.random.default_rng(57)
    means = {}
    for name, publish in (
        ("exact counts", office.exact),
        ("rounded at random", office.rounded),
        ("noise, one ε for all tables", office.noisy),
    ):
        found = [100 * share_found(50, publish, rng) for _ in range(RUNS)]
        spread = statistics.stdev(found) * math.sqrt(1 / RUNS + 1 / 3)
        means[name] = statistics.fmean(found)
        assert abs(figures[name] - means[name]) <= Z * spread + 0.5, name
    assert figures.keys() == means.keys()
    reach = Z * 5.0 * math.sqrt(1 / RUNS + 1 / 3)
    assert abs(figures["exact counts"] - means["noise, one ε for all tables"]) > reach


PEOPLE = 200_000
ANSWERS = np.array([0.3, 0.1, 0.25, 0.05, 0.2, 0.1])


@pytest.mark.parametrize("family", ["randomized-response", "hadamard", "galois", "oue"])
@pytest.mark.parametrize("sensitive", [(0, 1), (1, 3, 5), (0, 1, 2, 3, 4)])
def test_results_name_as_many_answers_as_drawn_reports_do(
    family: MechanismName, sensitive: tuple[int, ...]
) -> None:
    """Of all people those whose report only they can send. Power: 10 % more is rejected."""
    context = Context.high_low(np.isin(np.arange(6), sensitive), 1.0)
    protocol = Protocol.for_policy(Domain.of(list("abcdef")), context, "Well?", mechanism=family)
    ends = {"low": ANSWERS - 0.01, "high": ANSWERS + 0.01}
    columns = {"estimated share": ANSWERS, **ends}
    table = {name: values.tolist() for name, values in columns.items()}
    figures = results_headline(Results(protocol, table, 0.95, 1000), is_example=False).figures
    covered = protected_by_pairs(context)
    assert figures["protected"] == pytest.approx(math.fsum(ANSWERS[covered].tolist()))
    mechanism = protocol.mechanism
    rng = np.random.default_rng(57)
    people = rng.choice(6, PEOPLE, p=ANSWERS)
    counts = np.bincount(people, minlength=6)
    # Each report's chance from each answer, exactly: names an answer if one alone can send it.
    channel = np.array(mechanism.exact_channel(), np.float64)
    names = np.count_nonzero(channel, axis=0) == 1
    sent = [rng.multinomial(n, row / row.sum()) for n, row in zip(counts, channel, strict=True)]
    named = float(np.sum(sent, axis=0)[names].sum() / PEOPLE)
    stated = figures["readable"]
    reach = Z * math.sqrt(max(stated * (1 - stated), 1 / PEOPLE) / PEOPLE)
    assert abs(stated - named) < reach
    if named:
        assert abs(1.1 * stated - named) > reach, "the test has no power"


def reports_of_plan(plan: str, history: Sequence[int]) -> list[tuple[tuple[int, ...], Fraction]]:
    """All rows of reports that a person with these places may send, and their probabilities.

    Randomized response of three places with odds of 3 to 1, so that ε = log 3; as the plans say it:
    "once" sends the first report again, "memo" has one stored report for each place.
    """
    channel = [[Fraction(3 if x == y else 1, 5) for y in range(3)] for x in range(3)]
    days = list(enumerate(history))
    if plan == "once":
        coins = [(0, history[0])]
        coin_of_day = [0] * len(history)
    elif plan == "memo":
        visited = list(dict.fromkeys(history))
        coins = list(enumerate(visited))
        coin_of_day = [visited.index(place) for place in history]
    else:
        coins = days
        coin_of_day = [day for day, _ in days]
    found = []
    for sent in itertools.product(range(3), repeat=len(coins)):
        chance = math.prod((channel[x][sent[i]] for i, x in coins), start=Fraction(1))
        found.append((tuple(sent[coin] for coin in coin_of_day), chance))
    return found


def most_shown(plan: str, first: Sequence[int], second: Sequence[int]) -> float:
    """The largest log of the ratio of any row of reports, of two histories; may be infinite."""
    laws: list[dict[tuple[int, ...], Fraction]] = []
    for history in (first, second):
        law: dict[tuple[int, ...], Fraction] = {}
        for row, chance in reports_of_plan(plan, history):
            law[row] = law.get(row, Fraction(0)) + chance
        laws.append(law)
    most = 0.0
    for row, chance in laws[0].items():
        other = laws[1].get(row, Fraction(0))
        most = max(most, math.log(chance / other) if other else math.inf)
    return most


def test_the_attackers_table_of_plans_is_what_all_histories_show() -> None:
    """Three days, all histories: who stays, who is elsewhere on one day, and any two histories."""
    level, days = math.log(3), 3
    histories = list(itertools.product(range(3), repeat=days))
    rows = {}
    for line in read_texts(adversary_view.__file__)["plans"].splitlines():
        if line.startswith(("| `", "| no plan")):
            name, *cells = [cell.strip() for cell in line.strip("| ").split(" | ")]
            rows[name.split("`")[1] if "`" in name else "fresh"] = cells
    found = {}
    for plan in ("once", "memo", "fresh"):
        stays = max(most_shown(plan, [x] * days, [y] * days) for x in range(3) for y in range(3))
        elsewhere = []
        for day in range(days):
            pairs = [([0] * days, [int(d == day) for d in range(days)])]
            pairs += [(b, a) for a, b in pairs]
            elsewhere.append(max(most_shown(plan, a, b) for a, b in pairs))
        anything = max(most_shown(plan, a, b) for a in histories for b in histories)
        found[plan] = [stays, *elsewhere, anything]
    one, whole = level, days * level
    assert found["once"] == pytest.approx([one, one, 0.0, 0.0, one])
    assert rows["once"] == ["ε", "ε if it is the first day, else 0: no other is sent", "ε"]
    assert found["memo"] == pytest.approx([one, *[math.inf] * days, math.inf])
    assert rows["memo"][0] == "ε"
    assert rows["memo"][1].startswith("no limit")
    assert rows["memo"][2] == "no limit"
    assert found["fresh"] == pytest.approx([whole, *[one] * days, whole])
    assert rows["fresh"] == ["m · ε", "ε", "m · ε"]


@pytest.mark.parametrize(("epsilon", "people"), [(1.0, 30), (2.0, 60), (3.0, 200)])
def test_delta_of_mixing_is_what_any_result_may_change_by_beyond_epsilon(
    epsilon: float, people: int
) -> None:
    """All counts of yes among mixed reports, exactly: Σ max(P − e^ε Q, 0) is at most δ.

    δ is not the chance that ε is exceeded: that is larger, as the help of `caldp mixed` says.
    """
    delta = 1e-4
    mixed = epsilon_after_mixing(epsilon, math.tanh(epsilon / 2), people, delta)
    keep = math.exp(epsilon) / (1 + math.exp(epsilon))
    beyond, exceeded = 0.0, 0.0
    for others_yes in range(people):
        others = np.convolve(
            binom.pmf(np.arange(others_yes + 1), others_yes, keep),
            binom.pmf(np.arange(people - others_yes), people - 1 - others_yes, 1 - keep),
        )
        yes = np.convolve(others, [1 - keep, keep])
        no = np.convolve(others, [keep, 1 - keep])
        for here, there in ((yes, no), (no, yes)):
            beyond = max(beyond, float(np.maximum(here - math.exp(mixed) * there, 0.0).sum()))
            exceeded = max(exceeded, float(here[here > math.exp(mixed) * there].sum()))
    assert beyond <= delta
    assert exceeded > beyond
    halved = mixed / 3
    too_small = np.maximum(yes - math.exp(halved) * no, 0.0).sum()
    assert too_small > delta, "a third of ε is rejected"
    (option,) = [each for each in mixed_command.params if "--delta" in each.opts]
    assert "may change by this much" in str(option.help)
