"""Records and exported code give the digits of the page; packs of a rehearsal say what they are."""

import csv
import io
import json
import math
import re
import runpy
from concurrent.futures import wait
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from PIL import Image, ImageColor
from streamlit.testing.v1 import AppTest

from caldp_core.audit.adversary import error_vertex
from caldp_core.audit.mechanisms import audit_mechanism
from caldp_core.basics.limits import EPSILON_MAX, EPSILON_MIN
from caldp_core.basics.types import no_progress
from caldp_core.datasets import Gowalla, OwnTable, Uniform
from caldp_core.estimation.estimators import compare_groups
from caldp_core.estimation.intervals import LEVEL
from caldp_core.experiments.run import prepare, run
from caldp_core.experiments.table import as_csv
from caldp_core.privacy.matrix import BinaryPolicy
from caldp_core.scenarios.blocks import PolygonBlocks, SensitiveAreas
from caldp_core.scenarios.policies import BinaryQuestion, PersonalTags
from caldp_core.scenarios.scenario import SLOTS, Scenario
from caldp_ui.app import navigation
from caldp_ui.app.theme import LIGHT
from caldp_ui.coarser import packs
from caldp_ui.coarser import view as coarser_view
from caldp_ui.coarser.page_state import (
    BLOCKS,
    CENTRAL,
    GROUPS,
    HIDE,
    LARGER,
    LEVELS,
    NOTHING,
    PARTS,
    ROUND,
    Publication,
    with_data,
)
from caldp_ui.compute import runs
from caldp_ui.controls.choices import PLAIN
from caldp_ui.curves import page as curves
from caldp_ui.curves.page_state import BEGIN as CURVES_BEGIN
from caldp_ui.curves.page_state import Curves, expected_errors, record_lines
from caldp_ui.matrix import view as matrix_files
from caldp_ui.matrix.page_state import MatrixState, build_candidate
from caldp_ui.matrix.view import judge_channel
from caldp_ui.paper import page as exact
from caldp_ui.paper import view as paper
from caldp_ui.paper.page_state import PaperRecord
from caldp_ui.parts import pack, sharing
from caldp_ui.plan import page as plans
from caldp_ui.plan import page_state
from caldp_ui.plan.page_state import Plan
from caldp_ui.room import view as rooms
from caldp_ui.room.poll import PollState
from caldp_ui.room.question import PollQuestion, class_shares
from caldp_ui.words import formats, policies
from caldp_ui.words.formats import ANSWERS, PLACES, VALUES, Vocabulary
from caldp_ui.words.promise import PromiseText
from caldp_ui.yesno import view
from caldp_ui.yesno.page_state import BEGIN, load_data
from tests import ROOT
from tests.contract.checks import naming
from tests.strategies import thinned
from tests.ui.driver import checked, jobs_done, open_page
from tests.ui.readings import full_people
from tests.ui.test_coarser import load_treatments

NEAR_NEW_YORK = Gowalla("40.2,41.4,-74.8,-73.2")
"""48 cells: their channels can be written out."""


def example(name: str) -> Scenario:
    file = ROOT / "examples" / f"{name}.json"
    return replace(Scenario.from_dict(json.loads(file.read_text("utf-8"))), trials=1)


def around_new_york(name: str) -> Scenario:
    return replace(example(name), dataset=NEAR_NEW_YORK, n=20_000)


def tags() -> Scenario:
    common = SensitiveAreas(("+40.2,40.6,-74.8,-74.4",))
    own = PersonalTags(common, (0.3, 0.2), "truth")
    return replace(around_new_york("personal-tags"), policy=own)


KINDS: dict[str, tuple[Vocabulary, Scenario]] = {
    "context": (VALUES, example("survey")),
    "streets": (PLACES, around_new_york("near-places")),
    "crow-flies": (PLACES, around_new_york("planar-geometric")),
    "line": (VALUES, example("scale")),
    "distances": (VALUES, example("exponential")),
    "matrix": (VALUES, example("designed")),
    "binary": (ANSWERS, BEGIN),
    "personal-tags": (PLACES, tags()),
}
EVERY = pytest.mark.parametrize("kind", KINDS)


def plain(text: str) -> str:
    return text.replace("*", "")


def test_every_kind_of_policy_has_its_sentences() -> None:
    assert set(policies.WRITERS) == set(KINDS) == set(SLOTS["policy"][1])
    assert all(scenario.kind("policy") == kind for kind, (_, scenario) in KINDS.items())


