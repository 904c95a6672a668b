"""Each sentence, picture and answer key of the stations is true of what the core computes."""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from caldp_core.audit.adversary import max_guess_accuracy
from caldp_core.audit.pairwise import audit_channel
from caldp_core.basics.types import no_progress
from caldp_core.lecture.counts import EXACT_PEOPLE, BitwiseResponse, OneHotResponse, even_votes
from caldp_core.lecture.daily import LastingRappor
from caldp_core.mechanisms.direct.few_values import BinaryMechanism
from caldp_core.privacy.matrix import BinaryPolicy, DenseMatrix
from caldp_core.theory.mixing import numeric_epsilon
from caldp_ui.app.theme import LIGHT
from caldp_ui.classroom import counting, daily, selection, station, trust
from caldp_ui.classroom.page import STATIONS
from caldp_ui.classroom.page_state import NAMES, WIDTHS, Lesson
from caldp_ui.compute import runs
from caldp_ui.handout import lesson as handout_lesson
from caldp_ui.offline.document import Part, QuizQuestion
from caldp_ui.shell.page import Page
from caldp_ui.values import view as films
from caldp_ui.values.page_state import AFFAIR as ANSWERS
from caldp_ui.words import formats
from tests.conftest import THOROUGH
from tests.contract.checks import naming
from tests.ui.scenarios import ENDS, number, read_headline

EPSILONS = (0.1, 0.5, 1.0, 3.0, 10.0)


def test_no_number_is_told_as_a_power_of_ten() -> None:
    for lesson in ENDS:
        for broken in (False, True):
            board = STATIONS[lesson.station].open(replace(lesson, broken=broken))
            cells = [cell for column in board.numbers.values() for cell in column.values()]
            for text in (board.headline.sentence, board.headline.second, *cells):
                with naming(text):
                    assert not re.search(r"\de[-+]?\d|nan|inf", text)


def test_headlines_are_short_sentences() -> None:
    for lesson in (
        *ENDS,
        *(Lesson(name, broken=broken) for name in NAMES for broken in (False, True)),
    ):
        for sentence in re.split(r"(?<=[.]) (?=[A-Z0-9])", read_headline(lesson)):
            with naming(sentence):
                assert len(sentence.split()) <= 25
                assert sentence[0].isupper() or sentence[0].isdigit()
                assert sentence.endswith(".")


def test_trust_says_the_coin_and_the_bound() -> None:
    for epsilon in EPSILONS:
        lesson = Lesson(epsilon=epsilon, n=10**9)
        data = trust.trust_data(lesson)
        ratio = data.keep_probability / (1 - data.keep_probability)
        assert ratio == pytest.approx(math.exp(epsilon), rel=1e-6)
        assert ratio <= math.exp(epsilon) * (1 + 1e-12)
        sentence = read_headline(lesson)
        assert f"{formats.hundred(max_guess_accuracy(epsilon))} times in 100" in sentence
        assert f"<b>{formats.hundred(data.keep_probability)}</b>" in trust.coin_html(data)
        assert "<b>0</b>" not in trust.coin_html(data)
        assert abs(data.local - data.yes) < 6 * data.local_off
        assert abs(data.central - data.yes) < 40 * data.central_off + 1e-12


def test_an_intruder_reads_as_many_true_bits_as_the_coin_keeps() -> None:
    lesson, right = Lesson(n=100), []
    for seed in range(200):
        data = trust.trust_data(replace(lesson, seed=seed))
        right.append(int((data.sent == data.truth).sum()))
    kept = 100 * data.keep_probability
    # Standard error of the mean: sqrt(100·p(1−p)/200), 0.31; the coin of an ε a tenth more has 1.9.
    assert abs(np.mean(right) - kept) < 5 * math.sqrt(kept * (1 - data.keep_probability) / 200)


def test_published_shares_are_off_by_what_is_said() -> None:
    outcomes = [trust.trust_data(Lesson(n=1_000, seed=seed)) for seed in range(300)]
    local = np.array([data.local - data.yes for data in outcomes])
    central = np.array([data.central - data.yes for data in outcomes])
    # 285 of 300 are within, with a standard deviation of 3.8; one standard error has 204.
    assert abs((abs(local) <= outcomes[0].local_off).sum() - 285) < 19
    # Of whole numbers no range holds 95 of 100 exactly: at ε = 1 that of ± 3 has 97.
    assert abs((abs(central) <= outcomes[0].central_off + 1e-12).sum() - 291) < 16
    assert abs(local.mean()) < 5 * outcomes[0].local_off / 1.96 / np.sqrt(300)


