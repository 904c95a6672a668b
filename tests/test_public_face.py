"""What `import caldp_core` hands out, as a program uses it: names, tallies, ranges, seeds."""

import csv
import io
import json
import pickle
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, cast, get_args
from xml.etree import ElementTree as ET

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from PIL import Image

import caldp_core
from caldp_core import (
    CaldpError,
    Client,
    Context,
    Domain,
    Goal,
    NoisyMemo,
    Protocol,
    Questions,
    Scenario,
    Tally,
    WrittenOut,
    audit_mechanism,
    epsilon_for,
    estimate,
    intervals,
    mechanism,
    people_for,
    prepare,
    relative_error,
    run,
    standard_error,
    total_variation,
)
from caldp_core.basics.limits import N_MAX
from caldp_core.cli.commands import main
from caldp_core.collect.collected_tally import CollectedTally
from caldp_core.datasets.own import OwnTable
from caldp_core.estimation.estimators import ESTIMATORS
from caldp_core.estimation.evidence import EstimatorName, Evidence
from caldp_core.experiments.run import encode_png
from caldp_core.experiments.table import columns_of
from caldp_core.mechanisms.catalogue import MECHANISMS, MechanismName, mechanisms_for
from caldp_core.mechanisms.randomness import generator
from caldp_core.privacy.distance import DistanceMetric
from caldp_core.privacy.matrix import BinaryPolicy, DenseMatrix, released_together
from caldp_core.scenarios.blocks import EvenRuns, OneBlock, SensitiveSymbols
from tests.contract.checks import naming
from tests.datasets.files import read_table

ROOT = Path(__file__).parents[1]
CONTEXT = Context.high_low(np.array([True, True, False, True]), 1.0)
PEOPLE = np.array([500, 300, 150, 50])


def test_all_that_is_handed_out_is_listed_and_there() -> None:
    listed = dir(caldp_core)
    for name in caldp_core.__all__:
        assert name in listed
        assert getattr(caldp_core, name) is not None


def test_every_mechanism_that_is_listed_is_made_by_its_name() -> None:
    for entry in mechanisms_for(CONTEXT):
        made = mechanism(CONTEXT, entry.name)
        assert made.policy is CONTEXT
        assert made.fingerprint == entry.make(CONTEXT).fingerprint
    binary = mechanism(BinaryPolicy(1.0, 2.0), "binary")
    assert binary.k == 2
    assert {"binary", "designed"} <= set(MECHANISMS)


def test_parameters_are_those_of_its_record() -> None:
    four, two = (mechanism(CONTEXT, "subset-selection", omega=each) for each in (2, 1))
    assert four.fingerprint != two.fingerprint
    for parameters, message in (({"omega": 4}, "omega"), ({"theta": 1}, "has no theta")):
        with pytest.raises(CaldpError, match=message):
            mechanism(CONTEXT, "subset-selection", **parameters)
    with pytest.raises(CaldpError, match="takes no parameters; it has no omega"):
        mechanism(CONTEXT, "randomized-response", omega=4)
    with pytest.raises(CaldpError, match="must be one of hadamard"):
        mechanism(CONTEXT, "subset")  # type: ignore[arg-type]
    with pytest.raises(CaldpError, match="does not keep a policy of kind Context; those that do"):
        mechanism(CONTEXT, "binary")


def test_tallies_add_up_and_come_back_from_text() -> None:
    made = mechanism(CONTEXT, "galois")
    days = [made.sample_tally(PEOPLE, day) for day in range(3)]
    whole = sum(days)
    assert isinstance(whole, Tally)
    assert whole.n == 3 * PEOPLE.sum()
    assert np.array_equal(whole.counts, sum(day.counts for day in days))
    again = sum(Tally.from_json(day.to_json()) for day in reversed(days))
    assert isinstance(again, Tally)
    assert np.array_equal(estimate(made, again), estimate(made, whole))
    assert repr(whole) == f"<Tally of 3,000 reports, {made.fingerprint[:12]}>"
    with pytest.raises(CaldpError, match="Tallies of different mechanisms"):
        days[0] + mechanism(CONTEXT, "hadamard").sample_tally(PEOPLE, 0)
    with pytest.raises(TypeError):
        sum(days, 1)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "7",
        '{"caldp_tally": 2, "fingerprint": "a", "n": 1, "counts": [1]}',
        '{"caldp_tally": 1, "fingerprint": 1, "n": 1, "counts": [1]}',
        '{"caldp_tally": 1, "fingerprint": "a", "n": -1, "counts": [1]}',
        '{"caldp_tally": 1, "fingerprint": "a", "n": 1, "counts": [-1]}',
        '{"caldp_tally": 1, "fingerprint": "a", "n": 1, "counts": [0.5]}',
        '{"caldp_tally": 1, "fingerprint": "a", "n": 1, "counts": "1"}',
        '{"caldp_tally": 1, "fingerprint": "a", "n": 1}',
        '{"caldp_tally": 1, "fingerprint": "a", "n": 1' + f'{N_MAX}, "counts": [1]}}',
        "[" * 10_000,
        "9" * 5_000,
    ],
)
def test_what_is_no_tally_is_refused_in_a_sentence(text: str) -> None:
    with pytest.raises(CaldpError, match="This text is not a tally of caldp"):
        Tally.from_json(text)


