"""Contestants side by side on the same problems, timed alone and judged alike."""
