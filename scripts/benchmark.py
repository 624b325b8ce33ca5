"""Speed of encoding, training, search, rendering, refining, reranking and growing trees.

scripts/benchmark.py encode    texts of tables, beside sentence-transformers
scripts/benchmark.py train     two towers over questions and headers, beside sentence-transformers
scripts/benchmark.py gradcache memory and time of a large cached batch, beside a small plain one
scripts/benchmark.py search    exact search, beside faiss
scripts/benchmark.py ivf       a large IVF index: memory of its build, recall and time of its search
scripts/benchmark.py render    pictures of tables, by style
scripts/benchmark.py refine    tables of 30 x 10 cells cut down by a header classifier
scripts/benchmark.py rerank    (question, table) pairs scored by a chat model, tables run once or each time
scripts/benchmark.py tree      the summary tree of one document of 10,000 chunks
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tabrag.config import guard


def parser() -> argparse.ArgumentParser:
    """The command line: one subcommand a measurement."""
    top = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = top.add_subparsers(dest="command", required=True)
    encode = commands.add_parser("encode", help="texts a second, beside sentence-transformers")
    encode.add_argument("--backbone", default="offline:minilm", help="folder, hub id or offline:NAME")
    encode.add_argument("--dtype", default="float32", help="float32 (default) or bfloat16, of our side")
    encode.add_argument("--peer-dtype", default="float32", help="that of sentence-transformers")
    render = commands.add_parser("render", help="tables a second, by style")
    for command in (encode, render):
        command.add_argument("--data", help="data set folder; a synthetic corpus where it is left out")
        command.add_argument("--limit", type=int, default=1000, help="tables (default 1000)")
    train = commands.add_parser("train", help="examples a second, beside sentence-transformers")
    train.add_argument("--batch-size", type=int, default=32)
    train.add_argument("--chunk-size", type=int, default=8, help="of our side's second run (default 8)")
    train.add_argument("--steps", type=int, default=8, help="measured steps a round (default 8)")
    train.add_argument("--repeats", type=int, default=2, help="rounds; the best counts (default 2)")
    gradcache = commands.add_parser("gradcache", help="a large cached batch beside a small plain one")
    gradcache.add_argument("--batch-size", type=int, default=1024)
    gradcache.add_argument("--chunk-size", type=int, default=32)
    gradcache.add_argument("--plain-batch-size", type=int, default=32)
    gradcache.add_argument("--steps", type=int, default=1, help="cached steps (default 1)")
    gradcache.add_argument("--plain-steps", type=int, default=8, help="timed plain steps (default 8)")
    for command, tables in ((train, 300), (gradcache, 2000)):
        command.add_argument("--backbone", default="offline:minilm", help="folder, hub id or offline:NAME")
        command.add_argument("--data", help="data set folder; a synthetic corpus where it is left out")
        command.add_argument("--query-length", type=int, default=64, help="most tokens of a question")
        command.add_argument("--item-length", type=int, default=192, help="most tokens of a header text")
        command.add_argument("--tables", type=int, default=tables, help="of the synthetic corpus")
    search = commands.add_parser("search", help="exact search beside faiss flat")
    search.add_argument("--num-vectors", type=int, default=50_000, help="default 50000")
    search.add_argument("--dim", type=int, default=768, help="default 768")
    search.add_argument("--num-queries", type=int, default=1_000, help="in one call (default 1000)")
    search.add_argument("-k", type=int, default=10, help="results of a query (default 10)")
    search.add_argument("--repeats", type=int, default=5, help="rounds of each side; the best counts")
    ivf = commands.add_parser("ivf", help="build and search of a large IVF index, on one thread")
    ivf.add_argument("--num-vectors", type=int, help="that are made (default 1000000)")
    ivf.add_argument("--dim", type=int, help="of made vectors (default 384)")
    ivf.add_argument("--num-queries", type=int, default=200, help="searched one by one (default 200)")
    ivf.add_argument("-k", type=int, default=10, help="neighbours of a query (default 10)")
    ivf.add_argument("--vectors", help=".npy file of float32 vectors, in place of made ones")
    refine = commands.add_parser("refine", help="tables of 30 x 10 cells a second")
    refine.add_argument("--checkpoint", required=True, help="header classifier, folder or hub id")
    refine.add_argument(
        "--data", required=True, help="data set folder with tables of that size and questions"
    )
    refine.add_argument("--num-pairs", type=int, default=1000, help="(question, table) pairs (default 1000)")
    refine.add_argument("--repeats", type=int, default=3, help="rounds; the best counts (default 3)")
    refine.add_argument("--dtype", default="auto", help="of the header classifier: float32, bfloat16, ...")
    rerank = commands.add_parser("rerank", help="pairs that a chat model scores a second")
    rerank.add_argument("--model", default="offline:smollm2", help="text model: folder, hub id, offline:NAME")
    rerank.add_argument("--num-tables", type=int, default=300, help="of the synthetic pool (default 300)")
    rerank.add_argument("--num-questions", type=int, default=200, help="default 200")
    rerank.add_argument("--num-candidates", type=int, default=10, help="tables a question (default 10)")
    rerank.add_argument("--split", default="dev", help="whose questions: train, dev (default), test, all")
    rerank.add_argument("--rounds", type=int, default=3, help="samples measured (default 3)")
    rerank.add_argument("--num-tables-a-round", type=int, default=8, help="of a sample (default 8)")
    rerank.add_argument("--max-length", type=int, default=1024, help="tokens of a prompt (default 1024)")
    rerank.add_argument("--prefix-cache-mb", type=int, default=512, help="default 512")
    rerank.add_argument("--device", default="cpu", help="cpu (default), cuda or cuda:N")
    tree = commands.add_parser("tree", help="the summary tree of one very long document")
    tree.add_argument("--data", required=True, help="data set folder whose documents are put together")
    tree.add_argument("--checkpoint", default="offline:minilm", help="folder, hub id or offline:NAME")
    tree.add_argument("--num-chunks", type=int, default=10_000, help="leaves (default 10000)")
    tree.add_argument("--dtype", default="float32", help="float32 (default) or bfloat16")
    tree.add_argument("--seed", type=int, default=224, help="default 224")
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
            repeats=arguments.repeats,
        )
    if arguments.command == "ivf":
        from tabrag.benchmark.ivf import measure_ivf

        return measure_ivf(**{key: value for key, value in vars(arguments).items() if key != "command"})
    if arguments.command == "rerank":
        from tabrag.benchmark.rerank import compare_reranking

        return compare_reranking(**{key: value for key, value in vars(arguments).items() if key != "command"})
    if arguments.command == "tree":
        from tabrag.benchmark.tree import measure_tree

        return measure_tree(**{key: value for key, value in vars(arguments).items() if key != "command"})
    if arguments.command == "refine":
        from tabrag.benchmark.refine import measure_refining
        from tabrag.data.folder import DataFolder

        folder = DataFolder(arguments.data)
        return measure_refining(
            folder.tables,
            [query.text for query in folder.queries.values()],
            checkpoint=arguments.checkpoint,
            num_pairs=arguments.num_pairs,
            repeats=arguments.repeats,
            dtype=arguments.dtype,
        )
    if arguments.command in ("train", "gradcache"):
        with _folder(arguments.data, arguments.tables) as folder:
            return _train(arguments, folder)
    tables = _tables(arguments.data, arguments.limit)
    if arguments.command == "render":
        from tabrag.benchmark.render import measure_rendering

        return measure_rendering(tables)
    from tabrag.benchmark.encode import compare_encoding
    from tabrag.models.config import EmbedderConfig
    from tabrag.models.embedder import Embedder
    from tabrag.tables.text import headers_text

    embedder = Embedder.from_config(EmbedderConfig(backbone=arguments.backbone)).eval()
    return compare_encoding(
        embedder,
        [headers_text(table) for table in tables],
        dtype=arguments.dtype,
        peer_dtype=arguments.peer_dtype,
    )


def _train(arguments: argparse.Namespace, folder: Path) -> dict[str, Any]:
    common = {
        "backbone": arguments.backbone,
        "batch_size": arguments.batch_size,
        "chunk_size": arguments.chunk_size,
        "num_steps": arguments.steps,
        "query_length": arguments.query_length,
        "item_length": arguments.item_length,
    }
    if arguments.command == "train":
        from tabrag.benchmark.train import compare_training

        return compare_training(folder, repeats=arguments.repeats, **common)
    from tabrag.benchmark.gradcache import compare_gradcache

    return compare_gradcache(
        folder,
        plain_batch_size=arguments.plain_batch_size,
        num_plain_steps=arguments.plain_steps,
        **common,
    )


@contextmanager
def _folder(folder: str | None, num_tables: int) -> Iterator[Path]:
    """The data set folder, or a synthetic one for the block."""
    if folder is not None:
        from tabrag.data.folder import DataFolder

        yield DataFolder(folder).path
        return
    from tabrag.data.prepare import prepare
    from tabrag.data.synthetic import make

    with tempfile.TemporaryDirectory() as temporary:
        prepare(make(num_tables, 0), Path(temporary) / "data")
        yield Path(temporary) / "data"


def _tables(folder: str | None, limit: int) -> list[Any]:
    from itertools import islice

    if folder is None:
        from tabrag.data.synthetic import make

        return list(islice(make(max(20, limit), 0).tables, limit))
    from tabrag.data.folder import DataFolder

    return list(islice(DataFolder(folder).tables, limit))


if __name__ == "__main__":
    guard(lambda: run(parser().parse_args()))