def test_shares_and_ranges_are_those_of_the_long_way() -> None:
    made = mechanism(CONTEXT, "hadamard")
    tally = made.sample_tally(PEOPLE, 7)
    evidence = Evidence.of(made, tally)
    assert np.array_equal(estimate(made, tally), evidence.plausible)
    assert np.array_equal(estimate(made, tally, "none"), evidence.unbiased)
    narrow, wide = intervals(made, tally, 0.5), intervals(made, tally, 0.99)
    assert (wide.low <= narrow.low).all()
    assert (narrow.high <= wide.high).all()
    wrongs: tuple[Callable[[], object], ...] = (
        lambda: estimate(made, tally, "best"),  # type: ignore[arg-type]
        lambda: intervals(made, tally, 1.5),
        lambda: intervals(mechanism(CONTEXT, "oue"), tally),
    )
    for wrong in wrongs:
        with pytest.raises(CaldpError):
            wrong()


def test_a_whole_number_is_a_seed_with_a_stream_of_caldp_s_own() -> None:
    x = np.repeat(np.arange(4), PEOPLE)
    for entry in mechanisms_for(CONTEXT):
        made = mechanism(CONTEXT, entry.name)
        for act in (lambda rng, m=made: m.privatize(x, rng), _tally_of(made)):
            assert np.array_equal(act(5), act(generator(5)))
            assert not np.array_equal(act(5), act(np.random.default_rng(5)))
        for wrong in (-1, 0.5, True, "5", None):
            with pytest.raises(CaldpError, match="The seed must be a whole number"):
                made.privatize(x, wrong)  # type: ignore[arg-type]


def _tally_of(made: Any) -> Callable[[Any], Any]:
    return lambda rng: made.sample_tally(PEOPLE, rng).counts


def test_names_become_symbols_and_come_back() -> None:
    answers = Domain.of(["never", "sometimes", "often", "<b>"], ["habit"] * 3 + ["other"])
    given = pd.Series(["often", "never", "often"], dtype="string")
    for each in (given, given.astype("category"), given.tolist(), given.to_numpy()):
        assert answers.symbols(each).tolist() == [2, 0, 2]
    assert answers.symbols([]).dtype == np.int64
    assert pd.Series(answers.labelled([0.5, 0.25, 0.25, 0.0]))["sometimes"] == 0.25
    by_name = Context.of(answers.groups, answers.mask(["often", "<b>"]), [1.0, 2.0])
    assert by_name.blocks.tolist() == [0, 0, 0, 1]
    assert by_name.sensitive.tolist() == [False, False, True, True]
    assert repr(by_name) == (
        "<Context: 4 values in 2 blocks, 2 sensitive (1 alone, so not protected), ε = 1>"
    )
    with pytest.raises(CaldpError, match=r"never, sometimes, often, <b>.*got 'Often' at place 1"):
        answers.symbols(["often", "Often"])
    for wrong in ([None], [float("nan")], [pd.NA], [1], [["often"]], "often"):
        with pytest.raises(CaldpError, match="answers must be"):
            answers.symbols(wrong)


