"""The protocol of a collection: all that devices and a collector share, and nothing of any person.

It is made from a scenario, and holds its question, domain, policy and mechanism with the whole
numbers that its coins are thrown by; neither the data of the scenario nor how many people it has.

Its plan is a channel that is written out, or a family in a context. It holds the limits of all
pairs and each answer's law in whole numbers; its reader checks one against the other, exactly. What
a family chooses automatically (parts, ω, g, q) it chooses by floats: another machine or a later
version might choose otherwise, while devices in the field go on by what the protocol says. So
families are rebuilt from the protocol's whole numbers.
"""

import hashlib
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any, Final, Literal, Self, TypeAlias, TypeVar

import numpy as np

import caldp_core
from caldp_core.basics.errors import CaldpError, check_type, count_text, require
from caldp_core.basics.files import parse_int
from caldp_core.basics.limits import K_MAX, PAIRWISE_MAX, SPACE_POINTS_MAX
from caldp_core.basics.types import TABLE_ROWS, Bools, Floats, Ints, html_table, short_repr
from caldp_core.collect import device as devices
from caldp_core.collect.device import (
    NUMBER,
    REPETITIONS,
    Coins,
    Device,
    Format,
    Memo,
    NoisyMemo,
    Once,
    Repetition,
)
from caldp_core.collect.json_files import (
    ADVICE,
    NAME,
    check_same,
    format_json,
    kind_field,
    list_field,
    object_field,
    parse_json_object,
    read_json_object,
)
from caldp_core.datasets.base import from_weights
from caldp_core.datasets.own import is_line
from caldp_core.domain.domains import Domain, GridDomain
from caldp_core.domain.partitions import named_blocks, single_block
from caldp_core.experiments.run import Setup
from caldp_core.mechanisms.base import Family, Mechanism
from caldp_core.mechanisms.capabilities import HasDeviceNumbers, HasPreProcessing
from caldp_core.mechanisms.catalogue import COLLECTABLE, FamilySpec, MechanismName, MechanismSpec
from caldp_core.mechanisms.contextual import ContextMechanism
from caldp_core.mechanisms.designed.master import rows_keep_levels
from caldp_core.mechanisms.oracles.galois import digits_of
from caldp_core.mechanisms.oracles.hyperplanes import DEGREE_MAX
from caldp_core.mechanisms.written_out import WrittenOut
from caldp_core.privacy.context import Context, PrivacyMatrix, check_policy, dense
from caldp_core.privacy.matrix import (
    Coverage,
    DenseMatrix,
    coverage,
    exposed_clause,
    names_text,
    value_names,
)
from caldp_core.scenarios import scenario
from caldp_core.scenarios.records import INFINITY, from_dict, to_dict

T = TypeVar("T")
TABLE: Final = "table"
WHOLE_MAX: Final = 1 << 8192
"""Largest denominator: a law of 60 values on a line has 2,833 bits."""


@dataclass(frozen=True, eq=False)
class TableDevice:
    """`steps`: k rows of whole numbers; answer x sends y with chance (step y − step y−1)/whole."""

    steps: Sequence[Sequence[int]]
    whole: int
    __repr__ = short_repr

    def draw(self, symbol: int, coins: Coins) -> tuple[int, None]:
        """(report, None): the first whose step is above a number that is uniform below `whole`."""
        return coins.draw_step(self.steps[symbol], self.whole), None


