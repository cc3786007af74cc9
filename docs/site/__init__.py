"""The lectures as pages: read a source, run it, show what it said and drew."""