def test_lists_serve_and_what_does_not_fit_is_refused_in_a_sentence() -> None:
    made = mechanism(CONTEXT, "hadamard")
    tally = made.tally(made.privatize([0, 1, 2, 3], 1).tolist())
    assert tally.n == 4
    share = [0.5, 0.3, 0.15, 0.05]
    assert np.array_equal(made.variance(share, 10), made.variance(np.array(share), 10))  # type: ignore[arg-type]
    own, listed = (intervals(made, tally, 0.9, each) for each in (np.array(share), share))  # type: ignore[arg-type]
    assert np.array_equal(own.low, listed.low)
    for name in ("oue", "local-hashing"):
        other = mechanism(CONTEXT, name)
        records = other.privatize([0, 1, 2, 3], 1)
        assert np.array_equal(other.tally([*records]).counts, other.tally(records).counts)  # type: ignore[arg-type]
    assert repr(Context.plain(1, 1.0)).startswith("<Context: 1 value in 1 block, ")
    ragged: Any = [[0], [1, 2]]
    nothing: Any = None
    wrongs: dict[str, Callable[[], object]] = {
        "blocks must be one list": lambda: Context.of(ragged, [True] * 2, 1.0),
        "sensitive must be one list": lambda: Context.high_low(ragged, 1.0),
        "x must be one list": lambda: made.privatize(ragged, 1),
        "reports must be one list": lambda: made.tally(ragged),
        "counts must be one list": lambda: made.sample_tally(ragged, 1),
        "tally must be a Tally": lambda: made.estimate(nothing),
        "x must have no masked": lambda: made.privatize(np.ma.masked_equal([0, 1], 1), 1),
        "counts must have no masked": lambda: made.sample_tally(np.ma.masked_equal(PEOPLE, 50), 1),
        "shares must be 4 numbers": lambda: intervals(made, tally, 0.95, [0.5, 0.5]),  # type: ignore[arg-type]
        "shares must hold finite": lambda: intervals(made, tally, 0.95, np.full(4, np.nan)),
        "domain must be a Domain of": lambda: estimate(made, tally, domain=Domain.of(["a", "b"])),
        "tally must be a Tally, got one of type list": lambda: estimate(made, share),  # type: ignore[arg-type]
        "read by the mechanism that made it": lambda: intervals(CONTEXT, tally),  # type: ignore[arg-type]
        "setup must be a Setup, got one of type Scenario": lambda: Protocol.of(Scenario()),  # type: ignore[arg-type]
        "An audit takes a mechanism": lambda: audit_mechanism(CONTEXT),  # type: ignore[arg-type]
        "scenario must be a Scenario": lambda: prepare("survey.json"),  # type: ignore[arg-type]
        "setup must be a Setup": lambda: run(Scenario()),  # type: ignore[arg-type]
        "values must be 2": lambda: Domain.of(["a", "b"]).labelled([1.0]),
        "names must be texts, got .1.": lambda: Domain.of([1, 2]),  # type: ignore[list-item]
    }
    for sentence, wrong in wrongs.items():
        with pytest.raises(CaldpError, match=sentence):
            wrong()
    for entry in MECHANISMS.values():
        for policy in (CONTEXT, BinaryPolicy(1.0, 2.0)):
            if isinstance(policy, entry.policies):
                each = mechanism(policy, entry.name)
                assert len(repr(each)) < 120
                for moments in (
                    partial(each.variance, np.ones(each.k + 1), 10),
                    partial(each.sum_variance, np.ones(each.k), np.ones(each.k - 1), 10),
                ):
                    with pytest.raises(CaldpError, match="numbers, got shape"):
                        moments()


def test_numbers_of_a_plan_are_looked_at_before_it_is_made() -> None:
    made, goal = mechanism(CONTEXT, "hadamard"), Goal(standard_error(0), 0.01)
    p, nothing = [0.5, 0.3, 0.15, 0.05], cast("Any", None)
    people = people_for(made, p, Goal(relative_error(0.1), 0.1))
    assert people == people_for(made, np.array(p), Goal(relative_error(0.1), 0.1))
    wrongs: dict[str, Callable[[], object]] = {
        "n must be a whole number": lambda: made.variance(np.array(p), 0),
        "n must be a whole number .* got 1.5": lambda: made.sum_variance(
            np.array(p), np.array(p), cast("Any", 1.5)
        ),
        "p must hold finite numbers, got .nan": lambda: made.variance(np.full(4, np.nan), 1),
        "p must be shares .* sum of 2 ": lambda: people_for(made, np.full(4, 0.5), goal),
        "p must be shares .* least one of -1": lambda: people_for(
            made, np.array([-1.0, 1, 1, 0]), goal
        ),
        "p must be shares .* sum of 0 ": lambda: epsilon_for(
            CONTEXT, "hadamard", np.zeros(4), 9, goal
        ),
        "People are planned for a mechanism": lambda: people_for(nothing, np.array(p), goal),
        "goal must be a Goal": lambda: people_for(made, np.array(p), nothing),
        "context must be a Context": lambda: epsilon_for(nothing, "oue", np.array(p), 9, goal),
        "target must be above 0": lambda: Goal(standard_error(0), 0),
        "target must be a number .* nan": lambda: Goal(standard_error(0), np.nan),
        "target must be a number .* True": lambda: Goal(standard_error(0), True),
        "accuracy must be a function": lambda: Goal(nothing, 0.1),
        "floor must be a number": lambda: relative_error(nothing),
        "floor must be above 0": lambda: relative_error(0),
    }
    for symbol in (-1, 4, 1.5, True, None):
        wrongs[f"symbol must be a whole number in .0, 3., got {symbol}"] = partial(
            people_for, made, np.array(p), Goal(standard_error(cast("Any", symbol)), 0.1)
        )
    for sentence, wrong in wrongs.items():
        with naming(sentence), pytest.raises(CaldpError, match=sentence):
            wrong()