@dataclass(frozen=True, eq=False)
class TablePlan:
    """A collection by a channel written out; `made_by`: its mechanism's name in the catalogue."""

    made_by: str
    mechanism: WrittenOut

    @classmethod
    def of(cls, name: str, mechanism: Mechanism) -> Self:
        """The plan of a mechanism on few values; `CaldpError` where it has too many."""
        channel = mechanism.exact_channel()
        # All chances as whole numbers over one denominator, which the coins are thrown by.
        whole = 1
        for row in channel:
            whole = math.lcm(whole, *(entry.denominator for entry in row))
        numerators = []
        for row in channel:
            numerators.append(tuple(int(entry * whole) for entry in row))
        return cls(name, _mechanism(dense(mechanism.policy), tuple(numerators), whole))

    @classmethod
    def from_parts(cls, policy: Mapping[str, Any], mechanism: Mapping[str, Any]) -> Self:
        """The plan that a protocol's parts describe; raises `CaldpError`."""
        kind_field(policy, "policy", {"matrix": None})
        rows = [_levels(row) for row in list_field(policy, "rows", list)]
        whole = _whole(mechanism.get("whole"))
        steps = []
        for row in list_field(mechanism, "steps", list):
            steps.append([_whole(step) for step in row])
        made_by = mechanism.get("made_by")
        sizes = {len(row) for row in steps}
        require(
            isinstance(made_by, str) and len(made_by) <= 100 and len(sizes) == 1,
            f"{NAME}'s mechanism needs made_by, a short text, and rows of steps of one length; "
            f"{ADVICE}",
        )
        # From steps back to the chance of each report: never below 0, and `whole` together.
        numerators = []
        for row in steps:
            chances = tuple(above - below for below, above in pairwise((0, *row)))
            require(
                sum(chances) == whole and min(chances, default=-1) >= 0,
                f"{NAME}'s steps must rise to whole in every row; {ADVICE}",
            )
            numerators.append(chances)
        levels = DenseMatrix.of(rows).entries
        return cls(str(made_by), _mechanism(levels, tuple(numerators), whole))

    @property
    def name(self) -> str:
        """What the mechanism is called in a protocol."""
        return TABLE

    @cached_property
    def device(self) -> TableDevice:
        """The device that draws reports."""
        steps = tuple(tuple(accumulate(row)) for row in self.mechanism.numerators)
        return TableDevice(steps, self.mechanism.whole)

    @property
    def format(self) -> Format:
        """How its reports are written."""
        return Format(NUMBER, self.mechanism.outputs, self.mechanism.outputs)

    @property
    def blocks(self) -> Ints:
        """(k,) one block of everything."""
        return np.zeros(self.mechanism.k, np.int64)

    def policy_part(self) -> dict[str, Any]:
        """The policy, JSON-ready."""
        # JSON has no infinity, so that it is written as a text.
        rows = dense(self.mechanism.policy).tolist()
        for row in rows:
            for column, level in enumerate(row):
                if level == math.inf:
                    row[column] = INFINITY
        return {"kind": "matrix", "rows": rows}

    def mechanism_part(self) -> dict[str, Any]:
        """The mechanism, JSON-ready; as texts, as numbers of JSON lose digits in browsers."""
        steps = [list(map(str, row)) for row in self.device.steps]
        whole = str(self.mechanism.whole)
        return {"kind": TABLE, "made_by": self.made_by, "whole": whole, "steps": steps}

    def summary(self) -> dict[str, Any]:
        """The mechanism in short, for a record."""
        return {"kind": self.made_by}

    def promise(self) -> dict[str, Any]:
        """What is promised, for a record."""
        levels = dense(self.mechanism.policy)
        # A value is always hidden from itself: the diagonal says nothing.
        finite = levels[np.isfinite(levels) & ~np.eye(len(levels), dtype=np.bool_)]
        return {
            **_epsilon_range(finite),
            "values": self.mechanism.k,
            "pairs_without_a_limit": int(np.isinf(levels).sum()),
        }


def _epsilon_range(levels: Floats) -> dict[str, float | None]:
    """The least and the largest of some levels, JSON-ready; None where there are none."""
    if not levels.size:
        return {"epsilon_least": None, "epsilon_most": None}
    return {"epsilon_least": float(levels.min()), "epsilon_most": float(levels.max())}


def can_be_written_out(mechanism: Mechanism) -> bool:
    """Whether all of its channel can be in a protocol: few values, and reports that are numbers.

    Mechanisms that draw a part of the person from a model have no device.
    """
    small = mechanism.k**2 * mechanism.outputs <= PAIRWISE_MAX
    if not small or isinstance(mechanism, HasPreProcessing):
        return False
    return mechanism.every_report().dtype.names is None


