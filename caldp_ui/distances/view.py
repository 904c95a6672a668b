"""What the page shows of a record: its sentences, its maps, and the odds by distance as curves.

The maps are the truth with the estimates from noise and from blocks, or one person's reports. Each
sentence must be true of the scenario that it is shown with. Colour is never alone: dashes and
symbols tell the curves apart, too.
"""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

import numpy as np

from caldp_core.audit.adversary import guess_accuracy, max_guess_accuracy
from caldp_core.basics.limits import TRANSPORT_CELLS_MAX
from caldp_core.basics.types import Floats
from caldp_core.domain.domains import Area
from caldp_core.experiments.run import Result
from caldp_core.mechanisms.catalogue import MECHANISMS
from caldp_core.mechanisms.direct.planar import product_displacement
from caldp_core.mechanisms.kernels import BestKernelMechanism, Kernel
from caldp_core.privacy.distance import symbols_within_level
from caldp_core.scenarios.policies import Streets
from caldp_ui.app.texts import read_texts
from caldp_ui.app.theme import Palette
from caldp_ui.charts import curves
from caldp_ui.charts.show import Figure
from caldp_ui.distances.page_state import (
    PERSON,
    SIMILAR_PRIVACY,
    DistanceData,
    DistanceState,
    right_guess_probability,
)
from caldp_ui.maps.scene import (
    TRUTH,
    bare_ground,
    error_of,
    estimate,
    scale,
    shared_pictures,
    truth,
)
from caldp_ui.parts import layout as markup
from caldp_ui.shell.page import View
from caldp_ui.stage import records
from caldp_ui.stage.records import SCALE, Action, Arrangement, Fact, Focus, Ground
from caldp_ui.words import accuracy, formats, policies
from caldp_ui.words.accuracy import is_share
from caldp_ui.words.formats import PLACES, Headline, place_name, strength
from caldp_ui.words.promise import right_guess_text

TEXTS: Final = read_texts(__file__)
OURS_TITLE: Final = "This protection"
_CHANCE_SCALE: Final = "chance of a report in a cell, log scale:"
"""Title of the map of noise that fades with distance."""
ODDS_DISTANCES: Final = (1.0, 5.0, 20.0, 100.0)
"""Kilometres at which the odds are shown."""


def ring_text(record: DistanceState) -> str:
    """The ring's radius, and the promise inside."""
    most = max_guess_accuracy(record.policy.epsilon)
    best = formats.hundred(most)
    within = f"Within **{formats.length(record.policy.km)}** an even chance"
    if formats.is_almost_sure(most):
        return f"{within} may become {best} %"
    return f"{within} stays between {formats.hundred(1 - most)} % and {best} %"


def headline(data: DistanceData) -> Headline:
    """Headline of the open view."""
    return _person_headline(data) if data.record.show == PERSON else _everybody_headline(data)


def _everybody_headline(data: DistanceData) -> Headline:
    odds = {"right_guess": max_guess_accuracy(data.record.policy.epsilon)}
    if data.ours is None:
        waiting = "The map of this protection is not computed yet."
        return Headline(waiting, _odds_sentence(data.record), figures=odds)
    errors = data.ours.first.errors
    if errors.earth_movers_km is None:
        return _headline_without_km(data, data.ours)
    km, blocks = formats.length(errors.earth_movers_km), ""
    if data.blocks_result is not None:
        far = _misplacement_text(data.blocks_result)
        blocks = f"{blocks_title(data)} misplace them by {far}."
    plain = "" if data.plain is None else f", plain LDP by {_misplacement_text(data.plain)}"
    return Headline(
        f"In this draw the map misplaces people by {km} on average{plain}.",
        blocks or _odds_sentence(data.record),
        figures=_misplacements(data) | ({} if blocks else odds),
    )


def _headline_without_km(data: DistanceData, ours: Result) -> Headline:
    """Headline where no kilometres are computed: people in the wrong place, and why it is these."""
    tv = ours.first.errors.tv
    if not is_share(tv):
        return Headline(
            f"The map is off by a total variation of {formats.share(tv)}.",
            "This estimate is not made of shares; another one is under “Distance, method”.",
            figures={"tv": tv},
        )
    plain = None if data.plain is None else data.plain.first.errors.tv
    return Headline(
        accuracy.error_sentence(PLACES, tv, plain),
        TEXTS["no_kilometres"].format(most=TRANSPORT_CELLS_MAX, cells=f"{data.domain.k:,}"),
        figures={"tv": tv} if plain is None else {"tv": tv, "plain_tv": plain},
    )


