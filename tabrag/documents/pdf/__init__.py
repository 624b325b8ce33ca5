"""PDF files: words, lines and pictures of their pages; documents out of them."""
