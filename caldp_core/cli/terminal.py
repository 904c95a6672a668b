"""What commands share: progress, files and their checks, options of estimates."""

import json
import math
import sys
import tomllib
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import click

from caldp_core.basics.errors import CaldpError, quoted, require
from caldp_core.basics.files import check_output, is_standard_output, is_stream, write_whole
from caldp_core.basics.limits import FALSE_SHARE_MAX, FALSE_SHARE_MIN, OWN_NAME_MAX
from caldp_core.basics.types import Progress
from caldp_core.datasets.files.places import count_published_map
from caldp_core.datasets.files.source import COMMAND_BOUNDS
from caldp_core.datasets.public_map import PublicMap
from caldp_core.datasets.reading import inspect_data
from caldp_core.domain.domains import Domain, GridDomain
from caldp_core.estimation.estimators import ESTIMATORS
from caldp_core.estimation.evidence import Q_OF_VALUES, Q_ON_MAPS
from caldp_core.experiments.run import Setup
from caldp_core.privacy.matrix import coverage, value_names
from caldp_core.scenarios.blocks import PolygonBlocks, describe_areas
from caldp_core.scenarios.scenario import Scenario


class Number(click.FloatRange):
    """A number within ends: neither infinity nor “nan”, which lies beyond no end."""

    def convert(self, value: Any, param: Any, ctx: Any) -> float:
        """The number of a text; as click's, and fails for what is not finite."""
        number: float = super().convert(value, param, ctx)
        return number if math.isfinite(number) else self.fail(f"{value!r} is not a number.")


_GEOJSON: Final = ".geojson"
_SHARES_ENDINGS: Final = (".csv", _GEOJSON)
_STEPS: Final = 1000
_OPTIONS: Final[dict[Any, list[dict[str, Any]]]] = tomllib.loads(
    Path(__file__).with_name("options.toml").read_text("utf-8")
)
_TYPES: Final[dict[Any, Any]] = {
    "path": click.Path(dir_okay=False, path_type=Path),
    "path-or-folder": click.Path(path_type=Path),
    "q": Number(FALSE_SHARE_MIN, FALSE_SHARE_MAX),
}
_VALUES: Final = {"q_on_maps": Q_ON_MAPS, "q_of_values": Q_OF_VALUES}


def read_scenario(path: str | Path) -> Scenario:
    """The scenario of a file; on standard error what a name of earlier versions is read as."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        scenario = Scenario.from_file(path)
    for warning in said:
        click.echo(str(warning.message), err=True)
    return scenario


@contextmanager
def progress_bar(label: str) -> Iterator[Progress]:
    """A progress bar on standard error, shown only on a terminal."""
    hidden = not sys.stderr.isatty()
    with click.progressbar(length=_STEPS, label=label, file=sys.stderr, hidden=hidden) as bar:

        def progress(share: float) -> None:
            bar.update(max(0, int(share * _STEPS) - bar.pos))

        yield progress


def write_or_print(path: Path | None, text: str) -> None:
    """Write a file as `write_whole` does, or print the text where none is named."""
    if path is None:
        click.echo(text, nl=False)
    else:
        write_whole(path, text)


def print_summary(summary: dict[str, Any], output: Path | None) -> None:
    """Print JSON; on standard error where the file that was written is standard output."""
    click.echo(json.dumps(summary, indent=2), err=is_standard_output(output))


def warn_of_areas(setup: Setup) -> dict[str, list[str]]:
    """Say on standard error how blocks differ from areas as drawn; the same for what is printed."""
    blocks = getattr(setup.scenario.policy, "blocks", None)
    if not isinstance(blocks, PolygonBlocks):
        return {}
    sentences = list(describe_areas(blocks, setup.dataset))
    for sentence in sentences:
        click.echo(f"Warning: {sentence}", err=True)
    return {"areas": sentences} if sentences else {}


def unprotected_values(setup: Setup) -> dict[str, Any]:
    """Values that should be protected and are not, by name, and how many more are not."""
    found = coverage(setup.policy)
    return {
        "protected_by_nothing": value_names(setup.dataset.domain, found.exposed),
        "other_unprotected_values": int((~found.protected & ~found.exposed).sum()),
    }


def is_geojson(path: Path | None) -> bool:
    """Whether a table of shares is to be written as GeoJSON, by the ending of its file."""
    return path is not None and path.suffix.lower() == _GEOJSON


def check_shares_output(path: Path | None, *inputs: str | Path | None) -> None:
    """Raise `CaldpError`, before long work, for a file in which a table of shares has no place.

    `inputs`: files that the command reads; None if it is missing.
    """
    if path is None:
        return
    require(
        is_stream(path) or path.suffix.lower() in _SHARES_ENDINGS,
        f"A table of shares must end in {' or '.join(_SHARES_ENDINGS)}, got {quoted(path.name)}; "
        "rename it.",
    )
    check_output(path, *inputs)


class OptionsOnce(click.Command):
    """A command that refuses an option that is given twice: the last one alone would count."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """As click's; raises `CaldpError` for such an option."""
        *_, given = self.make_parser(ctx).parse_args([*args])
        twice = [each for each in given if given.count(each) > 1 and not each.multiple]
        names = (max(each.opts, key=len) for each in twice)
        require(not twice, f"{next(names, '')} was given twice; give it once.")
        return super().parse_args(ctx, args)


def command(name: str, types: Mapping[str, Any], **values: Any) -> Callable[[Any], click.Command]:
    """Make a function a command by this name, with all that `add_options` adds."""
    add = add_options(name, types, **values)
    return lambda function: click.command(name, OptionsOnce)(add(function))


def add_options(command: str, types: Mapping[str, Any], **values: Any) -> Callable[[Any], Any]:
    """Add the arguments and options of a command, as options.toml has them, to its function.

    `types`: what they take, by the name of their type there. `values`: what their texts name, and
    defaults by the options' own names.
    """
    listed = [each for line in _OPTIONS[command] for each in _OPTIONS.get(line.get("like"), [line])]

    def add(function: Any) -> Any:
        for each in reversed(listed):
            kept = {key: value for key, value in each.items() if key not in ("names", "type")}
            kind = (_TYPES | dict(types)).get(each.get("type"))
            if not each["names"][0].startswith("-"):
                function = click.argument(*each["names"], type=kind, **kept)(function)
                continue
            name = each["names"][-1].lstrip("-").replace("-", "_")
            # A default of None would count as given.
            begin = {} if each.get("required") else {"default": values.get(name)}
            given: dict[str, Any] = begin | kept
            if "help" in given:
                given["help"] = given["help"].format(**_VALUES, **values)
            function = click.option(*each["names"], type=kind, **given)(function)
        return function

    return add


def check_q(q: float | None, estimator: str) -> None:
    """Raise `CaldpError` for a q, None if it was not given, that would change nothing."""
    able = ", ".join(name for name, entry in ESTIMATORS.items() if entry.has_q)
    require(
        q is None or ESTIMATORS[estimator].has_q,
        f"--q does nothing with {estimator}, only with {able}; leave it out.",
    )


def read_prior(path: Path, domain: Domain | GridDomain) -> PublicMap:
    """The map of a file, named as the file is; raises `CaldpError` for values without a map."""
    if not isinstance(domain, GridDomain):
        raise CaldpError(
            "--prior takes a map for known, and these values are on none; leave it out."
        )
    detected = inspect_data(path, bounds=COMMAND_BOUNDS)
    title = " ".join(path.stem.split())[:OWN_NAME_MAX].strip()
    return count_published_map(
        detected, detected.places, title or PublicMap.title, domain
    ).published