def test_sums_grow_as_the_lecture_says_and_points_lie_around_them() -> None:
    data = trust.sums_data(Lesson("sum"))
    np.testing.assert_allclose(data.central[1:], data.central[1], rtol=1e-6)
    np.testing.assert_allclose(data.local / data.local[0], np.sqrt(data.n / data.n[0]), rtol=1e-9)
    draws = [trust.sums_data(Lesson("sum", seed=s)) for s in range(30)]
    # 240 outcomes each: a root of mean squares is known to 5 %, that of geometric noise to 8 %.
    local, central = (
        np.sqrt(np.mean([each**2 for each in errors], axis=(0, 2)))
        for errors in ([d.local_errors for d in draws], [d.central_errors for d in draws])
    )
    np.testing.assert_allclose(local / data.local, 1.0, atol=0.25)
    np.testing.assert_allclose(central / data.central, 1.0, atol=0.4)
    # Vary by c²·p(1−p)·n, c = 1/(2p−1): n·e^ε/(e^ε−1)², and about n/ε² for small ε.
    small = trust.sums_data(Lesson("sum", 0.1, 10**6))
    assert small.here[1] == pytest.approx(10**3 / 0.1, rel=0.01)
    assert small.here[0] == pytest.approx(math.sqrt(2) / 0.1, rel=0.01)


def test_the_standard_error_is_the_formula_s() -> None:
    for epsilon in EPSILONS:
        power, n = math.exp(epsilon), 10**6
        by_formula = math.sqrt(n * power) / (power - 1)
        deviation = trust.sums_data(Lesson("sum", epsilon, n)).here[1]
        assert deviation == pytest.approx(by_formula, rel=1e-6)


def test_the_estimate_is_the_formula_s_with_the_live_numbers() -> None:
    for epsilon in EPSILONS:
        lesson = Lesson("sum", epsilon, 10**6)
        data, power = trust.sums_data(lesson), math.exp(epsilon)
        by_hand = ((power + 1) * data.reports - lesson.n) / (power - 1)
        assert data.estimate == pytest.approx(by_hand, rel=1e-6)


def test_reports_at_their_word_are_off_by_the_lies() -> None:
    lesson = Lesson("sum", 1.0, 10**9)
    data = trust.sums_data(lesson)
    assert abs(data.reports - data.yes) == pytest.approx(data.here[2], rel=1e-3)
    assert data.here[2] > 1_000 * data.here[1]


def test_needed_leads_are_right_in_95_of_100_and_in_the_lecture_s_order() -> None:
    for lesson in (Lesson("selection"), Lesson("selection", 3.0, 10**6, items=256)):
        data = selection.compute_data(lesson)
        central, one_hot, bitwise = data.needed_leads
        assert central is not None
        assert one_hot is not None
        assert bitwise is not None
        assert central < one_hot < bitwise
        d, e = lesson.items, lesson.epsilon
        assert float(OneHotResponse(d, e).chance(one_hot, lesson.n)) >= 0.95
        assert float(OneHotResponse(d, e).chance(0.8 * one_hot, lesson.n)) < 0.95
        assert float(BitwiseResponse(d, e).chance(bitwise, lesson.n)) >= 0.95
        assert float(BitwiseResponse(d, e).chance(0.8 * bitwise, lesson.n)) < 0.95
    none = selection.compute_data(Lesson("selection", 0.1, 100))
    assert none.needed_leads[1:] == (None, None)
    assert "even with a trusted server" in read_headline(Lesson("selection", 0.1, 100))
    some = Lesson("selection", 0.1, 100, items=4)
    assert selection.compute_data(some).needed_leads[1:] == (None, None)
    assert "with local noise no lead is" in read_headline(some)
    assert "bit by bit it takes more votes than there are" in read_headline(some)
    assert selection.compute_data(ENDS[3]).needed_leads[0] is None
    assert "even with a trusted server" in read_headline(ENDS[3])


