"""A method's own numbers: each has words, and can be set where the method is chosen."""

from dataclasses import fields, replace

from caldp_core.mechanisms.catalogue import MECHANISMS, Galois, Hadamard, SubsetSelection
from caldp_ui.values.page_state import AFFAIR, LINK, ValuesState
from caldp_ui.words.policies import PARAMETERS, describe_parameters
from tests.ui.driver import (
    by_the_core,
    checked,
    open_page,
    picture_of,
    pictures,
    query_of,
)

OPEN = {"values-more": True, "values-parameters": True}
OMEGA, SHARE = "values-parameter-omega", "values-parameter-share"


def test_every_number_of_a_method_has_words_and_no_other_has() -> None:
    named = {field.name for entry in MECHANISMS.values() for field in fields(entry.spec)}  # type: ignore[arg-type]
    assert named == set(PARAMETERS)
    assert describe_parameters(SubsetSelection()) == describe_parameters(Hadamard()) == ""
    assert describe_parameters(SubsetSelection(omega=5)) == ", ω = 5"
    assert describe_parameters(Galois(share=0.25)) == ", share = 0.25"


def test_a_number_is_set_refused_and_left_to_the_method_again() -> None:
    sent = LINK.write(ValuesState(replace(AFFAIR, mechanism=SubsetSelection())))
    at = open_page("pages/values.py", sent, OPEN)
    assert "best: " in at.text_input(key=OMEGA).placeholder
    checked(at.text_input(key=OMEGA).set_value("2").run())
    link = query_of(at)
    assert link["mechanism.omega"] == "2"
    for bad in ("0", "two", "1.5"):
        at.text_input(key=OMEGA).set_value(bad).run()
        (refused,) = [item.value for item in (*at.warning, *at.error)]
        assert "omega must be a whole number" in refused
        assert (query_of(at), at.text_input(key=OMEGA).value) == (link, "2")
    again = open_page("pages/values.py", link, OPEN)
    assert again.text_input(key=OMEGA).value == "2"
    checked(again.text_input(key=SHARE).set_value("0,5").run())
    assert query_of(again)["mechanism.share"] == "0.5"
    assert "mechanism.omega" not in query_of(again)
    checked(again.text_input(key=SHARE).set_value("").run())
    assert query_of(again)["mechanism"] == "subset-selection"
    assert "mechanism.share" not in query_of(again)


def test_q_of_the_cascade_is_set_refused_and_left_again() -> None:
    begin = {"v": "2", "dataset": "cities", "dataset.together": "3", "n": "200000"} | {
        "blocks": "one"
    }
    opens = {"places-more": True, "places-cascade": True}
    at = open_page("pages/places.py", begin, opens)
    field = "places-false-share"
    assert at.text_input(key=field).placeholder == "the best: 0.2"
    checked(at.text_input(key=field).set_value("0,05").run())
    link = query_of(at)
    assert link["false_share"] == "0.05"
    for bad in ("0", "0.6", "a fifth"):
        at.text_input(key=field).set_value(bad).run()
        (refused,) = [item.value for item in (*at.warning, *at.error)]
        assert "q" in refused
        assert (query_of(at), at.text_input(key=field).value) == (link, "0.05")
    scenario = at.session_state["places/state"].record.scenario
    assert (
        open_page("pages/places.py", link).session_state["places/state"].record.scenario == scenario
    )
    usual = replace(scenario, false_share=None)
    assert picture_of(by_the_core(scenario)) in pictures(at).values()
    assert picture_of(by_the_core(scenario)) != picture_of(by_the_core(usual))
    checked(at.text_input(key=field).set_value("").run())
    assert "false_share" not in query_of(at)
    simplex = {**begin, "estimator": "simplex"}
    assert field not in [
        each.key for each in open_page("pages/places.py", simplex, opens).text_input
    ]
