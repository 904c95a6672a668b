"""`python -m benchmarks`: measure, print a table, and report every bar that is missed."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

import click

from benchmarks import pages, visits
from benchmarks.figures import Figure, run_suites
from benchmarks.suites import accuracy
from caldp_core.basics.errors import count_text
from tests.servers import missing_nginx, missing_software

Part = Callable[[int], Iterable[Figure]]
"""A number of visits of the dashboard → figures."""
PARTS: Final[dict[str, Part]] = {
    "page": pages.map_figures,
    "pages": pages.figures,
    "crowd": visits.crowd_figures,
    "load": visits.load_figures,
    "flood": visits.flood_figures,
    "hall": visits.hall_figures,
    "hostile": visits.hostile_figures,
    "walk": visits.walk_figures,
    "estimators": accuracy.figures,
}
_NEEDS: Final = {**dict.fromkeys(("page", "pages"), missing_software), "load": missing_nginx}
"""By part, what it needs and lacks on this machine, as a sentence."""


@click.command()
@click.option("--only", type=click.Choice([*PARTS]), multiple=True, help="Parts, not the suites.")
@click.option("--bench", default=r"^core\.(?!Designs)", help="Suites: a regular expression.")
@click.option("--quick", is_flag=True, help="Run each benchmark of the suites once.")
@click.option("--visits", default=50, type=click.IntRange(1, 500), help="Visits of the crowd.")
def main(*, only: Sequence[str], bench: str, quick: bool, visits: int) -> None:
    """Time caldp: its suites by asv, or parts of the dashboard; ends with 1 if a bar is missed."""
    done = []
    figures = _dashboard(only, visits) if only else run_suites(bench, quick)
    for figure in figures:
        done.append(figure)
        click.echo(_line(figure))
    missed = [figure.work for figure in done if figure.verdict == "MISSED"]
    if missed:
        bars = count_text(len(missed), "bar", "bars")
        raise click.ClickException(f"{bars} missed: {'; '.join(missed)}")


def _dashboard(parts: Iterable[str], visits: int) -> Iterator[Figure]:
    for part in parts:
        lack = _NEEDS[part]() if part in _NEEDS else ""
        yield from [Figure(part, "", (), note=lack)] if lack else PARTS[part](visits)


def _line(figure: Figure) -> str:
    value = f"{figure.median:>14,.6g}" if figure.values else f"{'–':>14}"
    line = f"{figure.work:<70} {value} {figure.unit:<2} {len(figure.values):>4}"
    return f"{line} {figure.bar or ''!s:>8} {figure.verdict} {figure.note}".rstrip()


if __name__ == "__main__":
    main(prog_name="python -m benchmarks")
