"""The record of every kind of policy: its numbers are those of the run and of the audit."""

import io
import json
import math
import re
from dataclasses import replace
from html import unescape

import numpy as np
import pytest
from PIL import Image, ImageColor

from caldp_core.audit.mechanisms import audit_mechanism
from caldp_core.basics.types import no_progress
from caldp_core.datasets import Gowalla
from caldp_core.domain.grid import GridDomain
from caldp_core.experiments.run import Setup, prepare, run
from caldp_core.scenarios.blocks import SensitiveAreas
from caldp_core.scenarios.policies import BinaryQuestion, PersonalTags
from caldp_core.scenarios.scenario import SLOTS, Scenario
from caldp_ui.app.theme import LIGHT
from caldp_ui.parts import sharing
from caldp_ui.words import formats, policies
from caldp_ui.words.formats import ANSWERS, PLACES, VALUES, Vocabulary
from caldp_ui.words.promise import PromiseText
from caldp_ui.yesno import view
from caldp_ui.yesno.page_state import BEGIN, load_data
from tests import ROOT
from tests.ui.readings import full_people
from tests.ui.small import channel_of

NEAR_NEW_YORK = Gowalla("40.2,41.4,-74.8,-73.2")
"""48 cells: their channels can be written out."""


def example(name: str) -> Scenario:
    file = ROOT / "examples" / f"{name}.json"
    return replace(Scenario.from_dict(json.loads(file.read_text("utf-8"))), trials=1)


def around_new_york(name: str) -> Scenario:
    return replace(example(name), dataset=NEAR_NEW_YORK, n=20_000)


def tags() -> Scenario:
    common = SensitiveAreas(("+40.2,40.6,-74.8,-74.4",))
    own = PersonalTags(common, (0.3, 0.2), "truth")
    return replace(around_new_york("personal-tags"), policy=own)


KINDS: dict[str, tuple[Vocabulary, Scenario]] = {
    "context": (VALUES, example("survey")),
    "streets": (PLACES, around_new_york("near-places")),
    "crow-flies": (PLACES, around_new_york("planar-geometric")),
    "line": (VALUES, example("scale")),
    "distances": (VALUES, example("exponential")),
    "matrix": (VALUES, example("designed")),
    "binary": (ANSWERS, BEGIN),
    "personal-tags": (PLACES, tags()),
}
EVERY = pytest.mark.parametrize("kind", KINDS)


def plain(text: str) -> str:
    return text.replace("*", "")


def test_every_kind_of_policy_has_its_sentences() -> None:
    assert set(policies.WRITERS) == set(KINDS) == set(SLOTS["policy"][1])
    assert all(scenario.kind("policy") == kind for kind, (_, scenario) in KINDS.items())


@EVERY
def test_the_record_has_the_numbers_of_the_run_and_of_the_audit(kind: str) -> None:
    nouns, scenario = KINDS[kind]
    ours = run(prepare(scenario))
    checked = sharing.audit_scenario(scenario, no_progress)
    html = sharing.html(
        nouns, sharing.ReportContent(ours, "The **page** says.", {}), checked, "http://x/?a=1"
    )
    text = unescape(re.sub(r"<[^>]*>", "", html))
    promise = policies.describe_promise(nouns, ours.setup)
    for sentence in (
        promise.summary,
        promise.protected,
        promise.odds,
        promise.repeats,
        *promise.not_promised,
    ):
        assert plain(sentence) in text
    sentences = (plain(promise.summary), "The page says.")
    assert " ".join(sentences if promise.protected_share < 1 else sentences[::-1]) in text
    assert f"error (total variation){formats.share(ours.first.errors.tv)}" in text
    share = promise.chance if promise.protected_share == 1.0 else promise.protected_share
    assert full_people(html) == [round(100 * share)]
    audit = audit_mechanism(ours.setup.mechanism, ours.setup.policy)
    assert audit.holds
    assert "It holds." in text
    assert audit.worst is not None
    assert f"a privacy loss of {audit.worst.privacy_loss:.9g}, where" in text
    (again,) = re.findall(r'\{"caldp_scenario.*\}', text)
    assert Scenario.from_dict(json.loads(again)) == scenario


