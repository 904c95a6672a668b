"""The protocol file: all that both sides need, nothing of the data, and no other file is taken."""

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from click.testing import CliRunner

from caldp_core import CaldpError, Protocol, Scenario, prepare
from caldp_core.basics.limits import EPSILON_MAX, EPSILON_MIN
from caldp_core.cli.commands import main
from caldp_core.collect.protocol import FORMAT, PROTOCOL_KEY, QUESTION_MAX, protocol_schema
from caldp_core.datasets import OwnTable, Zipf
from caldp_core.domain.grid import GridDomain
from caldp_core.mechanisms import catalogue
from caldp_core.mechanisms.catalogue import RandomizedResponse
from caldp_core.mechanisms.designed.master import rows_keep_levels
from caldp_core.scenarios.blocks import EvenRuns, OneBlock
from caldp_core.scenarios.policies import ContextPolicy
from tests import ROOT
from tests.collect.protocols import SPECS, many, small, tables
from tests.contract.checks import naming
from tests.contract.contexts import CONTEXTS

NAMES = ("flu", "cold", "none")
COUNTS = (918273, 645546, 371731)


def make_scenario(counts: tuple[int, ...] = COUNTS, **changes: Any) -> Scenario:
    made = Scenario(
        OwnTable(NAMES, counts), ContextPolicy(OneBlock()), RandomizedResponse(), n=777123
    )
    return replace(made, **changes)


def test_a_protocol_is_what_it_was_when_it_is_read_again() -> None:
    schema = jsonschema.Draft202012Validator(protocol_schema())
    for family in SPECS:
        for kind in CONTEXTS:
            made = small(family, kind)
            with naming(f"{family}, {kind}"):
                again = Protocol.from_json(made.to_json())
                assert again.to_json() == made.to_json()
                assert again.mechanism.fingerprint == made.mechanism.fingerprint
                schema.validate(made.to_dict())
    for made in tables().values():
        assert Protocol.from_json(made.to_json()).to_json() == made.to_json()
        schema.validate(made.to_dict())


def test_labels_are_the_answers_names_and_none_where_values_are_numbers_or_places() -> None:
    assert Protocol.of(prepare(make_scenario())).labels == NAMES
    assert small("oue").labels == ()
    assert replace(small("oue"), domain=GridDomain(0.0, 0.0, 1.0, 2, 2)).labels == ()


def test_the_schema_file_is_the_programs() -> None:
    text = (ROOT / "docs" / "protocol.schema.json").read_text("utf-8")
    assert json.loads(text) == protocol_schema()
    fields = protocol_schema()["properties"]
    level = fields["policy"]["oneOf"][0]["properties"]["epsilon"]["items"]
    assert (level["minimum"], level["maximum"]) == (EPSILON_MIN, EPSILON_MAX)
    assert fields["question"]["maxLength"] == QUESTION_MAX
    assert fields[PROTOCOL_KEY] == {"const": FORMAT}
    wrong = small("oue").to_dict() | {"people": 12}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(wrong, protocol_schema())


def test_no_count_of_the_data_is_in_it() -> None:
    text = Protocol.of(prepare(make_scenario())).to_json()
    assert not [count for count in (*COUNTS, sum(COUNTS), 777123) if str(count) in text]
    others = (
        make_scenario((1, 2, 3)),
        make_scenario(n=None),
        make_scenario(seed=99, trials=3, estimator="none"),
    )
    assert {Protocol.of(prepare(other)).to_json() for other in others} == {text}
    # The test can fail: what people are asked does change it.
    assert Protocol.of(prepare(make_scenario()), "How are you?").to_json() != text


def test_other_questions_have_other_fingerprints() -> None:
    made = Protocol.of(prepare(make_scenario()), "This week?")
    renamed = Protocol.of(prepare(make_scenario(dataset=OwnTable(("cold", "flu", "none"), COUNTS))))
    later = Protocol.of(prepare(make_scenario()), "Last week?")
    stricter = Protocol.of(prepare(make_scenario().with_epsilon(0.5)))
    marks = {each.fingerprint for each in (made, renamed, later, stricter)}
    assert len(marks) == 4


