"""Sets of questions: chosen, changed, saved, opened again from file and link, and refused."""

import json
import zlib
from base64 import urlsafe_b64encode
from typing import Any

import pytest

from caldp_core.basics.errors import CaldpError
from caldp_ui.app.navigation import ROOM
from caldp_ui.room import sets
from caldp_ui.room.page_state import LINK, STATE, Draft
from caldp_ui.room.question import PollQuestion, half_width_of
from caldp_ui.room.sets import EXAMPLES, READY, QuestionSet, from_json, from_link, to_json, to_link
from tests.ui.driver import checked, open_page, page_record, query_of
from tests.ui.phones import fresh_rooms

no_rooms = pytest.fixture(autouse=True)(fresh_rooms)

OWN = QuestionSet(
    "5b, \N{GREEK SMALL LETTER ALPHA} & <b>",
    (
        PollQuestion("Tea?", ("Yes", "No, never", "x" * 72), (0, 2), 0.5),
        PollQuestion("Which?", ("a", "b"), (), 1.0, right=1),
        PollQuestion("Hands?", ("a", "b"), (0, 1), 2.7, by_hands=True),
    ),
)


@pytest.mark.parametrize("questions", [*READY.values(), OWN], ids=lambda found: found.title[:8])
def test_file_and_link_give_the_set_back(questions: QuestionSet) -> None:
    assert from_json(to_json(questions)) == questions
    assert from_link(to_link(questions)) == questions


@pytest.mark.parametrize("title", list(READY)[1:])
def test_a_subject_begins_with_what_hands_may_show_and_goes_on_with_secrets(title: str) -> None:
    first, *others = READY[title].questions
    assert first.by_hands
    assert not any(question.by_hands for question in others)
    assert any(question.sensitive for question in others)
    # ± 10 and ± 15 of 100 for 25 phones, as the comment of the sets says, computed anew.
    assert half_width_of(first, 25) <= 0.105
    for question in others:
        if len(question.answers) == len(question.sensitive) == 2:
            assert half_width_of(question, 25) <= 0.155


WRONG: dict[str, tuple[Any, str]] = {
    "no set": ({"title": "a"}, "is not a set of questions"),
    "of another version": (json.loads(to_json(OWN)) | {"caldp_questions": 2}, "is not a set"),
    "with a misspelt field": (json.loads(to_json(OWN)) | {"Titel": "a"}, "Titel"),
    "without questions": ({"caldp_questions": 1, "title": "a", "questions": []}, "1 to 20"),
    "too many": (
        {"caldp_questions": 1, "title": "a", "questions": [{}] * 10_000},
        "10,000 questions",
    ),
    "a list": ([], "object with named fields"),
}
ENTRIES: dict[str, tuple[dict[str, Any], str]] = {
    "one answer": ({"answers": ["a"]}, "2 to 12"),
    "answers that are numbers": ({"answers": [1, 2]}, "list of texts"),
    "a mark that is a truth value": ({"sensitive": [True]}, "sensitive"),
    "a mark of no answer": ({"sensitive": [7]}, "sensitive"),
    "no epsilon": ({"epsilon": None}, "epsilon"),
    "an endless epsilon": ({"epsilon": 1e999}, "holds Infinity"),
    "a right answer as text": ({"right": "a"}, "right"),
    "hands for a guess": ({"right": 0, "hands": True}, "no truth"),
    "hands as a number": ({"hands": 1}, "hands"),
    "an unknown field": ({"Sensitive": []}, "Sensitive"),
}


@pytest.mark.parametrize("name", [*WRONG, *ENTRIES])
def test_what_is_no_set_is_refused_in_a_sentence(name: str) -> None:
    if name in WRONG:
        data, sentence = WRONG[name]
    else:
        change, sentence = ENTRIES[name]
        entry = {"question": "Q", "answers": ["a", "b"], "epsilon": 1.0} | change
        data = {"caldp_questions": 1, "title": "a", "questions": [entry]}
    with pytest.raises(CaldpError, match=sentence) as caught:
        from_json(json.dumps(data))
    assert str(caught.value).count("\n") == 0


def test_a_key_twice_and_two_questions_of_one_text_are_refused() -> None:
    with pytest.raises(CaldpError, match="twice"):
        from_json('{"caldp_questions": 1, "title": "a", "title": "b", "questions": []}')
    question = {"question": "Q", "answers": ["a", "b"], "epsilon": 1.0}
    twice = {"caldp_questions": 1, "title": "a", "questions": [question, question]}
    with pytest.raises(CaldpError, match="twice"):
        from_json(json.dumps(twice))


def test_without_marks_all_answers_of_a_file_are_protected() -> None:
    question = {"question": "Q", "answers": ["a", "b", "c"], "epsilon": 1}
    found = from_json(json.dumps({"caldp_questions": 1, "title": "a", "questions": [question]}))
    assert found.questions[0].sensitive == (0, 1, 2)


