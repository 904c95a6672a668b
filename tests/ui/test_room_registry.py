"""Polls lose no report and count none twice; polls without phones; rehearsals ahead."""

import gc
import json
import re
import time
from collections import deque
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import product
from pathlib import Path
from threading import Barrier, Thread

import numpy as np
import pytest

from caldp_core.audit.pairwise import audit_channel
from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import no_progress
from caldp_core.privacy.context import Context
from caldp_ui.app.theme import LIGHT
from caldp_ui.room import page, poll, view
from caldp_ui.room.page import WAYS, Count
from caldp_ui.room.page_state import STATE, Draft
from caldp_ui.room.poll import (
    LOOK,
    OPEN,
    REPORT,
    AttemptLimiter,
    Busy,
    Desk,
    PollState,
    Rooms,
    TeacherKey,
    format_code,
    normalize_code,
)
from caldp_ui.room.question import (
    IntegerChannel,
    PollQuestion,
    PollShares,
    channel_of,
    class_shares,
    columns_of,
    history,
    mechanism_of,
    tally_of,
)
from caldp_ui.room.sets import EXAMPLES
from caldp_ui.room.view import board_json
from caldp_ui.session import jobs
from caldp_ui.stage.records import Film
from tests.servers import PATIENCE, join
from tests.strategies import thinned
from tests.ui.driver import _component, assert_ahead, checked, few, made, open_record

QUESTION = PollQuestion("Which?", ("a", "b", "c"), (0, 2), 1.0)
QUESTIONS = (
    *EXAMPLES.values(),
    QUESTION,
    PollQuestion("All?", tuple("abcdefghijkl"), tuple(range(12)), 0.001),
    PollQuestion("None?", ("a", "b"), (), 3.0),
    PollQuestion("Sure?", ("a", "b", "c", "d"), (1, 3), 20.0),
)
PHONES = 60


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def token(number: int) -> str:
    return f"{number:032x}"


def open_room(
    question: PollQuestion = QUESTION,
) -> tuple[Rooms, TeacherKey, Callable[[int, object], None]]:
    """A room, and what counts the report of the phone with that number."""
    rooms = Rooms(Clock())
    held = rooms.open(question)
    mark = rooms.get_poll(held.code).mark
    return rooms, held, lambda n, y: rooms.report(held.code, mark, token(n), y)


