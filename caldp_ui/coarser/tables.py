"""Tables without a map of cells as pictures: counties as areas, other tables as bars.

The same five pictures as on maps, with the same titles, numbers and labels.
"""

import math
from html import escape
from typing import Final

import numpy as np
from numpy.typing import NDArray

from caldp_core.basics.cache import cached
from caldp_core.basics.types import Bools, Floats, Ints
from caldp_core.datasets import PERIODS, InfantDeaths, county_outlines
from caldp_core.domain.grid import GridDomain
from caldp_ui.app.theme import BLUES, CIVIDIS, DARK, LEVELS, Palette
from caldp_ui.charts.show import Frame
from caldp_ui.coarser import view
from caldp_ui.coarser.outcomes import AttackResult, Outcome
from caldp_ui.coarser.page_state import HIDE, NOTHING, TreatmentData
from caldp_ui.compute import exports

_WIDE: Final = 400.0
_HIGH: Final = 186.0
_TOP: Final = 10.0
_FOOT: Final = 34.0
_BARS_MAX: Final = 60
_WEST: Final = -84.35
_NORTH: Final = 36.62
_NARROW: Final = math.cos(math.radians(35.3))
_DEGREE: Final = 388.0 / (8.93 * _NARROW)
"""Pixels of a degree of latitude: the state fills the width of a picture."""
_GRID: Final = (
    "display:grid;gap:10px 16px;"
    "grid-template-columns:repeat(auto-fit,minmax(max(30%,min(100%,330px)),1fr))"
)
"""Three in a row where there is room, else fewer; drawings are out of the style sheet's reach."""
_CAPTION: Final = (
    "display:flex;align-items:end;gap:10px;height:39px;padding-bottom:4px;"
    "box-sizing:border-box;white-space:nowrap"
)
_OVER: Final = "position:absolute;bottom:8px;font-size:14px;"
_CHIP: Final = f"{_OVER}left:8px;padding:3px 10px;border-radius:6px;color:#fff;font-weight:600;"


def tables_html(data: TreatmentData, attack_result: AttackResult | None, colours: Palette) -> str:
    """The pictures as HTML."""
    names = [NOTHING, *view.pictured(data)]
    figures = "".join(_figure(data, name, attack_result, colours) for name in names)
    return f'<div style="{_GRID}">{figures}</div>'


def _figure(
    data: TreatmentData, name: str, attack_result: AttackResult | None, colours: Palette
) -> str:
    number, of = view.error_and_unit(data, name)
    title = view.TITLES[name]
    alt = f"{title}: {number} {of}; {view.picture_note(data, name)}."
    marks = disclosed = np.zeros(data.counts.size, np.bool_)
    if name == HIDE:
        marks = data.table.hidden
        if attack_result is not None and attack_result.disclosed_cells is not None:
            disclosed = attack_result.disclosed_cells
    areas = data.setup.scenario.dataset == InfantDeaths()
    draw = _counties if areas else _columns
    body = draw(data, data.treatments[name].release.estimate, marks, disclosed, colours)
    sea = "#0A121D" if colours is DARK else "#E3EAF1"
    frame = f"position:relative;border-radius:8px;overflow:hidden;background:{sea}"
    return (
        f'<figure style="margin:0;min-width:0"><figcaption style="{_CAPTION}">'
        f'<b style="font-size:18px;font-weight:650">{escape(title)}</b>'
        '<strong style="font-size:34px;line-height:1;font-weight:750;margin-inline-start:auto">'
        f'{number}</strong><span style="font-size:15px;overflow:hidden;text-overflow:ellipsis">'
        f'{escape(of)}</span></figcaption><div style="{frame}">{_svg(body, alt)}'
        f"{_chip(attack_result.outcomes.get(name) if attack_result else None)}"
        "<span "
        f'style="{_OVER}right:10px">{escape(view.picture_note(data, name))}</span></div></figure>'
    )


def _svg(body: str, alt: str) -> str:
    return (
        f'<svg viewBox="0 0 {_WIDE:g} {_HIGH:g}" role="img" aria-label="{escape(alt, quote=True)}" '
        f'style="display:block;width:100%">{body}</svg>'
    )


def _chip(outcome: Outcome | None) -> str:
    if outcome is None or outcome.share is None:
        return ""
    ground = "#8A3600" if outcome.sure and outcome.share > 0 else "#0068A5"
    text = f"attacker: {view.of_hundred(outcome.share)} of 100"
    return f'<span style="{_CHIP}background:{ground}">{text}</span>'


