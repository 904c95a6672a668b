"""Stations 1 and 2: whom one has to trust, and a sum of bits by a server and by phones."""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd

from caldp_core.audit.adversary import max_guess_accuracy
from caldp_core.basics.cache import cached
from caldp_core.basics.extras import scipy
from caldp_core.basics.types import Bools, Floats
from caldp_core.lecture.counts import CentralCount, half_width, local_half_width
from caldp_core.mechanisms.direct.few_values import BinaryMechanism
from caldp_core.mechanisms.randomness import generator
from caldp_core.privacy.matrix import BinaryPolicy
from caldp_ui.app.theme import Palette
from caldp_ui.charts.show import Figure
from caldp_ui.classroom import station
from caldp_ui.classroom.page_state import Lesson
from caldp_ui.classroom.station import Station, StationView, two_digits
from caldp_ui.words import accuracy, formats
from caldp_ui.words.formats import Headline

YES = 0.3
"""Share of people whose true bit is 1."""
_SHOWN = 100


@dataclass(frozen=True, eq=False)
class Trust:
    """One outcome. `truth`, `sent`: (m,) true and sent bits of the first people, 100 at most.

    `keep_probability`: probability that a bit is sent as it is. `central`, `local`: published
    shares of yes, and `central_off`, `local_off`: the half-widths of their 95 % ranges. `yes`:
    true share.
    """

    truth: Bools
    sent: Bools
    keep_probability: float
    yes: float
    central: float
    local: float
    central_off: float
    local_off: float


@cached
def trust_data(lesson: Lesson) -> Trust:
    """People's bits, what they send, and what both ways publish."""
    rng = generator(lesson.seed)
    n, coin = lesson.n, BinaryMechanism(BinaryPolicy(lesson.epsilon, lesson.epsilon))
    yes = max(1, round(YES * n))
    m = min(n, _SHOWN)
    truth = rng.permutation(np.arange(m) < max(1, round(YES * m)))
    sent = coin.privatize(truth.astype(np.int64), rng)
    # The first hundred are people like all others: their reports are part of the tally.
    rest = np.array([n - yes - (~truth).sum(), yes - truth.sum()])
    tally = coin.tally(sent) + coin.sample_tally(rest, rng)
    central = CentralCount(n, lesson.epsilon)
    return Trust(
        truth,
        sent == 1,
        1.0 - float(coin.flips[0]),
        yes / n,
        float(central.publish(yes, 1, rng)[0]) / n,
        float(coin.estimate(tally)[1]),
        half_width(*central.error_law(yes)) / n,
        local_half_width(n - yes, yes, float(coin.flips[0])) / n,
    )


def open_trust(lesson: Lesson) -> StationView:
    """Open the station at a lesson: headline, picture, formula and numbers."""
    data = trust_data(lesson)
    right = max_guess_accuracy(lesson.epsilon)
    best = formats.upper_bound(right)
    estimate, figures = _estimate(data, lesson)
    return StationView(
        Headline(
            f"An attacker who reads one random bit is right {best} times in 100.",
            f"Yes and no were equally likely before. {estimate}",
            figures={"right": 100 * right, **figures},
        ),
        lambda: _trust_formula(data, lesson),
        _numbers(data, best),
        html={"trust": _picture_html(data, lesson)},
    )


def _estimate(data: Trust, lesson: Lesson) -> tuple[str, dict[str, float]]:
    """What all random bits say of the share of yes, and the numbers of these sentences."""
    if accuracy.is_all_shares(data.local - data.local_off, data.local + data.local_off):
        kept = data.keep_probability
        error = math.sqrt(kept * (1 - kept) / lesson.n) / (2 * kept - 1)
        needed = accuracy.reports_needed(lesson.n, error)
        return accuracy.nothing_yet(lesson.n, error, "with this coin"), {"needed": needed}
    sent = formats.counted(lesson.n, "random bit", "random bits")
    shares = {"estimate": data.local, "range": data.local_off, "true": data.yes}
    return (
        f"From {sent} we estimate {_trust_percent(data.local)} yes, "
        f"± {formats.points(data.local_off)} (true: {_trust_percent(data.yes)}). ± is a 95 % range."
    ), {name: 100 * share for name, share in shares.items()}