def _misplacements(data: DistanceData) -> dict[str, float]:
    """How far each way misplaces people on average, in km, where that is known."""
    ways = {"": data.ours, "plain_": data.plain, "blocks_": data.blocks_result}
    km = {
        name: each.first.errors.earth_movers_km for name, each in ways.items() if each is not None
    }
    return {f"{name}earth_movers_km": far for name, far in km.items() if far is not None}


def result_text(data: DistanceData) -> str:
    """The estimate's error, beside the blocks' and plain LDP's; "" before it is computed."""
    if data.ours is None:
        return ""
    lines = _everybody_headline(data)
    return f"**{lines.sentence}** {lines.second}"


def _misplacement_text(result: Result) -> str:
    km = result.first.errors.earth_movers_km
    return "an unknown distance" if km is None else formats.length(km)


def error_fact(result: Result) -> Fact:
    """The error of a result's map for large type: in kilometres, so that near misses are small."""
    km = result.first.errors.earth_movers_km
    if km is None:
        return Fact(*accuracy.wrong_of_hundred(PLACES, result.first.errors.tv))
    km_text = formats.measure(km)
    return Fact(km_text.number, f"{km_text.unit} on average")


def _odds_sentence(record: DistanceState) -> str:
    right = right_guess_text(max_guess_accuracy(record.policy.epsilon)).replace("*", "")
    distance = formats.length(record.policy.km)
    return f"Between two equally likely places {distance} apart, an attacker {right}."


def _person_headline(data: DistanceData) -> Headline:
    name = place_name(data.domain, data.record.place)
    return Headline(
        f"A report from {name} lies {formats.length(data.noise_reports.mean_km)} away on average.",
        f"In {blocks_title(data)[0].lower()}{blocks_title(data)[1:]} it lies "
        f"{formats.length(data.block_reports.mean_km)} away.",
        figures={"km": data.noise_reports.mean_km, "blocks_km": data.block_reports.mean_km},
    )


def displacement_text(distance: float) -> str:
    """A mean displacement as a subtitle."""
    return f"reports lie {formats.length(distance)} away"


def blocks_title(data: DistanceData) -> str:
    """Title of the blocks beside."""
    if data.record.beside == SIMILAR_PRIVACY:
        return "Blocks with similar privacy"
    return "Blocks with the same ε"


def describe_blocks(data: DistanceData) -> str:
    """The blocks beside: what they promise, and which pairs of neighbours they separate."""
    share = formats.out_of(data.block_reports.separated_share)
    right = right_guess_text(max_guess_accuracy(data.blocks_epsilon)).replace("*", "")
    many = formats.count(data.blocks_setup.partition.m, "block", "blocks")
    return (
        f"{many} with ε = {data.blocks_epsilon:.2g}. Reports of randomized response lie "
        f"{formats.length(data.average_km[1])} away on average over the map (noise, from its "
        f"middle: {formats.length(data.average_km[0])}). Between two equally likely places of one "
        f"block, however far apart, an attacker {right}. But {share} pairs of neighbours are in "
        "two blocks, and every report tells them apart."
    )


def promise_sentences(data: DistanceData) -> list[str]:
    """What the policy promises, one sentence each."""
    record, policy = data.record, data.record.policy
    along = "north–south plus east–west" if isinstance(policy, Streets) else "as the crow flies"
    method = MECHANISMS[data.setup.mechanism_name]
    noise = data.setup.mechanism
    proof = kernel_proof_text(data, noise.kernel) if isinstance(noise, BestKernelMechanism) else ""
    return [
        TEXTS["nearer_is_safer"].format(along=along, rate=record.rate),
        TEXTS["ring"].format(ring=ring_text(record), place=place_name(data.domain, record.place)),
        f"It is kept by “{method.title}”: {method.sentence[0].lower()}{method.sentence[1:]}",
        *([proof] if proof else []),
    ]


def kernel_proof_text(data: DistanceData, kernel: Kernel | None) -> str:
    """How close the noise is to the lower bound for any noise; "" without a proved bound."""
    if kernel is None or kernel.bound <= 0:
        return ""
    row, column = kernel.steps.both
    axes = ""
    if row is not None and column is not None:
        km = product_displacement(row, column) / data.record.rate
        axes = f". Noise along both axes lies {km:,.4g} km away"
    return (
        "Proved: on an endless map with every place as likely, reports of any mechanism that keeps "
        f"this promise lie at least **{lower_bound_text(kernel.bound / data.record.rate)} km** "
        f"away on average. The best noise found is within {upper_percent_text(kernel.gap)} of "
        f"that, planar geometric noise within {upper_percent_text(kernel.planar_gap)}{axes}."
    )


