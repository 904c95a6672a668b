"""The files of a treatment that was rehearsed: its table, its result by areas, and a memo on it."""

from collections.abc import Sequence
from dataclasses import replace
from html import escape
from typing import Final

import numpy as np
import pandas as pd

from caldp_core import __version__
from caldp_core.basics.limits import EPSILON_MAX, EPSILON_MIN
from caldp_core.domain.domains import Domain
from caldp_core.estimation.estimators import COMPARED_MAX
from caldp_core.estimation.intervals import LEVEL, share_within
from caldp_core.experiments.regions import ResultAreas
from caldp_core.experiments.table import as_csv, people_column, place_columns, shares_within
from caldp_core.treatments.release import area_columns
from caldp_ui.app.user_text import UserText
from caldp_ui.coarser import view
from caldp_ui.coarser.outcomes import TreatmentData, load_data
from caldp_ui.coarser.page_state import HIDE, LARGER, ROUND
from caldp_ui.parts import comparison, layout, pack, sharing
from caldp_ui.words import formats, promise


def by_area(data: TreatmentData, name: str, areas: ResultAreas | None) -> pack.AreaResult | None:
    """What a treatment shows of areas, with ranges or bounds; None without areas."""
    if areas is None or name in data.results:
        return pack.by_areas(data.results.get(name), areas)
    columns = area_columns(data.treatments[name].release, areas, data.setup.n)
    return pack.AreaResult(areas, columns)


def _table(data: TreatmentData, name: str) -> dict[str, list[object]]:
    """The columns of the table that a treatment leads to; larger cells have totals alone."""
    _, many = promise.counted(data.setup.scenario)
    if name == LARGER:
        totals = np.bincount(data.labels, data.counts).astype(np.int64)
        return {"larger cell": list(data.setup.partition.names), many: totals.tolist()}
    release, columns = data.treatments[name].release, place_columns(data.domain)
    numbers = zip(people_column(release.estimate.round(1)), release.hidden.tolist(), strict=True)
    columns[many] = ["hidden" if hidden else number for number, hidden in numbers]
    ends = release.ends_of_areas(np.arange(data.domain.k))
    for title, people in (("low", ends.low), ("high", ends.high)):
        columns[title] = people_column(people.round(1))
    columns["level"] = np.where(ends.always, 1.0, LEVEL).tolist()
    return columns | _within_groups(data, name)


def _totals(data: TreatmentData) -> dict[str, list[object]]:
    """The totals of larger cells beside hidden counts; a hidden one is in no file."""
    columns, (_, many) = _table(data, LARGER), promise.counted(data.setup.scenario)
    first = np.unique(data.labels, return_index=True)[1]
    numbers = data.table.numbers[data.table.margins.levels[0][first]]
    return columns | {many: ["hidden" if number < 0 else number for number in numbers.tolist()]}


def _within_groups(data: TreatmentData, name: str) -> dict[str, list[object]]:
    """Columns of the share that each answer has of its group, and its ends; {} without groups."""
    domain, release = data.domain, data.treatments[name].release
    if not isinstance(domain, Domain) or not domain.groups or domain.k > COMPARED_MAX:
        return {}
    groups = np.unique(domain.groups, return_inverse=True)[1]
    shares = np.array(shares_within(domain.groups, release.estimate), np.float64)
    result = data.results.get(name)
    if result is None:
        found = release.ends_within(groups)
        low, high = found.low, found.high
    else:
        parts = (np.arange(domain.k) == x for x in range(domain.k))
        evidence = result.first.evidence
        ranges = [share_within(evidence, x, groups == groups[x]).range for x in parts]
        _, low, high = np.array(ranges).T
    rows = (shares, np.minimum(low, shares), np.maximum(high, shares))
    return {title: row.round(6).tolist() for title, row in zip(_SHARES, rows, strict=True)}


_SHARES: Final = ("share of its group", "share low", "share high")


def files_of(data: TreatmentData, name: str, areas: ResultAreas | None) -> dict[str, str | bytes]:
    """The files of one treatment: its table, its maps, a record of one page and a memo.

    All are internal: the pack that holds them marks each (`parts.pack.mark`).
    """
    found = by_area(data, name, areas)
    files: dict[str, str | bytes] = {"table.csv": as_csv(_table(data, name))}
    if name == HIDE:
        files["totals.csv"] = as_csv(_totals(data))
    treated = sharing.estimated_setup(data.setup, data.treatments[name].release.shares)
    drawn = pack.drawings(treated, found, (view.table_text(data, name),))
    record = layout.printed_form(__file__, "record.html").substitute(
        _words(data, name, found),
        drawn="".join(drawn.values()),
        table="" if drawn else _table_html(data, name),
        version=__version__,
    )
    return {
        "record.html": record,
        "memo.html": memo_of(data, name, areas),
        **drawn,
        **files,
        **pack.area_files(found),
    }


