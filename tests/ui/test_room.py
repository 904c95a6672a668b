"""Live poll: a teacher and phones as visits of one server; links, errors, and what is said."""

import json
import re
from dataclasses import replace
from itertools import pairwise
from time import monotonic
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom
from streamlit.testing.v1 import AppTest

from caldp_ui.app import gate
from caldp_ui.app.navigation import ROOM
from caldp_ui.app.theme import settings
from caldp_ui.room import page, view
from caldp_ui.room.page_state import LINK, STATE, Draft
from caldp_ui.room.poll import OPEN, PollState, rooms
from caldp_ui.room.question import (
    IntegerChannel,
    PollQuestion,
    PollShares,
    channel_of,
    class_shares,
    columns_of,
    epsilon_for,
    half_width_of,
    history,
    mechanism_of,
    sample_shares,
)
from caldp_ui.room.sets import EXAMPLES
from caldp_ui.words import formats
from tests.contract.checks import naming
from tests.servers import run
from tests.ui.driver import (
    checked,
    container,
    data_of,
    headline_of,
    open_every_tab,
    open_page,
    page_record,
    query_of,
    trigger,
)
from tests.ui.phones import TABLE, Phone, fresh_rooms, says
from tests.ui.test_room_registry import channel_again

no_rooms = pytest.fixture(autouse=True)(fresh_rooms)


def open_room_page(**query: str) -> AppTest:
    return open_page(ROOM, query)


