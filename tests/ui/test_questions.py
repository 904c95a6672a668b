"""The questions of the first page: their numbers are the core's; what they name is there."""

import re
from fractions import Fraction
from typing import Any

from caldp_core.mechanisms import mechanism
from caldp_core.privacy.context import Context
from caldp_ui.app.navigation import PAGES
from caldp_ui.plan.people_needed import DEPLOYMENTS
from caldp_ui.start import page
from caldp_ui.words.glossary import DEFINITIONS
from tests.ui.driver import open_page

ALL = [each for column in page.frequent_questions().values() for each in column]


def answer_to(question: str) -> str:
    (found,) = (each.answer for each in ALL if each.question == question)
    return found


def test_odds_are_those_of_two_answers_under_the_channel_itself() -> None:
    found = re.findall(
        r"ε = (\d+)[^.]*?([\d.]+|more than 99.9)(?= of 100|, at|\.)", answer_to("Is my ε safe?")
    )
    assert [int(epsilon) for epsilon, _ in found] == [1, 4, 8]
    for epsilon, percent in found:
        context = Context.plain(2, float(epsilon))
        one, other = mechanism(context, "randomized-response").exact_channel()
        right = 50 * sum(max(pair) for pair in zip(one, other, strict=True))  # the best rule
        assert abs(float(percent.removeprefix("more than ")) - float(right)) <= 0.5


def test_ten_reports_are_at_most_what_a_binomial_says() -> None:
    right = Fraction(0)
    yes = Fraction(731, 1000)  # of a report at ε = 1, rounded down
    for agree in range(11):
        ways = Fraction(1)
        for i in range(agree):
            ways = ways * (10 - i) / (i + 1)
        both = yes**agree * (1 - yes) ** (10 - agree), (1 - yes) ** agree * yes ** (10 - agree)
        right += ways * max(both) / 2
    assert "more than 99.9 times in 100" in answer_to("What if I answer every day?")
    assert right < 1  # the bound is told as one: “may be right”


def test_pages_and_uses_that_are_named_exist() -> None:
    titles = {entry.title for entry in PAGES}
    named = [title for each in ALL for title in re.findall("See “([^”]*)”", each.answer)]
    assert len(named) >= 8
    assert set(named) <= titles
    levels = {use.title: use.epsilon for use in DEPLOYMENTS}
    assert levels["Emoji, phones"] == 4.0
    assert levels["Keyboard words (QuickType), phones"] == 8.0


def test_they_are_on_the_first_page_with_all_words() -> None:
    at = open_page("pages/start.py")
    texts: list[Any] = list(at.get("html"))
    (made,) = (each.body for each in texts if 'class="questions"' in each.body)
    assert made.count("<summary>") == len(ALL) + 1
    assert all(f"<dt>{name}</dt>" in made for name in DEFINITIONS)
