"""Speed of encoding, search and rendering.

scripts/benchmark.py encode    texts of tables, beside sentence-transformers
scripts/benchmark.py search    exact search, beside faiss
scripts/benchmark.py render    pictures of tables, by style
"""

from __future__ import annotations

import argparse
from typing import Any

from tabrag.config import guard


def parser() -> argparse.ArgumentParser:
    """The command line: one subcommand a measurement."""
    top = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = top.add_subparsers(dest="command", required=True)
    encode = commands.add_parser("encode", help="texts a second, beside sentence-transformers")
    encode.add_argument("--backbone", default="offline:minilm", help="folder, hub id or offline:NAME")
    encode.add_argument("--dtype", default="float32", help="float32 (default) or bfloat16, of our side")
    render = commands.add_parser("render", help="tables a second, by style")
    for command in (encode, render):
        command.add_argument("--data", help="data set folder; a synthetic corpus where it is left out")
        command.add_argument("--limit", type=int, default=1000, help="tables (default 1000)")
    search = commands.add_parser("search", help="exact search beside faiss flat")
    search.add_argument("--num-vectors", type=int, default=50_000)
    search.add_argument("--dim", type=int, default=768)
    search.add_argument("--num-queries", type=int, default=1_000)
    search.add_argument("-k", type=int, default=10)
    return top


def run(arguments: argparse.Namespace) -> dict[str, Any]:
    """Measure what the command line names."""
    if arguments.command == "search":
        from tabrag.benchmark.search import compare_search

        return compare_search(
            num_vectors=arguments.num_vectors,
            dim=arguments.dim,
            num_queries=arguments.num_queries,
            k=arguments.k,
        )
    tables = _tables(arguments.data, arguments.limit)
    if arguments.command == "render":
        from tabrag.benchmark.render import measure_rendering

        return measure_rendering(tables)
    from tabrag.benchmark.encode import compare_encoding
    from tabrag.models.config import EmbedderConfig
    from tabrag.models.embedder import Embedder
    from tabrag.tables.text import headers_text

    embedder = Embedder.from_config(EmbedderConfig(backbone=arguments.backbone)).eval()
    return compare_encoding(embedder, [headers_text(table) for table in tables], dtype=arguments.dtype)


def _tables(folder: str | None, limit: int) -> list[Any]:
    from itertools import islice

    if folder is None:
        from tabrag.data.synthetic import make

        return list(islice(make(max(20, limit), 0).tables, limit))
    from tabrag.data.folder import DataFolder

    return list(islice(DataFolder(folder).tables, limit))


if __name__ == "__main__":
    guard(lambda: run(parser().parse_args()))
