"""What a class states of its reports is believed only if it is said of these very reports.

An audit reads a channel, or its structure, that a class states. Where a subclass, or an attribute
set by hand, changes how reports are made and the statement is still the old one, the statement is
of another mechanism. So nobody who changes reports may inherit what is said of them.
"""

from collections.abc import Sequence
from typing import Any, Final

SERVER_SIDE: Final = frozenset(
    {
        "__init__",
        "block_counts",
        "blocks",
        "channel_products",
        "clear_counts",
        "symbol_partition",
        "craftable",
        "estimate",
        "apply",
        "expected_estimate",
        "every_report",
        "fingerprint",
        "for_policy",
        "gain_of_mixture",
        "most_included",
        "n_max",
        "none_included",
        "offset",
        "one_report",
        "outputs",
        "mean_over_tags",
        "probabilities",
        "products",
        "apply_transpose",
        "report_bits",
        "sample_crafted",
        "sample_tally",
        "second_moment",
        "settings",
        "sum_variance",
        "support_form",
        "support_tally",
        "tally",
        "uniform_inclusion",
        "variance",
        "without_tags",
    }
)
"""What may change without a word: nothing that a person sends depends on it.

`__init__` may, as statements are reckoned from what it sets up, and so may `for_policy`, which
calls it; `sample_tally` is a simulation; and
a weaker statement (`support_form`) beside the one that is read changes nothing.
"""


MAKES_REPORTS: Final = ("privatize", "client_report")
"""How mechanisms make reports …"""
ORACLES_MAKE_REPORTS: Final = ("privatize", "privatize_base", "clear_reports")
"""… and how oracles do."""


def statement_mismatch(
    component: Any, statements: Sequence[str], report_methods: Sequence[str]
) -> str | None:
    """Why what `component` states is not of its own reports; None if it is.

    `statements`: methods that state the channel, all for one and one for all. `report_methods`:
    methods that make reports, where there are any.
    """
    kind = type(component).__name__
    owners = {
        id(owner) for owner in map(_owner(component), [*statements, *report_methods]) if owner
    }
    if len(owners) != 1:
        return f"{kind} takes its reports and what it states of them from different objects"
    owner = next(owner for owner in map(_owner(component), statements) if owner)
    for cls in type(owner).__mro__:
        own = {name for name, value in vars(cls).items() if _is_code(value)}
        if own & set(statements):
            return None
        changed = sorted(own - SERVER_SIDE)
        if changed:
            return (
                f"{cls.__name__} changes {', '.join(changed)} but states no channel of its own; "
                f"let it state {statements[0]} as well"
            )
    return f"{kind} does not state {statements[0]}"


def _owner(thing: Any) -> Any:
    """Name of a method → the object it is bound to; None where there is no such method."""
    return lambda name: getattr(getattr(thing, name, None), "__self__", None)


def _is_code(value: object) -> bool:
    return callable(value) or hasattr(value, "__get__")