def test_a_written_out_channel_in_blocks_is_read_again() -> None:
    ages = Scenario.from_file(ROOT / "examples" / "square-wave.json")
    for blocks in (OneBlock(), EvenRuns(3)):
        setup = prepare(replace(ages, policy=ContextPolicy(blocks), n=1))
        made = Protocol.of(setup)
        assert made.plan.name == "table"
        assert Protocol.from_json(made.to_json()).to_json() == made.to_json()
        laws = made.mechanism.exact_channel()
        assert laws == setup.mechanism.exact_channel()


def test_scenarios_without_a_device_are_refused() -> None:
    for example in ("published-urap", "personal-tags", "near-places"):
        scenario = Scenario.from_file(ROOT / "examples" / f"{example}.json")
        with pytest.raises(CaldpError, match=r"A collection runs one of .* Choose one of those"):
            Protocol.of(prepare(replace(scenario, n=1)))


def with_value(path: str, value: Any, of: Protocol | None = None) -> dict[str, Any]:
    data = json.loads((of or small("subset-selection")).to_json())
    *within, last = path.split(".")
    part = data
    for key in within:
        part = part[key]
    part[last] = value
    return data


HOSTILE = [
    ("caldp_protocol", True, '"caldp_protocol": 1'),
    ("caldp_protocol", 2, "this file has 2"),
    ("question", "a\nb", "one line"),
    ("question", 7, "one line"),
    ("domain", [], "needs 'domain'"),
    ("domain.kind", "secret", "one of answers, map"),
    ("domain.k", 12, "12 values and its policy 11"),
    ("domain.k", 10**30, "k must be a whole number"),
    ("domain.evil", 1, "unknown key 'evil'"),
    ("policy.kind", "matrix", "one of context, got 'matrix'"),
    ("policy.blocks", "all", "needs blocks, a list"),
    ("policy.blocks", [0.5] * 11, "needs blocks, a list"),
    ("policy.blocks", [10**400] * 11, "too large"),
    ("policy.blocks", [0, 5] + [0] * 9, "label 1 is unused"),
    ("policy.sensitive", [True], "sensitive must be 11 booleans"),
    ("policy.epsilon", [], "1 to"),
    ("policy.epsilon", [1e-9] * 4, "epsilon must be in"),
    ("block_names", ["a"], "must be 4 texts"),
    ("mechanism.kind", "best", "must be one of"),
    ("mechanism.kind", ["oue"], "must be one of"),
    ("mechanism.numbers", None, "needs 'numbers'"),
    ("mechanism.numbers.omega", [1], "a whole number for each of 4 blocks"),
    ("mechanism.numbers.omega", [99, 1, 1, 1], "too small for"),
    ("mechanism.numbers.cover", [1, 1, 1, 1], "mechanism.numbers.cover is not what"),
    ("mechanism.numbers.evil", [1], "mechanism.numbers.evil is not what"),
    ("report.values", 3, "report.values is not what"),
    ("fingerprint", "0" * 64, "fingerprint is not what"),
    ("people", 12, "people is not what"),
]