def test_the_notes_thresholds_and_how_the_curves_are_reckoned() -> None:
    for n, epsilon, d in ((100, 1.0, 4), (10**6, 0.5, 64)):
        data = selection.compute_data(Lesson("selection", epsilon, n, items=d))
        root = math.sqrt(n)
        notes = (math.log(d), root * math.log(d), root * math.log2(d))
        assert data.lecture_thresholds == pytest.approx([each / epsilon for each in notes])
    assert "exact: every sum" in selection.how(EXACT_PEOPLE)
    assert "as normal" in selection.how(EXACT_PEOPLE + 1)


def test_elections_are_held_with_the_lead_that_is_drawn() -> None:
    for n, d, lead in ((1_000, 16, 1), (10**9, 1024, 777), (100, 4, 100)):
        votes = even_votes(n, d, lead)
        assert votes[-1] - votes[:-1].max() == lead
        assert votes.sum() <= n
    data = selection.compute_data(Lesson("selection"))
    formulas = np.stack([data.central, data.one_hot, data.bitwise], axis=1)
    at = np.searchsorted(data.lead, data.simulated_leads)
    # 200 elections a point: standard errors up to 3.6 %, and ties are shared out differently.
    np.testing.assert_allclose(data.simulated_shares, formulas[at], atol=0.2)


def test_the_example_elects_whom_nobody_chose() -> None:
    sentence = read_headline(Lesson("selection", broken=True))
    people = [item for item, votes in selection.EXAMPLE.items() for _ in range(votes)]
    assert len(people) == 100
    ones = [sum(int(item[bit]) for item in people) for bit in range(3)]
    elected = "".join("1" if each > 50 else "0" for each in ones)
    assert elected == selection.ELECTED == "111"
    assert elected not in people
    assert "bit by bit elects 111, which nobody chose." in sentence
    figure = selection.example_figure(LIGHT)
    assert dict(zip(figure.data[0].x, figure.data[0].y, strict=True))["111"] == 0
    assert list(figure.data[2].y) == ones
    assert [a + b for a, b in zip(figure.data[1].y, figure.data[2].y, strict=True)] == [100] * 3


def test_the_dotted_lines_of_selection_are_the_leads_of_its_headline() -> None:
    for lesson in (Lesson("selection"), Lesson("selection", 3.0, 10**6, items=256)):
        for view in ("people", "percent"):
            shown = replace(lesson, view=view)
            now = STATIONS["selection"].open(shown).headline.figures
            figure = selection.figure(selection.compute_data(shown), shown, LIGHT)
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
    drawn = [
        trust.figure(data, replace(lesson, view=view), LIGHT) for view in ("people", "percent")
    ]
    for people, percent in zip(drawn[0].data, drawn[1].data, strict=True):
        if people.mode == "lines":
            np.testing.assert_allclose(percent.y, 100 * people.y / people.x)
    names = [trace.text for trace in drawn[1].data if trace.mode == "text"]
    assert [each.strip() for each in names[0]] == [
        "local",
        "trusted server",
        "local, noise left in",
    ]


def test_one_limit_of_stored_noise_and_both_true_bits_are_drawn() -> None:
    for lesson in (Lesson("rappor"), Lesson("rappor", 3.0, values=3)):
        data = daily.follow_phone(lesson)
        by_name = {trace.name: trace.y for trace in daily.leak(data, lesson, LIGHT).data}
        assert set(by_name["limit of stored noise"]) == {100 * data.stored_limit}
        assert "most that ε allows, one value" not in by_name
        rows = daily.bits(data, lesson)
        assert rows.count('class="true"') == daily.HASHES * len(data.rows)


def test_sketches_come_with_the_naive_one() -> None:
    names = [
        {trace.name for trace in counting.figure(counting.compute_data(each), each, LIGHT).data}
        for each in (Lesson("bits"), Lesson("bits", broken=True))
    ]
    sketches = {"sketch", "one-bit Hadamard sketch", "one function for all"}
    assert not names[0] & sketches
    assert sketches <= names[1]


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


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_rappor_never_tells_more_than_is_said(epsilon: float) -> None:
    data = daily.follow_phone(Lesson("rappor", epsilon, values=3))
    slack = 4 * 2.0**-11  # of the grid on which likelihoods are added up
    assert max(data.stored) <= data.stored_limit + slack <= max_guess_accuracy(epsilon) + 2 * slack
    assert max(data.changing) <= max_guess_accuracy(epsilon, 3) + 3 * slack
    assert data.redrawn[-1] >= data.stored[-1] - slack