def _trust_percent(share: float) -> str:
    return f"{formats.digits(100 * share, 3)}\N{NO-BREAK SPACE}%"


def _picture_html(data: Trust, lesson: Lesson) -> str:
    """One flow: from the first people by their phones to two servers, and what these publish."""
    crowd = formats.counted(lesson.n, "person", "people")
    if lesson.n > data.truth.size:
        crowd = f"The first {data.truth.size} of {crowd}"
    return station.PICTURES["trust"].format(
        state="open" if lesson.broken else "",
        crowd=crowd,
        people=_people(data.truth, "true answers"),
        coin=coin_html(data),
        who="each phone" if lesson.n > 1 else "the phone",
        n=formats.people(lesson.n),
        trusted=_server(data.truth, data.central, data.central_off, data),
        local=_server(data.sent, data.local, data.local_off, data),
    )


def _server(bits: Bools, published: float, off: float, data: Trust) -> dict[str, str]:
    """What a server holds and publishes, and what an attacker reads there, by their places."""
    return {
        "people": _people(bits, "answers on the server"),
        "published": _trust_percent(published),
        "off": formats.points(off),
        "thief": attacker(bits, data),
    }


def coin_html(data: Trust) -> str:
    """One phone's coin in natural frequencies."""
    kept = data.keep_probability
    yes, no = map(formats.some_of_hundred, (kept, 1 - kept))
    ratio = kept / (1 - kept)
    return (
        f"Of 100 phones with yes, <b>{yes}</b> send yes; of 100 with no, <b>{no}</b> do. "
        f"That is {formats.digits(ratio, 3)} times as many: e<sup>ε</sup>."
    )


def attacker(server_bits: Bools, data: Trust) -> str:
    """How many bits on the server are true; for random ones also the average over draws."""
    right, count = int((server_bits == data.truth).sum()), data.truth.size
    if server_bits is data.truth:
        return f"Attacker: reads {right} of {count} true answers"
    mean = formats.some_of_hundred(data.keep_probability)
    return f"Attacker: {right} of {count} right in this draw, {mean} of 100 on average"


def _people(bits: Bools, label: str) -> str:
    ones = int(bits.sum())
    inside = "".join("<i></i>" if bit else "<s></s>" for bit in bits)
    return (
        '<div class="people" role="img" '
        f'aria-label="{formats.count(bits.size, "person", "people")}, '
        f'{ones} of them filled: yes. These are the {label}.">{inside}</div>'
    )


def _trust_formula(data: Trust, lesson: Lesson) -> None:
    kept = data.keep_probability
    ratio, power = formats.digits(kept / (1 - kept), 4), formats.digits(math.exp(lesson.epsilon), 4)
    station.formula("trust", kept=kept, flipped=1 - kept, ratio=ratio, power=power)


def _numbers(data: Trust, best: str) -> dict[str, dict[str, str]]:
    def column(published: float, off: float, server_bits: Bools, most: str) -> dict[str, str]:
        right = int((server_bits == data.truth).sum())
        return {
            "published share of yes": _trust_percent(published),
            "95 % range": f"± {formats.points(off)}",
            "true bits on the server": f"{right} of {data.truth.size}",
            "an attacker is right, from even odds": most,
        }

    return {
        "trusted server": column(data.central, data.central_off, data.truth, "all"),
        "local": column(data.local, data.local_off, data.sent, f"{best} of 100"),
    }


TRUST_STATION = Station(
    "Trust",
    open_trust,
    lambda _: (station.EPSILON, station.people(1)),
    ("Break into the server", "Somebody copies what the server holds."),
)


SHARE_OF_YES: Final = 0.3
_SIZES: Final = 10 ** np.arange(1, 10)
_OUTCOMES: Final = 8
_LEFT_IN: Final = "local, noise left in"


