"""Plans of repetition: what devices send again, its exact law, and what it costs in ε."""

import json
import math
import os
import re
import subprocess
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from fractions import Fraction
from functools import reduce
from itertools import count, pairwise, product
from pathlib import Path
from typing import Any, Final, TypeAlias

import jsonschema
import numpy as np
import pytest
from click.testing import CliRunner

from caldp_core import CaldpError, Client, Protocol, Scenario, WrittenOut, prepare
from caldp_core.basics.types import Floats
from caldp_core.cli.commands import main
from caldp_core.collect import client, record
from caldp_core.collect.collected_tally import CollectedTally
from caldp_core.collect.device import (
    NUMBER_RANGE,
    Budget,
    DrawnCoins,
    Memo,
    NoisyMemo,
    Once,
    Repetition,
)
from caldp_core.collect.protocol import TablePlan, protocol_schema
from caldp_core.privacy.matrix import DenseMatrix
from tests import ROOT
from tests.collect.protocols import exact_law, labelled, many, small, tables
from tests.collect.test_client import CLIENT, NODE
from tests.collect.vectors import asked_again, repetition_vectors
from tests.contract.checks import naming

History: TypeAlias = tuple[int, ...]
Law: TypeAlias = dict[tuple[int, ...], Fraction]
Rows: TypeAlias = Sequence[Sequence[Fraction]]
HALF: Final = NUMBER_RANGE // 2
PLANS: Final[tuple[Repetition, ...]] = (Once(), Memo(), NoisyMemo(HALF, 5), Budget(3, 1))


def coarse(k: int = 2) -> Protocol:
    """A protocol whose channel has small numerators, so that laws of a week are quick."""
    rows = {2: ((3, 1), (2, 2)), 3: ((4, 1, 1), (1, 3, 2), (2, 2, 2))}[k]
    policy = DenseMatrix.of((2.0 - 2.0 * np.eye(k)).tolist())
    made = WrittenOut(policy, rows, sum(rows[0]))
    labels = ("ill", "well", "other")[:k]
    return replace(
        labelled("oue", labels), block_names=("everything",), plan=TablePlan("by hand", made)
    )


def law_by_hand(plan: Repetition, rows: Rows, history: History) -> Law:
    """Every sequence of reports with its chance, from the definition of the plan alone."""
    reports = range(len(rows[0]))
    if isinstance(plan, Once):
        return {(y,) * len(history): rows[history[0]][y] for y in reports}
    if isinstance(plan, Budget):
        sent = history[: plan.reports]
        chances = outer([rows[x] for x in sent])
        return dict(zip(product(reports, repeat=len(sent)), chances, strict=True))
    noise = Fraction(plan.noise, NUMBER_RANGE) if isinstance(plan, NoisyMemo) else Fraction(0)
    even = noise / len(reports)
    sent_if = [[even + (1 - noise) * (y == stored) for y in reports] for stored in reports]
    values = sorted(set(history))
    total = np.zeros(len(reports) ** len(history), object)
    for drawn in product(reports, repeat=len(values)):
        stored = dict(zip(values, drawn, strict=True))
        weight = math.prod(rows[x][y] for x, y in stored.items())
        total = total + weight * outer([sent_if[stored[x]] for x in history])
    return dict(zip(product(reports, repeat=len(history)), total, strict=True))


def outer(laws: Sequence[Sequence[Fraction]]) -> Any:
    """The chances of all sequences of independent reports, the last one fastest."""
    return reduce(np.multiply.outer, [np.array(law, object) for law in laws]).ravel()


Lawyer: TypeAlias = Callable[[History], Law]


def costs_by_hand(law: Lawyer, k: int, days: int) -> dict[str, float]:
    """The largest log ratio over all pairs of histories of each kind, by enumeration."""
    histories = list(product(range(k), repeat=days))
    laws = [law(each) for each in histories]
    columns = sorted({ys for each in laws for ys in each})
    chances = np.array([[float(each.get(ys, 0)) for ys in columns] for each in laws])
    kinds: dict[str, Callable[[History, History], bool]] = {
        "value": lambda a, b: len(set(a)) == len(set(b)) == 1,
        "change": lambda a, b: a[0] == b[0] and sum(x != y for x, y in zip(a, b, strict=True)) == 1,
        "history": lambda a, b: True,
        "same_pattern": lambda a, b: pattern(a) == pattern(b),
        "changes at the same reports": lambda a, b: changes(a) == changes(b),
    }
    found = dict.fromkeys(kinds, 0.0)
    for i, a in enumerate(histories):
        with np.errstate(divide="ignore", invalid="ignore"):
            most = np.nanmax(np.log(chances[i] / chances), axis=1)
        for name, fits in kinds.items():
            pairs = [most[j] for j, b in enumerate(histories) if i != j and fits(a, b)]
            found[name] = max([found[name], *pairs])
    return found