def test_what_is_nothing_of_the_kind_is_refused_in_a_sentence() -> None:
    made, nothing, five = mechanism(CONTEXT, "hadamard"), cast("Any", None), cast("Any", 5)
    answers = Domain.of(["a", "b"])
    wrongs: dict[str, Callable[[], object]] = {
        "names must be a list, got one text": lambda: Domain.of("ab"),
        "names must be a list, got one of type NoneType": lambda: Domain.of(nothing),
        "names must be a list, got one of type ndarray": lambda: Domain.of(np.array(5)),
        "groups must be a list": lambda: Domain.of(["a"], nothing),
        "answers must be a list, got one of type int": lambda: answers.symbols(five),
        "answers must be a list, got one of type NoneType": lambda: answers.mask(nothing),
        "names must be a list, got one text.": lambda: OwnTable(cast("Any", "ab"), (1, 2)),
        "counts must be a list": lambda: OwnTable(("a", "b"), five),
        "A mechanism is made for a policy": lambda: mechanism(nothing, "rappor"),
        "'best' chooses a mechanism for a scenario": lambda: mechanism(
            CONTEXT,
            "best",  # type: ignore[arg-type]
        ),
        "An audit takes a policy": lambda: audit_mechanism(made, five),
        "The protocol is read from a file; give its path": lambda: Client(five),
        "The scenario file is read from a file": lambda: Scenario.from_file(nothing),
        "must be a text, got None": lambda: Scenario.from_json(nothing),
        "data must be a text, bytes or a Path": lambda: read_table(nothing),
    }
    for sentence, wrong in wrongs.items():
        with naming(sentence), pytest.raises(CaldpError, match=sentence):
            wrong()


def test_a_table_of_lists_is_the_table_of_tuples() -> None:
    table = OwnTable(cast("Any", ["a", "b"]), cast("Any", np.array([1, 2])))
    series = OwnTable(cast("Any", pd.Series(["a", "b"])), cast("Any", pd.Series([1, 2])))
    assert table == series == OwnTable(("a", "b"), (1, 2))
    assert len({table, series}) == 1


def test_what_is_listed_in_a_session_is_ours() -> None:
    for name in dir(caldp_core):
        value = getattr(caldp_core, name)
        home = str(getattr(value, "__module__", "") or getattr(value, "__name__", ""))
        assert name.startswith("_") or home.startswith("caldp_core"), name


def test_a_result_is_a_picture_in_a_notebook() -> None:
    answers = replace(Scenario(), dataset=OwnTable(("<script>", "b", "c"), (3, 1, 4)), trials=2)
    protected = answers.with_context(
        blocks=EvenRuns(1), sensitive=SensitiveSymbols(("0-1",)), epsilon=1.0
    )
    picture = run(prepare(protected))._repr_html_()
    assert "&lt;script&gt;" in picture
    assert "<script" not in picture
    # “c” sends one of both others, as a cover, with probability 2/(e + 1) = .538.
    assert "Not protected: 4 of 8 people; one report names the answer of 46 % of them." in picture
    in_clear = answers.with_context(blocks=EvenRuns(1), sensitive=SensitiveSymbols(()))
    assert "Not protected: 8 of 8 people, whose answer can be read." in (
        run(prepare(in_clear))._repr_html_()
    )
    assert "○ c</text>" in picture
    everybody = run(prepare(answers.plain()))._repr_html_()
    assert "rotected" not in everybody
    on_map = run(prepare(Scenario(n=1_000)))._repr_html_()
    for html in (picture, everybody, on_map):
        figure = ET.fromstring(html.replace("<br>", "<br/>"))
        assert figure.find("{http://www.w3.org/2000/svg}svg") is not None
        assert "http" not in html.replace("http://www.w3.org/2000/svg", "")
        assert len(html) < 20_000


