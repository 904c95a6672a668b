"""The parts of the lesson: the maps, the answers and the attacker, each as its page has it."""

from dataclasses import replace
from functools import partial

from caldp_core.scenarios.scenario import Scenario
from caldp_ui.adversary import films as of_attacker
from caldp_ui.adversary import scene as attacked
from caldp_ui.adversary import side
from caldp_ui.adversary import words as attacker_words
from caldp_ui.adversary.beliefs import shown as believed
from caldp_ui.adversary.slot import Suspect
from caldp_ui.compute import rivals, runs
from caldp_ui.maps.ground import ground
from caldp_ui.maps.scene import scene
from caldp_ui.offline import questions
from caldp_ui.offline.records import Part
from caldp_ui.parts import headline, odds
from caldp_ui.parts.comparison import Shown
from caldp_ui.places import films as of_places
from caldp_ui.stage import Scene
from caldp_ui.values import chart
from caldp_ui.values import films as of_answers
from caldp_ui.values import words as answer_words
from caldp_ui.words.vocabulary import ANSWERS, PLACES


def maps(scenario: Scenario) -> Part:
    """Truth, plain LDP and this protection, along ε."""
    what = _shown(scenario)
    domain = runs.map_of(what.setup.dataset)
    return Part(
        "places",
        "Places on a map",
        "Both maps are made of randomised reports of the same people. Move ε, the privacy level.",
        "Protect only what is sensitive, and the map gets sharper.",
        headline.sentence_html(PLACES, runs.result(scenario), runs.result(rivals.rival(scenario))),
        odds.html(PLACES, what.setup),
        _alone(scene(what, ground(what.setup, domain, None))),
        (partial(of_places.over_epsilon, scenario),),
        questions.of_maps,
    )


def answers(scenario: Scenario) -> Part:
    """How often each answer was given, along the sensitive set and along ε."""
    what = _shown(scenario)
    told = answer_words.headline(what)
    films = [
        lambda progress, name=name: of_answers.film(scenario, name, progress)
        for name in (of_answers.SENSITIVE, of_answers.EPSILON)
    ]
    return Part(
        "answers",
        "Sensitive answers",
        "Bars are the truth, points are estimates from randomised answers with the range that "
        "holds the truth 95 times in 100. Let more or fewer answers be sensitive, then move ε.",
        "What is harmless need not pay for what is sensitive.",
        headline.html(told),
        odds.html(ANSWERS, what.setup),
        chart.message(what),
        films,
        questions.of_answers,
    )


def attacker(record: Suspect) -> Part:
    """What is believed of one person, day by day."""
    what = believed(record)
    domain = runs.map_of(what.ours.setup.dataset)
    return Part(
        "attacker",
        "What an attacker learns",
        "One person in one place reports every day. Bright is where an attacker who sees the "
        "reports expects the person, 95 times in 100. Play the days.",
        "Reports about one place add up, unless the phone stores its noise.",
        headline.html(attacker_words.headline(what)),
        side.odds_html(what, domain),
        _alone(attacked.scene(what, domain)),
        (partial(of_attacker.over_days, what, domain),),
        questions.of_attacker,
    )


def _shown(scenario: Scenario) -> Shown:
    rival = rivals.rival(scenario)
    return Shown(runs.setup(scenario), runs.setup(rival), runs.result(scenario), runs.result(rival))


def _alone(whole: Scene) -> Scene:
    """The scene in a row, which has its film's slider, without what asks for a click."""
    pictures = tuple(replace(picture, notes=(picture.notes[0], "")) for picture in whole.pictures)
    return replace(whole, pictures=pictures, arrangement=None)
