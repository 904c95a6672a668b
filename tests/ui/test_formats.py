"""Numbers as people read them: read back, they are the number again."""

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caldp_ui.words import formats
from tests.ui.readings import read, to_three_digits, to_two_digits

SIZES = {"": 1.0, "million": 1e6, "billion": 1e9, "trillion": 1e12, "quadrillion": 1e15}


def read_back(text: str) -> float:
    number, _, word = text.partition(" ")
    assert re.fullmatch(r"-?[\d,]+(\.\d+)?", number), text
    return float(number.replace(",", "")) * SIZES[word]


@given(st.integers(0, 999_999))
def test_few_people_are_exact(number: int) -> None:
    assert read_back(formats.people(number)) == number


@given(st.integers(0, 994))
@pytest.mark.parametrize("power", [6, 9, 12])
def test_many_people_have_three_digits(power: int, number: int) -> None:
    value = (1 + number) * 10.0**power
    assert read_back(formats.people(value)) == pytest.approx(value, rel=0.005)
    assert read_back(formats.people(-value)) == pytest.approx(-value, rel=0.005)


@pytest.mark.parametrize("value", [999_999_999, 999.7e9])
def test_just_below_the_next_word(value: float) -> None:
    assert read_back(formats.people(value)) == pytest.approx(value, rel=0.005)


@given(st.floats(1.0, 1e15))
def test_how_many_times_is_read_back(factor: float) -> None:
    text = formats.times(factor).removesuffix(" times")
    number = text.partition(" ")[0]
    assert read_back(text) == pytest.approx(factor, rel=0.0501 if factor > 9.99 else 0.00501)
    assert len(number.replace(",", "").replace(".", "").rstrip("0")) <= 3
    assert "." not in number or factor < 10 or factor > 999_000


def test_a_number_of_times_claims_no_more_than_three_digits() -> None:
    assert formats.times(256_870_174.0) == "257 million times"


@given(st.floats(0.0001, 20_000.0))
def test_a_length_is_read_back(km: float) -> None:
    number, _, unit = formats.length(km).partition(" ")
    length = float(number.replace(",", "")) * {"km": 1.0, "m": 0.001}[unit]
    assert length == pytest.approx(km, rel=0.0501)
    assert (unit == "m") == (length < 1)


def test_nobody_has_no_sign() -> None:
    assert formats.people(-0.3) == "0"


@given(st.floats(1e-12, 9.9))
def test_shares_keep_two_digits(value: float) -> None:
    assert float(formats.share(value)) == pytest.approx(value, rel=0.05)


def test_ends_of_shares() -> None:
    assert float(formats.share(0.0)) == 0
    assert formats.share(float("inf")) == "∞"
    assert float(formats.share(1234.56).replace(",", "")) == pytest.approx(1234.56, abs=0.05)


@given(st.floats(0, 50), st.floats(0, 50))
def test_a_value_and_its_spread_have_the_same_decimals(value: float, spread: float) -> None:
    parts = formats.plus_minus(value, spread).split(" ± ")
    assert len({len(part.partition(".")[2]) for part in parts}) == 1
    close = 0.0005 if max(value, spread) < 10 else 0.05
    assert float(parts[0]) == pytest.approx(value, abs=close + 1e-9)
    assert float(parts[1]) == pytest.approx(spread, abs=close + 1e-9)


@given(st.floats(1e-9, 1), st.floats(1e-9, 1))
def test_a_small_value_or_spread_is_not_rounded_away(value: float, spread: float) -> None:
    parts = [float(part) for part in formats.plus_minus(value, spread).split(" ± ")]
    for number, part in zip(parts, (value, spread), strict=True):
        assert number > 0
        assert number == pytest.approx(part, rel=0.5)


@given(st.floats(0, 1))
def test_of_hundred(probability: float) -> None:
    text = formats.hundred(probability)
    if text.startswith("more than "):
        assert float(text.removeprefix("more than ")) < 100 * probability
    else:
        assert float(text) == pytest.approx(100 * probability, abs=0.5)


@given(st.floats(0, 1) | st.floats(0, 1e-3) | st.floats(0.995, 1))
def test_a_share_as_people_is_read_back(share: float) -> None:
    text = formats.out_of(share)
    number, _, of = text.removeprefix("all but ").partition(" of ")
    value = float(number) / read_back(of)
    if text.startswith("all but"):
        value = 1 - value
    assert value == pytest.approx(share, abs=0.5 / read_back(of) * (1 + 1e-9) + 2e-12)
    few = min(share, 1 - share)
    assert value not in (0, 1) or few < 2e-12  # neither all nor nobody by rounding
    assert value in (0, 1) or few >= 0.9e-12


@given(st.floats(0, 1) | st.floats(0, 0.03))
def test_a_share_of_100_people_is_read_back(share: float) -> None:
    number, _, of = formats.of_hundred(share).removeprefix("more than ").partition(" of ")
    assert of == "100"
    if number == "less than 0.01":
        assert 0 < share < 1e-4
    else:
        # Whole people from 1.5 on; fewer to half of their last digit, and none only if nobody.
        value = float(number) / 100
        assert value == pytest.approx(share, abs=5.1e-3 if share >= 0.015 else 0.34 * share + 1e-9)
        assert value > 0 or share < 1e-9


