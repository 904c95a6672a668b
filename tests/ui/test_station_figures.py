"""What a station's sentences state, at both ends of every slider, against a second computation.

The second computations are written here, with NumPy and SciPy alone: nothing of the core is used
but the made-up minutes of station 6, a trusted theorem's bound and a channel written out.
"""

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np
import pytest
import scipy

from caldp_core.basics.types import Floats, Ints
from caldp_core.mechanisms import in_context
from caldp_core.privacy.context import Context
from caldp_core.theory.mixing import numeric_epsilon
from caldp_ui.classroom import counting, daily, selection, trust
from caldp_ui.classroom.page import STATIONS
from caldp_ui.classroom.page_state import NAMES, Lesson
from tests.contract.checks import naming
from tests.strategies import thinned
from tests.ui.readings import hold

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


def test_every_number_of_a_sentence_is_a_figure_and_stands_there() -> None:
    constants = (1, 12, 60, 90, 95, 100)  # one, pages, days, fakes, a range's level, of how many
    example = (11, 101, 110, 111)  # items as they are written
    for name in NAMES:
        for broken in (False, True):
            for lesson in ends(name, broken=broken):
                reader = [float(getattr(lesson, each)) for each in SETTINGS]
                given = [*reader, *constants, *(example if name == "selection" and broken else ())]
                with naming(str(lesson)):
                    hold(STATIONS[name].open(lesson).headline, given)
    for lesson in ends("rappor", view="crowd"):
        hold(STATIONS["rappor"].open(lesson).headline, (lesson.n, 0, 12, 95))


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
            assert now["true"] == pytest.approx(100 * yes / n)
            errors = (flipped(n, yes, q) - q * (n - 2 * yes)) / (1 - 2 * q)
            width = now["range"] * n / 100
            # A normal is continuous, and what it stands for moves in steps of a hundredth of it.
            holds_95(errors, None, width, SLACK + (0.003 if n * q > 10**4 else 0))
            assert abs(now["estimate"] - now["true"]) <= 3.2 * now["range"] + 1e-9
            holds_95(*published(n, yes, lesson.epsilon), data.central_off * n, 1e-9)


def test_estimates_of_trust_scatter_as_their_range_says() -> None:
    lesson, draws = Lesson("trust", n=2_000), 400
    shown = [figures(replace(lesson, seed=seed)) for seed in range(draws)]
    errors = np.array([now["estimate"] - now["true"] for now in shown])
    width = shown[0]["range"]
    holds_95(errors, None, width, 6 * math.sqrt(0.95 * 0.05 / draws) + 1 / draws)
    assert abs(errors.mean()) < 6 * width / 1.96 / math.sqrt(draws)


def test_one_standard_error_is_no_95_percent_range() -> None:
    n, yes, q = 10_000, 3_000, 1 / (1 + math.e)
    errors = (flipped(n, yes, q) - q * (n - 2 * yes)) / (1 - 2 * q)
    with pytest.raises(AssertionError):
        holds_95(errors, None, float(errors.std()), SLACK)


def test_sums() -> None:
    for lesson in ends("sum", broken=True):
        with naming(str(lesson)):
            now, n, power = figures(lesson), lesson.n, math.exp(lesson.epsilon)
            yes, q = round(0.3 * n), 1 / (1 + power)
            errors, chances = published(n, yes, lesson.epsilon)
            assert now["central"] == pytest.approx(math.sqrt(chances @ errors**2), rel=1e-6)
            assert now["local"] == pytest.approx(math.sqrt(n * power) / (power - 1), rel=1e-6)
            assert now["local, more people"] == pytest.approx(
                math.sqrt(100 * n * power) / (power - 1), rel=1e-6
            )
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
    for lesson in ends("selection"):
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
            assert now["estimate"] == pytest.approx(100 * data.decoded[0] / lesson.n)
            assert now["true"] == pytest.approx(100 * data.truth[0] / lesson.n)
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
        off = np.abs(data.decoded - data.truth) <= daily.SPREAD * data.deviation
        within.append(off.mean())
    pages = len(daily.PAGES)
    # 1,200 estimates, those of one draw not quite independent: 2 % for 0.63 % a standard deviation.
    assert abs(np.mean(within) - 0.95) < 6 * math.sqrt(0.95 * 0.05 / (100 * pages)) * 1.2


def galois_error(lesson: Lesson) -> tuple[float, int]:
    """Standard error of a share by the channel written out, and bits of a report."""
    family = in_context(Context.plain(lesson.items, lesson.epsilon), "galois")
    channel = np.array([[float(q) for q in row] for row in family.exact_channel()])
    own = channel >= channel.max() * (1 - 1e-6)
    a, r = float(channel[0][own[0]].sum()), float(channel[1][own[0]].sum())
    share = 1 / lesson.items
    variance = share * a * (1 - a) + (1 - share) * r * (1 - r)
    return math.sqrt(variance / lesson.n) / (a - r), math.ceil(math.log2(channel.shape[1]))


@cache
def galois_error_by_trials(items: int, epsilon: float) -> float:
    """Standard error of a share, times √n: 400 draws of the reports of 1,000 people.

    A draw's errors hang together by its reports; over six seeds the result moved by 0.3 % at most.
    """
    family = in_context(Context.plain(items, epsilon), "galois")
    rng, people, errors = np.random.default_rng(11), 1_000, []
    for _ in range(400):
        own = rng.integers(items, size=people)
        shares = family.estimate(family.tally(family.privatize(own, rng)))
        errors.append(shares - np.bincount(own, minlength=items) / people)
    return float(np.std(errors)) * math.sqrt(people)


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
            if d > 64:  # a channel written out would be large
                drawn = galois_error_by_trials(d, lesson.epsilon) / math.sqrt(n)
                assert now["short"] == pytest.approx(100 * drawn, rel=0.015)
                continue
            short, bits = galois_error(lesson)
            assert now["short"] == pytest.approx(100 * short, rel=1e-4)
            assert now["short bits"] == bits