def test_a_damaged_link_and_a_bomb_are_refused() -> None:
    whole = to_link(OWN)
    bomb = "z" + urlsafe_b64encode(zlib.compress(b" " * 10**8, 9)).decode()
    for text in (whole[:-9], "z", "zÄ", whole + "AAAA", "x", bomb[: sets.CHARACTERS_MAX], bomb):
        with pytest.raises(CaldpError, match="in the link"):
            from_link(text)


def test_a_set_that_no_link_can_hold_is_refused() -> None:
    # Random letters, which no packing makes shorter.
    letters = "".join(chr(0x4E00 + (7_919 * i) % 20_000) for i in range(20 * 12 * 72))
    questions = []
    for number in range(20):
        begin = number * 12 * 72
        answers = tuple(letters[begin + 72 * j : begin + 72 * (j + 1)] for j in range(12))
        questions.append(PollQuestion(f"Q{number}", answers, (), 1.0))
    with pytest.raises(CaldpError, match="too long for a link"):
        QuestionSet("a", tuple(questions))


def test_a_set_is_chosen_changed_and_comes_back_by_its_link() -> None:
    at = open_page(ROOM, {})
    checked(at.selectbox(key="room-set").set_value("Civics").run())
    assert page_record(at, STATE).question_set == READY["Civics"]
    assert page_record(at, STATE).question == EXAMPLES["Birthday"], "no question is lost"
    texts = [question.text for question in READY["Civics"].questions]
    menu = at.selectbox(key="room-ready")
    assert [option.partition(" (")[0] for option in menu.options] == texts
    checked(menu.set_value(texts[3]).run())
    assert page_record(at, STATE).question == READY["Civics"].questions[3]

    # What is written is put into the set, which becomes the teacher's own.
    checked(at.text_input(key="room-text").set_value("Red or green?").run())
    checked(at.button(key="room-set-add").click().run())
    own = page_record(at, STATE).question_set
    assert own.title == "My questions"
    assert [question.text for question in own.questions] == [*texts, "Red or green?"]
    checked(at.text_input(key="room-set-title").set_value("Class 10b").run())
    checked(at.button(key="room-set-remove").click().run())
    own = page_record(at, STATE).question_set
    assert (own.title, len(own.questions)) == ("Class 10b", len(texts))
    assert READY["Civics"].title == "Civics"

    again = open_page(ROOM, query_of(at))
    assert page_record(again, STATE) == page_record(at, STATE)
    assert not again.warning


def test_a_question_that_was_changed_takes_the_place_of_the_one_with_its_text() -> None:
    first = OWN.questions[0]
    protected = PollQuestion(first.text, first.answers, (0, 1, 2), 1.5)
    assert OWN.with_question(protected).questions == (protected, *OWN.questions[1:])


def test_a_link_without_a_set_is_as_before() -> None:
    assert "set" not in LINK.write(Draft())
    assert LINK.write(Draft(EXAMPLES["Vote"]))["set"] == ""
    older = LINK.write(Draft(EXAMPLES["Vote"]))
    del older["set"]
    assert LINK.read(older) == Draft(EXAMPLES["Vote"])


def test_own_sets_stay_in_the_menu_when_another_is_chosen() -> None:
    at = open_page(ROOM, {})
    checked(at.text_input(key="room-text").set_value("Red or green?").run())
    checked(at.button(key="room-set-add").click().run())
    checked(at.text_input(key="room-set-title").set_value("Class 10b").run())
    own = page_record(at, STATE).question_set
    checked(at.selectbox(key="room-set").set_value("Health").run())
    assert at.selectbox(key="room-set").options == [*READY, "Class 10b"]
    checked(at.selectbox(key="room-set").set_value("Class 10b").run())
    assert page_record(at, STATE).question_set == own

    # A file brings another one beside it.
    at.file_uploader(key="room-set-upload").set_value(
        ("a.json", to_json(OWN).encode(), "application/json")
    )
    checked(at.run())
    record = page_record(at, STATE)
    assert (record.question_set, record.question) == (OWN, OWN.questions[0])
    assert at.selectbox(key="room-set").options == [*READY, "Class 10b", OWN.title]

    # What is no set changes nothing, and is said in a sentence.
    at.file_uploader(key="room-set-upload").set_value(("b.json", b"{}", "application/json"))
    at.run()
    assert page_record(at, STATE) == record
    assert "is not a set of questions" in at.warning[0].value


def test_an_own_set_does_not_take_the_title_of_a_ready_one() -> None:
    at = open_page(ROOM, {})
    checked(at.button(key="room-set-remove").click().run())
    before = page_record(at, STATE)
    at.text_input(key="room-set-title").set_value("Health").run()
    assert page_record(at, STATE) == before
    assert "is the title of a ready set" in at.warning[0].value
    assert at.selectbox(key="room-set").options == [*READY, "My questions"]
