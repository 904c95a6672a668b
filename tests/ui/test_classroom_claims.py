"""Each sentence, picture and answer key of the stations is true of what the core computes."""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest

from caldp_core.audit.adversary import max_guess_accuracy
from caldp_core.basics.types import no_progress
from caldp_ui.app.theme import LIGHT
from caldp_ui.classroom import counting, daily, selection, station, trust
from caldp_ui.classroom.page import STATIONS
from caldp_ui.classroom.page_state import NAMES, WIDTHS, Lesson
from caldp_ui.compute import runs
from caldp_ui.handout import lesson as handout_lesson
from caldp_ui.maps.scene import BEGIN
from caldp_ui.offline.document import Part, QuizQuestion
from caldp_ui.places.page import EPSILON_FILM
from caldp_ui.places.page_state import PlacesState
from caldp_ui.shell.page import Page
from caldp_ui.values import view as films
from caldp_ui.values.page_state import AFFAIR as ANSWERS
from tests.contract.checks import naming
from tests.ui.driver import by_the_core, few
from tests.ui.pages import ENDS, number, read_headline
from tests.ui.readings import drawn


def test_no_number_is_told_as_a_power_of_ten_nor_a_chance_as_certain() -> None:
    for lesson in (*ENDS, Lesson("rappor", 10.0, 1, view="crowd")):
        for broken in (False, True):
            board = STATIONS[lesson.station].open(replace(lesson, broken=broken))
            cells = [cell for column in board.numbers.values() for cell in column.values()]
            for text in (board.headline.sentence, board.headline.second, *cells):
                with naming(text):
                    assert not re.search(r"\de[-+]?\d|nan|inf|^-0$|100\.0 of 100", text)


def test_leads_that_are_more_than_all_votes_are_said_to_be_none() -> None:
    none = selection.compute_data(Lesson("selection", 0.1, 100))
    assert none.needed_leads[1:] == (None, None)
    assert "even with a trusted server" in read_headline(Lesson("selection", 0.1, 100))
    assert "local noise" not in read_headline(Lesson("selection", 0.1, 100))
    some = Lesson("selection", 0.1, 100, items=4)
    assert selection.compute_data(some).needed_leads[1:] == (None, None)
    assert "with local noise no lead is" in read_headline(some)
    for view in ("people", "percent"):
        line = read_headline(replace(some, view=view))
        assert "bit by bit it takes more votes than there are. " in line
    assert selection.compute_data(ENDS[3]).needed_leads[0] is None
    assert "even with a trusted server" in read_headline(ENDS[3])


def test_the_example_elects_whom_nobody_chose() -> None:
    sentence = read_headline(Lesson("selection", broken=True))
    people = [item for item, votes in selection.EXAMPLE.items() for _ in range(votes)]
    assert len(people) == 100
    ones = [sum(int(item[bit]) for item in people) for bit in range(3)]
    elected = "".join("1" if each > 50 else "0" for each in ones)
    assert elected == selection.ELECTED == "111"
    assert elected not in people
    votes = {f"votes of {item}": people.count(item) for item in people}
    bits = {
        f"{place} bit": one for place, one in zip(("first", "second", "third"), ones, strict=True)
    }
    assert dict(selection.example_headline().figures) == votes | bits
    assert "bit by bit elects 111, which nobody chose." in sentence
    figure = drawn(selection.example_figure(LIGHT))
    assert dict(zip(figure.data[0].x, figure.data[0].y, strict=True))["111"] == 0
    assert list(figure.data[2].y) == ones
    assert [a + b for a, b in zip(figure.data[1].y, figure.data[2].y, strict=True)] == [100] * 3


def test_the_dotted_lines_of_selection_are_the_leads_of_its_headline() -> None:
    for lesson in (Lesson("selection"), Lesson("selection", 3.0, 10**6, items=256)):
        for view in ("people", "percent"):
            shown = replace(lesson, view=view)
            now = STATIONS["selection"].open(shown).headline.figures
            figure = drawn(selection.figure(selection.compute_data(shown), shown, LIGHT))
            assert [shape.x0 for shape in figure.layout.shapes] == list(now.values())
            written = [text.strip() for trace in figure.data for text in trace.text or ()]
            with naming(str(shown)):
                assert {station.two_digits(lead) for lead in now.values()} <= set(written)
                assert {"trusted server", "one bit per item", "bit by bit"} <= set(written)
    votes = STATIONS["selection"].open(Lesson("selection")).headline
    percent = STATIONS["selection"].open(Lesson("selection", view="percent")).headline
    assert "by 720 votes, with a trusted server by 13." in votes.sentence
    assert "by 7.2 %, with a trusted server by 0.13 %." in percent.sentence


