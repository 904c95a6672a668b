"""Check that what a class states of its reports is about these very reports.

An audit reads a channel, or its structure, that a class states. Where a subclass, or an attribute
set by hand, changes how reports are made and the statement is still the old one, the statement is
about another mechanism. So no class that changes reports may inherit what is stated of them.
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
"""Methods that a subclass may change without a new statement: no report depends on them.

`__init__` is one, as statements are computed from what it sets up, and so is `for_policy`, which
calls it; `sample_tally` is a simulation; and a weaker statement (`support_form`) beside the one
that is read changes nothing.
"""


MAKES_REPORTS: Final = ("privatize", "client_report")
"""Methods by which mechanisms make reports."""
ORACLES_MAKE_REPORTS: Final = ("privatize", "privatize_base", "clear_reports")
"""Methods by which oracles make reports."""


def statement_mismatch(
    component: Any, statements: Sequence[str], report_methods: Sequence[str]
) -> str | None:
    """Why the statements of `component` are not about its own reports; None if they are.

    `statements`: methods that state the channel; a class that defines one of them states it anew.
    `report_methods`: methods that make reports, where there are any.
    """
    kind = type(component).__name__
    owners = {
        id(owner) for owner in map(_owner(component), [*statements, *report_methods]) if owner
    }
    if len(owners) != 1:
        return f"{kind} takes its reports and what it states of them from different objects"
    owner = next(owner for owner in map(_owner(component), statements) if owner)
    replaced = sorted({*_set_by_hand(component), *_set_by_hand(owner)})
    if replaced:
        return (
            f"{', '.join(replaced)} of this {kind} was set by hand, and no class states a channel "
            "for that; put it into a subclass that does"
        )
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


def _owner(component: Any) -> Any:
    """Name of a method → the object that it is bound to; None where there is no such method."""
    return lambda name: getattr(getattr(component, name, None), "__self__", None)


def _set_by_hand(component: Any) -> list[str]:
    """Functions in place of its class's own methods on which reports or statements depend."""
    cls = type(component)
    return [
        name
        for name, value in getattr(component, "__dict__", {}).items()
        if callable(value) and callable(getattr(cls, name, None)) and name not in SERVER_SIDE
    ]


def _is_code(value: object) -> bool:
    return callable(value) or hasattr(value, "__get__")
