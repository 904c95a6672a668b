"""The style sheet and the colours of every stage, whatever it shows."""

import base64
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caldp_ui.app.theme import DAY, DAY_RAMPS, NIGHT, NIGHT_RAMPS
from caldp_ui.stage import bundle


def style_data() -> dict[str, Any]:
    """The style sheet and the colours by style, which never change, for JSON."""
    return {
        "css": bundle.style(),
        "styles": {
            name: {**vars(style), "ramps": {of: _text(ramp) for of, ramp in ramps.items()}}
            for name, style, ramps in (("dark", NIGHT, NIGHT_RAMPS), ("light", DAY, DAY_RAMPS))
        },
    }


def _text(ramp: NDArray[np.uint8]) -> str:
    return base64.b64encode(ramp.tobytes()).decode()
