"""Clients and servers of other libraries, which work person by person.

pure-ldp is that of Cormode, Maddock, Maple 2021, multi-freq-ldpy that of Arcolezi et al. 2022.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, ClassVar, Final, TypeAlias

import numpy as np

from benchmarks.figures import Figure
from caldp_core.basics.types import Floats

EPSILON: Final = 1.0
_HASHES: Final = 1000
"""Hash functions of pure-ldp's fast local hashing."""
Collect = Callable[[], Callable[[], Floats]]
"""The timed part, which returns the part that is not timed: the making of the (k,) estimate."""


@dataclass(frozen=True)
class PureLdp:
    """pure-ldp's client and server for a family, by the names and arguments that it has."""

    family: str
    module: str
    prefix: str
    client: dict[str, Any] = field(default_factory=dict)
    server: dict[str, Any] = field(default_factory=dict)
    title: str = "pure-ldp"
    library: ClassVar = "pure-ldp"
    clips: ClassVar = False

    def collector(self, symbols: list[int], k: int) -> Collect:
        """A `Collect` for pure-ldp: only its `privatise` and `aggregate` are timed."""
        module = import_module(f"pure_ldp.frequency_oracles.{self.module}")
        client = getattr(module, f"{self.prefix}Client")(EPSILON, k, **self.client)
        server = getattr(module, f"{self.prefix}Server")(EPSILON, k, **self.server)

        def estimate() -> Floats:
            server.check_and_update_estimates()
            shares: Floats = np.asarray(server.estimated_data, float) / server.n
            return shares

        def collect() -> Callable[[], Floats]:
            server.reset()
            if hasattr(server, "hash_counts"):
                server.hash_counts[:] = 0  # its reset leaves them
            for symbol in symbols:
                server.aggregate(client.privatise(symbol + 1))  # its items count from 1
            return estimate

        return collect


@dataclass(frozen=True)
class MultiFreqLdpy:
    """multi-freq-ldpy's functions for a family; they clip the estimate to a distribution."""

    family: str
    prefix: str
    options: dict[str, Any] = field(default_factory=dict)
    title: str = "multi-freq-ldpy"
    library: ClassVar = "multi-freq-ldpy"
    clips: ClassVar = True

    def collector(self, symbols: list[int], k: int) -> Collect:
        """A `Collect` for multi-freq-ldpy: its aggregator estimates, too, so all is timed."""
        module = import_module(f"multi_freq_ldpy.pure_frequency_oracles.{self.prefix}")
        client = getattr(module, f"{self.prefix}_Client")
        aggregator = getattr(module, f"{self.prefix}_Aggregator_MI")
        domain = {} if self.prefix == "UE" else {"k": k}

        def collect() -> Callable[[], Floats]:
            reports = [client(symbol, k, EPSILON, **self.options) for symbol in symbols]
            estimate = aggregator(reports, epsilon=EPSILON, **domain, **self.options)
            return lambda: np.asarray(estimate, float)

        return collect


Peer: TypeAlias = PureLdp | MultiFreqLdpy
HADAMARD: Final = PureLdp("hadamard", "hadamard_response", "HadamardResponse", {"hash_funcs": None})
_OLH: Final[dict[str, Any]] = {"use_olh": True}
_FAST: Final[dict[str, Any]] = {"k": _HASHES, "use_olh": True}
_OUE: Final[dict[str, Any]] = {"use_oue": True}
PEERS: Final[tuple[Peer, ...]] = (
    HADAMARD,
    PureLdp("randomized-response", "direct_encoding", "DE"),
    PureLdp("rappor", "unary_encoding", "UE"),
    PureLdp("oue", "unary_encoding", "UE", _OUE, _OUE),
    PureLdp("local-hashing", "local_hashing", "LH", _OLH, _OLH),
    PureLdp("local-hashing", "local_hashing", "FastLH", _FAST, _FAST, "pure-ldp's fast variant"),
    MultiFreqLdpy("randomized-response", "GRR"),
    MultiFreqLdpy("rappor", "UE", {"optimal": False}),
    MultiFreqLdpy("oue", "UE", {"optimal": True}),
    MultiFreqLdpy("subset-selection", "SS"),
    MultiFreqLdpy("local-hashing", "LH", {"optimal": True}),
)


def skipped(peer: Peer, work: str, error: Exception) -> Figure:
    """The line of a peer that cannot run on this machine."""
    reason = f"{peer.library} cannot run here ({error}); see benchmarks/README.md"
    return Figure(work, "µs", None, note=reason)
