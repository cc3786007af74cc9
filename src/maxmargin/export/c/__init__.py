"""A model or a pipeline as a C file."""
