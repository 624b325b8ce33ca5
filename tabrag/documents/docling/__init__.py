"""Documents that Docling converted: its JSON (``DoclingDocument``), and its program."""