def test_the_small_map_is_a_picture_of_the_shares() -> None:
    alpha = np.arange(6, dtype=np.uint8).reshape(2, 3) * 50
    picture = Image.open(io.BytesIO(encode_png(alpha)))
    assert np.array_equal(np.asarray(picture.convert("RGBA"))[..., 3], alpha)


def test_a_result_is_a_table_and_says_itself_in_a_line(tmp_path: Path) -> None:
    survey = Scenario.from_file(str(ROOT / "examples" / "survey.json"))
    scenario = replace(survey, n=1_000, trials=3)
    result = run(prepare(scenario))
    frame = result.to_pandas()
    assert list(frame.columns) == list(columns_of(result))
    assert list(frame["number"]) == list(range(result.setup.mechanism.k))
    assert np.array_equal(frame["estimated share"], result.first.estimate)
    assert f"1,000 reports, {result.setup.mechanism.k} values" in repr(result)
    assert "3 trials>" in repr(result)
    assert eval(repr(scenario)) == scenario
    own = Scenario(dataset=OwnTable(tuple(f"answer {i}" for i in range(90)), tuple(range(90))))
    assert repr(own) == "<Scenario: table, context, best>"
    assert repr(result.setup).startswith("<Setup: ")
    protocol = Protocol.of(result.setup, "Which?")
    assert repr(Client(protocol)) == f"<Client of {protocol!r}>"
    assert "values, 'Which?'>" in repr(protocol)
    assert "<LargeAudit: holds, largest loss " in repr(audit_mechanism(result.setup.mechanism))
    (tmp_path / "s.json").write_text(json.dumps(scenario.to_dict()), "utf-8")
    out = tmp_path / "out.csv"
    done = CliRunner().invoke(main, ["run", str(tmp_path / "s.json"), "--estimate", str(out)])
    assert done.exit_code == 0, done.output
    rows = list(csv.DictReader(out.read_text("utf-8").splitlines()))
    assert [float(row["estimated share"]) for row in rows] == result.first.estimate.tolist()
    nowhere = ["--estimate", str(tmp_path / "no" / "out.csv")]
    failed = CliRunner().invoke(main, ["run", str(tmp_path / "s.json"), *nowhere])
    assert failed.exit_code == 2
    assert "can't be written" in failed.output


def public_records() -> dict[str, Any]:
    """What the package gives out and takes, one of each that holds data."""
    made = mechanism(CONTEXT, "hadamard")
    tally = made.sample_tally(PEOPLE, 7)
    domain = Domain.of(["<b>", "c", "d", "e"])
    protocol = Protocol.for_policy(domain, CONTEXT, "Well?")
    return {
        "tally": tally,
        "intervals": intervals(made, tally),
        "context": CONTEXT,
        "domain": domain,
        "scenario": Scenario(dataset=OwnTable(("a", "b"), (1, 2))),
        "protocol": protocol,
        "collected": CollectedTally.empty(protocol) + CollectedTally.empty(protocol),
        "questions": Questions({"well": protocol}),
        "matrix": DenseMatrix.of([[0, 1], [2, 0]]),
        "both releases": released_together(CONTEXT, CONTEXT),
        "plan": NoisyMemo.of(1.0, 8, 30),
        "goal of one value": Goal(standard_error(2), 0.05),
        "goal of all values": Goal(relative_error(0.1), 0.05),
        "goal of the whole": Goal(total_variation("simplex"), 0.05),
    }


def test_records_equal_their_copies_and_no_others() -> None:
    for name, record in public_records().items():
        with naming(name):
            for copy in (pickle.loads(pickle.dumps(record)), deepcopy(record)):
                assert copy == record
                assert hash(copy) == hash(record)
            assert record != Domain(17)
    made = mechanism(CONTEXT, "hadamard")
    assert made.sample_tally(PEOPLE, 7) != made.sample_tally(PEOPLE, 8)
    assert replace(CONTEXT, epsilon=CONTEXT.epsilon + 0.1) != CONTEXT


