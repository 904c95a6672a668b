"""Three panels with arrows: one person sends, an attacker reads one report, the server reads all.

Each has its picture, and its own controls at its foot.

The plane of an attacker's two errors (CALDP Figure 1).

Colour is never alone: this protection is a solid line and a circle, plain LDP dashes and a diamond.
"""

from html import escape
from typing import Final

import streamlit as st

from caldp_ui.app.navigation import ADVERSARY
from caldp_ui.app.theme import Palette, palette
from caldp_ui.charts import drawing
from caldp_ui.charts.drawing import Frame, Point, svg
from caldp_ui.parts import films, icons
from caldp_ui.stage import Step
from caldp_ui.words import formats
from caldp_ui.yesno import picture, side, words
from caldp_ui.yesno.page_state import STATE, Coin, YesNoData

HEIGHT: Final = 340
PLANE: Final = Frame((300, 300), (46, 6, 296, 256), (-4, 104), (-4, 104))
"""Both errors as people of 100."""
_LABEL_ROOM: Final = 0.12
"""A share of errors below whose mark there is no room for its name."""
_TICKS: Final = (0, 25, 50, 75, 100)


def plane_svg(data: YesNoData, pinned: YesNoData | None, colours: Palette, alt: str) -> str:
    """SVG of both errors of a guess from a report, as people of 100; `pinned`: another coin.

    The triangle holds the pairs of errors that methods with this protection reach (CALDP Theorem
    1). Its corner is this very method.
    """
    text = f"fill:{colours.text}"
    parts = [
        PLANE.ticks(_TICKS, _TICKS, colours.text, colours.faint),
        _axis_titles_svg(
            PLANE, "of 100 with yes, taken for no", "of 100 with no, taken for yes", text
        ),
        PLANE.path(_corners(data.ours), _line_style(colours.ours, 2.5, fill=colours.ours)),
        PLANE.path(_corners(data.warner), _line_style(colours.plain, 2, "7 5")),
        PLANE.path([(0, 100), (100, 0)], _line_style(colours.faint, 1.5, "2 3")),
        PLANE.text((72, 96), "guessing without a report", text, "middle"),
        PLANE.text((2, 3), "no method gets here", text),
    ]
    if pinned is not None:
        parts.append(PLANE.path(_corners(pinned.ours), _line_style(colours.pinned, 2, "8 4 2 4")))
        parts.append(_point_svg("pinned", pinned.ours, colours.pinned, "square", colours))
    parts.append(_point_svg("plain LDP", data.warner, colours.plain, "diamond", colours))
    below = pinned is not None and data.ours.errors.missed > _LABEL_ROOM
    parts.append(
        _point_svg("this protection", data.ours, colours.ours, "circle", colours, below=below)
    )
    return svg(PLANE, parts, alt, HEIGHT)


def _line_style(colour: str, width: float, dash: str = "", fill: str = "") -> str:
    inside = f"fill:{fill};fill-opacity:0.22" if fill else "fill:none"
    return f"stroke:{colour};stroke-width:{width};stroke-dasharray:{dash or 'none'};{inside}"


def _axis_titles_svg(frame: Frame, x: str, y: str, style: str) -> str:
    _, top, right, bottom = frame.box
    left, height = frame.box[0], frame.size[1]
    across, down = (left + right) / 2, (top + bottom) / 2
    return (
        f'<text x="{across:g}" y="{height - 6:g}" text-anchor="middle" style="{style}">{x}</text>'
        f'<text transform="translate(12,{down:g}) rotate(-90)" text-anchor="middle" '
        f'style="{style}">{y}</text>'
    )


def _corners(coin: Coin) -> list[Point]:
    """Points of the region of errors, in people of 100: always no, the corner, always yes."""
    vertex = coin.vertex
    return [(0.0, 100.0), (100 * vertex.false_alarm, 100 * vertex.missed), (100.0, 0.0)]


def _point_svg(
    name: str, coin: Coin, colour: str, symbol: str, colours: Palette, *, below: bool = False
) -> str:
    at = (100 * coin.errors.false_alarm, 100 * coin.errors.missed)
    style = f"fill:{colour};stroke:{colours.edge};stroke-width:1.5"
    says = f"{at[0]:.1f} of 100 with yes taken for no, {at[1]:.1f} of 100 with no taken for yes"
    named = PLANE.text(at, name, f"fill:{colours.text}", shift=(9, 18 if below else -8))
    return PLANE.marks([at], symbol, 14, style, f"{name}: {says}") + named


