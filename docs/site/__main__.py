"""Render the lectures: python -m docs.site FOLDER."""

import sys
from pathlib import Path

from docs.site.page import Page

SOURCES = Path(__file__).parents[1] / "lectures"


def main() -> None:
    """Run every source and write its page."""
    if len(sys.argv) != 2:
        raise SystemExit("usage: python -m docs.site FOLDER")
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    paths = sorted(SOURCES.glob("*.py"), key=lambda path: (path.stem != "index", path.stem))
    pages = [Page.of(path) for path in paths]
    for page in pages:
        (folder / f"{page.name}.html").write_text(page.html(pages), encoding="utf-8")
        print(f"{folder / page.name}.html: {page.n_claims} claims hold")


if __name__ == "__main__":
    main()
