"""Every mechanism by name, with the kinds of policy that it keeps.

Scenarios, the command line and pages ask `mechanisms_for(policy)` what can run and list what they
get, so a new mechanism is one file, one record in `specs.py` and one entry here; families come from
`registry.py`.
"""

from dataclasses import fields
from typing import Any, Final

from caldp_core.basics.errors import check_choice, require
from caldp_core.mechanisms.base import Mechanism
from caldp_core.mechanisms.registry import FAMILIES, MechanismEntry
from caldp_core.mechanisms.specs import (
    BestKernel,
    Binary,
    Designed,
    Exponential,
    GridGeometric,
    PlanarGeometric,
    PublishedUrap,
    SquareWave,
    SteppedGeometric,
)
from caldp_core.privacy.context import Context, PrivacyMatrix
from caldp_core.privacy.distance import DistanceMetric, EuclideanMetric, GridMetric
from caldp_core.privacy.matrix import BinaryPolicy, DenseMatrix

_OTHERS: Final = (
    MechanismEntry(
        "published-urap",
        "Utility-optimized RAPPOR as published",
        "Like RAPPOR, but a report that names its value still carries the noise of all sensitive "
        "ones; for comparison, as it is less accurate.",
        "Murakami, Kawamoto 2019, Definition 4",
        PublishedUrap,
        (Context,),
    ),
    MechanismEntry(
        "square-wave",
        "The square wave",
        "Each person names a number that is likelier within some steps of their own than farther "
        "off; for values in an order, and most accurate for their mean.",
        "Li, Wang, Lopuhaä-Zwakenberg, Škorić, Li 2020, section 5.4",
        SquareWave,
        (Context,),
        slow_from=200,
        in_order=True,
    ),
    MechanismEntry(
        "binary",
        "The best answer to a yes-or-no question",
        "Each person tells the truth or flips it, with one chance for yes and another for no; no "
        "other mechanism with these two ε's says more.",
        "Acharya et al. 2020, Theorem 2",
        Binary,
        (BinaryPolicy,),
    ),
    MechanismEntry(
        "grid-geometric",
        "Geometric noise along streets",
        "Each person's place is moved north or south and east or west by two random numbers of "
        "cells, on a scale up or down by one; near ones are hidden well, far ones less.",
        "Ghosh, Roughgarden, Sundararajan 2009, once per axis",
        GridGeometric,
        (GridMetric,),
    ),
    MechanismEntry(
        "exponential",
        "The exponential mechanism",
        "Each person names a place that is likelier the nearer it is to their own, by any table "
        "of distances.",
        "McSherry, Talwar 2007; Chatzikokolakis et al. 2013",
        Exponential,
        (DistanceMetric, GridMetric, EuclideanMetric),
        slow_from=300,
    ),
    MechanismEntry(
        "planar-geometric",
        "Planar geometric noise",
        "Each person's place is moved in any direction by a random distance; how well another "
        "place hides depends on its distance as the crow flies.",
        "Andrés et al. 2013, on a lattice",
        PlanarGeometric,
        (EuclideanMetric,),
        slow_from=1_000,
    ),
    MechanismEntry(
        "best-kernel",
        "The best noise as the crow flies",
        "Each person's place is moved by the noise that lies least far off of all that keep this "
        "promise; a proof comes with it of how little better any other could be.",
        "Designed by a linear program; the bound is its dual",
        BestKernel,
        (EuclideanMetric,),
        slow_from=1_000,
        slow_to_make_from=2,
    ),
    MechanismEntry(
        "stepped-geometric",
        "Geometric noise along streets, as the crow flies",
        "Noise along both axes, with steps so small that the promise holds for the distance as "
        "the crow flies: more noise than in the plane, but for any number of people at once.",
        "Andrés et al. 2013 (the promise); Ghosh, Roughgarden, Sundararajan 2009 (the noise)",
        SteppedGeometric,
        (EuclideanMetric,),
    ),
    MechanismEntry(
        "designed",
        "The designer",
        "Each person sends one of the reports that were designed for exactly this policy; a proof "
        "comes with it of how little better any other mechanism could be.",
        "Kairouz, Oh, Viswanath 2016 (extremal mechanisms); McKenna et al. 2020 (the loss)",
        Designed,
        (DenseMatrix,),
        slow_from=24,
    ),
)
MECHANISMS: Final[dict[str, MechanismEntry]] = {
    entry.name: entry for entry in (*FAMILIES.values(), *_OTHERS)
}


BEST: Final = "best"
"""How scenarios call the choice among these, which is `scenarios/best.py`'s."""


def mechanisms_for(policy: PrivacyMatrix) -> list[MechanismEntry]:
    """The mechanisms that can keep this policy, in the catalogue's order; none for unknown kinds.

    One of them is made by `entry.make(policy)`, which may raise `CaldpError` for its size.
    """
    return [entry for entry in MECHANISMS.values() if isinstance(policy, entry.policies)]


def mechanism(policy: Any, name: str, **parameters: Any) -> Mechanism:
    """The named mechanism for a policy, such as `mechanism(context, "subset-selection", omega=4)`.

    `name`: as `list` on the command line prints it, but "best". `parameters`: those of its record
    in `specs`, which docs/scenario.md tells with their ranges; it chooses the missing ones itself.
    Raises `CaldpError` for an unknown name or parameter, for a policy that it does not keep, and
    where sizes or values do not fit.
    """
    require(
        name != BEST,
        f"{BEST!r} chooses a mechanism for a scenario, and reports need to know which; name one.",
    )
    check_choice("mechanism", name, MECHANISMS)
    entry = MECHANISMS[name]
    names = [field.name for field in fields(entry.spec)]  # type: ignore[arg-type]
    unknown = next((key for key in parameters if key not in names), None)
    accepts = f"takes {', '.join(names)}" if names else "takes no parameters"
    require(unknown is None, f"The mechanism {name} {accepts}; it has no {unknown}.")
    require(
        hasattr(policy, "between"),
        f"A mechanism is made for a policy, got one of type {type(policy).__name__}; make one with "
        "Context.of(blocks, sensitive, epsilon).",
    )
    suitable = ", ".join(each.name for each in mechanisms_for(policy)) or "none"
    require(
        isinstance(policy, entry.policies),
        f"The mechanism {name} does not keep a policy of kind {type(policy).__name__}; "
        f"those that do: {suitable}.",
    )
    return entry.spec(**parameters).make(policy)
