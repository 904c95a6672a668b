"""Three questions per part: predict, then move the slider, then explain.

Right answers about a slider are figures of the films' headlines.
"""

from collections.abc import Sequence
from typing import Final

from caldp_ui.offline.records import Question
from caldp_ui.stage import Film, Step

_OURS: Final = "ours"
_PROTECTIONS: Final = {
    "plain": "Fresh reports under plain LDP.",
    "kept": "One stored report under this protection, sent again every day.",
    _OURS: "Fresh reports under this protection.",
}
"""Answers by the picture that shows them."""
_BELIEFS: Final = {
    "plain": "with plain LDP",
    "kept": "if the phone repeats one stored report",
    _OURS: "now",
}
"""Figures of the attacker's headline by the picture that shows them."""


def of_maps(films: Sequence[Film]) -> tuple[Question, ...]:
    """Questions about ε on the map; `films`: that along ε first."""
    steps = films[0].steps
    low, high = steps[0], steps[-1]
    return (
        Question(
            "Before you move anything: ε goes up. What happens?",
            (
                "The maps get sharper, and an attacker guesses better.",
                "The maps get sharper, and an attacker learns nothing more.",
                "The maps get worse, and everybody is safer.",
            ),
            "Less noise is better for the map and for the attacker alike.",
        ),
        _epsilon_question(steps),
        Question(
            "Why has this protection fewer people in the wrong place than plain LDP at the same ε?",
            (
                "Its reports may tell the block, so that noise has to hide only the place in it.",
                "It asks more people.",
                "It promises less to people in the same block.",
            ),
            f"From {low.label} to {high.label}: in the same block both promise the same. Only "
            "plain LDP hides the block, too, and pays for it with accuracy.",
        ),
    )


def _epsilon_question(steps: Sequence[Step]) -> Question:
    """Asks for the first step with at most as many people in the wrong place as the middle step."""
    middle = steps[len(steps) // 2]
    limit = wrong(middle)
    first = next(i for i, step in enumerate(steps) if wrong(step) <= limit)
    others = [i for i in (first - 4, first - 2, first + 2, first + 4) if 0 <= i < len(steps)][:3]
    return Question(
        f"Move ε. From which of these on does this protection put at most {limit:g} of 100 people "
        "in the wrong place?",
        (steps[first].label, *(steps[i].label for i in others)),
        f"At {steps[first].label} it is {wrong(steps[first]):g}; with plain LDP "
        f"{wrong(steps[first], 'plain_tv'):g}.",
    )


def wrong(step: Step, figure: str = "tv") -> float:
    """People of 100 in the wrong place at a step, whole as its picture has them but near 0."""
    share = step.headline.figures[figure]
    return float(round(100 * share)) if share >= 0.015 else 100 * share


def of_answers(films: Sequence[Film]) -> tuple[Question, ...]:
    """Questions about the sensitive set, whatever the `films` show."""
    del films
    return (
        Question(
            "Before you move anything: an answer is no longer marked as sensitive. What then?",
            (
                "Its estimate gets better, and whoever gave it can be read from the report.",
                "Its estimate gets better, and whoever gave it stays as safe as before.",
                "Nothing: noise is added to every answer alike.",
            ),
            "What is not sensitive is not protected: the people who gave such an answer are named "
            "first on every page.",
        ),
        Question(
            "Let the sensitive set grow to all answers. What becomes of the estimates' ranges?",
            (
                "They get as wide as those of plain LDP.",
                "They get narrower.",
                "They stay as they were.",
            ),
            "With everything sensitive this protection is plain LDP: nothing is left to save.",
        ),
        Question(
            "Who should choose which answers are sensitive?",
            (
                "People who know what harm an answer can do, before anything is collected.",
                "The collector, after looking at the answers.",
                "Nobody: all answers are always equally sensitive.",
            ),
            "The choice is public and made beforehand; one that looks at the answers would tell "
            "something about them.",
        ),
    )


def of_attacker(films: Sequence[Film]) -> tuple[Question, ...]:
    """Questions about reports that add up; `films`: that along the days first."""
    steps = films[0].steps
    last = steps[-1]
    chances = {name: last.facts[name].number for name in _PROTECTIONS}
    best, *worse = sorted(_BELIEFS, key=lambda name: last.headline.figures[_BELIEFS[name]])
    return (
        Question(
            "Before you play the days: a phone makes fresh noise for every report. What does the "
            "attacker learn from ten reports about one place?",
            (
                "More with every report: what they have in common is the place.",
                "As much as from one report.",
                "Less, as there is more noise.",
            ),
            "The noise of many reports averages out; the place stays.",
        ),
        Question(
            f"Play to {last.label}. Which of the three gives the true place the smallest chance?",
            (_PROTECTIONS[best], *(_PROTECTIONS[name] for name in worse)),
            f"The chance by then is {chances['plain']} under plain LDP, {chances['kept']} with one "
            f"stored report and {chances[_OURS]} with fresh ones under this protection, whose "
            "reports show the state.",
        ),
        Question(
            "What does “ε a report” promise for a month of daily fresh reports?",
            (
                "That each report by itself says little: together they may say thirty times ε.",
                "The same ε for the month.",
                "Nothing at all.",
            ),
            "Promises add up over reports about the same thing. A phone that stores its noise "
            "spends ε once, as long as that stays the same.",
        ),
    )
