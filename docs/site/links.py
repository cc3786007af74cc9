"""Check the built pages: python -m docs.site.links FOLDER.

No link within the site leads nowhere, no page fetches anything from elsewhere, no name is there
twice on a page, and every picture has words. Links to other sites are not followed.
"""

import sys
from collections import Counter
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

#: What a browser loads by itself, and the attribute that says from where.
LOADED = {"script": "src", "img": "src", "iframe": "src", "source": "src"}
SHEETS = ("stylesheet", "icon", "preload", "modulepreload")


@dataclass
class Parts(HTMLParser):
    """What a page links to, loads and is linked by."""

    links: list[str] = field(default_factory=list)
    loaded: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    silent: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the names, links and resources of an element."""
        given = dict(attrs)
        if name := given.get("id"):
            self.names.append(name)
        if tag == "a" and given.get("href"):
            self.links.append(given["href"] or "")
        # Beside a title that says the same, an empty alt is right.
        if tag == "img" and not given.get("alt") and "_thumb." not in (given.get("src") or ""):
            self.silent.append(given.get("src") or "")
        source = given.get(LOADED.get(tag, ""))
        if tag == "link" and given.get("rel") in SHEETS:
            source = given.get("href")
        if source:
            self.loaded.append(source)


def problems(folder: Path) -> list[str]:
    """Return what is wrong with the pages in a folder, page by page."""
    pages = {
        path: _parts(path) for path in sorted(folder.rglob("*.html")) if not _is_app(path, folder)
    }
    names = {path.resolve(): set(parts.names) for path, parts in pages.items()}
    found = []
    for path, parts in pages.items():
        wrong = [
            f"{name!r} is the id of {n} elements"
            for name, n in Counter(parts.names).items()
            if n > 1
        ]
        wrong += [f"{source} has no words (alt)" for source in parts.silent]
        wrong += [f"{url} is loaded from elsewhere" for url in parts.loaded if _is_remote(url)]
        for url in {*parts.links, *parts.loaded}:
            wrong += _broken(path, url, names)
        found += [f"{path.relative_to(folder)}: {words}" for words in wrong]
    return found


def _is_app(path: Path, folder: Path) -> bool:
    return path.relative_to(folder).parts[0] in ("lab", "_static")


def _parts(path: Path) -> Parts:
    parts = Parts()
    parts.feed(path.read_text(encoding="utf-8"))
    return parts


def _is_remote(url: str) -> bool:
    return bool(urlsplit(url).netloc)


def _broken(path: Path, url: str, names: dict[Path, set[str]]) -> list[str]:
    split = urlsplit(url)
    if split.scheme or split.netloc:
        return []
    target = (path.parent / unquote(split.path)).resolve() if split.path else path.resolve()
    if not target.is_file():
        return [f"{url} leads nowhere"]
    known = names.get(target)
    if split.fragment and known is not None and unquote(split.fragment) not in known:
        return [f"{url}: the page has no such place"]
    return []


def main() -> None:
    """Print what is wrong; exit with 1 if anything is."""
    if len(sys.argv) != 2:
        raise SystemExit("usage: python -m docs.site.links FOLDER")
    found = problems(Path(sys.argv[1]))
    for line in found:
        print(line, file=sys.stderr)
    raise SystemExit(1 if found else 0)


if __name__ == "__main__":
    main()
