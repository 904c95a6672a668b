"""Several questions as one protocol file: one report, one account, a tally and estimate of each."""

import csv
import json
import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from caldp_core import CaldpError, Client, Protocol
from caldp_core.cli.commands import main
from caldp_core.collect import record
from caldp_core.collect.collected_tally import CollectedTally
from caldp_core.collect.collector import Collector
from caldp_core.collect.device import NUMBER_RANGE, Budget, DrawnCoins, Memo, NoisyMemo, Once
from caldp_core.collect.protocol import TablePlan
from caldp_core.collect.questions import Questions, read_protocol
from caldp_core.domain.domains import Domain
from caldp_core.mechanisms.written_out import WrittenOut
from caldp_core.privacy.matrix import DenseMatrix
from tests.collect.protocols import exact_law, labelled, stated, tables
from tests.collect.test_repetition import in_javascript
from tests.contract.checks import naming

LETTERS = ("a", "b", "c")
ASKED = Questions(
    {
        "smoking": labelled("hadamard", ("yes", "no")),
        "sad": labelled("oue", LETTERS),
        "sleep": labelled("local-hashing", LETTERS),
    }
)
ANSWERS = {"smoking": "no", "sad": "b", "sleep": "c"}


def test_a_file_is_read_as_it_was_written_and_others_are_refused(tmp_path: Path) -> None:
    (tmp_path / "survey.json").write_text(ASKED.to_json(), "utf-8")
    again = read_protocol(tmp_path / "survey.json")
    assert isinstance(again, Questions)
    assert (again.to_dict(), again.fingerprint) == (ASKED.to_dict(), ASKED.fingerprint)
    assert list(again.protocols) == list(ANSWERS)
    turned = Questions(dict(reversed(list(ASKED.protocols.items()))))
    renamed = Questions({name.upper(): each for name, each in ASKED.protocols.items()})
    assert turned.fingerprint == ASKED.fingerprint != renamed.fingerprint
    one, data = ASKED.protocols["sad"], ASKED.to_dict()
    refusals: list[tuple[Any, str]] = [
        (lambda: Questions({}), "1 to 100 questions, got 0"),
        (lambda: Questions({"1": one}), "begin with a letter, got '1'"),
        (lambda: Questions({"a b": one}), "begin with a letter, got 'a b'"),
        (lambda: Questions({"a": one, "b": one}), "two have the same protocol"),
        (lambda: Questions.from_dict(data | {"fingerprint": "0" * 64}), "fingerprint is not what"),
        (lambda: Questions.from_dict(data | {"questions": {"a": 1}}), "needs 'a', an object"),
        (lambda: Questions.from_dict(data | {"title": "x"}), "title is not what"),
        (lambda: Protocol.from_dict(data), "this file has 3; it has several questions: give one"),
    ]
    for make, reason in refusals:
        with naming(reason), pytest.raises(CaldpError, match=reason):
            make()


def test_one_report_answers_all_questions_and_nothing_less(tmp_path: Path) -> None:
    client = Client(ASKED)
    message = client.message(ANSWERS)
    assert message["protocol"] == ASKED.fingerprint[:16]
    assert list(message["report"]) == list(ANSWERS)
    wrong: list[Any] = [{}, "no", {**ANSWERS, "age": "a"}, {"smoking": "no", "sad": "b"}]
    for answer in wrong:
        with naming(str(answer)), pytest.raises(CaldpError, match="each of the questions smoking"):
            client.report(answer)
    remembering = Client(ASKED, tmp_path / "memory")
    with pytest.raises(CaldpError, match="The answer must be one of"):
        remembering.report(ANSWERS | {"sleep": "never"}, "Ann")
    assert not (tmp_path / "memory").exists()
    first = remembering.report(ANSWERS, "Ann")
    assert remembering.report({"smoking": "yes", "sad": "a", "sleep": "a"}, "Ann") == first
    alone = Client(ASKED.protocols["sad"], tmp_path / "memory")
    assert alone.report("c", "Ann") == first["sad"]  # wherever the question is asked