_ROWS_MAX: Final = 40
"""Rows of a table in a record, which is one page."""
_NAMED: Final[tuple[str, ...]] = ("larger cell", "answer", "group")


def _table_html(data: TreatmentData, name: str) -> str:
    """The table of a treatment for paper: each range behind its number."""
    columns, (_, many) = _table(data, name), promise.counted(data.setup.scenario)
    shown = {title: cells for title, cells in columns.items() if title in _NAMED}
    if name == LARGER:
        shown[many] = columns[many]
    else:
        shown[many] = _with_ends(*(columns[each] for each in (many, "low", "high")))
    if _SHARES[0] in columns:
        shares = ([f"{100 * float(str(x)):.3g}" for x in columns[title]] for title in _SHARES)
        shown[f"{_SHARES[0]}, %"] = _with_ends(*shares)
    sure = "level" in columns and min(map(float, map(str, columns["level"]))) == 1.0
    rows, ends = pd.DataFrame(shown), pack.BOUNDS if sure else pack.RANGES
    note = f"<p>In brackets: {ends}</p>" if name != LARGER else ""
    rest = max(len(rows) - _ROWS_MAX, 0)
    more = f"<p>{formats.count(rest, 'more row is', 'more rows are')} in table.csv.</p>"
    return rows.head(_ROWS_MAX).to_html(index=False) + (more if rest else "") + note


def _with_ends(*columns: Sequence[object]) -> list[object]:
    """Numbers with their low and high ends in brackets, where these differ."""
    return [
        str(number) if low == high else f"{number} ({low} to {high})"
        for number, low, high in zip(*columns, strict=True)
    ]


def _words(data: TreatmentData, name: str, found: pack.AreaResult | None) -> dict[str, str]:
    """What a record and a memo say of a treatment, as HTML."""
    rows = view.treatment_rows(data)
    words = rows[view.TITLES[name]]
    against, trust, cost, remains = (escape(words[title]) for title in view.DECISION_COLUMNS)
    error, of = view.error_and_unit(data, name)
    return {
        "title": f"{UserText(data.setup.dataset.name).html}: {escape(view.TITLES[name].lower())}",
        "result": escape(view.table_text(data, name)),
        "protected": f"<p>It protects against {against}. To be trusted: {trust}.</p>",
        "odds": f"<p>{escape(view.table_bound(data, name))}</p>",
        "audit": "",
        "cost": cost,
        "method": f"<dt>error</dt><dd>{error} {escape(of)}</dd><dt>paid by</dt><dd>{cost}</dd>",
        "by_area": "" if found is None else found.table_html,
        "open": f"<li>{remains[:1].upper()}{remains[1:]}.</li>",
        "as_read": _as_read(data),
        "treatments": sharing.memo_section(
            "Treatments and attacks that were tried",
            pd.DataFrame.from_dict(rows, orient="index").to_html(),
        ),
    }


def _as_read(data: TreatmentData) -> str:
    """What was chosen or left out when the file was read, as HTML; "" where nothing was.

    Counts are exact of the list as it was read: cells that were left out are in no number.
    """
    reading = getattr(data.setup.scenario.dataset, "reading", "")
    return f"<p>The file, as read: {escape(reading)}.</p>" if reading else ""


def memo_of(data: TreatmentData, name: str, areas: ResultAreas | None) -> str:
    """A memo on a treatment for a decision, with the attack that was played on all of them."""
    words = _words(data, name, by_area(data, name, areas))
    record, lines = data.record, []
    for times in (0.5, 2.0):
        level = times * record.scenario.policy.plain_epsilon
        base, threshold = (round(times * each) for each in (record.base, record.threshold))
        if name == HIDE and threshold >= 1:
            text, other = f"Counts under {threshold:,} hidden", replace(record, threshold=threshold)
        elif name == ROUND and base >= 2:
            text, other = f"Multiples of {base}", replace(record, base=base)
        elif name not in (LARGER, HIDE, ROUND) and EPSILON_MIN <= level <= EPSILON_MAX:
            text = f"ε = {level:g}"
            other = replace(record, scenario=record.scenario.with_epsilon(level))
        else:
            continue
        errors = load_data(other, comparison.load_fast_results)
        if name in errors.treatments:
            error, of = view.error_and_unit(errors, name)
            lines.append(f"<li>{text}: {error} {escape(of)}.</li>")
    others = f"<ul>{''.join(lines)}</ul>" if lines else ""
    more = sharing.memo_section("With more noise, or with less", others)
    return sharing.fill_template("memo.html", **words, other_levels=more)
