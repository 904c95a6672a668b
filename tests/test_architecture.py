"""Rooms keep to themselves: the mathematics knows no user interface, pages hold no mathematics."""

import ast
import re
import subprocess
import sys
from collections.abc import Sequence

import pytest

import caldp_core
from tests import ROOT

USER_INTERFACE = {"streamlit", "plotly", "pydeck", "caldp_ui"}
ONLY_WHEN_USED = {"duckdb", "fsspec", "pooch", "pyarrow", "python_calamine", "requests"}
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
print(*(name for name in sys.modules if name.startswith("scipy.") and "._" not in name))
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


def test_the_core_runs_without_a_user_interface() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", _IMPORT_ALL],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    whole, of_scipy = done.stdout.splitlines()
    modules, *packages = whole.split()
    assert int(modules) >= 30
    assert "numpy" in packages, "the list of packages is not what it should be"
    assert USER_INTERFACE.isdisjoint(packages)
    assert ONLY_WHEN_USED.isdisjoint(packages), "what few people use would slow every start"
    assert "scipy.version" in of_scipy.split()
    loaded = set(of_scipy.split()) - {"scipy.version"}
    assert not loaded, f"import scipy, and name {loaded} where it is used: it takes 0.5 s to load"


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
    for module in ("caldp_core.basics.types", "caldp_core.domain.grid"):
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
        _ = caldp_core.nothing


WALL_CLOCK = re.compile(r"\btime\.time(_ns)?\(|\bdatetime\.(now|utcnow|today)\(|\bdate\.today\(")


def test_nothing_goes_by_a_clock_that_jumps() -> None:
    """Limits and pauses are reckoned by `time.monotonic`: a clock set back would stop them."""
    assert WALL_CLOCK.search("if time.time() > until:")
    sources = [p for room in ("caldp_core", "caldp_ui") for p in (ROOT / room).rglob("*.py")]
    assert sources
    read = {str(p) for p in sources if WALL_CLOCK.search(p.read_text("utf-8"))}
    assert read == set()
