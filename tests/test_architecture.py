"""Rules of the code: rooms keep to themselves, and a number agrees with its noun."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import numpy as np
import pytest

import caldp_core
from caldp_core.basics.errors import count_text
from caldp_core.basics.extras import EXTRAS
from caldp_core.datasets.base import from_counts
from caldp_core.datasets.own import OwnTable
from caldp_core.domain.domains import Domain
from caldp_core.experiments.run import accuracy_text, prepare, run
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.classroom.page_state import Lesson
from caldp_ui.words import formats
from tests import ROOT
from tests.contract.checks import naming
from tests.ui.pages import ENDS, read_headline

USER_INTERFACE = {"streamlit", "plotly", "pydeck", "caldp_ui"}
ONLY_WHEN_USED = EXTRAS.keys()
MATHEMATICS = {"numpy", "scipy", "pandas"}
ROOMS = [
    "basics",
    "domain",
    "privacy",
    "datasets",
    "mechanisms",
    "estimation",
    "theory",
    "audit",
    "lecture",
    "scenarios",
    "experiments",
    "collect",
    "treatments",
    "attacks",
    "release",
    "cli",
]
"""From the ground up: a room imports from itself and from those before it."""
_IMPORT_ALL = """
import importlib, pkgutil, sys
import caldp_core
names = [module.name for module in pkgutil.walk_packages(caldp_core.__path__, "caldp_core.")]
for name in names:
    if not name.endswith("__main__"):
        importlib.import_module(name)
print(len(names), *sorted(set(name.partition(".")[0] for name in sys.modules)))
"""


def imports_of(source: str) -> set[str]:
    """Top-level packages that a file imports, anywhere in it."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.partition(".")[0])
    return names


def test_imports_are_found_wherever_they_hide() -> None:
    source = "import a.b, c as d\ndef f():\n    from e.g import h\nfrom . import i\n"
    assert imports_of(source) == {"a", "c", "e"}


@pytest.mark.slow
def test_the_core_runs_without_a_user_interface() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", _IMPORT_ALL],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    modules, *packages = done.stdout.split()
    assert int(modules) >= 30
    assert "numpy" in packages, "the list of packages is not what it should be"
    assert USER_INTERFACE.isdisjoint(packages)
    assert ONLY_WHEN_USED.isdisjoint(packages), "what few people use would slow every start"


def test_no_file_of_the_core_imports_a_user_interface() -> None:
    files = sorted((ROOT / "caldp_core").rglob("*.py"))
    assert len(files) >= 50
    meeting = [p.name for p in files if USER_INTERFACE & imports_of(p.read_text(encoding="utf-8"))]
    assert not meeting


STARTS_THE_DASHBOARD = "dashboard.py"
"""The command that starts the dashboard as another process looks where it is installed."""
_A_MODULE = re.compile(rf"({'|'.join(sorted(USER_INTERFACE))})(\.\w+)*")


def named_modules(source: str) -> set[str]:
    """Texts of a file that name a module of a user interface, as `import_module` takes them."""
    texts = (node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant))
    return {text for text in texts if isinstance(text, str) and _A_MODULE.fullmatch(text)}


def test_a_module_that_is_named_in_a_text_is_found() -> None:
    source = 'import_module("caldp_ui.relief.deck")\nf(a, b=["pydeck"])\n"""About caldp_ui."""'
    assert named_modules(source) == {"caldp_ui.relief.deck", "pydeck"}
    assert named_modules('find("pydeck is missing", "caldp_uid", "caldp_core.ui")') == set()


def test_no_file_of_the_core_names_a_module_of_a_user_interface() -> None:
    """An import by a text, `import_module("caldp_ui…")`, is one all the same."""
    files = sorted((ROOT / "caldp_core").rglob("*.py"))
    named = {path.name for path in files if named_modules(path.read_text(encoding="utf-8"))}
    assert named == {STARTS_THE_DASHBOARD}
    command = (ROOT / "caldp_core" / "cli" / STARTS_THE_DASHBOARD).read_text(encoding="utf-8")
    assert named_modules(command) == {"caldp_ui", "streamlit"}
    assert "import_module" not in command, "it looks for them, and imports neither"