@EVERY
def test_the_record_has_the_numbers_of_the_run_and_of_the_audit(kind: str) -> None:
    nouns, scenario = KINDS[kind]
    ours = run(prepare(scenario))
    checked = sharing.audit_scenario(scenario, no_progress)
    html = sharing.html(
        nouns, sharing.ReportContent(ours, "The **page** says.", {}), checked, "http://x/?a=1"
    )
    text = unescape(re.sub(r"<[^>]*>", "", html))
    promise = policies.describe_promise(nouns, ours.setup)
    for sentence in (
        promise.summary,
        promise.protected,
        promise.odds,
        promise.repeats,
        *promise.not_promised,
    ):
        assert plain(sentence) in text
    sentences = (plain(promise.summary), "The page says.")
    assert " ".join(sentences if promise.protected_share < 1 else sentences[::-1]) in text
    assert f"error (total variation){formats.share(ours.first.errors.tv)}" in text
    share = promise.chance if promise.protected_share == 1.0 else promise.protected_share
    assert full_people(html) == [round(100 * share)]
    audit = audit_mechanism(ours.setup.mechanism, ours.setup.policy)
    assert audit.holds
    assert "It holds." in text
    assert audit.worst is not None
    assert f"a privacy loss of {audit.worst.privacy_loss:.9g}, where" in text
    (again,) = re.findall(r'\{"caldp_scenario.*\}', text)
    assert Scenario.from_dict(json.loads(again)) == scenario


def test_an_answer_that_is_not_hidden_protects_nobody_with_it() -> None:
    for policy, share, hides in (
        (BinaryQuestion(math.inf, 1.0), float(BEGIN.dataset.load().distribution[1]), "“yes”"),
        (BinaryQuestion(1.0, math.inf), float(BEGIN.dataset.load().distribution[0]), "“no”"),
    ):
        promise = promise_of(replace(BEGIN, policy=policy))
        left, has = formats.out_of_few(1 - share), formats.out_of_few(share)
        first = f"**{left} people are not protected, {has} are.** {hides}"
        assert promise.protected.startswith(first)
        assert promise.chance == pytest.approx(1 - math.exp(-1.0) / 2)
        assert "may prove it" in promise.summary.partition(".")[0]
        assert any("may prove it" in sentence for sentence in promise.not_promised)
    bare = promise_of(replace(BEGIN, policy=BinaryQuestion(math.inf, math.inf)))
    assert (bare.chance, bare.repeats) == (1.0, "")
    assert bare.protected == "**Nobody is protected.** Nothing can be denied."


def promise_of(scenario: Scenario) -> PromiseText:
    return policies.describe_promise(ANSWERS, prepare(scenario))


def test_tags_count_the_people_of_the_model() -> None:
    setup = prepare(tags())
    truth = setup.dataset.distribution
    common = float(truth[setup.sensitive].sum())
    own = 0.5 * (1 - common)
    text = policies.describe_promise(PLACES, setup).protected
    assert 0 < common < 1
    for share in (own, common, own + common):
        assert f"{formats.out_of(share)} " in plain(text).replace(" are.", " people are.")


def test_the_picture_of_yes_or_no_has_a_dot_for_every_likely_share() -> None:
    data = load_data(BEGIN)
    image = Image.open(io.BytesIO(view.png(data))).convert("RGB")
    pixels = np.asarray(image)
    for colour in (LIGHT.ours, LIGHT.plain):
        dots = (pixels == ImageColor.getrgb(colour)).all(axis=2)
        assert dots.sum() > 50 * 60  # the dots hardly cover each other
    line = (pixels == ImageColor.getrgb(LIGHT.text)).all(axis=2).sum(axis=0)
    assert line.max() > 100


def test_the_memo_asks_and_has_lines_to_be_signed_below_what_was_computed() -> None:
    scenario = around_new_york("near-places")
    ours = run(prepare(scenario))
    checked = sharing.audit_scenario(scenario, no_progress)
    content = sharing.ReportContent(ours, "The page says.", {}, treatments="<table>T</table>")
    html = sharing.html(PLACES, content, checked, "", "memo.html")
    text = unescape(re.sub(r"<[^>]*>", "", html))
    promise = policies.describe_promise(PLACES, ours.setup)
    assert "Rehearsal: what this protection would do, and what remains possible" in text
    assert text.index(plain(promise.protected)) < text.index("Date, name, signature")
    assert "<table>T</table>" in html
    assert all(plain(each) in text for each in promise.not_promised)


