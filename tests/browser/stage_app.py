"""A bare page with a stage: Gowalla, plain LDP, blocks of 25 × 35; the browser tests open it."""

import json
from collections.abc import Iterable, Iterator

import streamlit as st

from caldp_core.datasets import state_outline, us_cities
from caldp_core.domain.domains import US_GRID, Area
from caldp_core.experiments.run import Result, prepare, run
from caldp_core.mechanisms.catalogue import Hadamard
from caldp_core.scenarios.blocks import GridBlocks, SensitiveAreas
from caldp_core.scenarios.policies import ContextPolicy
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.stage.component import Act, StepChoice, send_frames, stage
from caldp_ui.stage.records import (
    Action,
    Difference,
    Fact,
    Film,
    Focus,
    Ground,
    Picture,
    Scene,
    Step,
    encode,
    encode_errors,
    encode_labels,
    encode_lines,
    encode_mask,
    encode_people,
    encode_rows,
    nobody_below,
)
from caldp_ui.words import formats

EPSILONS = (0.5, 1.0, 4.0)
LEVELS = (0.5, 1.0, 2.0, 4.0)
"""Of the page's slider; its film lacks one of them."""
HOME = Area(25.0, 49.6, -125.2, -66.6)
MARKED = Area(40.0, 42.0, -75.0, -72.0)
ACTIONS = (
    Action(
        "numbers",
        "Show its numbers",
        {"box": "The people in the box you drag are counted; nothing else changes."},
    ),
    Action(
        "protect",
        "Protect",
        {
            "box": "All places in the box you drag will be sensitive.",
            "brush": "All places you paint will be sensitive.",
            "blocks": "All places of the block you choose will be sensitive.",
        },
    ),
    Action("unprotect", "Unprotect", {"box": "Places in the box you drag will be open to all."}),
)


@st.cache_resource(show_spinner=False)
def result_of(epsilon: float, seed: int, plain: bool) -> Result:
    scenario = Scenario(
        policy=ContextPolicy(GridBlocks(25, 35), epsilon=epsilon),
        mechanism=Hadamard(),
        seed=seed,
    )
    return run(prepare(scenario.plain() if plain else scenario))


def subtitle(result: Result) -> str:
    return f"{formats.of_hundred(result.first.errors.tv)} people in the wrong place"


def fact(result: Result) -> Fact:
    return Fact(formats.hundred(result.first.errors.tv), "of 100 people in the wrong place")


@st.cache_resource(show_spinner=False)
def ground() -> Ground:
    partition = result_of(1.0, 1, False).setup.partition
    drawn = SensitiveAreas(("+33,35,-119,-116", "+38,43,-77,-71"))
    return Ground(
        US_GRID,
        HOME,
        encode_lines(*state_outline()),
        encode_rows(list(vars(city).values()) for city in us_cities()),
        encode_labels(partition.labels),
        encode_rows([partition.names]),
        encode_mask(drawn.build(US_GRID, partition)),
    )


def sentence(epsilon: float) -> str:
    return f"As computed for ε = {epsilon:g}."


def steps(settings: Iterable[tuple[str, float, float, int]]) -> Iterator[Step]:
    for label, value, epsilon, seed in settings:
        pair = {"plain": result_of(epsilon, seed, True), "ours": result_of(epsilon, seed, False)}
        yield Step(
            label,
            value,
            {
                name: encode_people(result.first.estimate, result.setup.n)
                for name, result in pair.items()
            },
            {name: subtitle(result) for name, result in pair.items()},
            {name: fact(result) for name, result in pair.items()},
            f"{epsilon:g}",
            {".st-key-sentence p": f"<p>{sentence(epsilon)}</p>"},
        )


@st.cache_resource(show_spinner=False)
def films() -> tuple[Film, ...]:
    levels = [(f"ε = {epsilon:g}", epsilon, epsilon, 1) for epsilon in EPSILONS]
    draws = ((f"outcome {seed}", float(seed), 1.0, seed) for seed in range(1, 3))
    return (
        Film("epsilon", "Privacy level ε", tuple(steps(levels))),
        Film("draws", "Draw new noise", tuple(steps(draws)), False, 2, loops=True, place=1),
        Film("levels", "The page's levels", tuple(steps(levels)), dial="level", place=2),
    )


def scene(epsilon: float, seed: int) -> Scene:
    plain, ours = result_of(epsilon, seed, True), result_of(epsilon, seed, False)
    setup = ours.setup
    nobody = nobody_below(setup.n)
    odds = f"ε = {epsilon:g}: of 100 people, an onlooker torn 50:50 guesses at most 73 right."
    return Scene(
        ground(),
        (
            Picture(
                "truth",
                "Truth",
                "where people really are",
                "Map of where people really are.",
                encode(setup.dataset.distribution),
            ),
            Picture(
                "plain",
                "Plain LDP",
                subtitle(plain),
                f"Map of the estimate with plain LDP: {subtitle(plain)}.",
                encode_people(plain.first.estimate, plain.setup.n),
                nobody,
                ("sensitive",),
                fact(plain),
            ),
            Picture(
                "ours",
                "This protection",
                subtitle(ours),
                f"Map of the estimate with this protection: {subtitle(ours)}.",
                encode_people(ours.first.estimate, ours.setup.n),
                nobody,
                fact=fact(ours),
                error=encode_errors(ours.first.estimate * 0 + 1e-5),
            ),
        ),
        setup.n,
        ("plain", "ours"),
        (
            Difference("off-plain", "Plain LDP is off by", "", "Error.", "plain", "truth", nobody),
            Difference("off", "This protection is off by", "", "Error.", "ours", "truth", nobody),
        ),
        ACTIONS,
        can_undo=bool(st.session_state.log),
        focus=st.session_state.get("focus"),
        film_values={"epsilon": epsilon, "levels": epsilon},
        image_name="caldp-map",
        image_lines=(odds, "Gowalla (reconstructed grid), 3,671,812 check-ins"),
    )


def note(event: Act | StepChoice) -> None:
    fields = {name: value for name, value in vars(event).items() if value is not None}
    st.session_state.log.append(json.dumps(fields, default=str))
    if isinstance(event, StepChoice):
        st.session_state.epsilon = event.value


st.set_page_config(page_title="Stage", layout="wide")
st.session_state.setdefault("log", [])
st.session_state.setdefault("epsilon", 1.0)
st.session_state.setdefault("seed", 1)


def go() -> None:
    last = st.session_state.get("focus")
    st.session_state.focus = Focus(MARKED, last.serial + 1 if last else 1)


def turn() -> None:
    st.session_state.epsilon = st.session_state.level


with st.container(key="sentence"):
    st.markdown(sentence(st.session_state.epsilon))
maps = stage(
    scene(st.session_state.epsilon, st.session_state.seed), "maps", on_act=note, on_step=note
)
with st.container(horizontal=True):
    st.button("First", on_click=lambda: st.session_state.update(seed=1))
    st.button("Another", on_click=lambda: st.session_state.update(seed=2))
    st.button("Zoom to my box", on_click=go)
    with st.container(key="count"):
        st.text(f"#{len(st.session_state.log)}")
    st.code("\n".join(st.session_state.log[-3:]) or "nothing yet")
st.session_state.level = st.session_state.epsilon
st.select_slider("Level", LEVELS, format_func="{:g}".format, key="level", on_change=turn)
send_frames(films(), maps)