def test_means() -> None:
    minutes = np.arange(241)
    for lesson in ends("means", broken=True):
        with naming(str(lesson)):
            now, n, power = figures(lesson), lesson.n, math.exp(lesson.epsilon)
            people = np.random.default_rng(lesson.seed).multinomial(n, daily.shares())

            def off(people: Ints, at: Ints, power: float = power, n: int = n) -> float:
                chance = (1 + at / 240 * (power - 1)) / (power + 1)
                variance = people @ (chance * (1 - chance)) * (240 * (power + 1) / (power - 1)) ** 2
                bias = people @ (at - minutes) / n
                return math.hypot(math.sqrt(variance) / n, bias)

            nearest = np.floor(minutes / lesson.width + 0.5).astype(int) * lesson.width
            assert now["random"] == pytest.approx(off(people, minutes), rel=1e-6)
            assert now["nearest"] == pytest.approx(off(people, nearest), rel=1e-6)
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


def clones_mass(epsilon: float, n: int) -> tuple[Ints, Floats]:
    """Edges of ranges of how many of n − 1 others send as clones, and the chance of each range.

    Each of them with chance 2/(e^ε+1): Feldman, McMillan, Talwar 2023. 10⁻¹⁵ is left out on a side.
    Of more clones the ranges are the fewer, as they are the narrower beside what they hold.
    """
    others, chance = n - 1, 2 / (math.exp(epsilon) + 1)
    law, mean = scipy.stats.binom(others, chance), others * chance
    most = 8 if mean > 10**7 else 80 if mean > 10**5 else 700
    edges = np.unique(np.linspace(law.ppf(1e-15) - 1, law.isf(1e-15), most).round()).astype(int)
    return edges, np.diff(law.cdf(edges))


def excess_given_clones(after: float, epsilon: float, clones: int) -> float:
    """Σ_a max(P₀(a) − e^`after`·P₁(a), 0), a ~ Bin(clones, ½) plus a coin of ε, term by term.

    Binomials from the logs of their ratios, within 9 standard deviations of the mean.
    """
    reach = 9 * math.sqrt(clones / 4) + 9
    a = np.arange(max(0, int(clones / 2 - reach)), min(clones, int(clones / 2 + reach)) + 1.0)
    logs = np.append(0.0, np.cumsum(np.log((clones - a[:-1]) / (a[:-1] + 1))))
    half = np.exp(logs - logs.max())
    half = np.append(half / half.sum(), 0.0)
    before, p = np.append(0.0, half[:-1]), 1 / (1 + math.exp(-epsilon))
    one, two = p * before + (1 - p) * half, (1 - p) * before + p * half
    return float(np.maximum(one - math.exp(after) * two, 0).sum())


def bracket_excess(after: float, epsilon: float, n: int) -> tuple[float, float]:
    """Least and largest δ at ε `after`: it falls with the clones, so at either end of a range."""
    edges, mass = clones_mass(epsilon, n)
    # A range holds its upper edge and not the lower one.
    least, most = (edges[:-1] + 1).tolist(), edges[1:].tolist()
    high = np.array([excess_given_clones(after, epsilon, each) for each in least])
    low = [
        each if a == b else excess_given_clones(after, epsilon, b)
        for each, a, b in zip(high, least, most, strict=True)
    ]
    return float(mass @ low), float(mass @ high) + 2e-15


@pytest.mark.parametrize(("epsilon", "n"), thinned([0.1, 1.0, 10.0], [10**6, 10**9], one_in=2))
def test_shuffling_of_many_people(epsilon: float, n: int) -> None:
    """δ at the shown ε is at most 10⁻⁹, and more than that at an ε of 0.5 % less."""
    shown = figures(Lesson("shuffling", epsilon, n))["mixed"]
    assert bracket_excess(shown, epsilon, n)[1] <= 1e-9, shown
    assert bracket_excess(0.995 * shown, epsilon, n)[0] > 1e-9, shown
    others = figures(Lesson("shuffling", epsilon, n, blocks=10, broken=True))
    assert others["one block"] == shown
    for name, crowd in (("mixed", n // 10), ("fakes", n // 100)):
        assert bracket_excess(others[name], epsilon, crowd)[1] <= 1e-9, name
        assert bracket_excess(0.995 * others[name], epsilon, crowd)[0] > 1e-9, name
    # ε of twice as many people is too little.
    if shown < epsilon and n < 10**9:
        more = figures(Lesson("shuffling", epsilon, 10 * n))["mixed"]
        assert bracket_excess(more, epsilon, n)[0] > 1e-9


def test_the_headline_of_shuffling_is_that_of_the_blocks() -> None:
    alone = Lesson("shuffling", blocks=10_000)
    sentence = STATIONS["shuffling"].open(alone).headline.sentence
    assert sentence == "Once 10,000 reports in 10,000 blocks are shuffled, ε stays at 1."
    single = STATIONS["shuffling"].open(Lesson("shuffling", n=1)).headline.sentence
    assert single == "Once 1 report is shuffled, ε stays at 1."


def test_the_lines_of_sums_are_what_their_names_say() -> None:
    data = trust.sums_data(Lesson("sum", 10.0, 10))
    np.testing.assert_allclose(data.local / data.local[0], np.sqrt(data.n / 10), rtol=1e-9)
