"""Count what makes code dense, folder by folder.

    python -m scripts.measure_style [FOLDER ...]

Without folders it takes all of the project's. Figures are per 1,000 lines of code (no blank lines,
docstrings or comments), comments per 100 such lines. Circles are groups of modules that import each
other, wherever in a file the import stands; imports for type checking alone do not count.
"""

import ast
import io
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
FOLDERS: Final = ("caldp_core", "caldp_ui", "pages", "tests", "benchmarks", "scripts")
_COMPREHENSIONS: Final = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_SHORT_HELPER: Final = 4
"""Lines of a helper that, if it is used once, a reader would rather find in its caller."""


@dataclass
class Style:
    """What was counted in some files; all are whole numbers."""

    code_lines: int = 0
    comments: int = 0
    comprehensions: int = 0
    nested_comprehensions: int = 0
    conditional_expressions: int = 0
    loops_over_each: int = 0
    skipped_by_formatter: int = 0
    short_helpers_used_once: int = 0

    def add(self, other: "Style") -> None:
        """Add the counts of other files."""
        for name, number in vars(other).items():
            setattr(self, name, getattr(self, name) + number)

    def per_thousand(self, number: int) -> float:
        """`number` per 1,000 lines of code."""
        return 1000 * number / max(self.code_lines, 1)


def measure(source: str) -> Style:
    """What is counted in the text of one file."""
    style = Style()
    code_lines: set[int] = set()
    skipped = (tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)
    tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
    for token in tokens:
        if token.type == tokenize.COMMENT:
            style.comments += 1
            style.skipped_by_formatter += token.string.replace(" ", "").startswith("#fmt:skip")
        elif token.type not in skipped:
            code_lines.update(range(token.start[0], token.end[0] + 1))
    tree = ast.parse(source)
    code_lines -= _docstring_lines(tree)
    style.code_lines = len(code_lines)
    for node in ast.walk(tree):
        if isinstance(node, _COMPREHENSIONS):
            style.comprehensions += 1
            style.nested_comprehensions += _is_nested(node)
        elif isinstance(node, ast.IfExp):
            style.conditional_expressions += 1
        elif isinstance(node, ast.Name) and node.id == "each" and isinstance(node.ctx, ast.Store):
            style.loops_over_each += 1
    style.short_helpers_used_once = _short_helpers_used_once(tree)
    return style


def _docstring_lines(tree: ast.Module) -> set[int]:
    """The lines of texts that are statements: docstrings of modules, classes, functions, values."""
    lines: set[int] = set()
    for node in ast.walk(tree):
        if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Constant):
            continue
        if isinstance(node.value.value, str):
            lines.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return lines


def _is_nested(comprehension: ast.expr) -> bool:
    """Whether a comprehension has several loops, or another comprehension inside."""
    generators: list[ast.comprehension] = getattr(comprehension, "generators", [])
    if len(generators) > 1:
        return True
    for node in ast.walk(comprehension):
        if node is not comprehension and isinstance(node, _COMPREHENSIONS):
            return True
    return False


def _short_helpers_used_once(tree: ast.Module) -> int:
    """How many private functions of a module have a few lines and one use."""
    uses = Counter(node.id for node in ast.walk(tree) if isinstance(node, ast.Name))
    number = 0
    for node in tree.body:
        if not isinstance(node, ast.FunctionDef) or not node.name.startswith("_"):
            continue
        length = (node.end_lineno or node.lineno) - node.lineno
        if length <= _SHORT_HELPER and uses[node.name] == 1:
            number += 1
    return number


@dataclass
class ImportGraph:
    """Which module of the project imports which."""

    imports: dict[str, set[str]] = field(default_factory=dict)

    def circles(self) -> list[list[str]]:
        """Groups of two or more modules that import each other, by way of others too."""
        reached: dict[str, set[str]] = {}
        for module in self.imports:
            reached[module] = self._reachable(module)
        groups = set()
        for module, others in reached.items():
            group = {other for other in others if module in reached.get(other, set())}
            if len(group) > 1:
                groups.add(tuple(sorted(group)))
        return [list(group) for group in sorted(groups)]

    def _reachable(self, start: str) -> set[str]:
        found: set[str] = set()
        waiting = list(self.imports[start])
        while waiting:
            module = waiting.pop()
            if module not in found:
                found.add(module)
                waiting.extend(self.imports.get(module, ()))
        return found


def import_graph(paths: Sequence[Path]) -> ImportGraph:
    """The imports among the modules in `paths`, files below the project's root."""
    names = {_module_name(path): path for path in paths}
    graph = ImportGraph()
    for name, path in names.items():
        found = set()
        for package, member in _imported_names(ast.parse(path.read_text("utf-8"))):
            # `from package import name` takes a module, or something that the package itself has.
            imported = package
            if f"{package}.{member}" in names:
                imported = f"{package}.{member}"
            if imported in names and imported != name:
                found.add(imported)
        graph.imports[name] = found
    return graph


def _module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    if parts[-1] == "__init__":
        parts = parts[:-1]
    return ".".join(parts)


def _imported_names(node: ast.AST) -> Iterator[tuple[str, str]]:
    """Modules imported below `node`, each with what is taken of it; not those for types alone."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test):
            continue
        if isinstance(child, ast.Import):
            for alias in child.names:
                yield alias.name, ""
        elif isinstance(child, ast.ImportFrom) and child.module:
            for alias in child.names:
                yield child.module, alias.name
        else:
            yield from _imported_names(child)


def _files(folder: str) -> list[Path]:
    return sorted((ROOT / folder).rglob("*.py"))


def main(arguments: Sequence[str]) -> None:
    """Print a line for each folder, then the circles of imports."""
    folders = arguments or FOLDERS
    print(
        f"{'folder':24} {'lines':>7} {'compr.':>7} {'nested':>7} {'a if b':>7} {'comments':>9}"
        f" {'each':>6} {'skipped':>8} {'helpers':>8}"
    )
    for folder in folders:
        total = Style()
        for path in _files(folder):
            total.add(measure(path.read_text("utf-8")))
        print(
            f"{folder:24} {total.code_lines:7,} {total.per_thousand(total.comprehensions):7.1f}"
            f" {total.per_thousand(total.nested_comprehensions):7.1f}"
            f" {total.per_thousand(total.conditional_expressions):7.1f}"
            f" {total.per_thousand(total.comments) / 10:9.1f} {total.loops_over_each:6,}"
            f" {total.skipped_by_formatter:8,} {total.short_helpers_used_once:8,}"
        )
    paths = []
    for folder in folders:
        paths += _files(folder)
    circles = import_graph(paths).circles()
    print(f"circles of imports: {len(circles)}")
    for circle in circles:
        print("  " + ", ".join(circle))


if __name__ == "__main__":
    main(sys.argv[1:])