def test_both_clients_send_equal_reports_by_every_plan(tmp_path: Path) -> None:
    """A person is asked three times, on two days, by clients that read their memory anew."""
    parts = {
        "once": labelled("oue", LETTERS).repeated(Once()),
        "memo": labelled("hadamard", LETTERS).repeated(Memo()),
        "noisy": tables()["binary"].repeated(NoisyMemo(NUMBER_RANGE // 2, 3)),
        "fresh": labelled("subset-selection", LETTERS).repeated(Budget(2, 1)),
    }
    asked, rng = Questions(parts), np.random.default_rng(43)
    days = ("2026-11-26", "2026-11-27", "2026-11-28")
    drawn: list[int] = []
    sent: list[Any] = []

    def number() -> int:
        drawn.append(int(rng.integers(0, NUMBER_RANGE)))
        return drawn[-1]

    given = (("a", "b", 0, "c"), ("b", "b", 1, "c"), ("a", "a", 0, "a"))
    answers: list[Any] = [dict(zip(parts, each, strict=True)) for each in given]
    for answer, day in zip(answers, days, strict=True):
        client = Client(asked, tmp_path / "memory")
        client._day, client._coins = (lambda day=day: day), DrawnCoins(number)  # type: ignore[misc]
        try:
            sent.append(client.report(answer, "Ann"))
        except CaldpError:
            sent.append(None)
    assert sent[2] is None  # the budget of two is spent
    case = {"protocol": asked.to_dict(), "answers": answers, "days": days, "numbers": drawn}
    (found,) = in_javascript([json.loads(json.dumps(case))])
    assert found == [*sent, 0]
    changed = json.loads(json.dumps(case))
    changed["numbers"][0] = NUMBER_RANGE - 1 - changed["numbers"][0]
    assert in_javascript([changed])[0] != found


def test_javascript_refuses_what_python_refuses() -> None:
    data = json.loads(ASKED.to_json())
    case = {"answers": [ANSWERS, {"smoking": "no"}, "no", None], "days": [""] * 4, "numbers": []}
    many = {"numbers": list(range(0, 10**9, 10**6))}
    sent, *refused, _ = in_javascript([{"protocol": data, **case, **many}])[0]
    assert list(sent) == list(ANSWERS)
    assert all("one for each question" in each for each in refused)


def table(levels: Sequence[Sequence[float]], rows: Sequence[Sequence[int]], text: str) -> Protocol:
    plan = TablePlan("by hand", WrittenOut(DenseMatrix.of(levels), rows, sum(rows[0])))
    return Protocol(text, Domain.of(LETTERS), ("everything",), plan)


def two_questions() -> Questions:
    """The same values, of which one question tells a from b, and the other b from c."""
    levels = (2.0 - 2.0 * np.eye(3)).tolist()
    return Questions(
        {
            "first": table(levels, ((6, 1, 1), (1, 6, 1), (3, 3, 2)), "one"),
            "other": table(levels, ((3, 3, 2), (6, 1, 1), (1, 6, 1)), "two"),
        }
    )


def most_told_apart(asked: Questions) -> float:
    """The largest log ratio that one report of all questions gives, over all pairs of answers."""
    names = list(asked.protocols)

    def law(values: Sequence[str]) -> dict[Any, Fraction]:
        def draw(coins: Any) -> Any:
            client = Client(asked)
            client._coins = coins
            return tuple(client.report(dict(zip(names, values, strict=True))).values())

        return exact_law(draw)

    laws = [law(each) for each in product(LETTERS, repeat=2)]
    right = [
        math.prod(pair)
        for pair in product(*(stated(p)[0].values() for p in asked.protocols.values()))
    ]
    assert sorted(laws[0].values()) == sorted(right)
    return max(math.log(a[sent] / b[sent]) for a in laws for b in laws for sent in a)


def test_the_stated_epsilon_of_a_person_is_that_of_the_law_of_all_reports() -> None:
    asked = two_questions()
    account = record.make_account(asked.protocols, reports=1)["epsilon"]
    found = most_told_apart(asked)
    assert account["any_history"] == account["if_values_stay"] == pytest.approx(found, abs=2e-6)
    # As if both asked for one and the same value, which was the rule: too little.
    levels = sum(record.value_levels(each, 1) for each in asked.protocols.values())
    assert record.largest_level(levels) < found - 0.1  # type: ignore[arg-type]


FORMS = ("survey.jsonl", "survey.csv", "text.parquet", "struct.parquet")


def write(path: Path, messages: Sequence[dict[str, Any]]) -> None:
    texts = [each | {"report": json.dumps(each["report"])} for each in messages]
    if path.name == "struct.parquet":
        pq.write_table(pa.Table.from_pylist(list(messages)), path)
    elif path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(texts), path)
    elif path.suffix == ".csv":
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, ["protocol", "report"])
            writer.writeheader()
            writer.writerows(texts)
    else:
        path.write_text("".join(f"{json.dumps(each)}\n" for each in messages), "utf-8")