def test_a_family_without_devices_is_collected_only_by_its_written_out_channel(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delitem(catalogue.COLLECTABLE, "randomized-response")
    made = Protocol.of(prepare(make_scenario()))
    assert made.to_dict()["mechanism"]["kind"] == "table"
    assert Protocol.from_json(made.to_json()).mechanism.k == len(NAMES)
    with pytest.raises(CaldpError, match="A collection runs one of hadamard, rappor, oue"):
        Protocol.of(prepare(make_scenario(dataset=Zipf(100_000), n=1000)))


def test_changed_protocols_are_refused_in_one_sentence() -> None:
    for path, value, reason in HOSTILE:
        with naming(path), pytest.raises(CaldpError) as refused:
            Protocol.from_dict(with_value(path, value))
        sentence = str(refused.value)
        with naming(f"{path}: {sentence}"):
            assert reason in sentence
            assert len(sentence) < 400
    assert Protocol.from_dict(with_value("caldp_version", "7.0")).domain.k == 11


WRONG_TABLES = [
    ("policy.kind", "context", "one of matrix"),
    ("policy.rows", [[0, 0.1], [0.1, 0]], "tells two values apart by more"),
    ("policy.rows", [[0, "much"], [2, 0]], "numbers or 'infinity'"),
    ("policy.rows", [[0, math.inf], [2, 0]], "policy.rows is not what"),
    ("policy.rows", [[0, 1], [2]], "square matrix"),
    ("policy.rows", [[0, -1], [2, 0]], "must be in [0, inf]"),
    ("mechanism.whole", 3, "whole numbers, written as texts"),
    ("mechanism.whole", "0", "must rise to whole"),
    ("mechanism.whole", "9" * 3000, "whole numbers, written as texts"),
    ("mechanism.steps", [["1"], ["1"]], "must rise to whole"),
    ("mechanism.steps", [[], []], "must rise to whole"),
    ("mechanism.steps", [["1"], ["1", "2"]], "of one length"),
    ("mechanism.steps", [["2", "1"], ["1", "1"]], "must rise to whole"),
    ("mechanism.made_by", "x" * 500, "made_by, a short text"),
    ("mechanism.made_by", "another", "fingerprint is not what"),
]


def test_changed_tables_are_refused_in_one_sentence() -> None:
    table = tables()["binary"]
    for path, value, reason in WRONG_TABLES:
        with naming(f"{path}, {str(value)[:60]}"), pytest.raises(CaldpError) as refused:
            Protocol.from_dict(with_value(path, value, table))
        with naming(str(refused.value)):
            assert reason in str(refused.value)


def test_a_leak_that_no_float_can_hold_is_found() -> None:
    whole = 1 << 2000
    levels = np.array([[0.0, 1.0], [1.0, 0.0]])
    for rare, right in ((0, False), (1, True)):
        rows = [[2, whole - 2], [rare, whole - rare]]  # 2/1 is below e
        assert rows_keep_levels(rows, whole, levels) == right


def test_choices_of_families_are_held_to_their_blocks() -> None:
    for family, name, value in (
        ("hadamard", "parts", 9), ("galois", "degree", 11), ("local-hashing", "g", 1 << 20),
    ):  # fmt: skip
        data = json.loads(many(family, 8).to_json())
        data["mechanism"]["numbers"][name] = [value]
        with naming(family), pytest.raises(CaldpError, match=f"{name} of block 0 is {value}"):
            Protocol.from_dict(data)


TEXTS = (
    ("", "is not JSON"),
    ("[1]", "must be an object"),
    ("[" * 100_000, "too many brackets"),
    ('{"a": 1, "a": 2}', "the key 'a' twice"),
    ('{"a": NaN}', "holds NaN"),
    ('{"a": ' + "9" * 5000 + "}", "is not JSON"),
)


def test_files_that_hold_no_protocol_are_refused(tmp_path: Path) -> None:
    for text, reason in TEXTS:
        with naming(reason), pytest.raises(CaldpError, match=reason):
            Protocol.from_json(text)
    with pytest.raises(CaldpError, match="can't be read"):
        Protocol.from_file(tmp_path / "none.json")
    with pytest.raises(CaldpError, match="can't be read"):
        Protocol.from_file("a\0b")
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(CaldpError, match="UTF-8"):
        Protocol.from_file(tmp_path / "binary")


def test_the_command_writes_the_protocol(tmp_path: Path) -> None:
    example, file = str(ROOT / "examples" / "survey.json"), tmp_path / "protocol.json"
    result = CliRunner().invoke(main, ["protocol", example, "-o", str(file), "--question", "Well?"])
    assert (result.exit_code, result.output) == (0, "")
    assert Protocol.from_file(file).question == "Well?"
    printout = CliRunner().invoke(main, ["protocol", example, "--question", "Well?"])
    assert printout.output == file.read_text("utf-8")
    refused = CliRunner().invoke(main, ["protocol", str(ROOT / "examples" / "personal-tags.json")])
    assert refused.exit_code == 2
    assert "Traceback" not in refused.output
