"""One cache that all functions share, bounded in bytes.

A bound by entries bounds nothing, as one may take as much as a thousand others.
"""

import sys
from collections import Counter, OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache, wraps
from inspect import Signature, signature
from threading import Event, Lock
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any, Final, ParamSpec, Protocol, TypeVar

import numpy as np

P = ParamSpec("P")
T = TypeVar("T")
CACHE_MAX_BYTES: Final = 250 * 10**6
"""Most bytes of all cached results together."""
_LEFT_OUT: Final = (
    *(type(None), bool, int, float, complex, type, Event),
    *(ModuleType, FunctionType, BuiltinFunctionType, MethodType),
)


@dataclass
class _Entry:
    """A cached value, and the bytes of each object in it and in its key, by the object's id."""

    value: Any
    parts: dict[int, int]


class Work(Protocol):
    """What a thread is at, where others want the thread, or the reader may cancel."""

    def wait_for(self, making: "Making") -> None:
        """Return once `making.finished` is set; raises `Cancelled` for work that is to stop."""


@dataclass(frozen=True, eq=False)
class Making:
    """A value in the making, by the work `maker`, if any.

    `finished`: set at its end; `is_awaited`: once others wait for it.
    """

    maker: Work | None
    finished: Event = field(default_factory=Event)
    is_awaited: Event = field(default_factory=Event)


_CURRENT: Final[ContextVar[Work | None]] = ContextVar("current work", default=None)


def current_work() -> Work | None:
    """The work of this thread, which decides how it waits for a value that another one makes."""
    return _CURRENT.get()


@contextmanager
def working_on(work: Work) -> Iterator[None]:
    """Let this be the thread's `current_work`."""
    token = _CURRENT.set(work)
    try:
        yield
    finally:
        _CURRENT.reset(token)


class ByteCache:
    """Values by key, at most `max_bytes` bytes in all; the least recently used are evicted first.

    An object that several values share counts once. The newest value is kept even if it alone is
    larger than the bound. Thread-safe: one thread makes a value, the others wait for it, as their
    `current_work` says. If it ends without one, the first of them goes on with the making.
    """

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._lock = Lock()
        self._entries: OrderedDict[Hashable, _Entry] = OrderedDict()
        self._used: dict[int, tuple[Hashable, _Entry]] = {}
        self._used_before = self._used
        self._making: dict[Hashable, Making] = {}
        self._holders: Counter[int] = Counter()
        self._total = 0

    @property
    def bytes(self) -> int:
        """Bytes of all values, each as it was last measured."""
        return self._total

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """The value of `key`, made by `make` if it is not cached; errors are not cached."""
        work = current_work()
        while True:
            with self._lock:
                entry = self._entries.get(key)
                if entry is not None:
                    self._entries.move_to_end(key)
                    self._used[id(entry)] = key, entry
                    found: T = entry.value
                    return found
                pending = self._making.get(key)
                if pending is None:
                    making = self._making[key] = Making(work)
                    break
            pending.is_awaited.set()
            if work is None:
                pending.finished.wait()
            else:
                work.wait_for(pending)
        try:
            value = make()
            parts = dict(object_sizes((key, value)))
            with self._lock:
                entry = self._entries[key] = _Entry(value, parts)
                self._used[id(entry)] = key, entry
                self._count(parts)
                self._shrink()
            return value
        finally:
            with self._lock:
                del self._making[key]
            making.finished.set()

    def is_awaited(self, work: Work | None) -> bool:
        """Whether others wait for a value that this work makes."""
        with self._lock:
            return any(m.maker is work and m.is_awaited.is_set() for m in self._making.values())

    def update_sizes(self) -> None:
        """Measure what was used lately again: some have grown, by attributes that they cache."""
        with self._lock:
            used = self._used_before | self._used
            self._used_before, self._used = self._used, {}
        for key, entry in used.values():
            parts = dict(object_sizes((key, entry.value)))
            with self._lock:
                if self._entries.get(key) is entry:
                    self._forget(entry)
                    entry.parts = parts
                    self._count(parts)
        with self._lock:
            self._shrink()

    def clear(self) -> None:
        """Forget all values."""
        with self._lock:
            self._entries.clear()
            self._holders.clear()
            self._total = 0

    def _count(self, parts: dict[int, int]) -> None:
        for part, size in parts.items():
            if not self._holders[part]:
                self._total += size
            self._holders[part] += 1

    def _shrink(self) -> None:
        while self._total > self._max_bytes and len(self._entries) > 1:
            _, entry = self._entries.popitem(last=False)
            self._forget(entry)

    def _forget(self, entry: _Entry) -> None:
        for part, size in entry.parts.items():
            self._holders[part] -= 1
            if not self._holders[part]:
                del self._holders[part]
                self._total -= size


def object_sizes(value: object) -> Iterator[tuple[int, int]]:
    """(id, bytes) of each object that a value holds, itself included.

    Arrays, texts, containers and the fields of records are followed; functions and classes are not.
    Texts of a container count with it.
    """
    counted: set[int] = set()
    waiting: list[Any] = [value]
    while waiting:
        each = waiting.pop()
        while isinstance(each, np.ndarray) and isinstance(each.base, np.ndarray):
            each = each.base
        if isinstance(each, _LEFT_OUT) or id(each) in counted:
            continue
        counted.add(id(each))
        if isinstance(each, tuple | list) and set(map(type, each)) == {str}:
            # The names of a thousand blocks as one: one by one they would take longer than a run.
            yield id(each), sys.getsizeof(each) + sum(map(sys.getsizeof, each))
            continue
        # A view reports its own header alone; an array that owns its data, all of it.
        yield id(each), sys.getsizeof(each, 64)
        if isinstance(each, dict):
            waiting += [*each.keys(), *each.values()]
        elif isinstance(each, tuple | list | set | frozenset):
            waiting += list(each)
        else:
            waiting += list(getattr(each, "__dict__", {}).values())


@cache
def shared_cache() -> ByteCache:
    """The cache of all functions decorated by `cached` or `cached_by`."""
    return ByteCache(CACHE_MAX_BYTES)


def cached_by(key: Callable[..., Hashable]) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Cache a function's results in `shared_cache`, by the key that `key` makes of its arguments.

    For arguments that are large, or that the result does not depend on. Results must not be
    changed: all callers get the same object.
    """

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        known = signature(function)
        name = f"{function.__module__}.{function.__qualname__}"

        @wraps(function)
        def look_up(*args: P.args, **kwargs: P.kwargs) -> T:
            all_given = len(args) == len(known.parameters)
            given = args if all_given else _in_order(known, args, kwargs)
            return shared_cache().get((name, key(*given)), lambda: function(*args, **kwargs))

        return look_up

    return decorate


def cached(function: Callable[P, T]) -> Callable[P, T]:
    """Cache a function's results in `shared_cache`, by its arguments, which must be hashable.

    Equal arguments of different types, such as 1 and True, are different.
    """
    return cached_by(lambda *args: tuple((type(each), each) for each in args))(function)


def _in_order(known: Signature, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """All arguments in the signature's order, defaults included."""
    bound = known.bind(*args, **kwargs)
    bound.apply_defaults()
    return tuple(bound.arguments.values())