def pattern(history: History) -> tuple[int, ...]:
    """At which reports the value is that of which earlier one."""
    return tuple(history.index(x) for x in history)


def changes(history: History) -> tuple[bool, ...]:
    """At which reports the value is another than that of the report before."""
    return tuple(x != y for x, y in pairwise(history))


def audit(protocol: Protocol, law: Lawyer, days: int) -> list[str]:
    """The costs of a plan that are below what these laws leak, or said to be exact and are not."""
    cost = record.plan_cost(protocol, days)
    found = costs_by_hand(law, protocol.domain.k, days)
    del found["changes at the same reports"]  # nothing is promised of them but what any two have
    wrong = []
    for name, least in found.items():
        stated = math.inf if cost[name]["epsilon"] is None else cost[name]["epsilon"]
        is_reached = math.isclose(least, stated, abs_tol=2e-6)
        if least > stated + 1e-9 or (cost[name]["is"] == "exact" and not is_reached):
            wrong.append(name)
    return wrong


def audited(k: int, plan: Repetition) -> tuple[Protocol, Rows]:
    protocol = replace(coarse(k), repetition=plan)
    return protocol, protocol.plan.mechanism.exact_channel()


@pytest.mark.parametrize("plan", PLANS, ids=lambda each: each.kind)
def test_the_stated_cost_is_that_of_the_exact_law_of_a_week(plan: Repetition) -> None:
    for k, days in ((2, 7), (3, 3)):
        if isinstance(plan, NoisyMemo):
            plan = replace(plan, reports=days)
        protocol, rows = audited(k, plan)
        with naming(f"{k} values, {days} days"):
            assert audit(protocol, lambda h: law_by_hand(plan, rows, h), days) == []  # noqa: B023


@pytest.mark.parametrize("days", [1, 2, 3, 4])
def test_of_one_pattern_the_stated_cost_is_reached(days: int) -> None:
    """By randomized response, where all pairs of values cost the same, it is not only a bound."""
    rows = ((3, 1, 1), (1, 3, 1), (1, 1, 3))
    policy = DenseMatrix.of((2.0 - 2.0 * np.eye(3)).tolist())
    table = TablePlan("by hand", WrittenOut(policy, rows, 5))
    for plan in (Memo(), *(NoisyMemo.of(e, 3, 4) for e in (0.5, 1.0, 2.0, 10.0))):
        protocol = replace(coarse(3), plan=table, repetition=plan)
        channel = table.mechanism.exact_channel()
        cost = record.plan_cost(protocol, days)["same_pattern"]
        found = costs_by_hand(lambda h: law_by_hand(plan, channel, h), 3, days)  # noqa: B023
        with naming(str(plan)):
            assert cost == {
                "epsilon": pytest.approx(found["same_pattern"], abs=2e-6),
                "is": "exact",
            }


def test_changes_at_the_same_reports_are_not_enough() -> None:
    """2, 1, 2 against 2, 1, 0: both change at every report, and a memo never sends both."""
    protocol, rows = audited(3, Memo())
    found = costs_by_hand(lambda h: law_by_hand(Memo(), rows, h), 3, 3)
    assert found["changes at the same reports"] == math.inf
    assert found["same_pattern"] <= record.plan_cost(protocol, 3)["same_pattern"]["epsilon"]
    loud = NoisyMemo.of(10.0, 3, 3)
    protocol, rows = audited(3, loud)
    found = costs_by_hand(lambda h: law_by_hand(loud, rows, h), 3, 3)
    cost = record.plan_cost(protocol, 3)
    assert cost["same_pattern"]["epsilon"] < found["changes at the same reports"]
    assert found["changes at the same reports"] <= cost["history"]["epsilon"]