def _mechanism(levels: Floats, rows: Sequence[Sequence[int]], whole: int) -> WrittenOut:
    """The channel as a mechanism, checked against its limits; raises `CaldpError`."""
    policy, k = DenseMatrix.of(levels), len(levels)
    require(
        len(rows) == k and k**2 * len(rows[0]) <= PAIRWISE_MAX and 0 < whole < WHOLE_MAX,
        f"{NAME}'s table must have a row a value, and at most {PAIRWISE_MAX:,} pairs times "
        f"reports, in whole numbers of 8,192 bits; {ADVICE}",
    )
    require(
        rows_keep_levels(rows, whole, policy.entries),
        f"{NAME}'s table tells two values apart by more than its policy allows; {ADVICE}",
    )
    return WrittenOut(policy, rows, whole)


def _levels(row: list[Any]) -> list[float]:
    """A row of limits, with ∞ for the text that stands for it; raises `CaldpError`."""
    levels = []
    for level in row:
        if level == INFINITY:
            levels.append(math.inf)
            continue
        # Not isinstance: True is an int to Python. NaN and numbers near ∞ are no limits.
        is_number = type(level) in (int, float) and abs(level) < 1e300
        require(
            is_number or level == math.inf,
            f"{NAME}'s rows must hold numbers or {INFINITY!r}; {ADVICE}",
        )
        levels.append(level)
    return levels


def _whole(text: object) -> int:
    """A whole number, 0 or more, in a text of bounded length; raises `CaldpError`."""
    number = None
    if isinstance(text, str) and len(text) <= 2500:
        number = parse_int(text)
    if number is None or number < 0:
        raise CaldpError(f"{NAME}'s table needs whole numbers, written as texts; {ADVICE}")
    return number


_CHOICES: Final = {
    "hadamard": "parts",
    "galois": "degree",
    "subset-selection": "omega",
    "local-hashing": "g",
}
"""Family → the numbers that it chooses; the others choose nothing."""


def pinned_family(spec: FamilySpec, numbers: Mapping[str, Any]) -> Family:
    """The family with the choices in `numbers`, lists of m; `CaldpError` when it is called."""
    if spec.name not in _CHOICES:
        return spec.family()
    name = _CHOICES[spec.name]

    def choose(sizes: Ints, *_: Any) -> Ints:
        # First that these are whole numbers, one a block; then that each block can have its own.
        listed = numbers.get(name)
        require(
            isinstance(listed, list)
            and len(listed) == sizes.size
            and all(type(number) is int and 0 <= number <= 1 << 20 for number in listed),
            f"The protocol's mechanism needs {name}: a whole number for each of "
            f"{count_text(sizes.size, 'block', 'blocks')}; give the file that caldp wrote.",
        )
        array = np.array(listed, np.int64)
        wrong = np.flatnonzero(~_ALLOWED[name](sizes, array))
        require(
            not wrong.size,
            f"The protocol's {name} of block {wrong[:1].sum()} is {array[wrong[:1]].sum()}, which "
            "the block is too small for; give the file that caldp wrote.",
        )
        return array

    return partial(spec.oracles, choose=choose)


def _fields(sizes: Ints, degrees: Ints) -> Bools:
    """(m,) whether a field of that degree has points for each block, and not too many."""
    right = degrees <= DEGREE_MAX
    for m in range(1, DEGREE_MAX + 1):
        some = degrees == m
        points = 2.0 ** (m * digits_of(sizes[some], m))
        right[some] = (points <= SPACE_POINTS_MAX) & (sizes[some] > 1 << m)
    return np.asarray(right)


_ALLOWED: Final[dict[str, Callable[[Ints, Ints], Bools]]] = {
    "parts": lambda sizes, parts: (parts >= 1) & (parts <= np.maximum(sizes, 1)),
    "degree": _fields,
    "omega": lambda sizes, omega: (omega >= 1) & (omega <= np.maximum(sizes - 1, 1)),
    # As many as symbols is always few enough: the prime is not smaller.
    "g": lambda sizes, g: (g >= np.minimum(2, sizes)) & (g >= 1) & (g <= np.maximum(2 * sizes, 1)),
}


