"""Linked maps of one grid in the browser: zoom, tools, before and after, films, pictures to keep.

A page makes a `Scene` of coded pictures and calls `stage`; readers' actions come back as `Act` and
`StepChoice`. `web/` holds the browser's side: plain HTML, CSS and JavaScript, no build step, no
request to the outside.
"""

from caldp_ui.stage.codec import (
    SCALE,
    Blob,
    Scale,
    encode,
    encode_errors,
    encode_labels,
    encode_levels,
    encode_lines,
    encode_mask,
    encode_people,
    encode_rows,
    nobody_below,
    scale_of,
)
from caldp_ui.stage.component import (
    BROWSER_KEYS,
    LOOK_KEY,
    VIEW_KEY,
    Act,
    Stage,
    StepChoice,
    send_frames,
    stage,
)
from caldp_ui.stage.records import (
    Action,
    Arrangement,
    Difference,
    Fact,
    Film,
    Focus,
    Ground,
    Label,
    Picture,
    Scene,
    Step,
)

__all__ = [
    "BROWSER_KEYS",
    "LOOK_KEY",
    "SCALE",
    "VIEW_KEY",
    "Act",
    "Action",
    "Arrangement",
    "Blob",
    "Difference",
    "Fact",
    "Film",
    "Focus",
    "Ground",
    "Label",
    "Picture",
    "Scale",
    "Scene",
    "Stage",
    "Step",
    "StepChoice",
    "encode",
    "encode_errors",
    "encode_labels",
    "encode_levels",
    "encode_lines",
    "encode_mask",
    "encode_people",
    "encode_rows",
    "nobody_below",
    "scale_of",
    "send_frames",
    "stage",
]
