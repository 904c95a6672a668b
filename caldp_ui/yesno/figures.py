"""The plane of an attacker's two errors (CALDP Figure 1).

Colour is never alone: this protection is a solid line and a circle, plain LDP dashes and a diamond.
"""

from typing import Final

from caldp_ui.app.theme import Palette
from caldp_ui.charts.drawing import Frame, Point, svg
from caldp_ui.yesno.page_data import Coin, YesNoData

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