@dataclass(frozen=True, eq=False)
class ErrorsOfSums:
    """Errors in people.

    `errors`: (sizes, 3) standard errors over the number of people, exact roots of the mean squared
    error, and `here`: those at the lesson's n. `central_errors`, `local_errors`: (sizes, outcomes)
    errors of simulated counts. `yes`: true count at the lesson's n, `reports`: how many sent yes,
    `estimate`.
    """

    errors: pd.DataFrame
    central_errors: Floats
    local_errors: Floats
    here: tuple[float, float, float]
    yes: int
    reports: int
    estimate: float


@cached
def sums_data(lesson: Lesson) -> ErrorsOfSums:
    """Formulas and outcomes for every number of people."""
    rng = generator(lesson.seed)
    coin = BinaryMechanism(BinaryPolicy(lesson.epsilon, lesson.epsilon))
    central_errors, local_errors = [], []
    for n in _SIZES.tolist():
        yes = round(SHARE_OF_YES * n)
        central_errors.append(
            np.abs(CentralCount(n, lesson.epsilon).publish(yes, _OUTCOMES, rng) - yes)
        )
        counts = np.array([n - yes, yes])
        tallies = [coin.sample_tally(counts, rng) for _ in range(_OUTCOMES)]
        estimates = [n * float(coin.estimate(tally)[1]) for tally in tallies]
        # Kept between nobody and all, as the trusted server's number is.
        local_errors.append([abs(min(max(each, 0.0), n) - yes) for each in estimates])
    errors = [_errors(coin, lesson, n) for n in _SIZES.tolist()]
    yes = round(SHARE_OF_YES * lesson.n)
    tally = coin.sample_tally(np.array([lesson.n - yes, yes]), rng)
    return ErrorsOfSums(
        pd.DataFrame(errors, _SIZES, ["trusted server", "local", _LEFT_IN]),
        np.array(central_errors),
        np.array(local_errors),
        _errors(coin, lesson, lesson.n),
        yes,
        int(tally.counts[1]),
        lesson.n * float(coin.estimate(tally)[1]),
    )


def _errors(coin: BinaryMechanism, lesson: Lesson, n: int) -> tuple[float, float, float]:
    """Standard errors of n people's count: trusted server, local, and with the noise left in."""
    flip, yes = float(coin.flips[0]), round(SHARE_OF_YES * n)
    errors, chances = CentralCount(n, lesson.epsilon).error_law(yes)
    flips = math.sqrt(n * flip * (1 - flip))
    moved = flip * (n - 2 * yes)
    central = math.sqrt(float(chances @ errors**2))
    return central, _local_error(flip, n, yes), math.hypot(flips, moved)


_EXACT_MOST: Final = 10_000
"""People up to whom all sums of reports are counted; the sum of more is normal."""


def _local_error(flip: float, n: int, yes: int) -> float:
    """The standard error of the local count, kept in [0, n] as the trusted server's is.

    `flip`: chance that a report is false. Unkept it would be √(n·flip·(1 − flip))/(1 − 2·flip).
    """
    if n <= _EXACT_MOST:
        true = scipy.stats.binom.pmf(np.arange(yes + 1), yes, 1 - flip)
        false = scipy.stats.binom.pmf(np.arange(n - yes + 1), n - yes, flip)
        law = np.convolve(true, false)
        found = (np.arange(n + 1) - n * flip) / (1 - 2 * flip)
        return math.sqrt(float(law @ (np.clip(found, 0.0, n) - yes) ** 2))
    deviation = math.sqrt(n * flip * (1 - flip)) / (1 - 2 * flip)
    low, high = -yes / deviation, (n - yes) / deviation
    # E[min(max(Z, low), high)²] of a standard normal Z: its middle, and both ends.
    density = scipy.stats.norm.pdf([low, high])
    below, above = scipy.stats.norm.cdf(low), scipy.stats.norm.sf(high)
    middle = 1 - below - above + low * density[0] - high * density[1]
    return deviation * math.sqrt(float(middle + low**2 * below + high**2 * above))