def at_once(rooms: Rooms, clock: Callable[[], float]) -> int:
    """How many of 60 reports are counted that arrive at once, each of them twice.

    `clock`: is read between the reading and the writing of the reports that are there.
    """
    held = rooms.open(QUESTION)
    mark, start = rooms.get_poll(held.code).mark, Barrier(2 * PHONES, timeout=PATIENCE)
    rooms._now = clock

    def phone(number: int) -> None:
        start.wait()
        rooms.report(held.code, mark, token(number), number % 3)

    threads = [Thread(target=phone, args=(i // 2,)) for i in range(2 * PHONES)]
    for thread in threads:
        thread.start()
    join(threads)
    rooms._now = Clock()
    return len(rooms.get_poll(held.code).reports)


def test_of_sixty_phones_at_once_no_report_is_lost_or_counted_twice() -> None:
    reading = Barrier(2 * PHONES, timeout=PATIENCE)

    def slowly() -> float:
        time.sleep(0.001)  # lets other threads in, if they can come in
        return 0.0

    def when_all_have_read() -> float:
        return 0.0 * reading.wait()

    assert at_once(Rooms(Clock()), slowly) == PHONES
    careless = Rooms(Clock())
    careless._lock = nullcontext()  # type: ignore[assignment]
    assert at_once(careless, when_all_have_read) == 1


def channel_again(law: IntegerChannel) -> list[list[Fraction]]:
    """The rows of probabilities that a law's whole numbers give."""
    return [
        [Fraction(b - a, law.whole) for a, b in zip((0, *row), row, strict=False)]
        for row in law.steps
    ]


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.text)
def test_the_law_is_exactly_the_cores_channel_and_keeps_its_promise(question: PollQuestion) -> None:
    found = channel_again(IntegerChannel.of(channel_of(question)))
    mechanism, columns = mechanism_of(question), columns_of(question)
    exact = mechanism.exact_channel()
    assert found == [[row[c] for c in columns] for row in exact]
    assert audit_channel(found, mechanism.policy).holds
    for x in range(question.k):  # the column's name: an answer is its own likeliest report
        reports = mechanism.privatize(np.full(400, x), np.random.default_rng(x))
        if question.epsilon >= 3:
            assert np.bincount(reports, minlength=question.k).argmax() == columns[x]


def test_a_law_of_a_larger_epsilon_does_not_keep_it() -> None:
    louder = replace(QUESTION, epsilon=1.05)
    context = Context.high_low(np.array([True, False, True]), QUESTION.epsilon)
    assert not audit_channel(channel_again(IntegerChannel.of(channel_of(louder))), context).holds


def test_the_reports_are_the_mechanisms_tally_and_ranges_tighten() -> None:
    rng = np.random.default_rng(3)
    mechanism, columns = mechanism_of(QUESTION), columns_of(QUESTION)
    made = mechanism.privatize(rng.choice(3, 400, p=[0.2, 0.5, 0.3]), rng)
    reports = np.argsort(columns)[made].tolist()
    assert np.array_equal(tally_of(QUESTION, reports).counts, mechanism.tally(made).counts)
    shares = class_shares(QUESTION, reports, 400)
    assert shares.estimate == pytest.approx(mechanism.estimate(mechanism.tally(made)))
    known: dict[int, PollShares] = {}
    history(QUESTION, reports[:150], 400, known)
    past = history(QUESTION, reports, 400, known)
    for (n, kept), (again, fresh) in zip(past, history(QUESTION, reports, 400), strict=True):
        assert n == again
        assert np.array_equal(kept.low, fresh.low)
    assert [n for n, _ in past[:4]] == [1, 2, 3, 4]
    assert past[-1][0] == 400
    widths = [float((each.high - each.low).mean()) for _, each in past]
    assert widths[0] > 0.9
    assert widths[-1] < 0.5


def assert_refused(act: Callable[[], object], words: str) -> None:
    """One clear sentence: it ends once, with what the reader can do or what is the case."""
    with pytest.raises(CaldpError, match=words) as caught:
        act()
    assert re.fullmatch(r"[A-Z].{,90}\.", str(caught.value))
    assert ". " not in str(caught.value)


def test_each_refusal_is_one_sentence() -> None:
    rooms, held, report = open_room()
    assert_refused(lambda: rooms.get_poll("BCDFGHJK"), "There is no poll “BCDF GHJK”")
    report(1, 0)
    report(1, 0)  # the same again, after a broken connection
    report(1, 2)  # nobody's report is known any more, so that the first one counts
    assert rooms.get_poll(held.code).reports == (0,)
    wrongs: tuple[object, ...] = (3, -1, "0", True, 0.5, None)
    for wrong in wrongs:
        assert_refused(partial(report, 9, wrong), "A report must be a whole number")
    mark = rooms.get_poll(held.code).mark
    assert_refused(lambda: rooms.report(held.code, mark, "x" * 32, 0), "not come from this page")
    rooms.change(held, lambda state: state.with_open(False))
    assert_refused(lambda: report(2, 1), "closed")
    report(1, 0)  # what is counted stays so
    rooms.change(held, lambda state: state.with_open(True))
    rooms.ask(held, replace(QUESTION, text="Next?"))
    assert_refused(lambda: report(3, 1), "question is over")
    assert_refused(
        lambda: rooms.end(TeacherKey(held.code, "guess")), "This key does not steer poll"
    )
    rooms.forget(held)
    assert_refused(lambda: report(3, 1), "has ended")
    assert_refused(lambda: rooms.get_poll(held.code), "has ended")


def test_a_full_room_takes_no_more_until_its_teacher_lets_them_in() -> None:
    rooms, held, report = open_room()
    rooms.change(held, lambda state: state.with_phones(5))
    for number in range(5):
        report(number, 1)
    assert_refused(lambda: report(5, 1), "poll is full")
    report(4, 1)
    assert len(rooms.get_poll(held.code).reports) == 5
    rooms.change(held, lambda state: state.with_phones(6))
    report(5, 1)
    for wrong in (0, poll.REPORTS_MAX + 1):
        assert_refused(
            partial(rooms.get_poll(held.code).with_phones, wrong), "The number of phones"
        )
    rooms.ask(held, QUESTION)
    assert rooms.get_poll(held.code).phones == 6, "the next question takes as many"


def test_a_burst_is_thrown_out_and_its_phones_stay_out() -> None:
    clock = Clock()
    rooms = Rooms(clock)
    held = rooms.open(QUESTION)
    mark = rooms.get_poll(held.code).mark
    for number, (at, answer) in enumerate(((0, 0), (100, 2), (165, 1), (166, 1), (167, 1))):
        clock.now = float(at)
        rooms.report(held.code, mark, token(number), answer)
    clock.now = 170.0
    assert rooms.discard_recent(held, 10.0) == 3
    rooms.report(held.code, mark, token(3), 1)
    assert rooms.get_poll(held.code).reports == (0, 2)
    assert rooms.discard_recent(held, 10.0) == 0
    rooms.report(held.code, mark, token(7), 2)
    clock.now = 400.0
    assert rooms.discard_recent(held, 300.0) == 2, "of the first one nobody knows when it came"
    assert rooms.get_poll(held.code).reports == (0,)
    assert_refused(lambda: rooms.discard_recent(held, 301.0), "at most 300 seconds")


def fill(rooms: Rooms, clock: Clock, teachers: set[str]) -> list[TeacherKey]:
    """Open all rooms, from an address each, and let phones of none join."""
    held = []
    for number in range(poll.ROOMS_MAX):
        clock.now += 60.0 / poll.OPENED_A_MINUTE + 0.01
        teachers.add(f"{number}")
        held.append(rooms.open(QUESTION, f"{number}", f"{number}"))
    return held


def test_rooms_that_nobody_joined_go_with_their_teachers() -> None:
    clock, teachers = Clock(), {"script", "class"}
    rooms = Rooms(clock, teachers.__contains__)
    empty, joined = rooms.open(QUESTION, "script"), rooms.open(QUESTION, "class")
    rooms.get_poll(joined.code)  # as a phone does
    clock.now += 1_000.0
    rooms.get_poll(joined.code)
    teachers.clear()
    clock.now += poll.ABSENT_UNJOINED_MAX
    rooms.get_own_polls(empty, "again")  # the teacher has loaded the page again
    clock.now += poll.ABSENT_UNJOINED_MAX + 1.0
    assert rooms.get_poll(joined.code).question == QUESTION
    assert_refused(lambda: rooms.get_own_polls(empty), "has ended")


def test_the_servers_key_opens_a_poll_where_strangers_hold_all() -> None:
    clock, teachers = Clock(), set[str]()
    rooms = Rooms(clock, teachers.__contains__)
    fill(rooms, clock, teachers)
    clock.now += 61.0
    assert_refused(lambda: rooms.open(QUESTION), "All 200 polls")
    held = [rooms.open_by_key(QUESTION) for _ in range(poll.ROOMS_BY_KEY_MAX)]
    assert_refused(lambda: rooms.open_by_key(QUESTION), "All 50 polls")
    for each in held:
        rooms.forget(each)
    clock.now += 61.0
    assert_refused(lambda: rooms.open(QUESTION), "All 200 polls")


def test_one_network_has_a_part_of_the_rooms_open_at_once() -> None:
    clock = Clock()
    rooms = Rooms(clock, lambda _: True)
    for number in range(poll.ROOMS_FROM_ONE_MAX):
        clock.now += 2.0
        rooms.open(QUESTION, address=f"2001:db8::{number:x}")
    assert_refused(
        lambda: rooms.open(QUESTION, address="2001:db8::ffff"), "All 40 polls that one address"
    )
    for other in ("2001:db8:0:1::1", "192.0.2.1"):
        rooms.open(QUESTION, address=other)


def test_rooms_and_rates_are_bounded_and_deserted_rooms_make_way() -> None:
    clock = Clock()
    teachers: set[str] = set()
    rooms = Rooms(clock, teachers.__contains__)
    held = fill(rooms, clock, teachers)
    assert len({each.code for each in held}) == poll.ROOMS_MAX
    clock.now += 61.0
    assert_refused(lambda: rooms.open(QUESTION), "All 200 polls")
    teachers.clear()
    clock.now += poll.ABSENT_MAX
    for number in range(poll.OPENED_A_MINUTE):
        rooms.open(QUESTION, address=f"{number}")
    assert_refused(lambda: rooms.get_poll(held[0].code), "has ended")
    with pytest.raises(Busy):
        rooms.open(QUESTION)


def test_a_room_lasts_as_long_as_its_teacher_is_there() -> None:
    clock, there = Clock(), {"teacher", "again"}
    rooms = Rooms(clock, there.__contains__)
    held = rooms.open(QUESTION, "teacher")
    clock.now = 10 * poll.ABSENT_MAX
    assert rooms.get_poll(held.code).question == QUESTION
    there.remove("teacher")
    clock.now += poll.ABSENT_MAX - 1.0
    rooms.get_own_polls(held, "again")  # the page was loaded anew
    clock.now += 2 * poll.ABSENT_MAX
    assert rooms.get_poll(held.code).question == QUESTION
    there.clear()
    clock.now += poll.ABSENT_MAX
    assert rooms.get_poll(held.code).question == QUESTION
    clock.now += 1.0
    assert_refused(lambda: rooms.get_poll(held.code), "has ended")


def test_one_address_cannot_open_all_rooms_and_others_still_can() -> None:
    clock = Clock()
    tries = AttemptLimiter(clock)
    for _ in range(OPEN[0]):
        tries.record_attempt(OPEN, "192.0.2.1")
    assert_refused(
        lambda: tries.record_attempt(OPEN, "192.0.2.1"), "Too many polls were opened from here"
    )
    assert_refused(lambda: tries.record_attempt(OPEN, "::ffff:192.0.2.1"), "Too many polls")
    tries.record_attempt(OPEN, "192.0.2.2")
    for number in range(OPEN[0]):  # a subscriber's network has 2⁶⁴ addresses
        tries.record_attempt(OPEN, f"2001:db8::{number}")
    assert_refused(lambda: tries.record_attempt(OPEN, "2001:db8::f:1"), "Too many polls")
    tries.record_attempt(REPORT, "192.0.2.1")
    assert "192.0.2" not in repr(vars(tries))
    clock.now += OPEN[1] + 0.1
    tries.record_attempt(OPEN, "192.0.2.1")


def test_addresses_are_forgotten_after_a_minute_and_never_too_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(poll, "_KNOWN_MAX", 20)
    clock = Clock()
    tries = AttemptLimiter(clock)
    for number in range(100):
        tries.record_attempt(REPORT, f"{number}")
    assert len(vars(tries)["_times"]) == 20
    clock.now += 61.0
    tries.record_attempt(REPORT, "late")
    assert len(vars(tries)["_times"]) == 1


def test_codes_are_read_in_two_halves_and_too_many_to_be_guessed() -> None:
    rooms = Rooms(Clock())
    code = rooms.open(QUESTION).code
    assert re.fullmatch("[B-Z]{4} [B-Z]{4}", format_code(code))
    for typed in (format_code(code), code.lower(), f" {code[:4]}-{code[4:]} "):
        assert normalize_code(typed) == code
    letters = 20
    # An hour's guesses from one address, by either method.
    guesses = sum(3600 * most / seconds for most, seconds, _ in (LOOK, REPORT))
    assert guesses * poll.ROOMS_MAX / letters ** len(code) < 1 / 290


def test_a_phone_that_comes_too_quickly_may_come_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(poll, "REPORTS_A_SECOND", 2)
    clock = Clock()
    rooms = Rooms(clock)
    held = rooms.open(QUESTION)
    mark = rooms.get_poll(held.code).mark
    for number in range(2):
        rooms.report(held.code, mark, token(number), 0)
    with pytest.raises(Busy):
        rooms.report(held.code, mark, token(2), 0)
    clock.now += 1.01
    rooms.report(held.code, mark, token(2), 0)
    assert len(rooms.get_poll(held.code).reports) == 3


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"text": " "}, "question is empty"),
        ({"text": "a\nb"}, "question is empty or holds"),
        ({"text": "a" * 161}, "at most 160 characters"),
        ({"answers": ("a",)}, "2 to 12 answers"),
        ({"answers": tuple("abcdefghijklm")}, "2 to 12 answers"),
        ({"answers": ("a", "b", "a")}, "“a” is there twice"),
        ({"answers": ("a", "b|c", "d")}, "other than"),
        ({"answers": ("a", "b" * 73, "d")}, "1 to 72 characters"),
        ({"sensitive": (0, 3)}, "numbers of answers from 0 to 2"),
        ({"sensitive": (2, 0)}, "ascending"),
        ({"epsilon": 0.0}, "epsilon must be in"),
    ],
)
def test_questions_are_bounded(changed: dict[str, object], words: str) -> None:
    with pytest.raises(CaldpError, match=words):
        replace(QUESTION, **changed)  # type: ignore[arg-type]


