"""Ready questions: each one sentence, one click. People and the true share stay as they are.

Room: yesno.
"""

import math
from typing import Final

from caldp_core.scenarios.policies import BinaryQuestion
from caldp_ui.controls.presets import ReadyPolicy

PRESETS: Final = (
    ReadyPolicy(
        "Both answers alike (Warner 1965)",
        "“Did you vote for the incumbent?” Yes is as delicate as no.",
        BinaryQuestion(1.0, 1.0),
    ),
    ReadyPolicy(
        "Yes is more delicate than no",
        "“Have you ever cheated in an exam?” No is no secret, but shall not be certain either.",
        BinaryQuestion(epsilon_01=3.0, epsilon_10=1.0),
    ),
    ReadyPolicy(
        "Only yes is delicate (Mangat 1994)",
        "“Have you taken drugs?” No may be read off a report; yes may not.",
        BinaryQuestion(epsilon_01=math.inf, epsilon_10=1.0),
    ),
    ReadyPolicy(
        "Only no is delicate",
        "“Did you declare all of your income?” Mangat's coin the other way round.",
        BinaryQuestion(epsilon_01=1.0, epsilon_10=math.inf),
    ),
    ReadyPolicy(
        "Nothing is delicate",
        "Everybody just answers: what is left is the error of asking only some people.",
        BinaryQuestion(math.inf, math.inf),
    ),
)
