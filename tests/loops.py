"""Asynchronous code in tests."""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")


def run(work: Coroutine[Any, Any, T]) -> T:
    """What it returns; in a thread of its own, as a browser's tests may hold this thread's loop."""
    with ThreadPoolExecutor(1) as aside:
        return aside.submit(asyncio.run, work).result()
