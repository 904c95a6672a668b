"""`python -m benchmarks`: measure, print a table or JSON, and report every bar that is missed."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import click

from benchmarks import browser, crowd, fleet, hall, page, pages, visits, wear
from benchmarks.asv_runs import run_suites
from benchmarks.figures import Figure
from caldp_core.basics.counted import count_text

Part = Callable[[int], Iterable[Figure]]
"""Of the dashboard: a number of visits → figures."""
PARTS: Final[dict[str, Part]] = {
    "page": page.figures,
    "pages": pages.figures,
    "wear": wear.figures,
    "crowd": crowd.figures,
    "load": crowd.load_figures,
    "flood": visits.flood_figures,
    "leaving": visits.leaving_figures,
    "hall": hall.figures,
}
_NEEDS: Final = {
    **dict.fromkeys(("page", "pages", "wear"), browser.missing_software),
    "load": fleet.missing_software,
}
"""By part, what it needs and lacks on this machine, as a sentence."""


@click.command()
@click.option("--only", type=click.Choice([*PARTS]), multiple=True, help="Parts of the dashboard.")
@click.option("--bench", default=r"^(core|families)\.", help="Suites: a regular expression.")
@click.option("--quick", is_flag=True, help="Run each benchmark of the suites once.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON for machines.")
@click.option("--visits", default=50, type=click.IntRange(1, 500), help="Visits of the crowd.")
@click.option(
    "--against",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="An earlier run's JSON, from the same machine.",
)
def main(
    *,
    only: Sequence[str],
    bench: str,
    quick: bool,
    as_json: bool,
    visits: int,
    against: Path | None,
) -> None:
    """Time caldp: its suites by asv, or parts of the dashboard; ends with 1 if a bar is missed."""
    done = []
    figures = _dashboard(only, visits) if only else run_suites(bench, quick)
    earlier = _earlier(against) if against else {}
    for figure in figures:
        done.append(figure)
        if not as_json:
            click.echo(_line(figure, earlier))
    if as_json:
        click.echo(json.dumps({"figures": [figure.to_dict() for figure in done]}, indent=2))
    missed = [figure.work for figure in done if figure.verdict == "MISSED"]
    if missed:
        bars = count_text(len(missed), "bar", "bars")
        raise click.ClickException(f"{bars} missed: {'; '.join(missed)}")


def _dashboard(parts: Iterable[str], visits: int) -> Iterator[Figure]:
    for part in parts:
        lack = _NEEDS[part]() if part in _NEEDS else ""
        yield from [Figure(part, "", (), note=lack)] if lack else PARTS[part](visits)


def _earlier(path: Path) -> dict[str, float]:
    figures = json.loads(path.read_text(encoding="utf-8"))["figures"]
    return {row["work"]: row["median"] for row in figures if row["median"]}


def _line(figure: Figure, earlier: Mapping[str, float]) -> str:
    before = earlier.get(figure.work)
    change = f"[{figure.median / before:.2f} × the earlier {before:,.2f}]" if before else ""
    value = f"{figure.median:>14,.6g}" if figure.values else f"{'–':>14}"
    line = (
        f"{figure.work:<70} {value} {figure.unit:<2} {len(figure.values):>4} "
        f"{figure.bar or ''!s:>8} {figure.verdict} {figure.note} {change}"
    )
    return line.rstrip()


if __name__ == "__main__":
    main(prog_name="python -m benchmarks")
