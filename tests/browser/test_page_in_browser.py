"""The page of evidence in a real Chromium, opened from its file.

Skipped where Chromium or its driver is missing, unless PROOFDECK_REQUIRE_BROWSER or CI=true says
that they must be there. Screenshots stay under `build/pages`.
"""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver import Chrome, ChromeOptions, Keys
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By

from quiz.deck.card import Deck
from quiz.deck.load import parse
from quiz.proof import CardResult, Prover
from quiz.report.page import draw

BROWSER, DRIVER = (shutil.which(name) for name in ("chromium", "chromedriver"))
REQUIRED = bool(os.environ.get("PROOFDECK_REQUIRE_BROWSER")) or os.environ.get("CI") == "true"

pytestmark = [
    pytest.mark.xdist_group("decks"),  # where the shipped cards are proven
    pytest.mark.slow,
    pytest.mark.skipif(
        not (BROWSER and DRIVER) and not REQUIRED,
        reason="chromium and chromedriver (Debian: chromium, chromium-driver) aren't installed",
    ),
]
SCREENSHOTS = Path(__file__).parents[2] / "build" / "pages"
LARGEST = 2 * 10**6  # bytes of the page of all shipped decks
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --hide-scrollbars "
    "--disable-background-networking --disable-component-update --disable-sync"
)
HOSTILE = r"""
deck: hostile
title: {en: '</title><script>window.taken = 1</script>'}
cards:
  - id: one
    kind: trap
    ask: {en: '<script>window.taken = 2</script> $\text{<img src=x onerror="window.taken=3">}$'}
    choices:
      - {text: {en: '"><svg onload="window.taken = 4">'}, claim: wire_sent == 0, belief: none,
         why: {en: '</main></body><iframe src="https://example.org">'}}
      - {text: {en: '$\href{javascript:window.taken=5}{click}$'},
         claim: wire_sent == 3/2*payload ± 1%}
    proof: {experiment: all-reduce-bytes, with: {ranks: 4, payload: 4 MiB}}
"""


@pytest.fixture(scope="module")
def proven(shipped: list[Deck], prover: Prover) -> list[CardResult]:
    cards = [card for deck in shipped for card in deck.cards if card.proof is not None]
    return [prover.prove(card) for card in cards]


