"""Attacks on the noise of a rehearsal: nobody draws another list's, setting's or visit's coins.

Each attack is tried on the coins as they are, and on coins that follow from the seed alone, where
it must succeed. The process's key is fixed here, so that a test's result is always the same.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Final, TypeAlias

import numpy as np
import pytest

from caldp_core.basics.types import Floats, Ints
from caldp_core.datasets import Gowalla, OwnSurvey, OwnTable
from caldp_core.experiments.questions import QuestionPlan
from caldp_core.mechanisms.catalogue import Oue
from caldp_core.mechanisms.randomness import seed_sequence
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.coarser import outcomes
from caldp_ui.coarser.page_state import CENTRAL, ROUND, Publication, with_data
from caldp_ui.compute import coins, runs
from caldp_ui.parts.comparison import load_fast_results as fast
from caldp_ui.server.vault import Vault, bound_to_visit, vaults, working_for
from caldp_ui.session import jobs
from caldp_ui.values.several import survey_tables
from tests.contract.checks import naming

REAL_NUMBER: Final = coins.secret_number
REAL_NAME: Final = coins.visit_name
"""As they are before this folder's fixture lets noise follow from seeds alone."""
CELLS: Final = 560
CORRELATION_MAX: Final = 0.22
"""Independent noise on 560 cells has a correlation beyond ± 5.2 / √560 once in five million times;
that of shared coins is above 0.8."""
Draw: TypeAlias = Callable[[OwnTable, float], Floats]
"""(k,) the published numbers of a list at ε."""


@pytest.fixture(autouse=True)
def secret_coins(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Noise as visitors have it, in one visit."""
    monkeypatch.setattr(coins, "secret_number", REAL_NUMBER)
    monkeypatch.setattr(coins, "visit_name", REAL_NAME)
    monkeypatch.setattr(coins, "_PROCESS_KEY", b"process 1")
    with working_for(Vault("visit 1")):
        yield


def table_of(counts: Ints) -> OwnTable:
    """A list with these counts, an answer each."""
    return OwnTable(tuple(f"cell {i}" for i in range(counts.size)), tuple(counts.tolist()))


def city_counts() -> Ints:
    """(560,) people of a made-up city: a fifth of the cells have 1 to 9."""
    rng = np.random.default_rng(55)
    counts = np.rint(rng.lognormal(2.6, 1.3, CELLS)).astype(np.int64)
    counts[rng.random(CELLS) < 0.4] = 0
    return counts


CITY: Final = city_counts()
ONE_MORE: Final = CITY + (np.arange(CELLS) == 100)
FLAT: Final = np.full(CELLS, 1_005)
"""The attacker's own list. 1,005 is between two multiples of 10, so that rounding throws a coin."""


def table_by(treatment: str, record: Publication) -> Floats:
    """(k,) the numbers that a treatment puts into the table, cached as on the page."""
    setup = runs.setup(record.scenario)
    setup = replace(setup, scenario=record.scenario)
    releases = outcomes._offices(record, setup, outcomes._people(setup))[1]
    return releases[treatment].release.estimate


def central(table: OwnTable, epsilon: float) -> Floats:
    record = with_data(Publication(), table)
    scenario = record.scenario.with_epsilon(epsilon)
    return table_by(CENTRAL, replace(record, scenario=scenario))


def rounded(table: OwnTable, epsilon: float) -> Floats:
    record = with_data(Publication(base=10), table)
    scenario = record.scenario.with_epsilon(epsilon)
    return table_by(ROUND, replace(record, scenario=scenario))


def all_hidden(table: OwnTable | OwnSurvey, epsilon: float = 1.0) -> Scenario:
    scenario = replace(Scenario(), dataset=table, mechanism=Oue())
    return scenario.plain().with_epsilon(epsilon)


def reports(table: OwnTable, epsilon: float) -> Floats:
    """(k,) people as the reports of all have them, without a bias."""
    result = runs.result(all_hidden(table, epsilon))
    return result.first.unbiased * sum(table.counts)


def correlation(first: Floats, second: Floats) -> float:
    return float(np.corrcoef(first, second)[0, 1])


def noise_of(draw: Draw, counts: Ints, epsilon: float = 1.0) -> Floats:
    return draw(table_of(counts), epsilon) - counts


def let_coins_follow_from_seeds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coins, "secret_number", lambda *_: 0)


