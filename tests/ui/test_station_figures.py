"""What a station's sentences state, at both ends of every slider, against a second computation.

The second computations are written here, with NumPy and SciPy alone: nothing of the core is used
but the made-up minutes of station 6 and the bound of shuffling, which `theory/` holds. Beside
sentences: formulas, the table of numbers, and the words in pictures.
"""

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
import scipy

from caldp_core.basics.types import Floats, Ints
from caldp_core.mechanisms.randomness import generator
from caldp_core.theory.mixing import numeric_epsilon
from caldp_ui.classroom import counting, daily, selection, station, trust
from caldp_ui.classroom.page import STATIONS
from caldp_ui.classroom.page_state import NAMES, WIDTHS, Lesson
from tests.conftest import THOROUGH
from tests.contract.checks import naming
from tests.ui.readings import hold, is_rounded_up, shows, tokens

TRIALS = 200_000
SLACK = 6 * math.sqrt(0.25 / TRIALS)
"""Six standard deviations of a share of so many trials: one in 5·10⁸ is beyond."""


SETTINGS = ("epsilon", "n", "items", "days", "values", "width", "blocks")


def ends(name: str, **fixed: object) -> Iterator[Lesson]:
    """Lessons at both ends of every slider of a station, and where it begins."""
    lesson = replace(Lesson(name), **fixed)  # type: ignore[arg-type]
    dials = STATIONS[name].dials(lesson)
    yield lesson
    for values in product(*((dial.slider.steps[0], dial.slider.steps[-1]) for dial in dials)):
        at = lesson
        for dial, value in zip(dials, values, strict=True):
            at = dial.slider.with_value(at, value)
        yield at


def figures(lesson: Lesson) -> dict[str, float]:
    return dict(STATIONS[lesson.station].open(lesson).headline.figures)


@pytest.mark.slow
def test_every_number_of_a_sentence_is_a_figure_and_stands_there() -> None:
    # One, a range that says something, pages, days, fakes, a range's level, of how many.
    constants = (1, 10, 12, 60, 90, 95, 100)
    example = (11, 101, 110, 111)  # items as they are written
    for name in NAMES:
        for broken in (False, True):
            for lesson in ends(name, broken=broken):
                reader = [float(getattr(lesson, each)) for each in SETTINGS]
                given = [*reader, *constants, *(example if name == "selection" and broken else ())]
                with naming(str(lesson)):
                    hold(STATIONS[name].open(lesson).headline, given)
    for lesson in ends("rappor", view="crowd"):
        hold(STATIONS["rappor"].open(lesson).headline, (lesson.n, 0, 10, 12, 95))


def test_a_figure_that_is_not_in_its_sentence_is_caught() -> None:
    line = STATIONS["sum"].open(Lesson("sum")).headline
    for name, value in line.figures.items():
        wrong = replace(line, figures={**line.figures, name: 1.1 * value})
        with pytest.raises(AssertionError):
            hold(wrong, (10_000, 100))


def flipped(n: int, yes: int, q: float) -> Floats:
    """(TRIALS,) how many more bits say yes than people, each bit flipped with chance q."""
    rng = np.random.default_rng(3)
    return (rng.binomial(n - yes, q, TRIALS) - rng.binomial(yes, q, TRIALS)).astype(float)


def published(n: int, yes: int, epsilon: float) -> tuple[Floats, Floats]:
    """Errors of a curator's count in [0, n] and their chances, term by term."""
    a = math.exp(-epsilon)
    z = np.arange(-2_000, 2_001)
    return (np.clip(yes + z, 0, n) - yes).astype(float), (1 - a) / (1 + a) * a ** np.abs(z)


def holds_95(errors: Floats, chances: Floats | None, width: float, slack: float) -> None:
    """`width` is the least that holds 95 of 100 errors, but for what drawing them leaves open."""
    weights = np.full(errors.size, 1 / errors.size) if chances is None else chances
    air = 1e-6 * width + 1e-9
    assert weights[np.abs(errors) <= width + air].sum() >= 0.95 - slack
    assert weights[np.abs(errors) < width - air].sum() <= 0.95 + slack


