"""The attack: which one, what the attacker knows, the next move, and what comes out."""

from dataclasses import replace
from html import escape

import streamlit as st

from caldp_core.domain.grid import GridDomain
from caldp_ui.coarser import attack_words, words
from caldp_ui.coarser.outcomes import TREATMENT_NAMES, AttackResult, Outcome, candidate_cells
from caldp_ui.coarser.page_state import (
    ATTACKS,
    PAIR_ATTACKS,
    PAIRS,
    REGIONS,
    STATE,
    Publication,
    TreatmentData,
)
from caldp_ui.maps.scene import place_control


def choice(record: Publication) -> None:
    """The menu of attacks."""
    st.selectbox(
        "Attack",
        list(ATTACKS),
        format_func=words.ATTACK_TITLES.__getitem__,
        label_visibility="collapsed",
        **STATE.bind("attack", record.attack, lambda r, name: r.with_attack(name)),
    )


def show(data: TreatmentData, attack_result: AttackResult | None) -> None:
    """The panel of an attack on the table: its menu, sentence, bars and moves."""
    record = data.record
    with st.container(key=STATE.key("which"), horizontal=True, gap="small"):
        choice(record)
        if record.attack in PAIR_ATTACKS and isinstance(data.domain, GridDomain):
            place_control(STATE, "Where the person is", data.domain, int(candidate_cells(data)[0]))
    with st.container(key=STATE.key("knows")):
        st.markdown(attack_words.attacker_knowledge_text(data))
    if attack_result is not None:
        st.html(bars_html(data, attack_result))
    with st.container(key=STATE.key("moves"), horizontal=True, gap="small"):
        _move(record)
        _settings(record)


def _settings(record: Publication) -> None:
    """What the reader may change about the attack."""
    if record.attack in PAIR_ATTACKS:
        st.segmented_control(
            "The other place",
            [False, True],
            format_func=lambda far: "Other block" if far else "Same block",
            label_visibility="collapsed",
            required=True,
            **STATE.bind("far", record.far, lambda r, far: replace(r, far=bool(far))),
        )
    elif record.attack == REGIONS:
        st.select_slider(
            "Pairs of regions",
            sorted({*PAIRS, record.pairs}),
            label_visibility="collapsed",  # the sentence above says it: the panel fits a projector
            **STATE.bind("pairs", record.pairs, lambda r, n: replace(r, pairs=int(n))),
        )


def _move(record: Publication) -> None:
    """The next move; after the last, the way back to the first."""
    label = attack_words.next_move_label(record)
    if label is not None:
        icon = ":material/shield:" if label == attack_words.OFFICE_MOVE else ":material/play_arrow:"
        st.button(label, type="primary", icon=icon, key=STATE.key("move"), on_click=_forward)
    else:
        st.button(
            "Start again", icon=":material/replay:", key=STATE.key("restart"), on_click=_restart
        )


def _forward() -> None:
    STATE.change(lambda r: replace(r, moves=min(r.moves + 1, r.last_move)))


def _restart() -> None:
    STATE.change(lambda r: r.with_attack(r.attack))


def bars_html(data: TreatmentData, attack_result: AttackResult) -> str:
    """A bar a treatment, as HTML: how much comes out, hatched where the attacker knows it."""
    attack = data.record.attack
    guess = attack in PAIR_ATTACKS
    head = f"<b>{escape(words.UNIT[attack])}</b>"
    mark = '<i class="guess">50: a mere guess</i>' if guess else ""
    rows = "".join(
        _bar(words.TITLES[name], attack_result.outcomes[name]) for name in TREATMENT_NAMES
    )
    kind = "bars guessed" if guess else "bars"
    odds = f"<small>{escape(words.noise_sentence(data))}</small>"
    return f'<div class="{kind}"><p>{head}{mark}</p><ul>{rows}</ul>{odds}</div>'


def _bar(title: str, outcome: Outcome) -> str:
    is_known = outcome.share is not None
    number = words.of_hundred(outcome.share) if outcome.share is not None else "?"
    width = 100 * (outcome.share or 0.0)
    kind = "open" if outcome.sure and width > 0 else "safe"
    label = f"{title}: {number} of 100" if is_known else f"{title}: not known yet"
    return (
        f'<li aria-label="{escape(label)}"><span>{escape(title)}</span>'
        f'<em><i class="{kind}" style="width:{width:.2f}%"></i></em><strong>{number}</strong></li>'
    )