def test_a_room_holds_reports_and_who_has_answered_but_not_what() -> None:
    rooms, held, report = open_room()
    for number, answer in ((1, 0), (2, 2), (3, 0)):
        report(number, answer)
    state = rooms.get_poll(held.code)
    (room,) = vars(rooms)["_rooms"].values()
    kept = vars(room.poll)
    wanted = PollState(held.code, state.mark, QUESTION, True, (0, 2, 0), addresses=1, from_one=3)
    assert kept["state"] == wanted
    assert kept["came"] == deque([0.0] * 3)
    # Which phones have answered, as hashes in no order, beside no report.
    assert kept.keys() == {"state", "came", "sent", "salt", "networks"}
    # How many came from each network, as hashes of this question, beside no report.
    assert sorted(kept["networks"].values()) == [3]
    assert isinstance(kept["sent"], set)
    assert len(kept["sent"]) == 3
    assert not any(token(number) in repr(kept) for number in (1, 2, 3))
    of_teacher = {"key": held.key, "poll": room.poll, "connected_at": 0.0, "visit": ""}
    of_room = {"opened_from": room.opened_from, "is_joined": True, "past": (), "desk": Desk()}
    assert vars(room) == {**of_teacher, **of_room}
    before = room.poll.salt
    rooms.ask(held, QUESTION)
    # Of the question before, its counts: not who has answered, nor in which order.
    assert room.past == (replace(state, is_open=False, reports=(0, 0, 2), doubted=False),)
    assert room.poll.salt != before
    assert not room.poll.sent
    assert not room.poll.networks


