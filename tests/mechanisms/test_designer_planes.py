"""Large orbits written out by hyperplanes, against Galois response's own formula."""

import numpy as np
import pytest

from caldp_core.mechanisms.designed.arrange import few_columns, written_out
from caldp_core.mechanisms.designed.design import design
from caldp_core.mechanisms.designed.master import Weighted, best_weights
from caldp_core.mechanisms.designed.moments import Classes, columns_of
from caldp_core.mechanisms.designed.planes import by_hyperplanes
from caldp_core.mechanisms.designed.problem import Problem
from caldp_core.mechanisms.designed.rays import extreme_rays
from caldp_core.mechanisms.registry import FAMILIES, mechanism
from caldp_core.privacy.context import Context
from caldp_core.theory.frequency import total_variance


def few_of(policy: Context) -> tuple[Weighted, Classes]:
    """The best weights of orbits."""
    ((_, _, part),) = Problem.of(policy, None, None).parts()
    classes = part.classes()
    rays = extreme_rays(part.levels, classes.labels, 10**4)
    assert rays is not None
    return few_columns(best_weights(columns_of(rays, classes), classes), classes), classes