def test_the_memo_of_a_context_names_the_odds_at_half_and_twice_its_epsilon() -> None:
    scenario = Scenario(dataset=NEAR_NEW_YORK, n=20_000).plain().with_context(epsilon=2.0)
    ours = run(prepare(scenario))
    checked = sharing.audit_scenario(scenario, no_progress)
    html = sharing.html(PLACES, sharing.ReportContent(ours, "", {}), checked, "", "memo.html")
    text = unescape(re.sub(r"<[^>]*>", "", html))
    for epsilon in (1, 4):
        right = formats.hundred(1 / (1 + math.exp(-epsilon)))
        assert re.search(rf"At ε = {epsilon} an attacker .* is right at most {right} times", text)


Output = pytest.CaptureFixture[str]


def run_code(code: str, folder: Path, output: Output) -> list[str]:
    """The lines that the code prints, run as a file of its own in that folder."""
    file = folder / "taken_along.py"
    file.write_text(code, "utf-8")
    output.readouterr()
    runpy.run_path(str(file))
    return output.readouterr().out.splitlines()


def table(data: bytes) -> pd.DataFrame:
    return pd.read_csv(io.BytesIO(data))


def test_code_of_the_curves_prints_every_point(
    tmp_path: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    scenario = replace(CURVES_BEGIN, dataset=Uniform(60), n=10_000)
    record = replace(Curves(scenario), protections=("plain", "blocks"), methods=("hadamard",))
    drawn = record_lines(record)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "curves.json").write_text(curves.curves_json(drawn), "utf-8")
    rows = [line.split("\t") for line in run_code(curves.SNIPPET, tmp_path, capsys)]
    found = {(f.line, f.place): f.error for f in expected_errors(drawn, no_progress)}
    points = [(i, j) for i, line in enumerate(drawn) for j in range(len(line.places))]
    assert len(rows) == len(points) == 50
    for (title, x, tv), (i, j) in zip(rows, points, strict=True):
        error = found[i, j]
        assert error is not None
        assert (title, float(x), float(tv)) == (drawn[i].title, drawn[i].places[j], error.error)


@pytest.mark.parametrize(("goal", "guessed"), [("values", 0.5), ("overall", 1.0)])
def test_code_of_a_plan_prints_its_people_and_the_attacker_s_epsilon(
    goal: str, guessed: float, tmp_path: Path, capsys: Output
) -> None:
    record = replace(Plan(), goal=goal, guessed=guessed)
    chosen = record.protected_scenario(record.protection, record.epsilon)
    people = page_state.compute_need(record, record.protection, chosen).people
    assert people is not None
    limit = [str(page_state.attack_limit(record, no_progress)[0])] if guessed < 1 else []
    assert run_code(plans.snippet(record), tmp_path, capsys) == [str(people), *limit]
    planned = plans.planned_scenario(record)
    assert planned is not None
    assert planned.n == people
    assert prepare(planned).mechanism_name == runs.setup(chosen).mechanism_name


@pytest.mark.parametrize("levels", [(0.5, 2.0)])
def test_code_of_figure_1_prints_the_corner(
    levels: tuple[float, float], tmp_path: Path, capsys: Output
) -> None:
    record = replace(PaperRecord(), question=BinaryQuestion(*levels))
    (line,) = run_code(paper.figure_1_snippet(record), tmp_path, capsys)
    assert line == str(error_vertex(BinaryPolicy(*levels)))


@pytest.mark.parametrize("share", [None, 0.05])
def test_code_of_sensitive_sets_prints_the_multiples(
    share: float | None, tmp_path: Path, capsys: Output
) -> None:
    record = replace(PaperRecord(), values=100, share=share)
    sizes = exact.sizes_of(100)
    found = exact.ratios(100, 1.0, share)
    multiples = dict(
        line.split() for line in run_code(paper.sensitive_sets_snippet(record), tmp_path, capsys)
    )
    at = sizes.index(10)
    titles = {"Hadamard": "Hadamard", "SubsetSelection": "subset", "Galois": "Galois"}
    for name, ratio in multiples.items():
        (column,) = (title for title in found if title.startswith(titles[name]))
        assert float(ratio) == found[column][at]
    assert set(multiples) == set(titles)


