"""Ready questions: each one click. People and the true share stay as they are."""

import math
from typing import Final

from caldp_core.scenarios.policies import BinaryQuestion
from caldp_ui.controls.presets import PolicyPreset

PRESETS: Final = (
    PolicyPreset(
        "Election",
        "“Did you vote for the incumbent?” Yes is as delicate as no: Warner's coin (1965).",
        BinaryQuestion(1.0, 1.0),
    ),
    PolicyPreset(
        "Exam cheating",
        "“Have you ever cheated in an exam?” Yes is more delicate than no, but no is not public.",
        BinaryQuestion(epsilon_01=3.0, epsilon_10=1.0),
    ),
    PolicyPreset(
        "Drug use",
        "“Have you taken drugs?” Only yes is delicate: a report may prove no (Mangat, 1994).",
        BinaryQuestion(epsilon_01=math.inf, epsilon_10=1.0),
    ),
    PolicyPreset(
        "Declared income",
        "“Did you declare all of your income?” Only no is delicate: a report may prove yes.",
        BinaryQuestion(epsilon_01=1.0, epsilon_10=math.inf),
    ),
    PolicyPreset(
        "No protection",
        "Every report is the true answer: only the error of asking few people is left.",
        BinaryQuestion(math.inf, math.inf),
    ),
)