@dataclass(frozen=True, eq=False)
class FamilyPlan:
    """A collection by a family: `spec` is it with its parameters, `mechanism` is made of it."""

    spec: FamilySpec
    mechanism: ContextMechanism

    @classmethod
    def from_parts(cls, policy: Mapping[str, Any], mechanism: Mapping[str, Any]) -> Self:
        """The plan that a protocol's parts describe; raises `CaldpError`."""
        kind = kind_field(mechanism, "mechanism", COLLECTABLE)
        rest = {key: value for key, value in mechanism.items() if key not in ("kind", "numbers")}
        spec = from_dict(COLLECTABLE[kind].spec, rest, scenario.KINDS, f"{NAME}'s mechanism")
        family = pinned_family(spec, object_field(mechanism, "numbers"))
        return cls(spec, ContextMechanism(_context(policy), spec.name, family))

    @property
    def name(self) -> str:
        """The name of the family."""
        return self.spec.name

    @cached_property
    def device(self) -> Device:
        """The device that draws reports."""
        policy, numbers = self.mechanism.policy, self.numbers
        # From a list for each name to a record for each block.
        blocks = []
        for row in zip(*numbers.values(), strict=True):
            blocks.append(dict(zip(numbers, row, strict=True)))
        # A hidden value's place within its block; below 0 for what is sent openly.
        starts = np.cumsum(policy.hidden_sizes) - policy.hidden_sizes
        ranks = policy.ranks
        place = np.where(ranks >= 0, ranks - starts[policy.blocks], ranks)
        clear = self.format.oracle_count
        return Device(self.name, clear, blocks, policy.blocks.tolist(), place.tolist())

    @cached_property
    def format(self) -> Format:
        """How its reports are written."""
        return Format.of(self.mechanism)

    @property
    def blocks(self) -> Ints:
        """(k,) block of each value, in [0, m)."""
        return self.mechanism.policy.blocks

    @cached_property
    def numbers(self) -> dict[str, list[int]]:
        """Name → m whole numbers, one per block, by which coins are thrown."""
        oracles = self.mechanism.oracles
        assert isinstance(oracles, HasDeviceNumbers)  # all families do
        numbers = {"cover": oracles.cover_threshold, **oracles.device_numbers}
        return {name: values.tolist() for name, values in numbers.items()}

    def policy_part(self) -> dict[str, Any]:
        """The policy, JSON-ready."""
        policy = self.mechanism.policy
        return {
            "kind": "context",
            "blocks": policy.blocks.tolist(),
            "sensitive": policy.sensitive.tolist(),
            "epsilon": policy.epsilon.tolist(),
        }

    def mechanism_part(self) -> dict[str, Any]:
        """The mechanism, JSON-ready."""
        return {"kind": self.name, **to_dict(self.spec, scenario.KINDS), "numbers": self.numbers}

    def summary(self) -> dict[str, Any]:
        """The mechanism in short, for a record."""
        summary = {"kind": self.name}
        for name, value in asdict(self.spec).items():  # type: ignore[call-overload]
            if value is not None:
                summary[name] = value
        return summary

    def promise(self) -> dict[str, Any]:
        """What is promised, for a record; ε of the blocks in which something is hidden."""
        policy = self.mechanism.policy
        hidden = int(self.mechanism.hidden_symbols.size)
        always = int(coverage(policy).in_clear.sum())
        promise: dict[str, Any] = {
            **_epsilon_range(policy.hidden_epsilon),
            "values": self.mechanism.k,
            "hidden_values": hidden,
        }
        if always:
            promise["values_sent_openly_always"] = always
        promise["values_sent_openly_at_times"] = self.mechanism.k - hidden - always
        promise["blocks_seen_by_the_collector"] = policy.m
        return promise


