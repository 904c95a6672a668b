"""caldp: context-aware local differential privacy, its mechanisms, estimators and theory.

The mathematics; nothing in here knows of any user interface. What most people need is handed out
here: `from caldp_core import Scenario, run`. The rooms, from the ground up: basics, domain,
privacy, datasets, mechanisms, estimation, audit, lecture, theory, scenarios, experiments,
treatments, attacks, release, collect, cli. Start reading at `mechanisms/base.py`, or at
`experiments/run.py` for the way of the data.
"""

from caldp_core.basics.exports import exports_of

__version__ = "0.1.0"
__getattr__, __dir__, __all__ = exports_of(__name__, __file__)
