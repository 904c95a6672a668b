"""Names are taken wherever a mechanism or a plan is, and arrays as people have them."""

import json
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from caldp_core import CaldpError, Context, Domain, Protocol, WrittenOut, compare, mechanism
from caldp_core.collect.device import Memo, Once
from caldp_core.mechanisms.catalogue import FAMILIES
from tests import ROOT
from tests.contract.checks import naming

ANSWERS = Domain.of(["yes", "no", "other"])
CONTEXT = Context.plain(3, 1.0)


def test_a_protocol_takes_a_mechanism_by_its_name() -> None:
    for name in ("best", *FAMILIES):
        with naming(name):
            made = Protocol.for_policy(ANSWERS, CONTEXT, mechanism=name)  # type: ignore[arg-type]
            assert made.mechanism.k == 3
            assert name in ("best", made.plan.name)


@pytest.mark.parametrize(
    "wrong", ["hadamrd", 3, object()], ids=["misspelt", "a number", "an object"]
)
def test_anything_else_is_refused_with_the_rule(wrong: Any) -> None:
    with pytest.raises(CaldpError, match="mechanism must be"):
        Protocol.for_policy(ANSWERS, CONTEXT, mechanism=wrong)


def test_a_plan_without_numbers_may_be_named() -> None:
    protocol = Protocol.for_policy(ANSWERS, CONTEXT, mechanism="hadamard")
    assert protocol.repeated("once") == protocol.repeated(Once())
    assert protocol.repeated("memo") == protocol.repeated(Memo())
    wrong: list[Any] = ["budget", "noisy-memo", "never", None, 3, Once]
    for each in wrong:
        with naming(str(each)), pytest.raises(CaldpError, match="plan must be"):
            protocol.repeated(each)


def test_a_comparison_takes_names_under_any_title() -> None:
    histogram = [50, 30, 20]
    named = compare({"h": "hadamard"}, [1.0], histogram, trials=3)
    made = compare(["hadamard"], [1.0], histogram, trials=3)
    assert named["mean"].tolist() == made["mean"].tolist()
    assert named["mechanism"].tolist() == ["h"]
    wrong: dict[str, Any] = {"h": 3}
    with pytest.raises(CaldpError, match="mechanisms must hold names"):
        compare(wrong, [1.0], histogram, trials=3)


def test_a_table_of_millions_of_reports_is_refused_before_it_is_read() -> None:
    row = range(3_000_000)  # never read: it would take seconds
    with pytest.raises(CaldpError, match="at most 4,000,000 entries, got 6,000,000"):
        WrittenOut(Context.plain(2, 1.0), [row, row], 10)


def test_columns_of_arrow_are_answers() -> None:
    for kind in (pa.string(), pa.large_string(), pa.dictionary(pa.int32(), pa.string())):
        column = pa.array(["no", "yes", "no"], kind)
        assert ANSWERS.symbols(column).tolist() == [1, 0, 1]
        assert ANSWERS.symbols(pa.chunked_array([column, column])).tolist() == [1, 0, 1] * 2
    series = pd.Series(["no", "other"], dtype=pd.ArrowDtype(pa.string()))
    assert ANSWERS.symbols(series).tolist() == [1, 2]
    with pytest.raises(CaldpError, match="got None at place 1"):
        ANSWERS.symbols(pa.array(["no", None]))


def test_whole_floats_are_whole_numbers() -> None:
    made = mechanism(CONTEXT, "hadamard")
    whole = np.array([0.0, 1.0, 2.0])
    assert np.array_equal(made.privatize(whole, 1), made.privatize([0, 1, 2], 1))
    assert made.sample_tally(100 * whole, 1) == made.sample_tally([0, 100, 200], 1)
    for wrong in ([0.5, 1.0], [np.nan, 1.0], [np.inf, 1.0], [1e300, 1.0]):
        with naming(str(wrong)), pytest.raises(CaldpError):
            made.privatize(wrong, 1)


def test_a_tutorial_s_own_line_installs_what_it_runs_with() -> None:
    """Scenarios, audits and estimates need SciPy, which the extra `research` brings."""
    for path in sorted((ROOT / "docs" / "tutorials").glob("*.ipynb")):
        cells = json.loads(path.read_text())["cells"]
        texts = "".join("".join(cell["source"]) for cell in cells)
        with naming(path.name):
            assert "`pip install '.[research]' jupyterlab`" in texts
