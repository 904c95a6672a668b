"""An attacker's guesses of several answers, by how they are asked, and how ε adds up."""

import pandas as pd
import streamlit as st

from caldp_core.audit.adversary import max_guess_accuracy, max_record_guess_accuracy
from caldp_core.experiments.questions import QuestionPlan
from caldp_ui.values.several_questions import QuestionComparison
from caldp_ui.words import formats


def show(comparison: QuestionComparison) -> None:
    """The table of right guesses by way to ask, and without sharing ε."""
    options, epsilon = comparison.options, comparison.options.one.epsilon
    count = options.every.questions
    plans = [("one, at random", options.one), (f"all {count}, ε shared", options.every)]
    if comparison.is_subset_best:
        plans.insert(1, (f"{options.best.per_person}, at random", options.best))
    unshared = max_record_guess_accuracy(epsilon, count)
    rows = {
        name: {
            "ε of an answer": formats.digits(plan.answer_epsilon),
            "right of 100: one answer": formats.hundred(plan.answer_guess_accuracy),
            "right of 100: two people": formats.hundred(plan.record_guess_accuracy),
        }
        for name, plan in plans
    }
    rows[f"all {count}, ε not shared"] = {
        "ε of an answer": formats.digits(epsilon),
        "right of 100: one answer": formats.hundred(max_guess_accuracy(epsilon)),
        "right of 100: two people": formats.hundred(unshared),
    }
    st.table(pd.DataFrame(rows).T.rename_axis("questions a person"))
    st.caption(composition_text(options.one, count))


def composition_text(one: QuestionPlan, count: int) -> str:
    """How the ε of a person's answers add up, in words."""
    chance = formats.hundred(max_guess_accuracy(one.epsilon))
    return (
        "Right guesses of 100, at most, by an attacker who starts from 50. One answer: between two "
        "answers to one question that hide each other, on average over the questions "
        f"({chance} for the one that a person was asked, 50 for the others). Two people: who "
        f"differ in all {count} answers, each within what hides it. Levels of one person's answers "
        "add up: shared, they stay at "
        f"ε = {one.epsilon:g} together; not shared, they come to {count} × {one.epsilon:g}."
    )
