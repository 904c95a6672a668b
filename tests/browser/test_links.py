"""Links from strangers, and the ways through the address bar, in a real browser."""

from urllib.parse import quote, urlencode

import pytest

from caldp_core.scenario import Scenario
from tests.browser.conftest import Visit
from tests.browser.hands import expect_numbers
from tests.browser.watch import Watch

pytestmark = pytest.mark.browser
IMAGE = "![a](http://example.invalid/x.png) [**Sign in here**](http://example.invalid/login)"
BARE = "<b>http://a.invalid</b> www.example.invalid &#104;ttp://a.invalid :smile: a.@b.invalid"
MARKED_UP = "a, img, b, strong, code, [data-testid=stIconMaterial]:not(:text-is('info'))"


@pytest.mark.parametrize("text", [IMAGE, BARE], ids=["marked up", "bare"])
@pytest.mark.parametrize("key", ["epsilon", "region", "blocks", None])
def test_a_link_can_make_nothing_but_text(
    visit: Visit, watch: Watch, key: str | None, text: str
) -> None:
    page = visit("?" + (urlencode({key: text}) if key else f"{quote(text)}=1"))
    expect_numbers(page, Scenario())
    told = page.locator("[data-testid=stAlert]")
    assert told.count() == 1
    assert told.locator(MARKED_UP).count() == 0
    # As it was written, but for the joiners that are not seen.
    assert text in told.inner_text().replace("\N{WORD JOINER}", "")
    assert len(watch.asked) > 5
    assert watch.outside() == []