@pytest.fixture(scope="module")
def page(
    proven: list[CardResult], shipped: list[Deck], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """The page of all shipped decks."""
    path = tmp_path_factory.mktemp("page") / "page.html"
    titles = {deck.id: deck.title for deck in shipped}
    path.write_text(draw(proven, titles, "en", ["quiz", "verify", "deck"]), encoding="utf-8")
    return path


@dataclass
class Browser:
    """A browser with what the tests ask of it."""

    chrome: Chrome

    def open(self, path: Path, *, width: int = 1200, height: int = 900, dark: bool = False) -> None:
        self.chrome.get("about:blank")
        self.chrome.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500},
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.chrome.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
        for log in ("browser", "performance"):
            self.chrome.get_log(log)
        self.chrome.get(path.as_uri())

    def script(self, source: str) -> Any:
        return self.chrome.execute_script(f"return {source}")

    def press(self, *keys: str) -> None:
        for key in keys:
            self.chrome.switch_to.active_element.send_keys(key)

    def focused(self, attribute: str) -> str | None:
        return self.chrome.switch_to.active_element.get_attribute(attribute)

    def keep(self, name: str) -> None:
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        self.chrome.save_screenshot(str(SCREENSHOTS / f"{name}.png"))

    def visible(self, selector: str) -> int:
        return int(self.script(f"[...document.querySelectorAll('{selector}')]"
                               ".filter(e => e.checkVisibility()).length"))  # fmt: skip

    def said(self) -> list[str]:
        """What the console holds."""
        return [entry["message"] for entry in self.chrome.get_log("browser")]

    def requested(self) -> set[str]:
        """Every address that was asked for since the page was opened."""
        messages = [json.loads(e["message"])["message"] for e in self.chrome.get_log("performance")]
        return {
            message["params"]["request"]["url"]
            for message in messages
            if message["method"] == "Network.requestWillBeSent"
        }


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    assert BROWSER, "chromium isn't installed"
    assert DRIVER, "chromedriver isn't installed"
    options = ChromeOptions()
    options.binary_location = BROWSER
    for flag in (*FLAGS.split(), f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    chrome = Chrome(options, Service(DRIVER))
    yield Browser(chrome)
    chrome.quit()


def test_it_is_small_opens_at_once_and_asks_for_nothing_else(browser: Browser, page: Path) -> None:
    assert page.stat().st_size < LARGEST
    started = time.perf_counter()
    browser.open(page)
    assert time.perf_counter() - started < 10
    browser.keep("light")
    assert browser.said() == []
    assert browser.requested() == {page.as_uri()}
    assert browser.script("document.querySelectorAll('article').length") == browser.script(
        "document.querySelectorAll('.index li').length"
    )


def test_the_lengths_of_bars_are_those_of_the_measured_values(browser: Browser, page: Path) -> None:
    browser.open(page)
    drawn = browser.script("""[...document.querySelectorAll('svg.bars')].map(svg => ({
        bars: [...svg.querySelectorAll('.measured')].map(
            bar => [bar.getBBox().width, Number(bar.dataset.value)]),
        strokes: [...svg.querySelectorAll('.expected')].map(
            line => [line.getBBox().x - svg.querySelector('.measured').getBBox().x,
                     Number(line.dataset.value)]),
    }))""")
    assert len(drawn) > 100
    for picture in drawn:
        lengths = picture["bars"] + picture["strokes"]
        longest, most = max(lengths)
        for length, value in lengths:
            assert length == pytest.approx(value * longest / most, abs=0.05)


def test_the_measured_values_are_those_of_the_evidence(
    browser: Browser, page: Path, proven: list[CardResult]
) -> None:
    browser.open(page)
    for result in proven:
        shown = browser.script(
            f"[...document.getElementById('{result.card.key}').querySelectorAll('.measured')]"
            ".map(bar => Number(bar.dataset.value))"
        )
        measured = {
            float(interval.value)
            for claim in result.claims
            if claim.judgement is not None and claim.judgement.left is not None
            for interval in claim.judgement.left.values
        }
        assert set(shown) <= measured
        assert shown or measured <= {0.0} or max(measured) < 1e-6, result.card.key


def test_the_index_is_narrowed_and_followed_by_keyboard_alone(
    browser: Browser, page: Path, proven: list[CardResult]
) -> None:
    browser.open(page)
    browser.press(Keys.TAB)
    assert browser.focused("class") == "skip"
    browser.press(Keys.TAB)
    assert browser.focused("name") == "language"
    expected = list(proven)
    for name in ("deck", "kind", "verdict"):
        browser.press(Keys.TAB)
        assert browser.focused("name") == name
        browser.press(Keys.ARROW_RIGHT)
        value = browser.focused("value")
        assert value
        expected = [r for r in expected if value in (r.card.deck, r.card.kind, r.verdict)]
        assert browser.visible(".index li") == browser.visible("article") == len(expected)
        assert browser.script("document.getElementById('shown').value") == str(len(expected))
    browser.keep("filtered")
    browser.press(Keys.TAB)
    while browser.focused("href") is None:  # the list scrolls, so it may take the focus itself
        browser.press(Keys.TAB)
    browser.press(Keys.ENTER)
    key = expected[0].card.key
    assert browser.script("decodeURIComponent(location.hash)") == f"#{key}"
    top = browser.script(f"document.getElementById('{key}').getBoundingClientRect().top")
    assert 0 <= top < 900
    assert browser.said() == []


def test_the_language_changes_by_keyboard_and_pictures_follow(browser: Browser, page: Path) -> None:
    browser.open(page)
    browser.press(Keys.TAB, Keys.TAB, Keys.ARROW_LEFT)
    assert browser.script("document.documentElement.lang") == "ja"
    assert browser.chrome.title == "答えの証拠"
    assert browser.visible("div[lang=ja]") > 100
    assert browser.visible("div[lang=en]") == 0
    traffic = browser.chrome.find_element(By.CSS_SELECTOR, "details[open] .traffic")
    browser.chrome.execute_script("arguments[0].scrollIntoView()", traffic)
    assert traffic.accessible_name == "だれがだれに送ったか"
    browser.keep("japanese")


def test_without_script_everything_is_there(browser: Browser, page: Path, tmp_path: Path) -> None:
    whole = page.read_text(encoding="utf-8")
    bare = tmp_path / "bare.html"
    bare.write_text(re.sub("<script>.*</script>", "", whole, flags=re.DOTALL), encoding="utf-8")
    browser.open(bare)
    assert browser.visible("article") == browser.visible(".index li") > 0
    assert browser.visible("#filter") == 0
    browser.press(Keys.TAB, Keys.TAB, Keys.ARROW_LEFT)
    assert browser.visible("div[lang=ja]") > 100
    assert browser.visible("div[lang=en]") == 0


def luminance(colour: str) -> float:
    """WCAG 2.2's relative luminance of `rgb(r, g, b)`."""
    parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return sum(w * p for w, p in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.parametrize("dark", [False, True])
def test_text_can_be_read_in_light_and_in_dark(browser: Browser, page: Path, dark: bool) -> None:
    browser.open(page, dark=dark)
    browser.script("document.querySelector('.claim').scrollIntoView()")
    browser.keep("dark" if dark else "light-claims")

    def colour(selector: str, what: str) -> float:
        return luminance(
            browser.script(f"getComputedStyle(document.querySelector('{selector}')).{what}")
        )

    grounds = [colour("body", "backgroundColor"), colour(".claim", "backgroundColor")]
    assert all((ground < 0.1) is dark for ground in grounds)
    for selector in ("body", ".words", ".lead", ".verdict", ".index a", ".again code"):
        for ground in grounds:
            light, shade = sorted([ground, colour(selector, "color")], reverse=True)
            assert (light + 0.05) / (shade + 0.05) >= 4.5, selector  # WCAG 2.2, 1.4.3 (AA)


@pytest.mark.parametrize("language", ["ja", "en"])
def test_a_phone_never_scrolls_sideways(browser: Browser, page: Path, language: str) -> None:
    browser.open(page, width=360, height=740)
    browser.script(f"document.getElementById('show-{language}').click()")
    browser.script("document.querySelectorAll('details').forEach(d => d.open = true)")
    assert browser.script("document.documentElement.scrollWidth") <= 360
    browser.script("document.querySelector('.gantt').closest('details').scrollIntoView()")
    browser.keep(f"phone-{language}")


def test_it_prints_without_what_is_only_for_a_screen(
    browser: Browser, proven: list[CardResult], tmp_path: Path
) -> None:
    path = tmp_path / "few.html"
    path.write_text(draw(proven[:3], {}, "en", ["quiz"]), encoding="utf-8")
    browser.open(path, dark=True)
    printed = browser.chrome.execute_cdp_cmd("Page.printToPDF", {})
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    (SCREENSHOTS / "print.pdf").write_bytes(base64.b64decode(printed["data"]))
    dark = {"name": "prefers-color-scheme", "value": "dark"}
    browser.chrome.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"media": "print", "features": [dark]}
    )
    assert browser.visible("nav") == browser.visible(".switch") == 0
    assert browser.visible("article") > 0
    assert luminance(browser.script("getComputedStyle(document.body).backgroundColor")) > 0.9


def test_a_hostile_deck_shows_its_text_and_does_nothing(
    browser: Browser, prover: Prover, tmp_path: Path
) -> None:
    deck = parse(HOSTILE.encode(), Path("hostile.yaml")).deck
    assert deck is not None
    results = [prover.prove(card) for card in deck.cards]
    path = tmp_path / "hostile.html"
    path.write_text(draw(results, {deck.id: deck.title}, "en", ["quiz"]), encoding="utf-8")
    browser.open(path)
    browser.keep("hostile")
    assert browser.script("window.taken ?? null") is None
    assert browser.said() == []
    assert browser.requested() == {path.as_uri()}
    assert browser.script("document.querySelectorAll('script, iframe, img, [onload]').length") == 1
    text = browser.script("document.body.innerText")
    for shown in ("</title><script>", "window.taken = 2</script>", '"><svg onload', "<iframe"):
        assert shown in text
