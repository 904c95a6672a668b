"""What stations state beside their headlines, at both ends of every slider, computed a second way.

That is the sentence below each formula, the table of numbers (which is the picture's text as well)
and the words in pictures. Of the core nothing is used but the
bound of shuffling, which `theory/` and `test_shuffling_of_many_people` hold by sums of their own.
"""

import math
import re
from collections.abc import Callable, Mapping
from itertools import product
from typing import Any

import numpy as np
import pytest
import scipy

from caldp_core.basics.types import Floats, Ints
from caldp_core.theory.mixing import numeric_epsilon
from caldp_ui.classroom import counting, daily, selection, station, trust
from caldp_ui.classroom.page import STATIONS
from caldp_ui.classroom.page_state import NAMES, WIDTHS, Lesson
from tests.contract.checks import naming
from tests.strategies import thinned
from tests.ui.readings import shows, tokens
from tests.ui.test_station_figures import (
    bracket_excess,
    by_trials,
    ends,
    figures,
    galois_error,
    published,
)

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
    rng = np.random.default_rng(lesson.seed)
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


def hold(numbers: Table, expected: Mapping[str, Any]) -> None:
    """Each cell of these columns shows its number; `expected`: a number a row, in their order."""
    for title, values in expected.items():
        for (row, cell), value in zip(numbers[title].items(), values, strict=True):
            assert matches(cell, value), f"{title}, {row}: {cell} for {value}"


def test_the_table_of_sums() -> None:
    sizes = 10 ** np.arange(1, 10)
    for lesson in ends("sum"):
        power, q = math.exp(lesson.epsilon), 1 - logistic(lesson.epsilon)
        flips, moved = np.sqrt(sizes * q * (1 - q)), q * (sizes - 2 * np.rint(0.3 * sizes))
        laws = (published(n, round(0.3 * n), lesson.epsilon) for n in sizes.tolist())
        expected = {
            "trusted server": [math.sqrt(chances @ errors**2) for errors, chances in laws],
            "local": np.sqrt(sizes * power) / (power - 1),
            "local, noise left in": np.hypot(flips, moved),
        }
        with naming(str(lesson)):
            hold(STATIONS["sum"].open(lesson).numbers, expected)


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
                assert numbers["bits per report"][name] == str((outputs - 1).bit_length()), name
            if d <= 64:
                short, bits = galois_error(lesson)
                assert matches(numbers["standard error of a share"]["Galois"], 100 * short)
                assert numbers["bits per report"]["Galois"] == str(bits)


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
            assert numbers["bits per report"]["Galois"] == str(bits)
            assert not matches(shown, 105 * error / math.sqrt(lesson.n))


def test_galois_response_at_1_024_items_is_off_by_its_closed_form() -> None:
    """(e^ε+q−1)/((e^ε−1)·√(q−1)·√n) at q = 2, 4, to the trifle; ε = 10 has no such q."""
    for epsilon, q in ((0.1, 2), (1.0, 4)):
        power = math.exp(epsilon)
        closed = (power + q - 1) / (power - 1) / math.sqrt(q - 1)
        found = figures(Lesson("bits", epsilon, 10**9, items=1024))["short"]
        assert found == pytest.approx(100 * closed / math.sqrt(1e9), rel=2e-3), epsilon
    power = math.exp(10.0)  # randomized response: included with e^ε and with 1, of e^ε + 1,023
    own, other = (each / (power + 1023) for each in (power, 1.0))
    by_hand = math.sqrt((own * (1 - own) + 1023 * other * (1 - other)) / 1024) / (own - other)
    found = figures(Lesson("bits", 10.0, 10**9, items=1024))["short"]
    assert found == pytest.approx(100 * by_hand / math.sqrt(1e9), rel=1e-6)