def lower_bound_text(number: float) -> str:
    """A positive number to four digits, rounded down."""
    unit = 10.0 ** (math.floor(math.log10(number)) - 3)
    return f"{math.floor(number / unit) * unit:,.4g}"


def upper_percent_text(share: float) -> str:
    """A share in percent, rounded up."""
    digits = 3 if share < 1e-3 else 2
    return f"{math.ceil(share * 100 * 10**digits) / 10**digits:.{digits}f} %"


def not_promised_sentences(data: DistanceData) -> list[str]:
    """What the policy leaves open, one sentence each."""
    record, mean_km = data.record, data.noise_reports.mean_km
    far = 10 * record.policy.km
    right = right_guess_probability(record, far)
    most = "" if formats.is_almost_sure(right) else "up to "
    columns, cells = data.domain.columns, data.domain.km_from(0)
    height = float(cells[columns]) if data.domain.rows > 1 else 0.0
    return [
        TEXTS["far_apart"].format(far=formats.length(far), most=most, right=formats.hundred(right)),
        TEXTS["regions_open"].format(
            mean=formats.length(mean_km),
            right=formats.hundred(right_guess_probability(record, mean_km)),
        ),
        TEXTS["known_already"],
        TEXTS["repeated"],
        TEXTS["took_part"],
        TEXTS["within_a_cell"].format(height=formats.length(height)),
    ]


def odds_by_distance(record: DistanceState) -> dict[str, str]:
    """Most right guesses of 100 between two equally likely places, by their distance in words."""
    return {
        formats.length(km): formats.hundred(right_guess_probability(record, km))
        for km in ODDS_DISTANCES
    }


HERE: Final = "here"
NOISE: Final = "noise"
BLOCKS: Final = "blocks"
RATE: Final = "rate"
_REPORTS: Final = 1_000_000
"""Reports of one person: the maps show chances as an expected number of a million."""
_FAR: Final = 0.95
"""Chance of a right guess between the ring's middle and a place on the second ring."""
_RING: Final[tuple[records.Mark, ...]] = ("sensitive",)
_LINES: Final[tuple[records.Mark, ...]] = ("blocks", "sensitive")
_PAIR: Final = Arrangement((BLOCKS, NOISE), (TRUTH,))
"""Blocks and noise stand side by side, the truth below for reference."""
_HERE: Final = Action(
    HERE,
    "Draw the ring here",
    {
        "brush": "Click a place: the ring is drawn around it.",
        "box": "Drag a box: the ring is drawn around its middle.",
    },
)


def scene(data: DistanceData) -> records.Scene:
    """Scene of everybody's estimates, or of one person's reports."""
    person = data.record.show == PERSON
    name = place_name(data.domain, data.record.place)
    pictures = _person_pictures(data) if person else _everybody_pictures(data)
    names = {picture.id for picture in pictures}
    return records.Scene(
        _ground(data),
        pictures,
        _REPORTS if person else data.setup.n,
        (pictures[-2].id, pictures[-1].id) if len(pictures) > 1 else (TRUTH, TRUTH),
        () if person else tuple(error_of(each, _RING) for each in pictures[1:]),
        actions=(_HERE,),
        focus=_focus(data) if person else None,
        scale_title=_CHANCE_SCALE if person else records.Scene.scale_title,
        prompt="Point at a place for the expected number per million reports of this person."
        if person
        else records.Scene.prompt,
        look_hint="Take the brush and click a place to draw the ring there, or choose one below.",
        mark_words={
            "sensitive": f"within ε of {name}",
            "far": f"outside, guesses may be right {formats.hundred(_FAR)} times in 100 or more",
            "blocks": "borders of blocks",
            "box": "",
        },
        arrangement=_PAIR if names == {TRUTH, BLOCKS, NOISE} else None,
        scale=SCALE if person else scale(data.setup, data.ours),
        film_values={RATE: data.record.rate},
        label="Privacy by distance",
        image_name="caldp-distance",
        image_lines=(headline(data).sentence, policies.setting_text(data.setup)),
        **shared_pictures(data.setup, *(() if person else (BLOCKS, NOISE))),
    )