@pytest.mark.parametrize("reports", [0, -1, 1.5])
def test_a_number_of_reports_is_whole_and_positive(reports: Any) -> None:
    protocol, _ = audited(2, Budget(3))
    for ask in (record.plan_cost, record.value_levels):
        with pytest.raises(CaldpError, match="reports must be a whole number"):
            ask(protocol, reports)
    with pytest.raises(CaldpError, match="reports must be a whole number"):
        record.plan_accuracy(protocol, 100, reports)


@pytest.mark.parametrize("wrong", [(-1, 8, 30), (0, 8, 30), (21, 8, 30), (1, 0, 30), (1, 8, -1)])
def test_a_noisy_memo_is_made_of_an_epsilon_and_whole_numbers(wrong: tuple[Any, ...]) -> None:
    with pytest.raises(CaldpError, match="must be"):
        NoisyMemo.of(*wrong)


def test_a_law_of_another_plan_is_rejected() -> None:
    others: dict[Repetition, Repetition] = {
        Once(): Budget(4),
        Memo(): Budget(4),
        NoisyMemo(HALF, 4): NoisyMemo(HALF // 2, 4),
        Budget(3): Budget(4),
    }
    for plan, other in others.items():
        protocol, rows = audited(2, plan)
        with naming(plan.kind):
            assert audit(protocol, lambda h: law_by_hand(plan, rows, h), 4) == []  # noqa: B023
            assert "value" in audit(protocol, lambda h: law_by_hand(other, rows, h), 4)  # noqa: B023


@pytest.mark.parametrize("plan", PLANS, ids=lambda each: each.kind)
def test_the_stated_accuracy_is_that_of_the_exact_law_of_a_week(plan: Repetition) -> None:
    for k, days in ((2, 5), (3, 3)):
        protocol, rows = audited(k, plan)
        assert isinstance(protocol.mechanism, WrittenOut)
        for asked, name in ((1, "one"), (days, "all")):
            sent = min(asked, getattr(plan, "reports", asked))
            laws = [law_by_hand(plan, rows, (x,) * sent) for x in range(k)]
            found = np.mean([variance(law, protocol.mechanism.estimator) for law in laws], axis=0)
            stated = record.plan_accuracy(protocol, 400, days)[name]
            assert stated == pytest.approx(math.sqrt(found.max() / 400), rel=1e-9)
    other = replace(protocol, repetition=None if isinstance(plan, Once | Memo) else Memo())
    assert record.plan_accuracy(other, 400, days)["all"] != pytest.approx(stated, rel=1e-3)


def variance(law: Law, estimator: Floats) -> Floats:
    """(k,) variance of what the mean of one person's reports adds to each share."""
    means = np.array([estimator[list(reports)].mean(axis=0) for reports in law])
    chances = np.array([float(chance) for chance in law.values()])
    return np.asarray(chances @ means**2 - (chances @ means) ** 2)


def test_laws_of_many_values_are_bounds_that_hold() -> None:
    """By the policy's limits, where no law can be written out."""
    protocol = replace(many("randomized-response", 400, 1.5), repetition=Memo())
    assert record.plan_cost(protocol, 30) == costs(30, 1.5, None, None, 45.0)
    fresh = record.plan_cost(protocol.repeated(Budget(30)), 365)
    assert fresh == costs(30, 45.0, 1.5, 45.0, 45.0)
    # Sets of 14 values are too many for fractions, and a table of 300,000 entries is not.
    assert record.plan_cost(many("oue", 14, 1.5), 10)["value"] == {"epsilon": 15.0, "is": "bound"}
    rows = np.full((5, 60_000), 2, np.int64)
    rows[:, :5] += np.eye(5, dtype=np.int64)
    wide = WrittenOut(DenseMatrix.of((2.0 - 2.0 * np.eye(5)).tolist()), rows.tolist(), 120_001)
    cost = record.plan_cost(replace(many("oue", 5), plan=TablePlan("wide", wide)), 1)
    assert cost["value"] == {"epsilon": pytest.approx(math.log(1.5), abs=2e-6), "is": "exact"}
    many_values = record.plan_cost(many("oue", 5000, 1.5), 10)
    assert many_values == costs(10, 15.0, 1.5, 15.0, 15.0)


def costs(reports: int, *levels: float | None) -> dict[str, Any]:
    names = ("value", "change", "history", "same_pattern")
    bounds = [{"epsilon": level, "is": "bound"} for level in levels]
    return {"reports": reports, **dict(zip(names, bounds, strict=True))}


class Device:
    """A person's client whose memory is read again from its file before every report."""

    def __init__(self, protocol: Protocol, file: Path, coins: Any) -> None:
        self.protocol, self.file, self.coins, self.day = protocol, file, coins, count()

    def week(self, history: History) -> tuple[int | str, ...]:
        self.file.unlink(missing_ok=True)
        sent: list[int | str] = []
        for value in history:
            device = Client(self.protocol, self.file)
            device._day, device._coins = (lambda: str(next(self.day))), self.coins
            try:
                sent.append(device.report(self.protocol.labels[value], "Ann"))
            except CaldpError:  # the budget is spent
                break
        return tuple(sent)


def device_law(protocol: Protocol, file: Path, history: History) -> Any:
    return exact_law(lambda coins: Device(protocol, file, coins).week(history))


def test_a_client_that_restarts_sends_what_the_plan_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its own code, with a new process's memory each day, for all ways in which coins can fall."""
    monkeypatch.setattr(os, "fsync", lambda _: None)
    for plan in PLANS:
        protocol, rows = audited(2, plan)
        for history in ((0, 1, 0), (1, 1, 0)):
            right = {
                ys: chance for ys, chance in law_by_hand(plan, rows, history).items() if chance
            }
            with naming(f"{plan.kind}, {history}"):
                assert device_law(protocol, tmp_path / "memory", history) == right


def test_a_device_that_forgets_is_rejected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It says `memo` and draws anew each day: the audit finds what a week of it costs."""
    monkeypatch.setattr(os, "fsync", lambda _: None)
    protocol, _ = audited(2, Memo())
    memory = tmp_path / "memory"
    assert audit(protocol, lambda h: device_law(protocol, memory, h), 3) == []
    monkeypatch.setattr(client.Memory, "get_or_draw", lambda self, person, draw: draw())
    assert "value" in audit(protocol, lambda h: device_law(protocol, memory, h), 3)


def test_a_memory_of_a_memo_does_not_show_which_values_were_answered(tmp_path: Path) -> None:
    texts = []
    for history in ((0, 0), (1, 0)):
        Device(
            replace(coarse(), repetition=Memo()), tmp_path / "memory", DrawnCoins(lambda: 5)
        ).week(history)
        texts.append((tmp_path / "memory").read_text("utf-8"))
    assert texts[0] == texts[1]
    assert json.loads(texts[0])["caldp_memory"] == 2


def test_a_budget_is_one_of_a_day_and_of_a_person(tmp_path: Path) -> None:
    days = iter(["1", "1", "2", "2", "3", "4", "4"])
    protocol = replace(coarse(), repetition=Budget(3, 1))
    device = Client(protocol, tmp_path / "memory")
    device._day = days.__next__
    sent = []
    for _ in range(6):
        try:
            device.report("ill", "Ann")
        except CaldpError as error:
            sent.append(str(error))
        else:
            sent.append("")
    assert [not each for each in sent] == [True, False, True, False, True, False]
    assert "as many reports as the protocol's plan allows, 1 a day and 3 in all" in sent[-1]
    device.report("ill", "Bob")
    with pytest.raises(
        CaldpError, match="has a plan of repetition, which a client keeps by a memory"
    ):
        Client(protocol)


def test_a_clock_that_is_put_back_opens_no_day_of_a_budget_anew(tmp_path: Path) -> None:
    days = ["1", "2", "1", "2", "3", "1", "3"]
    right = [True, True, False, False, True, False, False]
    protocol = replace(coarse(), repetition=Budget(9, 1))
    device = Client(protocol, tmp_path / "memory")
    device._day = iter(days).__next__
    for is_sent in right:
        with nullcontext() if is_sent else pytest.raises(CaldpError, match="1 a day"):
            device.report("ill", "Ann")
    case = {"protocol": protocol.to_dict(), "answers": ["ill"] * len(days), "days": days}
    (found,) = in_javascript([case | {"numbers": [5] * 99}])
    assert [each is not None for each in found[:-1]] == right


def test_a_memory_that_was_changed_is_refused(tmp_path: Path) -> None:
    protocol, file = replace(coarse(), repetition=Memo()), tmp_path / "memory"
    Client(protocol, file).report("ill", "Ann")
    whole = json.loads(file.read_text("utf-8"))
    for change in (
        {"caldp_memory": 3},
        {"report": [1]},
        {"report": 1},
        {"report": [1, None]},
        {"day": "1"},
    ):
        file.write_text(f"{json.dumps(whole | change)}\n", "utf-8")
        with (
            naming(str(change)),
            pytest.raises(CaldpError, match="a line is not a report that was"),
        ):
            Client(protocol, file)


IN_NODE: Final = """
import {readFileSync} from "node:fs";
import {pathToFileURL} from "node:url";
const {client, cases} = JSON.parse(readFileSync(0, "utf8"));
const {Client} = await import(pathToFileURL(client));
process.stdout.write(JSON.stringify(cases.map(({protocol, answers, numbers, days, stored}) => {
    const kept = new Map(), left = [...numbers];
    const getItem = key => kept.get(key) ?? stored;
    const memory = {getItem, setItem: (key, text) => kept.set(key, text)};
    return answers.map((answer, i) => {
        const day = () => days[i];
        const device = new Client(protocol, {memory, number: () => left.shift(), day});
        try { return device.report(answer, "Ann"); } catch (error) { return error.message; }
    }).concat(left.length);
})));
"""


def in_javascript(cases: Sequence[dict[str, Any]]) -> list[list[Any]]:
    """What the other client sends in each case, None where it refuses; then the numbers left."""
    done = subprocess.run(
        [str(NODE), "--input-type=module", "-e", IN_NODE],
        input=json.dumps({"client": str(CLIENT), "cases": cases}),
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    return [
        [None if isinstance(each, str) and "sent all reports" in each else each for each in sent]
        for sent in json.loads(done.stdout)
    ]


def test_both_clients_send_equal_reports_by_every_plan(tmp_path: Path) -> None:
    protocols = [
        each.repeated(plan)
        for plan in PLANS
        for each in (
            *tables().values(),
            *(small(name) for name in ("hadamard", "oue", "local-hashing")),
        )
        if isinstance(each.plan, TablePlan) or not isinstance(plan, NoisyMemo)
    ]
    cases = [asked_again(each, tmp_path / str(i)) for i, each in enumerate(protocols)]
    for protocol, case, found in zip(protocols, cases, in_javascript(cases), strict=True):
        with naming(f"{protocol.repetition}, {protocol.plan.name}"):
            assert found == [*case["reports"], 0]


def test_a_memory_of_a_browser_that_was_damaged_is_refused(tmp_path: Path) -> None:
    """An empty text was taken for a person who never sent anything, and new noise was drawn."""
    case = asked_again(coarse().repeated(Memo()), tmp_path / "memory")
    held = {"caldp_memory": 2, "sent": 1, "today": 0}
    states: tuple[Any, ...] = ({}, None, [1], held, held | {"reports": [0]}, held | {"sent": None})
    texts = ["", "x", *map(json.dumps, states)]
    cases = [case | {"stored": text, "answers": case["answers"][:1]} for text in texts]
    for text, (found, _) in zip(texts, in_javascript(cases), strict=True):
        assert re.search("damaged or of another version|JSON", str(found)), text


def test_the_file_of_vectors_is_what_both_clients_send(tmp_path: Path) -> None:
    """By the file's own protocols, which name the version that wrote them."""
    held = json.loads((ROOT / "docs" / "repetition.vectors.json").read_text("utf-8"))
    for i, case in enumerate(held):
        protocol = Protocol.from_dict(case["protocol"])
        made = asked_again(protocol, tmp_path / str(i)) | {"protocol": case["protocol"]}
        with naming(str(protocol.repetition)):
            assert made == case
    kinds = [case["protocol"]["repetition"] for case in repetition_vectors()]
    assert [case["protocol"]["repetition"] for case in held] == kinds
    assert [case["reports"].count(None) for case in held] == [0, 0, 2, 1, 1]
    assert in_javascript(held) == [[*case["reports"], 0] for case in held]
    held[0]["numbers"].append(0)
    assert in_javascript(held[:1]) == [[*held[0]["reports"], 1]]


def test_a_protocol_says_its_plan_and_others_mean_what_they_meant() -> None:
    schema = jsonschema.Draft202012Validator(protocol_schema())
    before = coarse()
    assert "repetition" not in before.to_dict()
    marks = {before.fingerprint}
    for plan in PLANS:
        made = replace(before, repetition=plan)
        schema.validate(made.to_dict())
        again = Protocol.from_json(made.to_json())
        assert again.repetition == plan
        assert again.to_dict()["caldp_protocol"] == 2
        marks.add(made.fingerprint)
    assert len(marks) == 1 + len(PLANS)
    data = replace(before, repetition=Budget(3)).to_dict()
    for change, reason in (
        ({"caldp_protocol": 1}, "or 2 with a plan of repetition"),
        ({"caldp_protocol": 4}, "has 4; use the later version of caldp that wrote it"),
        ({"repetition": {"kind": "often"}}, "repetition must be one of once, memo"),
        ({"repetition": {"kind": "budget", "reports": 0, "a_day": 1}}, "reports must be"),
        ({"repetition": {"kind": "budget", "reports": 4, "a_day": 1}}, "fingerprint is not what"),
    ):
        with naming(reason), pytest.raises(CaldpError, match=reason):
            Protocol.from_dict(data | change)
    with pytest.raises(CaldpError, match="only of a table"):
        replace(small("hadamard"), repetition=NoisyMemo(HALF, 3))
    with pytest.raises(CaldpError, match="whose reports are numbers"):
        small("oue").repeated(NoisyMemo(HALF, 3))
    written_out = small("hadamard").repeated(NoisyMemo(HALF, 3))
    assert written_out.plan.mechanism.exact_channel() == small("hadamard").mechanism.exact_channel()
    with pytest.raises(CaldpError, match="at most 1,048,576 bytes"):
        replace(many("oue", 3000), repetition=Memo())


def test_of_several_protocols_the_one_that_can_not_be_read_is_named(tmp_path: Path) -> None:
    for name, more in (("a", {}), ("later", {"caldp_protocol": 4})):
        (tmp_path / f"{name}.json").write_text(json.dumps(coarse().to_dict() | more), "utf-8")
    for words in (["account", str(tmp_path)], ["protocol", "--questions", str(tmp_path)]):
        done = CliRunner().invoke(main, words)
        assert done.exit_code == 2
        assert done.stderr.startswith("Error: 'later.json' can't be read: A protocol has ")


def test_an_account_says_how_accurate_each_plan_is(tmp_path: Path) -> None:
    for name, plan in (("fresh", Budget(30)), ("noisy", NoisyMemo(HALF, 30)), ("once", Once())):
        protocol = replace(coarse(), repetition=plan)
        (tmp_path / f"{name}.json").write_text(protocol.to_json(), "utf-8")
    done = CliRunner().invoke(main, ["account", str(tmp_path), "--people", "1000"])
    assert done.exit_code == 0, done.output
    *_, title, _, fresh, noisy, once = done.output.splitlines()
    assert title.endswith("of 1,000 people, as many with each answer:")
    one, stays = ([float(part) for part in line.split("±")[1:]] for line in (fresh, once))
    assert stays[0] == stays[1] == one[0]  # the first report, again and again
    assert one[0] / one[1] == pytest.approx(math.sqrt(30), rel=0.01)
    shown, averaged = (float(part) for part in noisy.split("±")[1:])
    assert shown > averaged > stays[1]


def test_what_the_collector_estimates_by_is_what_a_noisy_memo_sends() -> None:
    protocol, rows = audited(3, NoisyMemo(HALF, 4))
    sent = [law_by_hand(NoisyMemo(HALF, 4), rows, (x,)) for x in range(3)]
    right = [[law[y,] for y in range(3)] for law in sent]
    assert protocol.mechanism.exact_channel() == right
    assert protocol.mechanism.fingerprint != protocol.plan.mechanism.fingerprint


def test_an_account_adds_up_what_protocols_ask_the_same_people(tmp_path: Path) -> None:
    scenario = str(ROOT / "examples" / "own-table.json")
    runner = CliRunner()
    for name, options in (
        ("a", ("once",)),
        ("b", ("budget", "--reports", "3")),
        ("c", ("noisy-memo", "--change-epsilon", "0.5")),
    ):
        made = runner.invoke(
            main,
            [
                "protocol",
                scenario,
                "-o",
                str(tmp_path / f"{name}.json"),
                "--question",
                "Ill?",
                "--repeat",
                *options,
            ],
        )
        assert made.exit_code == 0, made.output
    (tmp_path / "other.json").write_text("{}", "utf-8")
    (tmp_path / "none").mkdir()
    asked = ["account", str(tmp_path), "--budget", "10"]
    done, printed = (runner.invoke(main, [*asked, *more]) for more in ([], ["--json"]))
    assert (done.exit_code, printed.exit_code) == (0, 0), done.output
    found = json.loads(printed.output)
    protocols = {name: Protocol.from_file(tmp_path / f"{name}.json") for name in "abc"}
    assert found == json.loads(
        json.dumps(record.make_account({f"{n}.json": each for n, each in protocols.items()}, 10.0))
    )
    (group,) = found["values"]
    assert group["files"] == ["a.json", "b.json", "c.json"]
    values = range(len(group["names"]))
    by_hand = np.array(
        [[sum(pair(each, x, z, 3) for each in protocols.values()) for z in values] for x in values]
    )
    listed = np.array(group["epsilon_by_pair"], float)  # None is NaN
    np.testing.assert_allclose(np.where(np.isnan(listed), np.inf, listed), by_hand, atol=2e-6)
    total = found["epsilon"]["if_values_stay"]
    assert total == pytest.approx(by_hand[np.isfinite(by_hand)].max(), abs=2e-6)
    assert found["left"] == {
        "if_values_stay": pytest.approx(10 - total),
        "any_history": pytest.approx(10 - found["epsilon"]["any_history"]),
    }
    rows = [line.split() for line in done.output.splitlines()]
    assert rows[3][:4] == [
        "c.json",
        "noisy-memo",
        "365",
        str(found["protocols"][2]["value"]["epsilon"]),
    ]
    assert rows[-1][:4] == ["left", "of", "the", "budget"]
    empty = runner.invoke(main, ["account", str(tmp_path / "none")])
    assert (empty.exit_code, "has no protocol" in empty.output) == (2, True)


def pair(protocol: Protocol, x: int, z: int, reports: int) -> float:
    """ε of two values by the exact channel; a noisy memo's of 365 reports is its stored one's."""
    rows = protocol.plan.mechanism.exact_channel()
    times = reports if isinstance(protocol.repetition, Budget) else 1
    ratios = [a / b if b else math.inf for a, b in zip(rows[x], rows[z], strict=True) if a]
    return times * math.log(max(ratios))


def test_a_record_of_every_plan_is_checked_and_registered() -> None:
    about = record.About("a", "b", "c", "d", "2026-11-26", "e")
    for plan in PLANS:
        made = coarse(3).repeated(plan)
        tally = made.mechanism.sample_tally([30, 20, 10], np.random.default_rng(4))
        written = record.make_record(made, CollectedTally(made.fingerprint, tally), 0.95, "none")
        held = json.loads(json.dumps(written))
        entry = record.registry_entry(Protocol.from_json(made.to_json()), held, about)
        with naming(plan.kind):
            composed = entry["deployment"]["accounting"]["composition"]
            assert composed == record.TEXTS["composition"][plan.kind]
            held["privacy"]["repetition"]["cost"]["value"]["epsilon"] = 0.1
            with pytest.raises(CaldpError, match="another privacy"):
                record.registry_entry(made, held, about)


def test_a_record_says_the_plan_and_what_it_costs() -> None:
    scenario = Scenario.from_file(ROOT / "examples" / "own-table.json")
    setup = prepare(replace(scenario, n=1))
    plain = record._protocol_fields(Protocol.of(setup))["privacy"]
    assert "repetition" not in plain
    assert "m reports of one person" in plain["unit"]
    kept = record._protocol_fields(Protocol.of(setup).repeated(Budget(30, 2)))["privacy"]
    assert kept["repetition"]["cost"]["history"]["epsilon"] >= 30 * 0.99 * plain["epsilon_most"]
    assert "at most 30 are sent, 2 a day" in kept["unit"]


def test_a_noisy_memo_is_refused_for_more_reports_than_its_coins_can_hide() -> None:
    """Beyond 2^40 reports the noise had been that of 2^40, which showed more than was said."""
    most = 1 << 40
    noisy = NoisyMemo.of(1.0, most, 2)
    assert math.log(noisy.odds(most)) <= 1.0
    with pytest.raises(CaldpError, match="different reports of a noisy memo must be"):
        NoisyMemo.of(1.0, most + 1, 2)
