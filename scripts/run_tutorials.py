"""Runs the tutorials (docs/tutorials/*.ipynb) and writes what their cells show into them.

    python -m scripts.run_tutorials

Cells run one after the other in this process, as Jupyter runs them, without Jupyter. Outputs are
committed, so that a reader sees the pictures before anything is installed; they follow from
seeds, and tests/test_docs.py holds them against what the cells give today.
"""

import ast
import contextlib
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

TUTORIALS: Final = Path(__file__).parents[1] / "docs" / "tutorials"


def read(path: Path) -> dict[str, Any]:
    """The notebook as JSON (nbformat 4.5)."""
    notebook: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return notebook


def text_of(notebook: dict[str, Any]) -> str:
    """The notebook as the text of its file."""
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def outputs_of(notebook: dict[str, Any]) -> Iterator[list[dict[str, Any]]]:
    """Outputs of each code cell, in order, as the notebook format has them."""
    names: dict[str, Any] = {"__name__": "__main__"}
    cells = (cell for cell in notebook["cells"] if cell["cell_type"] == "code")
    for number, cell in enumerate(cells, 1):
        yield list(_shown("".join(cell["source"]), names, number))


def _shown(source: str, names: dict[str, Any], number: int) -> Iterator[dict[str, Any]]:
    printed, value = io.StringIO(), None
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, f"cell {number}", "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), f"cell {number}", "eval"), names)
    if printed.getvalue():
        text = printed.getvalue().splitlines(keepends=True)
        yield {"name": "stdout", "output_type": "stream", "text": text}
    if value is not None:
        data = {"text/plain": repr(value).splitlines(keepends=True)}
        if hasattr(value, "_repr_html_"):
            data["text/html"] = value._repr_html_().splitlines(keepends=True)
        yield {
            "data": data,
            "execution_count": number,
            "metadata": {},
            "output_type": "execute_result",
        }


def main() -> None:
    """Write every tutorial's outputs anew."""
    for path in sorted(TUTORIALS.glob("*.ipynb")):
        notebook = read(path)
        cells = (cell for cell in notebook["cells"] if cell["cell_type"] == "code")
        for number, (cell, outputs) in enumerate(zip(cells, outputs_of(notebook), strict=True), 1):
            cell["outputs"], cell["execution_count"] = outputs, number
        path.write_text(text_of(notebook), encoding="utf-8")


if __name__ == "__main__":
    main()
