"""How full the first screen of a page is: its words, numbers and controls.

`python -m tests.browser.first_screen [PAGE …]` prints them for pages of a server that it starts, on
a projector and on a phone; without a page, for the start page.
"""

import re
import sys
from dataclasses import dataclass
from typing import Any, Final

from tests.servers import chromium, server_address, wait_until_settled

SCREENS: Final[dict[str, Any]] = {
    "projector": {"width": 1280, "height": 720},
    "large": {"width": 1920, "height": 1080},
    "phone": {"width": 390, "height": 844},
}
_WORD: Final = re.compile(r"[^\W\d_][^\W_]*(?:[’'-][^\W_]+)*")
_NUMBER: Final = re.compile(r"\d[\d,.]*|[½¼¾∞]")
_SEEN: Final = """() => {
    const onScreen = box => box.width > 1 && box.height > 1
        && box.top < innerHeight && box.bottom > 0 && box.left < innerWidth && box.right > 0;
    const texts = [], controls = [];
    const CONTROLS = "a[href], button, input, select, textarea, summary, [role=slider], [role=tab]";
    const visit = node => {
        if (node.nodeType === Node.TEXT_NODE) {
            const range = document.createRange();
            range.selectNode(node);
            if (node.data.trim() && onScreen(range.getBoundingClientRect())) texts.push(node.data);
            return;
        }
        if (node.nodeType === Node.ELEMENT_NODE) {
            if (["SCRIPT", "STYLE", "OPTION"].includes(node.tagName)) return;
            if (node.closest("[data-testid=stIconMaterial]")) return;
            // An element without a box of its own is not visible, but what is in it may be; a
            // control that its label draws, as of a group of choices, is seen by that label, and a
            // slider by what is drawn below it.
            const hasBox = getComputedStyle(node).display !== "contents";
            const isLabelled = node.matches("input") && node.closest("label")?.checkVisibility();
            const isSlider = node.matches("input[type=range]");
            const isVisible = node.checkVisibility(
                {opacityProperty: !isSlider, visibilityProperty: true});
            if (hasBox && !isVisible && !isLabelled) return;
            if (node.tagName === "SELECT" && onScreen(node.getBoundingClientRect())) {
                texts.push(node.selectedOptions[0]?.text ?? "");
            }
            if (node.matches(CONTROLS) && onScreen(node.getBoundingClientRect())) {
                controls.push(node.tagName);
            }
            if (node.shadowRoot) visit(node.shadowRoot);
        }
        node.childNodes.forEach(visit);
    };
    visit(document.body);
    return {text: texts.join(" "), controls: controls.length};
}"""
"""Texts and controls that are on the screen, in shadow roots as well."""


@dataclass(frozen=True)
class Fullness:
    """Words, numbers and controls of a screen."""

    words: int
    numbers: int
    controls: int


def fullness(page: Any) -> Fullness:
    """What is on the screen of a page at rest."""
    seen = page.evaluate(_SEEN)
    words, numbers = _WORD.findall(seen["text"]), _NUMBER.findall(seen["text"])
    return Fullness(len(words), len(numbers), seen["controls"])


def main() -> None:
    """Print how full the first screens of the pages are."""
    names = sys.argv[1:] or [""]
    with server_address() as address, chromium() as browser:
        for name in names:
            for screen, size in SCREENS.items():
                page = browser.new_page(viewport=size, reduced_motion="reduce")
                page.goto(f"{address}/{name}")
                page.locator("h1").first.wait_for()
                wait_until_settled(page)
                page.wait_for_timeout(1500)  # what a page draws once it has come to rest
                sys.stdout.write(f"{name or 'start':12} {screen:10} {fullness(page)}\n")
                sys.stdout.flush()
                page.close()


if __name__ == "__main__":
    main()
