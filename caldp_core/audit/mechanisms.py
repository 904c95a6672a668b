"""One question for any mechanism: whether its channel keeps the policy.

The strongest way that the mechanism's size and statements allow is taken; the verdict says which
(`LargeAudit.method`). A statement counts only if it is about the very reports that the mechanism
makes (`statement_check.py`); where nothing can be read, nothing is certified.
"""

from dataclasses import replace
from fractions import Fraction
from typing import Final

from caldp_core.audit.axes import audit_axes
from caldp_core.audit.block_extremes import quotient
from caldp_core.audit.blockwise import LargeAudit, PairClass, audit_context
from caldp_core.audit.pairwise import audit_channel
from caldp_core.audit.statement_check import MAKES_REPORTS, statement_mismatch
from caldp_core.basics.errors import CaldpError, require
from caldp_core.basics.limits import PAIRWISE_MAX
from caldp_core.basics.powers import exp_below
from caldp_core.basics.types import Progress, no_progress
from caldp_core.mechanisms.base import Mechanism
from caldp_core.mechanisms.structures import (
    HasAxisChannels,
    HasBlockStructure,
    HasPreProcessing,
    HasSmallTwin,
)
from caldp_core.privacy.context import Context, PersonalPolicy, PrivacyMatrix
from caldp_core.privacy.distance import EuclideanMetric, GridMetric

EVERY_PAIR: Final = "every pair and every entry of the channel"
ANY_PAIR: Final = "any pair"
SMALL_TWIN: Final = (
    "every pair and every entry of the channel on a smaller map with the same steps; that the "
    "large map's is made alike is the mechanism's word"
)
TAGS: Final = ", of values and tags"


def audit_mechanism(
    mechanism: Mechanism, policy: PrivacyMatrix | None = None, progress: Progress = no_progress
) -> LargeAudit:
    """Check a mechanism's channel against a policy, its own if none is given.

    Named so because `audit` is this package. Raises `CaldpError` where the mechanism is too large
    to be written out and states nothing else that can be read, and where what it states is not
    about its own reports.
    """
    require(
        hasattr(mechanism, "exact_channel"),
        f"An audit takes a mechanism, got one of type {type(mechanism).__name__}; "
        "make one with mechanism(policy, name).",
    )
    claim = mechanism.policy if policy is None else policy
    require(
        hasattr(claim, "between"),
        f"An audit takes a policy, got one of type {type(claim).__name__}; make one with "
        "Context.of(blocks, sensitive, epsilon).",
    )
    require(
        claim.k == mechanism.k,
        f"A policy of {claim.k:,} values does not fit a mechanism for {mechanism.k:,}.",
    )
    reasons = []
    for method in (_tags, _blocks, _axes, _pairs, _twin):
        verdict = method(mechanism, claim, progress)
        if isinstance(verdict, LargeAudit):
            return verdict
        reasons.append(verdict)
    why = next((reason for reason in reasons if reason), "it states nothing that can be read")
    raise CaldpError(
        f"{type(mechanism).__name__} for {mechanism.k:,} values cannot be certified: {why}; use "
        "fewer values or a mechanism that states its channel."
    )


def _tags(mechanism: Mechanism, policy: PrivacyMatrix, progress: Progress) -> LargeAudit | str:
    """People's own places become tags: what the common mechanism promises holds for each."""
    if not (isinstance(mechanism, HasPreProcessing) and isinstance(policy, PersonalPolicy)):
        return ""
    why = statement_mismatch(mechanism, ["after_pre_processing"], MAKES_REPORTS)
    if why:
        return why
    audit = audit_mechanism(mechanism.after_pre_processing(), policy.with_tags(), progress)
    return replace(audit, method=audit.method + TAGS)


def _blocks(mechanism: Mechanism, policy: PrivacyMatrix, progress: Progress) -> LargeAudit | str:
    if not (isinstance(mechanism, HasBlockStructure) and isinstance(policy, Context)):
        return ""
    own = mechanism.block_structure().policy
    require(
        policy is own or policy.fingerprint() == own.fingerprint(),
        "The mechanism was made for another context than is asked about; make it anew.",
    )
    why = statement_mismatch(mechanism, ["block_structure"], MAKES_REPORTS)
    return why or audit_context(mechanism, progress)


def _pairs(mechanism: Mechanism, policy: PrivacyMatrix, progress: Progress) -> LargeAudit | str:
    if mechanism.k**2 * mechanism.outputs > PAIRWISE_MAX:
        return ""
    why = statement_mismatch(mechanism, ["exact_channel", "_fill_block"], MAKES_REPORTS)
    if why:
        return why
    try:
        channel = mechanism.exact_channel()
    except CaldpError as error:
        return str(error)
    audit = audit_channel(channel, policy)
    progress(1.0)
    if audit.worst is None:
        return LargeAudit(audit.holds, EVERY_PAIR, (), None, audit.faulty_row)
    worst = audit.worst
    ratio = quotient(
        Fraction(channel[worst.x][worst.output]), Fraction(channel[worst.x_other][worst.output])
    )
    pair_class = PairClass(
        block=0,
        kind=ANY_PAIR,
        pairs=audit.pairs,
        x=worst.x,
        x_other=worst.x_other,
        output=worst.output,
        ratio=ratio,
        epsilon=worst.epsilon,
        holds=ratio is not None and ratio <= exp_below(worst.epsilon),
    )
    return LargeAudit(audit.holds, EVERY_PAIR, (pair_class,), pair_class, audit.faulty_row)


def _axes(mechanism: Mechanism, policy: PrivacyMatrix, progress: Progress) -> LargeAudit | str:
    if not isinstance(policy, GridMetric | EuclideanMetric):
        return ""
    if not isinstance(mechanism, HasAxisChannels):
        return ""
    why = statement_mismatch(mechanism, ["axis_channels"], MAKES_REPORTS)
    return why or audit_axes(mechanism, policy, progress)


def _twin(mechanism: Mechanism, policy: PrivacyMatrix, progress: Progress) -> LargeAudit | str:
    if not isinstance(policy, GridMetric | EuclideanMetric):
        return ""
    if not isinstance(mechanism, HasSmallTwin):
        return ""
    why = statement_mismatch(mechanism, ["small_twin"], MAKES_REPORTS)
    if why:
        return why
    twin = mechanism.small_twin()
    small = twin.policy
    require(
        isinstance(small, type(policy))
        and replace(policy, rows=small.rows, columns=small.columns) == small,
        "The small map has other steps than the large one; nothing follows from it.",
    )
    return replace(audit_mechanism(twin, small, progress), method=SMALL_TWIN)
