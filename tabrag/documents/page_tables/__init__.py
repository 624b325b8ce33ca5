"""Tables on one page, from its words, lines and shaded areas."""

from tabrag.documents.page_tables.find import find_tables as find_tables
