"""The exact law of what a device sends: its own code, run once for every way its coins can fall."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

from caldp_core.collect.device import HASH, NUMBER, NUMBER_RANGE, Payload
from caldp_core.collect.protocol import Protocol


class Branching:
    """Coins that fall as `path` says, then the first way that can be; `weight`: its chance."""

    def __init__(self, path: list[int]) -> None:
        self.path, self.weight, self.depth = path, Fraction(1), 0
        self.ways: list[tuple[int, int]] = []

    def flip(self, threshold: int) -> bool:
        return bool(
            self._fall(
                [
                    Fraction(NUMBER_RANGE - threshold, NUMBER_RANGE),
                    Fraction(threshold, NUMBER_RANGE),
                ]
            )
        )

    def uniform_below(self, bound: int) -> int:
        return self._fall([Fraction(1, bound)] * bound)

    def draw_step(self, steps: Sequence[int], whole: int) -> int:
        return self._fall([Fraction(b - a, whole) for a, b in pairwise((0, *steps))])

    def _fall(self, chances: list[Fraction]) -> int:
        able = [way for way, chance in enumerate(chances) if chance]
        turn = self.path[self.depth] if self.depth < len(self.path) else 0
        self.depth += 1
        self.ways.append((turn, len(able)))
        self.weight *= chances[able[turn]]
        return able[turn]


def exact_law(draw: Callable[[Any], Hashable]) -> dict[Hashable, Fraction]:
    """Result → its probability, over all ways in which the coins that `draw` is given can fall."""
    law: dict[Hashable, Fraction] = defaultdict(Fraction)
    path: list[int] = []
    while True:
        coins = Branching(path)
        law[draw(coins)] += coins.weight
        ways = coins.ways
        while ways and ways[-1][0] + 1 == ways[-1][1]:
            ways.pop()
        if not ways:
            return law
        path = [turn for turn, _ in ways[:-1]] + [ways[-1][0] + 1]


def sent_by(protocol: Protocol, symbol: int) -> dict[Hashable, Fraction]:
    """Payload → the exact probability that a device with this answer sends it."""
    device, form = protocol.device, protocol.format
    return exact_law(lambda coins: form.encode(*device.draw(symbol, coins)))


def stated(protocol: Protocol) -> list[dict[Payload, Fraction]]:
    """The same for all answers, by the mechanism's exact channel and its own records."""
    form, mechanism = protocol.format, protocol.mechanism
    payloads: list[Payload] = []
    for report in mechanism.every_report():
        if form.kind == NUMBER:
            payloads.append(int(report))
            continue
        fields = [int(report["source"])]
        if form.kind == HASH:
            fields += [*report["hash"].tolist(), int(report["value"])]
        else:
            fields.append(sum(int(w) << 64 * i for i, w in enumerate(report["bits"])))
        written = (f.to_bytes(w, "little") for f, w in zip(fields, form.widths, strict=True))
        payloads.append(b"".join(written))
    assert len(set(payloads)) == len(payloads)
    return [
        {payload: chance for payload, chance in zip(payloads, row, strict=True) if chance}
        for row in mechanism.exact_channel()
    ]