_SENDER_SELECTOR = f".st-key-{STATE.key('sends')} .coins"
_READER_SELECTOR = f".st-key-{STATE.key('reads')} .coins"
_SERVER_SELECTOR = f".st-key-{STATE.key('many')} .many"
"""CSS selectors of the words and icons that change with the sliders."""
_LIKELY = STATE.key("likely-drawing")
_ADDS_UP = "Asked again with new noise, the odds add up."


def panels(data: YesNoData, pinned: YesNoData | None) -> None:
    """Show the three panels; `pinned` is drawn in the dots and in the plane."""
    step = render(data, pinned, palette())
    with st.container(key=STATE.key("steps")):
        with st.container(key=STATE.key("sends")):
            st.html(_title_html(1, "One person sends a noisy answer"))
            st.html(step.replacements[_SENDER_SELECTOR])
            side.level_sliders()
            side.level_buttons()
        with st.container(key=STATE.key("reads")):
            st.html(_title_html(2, "An attacker reads one report"))
            st.html(step.replacements[_READER_SELECTOR])
            with st.container(key=STATE.key("adds-up")):
                st.markdown(_ADDS_UP)
                st.page_link(ADVERSARY, label="What an attacker learns")
            _show_plane(data, pinned)
        with st.container(key=STATE.key("many")):
            st.html(step.replacements[_SERVER_SELECTOR])
            with st.container(key=STATE.key("likely")):
                drawing.show(step.pictures[_LIKELY], _LIKELY, None)
            side.people_sliders()
            side.outcome_buttons()


def render(data: YesNoData, pinned: YesNoData | None, colours: Palette) -> Step:
    """The panels and the headline of a question, as one step of a film."""
    sends = "".join(_sender_html(data.ours, answer) for answer in (1, 0))
    reads = "".join(_reader_html(data.ours, report) for report in (1, 0))
    reports = formats.counted(data.ours.result.setup.n, "report", "reports")
    title = _title_html(3, f"The server reads {reports}")
    return films.render_step(
        words.headline(data),
        {_LIKELY: picture.dot_plot_svg(data, pinned, colours)},
        {
            _SENDER_SELECTOR: f'<div class="coins">{sends}</div>',
            _READER_SELECTOR: f'<div class="coins">{reads}</div>',
            _SERVER_SELECTOR: f'<div class="many">{title}</div>',
        },
    )


def _title_html(number: int, text: str) -> str:
    return f'<h2 class="panel"><b>{number}</b>{escape(text)}</h2>'


def _sender_html(coin: Coin, answer: int) -> str:
    """100 people whose true answer is `answer` (0 no, 1 yes), and how many of them send yes."""
    number, text = words.describe_sender(coin, answer)
    name, share = words.ANSWERS[answer], coin.yes_probabilities[answer]
    title = f"100 people whose true answer is {name}; filled: {number} send yes."
    text = escape(text).replace(f"is {name}", f"is <em>{name}</em>")
    return _odds_html(name, icons.people_array(round(100 * share), title), number, text)


def _reader_html(coin: Coin, report: int) -> str:
    """100 people who sent `report` (0 no, 1 yes), and for how many it is true, from even odds."""
    number, text, grade = words.describe_reader(coin, report)
    name, right = words.ANSWERS[report], coin.correct_probabilities[report] or 0.0
    title = f"100 people who send {name}; filled: {number or 'none of 100'} truly mean it."
    grade_html = f'<b class="{grade}">“{name}” protection: {grade}</b>'
    return _odds_html(
        name, icons.people_array(round(100 * right), title), number, f"{text}{grade_html}"
    )


def _odds_html(name: str, array: str, number: str, text: str) -> str:
    strong = f"<strong>{number}</strong>" if number else ""
    return f'<div class="odds {name}">{array}<p>{strong}{text}</p></div>'


def _show_plane(data: YesNoData, pinned: YesNoData | None) -> None:
    """Show the plane of both errors in a popover; it is drawn only while that is open."""
    popover = st.popover(
        "Both errors on one plane",
        icon=":material/show_chart:",
        key=STATE.key("errors"),
        on_change="rerun",
    )
    if not popover.open:
        return
    key, alt = STATE.key("plane-drawing"), words.alt_plane(data, pinned)
    with popover, st.container(key=STATE.key("plane")):
        st.markdown("**Two errors of an attacker** who takes each report at its word")
        drawing.show(plane_svg(data, pinned, palette(), alt), key, HEIGHT)
