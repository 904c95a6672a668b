"""caldp: context-aware local differential privacy, its mechanisms, estimators and theory.

Room: the mathematics; nothing in here knows of any user interface. Start reading at
`mechanisms/base.py`, or at `experiments.py` for the way that data walks.
"""

__version__ = "0.1.0"