def _context(part: Mapping[str, Any]) -> Context:
    kind_field(part, "policy", {"context": None})
    """The context that a protocol's policy describes; raises `CaldpError`."""
    blocks = list_field(part, "blocks", int)
    sensitive = list_field(part, "sensitive", bool)
    epsilon = list_field(part, "epsilon", float, int)
    require(
        all(abs(label) < K_MAX for label in blocks) and all(abs(e) < K_MAX for e in epsilon),
        f"{NAME}'s policy holds a number that is too large; {ADVICE}",
    )
    return Context.of(
        np.array(blocks, np.int64), np.array(sensitive, np.bool_), np.array(epsilon, np.float64)
    )


PROTOCOL_KEY: Final = "caldp_protocol"
FORMAT: Final = 1
REPEATED: Final = 2
"""Format of protocols with a plan of repetition, which earlier clients do not know."""
SEVERAL: Final = 3
"""Format of files of several questions (`questions.py`), each a protocol."""
MEMO_MAX: Final = 1 << 20
"""Most bytes of the reports of all values that a device stores; a number counts 4."""
EVERYTHING: Final = ("everything",)
"""The one block of a channel that is written out."""
EXPOSED: Final = "protected_by_nothing"
QUESTION_MAX: Final = 500
"""Most characters of the question."""
_DOMAINS: Final[dict[str, type[Domain] | type[GridDomain]]] = {"answers": Domain, "map": GridDomain}
_PLANS: Final[dict[str, type[FamilyPlan] | type[TablePlan]]] = {
    **dict.fromkeys(COLLECTABLE, FamilyPlan),
    TABLE: TablePlan,
}
Plan: TypeAlias = FamilyPlan | TablePlan


_PLANS_BY_NAME: Final[dict[str, Repetition]] = {Once.kind: Once(), Memo.kind: Memo()}


def _plan_of(plan: object) -> Repetition:
    """The plan, given as itself or by the name of one without numbers; `CaldpError` otherwise."""
    if isinstance(plan, Repetition):
        return plan
    require(
        isinstance(plan, str) and plan in _PLANS_BY_NAME,
        f"plan must be {' or '.join(map(repr, _PLANS_BY_NAME))}, or one of "
        f"{', '.join(cls.__name__ for cls in REPETITIONS.values())} with its numbers, such as "
        f"Budget(30), got {plan!r}.",
    )
    return _PLANS_BY_NAME[str(plan)]


