import pytest

from docs.site.links import problems


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ('<a href="other.html#there">x</a><img src="a.svg" alt="A line that rises.">', None),
        ('<a href="gone.html">x</a>', "gone.html leads nowhere"),
        ('<a href="other.html#gone">x</a>', "the page has no such place"),
        ('<a href="#gone">x</a>', "the page has no such place"),
        ('<img src="gone.svg" alt="A line that rises.">', "gone.svg leads nowhere"),
        ('<img src="a.svg">', "has no words"),
        ('<p id="a"></p><p id="a"></p>', "'a' is the id of 2 elements"),
        ('<script src="https://elsewhere.org/x.js"></script>', "is loaded from elsewhere"),
        ('<a href="https://elsewhere.org/">x</a>', None),
    ],
)
def test_what_is_wrong_with_a_page(tmp_path, body, words):
    (tmp_path / "other.html").write_text('<p id="there"></p>')
    (tmp_path / "a.svg").write_text("<svg/>")
    (tmp_path / "page.html").write_text(body)
    found = problems(tmp_path)
    assert (words is None) == (found == [])
    assert words is None or words in found[0]