def _everybody_pictures(data: DistanceData) -> tuple[records.Picture, ...]:
    rows = (
        (BLOCKS, blocks_title(data), data.blocks_result, data.average_km[1], _LINES),
        (NOISE, OURS_TITLE, data.ours, data.average_km[0], _RING),
    )
    pictures = [truth(data.setup, _RING)]
    for name, title, result, km, marks in rows:
        if result is not None:
            fact = error_fact(result)
            subtitle = f"{fact.number} {fact.text} · {displacement_text(km)}"
            pictures.append(estimate(name, title, subtitle, result, marks=marks, fact=fact))
    return tuple(pictures)


def _person_pictures(data: DistanceData) -> tuple[records.Picture, ...]:
    record = data.record
    name = place_name(data.domain, record.place)
    alone = np.zeros(data.domain.k)
    alone[record.place] = 1.0
    method = MECHANISMS[data.setup.mechanism_name].title
    noise = f"{method}: {displacement_text(data.noise_reports.mean_km)}"
    blocks = f"randomized response in blocks: {displacement_text(data.block_reports.mean_km)}"
    rows = (
        (BLOCKS, blocks_title(data), blocks, data.block_reports, _LINES),
        (NOISE, OURS_TITLE, noise, data.noise_reports, _RING),
    )
    pictures = [_chance_picture(TRUTH, "The person", f"truly in {name}", alone)]
    for report, title, subtitle, reports, marks in rows:
        heading = f"Their report: {title.lower()}"
        picture = _chance_picture(report, heading, subtitle, reports.law, marks)
        km = formats.measure(reports.mean_km)
        pictures.append(replace(picture, fact=Fact(km.number, f"{km.unit} away on average")))
    return tuple(pictures)


def _chance_picture(
    name: str, title: str, subtitle: str, shares: Floats, marks: tuple[records.Mark, ...] = _RING
) -> records.Picture:
    alt = f"Map of the chances of one person's reports, {title}: {subtitle}."
    return records.Picture(name, title, subtitle, alt, records.encode(shares), SCALE.low, marks)


def _focus(data: DistanceData) -> Focus:
    """Area around the place that holds most reports of both kinds."""
    domain, place = data.domain, data.record.place
    (row,), (column,) = domain.row_column([place])
    reach = 2.5 * max(data.noise_reports.mean_km, data.block_reports.mean_km) + 40.0
    north = reach / 111.195
    latitude, longitude = float(domain.latitudes()[row]), float(domain.longitudes()[column])
    east = north / max(float(np.cos(np.radians(latitude))), 0.1)
    area = Area(
        max(latitude - north, -90.0),
        min(latitude + north, 90.0),
        max(longitude - east, min(domain.west, -180.0)),
        min(longitude + east, max(domain.area.east, 180.0)),
    )
    return Focus(area, place * 100_000 + round(reach))


def _ground(data: DistanceData) -> Ground:
    partition = data.blocks_setup.partition
    under = bare_ground(data.domain, partition.labels, partition.names)
    level = math.log(_FAR / (1 - _FAR))
    far = symbols_within_level(data.setup.policy, data.record.place, level)
    return replace(under, sensitive=records.encode_mask(data.ring), far=records.encode_mask(far))


ODDS_SELECTOR: Final = ".st-key-odds .by-ring"
"""CSS selector of the odds on the page: films change them, too."""


def odds_html(record: DistanceState) -> str:
    """HTML of the odds."""
    share = max_guess_accuracy(record.policy.epsilon)
    title = f"100 small figures, {formats.hundred(share)} of them filled: right guesses."
    km = formats.length(record.policy.km)
    sentence = TEXTS["must_choose"].format(km=km, right=right_guess_text(share))
    odds = odds_by_distance(record).items()
    rows = "".join(f"<div><dd>{right}</dd><dt>{km}</dt></div>" for km, right in odds)
    return (
        f'<div class="by-ring"><div class="odds {strength(share).word}">'
        f"{markup.people_array(round(100 * share), title)}"
        f"<p>{markup.bold_html(sentence, 'em')} Right guesses of 100, by distance:</p></div>"
        f'<dl class="by-distance" style="--curve:{_curve(record)}">{rows}</dl></div>'
    )


_KM: Final = np.geomspace(0.5, 200.0, 25).tolist()
"""Abscissa of the small curve: `ODDS_DISTANCES` are in the middle of its four quarters."""