def test_people_of_100_to_be_compared() -> None:
    texts = {0.54: "54", 0.0149: "1.5", 0.009: "0.9", 0.0003: "0.03", 2e-5: "less than 0.01"}
    assert {share: formats.per_hundred(share) for share in texts} == texts
    assert formats.per_hundred(0.0) == "0"


@pytest.mark.parametrize("probability", [0.9951, 0.9975, 0.9991, 0.99949999])
def test_nearly_all_is_not_all(probability: float) -> None:
    percent = float(formats.hundred(probability))
    assert percent < 100
    assert percent == pytest.approx(100 * probability, abs=0.0501)


@pytest.mark.parametrize("probability", [0.9995, 1 - 1e-9, 1.0])
def test_what_rounds_to_all_is_told_as_more(probability: float) -> None:
    assert formats.hundred(probability) == "more than 99.9"


@pytest.mark.parametrize(
    ("latitude", "longitude", "text"),
    [(40.71, -74.0, "40.7° N, 74.0° W"), (-33.9, 151.2, "33.9° S, 151.2° E")],
)
def test_places(latitude: float, longitude: float, text: str) -> None:
    assert formats.degrees(latitude, longitude) == text


@given(st.floats(1e-12, 1e12), st.integers(1, 4))
def test_digits_are_so_many_and_no_power_of_ten(value: float, significant: int) -> None:
    text = formats.digits(value, significant)
    assert re.fullmatch(r"[\d,]+(\.\d+)?", text)
    assert float(text.replace(",", "")) == pytest.approx(value, rel=0.5 * 10 ** (1 - significant))
    assert len(text.replace(",", "").replace(".", "").strip("0")) <= significant
    assert formats.digits(-value, significant) == f"-{text}"


def test_digits_of_round_numbers() -> None:
    texts = {0.0: "0", 99.9: "100", 1234.0: "1,200", 3.0: "3", 0.000012: "0.000012"}
    assert {value: formats.digits(value) for value in texts} == texts


def test_shares_out_of_one_number() -> None:
    assert formats.out_of_one(0.027, 0.0032) == (["27", "3"], "1,000")
    assert formats.out_of_one(0.5, 0.0) == (["50", "0"], "100")
    assert formats.out_of_one(0.0, 0.0) == (["0", "0"], "100")
    assert formats.out_of_one(1.0, 1e-9)[1] == "100"


@given(st.lists(st.floats(1e-6, 1), min_size=1, max_size=4))
def test_shares_out_of_one_number_tell_even_the_least(values: list[float]) -> None:
    _, number = formats.out_of_one(*values)
    of = float(number.replace(",", "").replace(" million", "e6"))
    assert min(values) * of >= 1.5
    assert of == 100 or min(values) * of / 10 < 1.5


@pytest.mark.parametrize(
    ("text", "yes", "no"),
    [
        ("42 of 100", 0.4249, 0.4251),
        ("8 of 1,000", 0.0076, 0.0074),
        ("all but 8 of 1,000", 0.9924, 0.991),
        ("more than 99.9 of 100", 0.99999, 0.998),
        ("fewer than 1 of 100", 0.004, 0.02),
        ("0.0042", 0.00424, 0.00426),
        ("1e-05", 1.4e-5, 1.6e-5),
        ("3.67 million", 3_671_812, 3_676_000),
        ("3,671,812", 3_671_812, 3_671_813),
        ("12.2 km", 12.24, 12.26),
        ("29 m", 0.0294, 0.0296),
        ("850 m", 0.8546, 0.8556),
        ("**14.4**", 14.44, 14.46),
        ("20 %", 0.2049, 0.2051),
        ("∞", math.inf, 1e300),
    ],
)
def test_a_number_stands_for_what_is_rounded_to_it(text: str, yes: float, no: float) -> None:
    assert read(text).holds(yes)
    assert not read(text).holds(no)


def test_only_three_digits_are_meant() -> None:
    assert to_three_digits("533,000").holds(533_400)
    assert not to_three_digits("533,000").holds(534_000)


def test_a_small_number_has_two_digits() -> None:
    assert to_two_digits("0.002").holds(0.00204)
    assert not to_two_digits("0.002").holds(0.00206)
    assert to_two_digits("0.012").holds(0.0124)


def test_what_the_dashboard_formats_is_read_back() -> None:
    for power in range(-11, 1):
        for digits in (0.1234, 0.5, 0.9996, 0.99949, 0.15, 0.0995):
            share = digits * 10.0**power
            for show in (
                formats.out_of,
                formats.of_hundred,
                formats.share,
                lambda p: f"{formats.hundred(p)} of 100",
            ):
                assert read(show(share)).holds(share), (show(share), share)
    for power in range(14):
        assert read(formats.people(1.2345 * 10**power)).holds(round(1.2345 * 10**power))


def test_other_texts_are_no_numbers() -> None:
    for text in ("", "many", "4 or 5", "1.2.3"):
        with pytest.raises(AssertionError):
            read(text)
