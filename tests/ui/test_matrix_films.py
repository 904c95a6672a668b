"""The privacy matrix ahead of its server: each step of its slider is what the page then shows."""

from dataclasses import replace

import pytest

from caldp_ui.matrix import page
from caldp_ui.matrix.page_state import BUG, DESIGNED, PASTED, TEMPLATES, MatrixState
from tests.ui.ahead import assert_ahead, made, slider_states
from tests.ui.matrix_page import SMALL, open_matrix

CHARTS = page.PAGE.charts()
WARNER = "3/4 1/4\n0.25 0.75"
CHANNELS = (
    *((name, BUG) for name in ("hospital", "drug", "line")),
    *(("ldp", name) for name in ("randomized-response", "subset-selection", "galois")),
    ("high-low", "hadamard"),
    ("line", "exponential"),
    ("drug", "binary"),
    ("drug", PASTED),
    ("ldp", PASTED),  # two lines are no channel for five values
    ("neighbours", "galois"),  # nor is this made for it
)


@pytest.mark.parametrize("template", TEMPLATES)
def test_every_step_of_a_template_is_what_the_page_shows(template: str) -> None:
    record = MatrixState().with_template(template, 1.0)
    assert_ahead(open_matrix(record), CHARTS, record, page.EPSILON)


@pytest.mark.parametrize(("template", "channel"), CHANNELS)
def test_so_it_is_with_other_channels(template: str, channel: str) -> None:
    record = replace(MatrixState().with_template(template, 2.0), channel=channel, pasted=WARNER)
    assert_ahead(open_matrix(record), CHARTS, record, page.EPSILON, slice(1, None, 4))


def test_each_template_and_channel_has_a_film_of_its_own() -> None:
    records = [
        replace(MatrixState().with_template(template, 1.0), channel=channel)
        for template in TEMPLATES
        for channel in ("plain", BUG)
    ]
    assert len({made(CHARTS, each, page.EPSILON).settings for each in records}) == len(records)


def test_what_is_ones_own_or_takes_designing_is_not_made_ahead() -> None:
    for record in (SMALL, replace(MatrixState(), channel=DESIGNED)):
        at = open_matrix(record)
        assert slider_states(at, CHARTS) == {}