def _curve(record: DistanceState) -> str:
    """The area below the odds, from 50 to 100 right guesses of 100, as a polygon of CSS."""
    wrong = [200 * (1 - right_guess_probability(record, km)) for km in _KM]
    points = (f"{100 * at / (len(_KM) - 1):.1f}% {each:.1f}%" for at, each in enumerate(wrong))
    return f"polygon(0 100%,{','.join(points)},100% 100%)"


def view(data: DistanceData, *_: object) -> View:
    """The headline, the odds, and the maps; what is pinned has maps of its own."""
    odds = {ODDS_SELECTOR: odds_html(data.record)}
    return View(headline(data), texts=odds, scene=scene(data), still=TRUTH)


HEIGHT: Final = 340
_LABEL_HEIGHTS: Final = {"lines": 88.0, "markers": 60.0}
"""Heights of the names of curves and dots, in right guesses of 100."""
_POINTS: Final = 12
"""Most pairs of places for which the odds are computed from the channel."""


def odds_figure(data: DistanceData, colours: Palette) -> Figure:
    """Chart of right guesses between two equally likely places, by their distance."""
    record = data.record
    km = np.geomspace(1.0, 1000.0, 61)
    at, right = exact_odds(data)
    dots = {"color": colours.ours, "symbol": "circle-open", "size": 9}
    traces = [
        _line(
            "limit by distance",
            km,
            [right_guess_probability(record, d) for d in km.tolist()],
            (colours.ours, "solid"),
        ),
        curves.dots_trace(
            "this noise",
            at,
            100 * right,
            dots,
            hovertemplate="%{x:.3g} km: %{y:.1f} of 100, exactly",
        ),
        _line(
            "within one block",
            km,
            [max_guess_accuracy(data.blocks_epsilon)] * km.size,
            (colours.faint, "dot"),
        ),
        _line("across a block's border", km, [1.0] * km.size, (colours.faint, "dashdot")),
        _line(
            "plain LDP",
            km,
            [max_guess_accuracy(record.policy.epsilon)] * km.size,
            (colours.plain, "dash"),
        ),
    ]
    ticks = [1, 5, 20, 100, 500]
    x = curves.logarithmic(
        "distance between two equally likely places", ticks, "{} km".format, **curves.FIXED
    )
    y = {"title": "right guesses of 100", "range": [48, 103], **curves.FIXED}
    names = [_curve_label(trace, colours) for trace in traces if len(trace["x"])]
    layout = curves.bare_layout(colours, x, y, HEIGHT, (56, 10, 20, 50), annotations=names)
    return Figure(traces, layout)


def _curve_label(trace: Mapping[str, Any], colours: Palette) -> dict[str, Any]:
    """Label with a curve's name on it: at the left where it is flat, else where it is steep."""
    x, y = np.asarray(trace["x"]), np.asarray(trace["y"])
    flat = bool(np.ptp(y) == 0)
    steepest = 0 if flat else int(np.abs(y - _LABEL_HEIGHTS[trace["mode"]]).argmin())
    colour = colours.for_words((trace.get("line") or trace["marker"])["color"])
    place = float(np.log10(x[steepest])), float(y[steepest])
    edge, shift = ("bottom", 0) if flat else ("top", 12)
    name = f"<b>{trace['name']}</b>"
    return curves.annotation(name, *place, colour, 13, yanchor=edge, xshift=shift)


def exact_odds(data: DistanceData) -> tuple[Floats, Floats]:
    """(pairs,) kilometres and (pairs,) chances of the best guess from one report, in [0.5, 1].

    Exact from the channel, for the record's place and others due north or south of it.
    """
    domain, place = data.domain, data.record.place
    row, column = divmod(place, domain.columns)
    steps = np.unique(np.rint(np.geomspace(1, domain.rows, _POINTS)).astype(np.int64))
    north = np.where(row + steps < domain.rows, row + steps, row - steps)
    others = (north * domain.columns + column)[north >= 0]
    right = [guess_accuracy(data.setup.mechanism, place, other) for other in others.tolist()]
    return domain.km_from(place)[others], np.array(right)


def _line(name: str, x: Floats, y: list[float], style: tuple[str, str]) -> dict[str, Any]:
    at = "%{x:.3g} km: %{y:.1f} of 100"
    return curves.line_trace(name, x, [100 * each for each in y], style, hovertemplate=at)