@pytest.mark.slow
def test_each_question_is_counted_as_if_it_were_asked_alone(tmp_path: Path) -> None:
    client = Client(ASKED)
    rng = np.random.default_rng(1)
    people = [
        {name: each.labels[rng.integers(each.domain.k)] for name, each in ASKED.protocols.items()}
        for _ in range(80)
    ]
    messages = [client.message(each) for each in people]
    alone = {}
    for name, each in ASKED.protocols.items():
        path = tmp_path / f"{name}.jsonl"
        write(path, [{"report": message["report"][name]} for message in messages])
        alone[name] = Collector(each).tally(path)
    for form in FORMS:
        write(tmp_path / form, messages)
        for name, each in ASKED.protocols.items():
            found = Collector(each, name, ASKED.fingerprint).tally(tmp_path / form)
            with naming(f"{form}, {name}"):
                np.testing.assert_array_equal(found.tally.counts, alone[name].tally.counts)
                np.testing.assert_array_equal(found.buckets, alone[name].buckets)
                assert sum(found.refused.values()) == 0
    broken: list[dict[str, Any]] = [
        {"protocol": "0" * 16, "report": messages[0]["report"]},
        {"protocol": ASKED.protocols["sad"].fingerprint[:16], "report": 1},
        {"report": 1},
        {"report": "x"},
        {"report": {"sad": "AA=="}},
        {"report": {"smoking": 9}},
    ]
    write(tmp_path / "broken.jsonl", broken)
    smoking = Collector(ASKED.protocols["smoking"], "smoking", ASKED.fingerprint)
    refused = smoking.tally(tmp_path / "broken.jsonl").refused
    assert list(refused.values()) == [3, 2, 1]


def run(*words: object) -> Any:
    return CliRunner().invoke(main, [str(word) for word in words])


def test_commands_take_a_file_of_several_questions(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    for name, each in ASKED.protocols.items():
        (tmp_path / "parts" / f"{name}.json").write_text(each.to_json(), "utf-8")
    survey, tallies, tables = (tmp_path / name for name in ("survey.json", "tallies", "tables"))
    made = run("protocol", "--questions", tmp_path / "parts", "-o", survey)
    assert made.exit_code == 0, made.output
    assert "3 questions in one report: ε = " in made.stderr
    assert read_protocol(survey).fingerprint == ASKED.fingerprint
    client = Client(survey)
    for day in ("monday", "tuesday"):
        write(tmp_path / f"{day}.jsonl", [client.message(ANSWERS) for _ in range(60)])
    done = run("tally", survey, tmp_path / "monday.jsonl", "-o", tallies)
    assert done.exit_code == 0, done.output
    done = run("tally", survey, *tmp_path.glob("*day.jsonl"), "-o", tallies)
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert list(found) == ["sad", "sleep", "smoking"]
    assert {each["reports"] for each in found.values()} == {120}
    assert {each["files_counted_before"] for each in found.values()} == {1}
    assert CollectedTally.from_file(tallies / "sad.tally.json").tally.n == 120
    done = run("estimate", survey, tallies, "-o", tables, "--record", tmp_path / "record.json")
    assert done.exit_code == 0, done.output
    assert sorted(path.name for path in tables.iterdir()) == ["sad.csv", "sleep.csv", "smoking.csv"]
    swapped = run("estimate", tallies, survey, "-o", tmp_path / "swapped")
    assert swapped.exit_code == 0, swapped.output
    assert (tmp_path / "swapped" / "sad.csv").read_bytes() == (tables / "sad.csv").read_bytes()
    whole = json.loads((tmp_path / "record.json").read_text("utf-8"))
    assert whole["protocol"] == ASKED.fingerprint
    parts = [record.plan_cost(each, 1)["value"]["epsilon"] for each in ASKED.protocols.values()]
    assert whole["privacy"]["asked_once"] == pytest.approx(sum(parts), abs=1e-5)
    for name, each in ASKED.protocols.items():
        record.check_record(each, whole["questions"][name], name)
    printed = run("account", survey, "--reports", "1").stdout.splitlines()
    assert [line.split()[:2] for line in printed[1:4]] == [
        ["survey.json", name] for name in ("sad", "sleep", "smoking")
    ]
    for words, reason in (
        (("protocol", "--questions", tmp_path / "parts", survey), "give one"),
        (("protocol",), "give one"),
        (("protocol", "--questions", tallies), "has no protocol"),
        (("estimate", survey, tallies / "sad.tally.json", "-o", tables), "can't be read"),
        (("estimate", survey, tallies, "-o", tables / "sad.csv"), "must name a folder"),
        (("estimate", survey, tallies), "must name a folder"),
        (("sql", survey), "give one's protocol"),
    ):
        refused = run(*words)
        with naming(f"{words}: {refused.output}"):
            assert (refused.exit_code, reason in refused.output) == (2, True)
            assert refused.output.count("\n") == 1
