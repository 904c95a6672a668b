"""Secret seeds of visits: no two lists, settings, visits or servers share coins of a rehearsal.

Noise on data that ship follows from the seed in the link, so that a link shows the same digits
everywhere. Noise on a visitor's own data must not: who brings a list of known counts, with the same
settings, would read the noise from it and subtract it from another visitor's table. It follows from
an HMAC (RFC 2104) of all that the draw depends on, the data included. The key is this process's;
the secret of the visit's vault is part of the message. So the same visit sees the same picture
again.
"""

import hmac
import json
import secrets
from typing import Final

from caldp_ui.server.vault import current_vault

_PROCESS_KEY: Final = secrets.token_bytes(32)
"""Drawn at the start of each process and nowhere written, so that two servers share no coins."""
_NAME_LENGTH: Final = 32
"""Hexadecimal digits of a visit's name: 128 bits."""


def secret_number(purpose: str, *inputs: str | float) -> int:
    """A whole number below 2^256 that follows from the visit and all that a draw depends on.

    `purpose`: what is drawn. `inputs`: the data as a text or digest, and every setting of the draw.
    """
    message = json.dumps([current_vault().secret.hex(), purpose, *inputs])
    return int.from_bytes(hmac.digest(_PROCESS_KEY, message.encode(), "sha256"), "big")


def visit_name() -> str:
    """A name of the visit for keys of caches, from which its secret does not follow."""
    return hmac.digest(_PROCESS_KEY, b"name" + current_vault().secret, "sha256").hex()[
        :_NAME_LENGTH
    ]
