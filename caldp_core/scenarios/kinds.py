"""The records that each slot of a scenario can hold, by their names in files and links.

The mechanisms of the catalogue are here without this file being changed; a new
policy, dataset or kind of blocks is one line.
"""

from typing import Any, Final

from caldp_core.datasets import (
    Cities,
    DatasetSpec,
    Geometric,
    Gowalla,
    InfantDeaths,
    OwnPlaces,
    OwnSurvey,
    OwnTable,
    PermutedGeometric,
    Snap,
    Survey,
    Uniform,
    WebVisits,
    YesOrNo,
    Zipf,
)
from caldp_core.datasets.public_map import NoPrior, PriorSpec, PublicMap
from caldp_core.mechanisms.catalogue import MECHANISMS
from caldp_core.mechanisms.specs import MechanismSpec
from caldp_core.scenarios.best import Best
from caldp_core.scenarios.blocks import (
    AdaptiveBlocks,
    BlocksSpec,
    CountryBlocks,
    DrawnBlocks,
    EvenRuns,
    GridBlocks,
    GroupBlocks,
    HexagonBlocks,
    OneBlock,
    RegionBlocks,
    StateBlocks,
    SymbolBlocks,
)
from caldp_core.scenarios.distances import CrowFlies, Distances, Line, Streets
from caldp_core.scenarios.policies import BinaryQuestion, ContextPolicy, MatrixPolicy, PersonalTags
from caldp_core.scenarios.policy_base import PolicySpec
from caldp_core.scenarios.polygon_blocks import PolygonBlocks
from caldp_core.scenarios.sensitive import (
    EverythingSensitive,
    SensitiveAreas,
    SensitiveInhabited,
    SensitiveNear,
    SensitiveSpec,
    SensitiveSymbols,
)

SLOTS: Final[dict[str, tuple[Any, dict[str, type]]]] = {
    "dataset": (
        DatasetSpec,
        {
            "gowalla": Gowalla,
            "snap": Snap,
            "cities": Cities,
            "uniform": Uniform,
            "geometric": Geometric,
            "permuted-geometric": PermutedGeometric,
            "zipf": Zipf,
            "survey": Survey,
            "web-visits": WebVisits,
            "infant-deaths": InfantDeaths,
            "yes-or-no": YesOrNo,
            "table": OwnTable,
            "questions": OwnSurvey,
            "places": OwnPlaces,
        },
    ),
    "policy": (
        PolicySpec,
        {
            "context": ContextPolicy,
            "streets": Streets,
            "crow-flies": CrowFlies,
            "line": Line,
            "distances": Distances,
            "binary": BinaryQuestion,
            "matrix": MatrixPolicy,
            "personal-tags": PersonalTags,
        },
    ),
    "blocks": (
        BlocksSpec,
        {
            "one": OneBlock,
            "grid": GridBlocks,
            "states": StateBlocks,
            "countries": CountryBlocks,
            "regions": RegionBlocks,
            "hexagons": HexagonBlocks,
            "adaptive": AdaptiveBlocks,
            "drawn": DrawnBlocks,
            "runs": EvenRuns,
            "groups": GroupBlocks,
            "symbols": SymbolBlocks,
            "polygons": PolygonBlocks,
        },
    ),
    "sensitive": (
        SensitiveSpec,
        {
            "everything": EverythingSensitive,
            "areas": SensitiveAreas,
            "near": SensitiveNear,
            "inhabited": SensitiveInhabited,
            "symbols": SensitiveSymbols,
        },
    ),
    "mechanism": (
        MechanismSpec,
        {"best": Best, **{name: entry.spec for name, entry in MECHANISMS.items()}},
    ),
    "prior": (PriorSpec, {"none": NoPrior, "map": PublicMap}),
}
"""Slot → how its fields are annotated, and kind → record."""
KINDS: Final = dict(SLOTS.values())
"""Annotation of a slot → kind → record, as `records.py` reads it."""