def test_pages_hold_no_mathematics() -> None:
    files = [*(ROOT / "pages").glob("*.py"), ROOT / "app.py"]
    meeting = [p.name for p in files if MATHEMATICS & imports_of(p.read_text(encoding="utf-8"))]
    assert not meeting


def looks_up(package: str, rooms: Sequence[str], room: str, source: str) -> list[str]:
    """The modules of higher rooms of the package that a file of this room imports."""
    below = rooms[: rooms.index(room) + 1]
    own = [
        node.module
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith(package)
    ]
    return [module for module in own if module.split(".")[1:2] not in [[each] for each in below]]


def files_that_look_up(package: str, rooms: Sequence[str]) -> dict[str, list[str]]:
    """By file of the package, the modules of higher rooms that it imports."""
    return {
        str(path.relative_to(ROOT)): up
        for room in rooms
        for path in (ROOT / package / room).rglob("*.py")
        if (up := looks_up(package, rooms, room, path.read_text(encoding="utf-8")))
    }


def test_a_look_up_is_found() -> None:
    for module in ("caldp_core.basics.types", "caldp_core.domain.domains"):
        assert looks_up("caldp_core", ROOMS, "domain", f"from {module} import it") == []
    for wrong in ("caldp_core.privacy.context", "caldp_core"):
        source = f"def f():\n    from {wrong} import it"
        assert looks_up("caldp_core", ROOMS, "domain", source) == [wrong]


def test_no_room_of_the_core_looks_up() -> None:
    core = ROOT / "caldp_core"
    assert sorted(ROOMS) == sorted(p.parent.name for p in core.glob("*/__init__.py"))
    assert not files_that_look_up("caldp_core", ROOMS)


LESSON = "handout"
"""The room whose one file is made of several pages: above them all."""
PAGES = sorted(path.stem for path in (ROOT / "pages").glob("*.py"))


def other_pages(page: str, source: str) -> list[str]:
    """The folders of other pages from which a file of this page's imports."""
    tree = ast.walk(ast.parse(source))
    names: list[str] = []
    for node in tree:
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names += [f"{node.module}.{alias.name}" for alias in node.names]
    met = [name.split(".")[1] for name in names if name.startswith("caldp_ui.")]
    return [other for other in met if other in PAGES and other != page]


def test_a_page_that_meets_another_is_found() -> None:
    assert (
        other_pages("start", "from caldp_ui.maps.scene import scene\nimport caldp_ui.start") == []
    )
    for wrong in (
        "from caldp_ui.places.page_state import STATE",
        "def f():\n    from caldp_ui import places",
        "import caldp_ui.places.page_state",
    ):
        assert other_pages("start", wrong) == ["places"]


def test_no_page_imports_another() -> None:
    """What several pages need has a room of its own; a page opens another by its link."""
    rooms = [path.parent for path in (ROOT / "caldp_ui").glob("*/__init__.py")]
    assert set(PAGES) <= {room.name for room in rooms}
    wrong = {
        str(path.relative_to(ROOT)): met
        for room in rooms
        if room.name != LESSON
        for path in room.rglob("*.py")
        if (met := other_pages(room.name, path.read_text(encoding="utf-8")))
    }
    assert not wrong


def test_only_a_page_s_script_opens_what_is_made_of_several_pages() -> None:
    below = [path for path in (ROOT / "caldp_ui").rglob("*.py") if path.parent.name != LESSON]
    assert not [path for path in below if f"caldp_ui.{LESSON}" in path.read_text("utf-8")]
    assert f"caldp_ui.{LESSON}" in (ROOT / "pages" / "classroom.py").read_text("utf-8")


def test_the_names_that_people_need_are_handed_out() -> None:
    for name in caldp_core.__all__:
        assert getattr(caldp_core, name).__name__ == name
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = caldp_core.nothing  # type: ignore[attr-defined]


WALL_CLOCK = re.compile(r"\btime\.time(_ns)?\(|\bdatetime\.(now|utcnow|today)\(|\bdate\.today\(")


