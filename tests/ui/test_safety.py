"""The drawer "Is this ε safe?": the unprotected come first, others' levels with what they cover."""

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from caldp_core.experiments.run import prepare
from caldp_ui.parts.safety import USES
from caldp_ui.plan.people_needed import DEPLOYMENTS
from caldp_ui.room.page_state import STATE as ROOM
from caldp_ui.values.page_state import AFFAIR, ValuesState
from caldp_ui.words import policies
from caldp_ui.words.formats import ANSWERS
from tests.ui.driver import checked, go, open_record
from tests.ui.pages import PAGES

NO_VERDICT = "**No ε is safe for everybody.**"


def opened(name: str, record: Any = None) -> AppTest:
    state = PAGES[name].state
    return checked(open_record(state, record).button(key=state.key("safe")).click().run())


def is_open(at: AppTest) -> bool:
    return any(each.value.startswith(NO_VERDICT) for each in at.markdown)


def test_drawer_names_the_unprotected_before_any_odds_and_gives_no_verdict() -> None:
    at = opened("values", ValuesState(AFFAIR))
    texts = [each.value for each in at.markdown]
    begin = next(at for at, text in enumerate(texts) if text.startswith(NO_VERDICT))
    assert policies.describe_promise(ANSWERS, prepare(AFFAIR)).grades[0].word == "none"
    assert texts[begin + 1] == "**Here: ε = 1**"
    assert texts[begin + 2].startswith(r"- Only 32 of 100 people are protected")


def test_drawer_stays_while_the_page_runs_by_itself_and_goes_with_the_page() -> None:
    at = opened("curves")
    assert is_open(at)
    assert is_open(checked(at.run()))
    assert not is_open(go(at, "pages/yesno.py"))
    assert not is_open(go(at, "pages/curves.py"))


def test_a_drawer_that_opens_closes_the_one_before() -> None:
    at = open_record(ROOM)
    for key in ("by-hand", "safe", "by-hand"):
        checked(at.button(key=ROOM.key(key)).click().run())
        assert is_open(at) == (key == "safe")
    assert len(at.number_input) == 2


@pytest.mark.parametrize("kind", ["device", "holder"])
def test_levels_of_others_rise_and_say_what_they_cover(kind: str) -> None:
    uses = USES[kind]
    assert [use["epsilon"] for use in uses] == sorted(use["epsilon"] for use in uses)
    assert all(use["who"] and use["covers"].startswith("one ") for use in uses)


def test_levels_on_devices_are_those_of_the_plan_s_table() -> None:
    planned = {each.title: round(each.epsilon_after(1), 2) for each in DEPLOYMENTS}
    shown = {use["who"]: use["epsilon"] for use in USES["device"]}
    same = {
        "Apple, types of health data": "Health types, phones",
        "Apple, emoji (2017)": "Emoji, phones",
        "Apple, new words of the keyboard": "Keyboard words (QuickType), phones",
        "Google Chrome, web domains by RAPPOR (until about 2019)": (
            "Web domains, the browser's source"
        ),
    }
    assert {who: shown[who] for who in same} == {who: planned[same[who]] for who in same}