def test_reports_from_one_address_are_counted_and_the_address_is_not_kept() -> None:
    rooms, held, _ = open_room()
    mark = rooms.get_poll(held.code).mark
    for number, address in enumerate(("192.0.2.7", "192.0.2.8", "192.0.2.7", "2001:db8::1")):
        rooms.report(held.code, mark, token(number), 0, address)
    rooms.report(held.code, mark, token(1), 0, "198.51.100.1")  # the same again counts nowhere
    state = rooms.get_poll(held.code)
    assert (state.addresses, state.from_one) == (3, 2)
    assert "192.0.2" not in repr(vars(rooms))
    assert "Reports came from 3 addresses, at most 2 from one." in view.board_note(state)
    rooms.ask_again(held)
    assert rooms.get_poll(held.code).from_one == 0


def test_a_class_keeps_its_size_once_reports_are_in_and_may_only_grow() -> None:
    rooms, held, report = open_room()
    rooms.change(held, lambda state: state.with_phones(20))
    report(1, 0)
    assert_refused(
        lambda: rooms.change(held, lambda state: state.with_phones(19)), "smaller than 20"
    )
    rooms.change(held, lambda state: state.with_phones(21))
    assert rooms.get_poll(held.code).people == 21


@pytest.mark.parametrize("seen", [False, True])
def test_missing_phones_stay_in_the_range_of_a_poll_that_somebody_saw_while_it_was_open(
    seen: bool,
) -> None:
    rooms, held, report = open_room()
    rooms.change(held, lambda state: state.with_phones(20))
    for number in range(12):
        report(number, 0)
    if seen:
        rooms.note_seen(held, rooms.get_poll(held.code).mark)
    rooms.change(held, lambda state: state.with_open(False))
    assert rooms.get_poll(held.code).people == (20 if seen else 12)
    rooms.change(held, lambda state: state.with_open(True))  # the closed range was seen
    rooms.change(held, lambda state: state.with_open(False))
    assert rooms.get_poll(held.code).people == 20


