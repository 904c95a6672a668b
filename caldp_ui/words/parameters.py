"""Names of the methods' parameters, which are set or chosen by the method itself."""

from dataclasses import dataclass
from typing import Final

from caldp_core.mechanisms.specs import MechanismSpec


@dataclass(frozen=True)
class Parameter:
    """A field of mechanism specs for readers: its symbol, its title and a description."""

    symbol: str
    title: str
    description: str

    @property
    def label(self) -> str:
        """Title and symbol."""
        return self.title if self.symbol == "share" else f"{self.title} ({self.symbol})"


PARAMETERS: Final = {
    "parts": Parameter(
        "B",
        "Parts of the Hadamard matrix",
        "More parts suit a larger ε. 1 is the form for small ε; left empty, each block has the "
        "published number, about e^ε.",
    ),
    "theta": Parameter(
        "θ",
        "Chance of a yes to one's own value",
        "The other values' chances follow from it and ε. Left empty: e^(ε/2)/(e^(ε/2) + 1).",
    ),
    "omega": Parameter(
        "ω",
        "Values in a report",
        "A report is a set of so many values. Left empty: the best number for each block, about "
        "its values over e^ε + 1.",
    ),
    "g": Parameter(
        "g",
        "Bins of the hash",
        "A report tells one of so many bins. Left empty: the best number, about e^ε + 1.",
    ),
    "q": Parameter(
        "q",
        "Values that a report tells apart",
        "A power of two. Left empty: the best one for each block, about e^ε + 1.",
    ),
    "share": Parameter(
        "share",
        "Best for this part of people with a sensitive value",
        "Where only some values of a block are sensitive: the part of its people, known to "
        "everybody, who have one of them, from 0 to 1. Left empty: all, the worst that can be.",
    ),
}
"""By the field's name in files."""
FALSE_SHARE_WORDS: Final = Parameter(
    "q",
    "Of what stands out, the share that may be noise",
    "The cascade keeps what stands out from the noise and averages the rest. 0.2 suits "
    "towns in an empty country; smaller, such as 0.05, suits many values of about one size. From "
    "0.001 to 0.5; choose it before you look. Left empty: 0.2 on maps, 0.05 of other values.",
)


def describe_parameters(spec: MechanismSpec) -> str:
    """The parameters that are set: ", ω = 5"; "" where the method chooses all."""
    defaults, numbers = vars(type(spec)()), vars(spec)
    texts = [
        f", {PARAMETERS[name].symbol} = {value}"
        for name, value in numbers.items()
        if name in PARAMETERS and value is not None and value != defaults[name]
    ]
    return "".join(texts)