def test_two_pages_of_the_first_cohort_share_no_bit() -> None:
    """What the curves suppose of the two values that an onlooker is torn between."""
    made = LastingRappor(daily.BITS, daily.HASHES, 1.0)
    blooms = [made.bloom(page) for page in daily.PAGES]
    assert (blooms[0] & blooms[1]).sum() == 0
    assert blooms[0].sum() == blooms[1].sum() == daily.HASHES


def test_the_crowd_is_decoded_within_its_standard_errors() -> None:
    data = daily.ask_crowd(Lesson("rappor", 3.0, 10**6, view="crowd"))
    assert (np.abs(data.decoded - data.truth) < 5 * data.deviation).all()
    assert data.truth.sum() == 10**6


def test_long_reports_buy_next_to_nothing_at_every_setting() -> None:
    for epsilon in EPSILONS:
        for items in (4, 64, 1024):
            data = counting.compute_data(Lesson("bits", epsilon, items=items))
            galois = data.named("Galois")
            longest = max(data.responses, key=lambda cost: cost.bits)
            assert galois.bits <= longest.bits
            wide = min(data.named("RAPPOR").off, data.named("optimized unary encoding").off)
            assert galois.off <= 1.035 * wide


def test_an_axis_of_errors_shows_whole_decades_around_all_of_them() -> None:
    for lesson in (Lesson("bits"), Lesson("bits", items=1024, broken=True), *ENDS[6:7]):
        with naming(str(lesson)):
            figure = counting.figure(counting.compute_data(lesson), lesson, LIGHT)
            ends = np.array(figure.layout.yaxis.range)
            low, high = np.rint(ends)
            np.testing.assert_allclose(ends, [low, high], atol=0.011)
            assert low < high
            drawn = np.log10(np.concatenate([trace.y for trace in figure.data]))
            assert low <= drawn.min() < low + 1
            assert high - 1 < drawn.max() <= high


def test_one_function_for_all_is_never_better_than_is_said() -> None:
    lesson = Lesson("bits", 10.0, 10**9, broken=True, items=64)
    data = counting.compute_data(lesson)
    bound = re.search(r"never below ([\d.]+) percentage points", read_headline(lesson))
    assert bound
    floor = float(bound[1]) / 100
    assert all(cost.off > 0.99 * floor for cost in data.single)
    assert data.single[-1].off < 1.1 * floor
    assert data.sketch[-1].off < 0.2 * floor


def test_means_are_as_accurate_in_any_bucket_and_nearest_is_not() -> None:
    data = daily.means_data(Lesson("means", n=10**9))
    assert (data.by_offset == data.by_offset[0]).all()
    assert data.to_nearest[0] == pytest.approx(data.by_offset[0], rel=1e-6)
    assert data.to_nearest[-1] > 100 * data.by_offset[-1]
    assert (np.diff(data.coins) < 0).all()
    assert data.coins[0] > 10
    assert 1 <= data.coins[-1] < 2
    outcomes = [daily.means_data(Lesson("means", seed=s)) for s in range(120)]
    off = math.sqrt(np.mean([(each.estimate - each.truth) ** 2 for each in outcomes]))
    assert off == pytest.approx(outcomes[0].by_offset[0], rel=0.25)
    assert len(WIDTHS) == data.coins.size


def test_the_means_open_where_the_two_ways_to_round_differ() -> None:
    random, nearest, _ = daily.means_data(Lesson("means")).at(Lesson().width)
    assert nearest > 3 * random


def test_a_new_coin_every_day_costs_what_is_said() -> None:
    lesson = Lesson("means", 0.5, broken=True)
    assert read_headline(lesson).endswith("With a new bit every day, ε adds up to 30.")
    kept, fresh = station.audit_station("means", 0.5)
    assert kept.holds
    # Three days of coins that are not kept: three times ε, or hardly less by the rounding of coins.
    assert fresh.loss == pytest.approx(3 * 0.5, rel=1e-9)


def test_the_nearest_bucket_is_off_by_its_bias() -> None:
    lesson = Lesson("means", 5.0, 10**9, width=240)
    minutes = np.arange(241)
    bias = abs(daily.shares() @ (np.where(minutes >= 120, 240, 0) - minutes))
    assert daily.means_data(lesson).at(240)[1] == pytest.approx(bias, rel=0.01)


