"""What the server does while nobody waits: it collects garbage and gives memory back.

After every run, as Streamlit does it, collecting took two thirds of the run's time. What a
dashboard is made of lives as long as the server does: it is set aside once, so that it need not be
looked through each time. Later things are not: a visit that has ended is to be found.

Work beside pages has no page of its own. Streamlit would warn of that at each look into its cache:
hundreds of lines on the terminal, which say nothing.
"""

import asyncio
import ctypes
import gc
import logging
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any, Final

import click

from caldp_core.basics.cache import shared_cache
from caldp_ui.app.delivery import keep_deferred_files
from caldp_ui.app.theme import POLL_KEY, settings

THREAD_PREFIX: Final = "caldp-"
"""How the names of threads that work beside pages begin."""
_PAUSE_S: Final = 30.0
_TRIM_INTERVAL_S: Final = 10.0
_WARNS: Final = logging.getLogger("streamlit.runtime.scriptrunner_utils.script_run_context")


@asynccontextmanager
async def upkeep(app: object) -> AsyncIterator[dict[str, Any]]:
    """The server's lifespan, as Streamlit's `App` takes it: collects while the server runs."""
    del app
    keep_deferred_files()
    task = asyncio.create_task(_collect_now_and_then())
    _WARNS.addFilter(_is_of_a_page)
    if POLL_KEY not in os.environ:
        click.echo(f"  The key that opens a poll of a full server: {settings().poll_key}")
    try:
        yield {}
    finally:
        _WARNS.removeFilter(_is_of_a_page)
        task.cancel()


def _is_of_a_page(record: logging.LogRecord) -> bool:
    return not (record.threadName or "").startswith(THREAD_PREFIX)


async def _collect_now_and_then() -> None:
    await asyncio.sleep(_PAUSE_S)
    gc.collect()
    gc.freeze()
    while True:
        for _ in range(3):
            await asyncio.sleep(_TRIM_INTERVAL_S)
            await asyncio.to_thread(_give_back)
        gc.collect()


def _give_back() -> None:
    """Hold the shared cache to its bytes, and return freed memory to the machine.

    The C library keeps what was freed in the middle of what it has, for arrays of megabytes too:
    a gigabyte stays with a process that uses a quarter of it, unless it is asked to let go.
    """
    shared_cache().update_sizes()
    with suppress(OSError, AttributeError):  # only the GNU C library has it
        ctypes.CDLL(None).malloc_trim(0)
