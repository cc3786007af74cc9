"""Render the lectures: python -m docs.site FOLDER."""

import sys
from pathlib import Path

from docs.site.page import Page

SOURCES = Path(__file__).parents[1] / "lectures"
#: In the order of reading; the numbered ones stand between.
FIRST, LAST = ("index", "path"), ("dual", "practice", "errata")


def sources() -> list[Path]:
    """Return the sources, in the order of reading."""
    numbered = sorted(path.stem for path in SOURCES.glob("[0-9]*.py"))
    return [SOURCES / f"{stem}.py" for stem in (*FIRST, *numbered, *LAST)]


def main() -> None:
    """Run every source; write its page and its notebook."""
    if len(sys.argv) != 2:
        raise SystemExit("usage: python -m docs.site FOLDER")
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    pages = [Page.of(path) for path in sources()]
    for page in pages:
        (folder / f"{page.name}.html").write_text(page.html(pages), encoding="utf-8")
        (folder / f"{page.name}.ipynb").write_text(page.notebook, encoding="utf-8")
        print(f"{folder / page.name}.html: {page.n_claims} claims hold")


if __name__ == "__main__":
    main()