def open_sums(lesson: Lesson) -> StationView:
    """Open the station at a lesson: headline, picture, formula and numbers."""
    data = sums_data(lesson)
    central, local, naive = data.here
    central_text = formats.count(two_digits(central), "person", "people")
    share, more_people = 100 * local / lesson.n, 100 * lesson.n
    flip = float(BinaryMechanism(BinaryPolicy(lesson.epsilon, lesson.epsilon)).flips[0])
    more_local = _local_error(flip, more_people, round(SHARE_OF_YES * more_people))
    more_share = 100 * more_local / more_people
    figures = {"central": central, "local": local, "share": share}
    figures |= {"local, more people": more_local, "share, more people": more_share}
    figures["more people"] = more_people
    broken = ""
    if lesson.broken:
        broken = f" With the noise left in, it is off by {two_digits(naive)} with {_count(lesson)}."
        figures["noise left in"] = naive
    numbers = station.table(data.errors, two_digits)
    return StationView(
        Headline(
            f"With {_count(lesson)}, a trusted server is off by {central_text}, local "
            f"noise by {two_digits(local)}: {formats.digits(share)} % of all.",
            f"With {formats.counted(more_people, 'person', 'people')} local noise is off by "
            f"{two_digits(more_local)}, but by {formats.digits(more_share)} % of all.{broken} "
            "These are standard errors.",
            figures=figures,
        ),
        lambda: _sums_formula(data, lesson),
        numbers,
        lambda colours: figure(data, lesson, colours),
        "sum",
        station.alt_text("Errors of a count against the number of people.", numbers),
    )


def _count(lesson: Lesson) -> str:
    return formats.counted(lesson.n, "person", "people")


_POWERS: Final = ("1", "10", "100", "1,000", "10,000", "", "1 million", "", "100 million", "")
"""Names of powers of ten from 1 on."""


def figure(data: ErrorsOfSums, lesson: Lesson, colours: Palette) -> Figure:
    """Errors against the number of people, both logarithmic; in people or in percent of all."""
    ours, other, third, _ = station.line_styles(colours)
    is_share = lesson.view == "percent"
    unit = 100 / _SIZES if is_share else np.ones(_SIZES.size)
    errors = data.errors.mul(unit, axis=0)
    lowest = math.floor(math.log10(min(1.0, errors["trusted server"].min(), errors["local"].min())))
    least = 0.3 * 10.0**lowest  # an error of 0 has no place on a log scale
    many, units = np.repeat(_SIZES, _OUTCOMES), np.repeat(unit, _OUTCOMES)
    traces = [
        station.points("", many, np.maximum(units * drawn.ravel(), least), look)
        for drawn, look in ((data.local_errors, ours), (data.central_errors, other))
    ]
    local = "local" if is_share else "local: grows with √n"
    looks = {local: ours, "trusted server": other} | ({_LEFT_IN: third} if lesson.broken else {})
    lines = station.lines(errors.rename(columns={"local": local}), looks)
    top = max(each["y"].max() for each in lines)
    powers = range(lowest, math.ceil(math.log10(top)))
    y = {
        "title": "error, % of all" if is_share else "error, people",
        "type": "log",
        "range": [math.log10(0.9 * least), math.log10(4 * top)],
        "tickvals": [least, *(10.0**power for power in powers)],
        "ticktext": ["0", *(_POWERS[p] if p >= 0 else formats.digits(10.0**p) for p in powers)],
    }
    x = {**station.PEOPLE, "range": [0.9, 9.1]}
    marks = [station.upright(lesson.n, colours, station.MIDDLE)]
    return station.figure([*traces, *lines], x, y, colours, ends=lines, shapes=marks)


def _sums_formula(data: ErrorsOfSums, lesson: Lesson) -> None:
    power = math.exp(lesson.epsilon)
    error = formats.digits(math.sqrt(lesson.n * power) / (power - 1), 3)
    station.formula(
        "sum",
        reports=formats.integer(data.reports),
        n=formats.integer(lesson.n),
        plus=formats.digits(power + 1, 4),
        minus=formats.digits(power - 1, 4),
        estimate=data.estimate,
        yes=formats.integer(data.yes),
        error=formats.count(error, "person", "people"),
    )


SUMS_STATION = Station(
    "Sums",
    open_sums,
    lambda _: (station.EPSILON, station.people()),
    ("Forget to take the noise out", "Count the yes reports as they come."),
    show_choice=lambda lesson: station.show_views(lesson, station.UNITS),
)