@dataclass(frozen=True, eq=False, repr=False)
class Protocol:
    """All that the devices and the collector of a collection share; nothing of any person.

    `question`: one text. `domain`: what can be answered. `block_names`: m texts for readers.
    `plan`: policy and mechanism with the whole numbers that its coins are thrown by. `repetition`:
    what a device sends when a person is asked again; without one, a client with a memory repeats
    the first report, and others draw fresh ones. Make it with `of` or `for_policy`, or read it with
    `from_file`.
    """

    question: str
    domain: Domain | GridDomain
    block_names: tuple[str, ...]
    plan: Plan
    repetition: Repetition | None = None

    def __post_init__(self) -> None:
        fits = isinstance(self.plan, TablePlan) or not isinstance(self.repetition, NoisyMemo)
        require(fits, f"{NAME} can add noise to stored reports only of a table; {ADVICE}")
        stored = self.domain.k * max(4, self.format.size)
        require(
            stored <= MEMO_MAX or not isinstance(self.repetition, Memo | NoisyMemo),
            f"A device stores at most {MEMO_MAX:,} bytes, the reports of all values take "
            f"{stored:,}; take the plan once or budget, or fewer values.",
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Protocol) and self.fingerprint == other.fingerprint

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def _repr_html_(self) -> str:
        """What a notebook shows: the first values, and which of them are protected."""
        answers = []
        protected = []
        for value in range(min(self.domain.k, TABLE_ROWS)):
            answers.append(self.domain.name_of(value))
            if self.coverage.protected[value]:
                protected.append("yes")
            else:
                protected.append("no")
        columns = {"answer": answers, "protected": protected}
        return html_table(f"{self!r}, by {self.plan.name}", columns)

    def __repr__(self) -> str:
        return f"<Protocol {self.fingerprint[:16]}: {self.domain.k:,} values, {self.question!r}>"

    @classmethod
    def of(cls, setup: Setup, question: str = "", *, allow_unprotected: bool = False) -> "Protocol":
        """The protocol of a prepared scenario; `CaldpError` where its mechanism has no device.

        Also where a sensitive value has nothing to hide among, or nothing is protected at all,
        unless that is asked for: `allow_unprotected`.
        """
        check_type("setup", setup, Setup, "prepare(scenario) makes it")
        require(
            can_be_collected(setup),
            f"A collection runs one of {', '.join(COLLECTABLE)} in a policy of kind context, or a "
            f"mechanism on so few values that its channel can be written out; this scenario runs "
            f"{setup.mechanism_name} on {setup.mechanism.k:,} values. Choose one of those.",
        )
        refusal = unprotected_text(setup)
        require(
            allow_unprotected or not refusal,
            f"{refusal}, with nothing to hide among; change the blocks or what is sensitive, or "
            "allow it with allow_unprotected=True (caldp protocol --allow-unprotected).",
        )
        names = setup.partition.names
        plan: Plan | None = family_plan(setup)
        if plan is None:
            # Its matrix says of every pair whether one hides the other; no report tells a block.
            names, plan = EVERYTHING, TablePlan.of(setup.mechanism_name, setup.mechanism)
        return cls(_question(question), setup.dataset.domain, names, plan)

    def repeated(self, plan: Repetition | Literal["once", "memo"]) -> "Protocol":
        """The same with a plan of repetition; for a noisy memo its channel is written out.

        `plan`: also the name of one that has no numbers. Raises `CaldpError` for anything else,
        where the channel is too large for that, and where a device can't store the reports.
        """
        plan = _plan_of(plan)
        if not isinstance(plan, NoisyMemo) or isinstance(self.plan, TablePlan):
            return replace(self, repetition=plan)
        require(
            can_be_written_out(self.mechanism),
            "Noise is added to stored reports that are numbers of a channel that can be written "
            "out; take a mechanism whose reports are numbers, or fewer values.",
        )
        table = TablePlan.of(self.plan.name, self.mechanism)
        return replace(self, block_names=EVERYTHING, plan=table, repetition=plan)

    @classmethod
    def for_policy(
        cls,
        domain: Domain | GridDomain,
        policy: PrivacyMatrix,
        question: str = "",
        *,
        mechanism: MechanismSpec | MechanismName | None = None,
        block_names: Sequence[str] = (),
        allow_unprotected: bool = False,
    ) -> "Protocol":
        """The protocol of answers and a policy that were made in code; raises as `of`.

        `mechanism`: its name, or one of the classes that a scenario takes; None is the best for
        the policy.
        `block_names`: m texts for readers, by default "block 0" and so on.
        """
        check_policy("A protocol is made for", policy)
        require(
            domain.k == policy.k,
            f"domain has {domain.k:,} values and policy {policy.k:,}; give one for the other.",
        )
        chosen = scenario.choose_mechanism(mechanism or scenario.Best(), policy)
        blocks, sensitive = single_block(domain), np.ones(domain.k, np.bool_)
        if isinstance(policy, Context):
            names = block_names or [f"block {j}" for j in range(policy.m)]
            blocks, sensitive = named_blocks(policy.blocks, names), policy.sensitive
        nobody = from_weights("", "", domain, np.ones(domain.k))
        setup = Setup(
            scenario.Scenario(),
            nobody,
            policy,
            blocks,
            sensitive,
            chosen.mechanism,
            chosen.name,
            chosen.spec,
        )
        return cls.of(setup, question, allow_unprotected=allow_unprotected)

    @classmethod
    def from_file(cls, path: str | Path) -> "Protocol":
        """Read and check a protocol; raises `CaldpError` for whatever `to_json` did not write."""
        return cls.from_dict(read_json_object(path, NAME))

    @classmethod
    def from_json(cls, text: str) -> "Protocol":
        """The protocol in a text; raises `CaldpError` as `from_file`."""
        return cls.from_dict(parse_json_object(text, NAME))

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Protocol":
        """The protocol in a dictionary, rebuilt from its parts; `CaldpError` where they differ."""
        # 1. Its version is the one that its parts need.
        version = data.get(PROTOCOL_KEY)
        form = FORMAT
        if "repetition" in data:
            form = REPEATED
        advice = ADVICE
        if version == SEVERAL:
            advice = "it has several questions: give one's protocol."
        elif type(version) is int and version > SEVERAL:
            advice = "use the later version of caldp that wrote it."
        require(
            type(version) is int and version == form,
            f'A protocol has "{PROTOCOL_KEY}": {FORMAT}, or {REPEATED} with a plan of repetition, '
            f"this file has {version!r}; {advice}",
        )
        # 2. Policy and mechanism make a plan, and that with the rest the protocol.
        policy, mechanism = object_field(data, "policy"), object_field(data, "mechanism")
        kind = kind_field(mechanism, "mechanism", _PLANS)
        plan = _PLANS[kind].from_parts(policy, mechanism)
        names = tuple(list_field(data, "block_names", str))
        domain = _record(data, "domain", _DOMAINS)
        repeated: Repetition | None = None
        if form == REPEATED:
            repeated = _record(data, "repetition", devices.REPETITIONS)
        protocol = cls(_question(data.get("question")), domain, names, plan, repeated)
        # 3. The parts fit each other, and are written as this package writes them.
        require(
            protocol.domain.k == plan.mechanism.k,
            f"{NAME}'s domain has {protocol.domain.k:,} values and its policy "
            f"{plan.mechanism.k:,}; {ADVICE}",
        )
        blocks = int(plan.blocks.max()) + 1
        require(
            len(names) == blocks,
            f"{NAME}'s block_names must be {blocks:,} texts, got {len(names):,}; {ADVICE}",
        )
        check_same(data, protocol.to_dict())
        return protocol

    @property
    def labels(self) -> tuple[str, ...]:
        """What people answer by; none where they answer by numbers, or by places on a map."""
        if isinstance(self.domain, GridDomain):
            return ()
        return self.domain.names

    @cached_property
    def mechanism(self) -> ContextMechanism | WrittenOut:
        """What makes the reports that are sent, and estimates from their tally."""
        stored, plan = self.plan.mechanism, self.repetition
        if isinstance(stored, WrittenOut) and isinstance(plan, NoisyMemo):
            return stored.with_even_noise(plan.noise, devices.NUMBER_RANGE)
        return stored

    @property
    def device(self) -> Device | TableDevice:
        """The device that draws reports; of a noisy memo, those that it stores."""
        return self.plan.device

    @property
    def format(self) -> Format:
        """How its reports are written."""
        return self.plan.format

    @cached_property
    def coverage(self) -> Coverage:
        """Which values are protected, and which sensitive ones nothing protects."""
        return coverage(self.plan.mechanism.policy)

    @property
    def exposed_part(self) -> dict[str, Any]:
        """Names of the values that it fails to protect, JSON-ready; empty without any."""
        names = value_names(self.domain, self.coverage.exposed)
        if not names:
            return {}
        return {EXPOSED: names}

    def require_numbers(self, advice: str) -> None:
        """Raise `CaldpError`, which ends with the advice, unless reports are numbers."""
        require(self.format.kind == NUMBER, f"Reports of {self.plan.name} are not numbers{advice}.")

    def promise(self) -> dict[str, Any]:
        """What is promised, JSON-ready; values that it fails to protect come first."""
        return self.exposed_part | self.plan.promise()

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 digest that two protocols share only if their reports mean the same.

        Of all that `to_dict` has but the version of this package, as canonical JSON.
        """
        parts = json.dumps(self._parts, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
        return hashlib.sha256(parts.encode()).hexdigest()

    @cached_property
    def _parts(self) -> dict[str, Any]:
        """All of `to_dict` that says what reports mean."""
        kind = next(kind for kind, cls in _DOMAINS.items() if isinstance(self.domain, cls))
        parts = {
            "question": self.question,
            "domain": {"kind": kind, **to_dict(self.domain, scenario.KINDS)},
            "block_names": list(self.block_names),
            "policy": self.plan.policy_part(),
            "mechanism": self.plan.mechanism_part(),
            "report": self.format.to_dict(),
        }
        # Earlier clients do not know the key, and read protocols without it.
        if self.repetition:
            parts["repetition"] = self.repetition_part()
        return parts

    def repetition_part(self) -> dict[str, Any]:
        """The plan of repetition, JSON-ready; empty without one."""
        if not self.repetition:
            return {}
        return {"kind": self.repetition.kind, **asdict(self.repetition)}

    def to_dict(self) -> dict[str, Any]:
        """The protocol, JSON-ready; docs/protocol.schema.json is its schema."""
        version = FORMAT
        if self.repetition is not None:
            version = REPEATED
        return {
            PROTOCOL_KEY: version,
            "caldp_version": caldp_core.__version__,
            **self._parts,
            "fingerprint": self.fingerprint,
        }

    def to_json(self) -> str:
        """The text of a protocol file."""
        return format_json(self.to_dict())


def protocol_schema() -> dict[str, Any]:
    """The JSON Schema of protocols: `schema.json`, with the records of domains and families."""
    whole: dict[str, Any] = json.loads((Path(__file__).parent / "schema.json").read_text("utf-8"))
    numbers, fields = whole.pop("numbers"), whole["properties"]
    slots: dict[str, Mapping[str, type]] = {"domain": _DOMAINS, "repetition": devices.REPETITIONS}
    for slot, kinds in slots.items():
        schemas = [scenario.kind_schema(kind, cls) for kind, cls in kinds.items()]
        fields[slot] = {"oneOf": schemas}
    # A scenario's families may leave parameters out; a protocol has them all, and its numbers.
    families = []
    for name, entry in COLLECTABLE.items():
        family = scenario.kind_schema(name, entry.spec)
        family["properties"]["numbers"] = numbers
        family["required"] = list(family["properties"])
        families.append(family)
    fields["mechanism"]["oneOf"][:0] = families
    return whole


def can_be_collected(setup: Setup) -> bool:
    """Whether devices can run this scenario's mechanism."""
    return family_plan(setup) is not None or can_be_written_out(setup.mechanism)


