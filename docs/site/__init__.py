"""What Sphinx needs beside its extensions to build these pages (docs/design/documentation.md)."""
