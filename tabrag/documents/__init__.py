"""Documents: files into blocks, tables and pictures; their text with placeholders; chunks."""
