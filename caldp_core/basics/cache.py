"""One cache that all functions share, bounded in bytes.

A bound by entries bounds nothing, as one may take as much as a thousand others.

A value may have an owner, who alone finds it and with whom it goes: a program that works for
several people sets `find_owner`, so that results made from one person's data stay theirs.
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
from typing import Any, Final, ParamSpec, Protocol, TypeAlias, TypeVar

import numpy as np

P = ParamSpec("P")
T = TypeVar("T")
CACHE_MAX_BYTES: Final = 250 * 10**6
"""Most bytes of all cached results together."""
_LEFT_OUT: Final = (
    *(type(None), bool, int, float, complex, type, Event),
    *(ModuleType, FunctionType, BuiltinFunctionType, MethodType),
)
"""Types whose objects are small or belong to no value: they are not measured."""

EVERYBODY: Final = ""
"""The owner of values that all may find."""
_Place: TypeAlias = tuple[str, Hashable]
"""The owner of a value and its key."""


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

    `find_owner`: says whose values this thread makes; they find everybody's, and nobody theirs.
    """

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._lock = Lock()
        self._entries: OrderedDict[_Place, _Entry] = OrderedDict()
        # By id the entries that were used since the last but one `update_sizes`, in two halves.
        self._used: dict[int, tuple[_Place, _Entry]] = {}
        self._used_before = self._used
        self._making: dict[_Place, Making] = {}
        self.find_owner: Callable[[], str] = lambda: EVERYBODY
        # By id of an object how many entries hold it: shared ones count once in the total.
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
        place = (self.find_owner(), key)
        # 1. Find the value, or wait while another thread makes it. The loop begins anew when that
        # thread ends, with the value or with an error; in the latter case this one makes it.
        while True:
            with self._lock:
                for known in (place, (EVERYBODY, key)):
                    entry = self._entries.get(known)
                    if entry is not None:
                        self._entries.move_to_end(known)
                        self._used[id(entry)] = known, entry
                        found: T = entry.value
                        return found
                pending = self._making.get(place)
                if pending is None:
                    making = Making(work)
                    self._making[place] = making
                    break
            pending.is_awaited.set()
            if work is None:
                pending.finished.wait()
            else:
                work.wait_for(pending)
        # 2. Make and measure it without the lock, so that nobody else has to wait for that.
        try:
            value = make()
            parts = _entry_sizes(key, value)
            with self._lock:
                entry = _Entry(value, parts)
                self._entries[place] = entry
                self._used[id(entry)] = place, entry
                self._count(parts)
                self._shrink()
            return value
        # 3. Wake those who wait, also after an error.
        finally:
            with self._lock:
                del self._making[place]
            making.finished.set()

    def discard(self, owner: str) -> None:
        """Forget all values of that owner."""
        with self._lock:
            for place in list(self._entries):
                if place[0] == owner:
                    self._forget(self._entries.pop(place))
            # What was used lately holds entries as well, and would keep them in memory.
            for used in (self._used, self._used_before):
                for number, (place, _) in list(used.items()):
                    if place[0] == owner:
                        del used[number]

    def owners(self) -> set[str]:
        """Who has values here; `EVERYBODY` where some are for all."""
        with self._lock:
            return {owner for owner, _ in self._entries}

    def is_awaited(self, work: Work | None) -> bool:
        """Whether others wait for a value that this work makes."""
        with self._lock:
            for making in self._making.values():
                if making.maker is work and making.is_awaited.is_set():
                    return True
        return False

    def update_sizes(self) -> None:
        """Measure what was used lately again: some have grown, by attributes that they cache."""
        with self._lock:
            used = self._used_before | self._used
            self._used_before = self._used
            self._used = {}
        for place, entry in used.values():
            parts = _entry_sizes(place[1], entry.value)
            with self._lock:
                # It may have been evicted or replaced while it was measured.
                if self._entries.get(place) is entry:
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
        """Add an entry's objects to the total, those that no other entry holds."""
        for part, size in parts.items():
            if not self._holders[part]:
                self._total += size
            self._holders[part] += 1

    def _shrink(self) -> None:
        """Evict the least recently used entries until the bound is kept, all but the newest."""
        while self._total > self._max_bytes and len(self._entries) > 1:
            _, entry = self._entries.popitem(last=False)
            self._forget(entry)

    def _forget(self, entry: _Entry) -> None:
        """Take an entry's objects from the total, those that no other entry holds."""
        for part, size in entry.parts.items():
            self._holders[part] -= 1
            if not self._holders[part]:
                del self._holders[part]
                self._total -= size


def _entry_sizes(key: Hashable, value: object) -> dict[int, int]:
    """Bytes of each object in a key and its value, by the object's id.

    Each is followed alone: a pair of both would be an object of the moment, whose id another
    object has soon after, and two texts in it would count as that one object.
    """
    return {**dict(object_sizes(key)), **dict(object_sizes(value))}


def object_sizes(value: object) -> Iterator[tuple[int, int]]:
    """(id, bytes) of each object that a value holds, itself included.

    Arrays, texts, containers and the fields of records are followed; functions and classes are not.
    Texts of a container count with it.
    """
    counted: set[int] = set()
    waiting: list[Any] = [value]
    while waiting:
        held = waiting.pop()
        # The array that owns the memory counts, rather than a view of it.
        while isinstance(held, np.ndarray) and isinstance(held.base, np.ndarray):
            held = held.base
        if isinstance(held, _LEFT_OUT) or id(held) in counted:
            continue
        counted.add(id(held))
        if isinstance(held, tuple | list) and set(map(type, held)) == {str}:
            # The names of a thousand blocks as one: one by one they would take longer than a run.
            yield id(held), sys.getsizeof(held) + sum(map(sys.getsizeof, held))
            continue
        # A view reports its own header alone; an array that owns its data, all of it.
        yield id(held), sys.getsizeof(held, 64)
        if isinstance(held, dict):
            waiting += [*held.keys(), *held.values()]
        elif isinstance(held, tuple | list | set | frozenset):
            waiting += list(held)
        else:
            waiting += list(getattr(held, "__dict__", {}).values())


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
            # Binding a signature takes longer than the look-up, so it is left out where it can be.
            given: tuple[Any, ...] = args
            if len(args) != len(known.parameters):
                given = _in_order(known, args, kwargs)
            return shared_cache().get((name, key(*given)), lambda: function(*args, **kwargs))

        return look_up

    return decorate


def cached(function: Callable[P, T]) -> Callable[P, T]:
    """Cache a function's results in `shared_cache`, by its arguments, which must be hashable.

    Equal arguments of different types, such as 1 and True, are different.
    """
    return cached_by(lambda *args: tuple((type(arg), arg) for arg in args))(function)


def _in_order(known: Signature, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """All arguments in the signature's order, defaults included."""
    bound = known.bind(*args, **kwargs)
    bound.apply_defaults()
    return tuple(bound.arguments.values())