def family_plan(setup: Setup) -> FamilyPlan | None:
    """The plan of a family in a context whose reports devices draw; None for others."""
    spec, mechanism = setup.spec, setup.mechanism
    if not isinstance(mechanism, ContextMechanism) or not isinstance(spec, FamilySpec):
        return None
    if setup.mechanism_name not in COLLECTABLE:
        return None
    return FamilyPlan(spec, mechanism)


def unprotected_text(setup: Setup) -> str:
    """Why a scenario's protocol is refused unless it is asked for, in one clause; "" if it isn't.

    Sensitive values that nothing protects, by name, or that no value is protected.
    """
    found, domain = coverage(setup.policy), setup.dataset.domain
    if not found.exposed.any() and not found.protected.any():
        names = names_text(value_names(domain, found.in_clear))
        return f"Nobody is protected: no value is sensitive, so that {names} are sent in clear"
    return exposed_clause(value_names(domain, found.exposed))


def _question(text: object) -> str:
    """The text of a question; raises `CaldpError` unless it is one line of bounded length."""
    require(
        isinstance(text, str) and len(text) <= QUESTION_MAX and is_line(text),
        f"The question must be one line of at most {QUESTION_MAX} characters; shorten it.",
    )
    return str(text)


def _record(data: Mapping[str, Any], slot: str, kinds: Mapping[str, type[T]]) -> T:
    """The record in this slot, of one of these kinds; raises `CaldpError`."""
    part = object_field(data, slot)
    kind = kind_field(part, slot, kinds)
    rest = {key: value for key, value in part.items() if key != "kind"}
    return from_dict(kinds[kind], rest, scenario.KINDS, f"{NAME}'s {slot}")