_HATCH: Final = (
    '<defs><pattern id="hidden" width="6" height="6" patternUnits="userSpaceOnUse" '
    'patternTransform="rotate(45)"><rect width="6" height="6" fill="{ground}"/>'
    '<rect width="3" height="6" fill="#D46BA8"/></pattern></defs>'
)


def _counties(
    data: TreatmentData,
    estimate: Floats,
    hidden: Bools,
    disclosed: Bools,
    colours: Palette,
) -> str:
    """One period's counties, as bright as their counts; hidden ones hatched, found ones framed."""
    period = data.record.period
    at = slice(period, None, len(PERIODS))
    top = float(data.counts[at].max())
    ground = "#101B2A" if colours is DARK else "#FAFBFC"
    ramp = CIVIDIS if colours is DARK else BLUES
    line = "rgba(190,205,222,.42)" if colours is DARK else "rgba(70,90,110,.55)"
    parts, rings = [], []
    for path, value, is_hidden, is_disclosed in zip(
        _paths(), estimate[at], hidden[at], disclosed[at], strict=True
    ):
        fill = "url(#hidden)" if is_hidden else _colour(float(value) / top, ramp, ground)
        parts.append(f'<path d="{path}" fill="{fill}"/>')
        if is_disclosed:
            rings.append(path)
    frames = f'<path d="{"".join(rings)}" fill="none" stroke="#F0A040" stroke-width="2.2"/>'
    return (
        f'{_HATCH.format(ground=ground)}<g stroke="{line}" stroke-width=".7">{"".join(parts)}</g>'
        f"{frames if rings else ''}"
        '<text x="10" y="22" font-size="14" fill="currentColor">'
        f"{PERIODS[period]}, up to {top:.0f}</text>"
    )


def _colour(share: float, ramp: NDArray[np.uint8], none: str) -> str:
    """A colour by the root of a share of the largest count; next to nothing has none."""
    if share <= 0.001:
        return none
    level = round(min(math.sqrt(share), 1.0) * (LEVELS - 1))
    red, green, blue = ramp[level].tolist()
    return f"rgb({red},{green},{blue})"


@cached
def _paths() -> tuple[str, ...]:
    """The counties' outlines as SVG paths, in the order of their groups."""
    return tuple("".join(map(_path, rings)) for rings in county_outlines())


def _path(ring: Floats) -> str:
    across = (ring[:, 0] - _WEST) * _NARROW * _DEGREE + 6
    down = (_NORTH - ring[:, 1]) * _DEGREE + _TOP
    points = (f"{x:.1f},{y:.1f}" for x, y in zip(across, down, strict=True))
    return f"M{'L'.join(points)}Z"


def _columns(
    data: TreatmentData,
    estimate: Floats,
    hidden: Bools,
    disclosed: Bools,
    colours: Palette,
) -> str:
    """A column a value, with the truth as a line across it; hidden ones hatched."""
    cells = _largest(data.counts)
    top = 1.15 * max(float(data.counts.max()), 1.0)
    ground = "#101B2A" if colours is DARK else "#FAFBFC"
    frame = Frame((_WIDE, _HIGH), (10, _TOP, _WIDE - 10, _HIGH - _FOOT), (0, cells.size), (0, top))
    parts = []
    for place, cell in enumerate(cells.tolist()):
        fill = "url(#hidden)" if hidden[cell] else colours.ours
        edge = "#F0A040" if disclosed[cell] else "none"
        height = min(max(float(estimate[cell]), 0.0), top)
        corners = [(place, 0), (place, height), (place + 0.78, height), (place + 0.78, 0)]
        parts.append(frame.path(corners, f"fill:{fill};stroke:{edge};stroke-width:2"))
        truth = float(data.counts[cell])
        line = "stroke:currentColor;stroke-width:1.5"
        parts.append(frame.path([(place - 0.05, truth), (place + 0.83, truth)], line))
    return _HATCH.format(ground=ground) + "".join(parts)


def _largest(counts: Ints) -> Ints:
    """The cells that are drawn, in their order: all, or the largest ones."""
    if counts.size <= _BARS_MAX:
        return np.arange(counts.size)
    return np.sort(np.argsort(-counts, kind="stable")[:_BARS_MAX])


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
        columns[view.TITLES[name]] = each.release.estimate[cells].round(3).tolist()
    columns["hidden"] = data.table.hidden[cells].tolist()
    return exports.csv(columns)