def sketched_by_hand(kind: str, cells: int, lesson: Lesson) -> tuple[float, int]:
    """Error of a share in points and bits of a report, by pairs of people.

    Of another value's c people each shares the cell with chance 1/m, two of them together where
    they have one function of 256. `lecture/test_counts.py` holds the law by brute force.
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
            row = f"{kind}, {m} cells"
            error, bits = sketched_by_hand(kind, m, lesson)
            shown = numbers["standard error of a share"][row]
            with naming(f"{lesson}, {row}: {shown} for {error}"):
                assert matches(shown, error)
                assert numbers["bits per report"][row] == str(bits)
                assert not matches(shown, 1.1 * error)


def draw_sketched(kind: str, n: int, m: int, trials: int) -> Floats:
    """(trials,) errors of the share of one of 4 values, with hashes, functions and coins drawn."""
    rng, epsilon, k = np.random.default_rng(17), 1.0, 256
    same = rng.random((trials, k, 3)) < 1 / m
    value, function = np.repeat(np.arange(4), n // 4), rng.integers(k, size=(trials, n))
    shares = np.ones((trials, n), np.bool_)
    others = value > 0
    shares[:, others] = np.take_along_axis(
        same.reshape(trials, -1), function[:, others] * 3 + value[others] - 1, axis=1
    )
    if kind == "sketch":
        kept = logistic(epsilon / 2)
        ones = np.where(rng.random((trials, n)) < kept, shares, ~shares).sum(axis=1)
        hits = (ones - (1 - kept) * n) / (2 * kept - 1)
    else:
        kept = logistic(epsilon)
        signs = np.where(rng.random((trials, n)) < kept, 1, -1)
        agree = np.where(shares, 1, rng.choice((-1, 1), (trials, n)))
        hits = (signs * agree).sum(axis=1) / (2 * kept - 1)
    return np.asarray(m / (m - 1) * (hits - n / m) / n - 1 / 4)


def test_sketches_drawn_are_off_by_what_the_table_says() -> None:
    trials, lesson = 8_000, Lesson("bits", n=100, items=4)
    numbers = STATIONS["bits"].open(lesson).numbers["standard error of a share"]
    for kind in ("sketch", "Hadamard sketch"):
        errors = 100 * draw_sketched(kind, 100, 4, trials)
        (_, shown), *_ = tokens(numbers[f"{kind}, 4 cells"])
        air = 6 / math.sqrt(2 * trials) + 0.05 / shown  # six standard deviations, and rounding
        assert float(errors.std()) == pytest.approx(shown, rel=air)
        assert abs(errors.mean()) < 6 * shown / math.sqrt(trials)
        assert float(errors.std()) != pytest.approx(1.15 * shown, rel=air)


def test_the_table_of_means() -> None:
    minutes = np.arange(241)
    for lesson in ends("means"):
        n, power = lesson.n, math.exp(lesson.epsilon)
        people = np.random.default_rng(lesson.seed).multinomial(n, daily.shares())

        def off(at: Ints, power: float = power, people: Ints = people, n: int = n) -> float:
            chance = (1 + at / 240 * (power - 1)) / (power + 1)
            spread = 240 * (power + 1) / (power - 1) * math.sqrt(people @ (chance * (1 - chance)))
            return math.hypot(spread / n, people @ (at - minutes) / n)

        numbers, offsets = daily._days()
        drawn = [
            np.mean([np.unique(row).size for row in (numbers + (offsets % w)[:, None]) // w])
            for w in WIDTHS
        ]
        nearest = [np.floor(minutes / width + 0.5).astype(int) * width for width in WIDTHS]
        expected = {
            "standard error, rounded at random": [off(minutes)] * len(WIDTHS),
            "standard error, to the nearest": list(map(off, nearest)),
            "random bits in 60 days": drawn,
        }
        with naming(str(lesson)):
            hold(STATIONS["means"].open(lesson).numbers, expected)


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
            hold(STATIONS["shuffling"].open(lesson).numbers, expected)
    # The errors that are named there are those of a small ε, and not of ε = 10.
    data = trust.sums_data(Lesson("sum", 0.1, 10**9))
    assert data.here[:2] == pytest.approx((math.sqrt(2) / 0.1, math.sqrt(1e9) / 0.1), rel=0.01)
    loud = trust.sums_data(Lesson("sum", 10.0, 10)).here
    assert loud[0] < 0.2 * math.sqrt(2) / 10
    assert loud[1] < 0.2 * math.sqrt(10) / 10
    named = [line for line in counting.TRUST.splitlines() if "ε" in line]
    assert len(named) == 2
    assert all("for small ε" in line for line in named)


def is_left(after: float, epsilon: float, crowd: int) -> bool:
    """Whether ε `after` mixing is enough for δ = 10⁻⁹, and 0.5 % less is not, by both brackets."""
    enough = bracket_excess(after, epsilon, crowd)[1] <= 1e-9
    return enough and bracket_excess(0.995 * after, epsilon, crowd)[0] > 1e-9


BLOCK_NUMBERS = (1, 10, 50, 10_000)


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", thinned([1.0, 0.1, 10.0], one_in=3))
def test_each_cell_of_shuffling_is_between_what_is_too_little_and_too_much(epsilon: float) -> None:
    """Its 17 sizes, each in blocks and with fakes: 70 crowds from 1 to 3·10⁸ people."""
    found: dict[int, float] = {}
    for blocks in BLOCK_NUMBERS:
        lesson = Lesson("shuffling", epsilon, blocks=blocks)
        data, sizes = counting.mixing_data(lesson), counting.mixing_data(lesson).n.tolist()
        for values, part in (
            (data.numeric_bound, 1),
            (data.block, blocks),
            (data.honest_bound, 10 * blocks),
        ):
            crowds = [max(1, n // part) for n in sizes]
            for crowd, value in zip(crowds, values.tolist(), strict=True):
                assert found.setdefault(crowd, value) == value
        columns = {"shuffled": data.numeric_bound, "in blocks": data.block}
        columns["90 of 100 are fake"] = data.honest_bound
        tens = {title: values[::2] for title, values in columns.items()}
        hold(STATIONS["shuffling"].open(lesson).numbers, tens)
    for crowd, value in found.items():
        if crowd < 10**8 or crowd == 3 * 10**8:  # 10⁸ and 10⁹: `test_shuffling_of_many_people`
            with naming(f"{crowd}: {value}"):
                assert is_left(value, epsilon, crowd)
                twice = found.get(2 * crowd, epsilon)
                assert twice == epsilon or crowd > 10**6 or not is_left(twice, epsilon, crowd)


def test_another_theorem_s_clones_are_told_from_those_of_2023() -> None:
    """Those of 2021 are one in e^ε of the others, where 2/(e^ε + 1) is proved."""
    for epsilon, crowd in ((0.1, 300), (1.0, 20_000), (10.0, 6 * 10**6)):
        right = numeric_epsilon(epsilon, crowd, 1e-9)
        fewer = math.exp(-epsilon) / (2 / (math.exp(epsilon) + 1))
        older = numeric_epsilon(epsilon, round(crowd * fewer), 1e-9)
        assert is_left(right, epsilon, crowd)
        assert not is_left(older, epsilon, crowd)


def test_the_table_of_all_phones() -> None:
    for lesson in ends("rappor", view="crowd"):
        data, board = daily.ask_crowd(lesson), STATIONS["rappor"].open(lesson)
        columns = {"truth": data.truth, "decoded": data.decoded, "standard error": data.deviation}
        with naming(str(lesson)):
            for title, values in columns.items():
                for cell, value in zip(board.numbers[title].values(), values, strict=True):
                    assert abs(float(cell.replace(",", "")) - value) <= 0.5
            assert board.headline.figures["range"] == pytest.approx(
                195.996 * data.deviation[0] / lesson.n, rel=1e-5
            )


def test_a_table_of_another_epsilon_is_caught() -> None:
    other = STATIONS["sum"].open(Lesson("sum", 1.05)).numbers
    power, sizes = math.e, 10 ** np.arange(1, 10)
    with pytest.raises(AssertionError):
        hold(other, {"local": np.sqrt(sizes * power) / (power - 1)})


def test_the_notes_below_the_leads_are_drawn() -> None:
    for lesson in ends("selection"):
        assert selection.compute_data(lesson).lecture_thresholds == pytest.approx(notes(lesson))


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
