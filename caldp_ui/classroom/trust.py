"""Station 1: whom one has to trust. The server that knows everything, and the randomized bit."""

import math
from dataclasses import dataclass

import numpy as np

from caldp_core.audit.adversary import max_guess_accuracy
from caldp_core.basics.types import Bools
from caldp_core.lecture.counts import CentralCount, half_width, local_half_width
from caldp_core.mechanisms.direct.few_values import BinaryMechanism
from caldp_core.privacy.matrix import BinaryPolicy
from caldp_ui.classroom import station
from caldp_ui.classroom.page_state import Lesson
from caldp_ui.classroom.station import Board, HtmlPart, Picture, Station
from caldp_ui.words import formats
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


def compute_data(lesson: Lesson) -> Trust:
    """People's bits, what they send, and what both ways publish."""
    rng = np.random.default_rng(lesson.seed)
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


def open_board(lesson: Lesson) -> Board:
    """Open the station at a lesson: headline, picture, formula and numbers."""
    data = compute_data(lesson)
    right = max_guess_accuracy(lesson.epsilon)
    best = formats.upper_bound(right)
    sent = formats.counted(lesson.n, "random bit", "random bits")
    return Board(
        Headline(
            f"An attacker who reads one random bit is right {best} times in 100.",
            f"Yes and no were equally likely before. From {sent} we estimate "
            f"{_percent(data.local)} yes, ± {_points(data.local_off)} (true: "
            f"{_percent(data.yes)}). ± is a 95 % range.",
            figures={
                "right": 100 * right,
                "estimate": 100 * data.local,
                "range": 100 * data.local_off,
                "true": 100 * data.yes,
            },
        ),
        lambda _: Picture((HtmlPart(_picture_html(data, lesson), "trust"),)),
        lambda: _formula(data, lesson),
        _numbers(data, best),
    )


def _percent(share: float) -> str:
    return f"{formats.digits(100 * share, 3)}\N{NO-BREAK SPACE}%"


def _points(share: float) -> str:
    return f"{formats.digits(100 * share, 2)} percentage points"


def _of_hundred(share: float) -> str:
    """A share as a number of 100 people; a small one is not shown as 0."""
    number = formats.hundred(share)
    return "fewer than 1" if number == "0" else number


@dataclass(frozen=True, eq=False)
class _TrustRow:
    """A row of the picture: what phones send, what the server holds, what is published."""

    title: str
    sends: str
    server_bits: Bools
    published: float
    off: float


def _picture_html(data: Trust, lesson: Lesson) -> str:
    servers = (
        _TrustRow("A trusted server", "the truth", data.truth, data.central, data.central_off),
        _TrustRow("Local: trust nobody", "a random bit", data.sent, data.local, data.local_off),
    )
    rows = "".join(_row(server, data, lesson) for server in servers)
    return f'<div class="trust">{rows}<p class="coin">{coin_html(data)}</p></div>'


def coin_html(data: Trust) -> str:
    """One phone's coin in natural frequencies."""
    yes, no = _of_hundred(data.keep_probability), _of_hundred(1 - data.keep_probability)
    ratio = data.keep_probability / (1 - data.keep_probability)
    return (
        f"Of 100 phones with yes, <b>{yes}</b> send yes; of 100 with no, <b>{no}</b> do. "
        f"That is {formats.digits(ratio, 3)} times as many: e<sup>ε</sup>."
    )


def _row(row: _TrustRow, data: Trust, lesson: Lesson) -> str:
    size = data.truth.size
    thief = f'<b class="thief">{attacker(row.server_bits, data)}</b>' if lesson.broken else ""
    return (
        f"<h2>{row.title}{thief}</h2>"
        f"<div><p>On the phones</p>{_people(data.truth, 'true answers')}</div>"
        f"<i>{'each sends' if size > 1 else 'sends'}<br><b>{row.sends}</b> →</i>"
        f'<div class="{"open" if lesson.broken else ""}"><p>On the server</p>'
        f"{_people(row.server_bits, 'answers on the server')}</div>"
        f'<i class="last">publishes →</i>'
        f'<div class="published"><p>yes, of all {formats.people(lesson.n)}</p>'
        f"<strong>{_percent(row.published)}</strong><p>± {_points(row.off)}</p></div>"
    )


def attacker(server_bits: Bools, data: Trust) -> str:
    """How many bits on the server are true; for random ones also the average over draws."""
    right, count = int((server_bits == data.truth).sum()), data.truth.size
    if server_bits is data.truth:
        return f"Attacker: reads {right} of {count} true answers"
    mean = _of_hundred(data.keep_probability)
    return f"Attacker: {right} of {count} right in this draw, {mean} of 100 on average"


def _people(bits: Bools, label: str) -> str:
    ones = int(bits.sum())
    inside = "".join("<i></i>" if bit else "<s></s>" for bit in bits)
    return (
        '<div class="people" role="img" '
        f'aria-label="{formats.count(bits.size, "person", "people")}, '
        f'{ones} of them filled: yes. These are the {label}.">{inside}</div>'
    )


def _formula(data: Trust, lesson: Lesson) -> None:
    kept = data.keep_probability
    ratio, power = formats.digits(kept / (1 - kept), 4), formats.digits(math.exp(lesson.epsilon), 4)
    station.formula("trust", kept=kept, flipped=1 - kept, ratio=ratio, power=power)


def _numbers(data: Trust, best: str) -> dict[str, dict[str, str]]:
    def column(published: float, off: float, server_bits: Bools, most: str) -> dict[str, str]:
        right = int((server_bits == data.truth).sum())
        return {
            "published share of yes": _percent(published),
            "95 % range": f"± {_points(off)}",
            "true bits on the server": f"{right} of {data.truth.size}",
            "an attacker is right, from even odds": most,
        }

    return {
        "trusted server": column(data.central, data.central_off, data.truth, "all"),
        "local": column(data.local, data.local_off, data.sent, f"{best} of 100"),
    }


STATION = Station(
    "Trust",
    open_board,
    lambda _: (station.EPSILON, station.people(1)),
    ("Break into the server", "Somebody copies what the server holds."),
)