def test_sums_in_percent_are_those_in_people_of_all() -> None:
    lesson = Lesson("sum", broken=True)
    data = trust.sums_data(lesson)
    both = [
        drawn(trust.figure(data, replace(lesson, view=view), LIGHT))
        for view in ("people", "percent")
    ]
    for people, percent in zip(both[0].data, both[1].data, strict=True):
        if people.mode == "lines":
            np.testing.assert_allclose(percent.y, 100 * people.y / people.x)
    names = [trace.text for trace in both[1].data if trace.mode == "text"]
    assert [each.strip() for each in names[0]] == [
        "local",
        "trusted server",
        "local, noise left in",
    ]


def test_a_day_is_rounded_to_the_ends_of_its_bucket_by_its_place_in_it() -> None:
    for width in WIDTHS:
        html = daily.day_html(width)
        below, above = (int(text) for text in re.findall(r"(\d+) of 100 phones", html))
        exact, low, high, mean, nearest = (int(text) for text in re.findall(r"<b>(\d+)</b>", html))
        with naming(html):
            assert (exact, mean) == (47, 47)
            assert below + above == 100
            assert low % width == high % width == nearest % width == 0
            assert low <= 47 < high == low + width
            assert abs(low * below + high * above - 4_700) <= 0.51 * width  # shares in whole phones
            assert nearest in {low, high}
            assert abs(nearest - 47) <= width / 2


def test_envelopes_are_the_same_before_and_after_they_are_mixed() -> None:
    for lesson, state in (
        (Lesson("shuffling"), " "),
        (Lesson("shuffling", blocks=100), "in-blocks "),
        (Lesson("shuffling", broken=True), " fakes"),
    ):
        html = counting.envelopes(lesson)
        assert f'class="envelopes {state}"' in html
        for kind, blocks in (("whole", (10,)), ("blocks", (5, 5))):
            (column,) = re.findall(rf'class="mixed {kind}">(.*?)</div>', html)
            after = "".join(re.findall(r'class="named">(\w)<', column))
            cuts = np.cumsum((0, *blocks))
            for begin, end in pairwise(cuts.tolist()):
                assert sorted(after[begin:end]) == list("ABCDEFGHIJ"[begin:end])
                assert after[begin:end] != "ABCDEFGHIJ"[begin:end]


def test_rappor_s_rows_are_one_phone_s() -> None:
    kept = daily.follow_phone(Lesson("rappor", days=30))
    titles = [title for title, _ in kept.rows]
    assert titles[:3] == ["true bits", "stored", "day 1"]
    by_title = dict(kept.rows)
    assert by_title["true bits"].sum() == daily.HASHES
    # 30 days: the average tells the kept bits (¾ against ¼), not the Bloom filter.
    bits = by_title["average"] > 0.5
    assert (bits == (by_title["stored"] > 0)).mean() > 0.9
    assert (bits != (by_title["true bits"] > 0)).any()
    broken = daily.follow_phone(Lesson("rappor", 7.0, days=60, broken=True))
    assert "drawn today" in dict(broken.rows)
    top = np.sort(np.argsort(dict(broken.rows)["average"])[-daily.HASHES :])
    np.testing.assert_array_equal(top, np.flatnonzero(dict(broken.rows)["true bits"]))


def test_an_axis_of_errors_shows_whole_decades_around_all_of_them() -> None:
    for lesson in (Lesson("bits"), Lesson("bits", items=1024, broken=True), *ENDS[6:7]):
        with naming(str(lesson)):
            figure = drawn(counting.figure(counting.compute_data(lesson), lesson, LIGHT))
            ends = np.array(figure.layout.yaxis.range)
            low, high = np.rint(ends)
            np.testing.assert_allclose(ends, [low, high], atol=0.011)
            assert low < high
            points = np.log10(np.concatenate([trace.y for trace in figure.data]))
            assert low <= points.min() < low + 1
            assert high - 1 < points.max() <= high


