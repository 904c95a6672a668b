"""Settings from the server's environment, beside Streamlit's own."""

import os
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

WORKER: Final = "CALDP_WORKER"
ANCESTORS: Final = "CALDP_FRAME_ANCESTORS"
NOISE: Final = "CALDP_NOISE_SECRET"
_OWN_NOISE: Final = secrets.randbits(128)
"""What noise on visitors' data follows from where nothing is set: gone with this process."""
_NAME: Final = re.compile(r"[a-z0-9]{1,20}")
_SITE: Final = re.compile(r"https?://(\*\.)?[A-Za-z0-9.-]+(:\d{1,5})?")


@dataclass(frozen=True)
class Settings:
    """Settings of this process; raises `ValueError` for names or sites that are none.

    `worker`: its name among several behind one address; "" where it is alone. `ancestors`: sites
    that may show the dashboard in a frame. `noise_secret`: a whole number from which noise on
    visitors' own data follows, the same on workers that share it; 0 for none, as in tests.
    """

    worker: str = ""
    ancestors: tuple[str, ...] = ()
    noise_secret: int = _OWN_NOISE

    def __post_init__(self) -> None:
        if self.worker and not _NAME.fullmatch(self.worker):
            raise ValueError(
                f"{WORKER} must be 1 to 20 of the signs a to z and 0 to 9, "
                f"got {self.worker[:60]!r}; rename the worker."
            )
        wrong = next((site for site in self.ancestors if not _SITE.fullmatch(site)), None)
        if wrong is not None:
            raise ValueError(
                f"{ANCESTORS} must be addresses of sites such as https://learn.example.org, "
                f"with spaces between them, got {wrong[:60]!r}; correct it."
            )

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> "Settings":
        """The settings of an environment's variables; raises `ValueError`."""
        ancestors = tuple(environment.get(ANCESTORS, "").split())
        noise = environment.get(NOISE, str(_OWN_NOISE))
        if not noise.isascii() or not noise.isdigit():
            raise ValueError(f"{NOISE} must be a whole number, such as openssl prints; correct it.")
        return cls(environment.get(WORKER, ""), ancestors, int(noise))


def settings() -> Settings:
    """The settings of this process's environment; raises `ValueError`."""
    return Settings.of(os.environ)


def join_path(base: str, name: str) -> str:
    """The path of `name` on a server whose addresses are below the path `base`; "" is the root."""
    return "/".join(["", *filter(None, base.split("/")), name])
