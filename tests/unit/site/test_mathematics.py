import re

import pytest

from docs.site.mathematics import Glyphs


@pytest.mark.parametrize("display", [False, True])
@pytest.mark.parametrize("latex", ["x^2", r"\text{subject to}", r"\max_w\;\min_i\;z_i", "[-1, 0]"])
def test_every_glyph_used_is_defined_once(latex, display):
    glyphs = Glyphs()
    drawn = glyphs.formula(latex, display=display) + glyphs.formula(latex, display=display)
    defined = re.findall(r'<symbol id="([^"]+)"', glyphs.definitions())
    assert "<symbol" not in drawn
    assert set(re.findall(r'href="#([^"]+)"', drawn)) <= set(defined)
    assert len(defined) == len(set(defined))


def test_a_sign_stands_close_to_its_number():
    def width(latex):
        return float(re.search(r"width:([\d.]+)em", Glyphs().formula(latex, display=False))[1])

    assert width("b = -2") < width("b = 3 - 2") - width("3") + 0.01
    assert width("[-1, 0]") == width("[{-}1, 0]")
    assert width(r"\{-1, +1\}") == width(r"\{{-}1, {+}1\}")


def test_a_formula_can_be_read_aloud():
    assert 'aria-label="a &lt; b"' in Glyphs().formula("a < b", display=False)
