"""Coverage-guided fuzzing of what reads files, of machines and of writers: `make fuzz`."""
