"""How a relief tells shares."""


def percent(share: float) -> str:
    """A share as a percentage, three digits at most; what is less than 0.01 % is told so."""
    if 0 < share < 1e-4:
        return "less than 0.01 %"
    return f"{float(f'{100 * share:.3g}'):g} %"


def points(spread: float) -> str:
    """Half an interval of shares, as percentage points in two digits."""
    return f"{max(float(f'{100 * spread:.2g}'), 0.01):g} points"
