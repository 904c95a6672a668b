"""This protection and the best plain LDP beside it: results, methods, and what each promises.

A picture that takes longer than a second is left out here and comes by a job. Every registered
method is listed. Repeating the scenario many times has a progress bar and a cancel. Curves are
drawn in a fragment: moving between them leaves the rest alone.

The statements that a page depends on: each in a sentence, its formula, its place in the code. Is
this ε safe? What it means, what others chose, and what guides say, in a drawer.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from html import escape
from typing import Any, Final, TypeAlias

import numpy as np
import pandas as pd
import streamlit as st

from caldp_core.basics.types import Floats, Progress, part_of, turn_of
from caldp_core.estimation.estimators import ESTIMATORS
from caldp_core.experiments.forecast import has_valid_errors, invalid_error_reason, is_slow
from caldp_core.experiments.run import Result, Setup, run
from caldp_core.mechanisms import FAMILIES
from caldp_core.mechanisms.catalogue import MECHANISMS
from caldp_core.scenarios.blocks import GridBlocks
from caldp_core.scenarios.scenario import Scenario
from caldp_core.theory.expected_error import Forecast
from caldp_ui.app.texts import escape_markdown, read_texts, read_toml
from caldp_ui.app.theme import palette
from caldp_ui.charts import curves
from caldp_ui.charts.show import show
from caldp_ui.compute import runs
from caldp_ui.controls import choices
from caldp_ui.session import jobs
from caldp_ui.session.page_state import PageState, S, update_scenario
from caldp_ui.words import formats, policies, promise
from caldp_ui.words.accuracy import OF_PAGES, Statement, terms

TEXTS: Final = read_texts(__file__)


@dataclass(frozen=True, eq=False)
class ComparisonData:
    """Results of this protection and of plain LDP on the same people; None: not there yet."""

    setup: Setup
    plain_setup: Setup
    ours: Result | None
    plain: Result | None


ResultLoader: TypeAlias = Callable[[PageState[Any], Scenario], ComparisonData]
"""How results are loaded: `load_results`, by jobs if they take long, or `load_fast_results`."""


def result_if_fast(scenario: Scenario) -> Result | None:
    """The result, at once; None where it takes a job or too many people were asked for."""
    if runs.takes_long(scenario) or runs.setup(scenario).n > runs.max_people(scenario):
        return None
    return runs.result(scenario)


def load_results(state: PageState[S], scenario: Scenario) -> ComparisonData:
    """The results that are ready; for the rest, buttons and progress are drawn here."""
    rival = runs.best_plain_ldp(scenario)
    ours, plain = result_if_fast(scenario), result_if_fast(rival)
    if ours is None:
        ours = _our_result_by_job(state, scenario)
    if plain is None and ours is not None:
        plain = result_or_job(state, "plain", rival)
    return ComparisonData(runs.setup(scenario), runs.setup(rival), ours, plain)


def load_fast_results(state: PageState[S], scenario: Scenario) -> ComparisonData:
    """The results without those that take long: no job is started, nothing is drawn."""
    del state
    rival = runs.best_plain_ldp(scenario)
    return ComparisonData(
        runs.setup(scenario), runs.setup(rival), result_if_fast(scenario), result_if_fast(rival)
    )


def result_or_job(state: PageState[S], job_name: str, scenario: Scenario) -> Result | None:
    """The result of a scenario to compare with, at once, or by a job that starts automatically.

    `job_name`: names the job on its page.
    """
    result = result_if_fast(scenario)
    if result is not None or runs.setup(scenario).n > runs.max_people(scenario):
        return result
    return _job(state, job_name, scenario, jobs.run_automatically)


def _our_result_by_job(state: PageState[S], scenario: Scenario) -> Result | None:
    most = runs.max_people(scenario)
    if runs.setup(scenario).n > most:
        _show_too_many(state, scenario, most)
        return None
    offer = jobs.StartButton("Run it", ":material/hourglass:", TEXTS["run_help"], "primary")
    is_long = is_slow(runs.setup(scenario))
    run = partial(jobs.run_on_click, button=offer) if is_long else jobs.run_automatically
    return _job(state, "ours", scenario, run)


def _job(
    state: PageState[S], job_name: str, scenario: Scenario, run: Callable[..., Result | None]
) -> Result | None:
    method = MECHANISMS[runs.setup(scenario).mechanism_name].title
    title = f"{method} with “{ESTIMATORS[scenario.estimator].title}”"

    def describe(job: jobs.Job[Result]) -> str:
        if job.is_waiting:
            return "Waiting for other runs on this server to end …"
        return f"{title}: {job.seconds:.0f} s so far"

    key, work = state.key(job_name), partial(runs.result, scenario)
    return run(key, runs.key(scenario), work, describe=describe)


def _show_too_many(state: PageState[S], scenario: Scenario, most: int) -> None:
    setup = runs.setup(scenario)
    method, people = MECHANISMS[setup.mechanism_name].title, formats.integer(setup.n)
    text = TEXTS["too_many"].format(method=method, people=people, most=formats.integer(most))
    st.error(text, icon=":material/error:")
    fewer = 10 ** (len(str(most)) - 1)  # the slider's steps are powers of ten
    state.button(
        "fewer-people",
        f"Use {formats.integer(fewer)} people",
        lambda: update_scenario(state, lambda s: replace(s, n=fewer)),
        type="primary",
    )


def table(setup: Setup) -> None:
    """How many people and how many bits each method takes, and which one is best here and why."""
    best, bits = runs.compare_methods(setup.scenario)
    losses, least = best.l2_squared, min(best.l2_squared.values())
    chosen = setup.mechanism_name
    st.markdown("**Methods, with this protection**")
    columns = {
        "people for the same accuracy": {
            name: _times(loss, least) for name, loss in losses.items()
        },
        "bits per report": {name: formats.integer(number) for name, number in bits.items()},
    }
    titles = {name: FAMILIES[name].title + " (chosen)" * (name == chosen) for name in losses}
    st.table(pd.DataFrame(columns).rename(index=titles).rename_axis("method"))
    st.caption(f"{best.reason} {TEXTS['table_notes']}")


def _times(loss: float, least: float) -> str:
    # Nothing hidden: nobody's report is noise, and all methods are one.
    factor = loss / least if least > 0 else 1.0
    return "the fewest" if factor < 1.005 else f"{formats.times(factor)} as many"


RUNS: Final = 100


def section(key: str, ours: Result, plain: Result) -> None:
    """The button, then the progress, then the result."""
    # The runs are those of a scenario, whatever outcome of it is shown.
    name = runs.law_key(ours.setup.scenario)
    first, second = ours.setup, plain.setup
    cost = jobs.Cost(RUNS * (ours.seconds + plain.seconds), jobs.MB_PER_VALUE * first.mechanism.k)
    offer = jobs.StartButton(
        f"Repeat it {RUNS} times{cost.duration_suffix()}", ":material/repeat:", TEXTS["repeat_help"]
    )
    repeated = jobs.run_on_click(
        key,
        name,
        partial(_repeat, first, second),
        offer,
        lambda job: f"Run {min(round(job.share / 0.9 * 2 * RUNS), 2 * RUNS)} of {2 * RUNS}",
    )
    if repeated is not None:
        own, other = (_range_text(*each) for each in repeated)
        st.markdown(f"In {RUNS} runs each: this protection {own}; plain LDP {other}.")


def _repeat(ours: Setup, plain: Setup, progress: Progress) -> list[tuple[Floats, Forecast | None]]:
    """(RUNS,) TV of this protection and of plain LDP, and what is expected of each."""
    both = [replace(each, scenario=replace(each.scenario, trials=RUNS)) for each in (ours, plain)]
    most, rest = part_of(progress, 0.0, 0.9), part_of(progress, 0.9, 1.0)
    results = [run(each, turn_of(most, turn, 2)) for turn, each in enumerate(both)]
    found = [np.array([errors.tv for errors in result.errors]) for result in results]
    turns = [turn_of(rest, turn, 2) for turn in range(2)]
    return list(
        zip(found, map(runs.expected_error, (s.scenario for s in both), turns), strict=True)
    )


def _range_text(tv: Floats, expected: Forecast | None) -> str:
    """Mean, the least to the most, and what is expected."""
    low, middle, high = (formats.share(float(value)) for value in (tv.min(), tv.mean(), tv.max()))
    end = "" if expected is None else f", expected {formats.share(expected.error)}"
    return f"**{middle}** ({low} to {high}){end}"


@dataclass(frozen=True)
class CurveChoice:
    """An abscissa that the error is drawn against.

    `name`: as `runs.error_curves` has it. `fixed_part`: the scenario without what the abscissa
    changes. `current_x`: where the shown result is on the abscissa.
    """

    title: str
    name: str
    fixed_part: Callable[[Scenario], Scenario]
    current_x: Callable[[Result], float]
    x_axis: dict[str, Any]


EPSILON: Final = CurveChoice(
    "ε",
    "epsilon",
    lambda scenario: scenario.with_epsilon(1.0),
    lambda result: promise.largest_epsilon(result.setup.scenario),
    curves.EPSILON_AXIS,
)
PEOPLE: Final = CurveChoice(
    "number of people",
    "people",
    lambda scenario: replace(scenario, n=runs.NUMBERS[0]),
    lambda result: float(result.setup.n),
    curves.PEOPLE_AXIS,
)
BLOCKS: Final = CurveChoice(
    "number of blocks",
    "blocks",
    lambda scenario: scenario.with_context(blocks=GridBlocks(1, 1)),
    lambda result: float(result.setup.partition.m),
    curves.BLOCKS_AXIS,
)
SENSITIVE: Final = CurveChoice(
    "size of the sensitive set",
    "sensitive",
    lambda scenario: scenario,
    lambda result: float(result.setup.sensitive.sum()),
    curves.SENSITIVE_AXIS,
)


def curves_section(
    state: PageState[Any], choices: Sequence[CurveChoice], data: ComparisonData
) -> None:
    """The choice, the curves, and repeated runs, once both results are there."""
    if not has_valid_errors(data.setup):
        st.info(invalid_error_reason(data.setup))
        return
    if data.ours is None or data.plain is None:
        st.info("The curves follow as soon as both pictures are ready.")
        return
    key = state.key("curve-against")
    titles = {against.title: against for against in choices}
    picked = st.segmented_control(
        "Error against", list(titles), default=choices[0].title, required=True, key=key
    )
    against = titles[picked or choices[0].title]
    shared = replace(against.fixed_part(data.ours.setup.scenario), seed=0)
    pair = jobs.run_automatically(
        f"{key}-curves",
        f"{against.title} {runs.key(shared)}",
        partial(runs.error_curves, against.name, shared),
        lambda job: f"Computing the expected error at every point: {job.share:.0%}",
    )
    if pair is not None and all(curve.x.size for curve in pair):
        _show_curves(against, data.ours, data.plain, pair)
    elif pair is not None:
        st.info(TEXTS["no_curve"])
    section(state.key("repetition"), data.ours, data.plain)


def _show_curves(against: CurveChoice, ours: Result, plain: Result, pair: runs.Pair) -> None:
    now = [result.first.errors.tv for result in (ours, plain)]
    has_shares = ours.setup.scenario.estimator != "none"
    wrong = formats.nouns_of(ours.setup.dataset.domain).wrong if has_shares else None
    figure = curves.error_curves(
        (pair[0], now[0]),
        (pair[1], now[1]),
        against.current_x(ours),
        against.x_axis,
        palette(),
        wrong=wrong,
    )
    counted = "" if wrong is None else f", in people of 100 {wrong}"
    show(
        figure,
        "curve",
        f"Expected error against {against.title}{counted}: this protection solid, plain LDP "
        "dashed, with bands that hold 90 of 100 outcomes. At the present setting "
        f"{_number(now[0], wrong)} and {_number(now[1], wrong)}.",
    )
    st.caption(TEXTS["curve_notes"])


def _number(tv: float, wrong: str | None) -> str:
    return formats.share(tv) if wrong is None else formats.per_hundred(min(tv, 1.0))


def shield(nouns: formats.Vocabulary, setup: Setup) -> None:
    """Show who is protected, and how well."""
    with st.container(key="protected"):
        texts = policies.describe_promise(nouns, setup)
        weak = " At this ε all protection counts as none." * texts.grades[-1].counts_as_none
        exposed = f"{escape_markdown(texts.exposed)} " if texts.exposed else ""
        promised = f"{texts.protected}{weak} {texts.odds} {texts.repeats}"
        st.markdown(f":material/shield: {exposed}{promised}")


def bullets(sentences: Iterable[str]) -> None:
    """List sentences in Markdown, one below the other."""
    st.markdown("\n".join(f"- {sentence}" for sentence in sentences))


def listed(title: str, sentences: Iterable[str]) -> None:
    """List sentences under a title in Markdown, without empty ones."""
    st.markdown(f"**{title}**")
    bullets(filter(None, sentences))


def not_promised(nouns: formats.Vocabulary, setup: Setup) -> None:
    """List what the policy does not promise, and the terms that are used."""
    texts = policies.describe_promise(nouns, setup)
    listed("What is *not* promised", [escape_markdown(texts.exposed), *texts.not_promised])
    if promise.is_known(setup):

        def bound() -> None:
            text = promise.scenario_text(nouns, setup)
            st.markdown(text or "No bound is known here.")
            if text:
                terms("δ")

        title, icon = "Shuffled reports", ":material/shuffle:"
        choices.fold(st.expander, title, "if-mixed", bound, icon=icon)
    terms("ε", "local differential privacy", "context-aware", "total variation")


def audit_section(state: PageState[S], scenario: Scenario) -> None:
    """A button, then the result of the exact audit of the mechanism that the page shows."""
    summary = jobs.run_on_click(
        state.key("audited"),
        json.dumps(scenario.to_dict()),
        lambda progress: runs.summarize_privacy(scenario, progress),
        jobs.StartButton("Audit this mechanism", ":material/verified:"),
        lambda job: f"Auditing the channel: {job.seconds:.0f} s so far",
    )
    if summary is not None:
        st.markdown(_audit_text(summary))


def _audit_text(found: runs.PrivacySummary) -> str:
    if found.holds is None:
        return f":material/help: Not audited: {escape_markdown(found.reason)}"
    if not found.holds:
        return ":material/error: It does **not** hold: do not rely on this promise."
    if found.nothing_promised:
        return ":material/error: **Nothing is promised**, so there is nothing to hold."
    nearest = ""
    if found.loss is not None and found.epsilon is not None:
        nearest = TEXTS["nearest_pair"].format(loss=found.loss, epsilon=found.epsilon)
    return f":material/verified: **It holds.**{nearest} Checked: {escape_markdown(found.method)}."


def drawer(page: str) -> None:
    """The drawer of all statements of a page; they are drawn once it is opened."""

    def statements() -> None:
        list_statements(OF_PAGES[page])
        st.caption("Sources and derivations: docs/mathematics.md.")

    key, icon = f"{page}-mathematics", ":material/function:"
    choices.fold(st.expander, "The mathematics", key, statements, icon=icon)


def list_statements(statements: Iterable[Statement]) -> None:
    """Show statements one after the other; nothing where there are none."""
    for each in statements:
        sentence = each.says[0].upper() + each.says[1:]
        st.markdown(f"{sentence} · `{each.code}`" if each.code else sentence)
        if each.formula:
            st.latex(each.formula)


USES: Final[dict[str, Any]] = read_toml(__file__, "uses.toml")
"""`device`, `holder`: uses by who adds the noise, each with its ε and what it covers. `guides`."""


def safety_button(state: PageState[Any], nouns: formats.Vocabulary, setup: Setup) -> None:
    """The button of a page with a scenario."""

    def sentences() -> list[str]:
        repeats = policies.describe_promise(nouns, setup).repeats
        return [escape_markdown(policies.promise_summary(nouns, setup)), repeats]

    _safety_drawer(state, lambda: policies.level_text(setup), sentences)


def epsilon_button(state: PageState[Any], epsilon: float) -> None:
    """The button of a page on which several protections share one ε."""
    _safety_drawer(state, lambda: f"ε = {epsilon:g}", lambda: [promise.epsilon_examples()])


def _safety_drawer(
    state: PageState[Any], level: Callable[[], str], sentences: Callable[[], list[str]]
) -> None:
    def draw() -> None:
        st.markdown(TEXTS["no_verdict"])
        listed(f"Here: {level()}", sentences())
        st.markdown(TEXTS["device_uses"])
        st.html(_uses_html("device"))
        st.markdown(TEXTS["holder_uses"])
        st.html(_uses_html("holder"))
        st.caption(f"From {USES['sources']}.")
        listed("What guides and laws say", USES["guides"])

    label, icon = "Is this ε safe?", ":material/balance:"
    choices.drawer(label, state.key("safe"), label, draw, icon=icon, type="tertiary")


def _uses_html(kind: str) -> str:
    rows = "".join(
        f"<tr><td>{use['epsilon']:g}</td><td>{escape(use['covers'])}</td>"
        f"<th scope=row>{escape(use['who'])}</th></tr>"
        for use in USES[kind]
    )
    head = "<tr><th scope=col>ε</th><th scope=col>covers</th><th scope=col>who, for what</th></tr>"
    return f'<table class="uses"><thead>{head}</thead><tbody>{rows}</tbody></table>'
