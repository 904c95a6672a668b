"""What an estimator may be told beside the reports."""

from dataclasses import dataclass

from caldp_core.basics.types import Floats


@dataclass(frozen=True, eq=False)
class Options:
    """`prior`: (k,) shares of people by what is public, for "cascade-map"; None: there are none."""

    prior: Floats | None = None
