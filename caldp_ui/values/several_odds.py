"""What an attacker may guess of several answers, by how they are asked; and how levels add up."""

import pandas as pd
import streamlit as st

from caldp_core.audit.adversary import guessed_right, guessed_right_of_several
from caldp_core.experiments.questions import Asking
from caldp_ui.values.several import Compared
from caldp_ui.words import formats


def show(found: Compared) -> None:
    """What an attacker may guess in each way, and what a careless survey would allow."""
    ways, epsilon = found.ways, found.ways.one.epsilon
    count = ways.every.questions
    shown = [("one, at random", ways.one), (f"all {count}, ε shared", ways.every)]
    if found.has_between:
        shown.insert(1, (f"{ways.best.asked}, at random", ways.best))
    careless = guessed_right_of_several(epsilon, count)
    rows = {
        name: {
            "ε of an answer": formats.digits(way.each),
            "right of 100: one answer": formats.hundred(way.guess_of_one),
            "right of 100: two people": formats.hundred(way.guess_of_all),
        }
        for name, way in shown
    }
    rows[f"all {count}, ε not shared"] = {
        "ε of an answer": formats.digits(epsilon),
        "right of 100: one answer": formats.hundred(guessed_right(epsilon)),
        "right of 100: two people": formats.hundred(careless),
    }
    st.table(pd.DataFrame(rows).T.rename_axis("questions a person"))
    st.caption(composition(ways.one, count))


def composition(one: Asking, count: int) -> str:
    """How levels add up, in words."""
    asked = formats.hundred(guessed_right(one.epsilon))
    return (
        "Right guesses of 100, at most, by an attacker who starts from 50. One answer: between two "
        "answers to one question that hide each other, on average over the questions "
        f"({asked} for the one that a person was asked, 50 for the others). Two people: who differ "
        f"in all {count} answers, each within what hides it. Levels of one person's answers add "
        "up: shared, they stay at "
        f"ε = {one.epsilon:g} together; not shared, they come to {count} × {one.epsilon:g}."
    )
