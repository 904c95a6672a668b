"""Several columns of a file as one survey; numbers in steps, which names say and are read back."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Floats
from caldp_core.datasets import OwnSurvey, OwnTable, inspect_data
from caldp_core.datasets.files.answers import count_answers, count_questions
from caldp_core.datasets.files.numbers import NumberSteps
from caldp_core.domain.answers import bin_name, scale_of
from tests.contract.checks import naming
from tests.strategies import examples

YES = OwnTable(("no", "yes"), (5, 3), title="smokes")
COLOUR = OwnTable(("red", "no", "blue"), (1, 1, 6), title="colour")
SURVEY = OwnSurvey.of((YES, COLOUR), "Both")
AGES = np.random.default_rng(5).integers(18, 96, 400)
RECORDS = "\n".join(
    ["Alter;Betrag;Raucher;Gewicht"]
    + [
        f"{age};{age / 7:.3f};{('ja', 'nein', '')[age % 3]};1.5".replace(".", ",")
        for age in AGES.tolist()
    ]
)


def test_a_survey_is_its_questions() -> None:
    assert SURVEY.tables() == (YES, COLOUR)
    assert replace(SURVEY, selected=1).load().domain == COLOUR.load().domain
    for words, wrong in {
        "questions must name 2 to 10": {"questions": ("a",) * 5},
        "All rows of a question must follow each other": {"questions": tuple("aabba")},
        "names must be one for each of the 5 rows": {"names": ("a",)},
        "names must differ": {"names": ("no", "no", "a", "b", "c")},
        "selected must be": {"selected": 2},
    }.items():
        with naming(words), pytest.raises(CaldpError, match=words):
            replace(SURVEY, **wrong)  # type: ignore[arg-type]


def people_in(table: OwnTable, between: str, numbers: Floats, beyond: float) -> None:
    """Every step has the people whose numbers are in it, at weight 1.5, and so have all."""
    assert sum(table.counts) == int(1.5 * numbers.size + 0.5)
    for name, count in zip(table.names, table.counts, strict=True):
        low, high = (float(end) for end in name.split(between))
        inside = (numbers >= low) & (numbers < high + beyond)
        assert count - 1.5 * inside.sum() in (-0.5, 0.0, 0.5)


def test_columns_are_counted_as_questions_and_many_numbers_in_steps() -> None:
    file = inspect_data(RECORDS.encode())
    found = count_questions(file, replace(file.answers, answer=0, others=(1, 2)), "U")
    ages, amounts, smokes = found.survey.tables()
    people_in(ages, " to ", AGES.astype(np.float64), 1)
    people_in(amounts, " to under ", (AGES / 7).round(3), 0)
    assert (ages.names[0], ages.names[-1]) == ("15 to 19", "95 to 99")
    assert set(smokes.names) == {"ja", "nein"}
    empty = int((AGES % 3 == 2).sum())
    assert found.refused.describe().startswith(
        f"{empty} of 400 rows are not counted: {empty} with no"
    )
    assert found.refused.reasons == (("no answer in “Raucher”", empty),)
    with pytest.raises(CaldpError, match="2 to 10 different questions"):
        count_questions(file, replace(file.answers, answer=0, others=(0,)), "U")


def test_steps_are_as_wide_as_asked_and_none_is_missing() -> None:
    file = inspect_data("amount\n0.3\n0.29\n-0.1\nnone\n0.9\n")
    layout = replace(file.answers, answer=0, count=None, header=True, steps=NumberSteps(0.1))
    found = count_answers(file, layout, "Amounts")
    counts = dict(zip(found.table.names, found.table.counts, strict=True))
    assert list(counts.values()) == [1, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1]
    assert counts["0.3 to under 0.4"] == counts["-0.1 to under 0"] == 1
    assert found.refused.reasons == (("no number as an answer", 1),)
    with pytest.raises(CaldpError, match="take wider steps"):
        count_answers(file, replace(layout, steps=NumberSteps(1e-4)), "Amounts")


@examples(one_in=6)
@given(st.integers(-9, 9), st.integers(3, 30), st.sampled_from([1.0, 2.5, 7.0]))
def test_numbers_beyond_the_steps_count_in_the_first_or_last(
    start: int, span: int, width: float
) -> None:
    steps = NumberSteps(width, float(start), start + span * width)
    amounts = np.random.default_rng(span).uniform(start - 20, start + 100, 200).round(1)
    file = inspect_data("amount\n" + "\n".join(map(str, amounts)))
    layout = replace(file.answers, answer=0, count=None, header=True, mark=".", steps=steps)
    found = count_answers(file, layout, "Amounts")
    edges = start + width * np.arange(span + 1)
    within = np.clip(amounts, start, edges[-1] - 1e-6)
    assert found.table.counts == tuple(np.histogram(within, edges)[0])
    assert found.clamped_rows == int(((amounts < start) | (amounts >= edges[-1])).sum())
    assert scale_of(found.table.names) == pytest.approx(edges[:-1] + width / 2)


def test_steps_that_make_no_table_are_refused() -> None:
    for steps, message in (
        (NumberSteps(0.0), "above 0, got 0"),
        (NumberSteps(float("nan")), "The width of steps must be a number"),
        (NumberSteps(1.0, 5.0, 5.0), "to a larger one, got 5 to 5"),
        (NumberSteps(10.0, 0.0, 10.0), "2 to 2,000 steps, got 1 of 10"),
        (NumberSteps(1e-9, 0.0, 10.0), "take another width"),
        (NumberSteps(1.0, float("inf"), None), "From must be a number"),
    ):
        with naming(message), pytest.raises(CaldpError, match=message):
            steps.check()


@settings(max_examples=50)
@given(
    st.integers(-10_000, 10_000),
    st.sampled_from([0.1, 0.5, 1.0, 2.0, 50.0, 1000.0]),
    st.booleans(),
)
def test_a_name_of_a_step_says_its_middle(first: int, width: float, whole: bool) -> None:
    names = [bin_name(number, width, whole) for number in range(first, first + 4)]
    less = 0.5 if whole and width == int(width) else 0.0
    wanted = (first + np.arange(4) + 0.5) * width - less
    found = scale_of(names)
    assert found is not None
    np.testing.assert_allclose(found, wanted.astype(np.float64), atol=1e-9)


def test_what_is_no_scale_is_none() -> None:
    assert scale_of(("18-24", "25–34", "35 to 49")) is not None
    for names in (("1", "2"), ("1", "2", "other"), ("3", "2", "1"), ("18-24", "25-34", "35+")):
        assert scale_of(names) is None