def test_shuffling_says_the_bound_of_the_crowd_that_is_there() -> None:
    lesson = Lesson("shuffling", 2.0, 10**6, broken=True, blocks=100)
    data = counting.mixing_data(lesson)
    assert data.crowd == 10_000
    expected = [numeric_epsilon(2.0, n, 1e-9) for n in (10**6, 10**4, 10**3)]
    assert data.lesson_bounds == pytest.approx(expected)
    sentence = read_headline(lesson)
    assert all(formats.digits(each) in sentence for each in expected)
    assert (data.numeric_bound <= data.closed + 1e-12).all()
    assert (data.numeric_bound <= data.block + 1e-12).all()
    assert (data.block <= 2.0).all()


def test_figures_draw_what_was_computed() -> None:
    lesson = Lesson(broken=True, blocks=10, values=2, n=10**5)
    drawn: dict[str, tuple[Any, dict[str, Any]]] = {
        "sum": (
            trust.figure(one := trust.sums_data(lesson), lesson, LIGHT),
            {"local: grows with √n": one.local, "local, noise left in": one.noise_left_in},
        ),
        "selection": (
            selection.figure(two := selection.compute_data(lesson), lesson, LIGHT),
            {"bit by bit": 100 * two.bitwise, "trusted server": 100 * two.central},
        ),
        "rappor": (
            daily.leak(three := daily.follow_phone(lesson), lesson, LIGHT),
            {
                "stored noise": 100 * np.array(three.stored),
                "new noise every day": 100 * np.array(three.redrawn),
            },
        ),
        "means": (
            daily.means_figure(four := daily.means_data(lesson), lesson, LIGHT),
            {"to the nearest: error": four.to_nearest, "random bits, stored": four.coins},
        ),
        "shuffling": (
            counting.mixing_figure(five := counting.mixing_data(lesson), lesson, LIGHT),
            {
                "shuffled": five.numeric_bound,
                "in blocks": five.block,
                "90 of 100 are fake": five.honest_bound,
            },
        ),
        "bits": (
            counting.figure(six := counting.compute_data(lesson), lesson, LIGHT),
            {"Galois": [100 * six.named("Galois").off]},
        ),
    }
    for figure, lines in drawn.values():
        by_name = {trace.name: np.asarray(trace.y) for trace in figure.data}
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


def test_the_made_up_days_wander_as_is_said() -> None:
    minutes, _ = daily._days()
    away = minutes[(minutes.mean(axis=1) > 60) & (minutes.mean(axis=1) < 180)]
    assert len(away) > 100
    # 6,000 days and more: known to 1 %; rounding to minutes adds a twelfth to the variance.
    assert np.sqrt(away.var(axis=1, ddof=1).mean()) == pytest.approx(daily._WANDER, rel=0.05)


def test_all_phones_together_keep_epsilon_for_each_person() -> None:
    """Two people, all that both may send; of two data sets that one person tells apart."""
    coin = BinaryMechanism(BinaryPolicy(1.0, 1.0)).exact_channel()
    people = [(a, b) for a in (0, 1) for b in (0, 1)]
    both = [[p * q for p in coin[a] for q in coin[b]] for a, b in people]
    changed = np.array(
        [[sum(a != b for a, b in zip(x, y, strict=True)) for y in people] for x in people]
    )
    for level, holds in ((1.0, True), (0.95, False)):
        policy = DenseMatrix.of(np.where(changed == 0, 0.0, np.where(changed == 1, level, np.inf)))
        assert audit_channel(both, policy).holds == holds


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


OF_MAPS = {
    name
    for name, check in CHECKS.items()
    if check
    in (_more_epsilon, _from_which_step, _unmarked, _all_sensitive, _ten_reports, _which_protects)
}
"""Questions of parts that are pages, whose films are of maps or of answers."""


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


@pytest.mark.slow
def test_keys_are_right_by_their_feedback_and_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Films of maps take most of the time: those questions are held every night."""
    # Numbers are the same in both themes, and colours are not what is asked here.
    monkeypatch.setattr(Page, "in_both_themes", lambda page, record: page.render(record, LIGHT))
    used: set[str] = set()
    for part in (
        *(handout_lesson.page_parts() if THOROUGH else ()),
        *handout_lesson.station_parts(),
    ):
        hold(part, used)
    assert used == (set(CHECKS) if THOROUGH else set(CHECKS) - OF_MAPS)
    assert len(NAMES) == len(handout_lesson.station_parts())