@pytest.mark.parametrize("draw", [central, rounded])
def test_a_flat_list_does_not_read_the_noise_of_another(
    draw: Draw, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The attack of an office's pack: its table less the noise of a flat one was the truth."""
    assert abs(correlation(noise_of(draw, CITY), noise_of(draw, FLAT))) < CORRELATION_MAX
    small = (CITY > 0) & (CITY < 10)
    guess = draw(table_of(CITY), 1.0) - noise_of(draw, FLAT)
    # With coins of its own a guess is right for 13 of 100 small counts at ε = 1.
    assert (np.rint(guess)[small] == CITY[small]).mean() < 0.3

    let_coins_follow_from_seeds(monkeypatch)
    with working_for(Vault("seeds alone")):
        shared = correlation(noise_of(draw, CITY), noise_of(draw, FLAT))
    assert shared > 2 * CORRELATION_MAX


@pytest.mark.parametrize("draw", [central, reports])
def test_one_person_more_changes_all_noise(draw: Draw) -> None:
    """It had changed one cell of 560, by 1: the new person's."""
    difference = draw(table_of(ONE_MORE), 1.0) - draw(table_of(CITY), 1.0)
    assert (np.abs(difference) > 0.5).mean() > 0.4
    first, second = noise_of(draw, CITY), noise_of(draw, ONE_MORE)
    assert abs(correlation(first, second)) < CORRELATION_MAX


def test_one_person_more_changes_the_coins_of_rounding() -> None:
    """Every tenth count rounds without a coin; of all others some go the other way."""
    first, second = rounded(table_of(CITY), 1.0), rounded(table_of(ONE_MORE), 1.0)
    assert (first != second).sum() > 20


@pytest.mark.parametrize("draw", [central, reports])
def test_two_levels_of_noise_share_no_coins(draw: Draw, monkeypatch: pytest.MonkeyPatch) -> None:
    """2y − x was the true count of 47 in 100 cells."""
    quarter, half = noise_of(draw, CITY, 0.25), noise_of(draw, CITY, 0.5)
    assert abs(correlation(quarter, half)) < CORRELATION_MAX

    let_coins_follow_from_seeds(monkeypatch)
    with working_for(Vault("seeds alone")):
        shared = correlation(noise_of(draw, CITY, 0.25), noise_of(draw, CITY, 0.5))
    assert shared > 2 * CORRELATION_MAX


def test_new_noise_is_new_for_an_office_too() -> None:
    """Its seed had been left out, so that the button drew the same central noise again."""
    record = Publication()
    first, second = (
        outcomes.load_data(replace(record, scenario=replace(record.scenario, seed=seed)), fast)
        for seed in (1, 2)
    )
    for name in (CENTRAL, ROUND):
        before, after = (data.treatments[name].release.estimate for data in (first, second))
        assert not np.array_equal(before, after)


def test_rounding_is_drawn_once_whatever_epsilon_is() -> None:
    """A table that is rounded anew at each step of a slider could be averaged."""
    table = table_of(CITY)
    np.testing.assert_array_equal(rounded(table, 0.5), rounded(table, 2.0))


@pytest.mark.parametrize("draw", [central, rounded, reports])
def test_each_visit_and_each_process_has_coins_of_its_own(
    draw: Draw, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same visit sees the same again; caches hand no visit what another has drawn."""
    table = table_of(CITY)
    first = draw(table, 1.0)
    np.testing.assert_array_equal(first, draw(table, 1.0))
    with working_for(Vault("visit 2")):
        other_visit = draw(table, 1.0)
    monkeypatch.setattr(coins, "_PROCESS_KEY", b"process 2")
    other_process = draw(table, 1.0)
    for name, other in (("visit", other_visit), ("process", other_process)):
        with naming(name):
            assert abs(correlation(first - CITY, other - CITY)) < CORRELATION_MAX


def test_a_small_table_is_not_found_by_trying_candidates() -> None:
    """Another visit tries all tables of 100 people near the truth: no estimate has its digits."""
    truth = all_hidden(OwnTable(("yes", "no"), (37, 63)))
    seen = runs.result(truth).first.estimate
    with working_for(Vault("the attacker")):
        tables = {yes: OwnTable(("yes", "no"), (yes, 100 - yes)) for yes in range(20, 56)}
        tried = {yes: runs.result(all_hidden(table)).first for yes, table in tables.items()}
    # Digits of an estimate of 100 reports are few: several candidates meet them, and the truth is
    # met by no rule. Each draw of the truth itself differs between visits.
    fits = [yes for yes, outcome in tried.items() if np.array_equal(outcome.estimate, seen)]
    assert fits != [37]
    visits = [Vault(f"visit {number}") for number in range(8)]
    assert len({visit_estimate(truth, visit) for visit in visits}) > 1


def visit_estimate(scenario: Scenario, visit: Vault) -> tuple[float, ...]:
    with working_for(visit):
        return tuple(runs.result(scenario).first.estimate.tolist())


def test_estimators_share_the_reports_and_epsilon_the_people() -> None:
    """One draw is looked at in several ways; people who are drawn stay the same at each ε."""
    table = table_of(CITY[:40])
    scenario = replace(all_hidden(table), n=3_000)
    first, second = (
        runs.result(replace(scenario, estimator=name)).first
        for name in ("none", "simplex-per-block")
    )
    np.testing.assert_array_equal(first.unbiased, second.unbiased)
    other_level = runs.result(replace(all_hidden(table, 2.0), n=3_000)).first
    np.testing.assert_array_equal(first.people, other_level.people)
    ready = replace(runs.setup(scenario), scenario=scenario)
    np.testing.assert_array_equal(first.people, runs.first_people(ready))


def test_what_ships_follows_from_the_seed_in_the_link(monkeypatch: pytest.MonkeyPatch) -> None:
    """Visits and processes see the same digits, those of the core."""
    record = with_data(Publication(), Gowalla("39.8,42.6,-77.2,-71"))
    record = replace(record, scenario=replace(record.scenario, seed=5))
    first = table_by(CENTRAL, record)
    monkeypatch.setattr(coins, "_PROCESS_KEY", b"process 2")
    with working_for(Vault("visit 2")):
        np.testing.assert_array_equal(first, table_by(CENTRAL, record))
    assert runs.secret_of(record.scenario, "anything") == 0
    for numbers in ((), (7,), (3, 9)):
        plain = seed_sequence(5, *numbers).spawn(2)[1].generate_state(4)
        ours = runs.seeds(record.scenario, "anything", *numbers).spawn(2)[1].generate_state(4)
        np.testing.assert_array_equal(plain, ours)


def test_jobs_and_downloads_draw_for_the_visit_that_has_asked() -> None:
    """Their threads belong to no visit."""
    ask = bound_to_visit(lambda: coins.secret_number("noise"))
    assert ThreadPoolExecutor(1).submit(ask).result() == coins.secret_number("noise")
    job = jobs.launch("coins", lambda _: coins.secret_number("noise"))
    assert job.future.result(10) == coins.secret_number("noise")
    with working_for(Vault("visit 2")):
        assert coins.secret_number("noise") != job.future.result()


def test_a_visit_keeps_its_secret_and_shares_it_with_none() -> None:
    """The one secret of a visit is its vault's, from which its files' addresses follow, too."""

    def number_of(visit: str) -> int:
        with working_for(vaults().of(visit)):
            return coins.secret_number("noise")

    assert number_of("first") == number_of("first") != number_of("second")


def test_questions_of_a_survey_have_secret_coins() -> None:
    """*Several questions* asks all of a survey's people once more: by the coins of this visit."""
    answers = tuple("abcdefgh")
    survey = OwnSurvey(("q",) * 8 + ("r",) * 8, (*answers, *answers), (50,) * 16)
    scenario = all_hidden(survey)

    def ask() -> list[float]:
        tables = survey_tables(scenario, QuestionPlan(2, 1, 1.0), frozenset())
        return [float(share) for table in tables for share in table.marginal.unbiased]

    first = ask()
    assert first == ask()
    with working_for(Vault("visit 2")):
        assert first != ask()
