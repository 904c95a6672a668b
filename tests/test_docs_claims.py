"""Each definition that says something on four pages stands in docs/claims.md beside its test."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

from tests.contract.checks import naming

ROOT: Final = Path(__file__).parents[1]
CLAIMS: Final = (ROOT / "docs" / "claims.md").read_text("utf-8")
PAGES: Final = ("adversary", "matrix", "classroom", "room")
WORDS: Final = 5
"""What is shorter is a name."""
FORMULA: Final = "the formula"
"""Stands for a text in LaTeX."""


def texts(node: ast.AST) -> Iterator[str]:
    """The literals in a definition, docstrings aside; what is filled in is an ellipsis."""
    for part in ast.iter_child_nodes(node):
        if isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant):
            continue
        if isinstance(part, ast.JoinedStr):
            pieces = (p.value if isinstance(p, ast.Constant) else "…" for p in part.values)
            yield "".join(map(str, pieces))
            for filled in part.values:
                if isinstance(filled, ast.FormattedValue):
                    yield from texts(filled)
        elif isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.value
        else:
            yield from texts(part)


def sentences(text: str) -> Iterator[str]:
    if "\\" in text or "$" in text:
        yield FORMULA
        return
    plain = " ".join(re.sub(r"<[^>]*>", " ", text).split())
    for each in re.split(r"(?<=[.!?])\*{0,2}\s+(?=[^a-z0-9])", plain):
        if len(re.findall(r"[^\W\d_]+|…", each)) >= WORDS:
            yield each.strip()


def definitions(tree: ast.Module) -> Iterator[tuple[str, ast.AST]]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name, node
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            (target,) = node.targets if isinstance(node, ast.Assign) else (node.target,)
            yield ast.unparse(target), node


def in_code() -> set[str]:
    """The definitions that may bring a sentence on screen."""
    return {
        f"{page}.{path.stem}.{name}"
        for page in PAGES
        for path in sorted((ROOT / "caldp_ui" / page).glob("*.py"))
        for name, node in definitions(ast.parse(path.read_text("utf-8")))
        if any(True for text in texts(node) for _ in sentences(text))
    }


def rows() -> Iterator[tuple[str, list[str]]]:
    """A definition, and what holds it."""
    for line in CLAIMS.splitlines():
        if line.startswith("| `"):
            where, held = line.strip("| ").split(" | ")
            yield where.strip("`"), held.split("<br>")


def nameless() -> set[str]:
    """Definitions that the file calls names, advice and refusals."""
    return set(re.findall(r"`([\w.]+)`", CLAIMS.partition("## Names, advice and refusals")[2]))


@cache
def names_in(path: str) -> frozenset[str]:
    tree = ast.parse((ROOT / "tests" / path).read_text("utf-8"))
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef))


def test_every_definition_is_listed_once_and_none_that_says_nothing() -> None:
    listed = [where for where, _ in rows()]
    assert len(listed) == len(set(listed))
    assert not nameless() & set(listed)
    with naming("Mend docs/claims.md, and the test that holds what is said"):
        assert in_code() == nameless() | set(listed)


def test_what_holds_a_definition_is_there() -> None:
    for where, held in rows():
        for each in held:
            with naming(f"{where}: {each}"):
                path, _, name = each.strip("`").partition("::")
                source = each.startswith("source: ") or each == "advice"
                assert source or name in names_in(path)


def test_a_sentence_is_found_whatever_makes_it() -> None:
    made = ast.parse(
        'def f(n):\n    "A docstring of five words."\n'
        '    told = g("nobody else knows it at all")\n'
        '    return f"Of {n} people one knows. **It is** so, and {told}"'
    )
    (made_of,) = (node for _, node in definitions(made))
    found = {sentence for text in texts(made_of) for sentence in sentences(text)}
    assert found == {"Of … people one knows.", "**It is** so, and …", "nobody else knows it at all"}
