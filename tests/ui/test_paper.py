"""The page of the paper's results: its numbers are the core's, its links lead back to it."""

from concurrent.futures import wait

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from caldp_core.audit.adversary import error_vertex
from caldp_core.experiments.reproduce import PAPER, TABLE_1, MeanError, table_1
from caldp_core.mechanisms import catalogue
from caldp_core.mechanisms.catalogue import Galois, Hadamard, SubsetSelection
from caldp_core.privacy.context import Context
from caldp_core.privacy.matrix import BinaryPolicy
from caldp_core.theory.bounds import least_loss, minimax, worst_case
from caldp_ui.paper import view as words
from caldp_ui.paper.page_state import LINK, STATE, VIEWS, Paper
from caldp_ui.words import formats
from tests.ui.driver import checked, headline_of, open_page, page_record, query_of

PAGE = "pages/paper.py"


def open_paper(**query: str) -> AppTest:
    return open_page(PAGE, query)


def finish(at: AppTest, key: str) -> AppTest:
    assert not wait([at.session_state[f"paper-{key}/job"].future], timeout=120).not_done
    return checked(at.run())


@pytest.fixture(scope="module")
def page() -> AppTest:
    return finish(open_paper(runs="2"), "table")


def test_table_1_is_that_of_the_command_line(page: AppTest) -> None:
    columns = table_1(2)
    table = page.table[0].value
    for column, recomputed in zip(TABLE_1, columns, strict=True):
        mean = MeanError(2, recomputed.mean, recomputed.standard_error)
        cells = table[words.column_title(column)]
        assert cells["recomputed, mean"] == formats.share(mean.error)
        assert cells["standard error"] == words.standard_error_text(mean)
        assert cells["difference"] == words.difference_text(column, mean)
    gaps = [recomputed.mean / recomputed.paper - 1 for recomputed in columns]
    most = 100 * max(map(abs, gaps))
    most_text = f"{most:.1f}" if most < 9.95 else f"{most:.0f}"
    assert f"by at most {most_text} %." in headline_of(page).replace("\N{NO-BREAK SPACE}", " ")
    for percent in (-100 * min(gaps), 100 * max(gaps)):
        assert f"{percent:.1f}" in headline_of(page) or (
            percent >= 9.95 and f"{percent:.0f}\N{NO-BREAK SPACE}%" in headline_of(page)
        )


def test_settings_change_what_is_run_and_lead_back(page: AppTest) -> None:
    at = finish(open_paper(runs="1", view="table-1", v="2", epsilon="2", estimator="clip"), "table")
    assert page_record(at, STATE).scenario.context.epsilon == 2.0
    assert "ε = 2" in headline_of(at)
    assert headline_of(at) != headline_of(page)
    checked(at.button(key="paper-as-printed").click().run())
    assert page_record(at, STATE).scenario == PAPER
    assert query_of(at) == {"runs": "1"}


def test_columns_that_take_long_are_left_out_and_told() -> None:
    at = finish(open_paper(runs="1", v="2", mechanism="subset-selection"), "table")
    assert page_record(at, STATE).scenario.mechanism == SubsetSelection()
    assert "Plain LDP" in at.info[0].value
    assert list(at.table[0].value) == ["5 × 7 blocks", "25 × 35 blocks", "25 × 70 blocks"]


@pytest.mark.parametrize("view", [view for view in VIEWS if view not in ("table-1", "figure-2")])
def test_every_other_result_says_one_sentence(view: str) -> None:
    at = open_paper(view=view)
    assert headline_of(at)
    assert query_of(at) == {"view": view}


def test_figure_1_says_the_corner_of_theorem_2() -> None:
    at = open_paper(view="figure-1", levels="1;3")
    vertex = error_vertex(BinaryPolicy(1.0, 3.0))
    assert f"takes {100 * vertex.false_alarm:.0f} of 100 people with x′" in headline_of(at)
    checked(at.select_slider(key="paper-second").set_value(float("inf")).run())
    assert query_of(at)["levels"] == "1;inf"
    assert LINK.read(query_of(at)) == page_record(at, STATE)
    assert "They miss 0 of 100 people with x." in headline_of(at)


def test_sensitive_sets_are_held_against_the_best() -> None:
    at = open_paper(view="sensitive-sets", values="100", share="0.02", v="2", epsilon="2")
    (table,) = (item.value for item in at.table)
    context = Context.high_low(np.arange(100) < 10, 2.0)
    p = np.where(np.arange(100) < 10, 0.002, 0.98 / 90)
    least = least_loss(100, 10, 2.0, 0.02).loss
    for name, made in (
        ("Hadamard response (the paper's)", Hadamard()),
        ("subset selection (uBD)", SubsetSelection()),
        ("Galois response", Galois(share=0.02)),
    ):
        ratio = made.make(context).variance(p, 1).sum() / least
        assert table["10"][name] == f"{ratio:.2f}"
    sentence = "10 of 100 values are sensitive, which 2 of 100 people have, at ε = 2."
    assert sentence in headline_of(at)
    checked(at.select_slider(key="paper-share").set_value(-1.0).run())
    assert "share" not in query_of(at)
    for family, phrase in (
        ("hadamard", "needs at worst "),
        ("subset-selection", "selection needs "),
    ):
        assert f"{phrase}{_times(family, 100, 10, 2.0):.3g} times as many people" in headline_of(at)
    checked(at.select_slider(key="paper-epsilon").set_value(0.5).run())
    assert "Subset selection needs as many people," in headline_of(at)


def _times(family: str, values: int, size: int, epsilon: float) -> float:
    mechanism = catalogue.in_context(Context.high_low(np.arange(values) < size, epsilon), family)
    return worst_case(mechanism).loss / minimax(values, size, epsilon).loss


RECORDS = [
    Paper(PAPER.with_context(epsilon=2.0), "figure-2", 100),
    *(Paper(view=view) for view in VIEWS),
    Paper(view="sensitive-sets", values=10_000, share=0.05),
]


@pytest.mark.parametrize("record", RECORDS)
def test_links_hold_the_record(record: Paper) -> None:
    assert LINK.read(LINK.write(record)) == record


def test_differences_in_words() -> None:
    column = TABLE_1[0]
    below = MeanError(10, 0.9 * column.paper, 0.001)
    assert words.difference_text(column, below) == "10\N{NO-BREAK SPACE}% below, beyond chance"
    near = MeanError(10, 1.01 * column.paper, 0.01)
    assert words.difference_text(column, near).endswith("above, within chance")
