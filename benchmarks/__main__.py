"""`python -m benchmarks`: measure, print a table or JSON, compare with an older run.

The front door of the benchmarks.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import click

from benchmarks import (
    audits,
    browser,
    collect,
    crowd,
    designer,
    estimators,
    families,
    files,
    fleet,
    flood,
    kernels,
    leaving,
    load,
    numbers,
    page,
    pages,
    paper,
    people,
    several,
    spark,
    tallies,
    wear,
)
from benchmarks.figures import Figure
from benchmarks.machine import machine
from benchmarks.sizes import FULL, TINY, Sizes

_PARTS = {
    "people": people.figures,
    "tallies": tallies.figures,
    "paper": paper.figures,
    "audits": audits.figures,
    "families": families.figures,
    "kernels": kernels.figures,
}
_OPTIONAL_PARTS = {
    "page": page.figures,
    "pages": pages.figures,
    "wear": wear.figures,
    "crowd": crowd.figures,
    "load": load.figures,
    "designer": designer.figures,
    "flood": flood.figures,
    "leaving": leaving.figures,
    "estimators": estimators.figures,
    "collect": collect.figures,
    "spark": spark.figures,
    "files": files.figures,
    "several": several.figures,
    "numbers": numbers.figures,
}
"""Measured only when asked for: designs, and the dashboard at work, in a browser, for many."""
_NEEDS = {
    **dict.fromkeys(("page", "pages", "wear"), browser.missing_software),
    "load": fleet.missing_software,
}
"""By part, what it needs and lacks on this machine, as a sentence."""


@click.command()
@click.option(
    "--only",
    type=click.Choice([*_PARTS, *_OPTIONAL_PARTS]),
    multiple=True,
    help="Measure a part only.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON for machines.")
@click.option("--visits", type=click.IntRange(1, 500), help="Visits of the crowd.")
@click.option(
    "--world",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A map for the estimators: .npz with `counts`, rows × columns.",
)
@click.option("--tiny", is_flag=True, help="So little work that the figures mean nothing.")
@click.option(
    "--against",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="An earlier run's JSON, from the same machine.",
)
def main(
    *,
    only: Sequence[str],
    as_json: bool,
    visits: int | None,
    world: Path | None,
    tiny: bool,
    against: Path | None,
) -> None:
    """Time caldp and hold it to its bars."""
    here = machine()  # before the work, which would be load itself
    sizes = TINY if tiny else FULL
    sizes = replace(sizes, visits=visits or sizes.visits, world=world)
    figures = _measure(only or list(_PARTS), sizes)
    if as_json:
        done = [figure.to_dict() for figure in figures]
        click.echo(json.dumps({"machine": here, "figures": done}, indent=2))
        return
    click.echo(", ".join(f"{name} {value}" for name, value in here.items()))
    for line in _table(figures, _earlier(against) if against else {}):
        click.echo(line)


def _measure(parts: Iterable[str], sizes: Sizes) -> Iterator[Figure]:
    for part in parts:
        lack = _NEEDS[part]() if part in _NEEDS else ""
        if lack:
            yield Figure(part, "", None, note=lack)
        else:
            yield from (_PARTS | _OPTIONAL_PARTS)[part](sizes)


def _earlier(path: Path) -> dict[str, float]:
    figures = json.loads(path.read_text(encoding="utf-8"))["figures"]
    return {row["work"]: row["median"] for row in figures if row["median"]}


def _table(figures: Iterable[Figure], earlier: Mapping[str, float]) -> Iterator[str]:
    """Line by line, as the figures come in."""
    yield f"\n{'work':<62} {'least':>9} {'median':>9} {'':<2} {'runs':>4} {'bar':>6}"
    for figure in figures:
        runs = figure.runs
        numbers = f"{runs.least:>9,.2f} {runs.median:>9,.2f}" if runs else f"{'–':>9} {'–':>9}"
        line = (
            f"{figure.work:<62} {numbers} {figure.unit:<2} {runs.number if runs else 0:>4} "
            f"{figure.bar or ''!s:>6} {figure.verdict} {figure.note} {_change(figure, earlier)}"
        )
        yield line.rstrip()


def _change(figure: Figure, earlier: Mapping[str, float]) -> str:
    before = earlier.get(figure.work)
    if before is None or figure.runs is None:
        return ""
    return f"[{figure.runs.median / before:.2f} × the earlier {before:,.2f}]"


if __name__ == "__main__":
    main(prog_name="python -m benchmarks")
