"""A text from a person gets into a sentence by `UserText` or an escaping function, never bare.

The code is read, not run: in each function, names of answers, columns, areas, questions and titles
are followed through variables, loops and containers to where a text is made of them.
"""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final, TypeAlias

import pytest

from tests import ROOT
from tests.contract.checks import naming

NAMING_METHODS: Final = {"name_of", "short_names"}
"""Methods that return such texts."""
NAMING_FIELDS: Final = {"names", "answers", "groups", "questions"}
"""Attributes that hold such texts, whatever record they are of."""
TITLED: Final = {"dataset", "prior", "question", "spec", "survey", "table", "upload"}
"""What has such a text as its `title`, `text` or `name`."""
ESCAPED: Final = {"cell", "chart", "file_name", "html", "markdown", "plain"}
"""Properties of `UserText`, one for each place."""
KEEPING: Final = {
    *("dict", "enumerate", "filter", "list", "map", "max", "min", "next", "reversed", "set"),
    *("shorten", "sorted", "str", "tuple", "zip", "some_names", "names_text", "items", "values"),
    *("format", "join", "removeprefix", "replace", "split", "strip", "wrap"),
}
"""Functions whose result has the texts that they are given; others escape or compute."""
WRITING: Final = {"format", "join", "names_text", "quoted", "some_names", "substitute"}
"""Functions that make a text of others."""
SHOWING: Final = {
    *("button", "caption", "checkbox", "error", "expander", "header", "html", "info", "markdown"),
    *("metric", "notify", "number_input", "popover", "radio", "slider", "subheader", "success"),
    *("text_area", "text_input", "title", "toast", "toggle", "warning", "write"),
}
"""Elements of a page, the first argument of which is Markdown or HTML."""
ALLOWED: Final = {
    ("coarser/page_state.py", "answers_in_common"): "compares names",
    ("controls/choices.py", "_tables"): "the title of a dataset, itself a text from a person",
    ("controls/choices.py", "own_data_sets"): "menus show their options as they are",
    (
        "desk/questions.py",
        "_ask_values",
    ): "columns stand in menus, and not in its labels",
    ("matrix/page.py", "_matrix_controls"): "a field's own text",
    ("matrix/view.py", "snippet"): "Python writes a tuple of texts with quotation marks",
    ("parts/own_data.py", "_answer_button"): "names of our questions about a file",
    ("parts/own_data.py", "_check"): "answers to our questions about a file",
    ("room/page.py", "_sensitive"): "a hash",
    ("room/page.py", "question_form"): "a field's own text",
    ("room/page_state.py", "_texts"): "a link's own text",
    ("room/teacher.py", "_choose_question"): "menus show their options as they are",
    ("room/view.py", "snippet"): "Python writes a tuple of texts with quotation marks",
    ("values/page_state.py", "table_of"): "the title of a dataset, itself a text from a person",
    ("values/several.py", "_show_guesses"): "a number of questions",
    ("values/several.py", "comparison_sentence"): "a number of questions",
}
"""By file and function, why a text is taken as it is."""
Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


def name_of(function: ast.expr) -> str:
    """The last name of what is called, or read from."""
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def is_source(node: ast.AST) -> bool:
    """Whether an expression is a text from a person, or holds some."""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Attribute) and node.func.attr in NAMING_METHODS
    if not isinstance(node, ast.Attribute):
        return False
    is_title = node.attr in {"title", "text", "name"} and name_of(node.value) in TITLED
    return is_title or node.attr in NAMING_FIELDS


def names_in(target: ast.AST) -> set[str]:
    """Names of the variables that are set."""
    return {node.id for node in ast.walk(target) if isinstance(node, ast.Name)}


FIELDS: Final[dict[type[ast.AST], tuple[str, ...]]] = {
    ast.Subscript: ("value",),
    ast.IfExp: ("body", "orelse"),
    **dict.fromkeys((ast.ListComp, ast.GeneratorExp, ast.SetComp), ("elt",)),
    ast.DictComp: ("key", "value"),
    **dict.fromkeys((ast.Compare, ast.Lambda), ()),
}
"""By kind of expression, the fields whose texts it has; of other kinds all."""


def parts_of(node: ast.AST) -> list[ast.AST]:
    """The parts of an expression whose texts it has; none of one that escapes or computes."""
    if isinstance(node, ast.Call):
        if name_of(node.func) not in KEEPING:
            return []
        owner = [node.func.value] if isinstance(node.func, ast.Attribute) else []
        return [*owner, *node.args, *(keyword.value for keyword in node.keywords)]
    if isinstance(node, ast.Attribute):
        return [] if node.attr in ESCAPED else [node.value]
    if type(node) in FIELDS:
        return [getattr(node, field) for field in FIELDS[type(node)]]
    return [*ast.iter_child_nodes(node)]


def holds_text(node: ast.AST, known: set[str]) -> bool:
    """Whether an expression has a text from a person in it; `known`: variables that do."""
    if is_source(node):
        return True
    if isinstance(node, ast.Name):
        return node.id in known
    inner = known_within(node, known)
    return any(holds_text(part, inner) for part in parts_of(node))


def known_within(node: ast.AST, known: set[str]) -> set[str]:
    """Variables with a text from a person inside of a node: a comprehension has its own."""
    if isinstance(node, ast.ListComp | ast.GeneratorExp | ast.SetComp | ast.DictComp):
        return known | looped(node.generators, known)
    return known