def test_a_new_coin_every_day_costs_what_is_said() -> None:
    lesson = Lesson("means", 0.5, broken=True)
    assert read_headline(lesson).endswith("With a new bit every day, ε adds up to 30.")
    kept, fresh = station.audit_station("means", 0.5)
    assert kept.holds
    # Three days of coins that are not kept: three times ε, or hardly less by the rounding of coins.
    assert fresh.loss == pytest.approx(3 * 0.5, rel=1e-9)


def lines_of_sums(data: trust.ErrorsOfSums) -> dict[str, Any]:
    left_in = "local, noise left in"
    return {"local: grows with √n": data.errors["local"], left_in: data.errors[left_in]}


def test_figures_draw_what_was_computed() -> None:
    lesson = Lesson(broken=True, blocks=10, values=2, n=10**5)
    figures: dict[str, tuple[Any, dict[str, Any]]] = {
        "sum": (
            trust.figure(one := trust.sums_data(lesson), lesson, LIGHT),
            lines_of_sums(one),
        ),
        "selection": (
            selection.figure(two := selection.compute_data(lesson), lesson, LIGHT),
            {str(name): 100 * y for name, y in two.curves.items()},
        ),
        "rappor": (
            daily.leak(three := daily.follow_phone(lesson), lesson, LIGHT),
            {
                "stored noise": 100 * three.curves["stored noise"],
                "new noise every day": 100 * three.curves["new noise every day"],
            },
        ),
        "means": (
            daily.means_figure(four := daily.means_data(lesson), lesson, LIGHT),
            {"to the nearest: error": four.curves[daily.NEAREST]},
        ),
        "shuffling": (
            counting.mixing_figure(five := counting.mixing_data(lesson), lesson, LIGHT),
            {str(name): y for name, y in five.curves.items()},
        ),
        "bits": (
            counting.figure(six := counting.compute_data(lesson), lesson, LIGHT),
            {"Galois": [100 * six.named("Galois").off]},
        ),
    }
    for figure, lines in figures.values():
        by_name = {trace.name: np.asarray(trace.y) for trace in drawn(figure).data}
        for name, values in lines.items():
            np.testing.assert_allclose(by_name[name], values)


def test_the_audit_passes_what_is_taught_and_rejects_what_is_naive() -> None:
    for name in NAMES:
        for epsilon in (0.1, 1.0, 10.0):
            for verdict in station.audit_station(name, epsilon):
                with naming(f"{verdict}"):
                    assert verdict.holds != verdict.mechanism.startswith("naive")
                    assert (verdict.loss > epsilon) != verdict.holds
    assert (
        sum(
            v.mechanism.startswith("naive")
            for name in NAMES
            for v in station.audit_station(name, 1.0)
        )
        == 5
    )
    columns = station.table_columns(station.audit_station("selection", 1.0))
    assert set(columns["keeps it"].values()) == {"✓ yes", "✗ NO"}
    assert columns["largest found"]["naive: bit by bit, all of ε a bit"] == "2"


REASONS = ("Why ", "Who should", "What does the second", "What does “ε a report”")
"""In questions for a reason or a choice: their feedback has no result to hold."""


def figures(name: str, **changes: Any) -> dict[str, float]:
    """The numbers of a station's headline, unrounded, with the lesson changed."""
    lesson = replace(Lesson(name), **changes)
    return dict(STATIONS[name].open(lesson).headline.figures)


def at_both(name: str, figure: str, dial: str, low: float, high: float) -> tuple[float, float]:
    first, last = (figures(name, **{dial: at})[figure] for at in (low, high))
    return first, last


def _more_epsilon(moves: Sequence[Any]) -> list[bool]:
    wrong = [handout_lesson.wrong(step) for step in moves[0].steps]
    sharper = all(b < a for a, b in pairwise(wrong) if a > 0.1)
    guessed = [max_guess_accuracy(step.value) for step in moves[0].steps]
    rises = guessed == sorted(set(guessed))
    return [sharper and rises, sharper and not rises, not sharper and not rises]