HANDS = PollQuestion("Born in winter?", ("Yes", "No"), (0, 1), 2.7, by_hands=True)


def test_hands_stand_beside_what_the_phones_gave() -> None:
    state = PollState("", "", HANDS, False, (0,) * 6 + (1,) * 19, 25, is_seen=True)
    past = history(HANDS, state.reports, state.people)
    low, high = (round(25 * float(end[0])) for end in (past[-1][1].low, past[-1][1].high))
    for hands in (0, low, 6, high, 25):
        counted = state.with_hands(hands)
        headline = view.live_headline(counted, past[-1][1])
        assert f"from the phones we expected {low} to {high}." in headline.sentence
        assert ("the total is right" in headline.second) == (low <= hands <= high)
        assert ("1 class in 20" in headline.second) == (not low <= hands <= high)
        board = json.loads(board_json(counted, past))
        assert [each["truth"] for each in board["answers"]] == [hands / 25, 1 - hands / 25]
        assert ["made", "hands"] in board["words"]["legend"]
    assert_refused(lambda: state.with_hands(26), "The number of hands")
    assert_refused(lambda: replace(state, is_open=True).with_hands(3), "Hands are counted once")
    secret = replace(state, question=replace(HANDS, by_hands=False))
    assert_refused(lambda: secret.with_hands(3), "whose truth is no secret")
    with pytest.raises(CaldpError, match="no truth that hands could show"):
        replace(HANDS, right=0)


