"""From a tally to shares: the unbiased estimate, its post-processing, and confidence intervals."""
