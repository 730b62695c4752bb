"""The command line's own files for the benchmark."""