def test_trust() -> None:
    for lesson in ends("trust"):
        with naming(str(lesson)):
            now, data = figures(lesson), trust.trust_data(lesson)
            n, q = lesson.n, 1 / (1 + math.exp(lesson.epsilon))
            yes = max(1, round(0.3 * n))
            assert now["right"] == pytest.approx(100 * (1 - q), rel=1e-6)
            errors = (flipped(n, yes, q) - q * (n - 2 * yes)) / (1 - 2 * q)
            width, off = data.local_off * n, abs(100 * data.local - 100 * yes / n)
            holds_95(*published(n, yes, lesson.epsilon), data.central_off * n, 1e-9)
            # A normal is continuous, and what it stands for moves in steps of a hundredth of it.
            holds_95(errors, None, width, SLACK + (0.003 if n * q > 10**4 else 0))
            assert off <= 3.2 * 100 * width / n + 1e-9
            ends_of_range = 100 * (data.local - width / n), 100 * (data.local + width / n)
            if "needed" in now:  # all shares are possible: no estimate is stated
                assert ends_of_range[0] < 0.5
                assert ends_of_range[1] >= 99.5
                each = (1.959964 / 0.1) ** 2 * q * (1 - q) / (1 - 2 * q) ** 2
                assert set(now) == {"right", "needed"}
                assert is_rounded_up(now["needed"], each)
                continue
            assert now["true"] == pytest.approx(100 * yes / n)
            assert (now["estimate"], now["range"]) == (100 * data.local, 100 * data.local_off)
            assert ends_of_range[0] >= 0.5 or ends_of_range[1] < 99.5


def test_estimates_of_trust_scatter_as_their_range_says() -> None:
    lesson, draws = Lesson("trust", n=2_000), 400
    shown = [figures(replace(lesson, seed=seed)) for seed in range(draws)]
    errors = np.array([now["estimate"] - now["true"] for now in shown])
    width = shown[0]["range"]
    holds_95(errors, None, width, 6 * math.sqrt(0.95 * 0.05 / draws) + 1 / draws)
    assert abs(errors.mean()) < 6 * width / 1.96 / math.sqrt(draws)


def test_sums() -> None:
    for lesson in ends("sum", broken=True):
        with naming(str(lesson)):
            now, n, power = figures(lesson), lesson.n, math.exp(lesson.epsilon)
            yes, q = round(0.3 * n), 1 / (1 + power)
            errors, chances = published(n, yes, lesson.epsilon)
            assert now["central"] == pytest.approx(math.sqrt(chances @ errors**2), rel=1e-6)
            for name, people in (("local", n), ("local, more people", 100 * n)):
                true = round(0.3 * people)
                # Drawn reports, counted and kept between nobody and all, as the server's number is.
                estimates = true + flipped(people, true, q) / (1 - 2 * q)
                estimates -= q * (people - 2 * true) / (1 - 2 * q)
                squares = (np.clip(estimates, 0, people) - true) ** 2
                off = 6 * squares.std() / math.sqrt(squares.size) + 1e-9 * people
                assert abs(now[name] ** 2 - squares.mean()) <= off
                # Where it never gets near an end, the closed form.
                unkept = math.sqrt(people * power) / (power - 1)
                assert now[name] <= unkept * (1 + 1e-9)
                if 8 * unkept < true:
                    assert now[name] == pytest.approx(unkept, rel=1e-6)
            assert now["more people"] == 100 * n
            assert now["share"] == pytest.approx(100 * now["local"] / n)
            assert now["share, more people"] == pytest.approx(now["local, more people"] / n)
            counted = flipped(n, yes, q)
            by_hand = math.sqrt((counted**2).mean())
            rare = n * q < 1  # few flips: known to a few percent
            assert now["noise left in"] == pytest.approx(by_hand, rel=0.25 if rare else 0.02)