def test_results_of_every_example_equal_their_copies_with_all_that_is_in_them() -> None:
    """All mechanisms of the catalogue and all policies: a file each in `examples/`."""
    kinds = set()
    for file in sorted((ROOT / "examples").glob("*.json")):
        scenario = replace(Scenario.from_file(str(file)), trials=1)
        result = run(prepare(scenario))
        parts = {
            "result": result,
            "setup": result.setup,
            "outcome": result.first,
            "evidence": result.first.evidence,
            "data": result.setup.dataset,
            "blocks": result.setup.partition,
            "policy": result.setup.policy,
            "mechanism": result.setup.mechanism,
        }
        copies = pickle.loads(pickle.dumps(parts)), deepcopy(parts)
        for name, part in parts.items():
            for copied in copies:
                with naming(f"{file.name}: {name}"):
                    assert copied[name] is not part
                    assert copied[name] == part
                    assert hash(copied[name]) == hash(part)
        kinds.add(type(result.setup.spec))
    assert kinds >= {entry.spec for entry in MECHANISMS.values()}


def test_values_that_differ_in_anything_are_not_equal() -> None:
    table, skewed = [[3, 1], [1, 3]], np.array([0.9, 0.1])
    binary = BinaryPolicy(2.0, 2.0)
    apart = [[0, 1], [1, 0]]
    oue, less_private = mechanism(CONTEXT, "oue"), replace(CONTEXT, epsilon=CONTEXT.epsilon * 2)
    for name, first, second in (
        ("method", mechanism(CONTEXT, "galois"), mechanism(CONTEXT, "hadamard")),
        ("ε", oue, mechanism(less_private, "oue")),
        ("prior", WrittenOut(binary, table, 4), WrittenOut(binary, table, 4, skewed)),
        ("policy", WrittenOut(binary, table, 4), WrittenOut(BinaryPolicy(3.0, 3.0), table, 4)),
        ("matrix", DenseMatrix.of(apart), DenseMatrix.of([[0, 1], [2, 0]])),
        (
            "distances",
            DistanceMetric.of([[0, 1], [1, 0]], 1.0),
            DistanceMetric.of([[0, 2], [2, 0]], 1.0),
        ),
    ):
        with naming(name):
            assert first == deepcopy(first)
            assert first != second
    answers = OwnTable(("a", "b"), (100, 200))
    scenario = Scenario(dataset=answers).with_context(blocks=OneBlock())
    result = run(prepare(scenario))
    assert result != run(prepare(replace(scenario, seed=2)))
    assert result.first != run(prepare(replace(scenario, seed=2))).first
    assert replace(result, seconds=result.seconds + 1.0) != result
    assert {result.setup: 1}[deepcopy(result.setup)] == 1


def test_a_client_can_be_sent_to_another_process(tmp_path: Path) -> None:
    protocol = Protocol.for_policy(Domain.of(["a", "b", "c", "d"]), CONTEXT, "Well?")
    sent = pickle.loads(pickle.dumps(Client(protocol)))
    assert sent.protocol == protocol
    reports = [sent.report("a") for _ in range(40)]
    assert len(set(reports)) > 1, "its coins are drawn where it is, not copied"
    memory = tmp_path / "memory"
    first = Client(protocol, memory).report("a", "Ann")
    assert pickle.loads(pickle.dumps(Client(protocol, memory))).report("b", "Ann") == first


def test_records_come_back_from_their_json() -> None:
    texts = {n: r for n, r in public_records().items() if hasattr(r, "to_json")}
    assert texts.keys() == {"tally", "scenario", "protocol", "questions", "collected"}
    for name, record in texts.items():
        with naming(name):
            assert type(record).from_json(record.to_json()) == record


def test_notebooks_show_records_as_tables_of_escaped_texts() -> None:
    shown = {n: r._repr_html_() for n, r in public_records().items() if hasattr(r, "_repr_html_")}
    assert shown.keys() == {"tally", "intervals", "protocol"}
    for name, html in shown.items():
        with naming(name):
            assert len(ET.fromstring(html).findall("tr")) == 5 if name != "tally" else 4
    assert "<td>&lt;b&gt;</td><td>yes</td>" in shown["protocol"]


def test_misspelt_names_are_found_by_type_checkers() -> None:
    assert get_args(MechanismName) == tuple(MECHANISMS)
    assert get_args(EstimatorName) == tuple(ESTIMATORS)
    with pytest.raises(CaldpError, match="got 'galios'"):
        mechanism(CONTEXT, "galios")  # type: ignore[arg-type]  # unused, where mypy took it
