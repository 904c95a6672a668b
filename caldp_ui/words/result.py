"""The result of a scenario as a headline: the unprotected first, then both errors."""

from caldp_core.domain.grid import GridDomain
from caldp_core.experiments.error_validity import has_valid_errors
from caldp_core.experiments.run import Setup
from caldp_core.privacy.context import Context
from caldp_core.scenarios.blocks import EverythingSensitive, GridBlocks, OneBlock
from caldp_core.scenarios.policies import ContextPolicy
from caldp_ui.words import accuracy, policies, promise
from caldp_ui.words import promise_text as counts
from caldp_ui.words.headline import Headline
from caldp_ui.words.vocabulary import Vocabulary


def headline(nouns: Vocabulary, setup: Setup, ours: float | None, plain: float | None) -> Headline:
    """Errors of the scenario's estimate and of plain LDP's, and who is protected.

    `ours`, `plain`: total variations of both estimates; None: not computed yet. Where not everybody
    is protected, the sentence says so and the errors are the second line. Figures: `tv` and
    `plain_tv`, the `protected` share of people, and of the others the `readable` share.
    """
    texts = policies.describe_promise(nouns, setup)
    found = counts.unprotected_first(nouns, texts.exposed, texts.protected_share, texts.readable)
    first, *rest = found or [""]
    known = has_valid_errors(setup)
    errors = {"tv": ours, "plain_tv": plain} if known else {}
    figures = {name: tv for name, tv in errors.items() if tv is not None}
    figures |= {"protected": texts.protected_share, "readable": texts.readable}
    unknown = f"How good this {nouns.whole} is cannot be known: its data were made with the prior."
    if not first:
        sentence = _own_sentence(nouns, setup, ours, plain) if known else unknown
        return Headline(sentence, _hidden_sentence(nouns, setup), figures=figures)
    parts = [_weakness_sentence(nouns, setup), accuracy.error_sentences(nouns, ours, plain)]
    second = [*rest, *(parts if known else [unknown])]
    return Headline(first, " ".join(filter(None, second)), True, figures)


def _own_sentence(nouns: Vocabulary, setup: Setup, ours: float | None, plain: float | None) -> str:
    """Both errors; plain LDP's own where this protection is plain LDP itself."""
    if is_plain(setup):
        return accuracy.error_sentence(nouns, ours, None, "Plain LDP")
    return accuracy.error_sentence(nouns, ours, plain)


def is_plain(setup: Setup) -> bool:
    """Whether this protection is plain LDP itself."""
    policy = setup.scenario.policy
    return (
        isinstance(policy, ContextPolicy)
        and isinstance(policy.blocks, OneBlock)
        and isinstance(policy.sensitive, EverythingSensitive)
    )


def _weakness_sentence(nouns: Vocabulary, setup: Setup) -> str:
    """That those who are protected are hardly so, at a large ε; "" where they are."""
    if not policies.describe_promise(nouns, setup).grades[-1].counts_as_none:
        return ""
    level = promise.largest_epsilon(setup.scenario)
    if isinstance(setup.policy, Context):
        level = float(setup.policy.hidden_epsilon.max())
    return f"At ε = {level:g} even their protection counts as none."


def _hidden_sentence(nouns: Vocabulary, setup: Setup) -> str:
    """What this protection and plain LDP both hide, and what only plain LDP hides."""
    if not isinstance(setup.policy, Context):
        return policies.promise_summary(nouns, setup)
    levels = setup.policy.hidden_epsilon
    low, high = float(levels.min()), float(levels.max())
    texts = policies.describe_promise(nouns, setup)
    if texts.grades[-1].counts_as_none:
        guess = texts.summary.replace("*", "")
        return f"At ε = {high:g} the protection counts as none. {guess}"
    if is_plain(setup):
        return f"It hides every {nouns.unit} from every other, at ε = {low:g}."
    block, sized = promise.block_name(nouns, setup.scenario), _sized_block(nouns, setup)
    if low == high:
        return (
            f"Both hide {nouns.which} in a {sized}, at ε = {low:g}. "
            f"Only plain LDP also hides which {block}."
        )
    return (
        f"It hides {nouns.which} in a {sized}, at ε from {low:g} to {high:g}. "
        f"Plain LDP also hides which {block}, at ε = {low:g}."
    )


def _sized_block(nouns: Vocabulary, setup: Setup) -> str:
    """The noun for a block, with its sides in degrees where all blocks are of one size."""
    blocks, domain = setup.scenario.context.blocks, setup.dataset.domain
    name = promise.block_name(nouns, setup.scenario)
    if not isinstance(blocks, GridBlocks) or not isinstance(domain, GridDomain):
        return name
    if domain.rows % blocks.rows or domain.columns % blocks.columns:
        return name
    north, east = (
        domain.cell * cells
        for cells in (domain.rows // blocks.rows, domain.columns // blocks.columns)
    )
    return f"{name} of {north:g}° × {east:g}°"