def elections(lesson: Lesson, lead: int) -> dict[str, float]:
    """Shares of elections that the favourite wins, ties lost, by each method; all rivals equal."""
    n, d, rng = lesson.n, lesson.items, np.random.default_rng(5)
    b, draws = d.bit_length() - 1, max(400, 200_000 // d)
    votes = np.full(d, max(n - lead, 0) // d)
    votes[-1] += lead
    noise = rng.geometric(1 - math.exp(-lesson.epsilon / 2), (2, draws, d))
    central = votes + noise[0] - noise[1]
    own = 1 / (1 + math.exp(-lesson.epsilon / 2))
    people = int(votes.sum())
    size = (draws, d)
    one_hot = rng.binomial(votes, own, size) + rng.binomial(people - votes, 1 - own, size)
    ones = int((people + lead) // 2)
    kept = 1 / (1 + math.exp(-lesson.epsilon / b))
    bits = rng.binomial(ones, kept, (draws, b)) + rng.binomial(people - ones, 1 - kept, (draws, b))
    return {
        "trusted server": float((central[:, -1] > central[:, :-1].max(axis=1)).mean()),
        "one bit per item": float((one_hot[:, -1] > one_hot[:, :-1].max(axis=1)).mean()),
        "bit by bit": float((2 * bits > people).all(axis=1).mean()),
    }


@pytest.mark.slow
def test_selection() -> None:
    for lesson in list(ends("selection"))[:: 1 if THOROUGH else 4]:
        now = figures(lesson)
        for name in ("trusted server", "one bit per item", "bit by bit"):
            with naming(f"{lesson}: {name}"):
                draws = max(400, 100_000 // lesson.items)
                # Six standard deviations at 0.95, and what normals and rounded votes leave open.
                air = 6 * math.sqrt(0.95 * 0.05 / draws) + 0.02
                lead = int(now[name]) if name in now else lesson.n
                if name in now:
                    assert elections(lesson, lead)[name] >= selection.SURE - air
                below = lead - max(1, lead // 5) if name in now else lead
                assert below == 0 or elections(lesson, below)[name] <= selection.SURE + air


def likelihoods(days: int, keep: float, stored: bool) -> tuple[Floats, Floats]:
    """Laws of how often a bit that is set, and one that is not, is sent in so many days."""
    k = np.arange(days + 1)
    often, rarely = (scipy.stats.binom.pmf(k, days, p) for p in (0.75, 0.25))
    if stored:
        return keep * often + (1 - keep) * rarely, keep * rarely + (1 - keep) * often
    sent = keep * 0.75 + (1 - keep) * 0.25
    return scipy.stats.binom.pmf(k, days, sent), scipy.stats.binom.pmf(k, days, 1 - sent)


def by_trials(parts: list[int], keep: float, stored: bool) -> float:
    """Right guesses of 100, drawn: two bits that are set and two that are not for each page."""
    rng, total = np.random.default_rng(7), np.zeros(TRIALS)
    for days in parts:
        on, off = likelihoods(days, keep, stored)
        ratio = np.log(np.maximum(on, 1e-300)) - np.log(np.maximum(off, 1e-300))
        for law, sign in ((on, 1), (on, 1), (off, -1), (off, -1)):
            total += sign * ratio[rng.choice(days + 1, TRIALS, p=law / law.sum())]
    return 100 * float(((total > 1e-9) + 0.5 * (np.abs(total) < 1e-9)).mean())


@pytest.mark.slow
def test_rappor_of_one_phone() -> None:
    for lesson in ends("rappor", broken=True):
        with naming(str(lesson)):
            now, values = figures(lesson), lesson.values
            keep = 1 / (1 + math.exp(-lesson.epsilon / 4))
            parts = [lesson.days // values + (i < lesson.days % values) for i in range(values)]
            parts = [part for part in parts if part]
            sentence = STATIONS["rappor"].open(lesson).headline.sentence
            assert (" pages." in sentence) == (len(parts) > 1)
            assert f" and {len(parts)} pages." in sentence or len(parts) == 1
            air = 100 * SLACK + 0.3  # likelihoods are added up on a grid
            assert abs(now["right"] - by_trials(parts, keep, True)) <= air
            assert abs(now["redrawn"] - by_trials([lesson.days], keep, False)) <= air
            assert abs(now["redrawn in the end"] - by_trials([60], keep, False)) <= air
            agree = np.arange(4 * values + 1)
            law = scipy.stats.binom.pmf(agree, 4 * values, keep)
            limit = law[agree > 2 * values].sum() + law[2 * values] / 2
            assert abs(now["limit"] - 100 * limit) <= 0.3
            assert now["right"] <= now["limit"] + 0.3


def test_rappor_of_all_phones_counts_what_its_ranges_say() -> None:
    for lesson in ends("rappor", view="crowd"):
        with naming(str(lesson)):
            board = STATIONS["rappor"].open(lesson)
            data, now = daily.ask_crowd(lesson), dict(board.headline.figures)
            true, first, error = (100 * data.iloc[0] / lesson.n).tolist()
            if first - 1.96 * error < 0.5 and first + 1.96 * error >= 99.5:
                assert is_rounded_up(now["needed"], lesson.n * (0.196 * error) ** 2)
                assert not {"estimate", "true", "range"} & set(now)
            else:
                assert (now["estimate"], now["true"]) == pytest.approx((first, true))
                assert now["range"] == pytest.approx(1.959964 * error, rel=1e-6)
            columns = {
                name: [float(cell.replace(",", "")) for cell in column.values()]
                for name, column in board.numbers.items()
            }
            above = [
                decoded > 1.96 * off
                for decoded, off in zip(columns["decoded"], columns["standard error"], strict=True)
            ]
            assert now["above 0"] == sum(above)
    within, many = [], Lesson("rappor", 3.0, 10**6, view="crowd")
    for seed in range(100):
        data = daily.ask_crowd(replace(many, seed=seed))
        off = np.abs(data.decoded - data.truth) <= 1.96 * data["standard error"]
        within.append(off.mean())
    pages = len(daily.PAGES)
    # 1,200 estimates, those of one draw not quite independent: 2 % for 0.63 % a standard deviation.
    assert abs(np.mean(within) - 0.95) < 6 * math.sqrt(0.95 * 0.05 / (100 * pages)) * 1.2


def test_shorter_reports() -> None:
    for lesson in ends("bits", broken=True):
        with naming(str(lesson)):
            now, d, n = figures(lesson), lesson.items, lesson.n
            power = math.exp(lesson.epsilon / 2)
            assert now["wide"] == pytest.approx(100 * math.sqrt(power / n) / (power - 1), rel=1e-6)
            assert now["wide bits"] == d
            m, k = counting._CELLS[-1], np.arange(d)
            shares = m / (m - 1) * ((k + 1) / d - 1 / m) - 1 / d
            law = scipy.stats.binom.pmf(k, d - 1, 1 / m)
            assert now["floor"] == pytest.approx(100 * math.sqrt(law @ shares**2), rel=1e-6)
            short, bits = galois_by_hand(d, lesson.epsilon)
            assert now["short"] == pytest.approx(100 * short / math.sqrt(n), rel=1e-4)
            assert now["short bits"] == bits


def error_of_mean(lesson: Lesson, at: Ints) -> float:
    """Of random bits where each of 241 minutes is rounded to `at` first."""
    n, power = lesson.n, math.exp(lesson.epsilon)
    people = generator(lesson.seed).multinomial(n, daily.shares())
    chance = (1 + at / 240 * (power - 1)) / (power + 1)
    spread = 240 * (power + 1) / (power - 1) * math.sqrt(people @ (chance * (1 - chance)))
    return math.hypot(spread / n, people @ (at - np.arange(241)) / n)


def test_means() -> None:
    minutes = np.arange(241)
    for lesson in ends("means", broken=True):
        with naming(str(lesson)):
            now = figures(lesson)
            nearest = np.floor(minutes / lesson.width + 0.5).astype(int) * lesson.width
            assert now["random"] == pytest.approx(error_of_mean(lesson, minutes), rel=1e-6)
            assert now["nearest"] == pytest.approx(error_of_mean(lesson, nearest), rel=1e-6)
            numbers, offsets = daily._days()
            places = (numbers + (offsets % lesson.width)[:, None]) // lesson.width
            drawn = np.mean([np.unique(row).size for row in places])
            assert now["bits"] == pytest.approx(drawn)
            assert now["budget"] == pytest.approx(drawn * lesson.epsilon)
            assert now["daily budget"] == pytest.approx(60 * lesson.epsilon)


def excess_of_shuffled_coins(n: int, coin: float, after: float) -> float:
    """Exact δ of n shuffled random bits at ε `after`: one person says 1 or 0, all others 0."""
    p = math.exp(coin) / (1 + math.exp(coin))
    others = scipy.stats.binom.pmf(np.arange(n), n - 1, 1 - p)
    zero = np.convolve(others, [p, 1 - p])
    one = np.convolve(others, [1 - p, p])
    return max(
        float(np.maximum(a - math.exp(after) * b, 0).sum()) for a, b in ((zero, one), (one, zero))
    )


def test_shuffling() -> None:
    for lesson in (*ends("shuffling"), *ends("shuffling", broken=True, blocks=50)):
        with naming(str(lesson)):
            now, e = figures(lesson), lesson.epsilon
            crowd = max(1, lesson.n // lesson.blocks)
            assert now["mixed"] == pytest.approx(numeric_epsilon(e, crowd, 1e-9))
            if lesson.blocks > 1:
                assert now["crowd"] == crowd
                assert now["one block"] == pytest.approx(numeric_epsilon(e, lesson.n, 1e-9))
            if lesson.broken:
                real = max(1, crowd // 10)
                assert now["fakes"] == pytest.approx(numeric_epsilon(e, real, 1e-9))
            if crowd <= 10**4:
                assert excess_of_shuffled_coins(crowd, e, now["mixed"]) <= 1e-9 * (1 + 1e-6)


def test_the_headline_of_shuffling_is_that_of_the_blocks() -> None:
    alone = Lesson("shuffling", blocks=10_000)
    sentence = STATIONS["shuffling"].open(alone).headline.sentence
    assert sentence == "Once 10,000 reports in 10,000 blocks are shuffled, ε stays at 1."
    single = STATIONS["shuffling"].open(Lesson("shuffling", n=1)).headline.sentence
    assert single == "Once 1 report is shuffled, ε stays at 1."


Figures = dict[str, float]


def logistic(level: float) -> float:
    return 1 / (1 + math.exp(-level))


def trust_formula(lesson: Lesson) -> Figures:
    kept, power = logistic(lesson.epsilon), math.exp(lesson.epsilon)
    return {"kept": kept, "flipped": 1 - kept, "ratio": power, "power": power}


def sum_formula(lesson: Lesson) -> Figures:
    n, power, reports = lesson.n, math.exp(lesson.epsilon), trust.sums_data(lesson).reports
    return {
        "reports": reports,
        "n": n,
        "plus": power + 1,
        "minus": power - 1,
        "estimate": ((power + 1) * reports - n) / (power - 1),
        "yes": round(0.3 * n),
        "error": math.sqrt(n * power) / (power - 1),
    }


def notes(lesson: Lesson) -> tuple[float, float, float]:
    """The notes' thresholds in votes."""
    d, e, root = lesson.items, lesson.epsilon, math.sqrt(lesson.n)
    return math.log(d) / e, root * math.log(d) / e, root * math.log2(d) / e


def selection_formula(lesson: Lesson) -> Figures:
    thresholds = dict(zip(("central", "one_hot", "bitwise"), notes(lesson), strict=True))
    return {**thresholds, "bits": math.log2(lesson.items)}


def rappor_formula(lesson: Lesson) -> Figures:
    """By the paper: f/2 of 4 bits that two pages differ by, q* and p* of a day."""
    flip = 1 - logistic(lesson.epsilon / 4)
    likely, unlikely = 0.75 - flip / 2, 0.25 + flip / 2
    agree = np.arange(5)
    law = scipy.stats.binom.pmf(agree, 4, 1 - flip)
    return {
        "flip": flip,
        "epsilon": lesson.epsilon,
        "one_day": 2 * math.log(likely * (1 - unlikely) / (unlikely * (1 - likely))),
        "known": 100 * float(law[agree > 2].sum() + law[2] / 2),
        "hashes": 2,
        "bits": 32,
        "cohorts": 8,
    }


def means_formula(lesson: Lesson) -> Figures:
    rng = generator(lesson.seed)
    people = rng.multinomial(lesson.n, daily.shares())
    truth = float(people @ np.arange(241)) / lesson.n
    return {"truth": truth, "estimate": daily.means_data(lesson).estimate, "wander": 8}


def closed_form(epsilon: float, n: int) -> float:
    """The main theorem of "Hiding among the clones"; ε₀ where it says nothing."""
    if epsilon > math.log(max(n / (16 * math.log(2e9)), 1e-300)):
        return epsilon
    power = math.exp(epsilon)
    terms = 8 * math.sqrt(power * math.log(4e9)) / math.sqrt(n) + 8 * power / n
    return min(epsilon, math.log(1 + (power - 1) / (power + 1) * terms))


def shuffling_formula(lesson: Lesson) -> Figures:
    return {
        "closed": closed_form(lesson.epsilon, lesson.n),
        "best": numeric_epsilon(lesson.epsilon, lesson.n, 1e-9),
        "crowd": max(1, lesson.n // lesson.blocks),
        "epsilon": lesson.epsilon,
    }


FORMULAS: dict[str, Callable[[Lesson], Figures]] = {
    "trust": trust_formula,
    "sum": sum_formula,
    "selection": selection_formula,
    "rappor": rappor_formula,
    "bits": lambda _: {"functions": 256},
    "means": means_formula,
    "shuffling": shuffling_formula,
}


@pytest.mark.parametrize("name", NAMES)
def test_formulas_say_the_lesson_s_numbers(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    said: dict[str, object] = {}
    monkeypatch.setattr(station, "formula", lambda _, **figures: said.update(figures))
    monkeypatch.setattr(counting, "terms", lambda *_: None)
    for lesson in ends(name):
        with naming(str(lesson)):
            STATIONS[name].open(lesson).formula()
            expected = FORMULAS[name](lesson)
            texts = {key: said[key] for key in expected}
            assert said.keys() - {"how"} == expected.keys()
            for key, value in expected.items():
                assert matches(texts[key], value), f"{key}: {texts[key]} for {value}"
                assert not matches(texts[key], 1.1 * value + 0.01), key


def matches(said: object, value: float) -> bool:
    """A number as it is, or as a text may show it."""
    if isinstance(said, str):
        return any(shows(token, value) for token in tokens(said))
    return isinstance(said, int | float) and math.isclose(said, value, rel_tol=1e-6, abs_tol=1e-6)


Table = Mapping[str, Mapping[str, str]]


def hold_table(numbers: Table, expected: Mapping[str, Any]) -> None:
    """Each cell of these columns shows its number; `expected`: a number a row, in their order."""
    for title, values in expected.items():
        for (row, cell), value in zip(numbers[title].items(), values, strict=True):
            assert matches(cell, value), f"{title}, {row}: {cell} for {value}"


def test_the_table_and_words_of_trust() -> None:
    for lesson in (*ends("trust"), *ends("trust", broken=True)):
        with naming(str(lesson)):
            board, data = STATIONS["trust"].open(lesson), trust.trust_data(lesson)
            kept, m = logistic(lesson.epsilon), min(lesson.n, 100)
            right = int((data.sent == data.truth).sum())
            central, local = board.numbers["trusted server"], board.numbers["local"]
            assert central["true bits on the server"] == f"{m} of {m}"
            assert local["true bits on the server"] == f"{right} of {m}"
            assert matches(local["an attacker is right, from even odds"], 100 * kept)
            coin = re.findall(r"<b>(.+?)</b>", trust.coin_html(data))
            assert [matches(each, 100 * p) for each, p in zip(coin, (kept, 1 - kept), strict=True)]
            said = trust.attacker(data.sent, data)
            assert said.startswith(f"Attacker: {right} of {m} right")
            assert matches(said.partition("draw, ")[2], 100 * kept)
            assert trust.attacker(data.truth, data).endswith(f"reads {m} of {m} true answers")


def test_the_table_of_leads() -> None:
    for lesson in ends("selection"):
        with naming(str(lesson)):
            board = STATIONS["selection"].open(lesson)
            for column, name, note in zip(
                board.numbers.values(), board.numbers, notes(lesson), strict=True
            ):
                assert matches(column["the notes' threshold"], note)
                lead = column["lead for 95 of 100"]
                figure = board.headline.figures.get(name)  # held by elections
                assert lead == "none is enough" if figure is None else matches(lead, figure)


@pytest.mark.slow
def test_the_table_of_one_phone() -> None:
    for epsilon, values in ((0.1, 5), (10.0, 1), (10.0, 5)):
        lesson = Lesson("rappor", epsilon, values=values)
        with naming(str(lesson)):
            numbers = STATIONS["rappor"].open(lesson).numbers
            keep = logistic(epsilon / 4)
            for days, row in ((1, "1 day"), (60, "60 days")):
                parts = [days // values + (i < days % values) for i in range(values)]
                for title, right in (
                    ("stored noise", by_trials([days], keep, True)),
                    ("new noise every day", by_trials([days], keep, False)),
                    ("several values", by_trials([part for part in parts if part], keep, True)),
                ):
                    (number,) = [n for _, n in tokens(numbers[title][row]) if n != 100][:1] or [100]
                    assert abs(number - right) < 1.0, f"{title}, {row}: {number} for {right}"


def equally_common(lesson: Lesson, own: float, other: float) -> float:
    """Standard error in points of a share, n/d people each, by the chances to be included."""
    d, n = lesson.items, lesson.n
    variance = (own * (1 - own) + (d - 1) * other * (1 - other)) / d
    return 100 * math.sqrt(variance / n) / (own - other)


def test_the_table_of_responses() -> None:
    """Chances to be included and bits by the papers."""
    for lesson in ends("bits"):
        with naming(str(lesson)):
            d, power, half = lesson.items, math.exp(lesson.epsilon), math.exp(lesson.epsilon / 2)
            rows = 2 ** math.ceil(math.log2(d + 1))
            chances = {
                "randomized response": (power / (power + d - 1), 1 / (power + d - 1), d),
                "RAPPOR": (half / (half + 1), 1 / (half + 1), 2**d),
                "optimized unary encoding": (0.5, 1 / (power + 1), 2**d),
                "Hadamard": (power / (power + 1), 0.5, rows),
            }
            numbers = STATIONS["bits"].open(lesson).numbers
            for name, (own, other, outputs) in chances.items():
                error = equally_common(lesson, own, other)
                assert matches(numbers["standard error of a share"][name], error), name
                assert numbers["bits per report"][name] == f"{(outputs - 1).bit_length():,}", name


def galois_by_hand(items: int, epsilon: float) -> tuple[float, int]:
    """Error of one person's report and its bits, by hyperplanes of F_q^d (`docs/galois.md`).

    For q of a few bits, or randomized response: the least error. But for the trifle by which two
    values share fewer than 1/q of the hyperplanes it is (e^ε+q−1)/((e^ε−1)·√(q−1)).
    """
    power, found = math.exp(epsilon), []
    for q in [2**bits for bits in range(1, 11)]:
        dimension = next(d for d in range(1, 12) if q**d >= items)
        shared = (q ** (dimension - 1) - 1) / (q**dimension - 1)
        values = items if dimension == 1 else q
        own, wrong = power / (power + values - 1), 1 / (power + values - 1)
        other = shared * own + (1 - shared) * wrong
        outputs = items if dimension == 1 else (q**dimension - 1) // (q - 1) * q
        variance = (own * (1 - own) + (items - 1) * other * (1 - other)) / items
        found.append((math.sqrt(variance) / (own - other), (outputs - 1).bit_length()))
    return min(found)


def test_the_cell_of_galois_response_at_every_number_of_items() -> None:
    for lesson in ends("bits"):
        numbers = STATIONS["bits"].open(lesson).numbers
        error, bits = galois_by_hand(lesson.items, lesson.epsilon)
        shown = numbers["standard error of a share"]["Galois"]
        with naming(f"{lesson}: {shown}"):
            assert matches(shown, 100 * error / math.sqrt(lesson.n))
            assert numbers["bits per report"]["Galois"] == f"{bits:,}"
            is_known = 100 * error / math.sqrt(lesson.n) <= 100  # else all shares are possible
            assert not (is_known and matches(shown, 105 * error / math.sqrt(lesson.n)))


def sketched_by_hand(kind: str, cells: int, lesson: Lesson) -> tuple[float, int]:
    """Error of a share in points and bits of a report, by pairs of people.

    Of another value's c people each shares the cell with chance 1/m, two of them together where
    they have one function of 256. `lecture/test_lecture.py` holds the law by brute force.
    """
    d, n, m, k = lesson.items, lesson.n, cells, 256
    people = np.full(d, n // d) + (np.arange(d) < n % d)
    once = (1 / m) * (1 - 1 / m)
    others = people * once + people * (people - 1.0) * once / k
    shared = others.sum() - others
    if kind == "sketch":
        kept = logistic(lesson.epsilon / 2)
        coins = np.full(d, n * kept * (1 - kept) / (2 * kept - 1) ** 2)
        bits = m + 8
    else:
        # A sign of size c: variance c² less the square of its mean, 1 in the cell and 0 elsewhere.
        c = 1 / (2 * logistic(lesson.epsilon) - 1)
        inside = people + (n - people) / m
        coins = inside * (c**2 - 1) + (n - inside) * c**2
        bits = 1 + (m.bit_length() - 1) + 8
    variance = (m / (m - 1)) ** 2 * (shared + coins)
    return 100 * math.sqrt(variance.mean()) / n, bits


SKETCHES = [(kind, m) for kind in ("sketch", "Hadamard sketch") for m in (4, 16, 64, 256, 1024)]


def test_the_table_of_sketches() -> None:
    for lesson in ends("bits"):
        numbers = STATIONS["bits"].open(lesson).numbers
        for kind, m in SKETCHES:
            row = f"{kind}, {m:,} cells"
            error, bits = sketched_by_hand(kind, m, lesson)
            shown = numbers["standard error of a share"][row]
            with naming(f"{lesson}, {row}: {shown} for {error}"):
                assert matches(shown, error)
                assert numbers["bits per report"][row] == f"{bits:,}"
                assert not (error <= 100 and matches(shown, 1.1 * error))


def test_the_table_of_means() -> None:
    minutes = np.arange(241)
    for lesson in ends("means"):
        numbers, offsets = daily._days()
        drawn = [
            np.mean([np.unique(row).size for row in (numbers + (offsets % w)[:, None]) // w])
            for w in WIDTHS
        ]
        nearest = [np.floor(minutes / width + 0.5).astype(int) * width for width in WIDTHS]
        expected = {
            "standard error, rounded at random": [error_of_mean(lesson, minutes)] * len(WIDTHS),
            "standard error, to the nearest": [error_of_mean(lesson, at) for at in nearest],
            "random bits in 60 days": drawn,
        }
        with naming(str(lesson)):
            hold_table(STATIONS["means"].open(lesson).numbers, expected)


@pytest.mark.slow
def test_the_table_of_shuffling_and_whom_one_has_to_trust() -> None:
    for lesson in (*ends("shuffling"), *ends("shuffling", blocks=50)):
        e, blocks = lesson.epsilon, lesson.blocks
        sizes = [10**power for power in range(1, 10)]
        crowds = [max(1, n // blocks) for n in sizes]
        expected = {
            "shuffled": [numeric_epsilon(e, n, 1e-9) for n in sizes],
            "in blocks": [numeric_epsilon(e, n, 1e-9) for n in crowds],
            "90 of 100 are fake": [numeric_epsilon(e, max(1, n // 10), 1e-9) for n in crowds],
            "closed form": [closed_form(e, n) for n in sizes],
        }
        with naming(str(lesson)):
            hold_table(STATIONS["shuffling"].open(lesson).numbers, expected)
    # The errors that are named there are those of a small ε, and not of ε = 10.
    data = trust.sums_data(Lesson("sum", 0.1, 10**9))
    assert data.here[:2] == pytest.approx((math.sqrt(2) / 0.1, math.sqrt(1e9) / 0.1), rel=0.01)
    loud = trust.sums_data(Lesson("sum", 10.0, 10)).here
    assert loud[0] < 0.2 * math.sqrt(2) / 10
    assert loud[1] < 0.2 * math.sqrt(10) / 10
    named = [line for line in counting.TRUST.splitlines() if "ε" in line]
    assert len(named) == 2
    assert all("for small ε" in line for line in named)
