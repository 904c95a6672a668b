"""Shares of a relief in words."""


def percent(share: float) -> str:
    """A share in [0, 1] as a percentage, three digits at most: "12.3 %", "less than 0.01 %"."""
    if 0 < share < 1e-4:
        return "less than 0.01 %"
    return f"{float(f'{100 * share:.3g}'):g} %"


def points(spread: float) -> str:
    """Half an interval of shares as percentage points, two digits: "1.2 points"."""
    return f"{max(float(f'{100 * spread:.2g}'), 0.01):g} percentage points"