def board_of(at: AppTest, name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(data_of(at, STATE.key(name))["content"])
    return found


def marks(at: AppTest) -> Any:
    """The pills by which answers are marked as sensitive."""
    (pills,) = [each for each in at.button_group if str(each.key).startswith("room-sensitive-")]
    return pills


def write_answers(at: AppTest, *answers: str) -> None:
    checked(at.text_area(key="room-answers").set_value("\n".join(answers)).run())


def hall(**query: str) -> tuple[AppTest, PollState]:
    at = open_room_page(**query)
    checked(at.button(key="room-open").click().run())
    return at, rooms().get_poll(at.session_state["room/held"].code)


def test_opens_with_a_rehearsal_of_each_ready_question() -> None:
    at = open_room_page()
    assert query_of(at) == {}
    for question in EXAMPLES.values():
        checked(at.selectbox(key="room-ready").set_value(question.text).run())
        assert page_record(at, STATE) == Draft(question)
        headline = view.rehearsal(question, 25, view.half_width(Draft(question)))
        assert headline_of(at) == f"{headline.sentence} {headline.second}"
        board = board_of(at, "rehearsal")
        assert [each["name"] for each in board["answers"]] == list(question.answers)
        assert sum(each["sent"] for each in board["answers"]) == len(board["reports"]) == 25
        assert LINK.read(query_of(at)) == page_record(at, STATE)


def test_every_control_changes_what_it_names() -> None:
    at = open_room_page()
    checked(at.text_input(key="room-text").set_value(" Red or blue? ").run())
    checked(at.text_area(key="room-answers").set_value("Red\n\n Blue\nNo").run())
    checked(marks(at).set_value([2, 0]).run())
    checked(at.select_slider(key="room-epsilon").set_value(2.0).run())
    checked(at.select_slider(key="room-phones").set_value(100).run())
    wanted = Draft(PollQuestion("Red or blue?", ("Red", "Blue", "No"), (0, 2), 2.0), 100)
    assert page_record(at, STATE) == wanted
    again = open_room_page(**LINK.write(wanted))
    assert page_record(again, STATE) == wanted
    assert not again.warning


def test_all_answers_are_protected_unless_somebody_takes_a_mark_away() -> None:
    at = open_room_page()
    assert page_record(at, STATE).question.sensitive == (0, 1)
    write_answers(at, "Red", "Green", "Blue")
    assert marks(at).value == [0, 1, 2]
    checked(marks(at).set_value([0, 2]).run())  # the mark of Green is taken away
    for answers, sensitive in (
        (("Red", "Green", "Blue", "Yellow"), (0, 2, 3)),  # added
        (("Yellow", "Blue", "Green"), (0, 1)),  # moved, and Red deleted
        (("Yellow", "Navy", "Green"), (0, 1)),  # renamed
        (("Yellow", "Navy", "Lime"), (0, 1, 2)),  # renamed: a new text is protected
    ):
        write_answers(at, *answers)
        assert page_record(at, STATE).question.sensitive == sensitive
    assert open_and_sensitive({"answers": "Red|Green|Blue"}) == (0, 1, 2)


def test_marks_that_come_late_are_not_those_of_other_answers() -> None:
    """A slow browser tells of the pills that it still has, after an example was chosen."""
    vote = Draft(EXAMPLES["Vote"])
    assert page._mark(vote, ("Yes", "No"), [0]) == vote
    assert page._mark(vote, vote.question.answers, [3, 0]).question.sensitive == (0, 3)


def open_and_sensitive(query: dict[str, str]) -> tuple[int, ...]:
    return page_record(open_room_page(**query), STATE).question.sensitive


def test_a_guess_that_becomes_a_true_answer_is_protected() -> None:
    for kind, name, value in (
        ("selectbox", "right", -1),
        ("text_area", "answers", "No\nIt gets worse"),
    ):
        at = open_room_page(**LINK.write(Draft(EXAMPLES["Guess"])))
        assert page_record(at, STATE).question.sensitive == ()
        checked(getattr(at, kind)(key=f"room-{name}").set_value(value).run())
        question = page_record(at, STATE).question
        assert (question.right, question.sensitive) == (None, tuple(range(question.k)))


def keys(at: AppTest) -> set[str]:
    return {str(button.key) for button in at.button}


@pytest.mark.parametrize("name", ["open", "ask"])
def test_a_question_that_protects_nobody_is_asked_only_once_that_is_confirmed(name: str) -> None:
    at = open_room_page()
    if name == "ask":
        at, poll = hall()
        checked(at.button(key="room-next").click().run())
    write_answers(at, "Red", "Green", "Blue")
    checked(marks(at).set_value([]).run())
    checked(at.button(key=f"room-{name}").click().run())
    (warning,) = at.warning
    assert "Nobody is protected" in warning.value
    assert all(f"“{answer}”" in warning.value for answer in ("Red", "Green", "Blue"))
    assert not ({"room-open", "room-ask"} & keys(at))
    held = at.session_state["room/held"] if name == "ask" else None
    assert ("room/held" in at.session_state) == (name == "ask")  # nothing is asked yet
    write_answers(at, "Red", "Green")  # another question than the one that was confirmed
    checked(at.button(key=f"room-{name}").click().run())
    assert "Blue" not in at.warning[0].value
    if held:
        assert rooms().get_poll(held.code) == poll
    checked(at.button(key="room-unprotected").click().run())
    asked = rooms().get_poll(at.session_state["room/held"].code)
    assert (asked.question.answers, asked.question.sensitive) == (("Red", "Green"), ())


def test_what_was_warned_of_can_be_protected_with_one_press() -> None:
    at = open_room_page()
    checked(marks(at).set_value([]).run())
    checked(at.button(key="room-open").click().run())
    checked(at.button(key="room-protect").click().run())
    assert marks(at).value == [0, 1]
    assert not at.warning
    checked(at.button(key="room-open").click().run())
    assert rooms().get_poll(at.session_state["room/held"].code).question.sensitive == (0, 1)


def test_bad_input_is_a_sentence_and_nothing_is_lost() -> None:
    at = open_room_page()
    for kind, name, value, phrase in (
        ("text_area", "answers", "Yes", "2 to 12 answers"),
        ("text_area", "answers", "Yes\nYes", "there twice"),
        ("text_input", "text", " ", "The question is empty"),
    ):
        checked(getattr(at, kind)(key=f"room-{name}").set_value(value).run())
        assert phrase in at.warning[0].value
        assert page_record(at, STATE) == Draft()
        assert getattr(at, kind)(key=f"room-{name}").value == value  # to be written on
    checked(at.run())
    assert at.text_input(key="room-text").value == Draft().question.text  # as it will be asked


@pytest.mark.parametrize(
    ("pasted", "seen"),
    [
        ("Avez-vous triché\u00a0?", "Avez-vous triché ?"),
        ("تقلب کرده\u200cای؟", "تقلب کرده\u200cای؟"),
        ("Is a 👩\u200d🏫 🩷?", "Is a 👩\u200d🏫 🩷?"),
        ("\u200fהאם?\u200b Schul\u00adzeit?\u2028", "האם? Schulzeit?"),
    ],
)
def test_what_is_pasted_from_any_script_is_asked_without_its_unseen_marks(
    pasted: str, seen: str
) -> None:
    at = open_room_page()
    at.text_input(key="room-text").set_value(pasted).run()
    checked(at.text_area(key="room-answers").set_value(f"{pasted}\r\n\u200e\nNo").run())
    question = page_record(at, STATE).question
    assert (question.text, question.answers, [*at.warning]) == (seen, (seen, "No"), [])
    assert STATE.codec.read(STATE.codec.write(Draft(question))).question == question


def test_phones_report_and_the_projector_shows_it() -> None:
    teacher, poll = hall()
    board = board_of(teacher, "board")
    assert board["n"] == 0
    assert "No phone has reported yet" in headline_of(teacher)
    for number in range(3):
        answer = run(Phone(poll.code.lower()).send(poll.mark, number % 2, number))
        assert answer.content == {"received": True}
    checked(teacher.run())
    board = board_of(teacher, "board")
    assert board["reports"] == [0, 1, 0]
    assert "3 reports say nothing yet about “Yes”: 22 phones" in headline_of(teacher)
    open_every_tab(teacher, "room-tabs")


def test_a_phone_gets_the_cores_law_and_is_told_what_it_gives_away() -> None:
    _, poll = hall(**LINK.write(Draft(EXAMPLES["Copying"])))
    sent = run(Phone(poll.code).state()).content
    law = IntegerChannel(
        int(sent["law"]["whole"]), tuple(tuple(map(int, r)) for r in sent["law"]["steps"])
    )
    assert channel_again(law) == [list(row) for row in channel_of(poll.question)]
    yes, _ = says(poll.question)["explanations"]
    assert (
        "You can deny it: 37 of 100 phones whose answer is not “Yes” send “Yes” too." in yes["why"]
    )


def test_a_teacher_lets_in_more_throws_out_a_burst_and_starts_again() -> None:
    teacher, poll = hall()
    checked(teacher.number_input(key="room-class-phones").set_value(50).run())
    for number in range(50):
        rooms().report(poll.code, poll.mark, f"{number:032x}", 0)
    checked(teacher.run())
    assert "The class is complete: 50 reports" in teacher.success[0].value
    checked(teacher.number_input(key="room-class-phones").set_value(200).run())
    assert rooms().get_poll(poll.code).phones == 200
    checked(teacher.button(key="room-throw-out").click().run())
    assert "50 reports were forgotten" in teacher.warning[0].value
    assert board_of(teacher, "board")["reports"] == []
    checked(teacher.button(key="room-afresh").click().run())
    again = rooms().get_poll(poll.code)
    assert again.question == poll.question
    assert again.mark != poll.mark


def test_one_visitor_cannot_take_all_rooms() -> None:
    teacher = open_room_page()
    for _ in range(OPEN[0]):
        checked(teacher.button(key="room-open").click().run())
        checked(teacher.button(key="room-end").click().run())
        checked(teacher.button(key="room-fresh").click().run())
    assert "room-server-key" not in [each.key for each in teacher.text_input]
    checked(teacher.button(key="room-open").click().run())
    assert "Too many polls were opened from here" in teacher.warning[0].value
    for key, is_right in ((f"x{settings().poll_key}", False), (settings().poll_key, True)):
        teacher.text_input(key="room-server-key").set_value(key)
        checked(teacher.button(key="room-open").click().run())
        assert ("room/held" in teacher.session_state) == is_right
        assert is_right or "not the key of this server" in teacher.warning[0].value


def test_the_next_question_is_written_beside_the_board_and_asked_in_the_same_poll() -> None:
    teacher, poll = hall()
    run(Phone(poll.code).send(poll.mark, 1))
    checked(teacher.button(key="room-next").click().run())
    for name in ("Vote", "Sleep"):
        checked(teacher.selectbox(key="room-ready").set_value(EXAMPLES[name].text).run())
        board = board_of(teacher, "board")  # the live one, and no made-up reports
        assert board["reports"] == [1]
        assert {each["truth"] for each in board["answers"]} == {None}
        assert container(teacher, "room-small") is not None  # the code, for late phones
        assert rooms().get_poll(poll.code).mark == poll.mark
    checked(teacher.button(key="room-ask").click().run())
    after = rooms().get_poll(poll.code)
    assert after.question == EXAMPLES["Sleep"]
    assert after.reports == ()
    assert after.mark != poll.mark
    board = board_of(teacher, "board")
    assert board["reports"] == []
    assert [each["name"] for each in board["answers"]] == list(EXAMPLES["Sleep"].answers)
    assert container(teacher, "qr") is not None
    assert run(Phone(poll.code).state()).content["answers"] == list(EXAMPLES["Sleep"].answers)


def _html(at: AppTest) -> str:
    """All HTML on the page."""
    return " ".join(str(element.proto.body) for element in at.get("html"))


def test_a_timer_closes_the_question_and_no_later_one() -> None:
    teacher, poll = hall()
    checked(teacher.button(key="room-timer-60").click().run())
    desk = rooms().get_desk(teacher.session_state["room/held"])
    assert desk.timer is not None
    assert 55 < desk.timer.ends_at - monotonic() <= 60
    assert re.search(r">(1:00|0:5\d) left<", _html(teacher))
    assert rooms().get_poll(poll.code).is_open

    # A report that comes before the end counts; with the end the question is closed.
    run(Phone(poll.code).send(poll.mark, 1))
    desk.timer = replace(desk.timer, ends_at=monotonic() - 0.5)
    checked(teacher.run())
    closed = rooms().get_poll(poll.code)
    assert not closed.is_open
    assert closed.reports == (1,)
    assert rooms().get_desk(teacher.session_state["room/held"]).timer is None
    assert "left<" not in _html(teacher)
    assert "room-timer-60" not in keys(teacher)

    # A timer that was set for a question has nothing to do with the next one.
    checked(teacher.button(key="room-close").click().run())
    checked(teacher.button(key="room-timer-30").click().run())
    ask_example(teacher, "Vote")
    assert desk.timer is not None
    desk.timer = replace(desk.timer, ends_at=monotonic() - 0.5)
    checked(teacher.run())
    assert rooms().get_poll(poll.code).is_open
    checked(teacher.button(key="room-timer-stop").click().run())
    assert desk.timer is None


def ask_example(teacher: AppTest, name: str) -> PollState:
    """Ask an example as the next question; the poll with it."""
    checked(teacher.button(key="room-next").click().run())
    checked(teacher.selectbox(key="room-ready").set_value(EXAMPLES[name].text).run())
    checked(teacher.button(key="room-ask").click().run())
    if "room-unprotected" in keys(teacher):
        checked(teacher.button(key="room-unprotected").click().run())
    return rooms().get_poll(teacher.session_state["room/held"].code)


def test_a_room_keeps_its_questions_which_are_shown_again_and_taken_along() -> None:
    teacher, poll = hall()
    for number, answer in enumerate((1, 0, 0)):
        run(Phone(poll.code).send(poll.mark, answer, number))
    vote = ask_example(teacher, "Vote")
    assert board_of(teacher, "board")["reports"] == []
    run(Phone(vote.code).send(vote.mark, 2))
    checked(teacher.selectbox(key="room-asked").set_value(poll.mark).run())
    assert "3 reports say nothing yet about “Yes”: 22 phones" in headline_of(teacher)
    board = board_of(teacher, "board")
    assert (board["reports"], board["mark"]) == ([0, 0, 1], poll.mark)
    polls = rooms().get_own_polls(teacher.session_state["room/held"])
    assert [each.reports for each in polls] == [(0, 0, 1), (2,)]
    table = view.all_numbers(polls)
    assert table["question"].unique().tolist() == [each.question.text for each in polls]
    assert table["reports"].tolist() == [2, 1, 0, 0, 1, 0, 0]
    assert [each["counts"] for each in json.loads(view.record(polls))] == [[2, 1], [0, 0, 1, 0, 0]]
    teacher.session_state["room-tabs"] = "All questions"
    checked(teacher.run())
    figure = json.loads(data_of(teacher, STATE.key("comparison"))[1])
    assert len(figure["data"]) == 2
    assert "Red: 0 to" in figure["alt"]
    teacher.session_state["room/opening-open"] = True  # as the lesson's last step leaves it
    checked(teacher.button(key="room-next").click().run())
    assert "3 reports say nothing yet about “Yes”: 22 phones" in headline_of(teacher)
    assert "room-ask" not in keys(teacher)


def test_an_ended_poll_shows_its_own_phones_until_another_one_is_prepared() -> None:
    teacher, poll = hall()
    for number in range(3):
        run(Phone(poll.code).send(poll.mark, 0, number))
    checked(teacher.button(key="room-end").click().run())
    assert headline_of(teacher).startswith("Thank you! Your phones sent 3 reports to 1 question.")
    board = board_of(teacher, "board")
    assert (board["reports"], board["mark"]) == ([0, 0, 0], poll.mark)
    content = run(Phone(poll.code).state()).content
    assert (content["over"], content["open"]) == (True, False)
    assert run(Phone(poll.code).send(poll.mark, 0, 9)).content["refused"] == "refusedClosed"
    checked(teacher.button(key="room-fresh").click().run())
    assert "room-open" in keys(teacher)
    assert run(Phone(poll.code).state()).status == 404


@pytest.mark.parametrize("name", ["Guess", "Vote"])
def test_results_are_hidden_while_they_could_sway_who_has_not_answered(name: str) -> None:
    teacher, first = hall()
    run(Phone(first.code).send(first.mark, 0))
    checked(teacher.toggle(key="room-hides").set_value(True).run())
    poll = ask_example(teacher, name)  # the switch holds on
    for number in range(2):
        run(Phone(poll.code).send(poll.mark, 1, number))
    teacher.session_state["room-tabs"] = "Numbers"
    checked(teacher.run())
    assert "2 guesses are in" in headline_of(teacher) or "2 reports are in" in headline_of(teacher)
    assert not teacher.table
    hidden = board_of(teacher, "board")
    assert (hidden["n"], hidden["reports"], hidden["steps"]) == (2, [], [])
    state = rooms().get_poll(poll.code)
    others = replace(state, reports=(0, 2))
    assert view.board_json(state, []) == view.board_json(others, [])  # nothing of the results
    checked(teacher.button(key="room-show" if name == "Guess" else "room-close").click().run())
    assert board_of(teacher, "board")["reports"] == [1, 1]
    assert teacher.table


def test_a_next_question_that_is_not_asked_leaves_all_as_it_was() -> None:
    teacher, poll = hall()
    checked(teacher.button(key="room-next").click().run())
    checked(teacher.button(key="room-back").click().run())
    assert rooms().get_poll(poll.code) == poll
    assert [button.key for button in teacher.button if button.key == "room-next"]


def test_a_reloaded_projector_finds_its_room_and_a_guessed_key_does_not() -> None:
    teacher, poll = hall()
    key = teacher.session_state["room/held"].key
    for secret, found in ((key, True), ("guess", False)):
        again = open_room_page()
        kept = [{"event": "teacher", "value": {"code": poll.code, "key": secret}}]
        trigger(again, kept, STATE.key("keeper"))
        assert (container(again, "room-question") is not None) == found


def test_what_remains_of_an_answer_is_said_by_the_coin_of_each_answer() -> None:
    bare = PollQuestion("?", ("a", "b"), (), 1.0)
    assert view.promise(bare).startswith("No answer is protected")
    for question in (*QUESTIONS, bare):
        if view.is_open_guess(question):
            continue
        channel = np.array(channel_of(question), dtype=np.float64)
        explanations = says(question)["explanations"]
        for report, each in enumerate(explanations):
            sent = [formats.out_of(chance) for chance in channel[:, report].tolist()]
            assert each["chances"] == sent
            hidden = bool((np.delete(channel[:, report], report) > 0).any())
            always = bool(channel[report, report] == 1.0)
            name, text = f"“{question.answers[report]}”", each["uncertainty"]
            with naming(text):
                assert text.startswith("Your report equals your answer") == (not hidden)
                of_this_answer = f"If you chose {name}, your report equals your answer" in text
                assert of_this_answer == (hidden and always)
                assert ("A coin decided" in text) == (hidden and not always)
                assert ("not what you chose" in text) == hidden
                assert ("You can deny it" in each["why"]) == hidden
                assert ("Which side fell stays here" in each["stays"]) == hidden
                assert each["stays"].startswith("This report is true") == (not hidden)
                assert each["why"].startswith("This report is true") == (not hidden)


def test_the_button_of_a_phone_says_what_it_does_with_each_answer() -> None:
    for question in (*QUESTIONS, PollQuestion("?", ("a", "b"), (), 1.0)):
        choices = says(question)["choices"]
        for x, each in enumerate(choices):
            throws = channel_of(question)[x][x] < 1
            assert (each["go"] == "Throw the coin and send") == throws
            assert each["go"].endswith("as it is") == (not throws)
            assert ("The coin is thrown" in each["coin"]) == throws
    guess, copying = (says(EXAMPLES[name])["choices"] for name in ("Guess", "Copying"))
    assert {each["go"] for each in guess} == {"Send my guess as it is"}
    assert [each["go"] for each in copying] == [
        "Send my answer as it is",
        "Throw the coin and send",
    ]


def test_at_a_high_epsilon_nobody_is_told_that_a_report_can_be_denied() -> None:
    loud = PollQuestion("?", ("a", "b"), (0, 1), 20.0)
    for each in says(loud)["explanations"]:
        assert "You can hardly deny it" in each["why"]
        assert ": 2 of 1,000,000,000 phones whose" in each["why"]


def test_the_unprotected_come_first_with_how_often_they_send_the_truth() -> None:
    for question in QUESTIONS:
        bare = [x for x in range(question.k) if x not in question.sensitive]
        poll = PollState("", "", question, True)
        headlines = (view.rehearsal(question, 30, 0.2), view.live_headline(poll, None))
        for headline in headlines:
            partly = bool(bare) and bool(question.sensitive)
            assert headline.unprotected == partly
            assert ("not protected" in headline.sentence) == partly
            if partly:
                share = float(channel_of(question)[bare[0]][bare[0]])
                assert f"{formats.hundred(share)} of 100 people who choose" in headline.sentence
    truth = PollQuestion("?", ("a", "b"), (), 1.0)
    first = view.live_headline(PollState("", "", truth, True), None)
    assert (first.sentence.startswith("No answer is protected"), first.unprotected) == (True, True)


def test_nobody_is_asked_to_join_once_the_question_is_closed() -> None:
    question = next(iter(EXAMPLES.values()))
    asked = {
        is_open: "join with the code"
        in view.live_headline(PollState("", "", question, is_open), None).whole
        for is_open in (True, False)
    }
    assert asked == {True: True, False: False}


def test_no_qr_code_leads_phones_to_an_address_that_only_this_machine_reaches(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for shared, has_qr in (("http://192.0.2.7:8501/room", True), (None, False)):
        monkeypatch.setattr(gate, "shared_address", lambda _, address=shared: address)
        teacher, _ = hall()
        way_in = container(teacher, "qr").children.values()
        assert ("image" in {element.type for element in way_in}) == has_qr
        assert any("Phones can't open" in each.value for each in teacher.info) == (not has_qr)


def test_a_range_of_all_the_class_is_said_to_say_nothing_and_what_would() -> None:
    question, found = replace(EXAMPLES["Cheating"], epsilon=0.5), set[bool]()
    for many in (1, 4, 20, 500):
        poll = PollState("", "", question, False, tuple(x % 2 for x in range(many)), many)
        shares = class_shares(question, poll.reports, poll.people)
        sentence = view.live_headline(poll, shares).whole
        is_all = (shares.low[0], shares.high[0]) == (0, 1)
        found.add(is_all)
        assert (" say nothing about " in sentence or " says nothing about " in sentence) == is_all
        assert ("would truthfully say" in sentence) != is_all
        needed = epsilon_for(question, many, 0.2)
        if is_all and needed:
            assert f"with ε = {needed:g}, " in sentence
            assert half_width_of(replace(question, epsilon=needed), many) <= 0.2
    assert found == {True, False}
    early = PollState("", "", question, True, (0, 1), 25)
    sentence = view.live_headline(early, class_shares(question, (0, 1), 25)).whole
    assert sentence.startswith("2 reports say nothing yet about “Yes”: 23 phones are missing.")


def test_the_rehearsed_range_is_as_wide_as_ranges_of_a_class_are() -> None:
    """By phones that throw their coins, at the shares where the range is widest."""
    question, rng = EXAMPLES["Cheating"], np.random.default_rng(11)
    draft, widest = Draft(question, 25), 0.0
    named = np.argsort(columns_of(question))
    for true_count in range(0, 26, 5):
        people, widths = (np.arange(25) >= true_count).astype(int), []
        for _ in range(100):
            reports = named[mechanism_of(question).privatize(people, rng)].tolist()
            shares = class_shares(question, reports, 25)
            widths.append(float(shares.high[0] - shares.low[0]))
        widest = max(widest, float(np.mean(widths)) / 2)
    assert widest == pytest.approx(view.half_width(draft), rel=0.04)
    bolder = replace(draft, question=replace(question, epsilon=1.5 * question.epsilon))
    assert view.half_width(bolder) < 0.8 * view.half_width(draft)


def test_phones_speak_four_languages_with_the_same_figures() -> None:
    places = {key: set(re.findall(r"{\w+}", text)) for key, text in TABLE["en"].items()}
    assert set(TABLE) == {"en", "de", "fr", "es"}
    for language, texts in TABLE.items():
        for key, text in texts.items():
            with naming(f"{language} {key}"):
                assert set(re.findall(r"{\w+}", text)) == places[key]
                assert text == texts["group"] or text.strip()
        assert texts.keys() == places.keys()
    for question in (EXAMPLES["Copying"], EXAMPLES["Sleep"]):
        figures = []
        for language in TABLE:
            said = json.dumps(says(question, language), ensure_ascii=False)
            with naming(said):
                assert "{" not in said.replace('{"', "")
                assert "undefined" not in said
            said = re.sub("|".join(map(re.escape, question.answers)), "", said)
            figures.append(sorted(re.findall(r"\d+", said)))
        assert all(each == figures[0] for each in figures)


QUESTIONS: tuple[PollQuestion, ...] = (
    *EXAMPLES.values(),
    PollQuestion("?", ("a", "b"), (0, 1), 1.0),
    PollQuestion("?", ("a", "b", "c"), (1,), 0.3),
    PollQuestion("?", ("a", "b", "c", "d"), (0, 3), 3.0),
)


def test_the_range_is_for_the_class_and_the_one_for_other_people_stands_second() -> None:
    """What a class sends in clear is counted: its own range has no width, that of others has."""
    counted = PollQuestion("?", ("a", "b"), (), 1.0)
    shares = class_shares(counted, [0] * 10 + [1] * 20, 30)
    assert shares.low[0] == shares.high[0] == shares.estimate[0] == pytest.approx(1 / 3)
    poll = PollState("", "", counted, False, (0,) * 10 + (1,) * 20, 30, is_seen=True)
    assert "10 of 30 people truthfully say “a”." in view.live_headline(poll, shares).whole
    legend = json.loads(view.board_json(poll, [(30, shares)]))["words"]["legend"]
    assert "noise removed" not in json.dumps(legend)
    note = view.board_note(PollState("", "", EXAMPLES["Cheating"], True, (0,) * 8 + (1,) * 17, 25))
    first, second = (
        note.index("for this class of 25 people"),
        note.index("drawn by lot from many people"),
    )
    assert first < second


LOOKS = (1, 2, 3, 5, 8, 12, 20, 30, 50, 80, 120, 200)
MANY_POLLS = 10_000
MISSES_MAX = int(binom.isf(1e-6, MANY_POLLS, 0.05))


def misses(question: PollQuestion, truth: list[float], shares: Any) -> int:
    """Of 10,000 polls, those whose range for answer 0 misses the true share at one of all looks."""
    rng = np.random.default_rng(5)
    chance = float(np.array(truth) @ np.array(channel_of(question), dtype=np.float64)[:, 0])
    counts = np.cumsum(rng.random((MANY_POLLS, LOOKS[-1])) < chance, axis=1)
    missed = np.zeros(MANY_POLLS, dtype=np.bool_)
    for n in LOOKS:
        found = counts[:, n - 1]
        wrong = np.zeros(n + 1, dtype=np.bool_)
        for hits in np.unique(found).tolist():
            here = shares(question, [0] * hits + [1] * (n - hits))
            wrong[hits] = not here.low[0] <= truth[0] <= here.high[0]
        missed |= wrong[found]
    return int(missed.sum())


def class_of_those_who_came(question: PollQuestion, reports: list[int]) -> PollShares:
    """The wrong range for other people: only the noise is random in it."""
    return class_shares(question, reports, len(reports))


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["Cheating", "Copying"])
def test_ranges_for_other_people_hold_at_all_looks_and_those_of_the_class_do_not(
    name: str,
) -> None:
    question = EXAMPLES[name]
    assert misses(question, [0.3, 0.7], sample_shares) <= MISSES_MAX
    assert misses(question, [0.3, 0.7], class_of_those_who_came) > MISSES_MAX


@pytest.mark.parametrize(("yes", "many"), [(10, 10), (52, 55), (24, 26), (3, 3)])
def test_no_range_is_without_width_or_narrower_open_than_closed(yes: int, many: int) -> None:
    """Polls whose open range was 77 to 100 %, 100 to 100 %, 86 to 100 % and 24 to 100 %."""
    question = replace(EXAMPLES["Cheating"], epsilon=4.0 if many == 3 else 1.0)
    reports = [0] * yes + [1] * (many - yes)
    for shares in (class_shares(question, reports, many), sample_shares(question, reports)):
        assert (shares.low < shares.high).all()
    past = history(question, reports, many + 5)
    for (_, before), (_, after) in pairwise(past):
        assert (before.low <= after.low).all()
        assert (before.high >= after.high).all()


def test_the_boards_range_holds_every_later_one_and_that_at_the_end() -> None:
    reports = [0] * 8 + [1] * 17
    teacher, poll = hall()
    ends = []
    for number, report in enumerate(reports):
        rooms().report(poll.code, poll.mark, f"{number:032x}", report)
        if number % 8 == 0:
            checked(teacher.run())
            row = board_of(teacher, "board")["answers"][0]
            ends.append((row["low"], row["high"]))
    checked(teacher.button(key="room-close").click().run())
    row = board_of(teacher, "board")["answers"][0]
    ends.append((row["low"], row["high"]))
    wanted = class_shares(poll.question, reports, 25)
    assert ends[-1] == pytest.approx((wanted.low[0], wanted.high[0]), abs=1e-4)
    for before, after in pairwise(ends):
        assert before[0] <= after[0] <= after[1] <= before[1]
    assert ends[0] != ends[-1]


def best_guess(question: PollQuestion, pairs: list[tuple[int, int]]) -> float:
    """Right guesses between two equally likely answers, by the better one for each report."""
    rows = np.array(channel_of(question), dtype=np.float64)
    return max(float(np.maximum(rows[x], rows[y]).sum()) / 2 for x, y in pairs)


def odds_of(question: PollQuestion) -> list[str]:
    return [each["odds"] for each in says(question)["choices"]]


def test_the_odds_that_are_told_are_the_best_guess_of_the_exact_channel() -> None:
    for question in (each for each in QUESTIONS if each.sensitive):
        k = question.k
        best = best_guess(question, [(x, y) for x in range(k) for y in range(x)])
        odds = f"at most {formats.hundred(best)} times in 100"
        with naming(f"{question}"):
            assert odds in view.promise(question)
            for x, before in enumerate(odds_of(question)):
                about = best_guess(question, [(x, y) for y in range(k) if y != x])
                assert f"at most {formats.hundred(about)} times in 100" in before
    one_sided = EXAMPLES["Copying"]
    assert best_guess(one_sided, [(0, 1)]) == pytest.approx(1 - np.exp(-1.0) / 2)


def test_a_phone_says_the_odds_of_its_coin_before_it_sends() -> None:
    for question in (each for each in QUESTIONS if each.sensitive):
        channel = np.array(channel_of(question), dtype=np.float64)
        for x, before in enumerate(odds_of(question)):
            kept, name = channel[x, x], question.answers[x]
            with naming(before):
                if kept == 1:
                    least = np.delete(channel[:, x], x).min()
                    assert f"will send “{name}”; so do {formats.hundred(least)} of 100" in before
                else:
                    assert f"sends “{name}” {formats.hundred(kept)} times in 100" in before
                alone = np.delete(channel[:, x], x).max() == 0
                assert (f"A report of “{name}” is always true" in before) == alone
    bare = odds_of(PollQuestion("?", ("a", "b"), (), 1.0))
    assert bare == ["Your phone will send “a”. Nothing hides it.", bare[1]]


def test_reports_that_only_one_answer_sends_are_called_true_and_no_others() -> None:
    for question in QUESTIONS:
        columns = np.array(channel_of(question), dtype=np.float64).T
        alone = [y for y, sent in enumerate(columns) if np.delete(sent, y).max() == 0]
        sentences = view.unprotected_sentences(question)
        assert bool(sentences) == bool(alone)
        for y, name in enumerate(question.answers):
            assert (f"“{name}”" in "".join(sentences)) == (y in alone)
        assert "most" not in "".join(sentences)
