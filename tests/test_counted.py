"""A number and its noun agree: "1 person", "1 row", "1 report", wherever a sentence counts."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import numpy as np
import pytest

from caldp_core.basics.counted import count_text
from caldp_core.datasets.base import from_counts
from caldp_core.datasets.own import OwnTable
from caldp_core.domain.answers import Domain
from caldp_core.experiments.run import accuracy_text, prepare, run
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.classroom.page_state import Lesson
from caldp_ui.words import formats
from tests.contract.checks import naming
from tests.ui.lessons import ENDS, read_headline

ROOT: Final = Path(__file__).parents[1]
COUNTED: Final = re.compile(
    r" (?:[a-z-]+ )?(people|phones|reports|rows|columns|files|tables|records|blocks|limits|trials"
    r"|check-ins)\b"
)
SHARES: Final = re.compile(r"(formats\.)?(out_of|out_of_few|of_hundred)\(|.*\b_?[A-Z][A-Z_]+$")
"""Shares of 100 people or more, and constants: each more than one."""
MORE_THAN_ONE: Final = {
    "caldp_ui/adversary/fakes.py": ["fewer", "number"],
    "caldp_ui/adversary/fakes_page.py": ["number"],
    "caldp_ui/adversary/page.py": ["view.depends_on(replace(record, days=0))"],
    "caldp_ui/adversary/view.py": ["days"],
    "caldp_ui/classroom/shuffling.py": ["formats.integer(lesson.blocks)"],
    "caldp_ui/coarser/census_block.py": ["len(blocks)", "many"],
    "caldp_ui/coarser/reconstruction.py": ["formats.integer(record.tables)", "record.tables"],
    "caldp_ui/controls/choices.py": ["few", "many"],
    "caldp_ui/maps/ground.py": ["read.open", "read.safe"],
    "caldp_ui/matrix/files.py": ["'has' if hidden == 1 else 'have'", "len(reports)"],
    "caldp_ui/matrix/page_state.py": ["built.outputs", "k"],
    "caldp_ui/matrix/view.py": ["formats.people(_PEOPLE)", "verdict.audit.pairs"],
    "caldp_ui/paper/page.py": ["errors['ours']"],
    "caldp_ui/paper/view.py": [
        "column.title.strip('()').replace(', ', ' × ')",
        "curve.title.removeprefix('m = ')",
    ],
    "caldp_ui/parts/comparison.py": [
        "formats.integer(fewer)",
        "formats.integer(most)",
        "formats.integer(runs.setup(scenario).n)",
    ],
    "caldp_ui/personal/view.py": ["share", "share.whole"],
    "caldp_ui/places/page_state.py": ["before", "now"],
    "caldp_ui/places/prior.py": ["number"],
    "caldp_ui/room/words.py": ["sent"],
    "caldp_ui/start/page.py": ["wrong"],
    "caldp_ui/words/promise.py": ["clear", "count", "left"],
    "caldp_core/audit/pairwise.py": ["len(first)", "policy.k"],
    "caldp_core/collect/record.py": ["blocks"],
    "caldp_core/collect/collector.py": ["len(lower)"],
    "caldp_core/datasets/files/source.py": ["len(packed)"],
    "caldp_core/datasets/files/table.py": ["bounds.rows", "count or 0", "self.width"],
    "caldp_core/datasets/own.py": ["len(self.questions)"],
    "caldp_core/mechanisms/contextual.py": ["self.oracles.n_max"],
}
"""Numbers that are more than one, texts of shares, and what has its singular beside it."""


def uncounted(path: Path) -> Iterator[str]:
    """What is filled in before a noun in the plural, other than shares and constants."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        for filled, after in zip(values(node), values(node)[1:], strict=False):
            is_counted = isinstance(after, ast.Constant) and COUNTED.match(str(after.value))
            if is_counted and isinstance(filled, ast.FormattedValue):
                source = ast.unparse(filled.value)
                if not SHARES.match(source):
                    yield source


def values(node: ast.AST) -> list[ast.expr]:
    return node.values if isinstance(node, ast.JoinedStr) else []


def test_no_noun_follows_a_number_that_may_be_one() -> None:
    """`count_text` and `formats.counted` write the number with its noun."""
    paths = [path for room in ("caldp_ui", "caldp_core") for path in (ROOT / room).rglob("*.py")]
    found = {
        str(path.relative_to(ROOT)): sorted(sources)
        for path in paths
        if (sources := set(uncounted(path)))
    }
    with naming("Write what is counted by count_text or formats.counted"):
        assert found == MORE_THAN_ONE


def test_one_thing_is_counted_in_the_singular() -> None:
    rows = [count_text(number, "row", "rows") for number in (0, 1, 2, 1024)]
    assert rows == ["0 rows", "1 row", "2 rows", "1,024 rows"]
    people = [formats.counted(number, "person", "people") for number in (0.6, 1.4, 1.6, 3.67e6)]
    assert people == ["1 person", "1 person", "2 people", "3.67 million people"]


SINGLE: Final = Lesson("shuffling", n=10, blocks=10)
"""As many blocks as people."""


@pytest.mark.parametrize("lesson", [SINGLE, *(each for each in ENDS if each.n == 1)], ids=repr)
def test_stations_speak_of_one_person(lesson: Lesson) -> None:
    assert not re.search(r"(?<![\d,.])1 (people|phones|reports)\b", read_headline(lesson))


def test_data_of_one_person_are_of_a_person() -> None:
    one = from_counts("one", "", Domain(2), np.array([1, 0]))
    assert repr(one).endswith(", 1 person>")
    assert ", 1 person and 2 answers" in OwnTable(("a", "b"), (1, 0)).load().note
    alone = run(prepare(Scenario(n=1)))
    assert "from 1 report puts 100 of 100 in" in accuracy_text(alone, "in the wrong place")
    assert ", 1 report, " in repr(alone)