def _from_which_step(moves: Sequence[Any]) -> list[bool]:
    (question,) = (q for q in handout_lesson.of_maps(moves) if q.ask.startswith("Move ε"))
    limit = number(question.ask.split("at most")[1])
    steps = moves[0].steps
    first = next(step.label for step in steps if handout_lesson.wrong(step) <= limit)
    return [answer == first for answer in question.answers]


def _which_protects(moves: Sequence[Any]) -> list[bool]:
    facts = moves[0].steps[-1].facts
    names = {"plain LDP": "plain", "One stored report": "kept", "Fresh reports under this": "ours"}
    (question,) = (q for q in handout_lesson.of_attacker(moves) if "Which of the three" in q.ask)
    chances = []
    for answer in question.answers:
        (name,) = (name for part, name in names.items() if part in answer)
        shown = facts[name].number
        assert shown in question.because  # the feedback shows each
        chances.append(number(shown))
    return [chance == min(chances) for chance in chances]


def _ten_reports(moves: Sequence[Any]) -> list[bool]:
    once, last = (number(moves[0].steps[day].facts["ours"].number) for day in (1, -1))
    return [last > once, last == once, last < once]


def _answers_spread(moves: Sequence[Any]) -> tuple[float, float, float]:
    """Mean variance of a share: with the fewest and the most sensitive answers, and plain LDP's."""
    values = [step.value for step in moves[0].steps]
    scenarios = [films.SCENARIO_AT_STEP[films.SENSITIVE](ANSWERS, at) for at in values]
    setups = [
        runs.setup(each)
        for each in (scenarios[0], scenarios[-1], runs.best_plain_ldp(scenarios[-1]))
    ]
    few, most, plain = (
        float(setup.mechanism.variance(setup.dataset.distribution, setup.n).mean())
        for setup in setups
    )
    return few, most, plain


def _unmarked(moves: Sequence[Any]) -> list[bool]:
    few, most, _ = _answers_spread(moves)
    read = "true answer of each of them" in "".join(moves[0].steps[0].replacements.values())
    return [few < most and read, few < most and not read, few == most]


def _all_sensitive(moves: Sequence[Any]) -> list[bool]:
    few, most, plain = _answers_spread(moves)
    return [most == pytest.approx(plain) and most > few, most < few, most == few]


def _stolen(_: Sequence[Any]) -> list[bool]:
    right = figures("trust")["right"]  # of 100; a thief reads all 100 of the trusted server's
    return [right < 100, right > 100, right == 100]


def _hundred_times(_: Sequence[Any]) -> list[bool]:
    few, many = at_both("sum", "local", "n", 10**4, 10**6)
    shares = at_both("sum", "share", "n", 10**4, 10**6)
    ten = many == pytest.approx(10 * few) and shares[1] == pytest.approx(shares[0] / 10)
    return [ten, many == pytest.approx(100 * few), many == pytest.approx(few)]


def _more_items(_: Sequence[Any]) -> list[bool]:
    few, many = at_both("selection", "one bit per item", "items", 4, 1024)
    return [many > few, many < few, many == few]


def _sixty_days(_: Sequence[Any]) -> list[bool]:
    after = figures("rappor", days=60)
    right, limit = after["right"], after["limit"]
    return [right <= limit + 0.2 and limit < 99, right > 99.5, abs(right - 50) < 0.5]


def _long_or_short(_: Sequence[Any]) -> list[bool]:
    both = figures("bits")
    ratio = both["wide"] / both["short"]
    return [abs(math.log(ratio)) < math.log(1.2), ratio < 0.5, ratio > 2]


def _one_function(_: Sequence[Any]) -> list[bool]:
    few, many = (figures("bits", n=n, broken=True)["floor"] for n in (10**4, 10**9))
    return [few == many > 0, many == pytest.approx(few / 2), many < few]


def _wide_buckets(_: Sequence[Any]) -> list[bool]:
    few, many = at_both("means", "nearest", "n", 10**6, 10**9)
    return [many == pytest.approx(few, rel=0.01) and many > 1, many < few / 2, many < 0.01]


def _crowds(_: Sequence[Any]) -> list[bool]:
    few, many = at_both("shuffling", "mixed", "n", 10**4, 10**6)
    return [many < few, many > few, many == few]


def _hundred_blocks(_: Sequence[Any]) -> list[bool]:
    blocks = figures("shuffling", n=10**6, blocks=100)
    alone = figures("shuffling", n=10**4)["mixed"]
    return [blocks["mixed"] == alone, blocks["mixed"] == blocks["one block"], alone == 1.0]