def test_nothing_goes_by_a_clock_that_jumps() -> None:
    """Limits and pauses are reckoned by `time.monotonic`: a clock set back would stop them."""
    assert WALL_CLOCK.search("if time.time() > until:")
    sources = [p for room in ("caldp_core", "caldp_ui") for p in (ROOT / room).rglob("*.py")]
    assert sources
    read = {str(p.relative_to(ROOT)) for p in sources if WALL_CLOCK.search(p.read_text("utf-8"))}
    # A plan of repetition may allow some reports on a day of the calendar, and has a cap in all;
    # a line of a log says when.
    # The desk offers today as the day of a release, which the officer sees and may change.
    desk = "caldp_ui/desk/questions.py"
    assert read == {"caldp_core/collect/client.py", "caldp_ui/app/operation.py", desk}


COUNTED_ROOT: Final = Path(__file__).parents[1]
COUNTED: Final = re.compile(
    r" (?:[a-z-]+ )?(people|phones|reports|rows|columns|files|tables|records|blocks|limits|trials"
    r"|check-ins)\b"
)
SHARES: Final = re.compile(r"(formats\.)?(out_of|out_of_few|of_hundred)\(|.*\b_?[A-Z][A-Z_]+$")
"""Shares of 100 people or more, and constants: each more than one."""
MORE_THAN_ONE: Final = {
    "caldp_ui/adversary/page.py": ["view.depends_on(replace(record, days=0))"],
    "caldp_ui/adversary/view.py": ["days"],
    "caldp_ui/classroom/counting.py": ["formats.integer(lesson.blocks)"],
    "caldp_ui/coarser/alone.py": [
        "formats.integer(record.tables)",
        "len(blocks)",
        "many",
        "record.tables",
    ],
    "caldp_ui/matrix/page_state.py": ["built.outputs", "k"],
    "caldp_ui/matrix/view.py": [
        "'has' if hidden == 1 else 'have'",
        "formats.people(_PEOPLE)",
        "len(reports)",
        "verdict.audit.pairs",
    ],
    "caldp_ui/paper/view.py": [
        "column.title.strip('()').replace(', ', ' × ')",
        "curve.removeprefix('m = ')",
    ],
    "caldp_ui/parts/comparison.py": ["formats.integer(fewer)"],
    "caldp_ui/personal/view.py": ["share", "share.unit"],
    "caldp_ui/places/page_state.py": ["before", "now"],
    "caldp_ui/places/view.py": ["number"],
    "caldp_ui/room/view.py": ["sent"],
    "caldp_core/audit/pairwise.py": ["len(first)", "policy.k"],
    "caldp_core/collect/record.py": ["blocks"],
    "caldp_core/collect/report_files.py": ["len(lower)"],
    "caldp_core/datasets/files/source.py": ["len(packed)"],
    "caldp_core/datasets/files/dialect.py": ["self.width"],
    "caldp_core/datasets/files/table.py": ["bounds.rows", "count or 0"],
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


@pytest.mark.slow
def test_no_noun_follows_a_number_that_may_be_one() -> None:
    """`count_text` and `formats.counted` write the number with its noun."""
    paths = [
        path for room in ("caldp_ui", "caldp_core") for path in (COUNTED_ROOT / room).rglob("*.py")
    ]
    found = {
        str(path.relative_to(COUNTED_ROOT)): sorted(sources)
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
    assert "from 1 report puts 100 of 100 elsewhere" in accuracy_text(alone, "elsewhere")
    assert ", 1 report, " in repr(alone)


TOP = """
.ci .dockerignore .git-blame-ignore-revs .github .gitignore .pre-commit-config.yaml .streamlit
CHANGELOG.md CITATION.cff CONTRIBUTING.md LICENSE README.md SECURITY.md app.py benchmarks
caldp_core caldp_ui
data deploy docs examples mkdocs.yml pages pyproject.toml requirements-dev.txt
requirements-spark.txt requirements.txt scripts tests
"""


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="This is not a git clone.")
def test_the_top_level_holds_what_belongs_there_and_no_log_of_a_tool() -> None:
    command = ["git", "ls-files"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip(listed.stderr)  # of somebody else, for example
    names = {line.partition("/")[0].strip('"') for line in listed.stdout.splitlines()}
    assert names == {*TOP.split()}
