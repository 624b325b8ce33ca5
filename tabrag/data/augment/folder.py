"""A data set folder with made-up questions from the tables of another one."""

from __future__ import annotations

import hashlib
import logging
import os
import re
import shutil
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from tqdm import tqdm

from tabrag.data.augment.draft import Draft
from tabrag.data.augment.questions import make_questions
from tabrag.data.card import Card
from tabrag.data.content import table_digest
from tabrag.data.folder import DataFolder, new_folder, refuse_foreign, write_judgements
from tabrag.errors import UserError
from tabrag.files import inside, write_jsonl
from tabrag.types import Cell, GoldHeaders, Qrels, Query

logger = logging.getLogger(__name__)

LISTED = "without_questions.jsonl"


@dataclass
class _Asked:
    """The questions on the tables of one content; ``data_set`` is the part of a pooled folder they are of.

    ``headers`` are the numbers of header rows and columns of each of ``table_ids``, ``asked`` those of the
    table that the questions were made of: cells are headers only where these agree.
    """

    drafts: list[Draft] = field(default_factory=list)
    reason: str = ""
    data_set: str = ""
    asked: tuple[int, int] = (0, 0)
    table_ids: list[str] = field(default_factory=list)
    headers: list[tuple[int, int]] = field(default_factory=list)


def make_folder(
    source: str | Path, out: str | Path, *, per_table: int = 5, seed: int = 0, dev_share: float = 0.1
) -> dict[str, Any]:
    """Write a folder with the tables and pictures of ``source`` and questions made by rules.

    Each table has a random stream of its own: another table in the folder changes no question. Tables of the
    same content (:mod:`tabrag.data.content`) share the questions of the first that gives any, which are
    judged right for all of them, and stand in one split. A text that tables of different content would share
    tells them apart for nobody and is left out. Questions that ``source`` has of its own are left out.

    Args:
        source: A data set folder; it is not changed.
        out: The folder; it stands there only once it is complete. ``without_questions.jsonl`` in it lists the
            tables that got none, with the reason.
        per_table: Most questions a table.
        seed: Same tables and numbers, same questions.
        dev_share: Share of the tables whose questions become the split ``dev``; at least one table where
            there are two and the share is not 0. The others' are ``train``.

    Returns:
        Counts of what was written, of questions by kind, of tables without questions, of texts that were
        left out because tables share them, and of questions of ``source`` that were left out.

    Raises:
        UserError: A number is out of range, one folder lies in the other one, a picture is missing, or no
            table gives a question.
    """
    if per_table < 1:
        raise UserError(f"--per-table {per_table}: give 1 or more")
    if not 0 <= dev_share < 1:
        raise UserError(f"--dev-share {dev_share}: give a share of the tables, 0 or more and below 1")
    folder, out = DataFolder(source), Path(out)
    inner, outer = out.resolve(), folder.path.resolve()
    if inner.is_relative_to(outer) or outer.is_relative_to(inner):
        raise UserError(f"{out} and {folder.path} lie in one another; name another --out")
    refuse_foreign(out)

    listed: list[dict[str, str]] = []
    asked = _ask(folder, per_table=per_table, seed=seed, listed=listed)
    num_shared = _drop_shared(asked, listed)
    kept = {key: value for key, value in asked.items() if value.drafts}
    if not kept:
        first = f", the first one: {listed[0]['reason']}" if listed else ""
        raise UserError(f"{folder.path}: none of its {len(folder.tables)} tables gives a question{first}")
    dev = _dev_tables(list(kept), seed=seed, share=dev_share)

    queries: list[Query] = []
    gold_headers: list[GoldHeaders] = []
    qrels: dict[str, Qrels] = {"train": {}, "dev": {}}
    for key, group in kept.items():
        for position, draft in enumerate(group.drafts, start=1):
            query = _query(draft, f"{group.table_ids[0]}-q{position}", group.data_set)
            queries.append(query)
            qrels["dev" if key in dev else "train"][query.id] = dict.fromkeys(group.table_ids, 1)
            gold_headers += [
                _gold(draft, query.id, table_id)
                for table_id, headers in zip(group.table_ids, group.headers, strict=True)
                if headers == group.asked
            ]

    own = len(folder.queries)
    if own:
        logger.info("%s: its %d questions of its own are left out", folder.path, own)
    with new_folder(out) as temporary:
        shutil.copyfile(folder.path / "corpus.jsonl", temporary / "corpus.jsonl")
        _link_pictures(folder, temporary)
        counts: dict[str, Any] = dict(
            write_judgements(
                temporary,
                len(folder.tables),
                queries=queries,
                qrels=qrels,
                gold_headers=gold_headers,
                card=_card(folder, per_table=per_table, seed=seed),
            )
        )
        if listed:
            write_jsonl(temporary / LISTED, listed)
            logger.info("%d tables got no question; %s names them", len(listed), out / LISTED)
    kinds = Counter(draft.kind for group in kept.values() for draft in group.drafts)
    return {
        "out": str(out),
        "status": "ok",
        **counts,
        "kinds": dict(kinds.most_common()),
        "without_questions": len(listed),
        "shared_texts": num_shared,
        "own_questions_left_out": own,
    }


