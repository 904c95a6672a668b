"""Random rounding in which totals agree: controlled rounding by coins of the operating system.

Every number, cell or total, becomes one of the two multiples of the base around it; the totals are
the sums of the published parts; and each number goes up with probability rest/base, so that it is
right on average. Source: Cox 1987, "A constructive procedure for unbiased controlled rounding",
JASA 82, for tables of two margins; here for one or two hierarchies of totals, whose sums are a
network, so that cycles of it are all that is needed and no program is solved.

A reader can narrow no cell by the totals: if all else is as published, a cell may be less than the
base off, and every total that it is in is off by the same. So each cell may be all that it may be
alone. (Totals with coins of their own agree with nothing, and narrow cells.) Who knows the other
cells of an area can narrow a cell by the total; random rounding promises nothing against that.
"""

import secrets
from collections.abc import Iterator

import numpy as np

from caldp_core.basics.types import Ints
from caldp_core.treatments.suppression import Margins


def round_table(counts: Ints, margins: Margins, base: int) -> Ints:
    """(N,) cells and totals, rounded to multiples of `base`, from (k,) counts."""
    network = _Network(margins.numbers(counts).tolist(), *_ends(margins), base)
    network.round_all()
    return np.array(network.values, np.int64)


def _ends(margins: Margins) -> tuple[list[int], list[int]]:
    """(N,) tail and head of each number, as an edge of a network whose nodes are the sums.

    What flows into a node flows out of it: parts and total of a sum. Sums of the second hierarchy
    count with the other sign, so that a cell goes from one hierarchy to the other; where there is
    one only, cells and the total of everybody begin and end at a node outside.
    """
    sums = margins.sums.tocoo()
    first = np.unique(margins.levels[: margins.nested]).size
    sign = np.where(sums.row < first, sums.data, -sums.data)
    outside = margins.sums.shape[0]
    tail, head = np.full((2, margins.always.size), outside)
    tail[sums.col[sign < 0]] = sums.row[sign < 0]
    head[sums.col[sign > 0]] = sums.row[sign > 0]
    return tail.tolist(), head.tolist()


class _Network:
    """Values of edges that add up at each node; those that are not yet multiples are open."""

    def __init__(self, values: list[int], tail: list[int], head: list[int], base: int) -> None:
        self.values, self.tail, self.head, self.base = values, tail, head, base
        self.low = [value - value % base for value in values]
        self.edges_of: list[list[int]] = [[] for _ in range(max(tail + head) + 1)]
        for edge, value in enumerate(values):
            if value % base:
                self.edges_of[tail[edge]].append(edge)
                self.edges_of[head[edge]].append(edge)

    def is_open(self, edge: int) -> bool:
        """Whether the value is still between two multiples."""
        return self.values[edge] % self.base != 0

    def round_all(self) -> None:
        """Shift along cycles of open edges until none is left.

        A node never has a single open edge, as its edges add up to a multiple: from any open edge a
        walk goes on until it meets itself.
        """
        for start in range(len(self.edges_of)):
            while (edge := self._next_edge(start, None)) is not None:
                self._follow(start, edge)

    def _next_edge(self, node: int, last: int | None) -> int | None:
        """An open edge of a node other than the last one of the walk."""
        edges = self.edges_of[node]
        while edges and not self.is_open(edges[-1]):
            edges.pop()
        if edges and edges[-1] == last:
            # The last edge stays, one below is taken; closed ones go as they are met.
            while len(edges) > 1 and not self.is_open(edges[-2]):
                del edges[-2]
            return edges[-2] if len(edges) > 1 else None
        return edges[-1] if edges else None

    def _follow(self, start: int, edge: int) -> None:
        """Walk along open edges, and shift along every cycle that closes."""
        nodes, path, place = [start], [edge], {start: 0}
        while path:
            last = path[-1]
            node = self.head[last] + self.tail[last] - nodes[-1]
            if node in place:
                begin = place[node]
                self._shift(path[begin:], nodes[begin:])
                # What is before the first edge that has become a multiple is still a walk.
                keep = next(at for at in range(begin, len(path)) if not self.is_open(path[at]))
                for left in nodes[keep + 1 :]:
                    del place[left]
                nodes, path = nodes[: keep + 1], path[:keep]
            else:
                place[node] = len(nodes)
                nodes.append(node)
            following = self._next_edge(nodes[-1], path[-1] if path else None)
            if following is None:
                return
            path.append(following)

    def _shift(self, cycle: list[int], nodes: list[int]) -> None:
        """Shift by as much as can be, one way or the other, so that nothing changes on average."""
        signs = [
            1 if self.tail[edge] == node else -1 for edge, node in zip(cycle, nodes, strict=True)
        ]
        more = min(self._room(edge, sign) for edge, sign in zip(cycle, signs, strict=True))
        less = min(self._room(edge, -sign) for edge, sign in zip(cycle, signs, strict=True))
        shift = more if secrets.randbelow(more + less) < less else -less
        for edge, sign in zip(cycle, signs, strict=True):
            self.values[edge] += sign * shift

    def _room(self, edge: int, sign: int) -> int:
        """How far a value is from the multiple above it, or below for the sign −1."""
        above_low = self.values[edge] - self.low[edge]
        return self.base - above_low if sign > 0 else above_low


def cells_alone(numbers: Ints, base: int) -> Iterator[tuple[int, int]]:
    """Least and largest count that each rounded number leaves, if nothing else is known."""
    for number in numbers.tolist():
        yield max(number - base + 1, 0), number + base - 1
