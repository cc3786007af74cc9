"""Check that pages are valid HTML: python -m docs.site.validity FOLDER.

Of the API's many pages, which one template makes, every tenth is read.
"""

import sys
from pathlib import Path

import html5lib


def errors(text: str) -> list[str]:
    """Return what an HTML parser finds wrong, with lines.

    >>> errors("<!doctype html><title>x</title><p>a</div>")
    ['line 1: unexpected-end-tag div']
    """
    parser = html5lib.HTMLParser()
    parser.parse(text)
    return [
        f"line {line}: {code} {data.get('name', '')}".strip()
        for (line, _), code, data in parser.errors
    ]


def main() -> None:
    """Print what is wrong; exit with 1 if anything is."""
    if len(sys.argv) != 2:
        raise SystemExit("usage: python -m docs.site.validity FOLDER")
    folder = Path(sys.argv[1])
    pages = [
        path for path in sorted(folder.rglob("*.html")) if not {"lab", "_static"} & {*path.parts}
    ]
    generated = [path for path in pages if "generated" in path.parts]
    read = [path for path in pages if path not in generated] + generated[::10]
    found = [
        f"{path.relative_to(folder)}: {error}"
        for path in read
        for error in errors(path.read_text(encoding="utf-8"))
    ]
    for line in found:
        print(line, file=sys.stderr)
    print(f"{len(read)} pages: {len(found)} errors of HTML")
    raise SystemExit(1 if found else 0)


if __name__ == "__main__":
    main()