def _ask(folder: DataFolder, *, per_table: int, seed: int, listed: list[dict[str, str]]) -> dict[str, _Asked]:
    asked: dict[str, _Asked] = {}
    for table in tqdm(
        folder.tables, desc="questions", unit=" tables", mininterval=1.0, total=len(folder.tables)
    ):
        grid, group = table.grid, asked.setdefault(table_digest(table).hex(), _Asked())
        headers = (0, 0) if grid is None else (grid.num_header_rows, grid.num_header_cols)
        if not group.drafts:
            group.drafts, group.reason = make_questions(table, count=per_table, seed=seed)
            group.data_set, group.asked = table.metadata.get("data_set", ""), headers
        group.table_ids.append(table.id)
        group.headers.append(headers)
    without = [group for group in asked.values() if not group.drafts]
    listed += [{"table": table_id, "reason": one.reason} for one in without for table_id in one.table_ids]
    return asked


def _drop_shared(asked: dict[str, _Asked], listed: list[dict[str, str]]) -> int:
    """Drop the texts that several contents have; return how many questions that were."""
    counts = Counter(draft.text.casefold() for group in asked.values() for draft in group.drafts)
    num_dropped = 0
    for group in asked.values():
        kept = [draft for draft in group.drafts if counts[draft.text.casefold()] == 1]
        num_dropped += len(group.drafts) - len(kept)
        if group.drafts and not kept:
            reason = "its questions fit other tables just as well"
            listed += [{"table": table_id, "reason": reason} for table_id in group.table_ids]
        group.drafts = kept
    return num_dropped


def _dev_tables(keys: list[str], *, seed: int, share: float) -> set[str]:
    """The contents whose questions are for dev: each is drawn by itself, so another table moves none."""
    if not share:
        return set()
    drawn = {key: hashlib.sha256(f"tabrag split/{seed}/{key}".encode()).digest() for key in keys}
    limit = int(share * 2**64).to_bytes(8, "big")
    dev = {key for key in keys if drawn[key][:8] < limit}
    order = sorted(keys, key=drawn.__getitem__)
    if len(keys) > 1:
        dev = (dev | {order[0]}) - {order[-1]}
    return dev


def _query(draft: Draft, query_id: str, data_set: str) -> Query:
    return Query(
        id=query_id,
        text=draft.text,
        answers=draft.answers,
        task=draft.task,
        label=draft.label,
        data_set=data_set,
    )


def _gold(draft: Draft, query_id: str, table_id: str) -> GoldHeaders:
    """Header cells proper: the labels of a key column are cells of the body."""
    return GoldHeaders(
        query_id=query_id,
        table_id=table_id,
        top=_distinct(label.cell for line in draft.columns for label in line.labels),
        left=_distinct(label.cell for line in draft.rows if line.is_headed for label in line.labels),
        answer_cells=_distinct(draft.cells),
        formula=draft.formula,
    )


def _distinct(cells: Iterable[Cell]) -> list[Cell]:
    return sorted(set(cells))


def _link_pictures(folder: DataFolder, target: Path) -> None:
    """Put the pictures of the tables into another folder: hard links where the disk allows, else copies."""
    for table in folder.tables:
        if table.image is None:
            continue
        picture, path = folder.image_path(table), inside(target, table.image)
        if path.exists():
            continue
        if not picture.is_file():
            raise UserError(f"table '{table.id}' of {folder.path}: its picture {table.image} is missing")
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            os.link(picture, path)
        except OSError:
            shutil.copyfile(picture, path)


def _card(folder: DataFolder, *, per_table: int, seed: int) -> Card:
    """The card of the tables' folder, with a note on where the questions come from."""
    text = (
        (folder.path / "README.md").read_text(encoding="utf-8")
        if (folder.path / "README.md").is_file()
        else ""
    )
    front: Any = None
    if matched := re.match(r"---\n(.*?)\n---\n", text, flags=re.DOTALL):
        try:
            front = yaml.safe_load(matched[1])
        except yaml.YAMLError:
            logger.warning(
                "%s: its front matter cannot be read; the licence is unknown", folder.path / "README.md"
            )
    front = front if isinstance(front, dict) else {}
    said = dict(re.findall(r"^- (source|citation): (.+)$", text, flags=re.MULTILINE))
    languages = front.get("language") or ["en"]
    return Card(
        name=f"{front.get('pretty_name') or folder.path.resolve().name}, questions made by rules",
        licence=str(front.get("license") or "unknown"),
        citation=said.get("citation", ""),
        url=said.get("source", ""),
        languages=tuple(map(str, languages if isinstance(languages, list) else [languages])),
        note=(
            "The licence, source and citation are those of the tables. The questions were made from headers, "
            f"titles and cells by tabrag.data.augment (up to {per_table} a table, seed {seed}); no person "
            "asked or checked them."
        ),
    )
