"""Must-fail: the page with one slip of the pen each, and the test that has to catch it.

A slip is made in the source of one function, whoever holds it, and taken back. Each row asks first
that the test passes what is right.
"""

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from types import CodeType, FunctionType
from typing import Any, cast

import pytest

from caldp_core.basics.errors import CaldpError
from caldp_core.datasets import Snap
from caldp_core.experiments.table import as_cell
from caldp_ui.app import gate
from caldp_ui.compute import exports
from caldp_ui.room import question, view, words
from caldp_ui.room.page_state import EXAMPLES
from caldp_ui.room.poll import PollState
from caldp_ui.room.question import shares_of
from caldp_ui.session import record_link
from caldp_ui.values.page_state import BEGIN
from caldp_ui.words import formats, promise
from tests.ui import test_formats, test_room

POLL = PollState("", "", EXAMPLES["Vote"], True, (0, 1, 1, 2, 0, 4, 1, 3, 1, 1))


@contextmanager
def mutate(function: Callable[..., Any], right: str, wrong: str) -> Iterator[None]:
    """The function with `wrong` where its source has `right`, once."""
    real = cast(FunctionType, inspect.unwrap(function))
    source = textwrap.dedent(inspect.getsource(real))
    assert source.count(right) == 1, f"{real.__qualname__} has no longer one {right!r}"
    tree = ast.parse(source.replace(right, wrong))
    codes = compile(tree, f"slip of {real.__name__}", "exec").co_consts
    (code,) = (each for each in codes if isinstance(each, CodeType))
    kept, real.__code__ = real.__code__, code
    try:
        yield
    finally:
        real.__code__ = kept


def check_live() -> None:
    """The headline's range is that of the first protected answer, the lower end first."""
    shares = shares_of(POLL.question, POLL.reports)
    sentence = words.live_headline(POLL, shares).sentence
    assert f"that {100 * shares.low[0]:.0f} to {100 * shares.high[0]:.0f} % of people" in sentence
    assert shares.low[0] < shares.high[0]


def check_numbers() -> None:
    """The poll's table holds what its board shows, by name."""
    table, shares = view.numbers(POLL), view.shares_by(POLL)(POLL.question, POLL.reports)
    for name, column in (("estimate", shares.estimate), ("from", shares.low), ("to", shares.high)):
        assert table[f"{name}, %"].tolist() == pytest.approx((100 * column).round(1).tolist())
    assert (table["from, %"] < table["to, %"]).all()
    assert table["reports"].tolist() == [2, 5, 1, 1, 1]


def check_no_file_of_others() -> None:
    """No link has the server read a file that its sender chose, were it there or not."""
    with pytest.raises(CaldpError, match="SNAP's file, which is not on this machine"):
        record_link.make_safe(replace(BEGIN, dataset=Snap(path=__file__)))


def check_one_trial() -> None:
    assert record_link.make_safe(replace(BEGIN, trials=500)).trials == 1


def check_guarded_cells() -> None:
    """No spreadsheet runs what a name begins with."""
    for name in ("=1+1", "+1+1", "-1+1", "@SUM(A1)", "\t=1"):
        assert b"\n'" in exports.csv({"name": [name]}).replace(b'"', b"")


def check_page_of_a_server() -> None:
    names = {"", "classroom", "room"}
    assert gate.page_address("http://x/a/classroom", "room", names) == "http://x/a/room"
    assert gate.page_address("http://x/classroom", "room", names) == "http://x/room"


def check_everybody() -> None:
    """The grades are of everybody, the unprotected first."""
    first, second = promise.grades(0.3, 0.73, "odds", "read")
    assert [first.people, second.people] == pytest.approx([0.7, 0.3])
    assert [first.chance, second.chance] == [1.0, 0.73]
    assert second.protected > first.protected


MUTANTS: dict[str, tuple[Callable[..., Any], str, str, Callable[[], None]]] = {
    "a poll's range, its ends swapped": (
        words._estimate_sentence, "shares.low[answer]), 100 * float(shares.high",
        "shares.high[answer]), 100 * float(shares.low", check_live,
    ),
    "from and to swapped": (
        view.numbers, '"to, %"] = (100 * shares.high)', '"to, %"] = (100 * shares.low)',
        check_numbers,
    ),
    "reports of the next answer": (
        view.numbers, "reports.count(x)", "reports.count(x + 1)", check_numbers,
    ),
    "files of the sender's choice": (
        record_link.make_safe, "found.dataset != fetched_snap()", "False", check_no_file_of_others,
    ),
    "all trials of a link": (record_link.make_safe, "trials=1", "trials=2", check_one_trial),
    "formulas for spreadsheets": (as_cell, "escape_formula(value)", "value", check_guarded_cells),
    "room cut off classroom": (
        gate.page_address, "last not in names", "last in names", check_page_of_a_server,
    ),
    "half of the difference": (
        question._right, "difference / 4", "difference / 8",
        test_room.test_the_odds_that_are_told_are_the_best_guess_of_the_exact_channel,
    ),
    "nearly all told as all": (
        formats.hundred, 'return "more than 99.9"', 'return "100"',
        lambda: test_formats.test_what_rounds_to_all_is_told_as_more(0.9999),
    ),
    "the unprotected forgotten": (
        promise.grades, "1.0 - covered, False", "covered, False", check_everybody,
    ),
    "the protected first": (
        promise.grades,
        "Grade(1.0 - covered, False, 1.0, read), Grade(covered, True, chance, odds)",
        "Grade(covered, True, chance, odds), Grade(1.0 - covered, False, 1.0, read)",
        check_everybody,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MUTANTS)
def test_the_slip_is_caught(name: str) -> None:
    function, right, wrong, check = MUTANTS[name]
    check()
    with mutate(function, right, wrong), pytest.raises((AssertionError, pytest.fail.Exception)):
        check()
