"""Made-up phones that answer before any real one: what the projector will look like.

Always the same people and coins for one question, so that only choices change it.
"""

from typing import Final

import numpy as np

from caldp_core.basics.types import Floats
from caldp_ui.room import boards
from caldp_ui.room.figures import history
from caldp_ui.room.page_state import Draft
from caldp_ui.room.poll import PollState
from caldp_ui.room.question import Question, columns_of, mechanism_of

_SEED: Final = 7
_Z: Final = 1.959964
MARK: Final = "rehearsal"
"""The mark of a rehearsal's poll, which nobody has opened."""


def truth_of(question: Question) -> Floats:
    """(k,) made-up shares: a sensitive answer, of all the first, is half as common as another."""
    weights = np.full(question.k, 2.0)
    weights[list(question.sensitive) if len(question.sensitive) < question.k else [0]] = 1.0
    return np.asarray(weights / weights.sum())


def rehearse(draft: Draft) -> PollState:
    """The state of a poll that the draft's made-up phones have answered."""
    question, rng = draft.question, np.random.default_rng(_SEED)
    people = rng.choice(question.k, draft.phones, p=truth_of(question))
    answer_of = np.argsort(columns_of(question))
    reports = answer_of[mechanism_of(question).privatize(people, rng)]
    return PollState("", MARK, question, True, tuple(reports.tolist()))


def rehearsal_json(draft: Draft) -> str:
    """The message from which the browser draws the rehearsal's board, as JSON."""
    poll = rehearse(draft)
    past = history(draft.question, poll.reports)
    return boards.board_json(poll, past, truth_of(draft.question))


def half_width(draft: Draft) -> float:
    """Expected half width of the 95 % range of the first sensitive answer (else the first).

    As a share of people.
    """
    question = draft.question
    first = question.sensitive[0] if question.sensitive else 0
    variance = mechanism_of(question).variance(truth_of(question), draft.phones)
    return _Z * float(np.sqrt(variance[first]))
