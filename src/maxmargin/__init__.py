"""Support vector machines: exact, certified, fast and visible."""