def best_after(setup: Setup) -> float:
    """Most that the best guess between a symbol and one that hides it is right, over all pairs."""
    k, channel = setup.policy.k, channel_of(setup)[:, : setup.mechanism.outputs]
    best = 0.5
    for x in range(k):
        others = np.arange(k)
        held = np.isfinite(setup.policy.between(np.full(k, x), others)) & (others != x)
        for other in others[held]:
            best = max(best, float(np.maximum(channel[x], channel[other]).sum() / 2))
    return best


@pytest.mark.parametrize("kind", ["context", "distances", "matrix", "binary"])
def test_no_guess_between_a_hidden_pair_is_right_more_often_than_the_record_says(kind: str) -> None:
    nouns, scenario = KINDS[kind]
    setup = prepare(scenario)
    assert best_after(setup) <= policies.describe_promise(nouns, setup).chance + 1e-9


def test_the_best_coin_leaves_nothing_of_its_bound_unused() -> None:
    setup = prepare(BEGIN)
    assert best_after(setup) == pytest.approx(
        policies.describe_promise(ANSWERS, setup).chance, abs=1e-9
    )


def test_an_answer_that_is_not_hidden_protects_nobody_with_it() -> None:
    for policy, share, hides in (
        (BinaryQuestion(math.inf, 1.0), float(BEGIN.dataset.load().distribution[1]), "“yes”"),
        (BinaryQuestion(1.0, math.inf), float(BEGIN.dataset.load().distribution[0]), "“no”"),
    ):
        promise = promise_of(replace(BEGIN, policy=policy))
        left, has = formats.out_of_few(1 - share), formats.out_of_few(share)
        first = f"**{left} people are not protected, {has} are.** {hides}"
        assert promise.protected.startswith(first)
        assert promise.chance == pytest.approx(1 - math.exp(-1.0) / 2)
        assert "may prove it" in promise.summary.partition(".")[0]
        assert any("may prove it" in sentence for sentence in promise.not_promised)
    bare = promise_of(replace(BEGIN, policy=BinaryQuestion(math.inf, math.inf)))
    assert (bare.chance, bare.repeats) == (1.0, "")
    assert bare.protected == "**Nobody is protected.** Nothing can be denied."


def promise_of(scenario: Scenario) -> PromiseText:
    return policies.describe_promise(ANSWERS, prepare(scenario))


def test_tags_count_the_people_of_the_model() -> None:
    setup = prepare(tags())
    truth = setup.dataset.distribution
    common = float(truth[setup.sensitive].sum())
    own = 0.5 * (1 - common)
    text = policies.describe_promise(PLACES, setup).protected
    assert 0 < common < 1
    for share in (own, common, own + common):
        assert f"{formats.out_of(share)} " in plain(text).replace(" are.", " people are.")


def test_far_pairs_of_a_map_are_told_apart_as_the_record_says() -> None:
    _, scenario = KINDS["crow-flies"]
    setup = prepare(scenario)
    domain = setup.dataset.domain
    odds = plain(policies.describe_promise(PLACES, setup).odds)
    rows = channel_of(setup)
    assert isinstance(domain, GridDomain)
    km = domain.km_from(0)
    for limit in (50.0,):
        (chance,) = re.findall(rf"{limit:g} km apart it is at most (\d+) of 100", odds)
        near = np.flatnonzero(km <= limit)
        right = max(float(np.maximum(rows[0], rows[x]).sum() / 2) for x in near)
        assert right <= int(chance) / 100 + 0.005


def test_the_picture_of_yes_or_no_has_a_dot_for_every_likely_share() -> None:
    data = load_data(BEGIN)
    image = Image.open(io.BytesIO(view.png(data))).convert("RGB")
    pixels = np.asarray(image)
    for colour in (LIGHT.ours, LIGHT.plain):
        dots = (pixels == ImageColor.getrgb(colour)).all(axis=2)
        assert dots.sum() > 50 * 60  # the dots hardly cover each other
    line = (pixels == ImageColor.getrgb(LIGHT.text)).all(axis=2).sum(axis=0)
    assert line.max() > 100
