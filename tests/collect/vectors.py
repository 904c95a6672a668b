"""Test vectors for clients in any language: numbers that were drawn, and the report that follows.

    python -m tests.collect.vectors > docs/reports.vectors.json
    python -m tests.collect.vectors repetition > docs/repetition.vectors.json

Each case gives a protocol's value, the numbers that its coins take one after the other, and what
is sent; a client that needs other numbers, or more or fewer of them, draws something else. Cases of
plans of repetition give a person's answers, one after the other, the days on which they are asked,
all numbers that are drawn, and what is sent; null where the plan allows no more.
"""

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import numpy as np

from caldp_core import CaldpError, Client
from caldp_core.collect.device import (
    NUMBER_RANGE,
    Budget,
    DrawnCoins,
    Memo,
    NoisyMemo,
    Once,
    as_text,
)
from caldp_core.collect.protocol import Protocol
from caldp_core.collect.questions import Questions
from caldp_core.domain.domains import Domain
from caldp_core.mechanisms.catalogue import FAMILIES, FamilySpec, Hadamard
from caldp_core.privacy.context import Context
from tests.collect.protocols import labelled, planned, small, tables

_CASES = 2


def vectors() -> list[dict[str, Any]]:
    """Protocols of all families, small and large, each with its cases."""
    rng = np.random.default_rng(20)
    return [
        {"protocol": protocol.to_dict(), "cases": list(_cases(protocol, rng))}
        for protocol in _protocols()
    ] + [several_questions()]


def several_questions() -> dict[str, Any]:
    """A protocol of several questions, numbers, bits and a table, and what one person sends."""
    names = {"one": "hadamard", "B-2": "oue", "three_": "local-hashing", "q4": "subset-selection"}
    asked = Questions({name: small(family) for name, family in names.items()})
    asked = Questions({**asked.protocols, "table": tables()["binary"]})
    rng = np.random.default_rng(43)
    return {"protocol": asked.to_dict(), "cases": [answered(asked, rng) for _ in range(_CASES)]}


def answered(asked: Questions, rng: np.random.Generator) -> dict[str, Any]:
    """One case: an answer to each question, the numbers drawn for all, and the report."""
    drawn: list[int] = []

    def number() -> int:
        drawn.append(int(rng.integers(0, NUMBER_RANGE)))
        return drawn[-1]

    client = Client(asked)
    client._coins = DrawnCoins(number)
    value = {n: int(rng.integers(each.domain.k)) for n, each in asked.protocols.items()}
    return {"value": value, "numbers": drawn, "report": client.report(value)}


def _protocols() -> Iterator[Protocol]:
    labels = [1, 0, 0, 2, 0, 3, 1, 0, 3, 0, 1]
    flags = [x not in (1, 7, 8, 10) for x in range(len(labels))]
    blocks = Context.of(labels, flags, [2.0, 0.5, 1.0, 3.0])
    specs: list[FamilySpec] = [entry.spec() for entry in FAMILIES.values()]
    for spec in (*specs, Hadamard(parts=None)):
        for policy in (blocks, Context.plain(40, 1.5)):
            names = tuple(f"block {label}" for label in range(policy.m))
            yield Protocol("", Domain(policy.k), names, planned(policy, spec))

    # What a search finds differs in its last bits from one processor to the next.
    yield from (table for name, table in tables().items() if name != "designed")


def _cases(protocol: Protocol, rng: np.random.Generator) -> Iterator[dict[str, Any]]:
    k = protocol.domain.k
    for value in range(0, k, max(1, k // 11)):
        for case in range(_CASES):
            drawn: list[int] = []

            def number(first: bool = case == 0, drawn: list[int] = drawn) -> int:
                # The largest number of all is one that is mostly drawn again.
                highest = first and not drawn
                drawn.append(NUMBER_RANGE - 1 if highest else int(rng.integers(0, NUMBER_RANGE)))
                return drawn[-1]

            cell = protocol.device.draw(value, DrawnCoins(number))
            sent = as_text(protocol.format.encode(*cell))
            yield {"value": value, "numbers": drawn, "report": sent}


def text() -> str:
    """The file: a line a case."""
    parts = []
    for each in vectors():
        cases = ",\n".join(json.dumps(case) for case in each["cases"])
        parts.append(f'{{"protocol": {json.dumps(each["protocol"])},\n"cases": [\n{cases}]}}')
    return "[" + ",\n".join(parts) + "]\n"


DAYS: Final = ("2026-11-26", "2026-11-26", "2026-11-27", "2026-11-28", "2026-11-29")


def asked_again(protocol: Protocol, memory: Path, seed: int = 43) -> dict[str, Any]:
    """A person who is asked on `DAYS`, by a client that reads its memory again each time."""
    rng = np.random.default_rng(seed)
    labels: Sequence[Any] = protocol.labels or range(protocol.domain.k)
    answers = [labels[value] for value in (0, 1, 0, 1, 1)]
    drawn: list[int] = []
    sent: list[Any] = []

    def number() -> int:
        drawn.append(int(rng.integers(0, NUMBER_RANGE)))
        return drawn[-1]

    for answer, day in zip(answers, DAYS, strict=True):
        client = Client(protocol, memory)
        client._day, client._coins = (lambda: day), DrawnCoins(number)  # noqa: B023
        try:
            sent.append(client.report(answer, "Ann"))
        except CaldpError:
            sent.append(None)
    case = {"answers": answers, "days": DAYS, "numbers": drawn, "reports": sent}
    return {"protocol": json.loads(protocol.to_json()), **json.loads(json.dumps(case))}


def repetition_vectors() -> list[dict[str, Any]]:
    """A protocol of each plan with its case; of tables one whose channel is in whole numbers."""
    plain = labelled("hadamard", ("flu", "cold", "häufig", "none"))
    made = [plain.repeated(plan) for plan in (Once(), Memo(), Budget(3), Budget(4, 2))]
    made += [tables()["binary"].repeated(NoisyMemo(NUMBER_RANGE // 2, 4))]
    with TemporaryDirectory() as folder:
        return [asked_again(each, Path(folder) / str(i)) for i, each in enumerate(made)]


if __name__ == "__main__":
    lines = ",\n".join(json.dumps(each) for each in repetition_vectors())
    sys.stdout.write(f"[{lines}]\n" if sys.argv[1:] == ["repetition"] else text())
