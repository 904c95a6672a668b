"""Private parts of Streamlit are used in one package, by changes that say what they rest on."""

import ast
from pathlib import Path

from caldp_ui.server.patches import PATCHES
from tests import ROOT

SERVER = ROOT / "caldp_ui" / "server"
PRIVATE = ("streamlit.proto", "streamlit.runtime.", "streamlit.components.v2.", "uvicorn")
"""Modules without a promise; `streamlit.runtime` itself says whether a server is at work."""
PUBLIC = {"streamlit.runtime.uploaded_file_manager"}
"""The type of what an uploader returns."""


def _imported(path: Path) -> set[str]:
    names = set[str]()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
    return names


def _private_imports(folder: Path) -> dict[str, set[str]]:
    found = {}
    for path in sorted(folder.rglob("*.py")):
        private = {name for name in _imported(path) if f"{name}.".startswith(PRIVATE)} - PUBLIC
        private.discard("streamlit.runtime")
        if private:
            found[str(path.relative_to(ROOT))] = private
    return found


def test_no_other_package_imports_private_parts() -> None:
    outside = {}
    for name, modules in _private_imports(ROOT / "caldp_ui").items():
        if not (ROOT / name).is_relative_to(SERVER):
            outside[name] = modules
    assert outside == {}
    assert _private_imports(ROOT / "pages") == {}
    # The test sees such imports where they are.
    assert "caldp_ui/server/messages.py" in _private_imports(SERVER)


def test_every_change_of_a_library_is_a_patch() -> None:
    """A function of the package that sets an attribute of a library's class is a patch's."""
    changing = {patch.apply.__name__ for patch in PATCHES if patch.apply is not None}
    for path in sorted(SERVER.glob("*.py")):
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.FunctionDef) and _sets_library_attribute(node):
                assert node.name in changing, f"{path.name}: {node.name}"
    assert len(changing) >= 6


def _sets_library_attribute(function: ast.FunctionDef) -> bool:
    """Whether a function assigns to an attribute of a class: `Name.attribute = …`."""
    for node in ast.walk(function):
        if not isinstance(node, ast.Assign):
            continue
        for target in node.targets:
            if not isinstance(target, ast.Attribute) or not isinstance(target.value, ast.Name):
                continue
            if target.value.id[:1].isupper():
                return True
    return False
