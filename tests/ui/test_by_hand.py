"""A poll without phones: each way, played by its instructions, has the channel that is claimed."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from caldp_ui.room import by_hand
from caldp_ui.room.by_hand import WAYS, Count
from caldp_ui.room.page_state import STATE, Draft
from caldp_ui.room.question import Question, channel_of, shares_of
from tests.ui.driver import checked, open_record

ASKED = Question("Have you ever cheated?", ("Yes", "No"), (0,), 1.0)
YES, NO = 0, 1


def coins(first: bool, second: bool, truth: int) -> int:
    """What somebody says; `first`, `second`: heads."""
    return truth if first else (YES if second else NO)


def die(face: int, truth: int) -> int:
    return {1: YES, 6: NO}.get(face, truth)


def birthday(month: int, truth: int) -> int:
    """0 is A, 1 is B; a month is as likely as another."""
    return 1 - truth if month <= 3 else truth


PLAYED = {
    "coins": lambda truth: [coins(a, b, truth) for a, b in product((True, False), repeat=2)],
    "die": lambda truth: [die(face, truth) for face in range(1, 7)],
    "birthday": lambda truth: [birthday(month, truth) for month in range(1, 13)],
}


@pytest.mark.parametrize("way", WAYS)
def test_channel_of_each_way_is_that_of_its_instructions(way: str) -> None:
    channel = channel_of(by_hand.question_of(ASKED, way))
    for truth in (YES, NO):
        said = PLAYED[way](truth)
        for answer in (YES, NO):
            played = Fraction(said.count(answer), len(said))
            assert abs(channel[truth][answer] - played) < 1e-12
    assert Fraction(WAYS[way]["truth"]) == Fraction(
        PLAYED[way](YES).count(YES), len(PLAYED[way](YES))
    )


@pytest.mark.parametrize(
    ("way", "said"), [("coins", (14, 16)), ("die", (20, 30)), ("birthday", (70, 90))]
)
def test_estimate_undoes_the_noise(way: str, said: tuple[int, int]) -> None:
    poll = by_hand.poll_of(ASKED, Count(way, said))
    stay = float(Fraction(WAYS[way]["truth"]))
    share = (said[0] / sum(said) - (1 - stay)) / (2 * stay - 1)
    found = shares_of(poll.question, poll.reports)
    np.testing.assert_allclose(found.estimate, [share, 1 - share], atol=1e-9)
    assert found.low[0] < share < found.high[0]
    assert f"**{100 * share:.0f} of 100**" in by_hand.result_text(poll)


def test_sheet_holds_the_answers_and_the_protection_as_plain_text() -> None:
    sheet = by_hand.sheet(Question("Is 1 < 2?", ("<b>Yes", "No"), (), 1.0), "die")
    assert "<b>" not in sheet.replace("<body>", "")
    assert "Is 1 &lt; 2?" in sheet
    assert "1: say “&lt;b&gt;Yes”. 6: say “No”." in sheet
    assert "at most 83 times in 100" in sheet
    assert "$" not in sheet


def test_drawer_estimates_from_typed_counts_and_keeps_them() -> None:
    at = checked(open_record(STATE).button(key=STATE.key("by-hand")).click().run())
    first, second = at.number_input
    first.set_value(14)
    second.set_value(16)
    at = checked(at.run())
    said = "From 30 people we estimate that **43 of 100** like these would truthfully say “Yes”"
    assert any(each.value.startswith(said) for each in at.markdown)


def test_drawer_says_why_a_question_of_four_answers_takes_phones() -> None:
    vote = Question("Which?", ("Red", "Green", "Blue", "None"), (0, 1, 2, 3), 1.0)
    at = open_record(STATE, Draft(vote))
    at = checked(at.button(key=STATE.key("by-hand")).click().run())
    assert any("this question has 4" in each.value for each in at.markdown)
