"""How tests read numbers back from pages: what was rounded is allowed, anything else is not."""

import math

import pytest

from caldp_ui.words import formats
from tests.ui.readings import read, to_three_digits, to_two_digits


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