def open_with_state(
    page: str, state: dict[str, Any], query: dict[str, str] | None = None
) -> AppTest:
    at = open_page(page, query or {})
    for name, value in state.items():
        at.session_state[name] = value
    return jobs_done(checked(at.run()))


def names(at: AppTest) -> set[str]:
    buttons: list[Any] = list(at.get("download_button"))
    return {button.label for button in buttons}


@pytest.mark.parametrize(
    ("page", "state", "file", "query"),
    [
        # Errors of this method are formulas, and take no trials.
        (navigation.CURVES, {"curves-sharing": True}, "curves.json", {"methods": "oue"}),
        (navigation.PLAN, {"plan-tabs": "Share and export"}, "scenario.json", {}),
    ],
)
def test_curves_and_plans_are_handed_on_once_it_is_asked(
    page: str, state: dict[str, Any], file: str, query: dict[str, str]
) -> None:
    at = open_with_state(page, state, query)
    assert file in names(at)
    assert any(code.value.startswith("http") for code in at.code)
    assert file not in names(open_with_state(page, {}, query))


def test_a_result_of_the_paper_hands_on_its_link() -> None:
    at = open_with_state(navigation.PAPER, {"paper-sharing": True}, {"view": "figure-1"})
    (address,) = (code.value for code in at.code if code.value.startswith("http"))
    assert "view=figure-1" in address


RECORDS = {
    "yesno": navigation.YES_OR_NO,
    "distances": navigation.DISTANCES,
    "personal": navigation.PERSONAL,
}


@pytest.mark.parametrize("name", thinned(RECORDS, one_in=3))
def test_the_record_comes_with_the_audit(name: str) -> None:
    at = open_with_state(RECORDS[name], {f"{name}-tabs": "Share and export"})
    assert "record.html" not in names(at)
    checked(at.button(key=f"{name}-audit-start").click().run())
    job = at.session_state[f"{name}-audit/job"]
    assert not wait([job.future], timeout=120).not_done
    checked(at.run())
    assert job.result().summary.holds
    assert "record.html" in names(at)


def numbers_of_tables(html: str) -> list[list[list[float]]]:
    """By table of a record, its rows of numbers."""
    return [
        [
            [float(each.replace("∞", "inf")) for each in re.findall(r"<td>([^<]*)</td>", row)]
            for row in body.split("</tr>")[:-1]
        ]
        for body in re.findall(r"<tbody>(.*?)</tbody>", html)
    ]


@pytest.mark.parametrize("channel", ["plain", "bug"])
def test_code_and_record_of_a_matrix_have_the_audit_of_every_entry(
    channel: str, tmp_path: Path, capsys: Output
) -> None:
    record = replace(MatrixState(), channel=channel)
    verdict = judge_channel(record.names, record.matrix, build_candidate(record))
    first, *rows = run_code(matrix_files.snippet(verdict), tmp_path, capsys)
    assert first == f"holds: {verdict.audit.holds}"
    assert verdict.audit.holds == (channel == "plain")
    cells = {
        (verdict.names[x], verdict.names[z]): (
            cell.epsilon,
            cell.privacy_loss,
            cell.holds,
        )
        for (x, z), cell in verdict.cells.items()
    }
    fields = [row.split("\t") for row in rows]
    assert {
        (a, b): (float(e), float(loss), holds == "True") for a, b, e, loss, holds in fields
    } == (cells)
    html = matrix_files.html(verdict, "http://x/?a=1&b=2")
    assert "http://x/?a=1&amp;b=2" in html
    worst = verdict.audit.worst
    assert worst is not None
    assert f"a privacy loss of {worst.privacy_loss:.9g}, where E = {worst.epsilon:.9g}" in html
    assert ("It holds." in html) == verdict.audit.holds
    assert ("It does NOT hold" in html) != verdict.audit.holds
    promised, given, *_ = numbers_of_tables(html)
    for (x, z), cell in verdict.cells.items():
        assert promised[x][z] == round(cell.epsilon, 4)
        assert given[x][z] == max(round(cell.privacy_loss, 4), 0)


def test_names_in_the_record_of_a_matrix_are_nothing_but_names() -> None:
    names = ("<script>alert(1)</script>", "b")
    record = replace(MatrixState(), template="", names=names, levels=((0.0, 1.0), (1.0, 0.0)))
    verdict = judge_channel(names, record.matrix, build_candidate(record))
    html = matrix_files.html(verdict, "http://x/")
    assert "<script" not in html
    assert "&lt;script&gt;" in html


