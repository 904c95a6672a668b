"""Options of estimates: --prior, a public map that is taken for known, and --q of the cascade."""

from pathlib import Path
from typing import Any

import click

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.limits import FALSE_SHARE_MAX, FALSE_SHARE_MIN, OWN_NAME_MAX
from caldp_core.datasets.files.published import count_published_map
from caldp_core.datasets.files.source import COMMAND_BOUNDS
from caldp_core.datasets.public_map import PublicMap
from caldp_core.datasets.reading import inspect_data
from caldp_core.domain.answers import Domain
from caldp_core.domain.grid import GridDomain
from caldp_core.estimation.evidence import Q_OF_VALUES, Q_ON_MAPS


def prior_option(command: Any) -> Any:
    """Add the option --prior, which the command gets as `prior`."""
    return click.option(
        "--prior",
        metavar="FILE",
        type=click.Path(dir_okay=False, path_type=Path),
        help="Take a published map for known, such as last year's estimate.csv or .geojson, or any "
        "list of places: the estimate is then “cascade-map”.",
    )(command)


def q_option(command: Any) -> Any:
    """Add the option --q, which the command gets as `q`."""
    return click.option(
        "--q",
        type=click.FloatRange(FALSE_SHARE_MIN, FALSE_SHARE_MAX),
        help="Of what the cascade keeps as standing out, the share that may be noise.  [default: "
        f"{Q_ON_MAPS:g} on maps, else {Q_OF_VALUES:g}]",
    )(command)


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