CHECKS: dict[str, Callable[[Sequence[Any]], list[bool]]] = {
    "Before you move anything: ε goes up": _more_epsilon,
    "Move ε. From which of these": _from_which_step,
    "Before you move anything: an answer is no longer": _unmarked,
    "Let the sensitive set grow": _all_sensitive,
    "Before you play the days": _ten_reports,
    "Play to": _which_protects,
    "Before you move anything: somebody copies": _stolen,
    "Before you move anything: 100 times as many": _hundred_times,
    "Before you move anything: there are more items": _more_items,
    "Before you move anything: a phone reports the same page": _sixty_days,
    "Before you move anything: a phone may send 16 bits": _long_or_short,
    "All phones use one hash function": _one_function,
    "Before you move anything: minutes are rounded": _wide_buckets,
    "Before you move anything: reports are shuffled": _crowds,
    "Reports name their block": _hundred_blocks,
}


def hold_reading(question: QuizQuestion) -> None:
    """A number read at one step: it stands in the feedback, and no other answer is as near."""
    right, *wrong = (number(answer) for answer in question.answers)
    stated = [number(text) for text in re.findall(r"[0-9](?:[0-9,.]*[0-9])?", question.because)]
    assert right in stated
    assert right not in wrong
    assert not re.search(r"[0-9][.,](?![0-9])", question.answers[0])


def hold(part: Part, used: set[str]) -> None:
    """The first answer of each question of a part is true by its numbers, and the others not."""
    moves = [move(no_progress) for move in part.moves]
    for question in part.questions(moves):
        with naming(question.ask):
            begins = [each for each in CHECKS if question.ask.startswith(each)]
            if begins:
                used.add(begins[0])
                right, *wrong = CHECKS[begins[0]](moves)
                assert right
                assert not any(wrong)
            elif not any(each in question.ask for each in REASONS):
                hold_reading(question)


@pytest.mark.thorough
def test_keys_are_right_by_their_feedback_and_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    # Numbers are the same in both themes, and colours are not what is asked here.
    monkeypatch.setattr(Page, "offline_step", lambda page, record: page.render(record, LIGHT))
    used: set[str] = set()
    for part in (*handout_lesson.page_parts(), *handout_lesson.station_parts()):
        hold(part, used)
    assert used == set(CHECKS)
    assert len(NAMES) == len(handout_lesson.station_parts())


@pytest.mark.slow
def test_a_film_of_maps_asks_from_which_step_on_few_are_wrong() -> None:
    film = few(EPSILON_FILM, 0.5, 1.0, 2.0, 4.0, 10.0).film(PlacesState(), no_progress)
    for step in film.steps:
        tv = by_the_core(BEGIN.with_context(epsilon=step.value)).first.errors.tv
        shown = handout_lesson.wrong(step)
        assert shown == (round(100 * tv) if tv >= 0.015 else pytest.approx(100 * tv))
    assert film.steps[-1].headline.figures["tv"] < 0.015
    assert _from_which_step([film]) == [True, False, False]


LOSSES = {
    "random bit": 1.0,
    "bit by bit, 4 items, ε/2 a bit": 1.0,
    "naive: bit by bit, all of ε a bit": 2.0,
    "one bit an item, 4 items, ε/2 a bit": 1.0,
    "naive: one bit an item, all of ε a bit": 2.0,
    "naive: all of ε a cell": 2.0,
    "remembered, 3 days, a number that stays": 1.0,
    "naive: a new coin on each of 3 days": 3.0,
}
"""Largest log-ratios in ε, by composition."""


def test_the_table_of_audits() -> None:
    seen = set()
    for name, epsilon in product(NAMES, (0.1, 10.0)):
        columns = station.table_columns(station.audit_station(name, epsilon))
        assert {float(each) for each in columns["claimed ε"].values()} == {epsilon}
        for mechanism, cell in columns["largest found"].items():
            if mechanism in LOSSES:
                seen.add(mechanism)
                loss = LOSSES[mechanism] * epsilon
                assert float(cell) == pytest.approx(loss, rel=1e-3), f"{mechanism}, {epsilon}"
    assert seen == LOSSES.keys()
