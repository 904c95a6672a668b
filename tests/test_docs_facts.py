"""Lists in the documentation hold what the code has: options, commands, dependencies, sizes."""

import gzip
import json
import math
import re
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner

from caldp_core import Context, Goal, mechanism, people_for, standard_error
from caldp_core.basics import limits
from caldp_core.cli.commands import main
from caldp_core.datasets.files.table import COLUMN_TYPES
from caldp_ui.room import phone, poll
from tests import ROOT
from tests.browser import test_desk as desk_walks
from tests.browser import test_plan_question as plan_walk


def docs_text(page: str) -> str:
    return (ROOT / page).read_text("utf-8")


def test_own_data_names_every_type_of_column_and_every_option() -> None:
    page = docs_text("docs/own-data.md")
    types = next(line for line in page.splitlines() if "`--column NAME=TYPE`" in line)
    named = set(re.findall(r"`([a-z-]+)`", types))
    assert named == set(COLUMN_TYPES)
    options = {name for option in main.commands["count"].params for name in option.opts}
    # Columns have an option each as well; the page has --column, which takes all of them.
    by_column = {"--latitude", "--longitude", "--count", "--answer", "--group", "--question"}
    elsewhere = {"path", "-o", "--output", "--area", "--cell"}
    lacking = {name for name in options - by_column - elsewhere if name not in page}
    assert not lacking


def test_every_command_is_named_before_the_list_of_all_and_in_the_changelog() -> None:
    page = docs_text("docs/command-line.md").split("## All commands")[0]
    changes = docs_text("CHANGELOG.md")
    for command in main.commands:
        assert f"`{command}`" in page or f"caldp {command}" in page, command
        assert re.search(rf"\b{command}\b", changes), command


def test_clicks_of_the_tasks_of_an_office_are_those_of_the_walks() -> None:
    """The walks count them in a browser; the page says the same numbers."""
    page = docs_text("docs/release.md")
    rows = re.findall(r"^\| (a [^|]*) \| [^|]* \| (\d+)", page, re.MULTILINE)
    told = [int(clicks) for _, clicks in rows]
    assert told == [desk_walks.CLICKS[task] for task in ("map", "staff", "counties")]
    assert (
        f"A further release by another treatment takes {desk_walks.FURTHER_CLICKS} clicks" in page
    )
    assert f"after {plan_walk.CLICKS} clicks" in page


def test_every_dependency_has_its_reason() -> None:
    project = tomllib.loads(docs_text("pyproject.toml"))["project"]
    wanted = list(project["dependencies"])
    for extra in project["optional-dependencies"].values():
        wanted += extra
    names = {re.split(r"[<>=!~\[;]", requirement)[0].strip().lower() for requirement in wanted}
    reasons = docs_text("docs/what-we-learned.md").split("## Dependencies, and why")[1]
    with_reason = set(re.findall(r"^\| ([\w-]+) \|", reasons, re.MULTILINE))
    assert names <= with_reason, names - with_reason


def test_files_that_the_notes_on_data_name_exist() -> None:
    named = re.findall(
        r"`((?:caldp_core|scripts|tests|docs)/[\w./-]+)`", docs_text("data/README.md")
    )
    assert len(named) > 5
    assert not [path for path in named if not (ROOT / path).exists()]


def test_the_example_of_a_plan_prints_what_its_comment_says() -> None:
    line = re.search(
        r"caldp (plan .*?) +# .*\? ([\d.]+)$", docs_text("docs/command-line.md"), re.MULTILINE
    )
    assert line
    found = json.loads(CliRunner().invoke(main, line[1].split()).stdout)
    assert found["limit"] == "found"
    assert found["epsilon"] == float(line[2])


def test_a_phone_loads_what_the_lesson_says() -> None:
    told = re.search(
        r"a page of (\d+) kB and\n(\d+) kB of packed script", docs_text("docs/lesson.md")
    )
    assert told
    script = gzip.compress(phone._script().encode())
    assert round(len(phone.document()) / 1000) == int(told[1])
    assert round(len(script) / 1000) == int(told[2])


def test_the_table_of_what_others_chose_is_the_dashboards() -> None:
    page = docs_text("docs/choose-epsilon.md")
    uses = tomllib.loads(docs_text("caldp_ui/parts/uses.toml"))
    rows = re.findall(r"^\| (\w.*) \| ([\d.]+) \| (.+) \|$", page, re.MULTILINE)
    expected = [
        (use["who"], f"{use['epsilon']:g}", use["covers"])
        for use in uses["device"] + uses["holder"]
    ]
    assert rows == expected