def test_a_matrix_hands_on_its_record() -> None:
    at = open_with_state(navigation.MATRIX, {"matrix-tabs": "Share and export"})
    assert {"record.html", "matrix.json", "matrix.csv", "channel.txt"} <= names(at)


def test_code_of_a_room_makes_the_estimate_again_from_its_reports(
    tmp_path: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    question = PollQuestion("Who?", ("a, with a comma", "=b()", "'c", "d"), (1, 3), 1.0)
    reports = (0, 1, 1, 3, 2, 0, 3, 1)
    monkeypatch.chdir(tmp_path)
    poll = PollState("CODE", "mark", question, True, reports, 10)
    (tmp_path / "reports.csv").write_bytes(rooms.listed(poll))
    rows = [line.split("\t") for line in run_code(rooms.snippet(poll), tmp_path, capsys)]
    shares = class_shares(question, reports, poll.people)
    assert [row[0] for row in rows] == list(question.answers)
    columns = [[float(row[i]) for row in rows] for i in (1, 2, 3)]
    for column, wanted in zip(columns, (shares.estimate, shares.low, shares.high), strict=True):
        np.testing.assert_array_equal(column, wanted)


def test_each_treatment_has_files_with_its_own_table() -> None:
    """Larger cells hold totals alone; hidden counts are in no table."""
    counts = (128, 3, 57, 88, 2, 143)
    own = OwnTable(tuple("abcdef"), counts, ("x", "x", "x", "y", "y", "y"), title="Clinic")
    data = load_treatments(with_data(Publication(), own))
    for name in data.treatments:
        if name == NOTHING:
            continue
        with naming(name):
            made = packs.files_of(data, name, pack.areas_of_table(data.setup))
            files = {each: str(content) for each, content in made.items()}
            rows = list(csv.DictReader(io.StringIO(files["table.csv"])))
            numbers = [row["people"] for row in rows]
            assert set(files) == {"record.html", "memo.html", "table.csv", "areas.csv"} | (
                {"totals.csv"} if name == HIDE else set()
            )
            if name == LARGER:
                assert numbers == ["188", "233"]
                assert not {"128", "143"} & set(re.findall(r"\d+", " ".join(files.values())))
            elif name == HIDE:
                hidden = data.table.hidden
                shown = ["hidden" if h else str(n) for n, h in zip(counts, hidden, strict=True)]
                assert numbers == shown
                assert hidden.sum() == 4
            else:
                expected = data.treatments[name].release.estimate
                assert np.allclose([float(n) for n in numbers], expected, atol=0.051)
            has_bound = "no attack on the table changes the odds" in files["record.html"]
            assert has_bound == (name in (CENTRAL, PLAIN, BLOCKS))


def test_a_total_that_the_table_hides_is_in_no_file_of_its_pack() -> None:
    """Once the total of a group of one cell was, which is that cell's count."""
    own = OwnTable(tuple("abcdefg"), (128, 3, 57, 1, 2, 143, 4), (*"xxxyy", "z", "w"))
    record = replace(with_data(Publication(), own), attack=PARTS, moves=2)
    for totals, expected in (
        (GROUPS, ["188", "3", "143", "hidden"]),
        (LEVELS, ["188", "hidden", "143", "hidden"]),
    ):
        data = load_treatments(replace(record, totals=totals))
        files = packs.files_of(data, HIDE, None)
        rows = list(csv.DictReader(io.StringIO(str(files["totals.csv"]))))
        assert "small totals" in str(files["record.html"]) or totals == GROUPS
        with naming(totals):
            assert [row["people"] for row in rows] == expected


@pytest.mark.slow
def test_each_treatment_stands_by_own_areas_with_what_is_sure_of_them() -> None:
    """Bounds hold the truth; of blocks the ranges are those of the map's own areas."""
    spec = Gowalla("39.8,42.6,-77.2,-71")
    data = load_treatments(with_data(Publication(), spec))
    halves = ("39,-78 39,-74 43,-74 43,-78", "39,-74 39,-70 43,-70 43,-74")
    areas = pack.areas_of_map(data.setup, PolygonBlocks(("West", "East"), halves))
    truth = np.bincount(areas.labels, data.counts) / data.counts.sum()
    for name in data.treatments:
        found = packs.by_area(data, name, areas)
        assert found is not None
        low, shares, high, level = (
            np.array(found.columns[title], np.float64)
            for title in ("low", "share", "high", "level")
        )
        assert ((low <= shares + 1e-12) & (shares <= high + 1e-12)).all(), name
        if name in (NOTHING, LARGER, HIDE):
            assert (level == 1.0).all()
            assert ((low <= truth + 1e-12) & (truth <= high + 1e-12)).all()
        else:
            assert (level == LEVEL).all()
        assert (high - low > 0).any() == (name != NOTHING)
        bound = name in (LARGER, HIDE)
        assert ("(bound)" in found.table_html) == bound
        if name == NOTHING:
            continue
        files = packs.files_of(data, name, areas)
        assert {"areas.csv", "areas.geojson", "areas.svg"} <= set(files)
        assert ("follow from the rule and always hold" in str(files["record.html"])) == bound
    ours = packs.by_area(data, BLOCKS, areas)
    alone = pack.by_areas(data.results[BLOCKS], areas)
    assert ours is not None
    assert alone is not None
    assert ours.columns == alone.columns


def test_shares_within_groups_have_ends_in_the_pack_and_bounds_hold() -> None:
    answers = tuple(f"{answer}; {group}" for group in ("x", "y") for answer in ("a", "b", "c"))
    counts = np.array((328, 3, 57, 188, 2, 343))
    own = OwnTable(answers, tuple(counts.tolist()), (*"xxxyyy",), title="Clinic")
    data = load_treatments(with_data(Publication(), own))
    truth = counts / np.repeat(counts.reshape(2, 3).sum(axis=1), 3)
    for name in data.treatments.keys() - {LARGER}:
        columns = packs._table(data, name)
        shares, low, high = (np.array(columns[title], np.float64) for title in packs._SHARES)
        assert ((low <= shares + 1e-6) & (shares <= high + 1e-6)).all(), name
        if name in (NOTHING, HIDE, ROUND):
            assert ((low <= truth + 1e-6) & (truth <= high + 1e-6)).all(), name
    most = [each.share[2] for each in compare_groups(data.results[BLOCKS].first.evidence)]
    shares, _, high = (np.array(packs._table(data, BLOCKS)[title]) for title in packs._SHARES)
    np.testing.assert_allclose(high, np.maximum(most, shares), atol=2e-6)


def test_published_counts_have_all_their_digits() -> None:
    """Six of them were written, 1.23457e+06, from a million people on."""
    counts = (1_234_567, 12_345_678, 2, 987_654_321)
    data = load_treatments(with_data(Publication(), OwnTable(tuple("abcd"), counts)))
    columns = packs._table(data, NOTHING)
    for title in ("people", "low", "high"):
        assert columns[title] == list(counts), title
    text = as_csv(columns)
    assert "987654321" in text
    assert "e+" not in text


def test_the_memo_of_a_treatment_has_its_words_both_directions_and_the_attack() -> None:
    own = OwnTable(tuple("abcdef"), (128, 3, 57, 88, 2, 143), (*"xxxyyy",), title="Clinic")
    data = load_treatments(replace(with_data(Publication(), own), attack=PARTS, moves=1))
    areas = pack.areas_of_table(data.setup)
    for name, both in {
        HIDE: ("Counts under 5 hidden", "Counts under 20 hidden"),
        ROUND: ("Multiples of 2", "Multiples of 10"),
        CENTRAL: ("ε = 0.5", "ε = 2"),
    }.items():
        memo = packs.memo_of(data, name, areas)
        assert all(text in memo for text in both)
        assert coarser_view.DECISION[name]["what remains possible"][1:20] in memo
        assert coarser_view.UNIT[PARTS] in memo
        assert "signature" in memo
        half = load_treatments(replace(data.record, threshold=5))
        if name == HIDE:
            assert f"hidden: {coarser_view.error_and_unit(half, HIDE)[0]} of" in memo
    assert "<li>Counts" not in packs.memo_of(data, LARGER, areas)
    for level, other in ((EPSILON_MAX, 10.0), (EPSILON_MIN, 0.002)):
        end = load_treatments(
            replace(data.record, scenario=data.record.scenario.with_epsilon(level))
        )
        assert packs.memo_of(end, HIDE, areas).count("<li>Counts under") == 2
        assert re.findall("<li>ε = (.*?):", packs.memo_of(end, CENTRAL, areas)) == [f"{other:g}"]