def test_reports_that_cannot_be_honest_are_named_and_no_estimate_is_shown() -> None:
    question = PollQuestion("Cheated?", ("Yes", "No"), (0, 1), 1.0)
    stuffed = PollState("", "", question, True, (0,) * 51, 51)
    assert stuffed.is_doubtful
    past = history(question, stuffed.reports, stuffed.people)
    headline = view.live_headline(stuffed, past[-1][1])
    assert headline.sentence == view.DOUBTED
    board = json.loads(board_json(stuffed, past))
    assert board["doubted"]
    assert [each["estimate"] for each in board["answers"]] == [None, None]
    assert stuffed.as_past().is_doubtful
    # Of an earlier question the order is not known any more: sorted reports are no row.
    honest = replace(stuffed, reports=(0, 1) * 100, phones=200)
    assert not honest.is_doubtful
    assert not honest.as_past().is_doubtful
    assert replace(honest, reports=tuple(sorted(honest.reports))).is_doubtful


def test_a_room_writes_nothing_to_disk_and_ends_with_its_reports(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*args: object, **more: object) -> None:
        raise AssertionError(f"a file is opened: {args}")

    for way in ("builtins.open", "io.open", "os.open"):
        monkeypatch.setattr(way, refuse)
    rooms, held, report = open_room()
    for number in range(20):
        report(number, number % 3)
    (state,) = rooms.get_own_polls(held)
    assert class_shares(QUESTION, state.reports, 20).estimate.size == 3
    rooms.ask(held, QUESTION)
    report_again = partial(rooms.report, held.code, rooms.get_poll(held.code).mark)
    report_again(token(99), 1)
    assert QUESTION.text in repr(vars(rooms))
    rooms.end(held)
    assert QUESTION.text in repr(vars(rooms))
    rooms.forget(held)
    assert not any(text in repr(vars(rooms)) for text in (token(99), held.key, QUESTION.text))
    with pytest.raises(AssertionError, match="a file is opened"):
        Path("anything").write_text("never written", "utf-8")


def test_a_right_answer_is_said_once_it_is_shown_and_no_guess_comes_after_it() -> None:
    rooms, held, report = open_room(EXAMPLES["Guess"])
    report(1, 0)
    report(2, 1)
    before = rooms.get_poll(held.code)
    assert view.state_message(before)["right"] is None
    assert not any(each["right"] for each in answers_of(before))
    rooms.change(held, PollState.with_answer)
    state = rooms.get_poll(held.code)
    right = state.question.answers[0]
    assert view.state_message(state)["right"] == 0
    assert [each["right"] for each in answers_of(state)] == [True, False, False]
    shares = class_shares(state.question, state.reports, state.people)
    assert view.live_headline(state, shares).sentence == f"Of 2 guesses 1 is right: “{right}”."
    with pytest.raises(CaldpError, match="closed"):
        report(3, 0)
    with pytest.raises(CaldpError, match="The answer is known by now"):
        rooms.change(held, lambda state: state.with_open(True))
    secret = replace(state, question=replace(state.question, sensitive=(0, 1, 2)))
    noisy = view.live_headline(secret, class_shares(secret.question, secret.reports, 2)).sentence
    # Phones threw coins: nobody can count, and two reports say nothing.
    assert noisy.startswith(f"2 reports say nothing about “{right}”: "), noisy
    rooms, held, _ = open_room()
    with pytest.raises(CaldpError, match="no right answer"):
        rooms.change(held, PollState.with_answer)


