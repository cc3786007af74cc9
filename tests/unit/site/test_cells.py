import pytest

from docs.site.cells import read
from docs.site.execution import execute
from docs.site.page import Page

SOURCE = """# %% [markdown]
# # Title: more
#
# ## Part | Course: 1
#
# A formula $x^2$.

# %%
x = 3
print(x < 4)
assert x == 3

# %% [markdown] tags=["solution"]
# Because.

# %% tags=["solution"]
# Figure: The square $x^2$, and
# nothing else.
# Alt: A parabola that opens upwards, with its vertex at zero.
from matplotlib import pyplot

pyplot.plot([-1, 0, 1], [1, 0, 1])
answer = x**2
assert answer == 9
"""


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "1_lecture.py"
    path.write_text(SOURCE)
    return path


def test_cells_in_order(source):
    cells = read(source)
    assert [cell.is_prose for cell in cells] == [True, False, True, False]
    assert [cell.is_solution for cell in cells] == [False, False, True, True]
    assert cells[0].text.splitlines()[0] == "# Title: more"
    assert cells[1].text == "x = 3\nprint(x < 4)\nassert x == 3"
    (caption,) = cells[3].captions
    assert caption.words == "The square $x^2$, and nothing else."
    assert caption.alt.startswith("A parabola")
    assert cells[3].text.startswith("from matplotlib")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = 1\n", "must begin with a cell"),
        ("# %% [code]\n", "a cell begins with"),
        ("# %% [markdown]\nx = 1\n", "code in a cell of prose"),
        ("# %%\n# Figure: a\n# Figure: b\n# Alt: c\n", "must be followed by one '# Alt:'"),
    ],
)
def test_what_is_no_source(tmp_path, text, message):
    path = tmp_path / "bad.py"
    path.write_text(text)
    with pytest.raises(ValueError, match=message):
        read(path)


def test_a_claim_that_fails_names_its_line(source):
    source.write_text(SOURCE.replace("x == 3", "x == 4"))
    with pytest.raises(AssertionError) as failure:
        execute(source, read(source))
    assert failure.traceback[-1].lineno + 1 == 11


def test_a_page(source, tmp_path):
    page = Page.of(source)
    assert page.n_claims == 2
    page.store(tmp_path / "kept.json")
    assert Page.stored(source, tmp_path / "kept.json") == page
    text = page.markdown("figures")
    assert "## Part\n\n{.source}\nCourse: 1\n" in text
    assert "````{code-block} text\n:class: printed\n\nTrue\n````" in text
    assert text.count('<details class="solution">') == 1
    assert text.count('<details class="code">') == 2
    assert text.count("1 claim holds: show the check") == 2
    assert '<form class="answer" data-answer="9.0" data-within="0" hidden>' in text
    assert "{figure} figures/1.svg\n:alt: A parabola that opens upwards, with its" in text
    assert "**Figure 1.** The square $x^2$, and nothing else." in text


def test_a_figure_without_a_caption(source):
    source.write_text(SOURCE.replace("# Figure: The", "# The"))
    with pytest.raises(ValueError, match="1 figures and 0 captions"):
        Page.of(source)
