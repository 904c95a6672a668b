"""Small print can be read: captions and the texts of charts, light and dark (WCAG 2, 1.4.3)."""

from typing import Any

import pytest

from tests.browser.conftest import Visit
from tests.browser.hands import QUICKLY_FORECAST, tab
from tests.browser.test_axe import in_scheme
from tests.browser.test_everybody import luminance

pytestmark = pytest.mark.browser
LEAST = 4.5
SMALL_PRINT = {
    "captions": "[data-testid=stCaptionContainer] p",
    "odds": ".odds :is(b, strong, p, .grade)",
    "result": ".st-key-headline p",
    "axes": ".st-key-curve :is(.xtick, .ytick) text",
    "titles of axes": ".st-key-curve :is(.xtitle, .ytitle)",
    "names of lines": ".st-key-curve :is(.textpoint text, .legendtext)",
}
LAYERS = """css => {
    const probe = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
    const rgba = colour => {
        probe.clearRect(0, 0, 1, 1); probe.fillStyle = colour; probe.fillRect(0, 0, 1, 1);
        const [r, g, b, a] = probe.getImageData(0, 0, 1, 1).data;
        return [r, g, b, a / 255];
    };
    const ground = rgba(getComputedStyle(document.querySelector('[data-testid=stApp]'))
        .backgroundColor);
    return [...document.querySelectorAll(css)].filter(e => e.textContent.trim()).map(e => {
        const style = getComputedStyle(e), svg = e instanceof SVGElement;
        const text = rgba(svg ? style.fill : style.color);
        let seen = text[3] * (svg ? Number(style.fillOpacity) : 1);
        for (let at = e; at; at = at.parentElement) seen *= Number(getComputedStyle(at).opacity);
        return [text.slice(0, 3), ground.slice(0, 3), seen];
    });
}"""
"""Per element: its text's colour, the page's, and how opaque the text is, ancestors and all."""


def contrast(text: list[float], ground: list[float], opacity: float) -> float:
    """WCAG's ratio of a text that is blended with the ground."""
    blended = [opacity * t + (1 - opacity) * g for t, g in zip(text, ground, strict=True)]
    low, high = sorted((luminance(blended), luminance(ground)))
    return (high + 0.05) / (low + 0.05)


def contrasts(page: Any, css: str) -> list[float]:
    return [contrast(*layers) for layers in page.evaluate(LAYERS, css)]


def faint(page: Any) -> dict[str, float]:
    """What does not stand out enough, or is not there, with its contrast."""
    least = {name: min(contrasts(page, css), default=0) for name, css in SMALL_PRINT.items()}
    return {name: round(each, 2) for name, each in least.items() if each < LEAST}


def test_small_print_stands_out_from_the_page(visit: Visit) -> None:
    page = visit(QUICKLY_FORECAST)
    tab(page, "Error curves")
    for scheme in ("light", "dark"):
        in_scheme(page, scheme)
        for _ in range(100):  # a chart is drawn anew, in parts, once the server has heard of it
            if not faint(page):
                break
            page.wait_for_timeout(100)
        assert faint(page) == {}, scheme


def test_the_measure_knows_black_on_white_and_a_veil() -> None:
    black, white = [0.0, 0.0, 0.0], [255.0, 255.0, 255.0]
    assert contrast(black, white, 1.0) == pytest.approx(21.0)
    assert contrast(black, white, 0.0) == pytest.approx(1.0)
    assert contrast([118.0] * 3, white, 1.0) == pytest.approx(4.54, abs=0.01)  # #767676
