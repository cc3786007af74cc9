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
assert x**2 == 9
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


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = 1\n", "must begin with a cell"),
        ("# %% [code]\n", "a cell begins with"),
        ("# %% [markdown]\nx = 1\n", "code in a cell of prose"),
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


def test_a_page(source):
    page = Page.of(source)
    assert (page.title, page.n_claims) == ("Title: more", 2)
    assert [(heading.level, heading.name) for heading in page.headings] == [(2, "part")]
    assert '<p class="source">Course: 1</p>' in page.body
    assert '<pre class="printed">True\n</pre>' in page.body
    assert page.body.count("<details>") == 1
    assert 'aria-label="x^2"' in page.body
    assert ">Title</a>" in page.html([page])


def test_two_headings_of_one_name(source):
    source.write_text(SOURCE.replace("# Because.", "# ## Part"))
    with pytest.raises(ValueError, match="two headings are called 'Part'"):
        Page.of(source)
