"""Under the pictures: words for a decision, all errors, the debate with its sources, exports.

The text for a memo: the data, the error of each treatment, and what the attack finds.

Exports of the page beside the estimate: the tables of all treatments as one file.

The page as one file: all treatments and the attack as far as it was played, along ε.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import pandas as pd
import streamlit as st

from caldp_core.domain.grid import GridDomain
from caldp_core.treatments.release import BOX
from caldp_ui.coarser import attack_words, debate, films, outcomes, pin_view, scene, words
from caldp_ui.coarser.outcomes import TREATMENT_NAMES, AttackResult
from caldp_ui.coarser.page_state import (
    BLOCKS,
    CENSUS_BLOCK,
    NOTHING,
    PLAIN,
    STATE,
    TABLES,
    Publication,
    TreatmentData,
    TreatmentResult,
    load_data,
)
from caldp_ui.compute import exports
from caldp_ui.compute.plain_ldp import best_plain_ldp
from caldp_ui.maps.ground import home
from caldp_ui.offline import maps, offer
from caldp_ui.offline.records import Part
from caldp_ui.parts import comparison, pictures, pins, promises, sharing
from caldp_ui.parts.record import ReportContent
from caldp_ui.parts.tabs import tabs
from caldp_ui.words import formats, promise
from caldp_ui.words.glossary import terms


def buttons(data: TreatmentData) -> None:
    """The hint for saving the maps, and the button for the file of tables."""
    if isinstance(data.domain, GridDomain):
        sharing.show_map_save_hint()
    sharing.true_file(
        STATE.key("tables-csv"), "treatments.csv", lambda: tables_csv(data), data.record.scenario
    )


def tables_csv(data: TreatmentData) -> bytes:
    """One row per cell with people or a hidden count: what each treatment publishes, in people."""
    columns: dict[str, object] = {}
    listed = (data.counts > 0) | data.table.hidden
    cells = listed.nonzero()[0].tolist()
    domain = data.domain
    if isinstance(domain, GridDomain):
        rows, places = domain.row_column(cells)
        columns["latitude"] = domain.latitudes()[rows].round(6).tolist()
        columns["longitude"] = domain.wrapped_longitudes()[places].round(6).tolist()
    else:
        columns["answer"] = [domain.name_of(cell) for cell in cells]
    columns["larger cell"] = data.labels[cells].tolist()
    for name, each in data.treatments.items():
        columns[words.TITLES[name]] = each.release.estimate[cells].round(3).tolist()
    columns["hidden"] = data.table.hidden[cells].tolist()
    return exports.csv(columns)


def part(record: Publication) -> Part | None:
    """The page as a part of an offline file; None without a map, or where a film takes long."""
    if record.attack in (CENSUS_BLOCK, TABLES):
        return None
    data = load_data(record, comparison.load_fast_results)
    if not isinstance(data.domain, GridDomain) or not films.can_be_made(data):
        return None
    return maps.part(
        "coarser",
        "Noise, coarser, or nothing?",
        "The same people under each treatment, and how many an attacker finds. Move ε: only the "
        "treatments with noise change.",
        scene.scene(data, outcomes.run_attack(data)),
        record=record,
        films=[films.EPSILON],
    )


def memo(data: TreatmentData, attack_result: AttackResult) -> str:
    """Paragraphs in plain words, every number of them computed here."""
    record, setup = data.record, data.setup
    errors = words.list_errors(data, [name for name in data.treatments if name != NOTHING])
    lines = [
        (
            f"Data: {setup.dataset.name}, {promise.population(setup)}, larger cells: "
            f"{words.cell_size_text(data)}. Counts under {record.threshold:,} are hidden, numbers "
            "are "
            f"rounded to multiples of {record.base}."
        ),
        f"Of 100 people {words.nouns(data).wrong}: {errors}.",
    ]
    if record.moves:
        shares = "; ".join(
            f"{words.TITLES[name]} {words.of_hundred(each.share)}"
            for name in TREATMENT_NAMES
            if (each := attack_result.outcomes[name]).share is not None
        )
        unit = words.UNIT[record.attack]
        lines.append(f"Attack “{words.ATTACK_TITLES[record.attack]}”, {unit}: {shares}.")
        lines.append(attack_words.headline(data, attack_result).sentence)
    return "\n\n".join([*lines, words.bound_text(data)])


@dataclass(frozen=True, eq=False)
class TabData:
    """The treatments, and the attack as far as it has been played, None while it is computed."""

    data: TreatmentData
    attack_result: AttackResult | None


def show(data: TreatmentData, attack_result: AttackResult | None) -> None:
    """Draws the pinned record, then the tabs with the open one."""
    pins.show(STATE, pin_view.PIN_VIEW, data)
    tabs(STATE.key("tabs"), _TABS, TabData(data, attack_result))


def _decision(tab_data: TabData) -> None:
    data = tab_data.data
    st.markdown(words.bound_text(data))
    rows = {words.TITLES[name]: words.decision_row(data, name) for name in TREATMENT_NAMES}
    frame = pd.DataFrame.from_dict(rows, orient="index", columns=list(debate.COLUMNS))
    st.table(frame.rename_axis("treatment"))
    if tab_data.attack_result is not None:
        st.markdown("**For a memo**")
        text = memo(data, tab_data.attack_result)
        st.code(sharing.true_text(text, data.record.scenario), language=None, wrap_lines=True)
    terms("ε", "local differential privacy", "context-aware", "total variation")


def _errors(tab_data: TabData) -> None:
    data = tab_data.data
    small = f"of {formats.count(max(data.record.threshold - 1, 1), 'person', 'people')} or fewer"
    box = f"box of {BOX} × {BOX} cells" if isinstance(data.domain, GridDomain) else "larger cell"
    rows = {
        words.TITLES[name]: {
            f"of 100 people {words.nouns(data).wrong}": formats.per_hundred(each.errors.tv),
            "mean error of a cell, people": formats.digits(each.errors.cell),
            f"mean error of a cell {small}": formats.digits(each.errors.small),
            "of 100 such cells more than half wrong": formats.per_hundred(each.errors.small_lost),
            f"of 100 people in the wrong {box}": formats.per_hundred(each.errors.box),
        }
        for name, each in data.treatments.items()
    }
    st.table(pd.DataFrame.from_dict(rows, orient="index").rename_axis("treatment"))
    st.caption(
        "The same people in all rows. A reader of larger cells spreads their people evenly, and so "
        "the people of hidden cells. Totals of boxes are what can still be asked of a table."
    )


def _debate(tab_data: TabData) -> None:
    del tab_data
    left, right = st.columns(2, gap="large")
    for place, (title, sides) in zip((left, right), debate.SIDES.items(), strict=True):
        with place:
            st.markdown(f"**{title}**")
            promises.bullets(f"{claim} ({source})" for claim, source in sides)
    st.markdown("**Who does what**")
    promises.bullets(f"{claim} ({source})" for claim, source in debate.OFFICES)


def _promise(tab_data: TabData) -> None:
    data = tab_data.data
    st.markdown(
        "Of all treatments here, plain LDP and blocks need no trust in whoever collects the data. "
        "What the blocks promise, and what they do not:"
    )
    promises.audit_section(STATE, data.record.scenario)
    terms("ε", "context-aware")


def _sharing(tab_data: TabData) -> None:
    data = tab_data.data
    content = None
    if data.ours is not None:
        noise = {name: data.treatments[name] for name in (PLAIN, BLOCKS)}
        office = {name: each for name, each in data.treatments.items() if name not in noise}
        true, estimates = _pictures(data, office), _pictures(data, noise)
        content = ReportContent(data.ours, _summary_text(tab_data), estimates, true)
    other_scenarios = {sharing.PLAIN: best_plain_ldp(data.record.scenario)}
    sharing.section(STATE, words.nouns(data), content, other_scenarios, lambda: buttons(data))
    offer.offer_page(STATE, part)


def _summary_text(tab_data: TabData) -> str:
    """The attack, as far as it has been played, the errors and what is promised."""
    data, result = tab_data.data, tab_data.attack_result
    attack = [attack_words.headline(data, result).sentence] if result and data.record.moves else []
    return " ".join([*attack, words.errors_sentence(data), words.bound_text(data)])


def _pictures(data: TreatmentData, some: Mapping[str, TreatmentResult]) -> dict[str, bytes]:
    if not isinstance(data.domain, GridDomain):
        return {}
    shares = {words.TITLES[name]: each.release.shares for name, each in some.items()}
    return pictures.maps(shares, data.domain, home(data.domain), data.setup.n)


_TABS: Final[dict[str, Callable[[TabData], None]]] = {
    "Words for a decision": _decision,
    "All errors": _errors,
    "For and against": _debate,
    "What is promised": _promise,
    "Share and export": _sharing,
}