def test_sizes_on_the_page_of_limits_are_those_of_the_code() -> None:
    page = docs_text("docs/limits.md")
    for number, words in (
        (limits.K_MAX, "answers (values) in a scenario"),
        (limits.OWN_ANSWERS_MAX, "answers in a table that you bring"),
        (limits.OWN_QUESTIONS_MAX, "questions in a file that you bring"),
        (limits.N_MAX, "people in a simulation"),
        (limits.OWN_NAME_MAX, "characters of the name of an answer"),
        (limits.POLYGONS_MAX, "blocks that are drawn or come from a file"),
        (limits.AREAS_MAX, "areas in latitude and longitude that are named"),
        (poll.REPORTS_MAX, "phones in a live poll"),
    ):
        assert f"| {words} | {number:,} |" in page, words
    assert f"| ε | {limits.EPSILON_MIN:g} to {limits.EPSILON_MAX:g} |" in page


def test_thirty_people_are_as_few_as_the_page_of_limits_says() -> None:
    page = docs_text("docs/limits.md")
    told = re.search(r"At ε = 1 thirty people give a range of about ± (\d+)", page)
    assert told
    # Randomized response by hand: a report is true with p, and half of all reports say yes.
    p = math.e / (1 + math.e)
    error = math.sqrt(0.25 / 30) / (2 * p - 1)
    assert round(196 * error) == int(told[1])


def test_odds_on_the_page_of_epsilon_are_computed() -> None:
    page = docs_text("docs/choose-epsilon.md")
    row = r"^\| ([\d.]+) \| ([\d.,]+) times \| ([\d.]+) in 100 \| ([\d.]+) % \|$"
    rows = re.findall(row, page, re.MULTILINE)
    assert len(rows) == 6
    for text, factor, right, sure in rows:
        epsilon = float(text)
        odds = math.exp(epsilon)
        digits = len(right.partition(".")[2])
        assert float(factor.replace(",", "")) == float(f"{odds:.3g}")
        assert float(right) == round(100 * odds / (1 + odds), digits)
        assert float(sure) == round(100 * 0.01 * odds / (0.01 * odds + 0.99), 1)


def test_the_worked_case_of_epsilon_is_computed() -> None:
    """People by the planner, and by the variance of randomized response written out here."""
    page = docs_text("docs/choose-epsilon.md")
    rows = re.findall(r"^\| ([\d.]+) \| ([\d,]+) \| (\d+) % \|$", page, re.MULTILINE)
    assert len(rows) == 3
    goal = Goal(standard_error(0), 0.03 / 1.96)
    for text, people, sure in rows:
        epsilon = float(text)
        method = mechanism(Context.plain(2, epsilon), "randomized-response")
        needed = people_for(method, [0.1, 0.9], goal)
        assert f"{needed:,}" == people
        # A report is true with p: that it says yes has the probability r. The planner stops near.

        p = math.exp(epsilon) / (1 + math.exp(epsilon))
        r = 0.1 * p + 0.9 * (1 - p)
        assert needed == pytest.approx(r * (1 - r) / ((2 * p - 1) * 0.03 / 1.96) ** 2, rel=1e-3)
        assert int(sure) == round(100 * 0.1 * p / r)


TRIPS = "rider,mode\n" + "".join(
    f"{rider},{mode}\n" for rider in range(9) for mode in ["bus"] * rider + ["tram"] * (9 - rider)
)


def test_the_command_for_several_rows_keeps_as_many_as_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "trips.csv").write_text(TRIPS, "utf-8")
    monkeypatch.chdir(tmp_path)
    (line,) = re.findall(r"^    caldp (count .*)$", docs_text("docs/several-rows.md"), re.MULTILINE)
    done = CliRunner().invoke(main, line.split())
    assert done.exit_code == 0, done.output
    printed = json.loads(done.stdout)
    assert printed["unit"] == "trips"
    assert printed["people"] == 9 * 5, "five of the nine trips of each rider are kept"


def test_commands_of_the_plan_print_what_the_page_says() -> None:
    page = docs_text("docs/plan-survey.md")
    commands = re.findall(r"^    caldp (.*)$", page, re.MULTILINE)
    printed = [json.loads(CliRunner().invoke(main, line.split()).stdout) for line in commands]
    assert [line.split()[0] for line in commands] == ["run", "plan"]
    assert "tv" in printed[0]["expected"]
    told = re.search(r'`"epsilon": ([\d.]+)`', page)
    assert told
    assert printed[1]["epsilon"] == float(told[1])


def test_each_how_to_ends_with_what_readers_should_see() -> None:
    menu = docs_text("mkdocs.yml").split("- How-to:\n")[1].split("- Explanation:")[0]
    pages = re.findall(r": ([\w-]+\.md)$", menu, re.MULTILINE)
    assert len(pages) > 5
    lacking = [page for page in pages if "\nYou should now see" not in docs_text(f"docs/{page}")]
    assert not lacking