def walk_with_known(node: ast.AST, known: set[str]) -> Iterator[tuple[ast.AST, set[str]]]:
    """All nodes within one, with the variables that have a text from a person there."""
    inner = known_within(node, known)
    yield node, inner
    for part in ast.iter_child_nodes(node):
        yield from walk_with_known(part, inner)


def looped(loops: list[ast.comprehension], known: set[str]) -> set[str]:
    """Variables of a comprehension that have a text from a person."""
    found: set[str] = set()
    for loop in loops:
        found |= set_by(loop.target, loop.iter, known | found)
    return found


def set_by(target: ast.AST, loop: ast.AST, known: set[str]) -> set[str]:
    """Variables of a loop that have a text; of `zip` and `enumerate` those beside such a part."""
    if isinstance(loop, ast.Call) and isinstance(target, ast.Tuple):
        parts = {"zip": loop.args, "enumerate": [ast.Constant(0), *loop.args[:1]]}
        given = parts.get(name_of(loop.func))
        if given is not None:
            pairs = zip(given, target.elts, strict=False)
            return set().union(*(names_in(b) for a, b in pairs if holds_text(a, known)))
    return names_in(target) if holds_text(loop, known) else set()


def newly_set(node: ast.AST, known: set[str]) -> set[str]:
    """Variables that a statement or a loop gives a text from a person."""
    match node:
        case ast.For():
            return set_by(node.target, node.iter, known)
        case ast.NamedExpr():
            return names_in(node.target) if holds_text(node.value, known) else set()
        case ast.Assign(targets=[ast.Tuple() as several], value=ast.Tuple() as values):
            pairs = zip(several.elts, values.elts, strict=False)
            return set().union(*(names_in(a) for a, b in pairs if holds_text(b, known)))
        case ast.Assign() if holds_text(node.value, known):
            return set().union(*map(names_in, node.targets))
    return set()


def variables(function: Function) -> set[str]:
    """Variables of a function that have a text from a person at some time."""
    known: set[str] = set()
    before = -1
    while len(known) > before:
        before = len(known)
        for node in ast.walk(function):
            known |= newly_set(node, known)
    return known


def bare_texts(function: Function) -> Iterator[str]:
    """Where a text from a person gets into another text, or onto the page, as it is."""
    for node, known in walk_with_known(function, variables(function)):
        parts: list[ast.expr] = []
        match node:
            case ast.JoinedStr():
                parts = [part.value for part in node.values if isinstance(part, ast.FormattedValue)]
            case ast.Call() if name_of(node.func) in WRITING:
                parts = [*node.args, *(keyword.value for keyword in node.keywords)]
            case ast.Call() if name_of(node.func) in SHOWING:
                named = {"label", "help", "body", "captions"}
                parts = node.args[:1]
                parts += [keyword.value for keyword in node.keywords if keyword.arg in named]
        for part in parts:
            if holds_text(part, known):
                yield f"line {part.lineno}: {ast.unparse(part)}"


def functions(code: str) -> Iterator[Function]:
    """All functions of a file."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def test_texts_from_people_get_into_no_text_as_they_are() -> None:
    folder = ROOT / "caldp_ui"
    met: set[tuple[str, str]] = set()
    found = []
    for path in sorted(folder.rglob("*.py")):
        file = path.relative_to(folder).as_posix()
        for function in functions(path.read_text("utf-8")):
            bare = list(dict.fromkeys(bare_texts(function)))
            if bare and (file, function.name) in ALLOWED:
                met.add((file, function.name))
            else:
                found += [f"{file}, {function.name}, {text}" for text in bare]
    assert found == []
    assert met == ALLOWED.keys(), "what is allowed and not there any more is taken out"


WRONG: Final = {
    "a name in an f-string": "return f'“{domain.name_of(0)}”'",
    "by a variable": "name = table.names[0]\n    return f'{name}!'",
    "by a loop": "return [f'{n}: {v}' for n, v in zip(table.names, shares)]",
    "by a condition": "shown = domain.name_of(1) if few else ''\n    return 'A {}'.format(shown)",
    "by a list": "names = [domain.name_of(x) for x in marked]\n    return ', '.join(names[:3])",
    "by a part": "a, b = domain.names[0], 3\n    return f'{a}{b}'",
    "as a label": "st.button(poll.question.text)",
    "as a help": "st.text_input('Name', help=table.title)",
}
RIGHT: Final = {
    "escaped": "return f'“{UserText(domain.name_of(0)).markdown}”'",
    "beside it": "return [f'{v}' for n, v in zip(table.names, shares)]",
    "another loop's": "a = [UserText(n) for n in t.names]\n    return [f'{n}' for n in b]",
    "counted": "return f'{len(table.names)} answers'",
    "compared": "return f'{table.names[0] == chosen}'",
    "a menu's options": "st.selectbox('Column', table.names)",
}


@pytest.mark.parametrize("case", [*WRONG, *RIGHT])
def test_each_way_of_a_text_is_followed(case: str) -> None:
    code = f"def show():\n    {(WRONG | RIGHT)[case]}\n"
    (function,) = functions(code)
    with naming(code):
        assert bool([*bare_texts(function)]) == (case in WRONG)


def test_files_are_read() -> None:
    assert len([*Path(ROOT / "caldp_ui").rglob("*.py")]) > 100
