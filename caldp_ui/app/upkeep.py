"""What the server does while nobody waits: it collects garbage now and then.

Room: app. After every run, as Streamlit does it, collecting took two thirds of the run's time. What
a dashboard is made of lives as long as the server does: it is set aside once, so that it need not
be looked through each time. Later things are not: a visit that has ended is to be found.
"""

import asyncio
import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

_PAUSE_S: Final = 30.0


@asynccontextmanager
async def upkeep(app: object) -> AsyncIterator[dict[str, Any]]:
    """The server's life, as `App` takes it: collects as long as the server is at work."""
    del app
    task = asyncio.create_task(_collect_now_and_then())
    try:
        yield {}
    finally:
        task.cancel()


async def _collect_now_and_then() -> None:
    await asyncio.sleep(_PAUSE_S)
    gc.collect()
    gc.freeze()
    while True:
        await asyncio.sleep(_PAUSE_S)
        gc.collect()
