"""Pages in a real browser: nothing is fetched, nothing complains, nothing sticks out."""

import numpy as np
import pytest

from browser import Browser


@pytest.fixture(scope="module")
def browser():
    browser = Browser()
    yield browser
    browser.close()


@pytest.mark.parametrize(("width", "dark"), [(360, False), (1280, True)])
def test_a_page_opens(browser, page, tmp_path, width, dark):
    path = tmp_path / "page.html"
    path.write_text(page)
    browser.open(path, width, dark=dark)
    assert browser.complaints() == []
    outside = [url for url in browser.requests() if not url.startswith("data:")]
    assert outside == [path.as_uri()]
    assert browser.ask("document.documentElement.scrollWidth") <= width
    # Every picture has a size, and texts in it that can be read.
    heights = browser.ask("[...document.querySelectorAll('figure svg')].map(e => e.clientHeight)")
    assert heights
    assert min(heights) > 100
    box = "const b = e.getBoundingClientRect(); return [Math.min(b.width, b.height)]"
    own = f"e => {{ if (e.querySelector('tspan')) return []; {box} }}"  # but for exponents
    sizes = browser.ask(f"[...document.querySelectorAll('figure svg text')].flatMap({own})")
    assert np.median(sizes) >= 9
    background = browser.ask("getComputedStyle(document.body).backgroundColor")
    assert background == ("rgb(15, 17, 19)" if dark else "rgb(246, 246, 243)")


def test_a_page_is_printed_light(browser, pages, tmp_path):
    path = tmp_path / "page.html"
    path.write_text(pages["two classes"])
    browser.open(path, 1280, dark=True)
    browser.send("Emulation.setEmulatedMedia", media="print")
    assert browser.ask("getComputedStyle(document.body).color") == "rgb(34, 34, 34)"
    assert browser.pdf().startswith(b"%PDF")
