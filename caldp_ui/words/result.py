"""The result of a scenario as a headline: the unprotected first, then both errors."""

from caldp_core.domain.grid import GridDomain
from caldp_core.experiments.error_validity import has_valid_errors
from caldp_core.experiments.run import Setup
from caldp_core.privacy.context import Context
from caldp_core.scenarios.blocks import EverythingSensitive, GridBlocks, OneBlock
from caldp_core.scenarios.policies import ContextPolicy
from caldp_ui.words import coverage as counts
from caldp_ui.words import formats, policies, promise
from caldp_ui.words.accuracy import is_share
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
        sentence = _error_sentence(nouns, setup, ours, plain) if known else unknown
        return Headline(sentence, _hidden_sentence(nouns, setup), figures=figures)
    parts = [_weakness_sentence(nouns, setup), _errors_sentence(nouns, ours, plain)]
    second = [*rest, *(parts if known else [unknown])]
    return Headline(first, " ".join(filter(None, second)), True, figures)


def _error_sentence(
    nouns: Vocabulary, setup: Setup, ours: float | None, plain: float | None
) -> str:
    if ours is None:
        return f"The {nouns.whole} of this protection is still being computed."
    who = "Plain LDP" if is_plain(setup) else "This protection"
    compared = None if is_plain(setup) else plain
    if not is_share(ours):
        other = "" if compared is None else f", plain LDP's by {_variation_text(compared)}"
        return f"{who}'s estimate is off by a total variation of {_variation_text(ours)}{other}."
    sentence = f"{who} puts {_people_text(ours)} {nouns.wrong}"
    if compared is None:
        return f"{sentence}."
    if formats.of_hundred(compared) == formats.of_hundred(ours):
        return f"{sentence}, and so does plain LDP."
    if not is_share(compared):
        return f"{sentence}; plain LDP's estimate is not made of shares."
    number = formats.of_hundred(compared) if _is_nobody(ours) else formats.per_hundred(compared)
    return f"{sentence}, plain LDP {number}."


def _variation_text(tv: float) -> str:
    return "less than 0.001" if 0 < tv < 5e-4 else formats.share(tv)


def _people_text(share: float) -> str:
    return "nobody" if _is_nobody(share) else f"{formats.of_hundred(share)} people"


def _is_nobody(share: float) -> bool:
    return formats.per_hundred(share) == "0"


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


def _errors_sentence(nouns: Vocabulary, ours: float | None, plain: float | None) -> str:
    if ours is None:
        return f"The {nouns.whole} of this protection is still being computed."
    if not is_share(ours):
        return f"The estimate is off by a total variation of {_variation_text(ours)}."
    sentence = f"This protection puts {_people_text(ours)} {nouns.wrong}"
    if plain is None or not is_share(plain):
        return f"{sentence}."
    if formats.per_hundred(plain) == formats.per_hundred(ours):
        return f"{sentence}. Plain LDP protects everybody, and puts as many there."
    number = formats.of_hundred(plain) if _is_nobody(ours) else formats.per_hundred(plain)
    return f"{sentence}. Plain LDP protects everybody, and puts {number} there."
