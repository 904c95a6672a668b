"""A visitor's own data in a browser: the address, a reload, a receiver, and saved pictures."""

import io
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from PIL import Image

from benchmarks.browser import wait_until_settled
from tests.browser.conftest import Visit
from tests.browser.hands import HEADLINE, expect, press

pytestmark = pytest.mark.browser
PLACES = [(48.05, 11.05), (48.35, 11.45), (48.55, 11.85)]
COUNTS = (10_007, 20_011, 3)
CSV = "latitude,longitude,people\n" + "\n".join(
    f"{south},{west},{people}" for (south, west), people in zip(PLACES, COUNTS, strict=True)
)
RED = (176, 0, 32)


def bring(page: Any) -> None:
    page.get_by_role("button", name="Your data").click()
    page.locator(".st-key-places-own-text textarea").fill(CSV)
    page.locator(".st-key-places-own-name input").fill("marked")
    page.get_by_role("button", name="Read the text").click()
    page.get_by_role("button", name="Show it").click()
    page.get_by_role("button", name="Show it").wait_for(state="detached")
    page.wait_for_url("**own=*")
    wait_until_settled(page)


def saved_picture(page: Any, name: str) -> tuple[str, Image.Image]:
    with page.expect_download() as found:
        press(page, name)
    image = Image.open(io.BytesIO(Path(found.value.path()).read_bytes())).convert("RGB")
    return found.value.suggested_filename, image


def red_rows(image: Image.Image) -> int:
    return sum(image.getpixel((1, y)) == RED for y in range(image.height))


def test_own_data_stay_in_their_tab_and_the_truth_in_internal_pictures(visit: Visit) -> None:
    page = visit("places?v=2&epsilon=2&blocks=one", fresh=True)
    bring(page)
    sentence = page.locator(HEADLINE).inner_text()
    query = urlsplit(page.url).query
    assert "10007" not in query
    assert "dataset" not in query
    for look in ("Side by side", "Error"):
        press(page, look)
        name, image = saved_picture(page, "Picture")
        assert (name, red_rows(image)) == ("caldp-map.png", 0)
    name, image = saved_picture(page, "Internal picture, with the truth")
    assert (name, red_rows(image)) == ("caldp-map-internal.png", 48)
    page.reload()
    expect(page.locator(HEADLINE)).to_have_text([sentence])
    assert urlsplit(page.url).query.partition("&look")[0] == query.partition("&look")[0]
    receiver = visit(f"places?{query}", fresh=True)
    expect(receiver.get_by_text("This link holds settings and no data")).to_be_visible()
    bring(receiver)
    expect(receiver.locator(HEADLINE)).to_have_text([sentence])
    expect(receiver.get_by_text("This link holds settings and no data")).to_have_count(0)