def answers_of(state: PollState) -> list[dict[str, object]]:
    answers: list[dict[str, object]] = json.loads(board_json(state, []))["answers"]
    return answers


ASKED = PollQuestion("Have you ever cheated?", ("Yes", "No"), (0,), 1.0)
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
    channel = channel_of(page.question_of(ASKED, way))
    for truth in (YES, NO):
        said = PLAYED[way](truth)
        for answer in (YES, NO):
            played = Fraction(said.count(answer), len(said))
            assert abs(channel[truth][answer] - played) < 1e-12
    assert Fraction(WAYS[way]["truth"]) == Fraction(
        PLAYED[way](YES).count(YES), len(PLAYED[way](YES))
    )


@pytest.mark.parametrize(
    ("way", "said"), [("coins", (14, 16)), ("die", (21, 29)), ("birthday", (70, 90))]
)
def test_estimate_undoes_the_noise(way: str, said: tuple[int, int]) -> None:
    poll = page.poll_of(ASKED, Count(way, said))
    stay = float(Fraction(WAYS[way]["truth"]))
    share = (said[0] / sum(said) - (1 - stay)) / (2 * stay - 1)
    found = class_shares(poll.question, poll.reports, poll.people)
    np.testing.assert_allclose(found.estimate, [share, 1 - share], atol=1e-9)
    assert found.low[0] < share < found.high[0]
    assert f"about **{sum(said) * share:.0f}** would truthfully" in page.result_text(poll)


def test_sheet_holds_the_answers_and_the_protection_as_plain_text() -> None:
    sheet = page.sheet(PollQuestion("Is 1 < 2?", ("<b>Yes", "No"), (), 1.0), "die")
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
    said = "Of 30 people, about **13** would truthfully say “Yes”"
    assert any(each.value.startswith(said) for each in at.markdown)


def test_drawer_says_why_a_question_of_four_answers_takes_phones() -> None:
    vote = PollQuestion("Which?", ("Red", "Green", "Blue", "None"), (0, 1, 2, 3), 1.0)
    at = open_record(STATE, Draft(vote))
    at = checked(at.button(key=STATE.key("by-hand")).click().run())
    assert any("this question has 4" in each.value for each in at.markdown)


OWN = PollQuestion(
    "What is <b>it</b>?",
    ("$1 & `x` *y* **z**", "<b>http://e.example</b> &amp;", ":red[No] \\ ~a~"),
    (0, 2),
    1.0,
)
PAGE = page.PAGE
REHEARSED = {**EXAMPLES, "own": OWN, "bare": PollQuestion("?", ("a", "b"), (), 1.0)}


@pytest.mark.slow
@pytest.mark.parametrize("name", thinned(["own", *REHEARSED], one_in=4))
def test_every_step_is_what_the_page_shows(name: str) -> None:
    draft = Draft(REHEARSED[name], 100)
    at = open_record(STATE, draft)
    assert_ahead(at, PAGE, draft, page.EPSILON, slice(0, None, 8))
    checked(at.select_slider(key=STATE.key("epsilon")).set_value(draft.question.epsilon).run())
    assert_ahead(at, PAGE, draft, page.PHONES, slice(0, None, 3))


def test_each_question_and_each_number_of_phones_has_a_film_of_its_own() -> None:
    drafts = [Draft(question, phones) for question in REHEARSED.values() for phones in (30, 100)]
    along = few(PAGE.slider_film(page.EPSILON, LIGHT), 1.0)
    assert len({along.film(each, no_progress).settings for each in drafts}) == len(drafts)


@pytest.mark.slow
def test_both_films_are_sent_and_nobody_s_question_is_kept_for_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(jobs, "run_in_background", lambda _key, _name, work: work(no_progress))
    draft = Draft(OWN)
    at = open_record(STATE, draft)
    for slider in (page.EPSILON, page.PHONES):
        film = made(PAGE, draft, slider)
        sent = _component(at, STATE.key(f"feeds-{film.dial}"))
        assert sent.bytes == film.chart_message
    del at, film, sent
    gc.collect()
    kept = [each for each in gc.get_objects() if isinstance(each, Film)]
    assert not [each for each in kept if "e.example" in str(each.steps)]
