"""What does the picture add? One trained retriever over pictures, with parts of its input taken away.

| variant | what the items' tower sees |
|---|---|
| ``full`` | what it was trained on |
| ``blank_picture`` | the words and boxes, and the same white square for every table |
| ``zeroed_boxes`` | the picture and the words, every box (0, 0, 0, 0) |
| ``pixels_only`` | the picture without words |
| ``shuffled_words`` | the picture and the boxes, the words' texts dealt to the boxes in a random order |
| ``ocr_words`` | the picture, and the words that OCR reads from it in place of the printed ones |

Options of the representation ``image`` make the variants (see :mod:`tabrag.representations.image`); each is
indexed, searched and evaluated by the code of ``infer/`` and ``scripts/evaluate.py``. Queries and weights
stay as they are: nothing is trained again, so a variant shows what the trained model relies on.
"""

from __future__ import annotations

import dataclasses
import importlib.util
import logging
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tabrag.data.folder import DataFolder
from tabrag.data.records import query_to_record
from tabrag.errors import UserError
from tabrag.evaluation.comparison import compare, cut_offs
from tabrag.evaluation.comparison_table import show
from tabrag.evaluation.ranking import evaluate
from tabrag.evaluation.runs import read_run
from tabrag.files import read_json, sha256_file, write_json, write_jsonl
from tabrag.index.config import EncodeConfig, RetrieveConfig
from tabrag.index.fingerprint import fingerprint
from tabrag.index.rows import item_hashes, read_rows
from tabrag.inference.index_job import index_folder
from tabrag.inference.retrieve_job import retrieve_queries
from tabrag.inference.sample import Sample, sample
from tabrag.representations import RepresentationConfig

if TYPE_CHECKING:
    from tabrag.models.config import EmbedderConfig

logger = logging.getLogger(__name__)

VARIANTS: dict[str, dict[str, str]] = {
    "full": {},
    "blank_picture": {"picture": "blank"},
    "zeroed_boxes": {"boxes": "zeroed"},
    "pixels_only": {"words": "none"},
    "shuffled_words": {"words": "shuffled"},
    "ocr_words": {"words": "ocr"},
}
"""Options of the representation by variant."""

FIGURES = ("Hit@1", "Hit@10", "MRR@10")
_DEPTH = 50


def ablate(
    checkpoint: str,
    data: str | Path,
    out: str | Path,
    *,
    split: str = "dev",
    variants: Sequence[str] | None = None,
    limit: int | None = None,
    figures: Sequence[str] = FIGURES,
    ocr_folder: str | Path | None = None,
    encoding: EncodeConfig | None = None,
) -> dict[str, Any]:
    """Index, search and evaluate each variant; a table goes to standard error.

    ``OUT/VARIANT/`` keeps ``index/``, ``run.jsonl`` and ``figures.json``. A variant whose figures stand there
    for the same weights, data and settings is not made again; pictures are taken for the same where the
    records of their tables are. ``OUT/ablation.json`` and ``OUT/ablation.md`` hold the outcome.

    Args:
        checkpoint: The retriever, folder or hub id.
        data: Data set folder.
        out: Folder for all that is made.
        split: Whose queries.
        variants: Names of :data:`VARIANTS`; all where None. ``full`` is always among them.
        limit: Tables of the pool; see :func:`tabrag.inference.sample.sample`.
        figures: See :func:`tabrag.evaluation.comparison.compare`.
        ocr_folder: Where words that OCR read are kept; ``OUT/ocr`` where None.
        encoding: How entries and queries are embedded.

    Returns:
        What :func:`tabrag.evaluation.comparison.compare` gives for the variants as runs, with ``full`` as the
        baseline; ``split``, ``items`` and ``queries``; ``variants``: name to ``representation`` (its
        options), ``changed_items`` (tables whose entry differs from that of ``full``) and ``new`` (whether
        it was made by this call); ``left_out``: variants that the checkpoint cannot take, name to reason.

    Raises:
        UserError: An unknown variant or split, or what indexing, search and evaluation refuse.
    """
    from tabrag.models.retriever import Retriever

    unknown = [name for name in variants or () if name not in VARIANTS]
    if unknown:
        raise UserError(f"variant '{unknown[0]}' is unknown: use {', '.join(VARIANTS)}")
    chosen = [name for name in VARIANTS if variants is None or name == "full" or name in variants]
    out, folder, encoding = Path(out), DataFolder(data), encoding or EncodeConfig()
    part = sample(folder, split, limit=limit)
    retriever = Retriever.from_pretrained(checkpoint)
    reasons = {name: why_not(name, retriever.item.config, retriever.representation) for name in chosen}
    left_out = {name: reason for name, reason in reasons.items() if reason is not None}
    settings = {
        "encoder": fingerprint(retriever),
        "data": _digests(folder, split),
        "split": split,
        "limit": limit,
        "k": max(_DEPTH, *cut_offs(figures)),
        "dtype": encoding.dtype,
    }
    representation = retriever.representation
    del retriever
    write_jsonl(out / "queries.jsonl", map(query_to_record, part.queries))
    done: dict[str, dict[str, Any]] = {}
    for name in chosen:
        if name not in left_out:
            variant = _with_options(representation, VARIANTS[name], Path(ocr_folder or out / "ocr"))
            job = _Variant(name, out, folder, part, variant, settings)
            done[name] = job.run(checkpoint, encoding)
    comparison = compare(
        {name: read_run(out / name / "run.jsonl") for name in done},
        part.qrels,
        data_sets={query.id: query.data_set for query in part.queries},
        figures=figures,
        baseline="full",
    )
    result = {
        "split": split,
        "items": len(part.item_ids),
        "queries": len(part.queries),
        "variants": done,
        "left_out": left_out,
        **comparison,
    }
    write_json(out / "ablation.json", result)
    notes = {f"{name} is left out": reason for name, reason in left_out.items()}
    notes["pool"] = f"{len(part.item_ids)} tables"
    show(comparison, title=f"{checkpoint}, {split}", notes=notes, table=out / "ablation.md")
    return result


def why_not(name: str, item: EmbedderConfig, representation: RepresentationConfig) -> str | None:
    """Why a checkpoint cannot take a variant; None where it can."""
    if name == "full":
        return None
    if representation.name != "image":
        return f"the checkpoint searches '{representation.name}', not pictures"
    sees_picture = item.inputs == "image" or (item.inputs == "layoutlmv3" and item.pixels)
    reads_words = item.inputs == "layoutlmv3" and item.max_length > 0
    if name in ("blank_picture", "pixels_only") and not sees_picture:
        return "the checkpoint does not look at the picture"
    if name != "blank_picture" and not reads_words:
        return "the checkpoint reads no words"
    if name == "ocr_words" and importlib.util.find_spec("rapidocr") is None:
        return "no OCR is installed: pip install 'tabrag[ocr]'"
    return None


def _with_options(
    representation: RepresentationConfig, options: dict[str, str], ocr_folder: Path
) -> RepresentationConfig:
    """The checkpoint's representation with the options of a variant in place of its own."""
    extra = {"ocr_folder": str(ocr_folder)} if options.get("words") == "ocr" else {}
    return RepresentationConfig(
        name=representation.name, options={**representation.options, **options, **extra}
    )


def _digests(folder: DataFolder, split: str) -> dict[str, str]:
    names = ("corpus.jsonl", "queries.jsonl", f"qrels/{split}.tsv")
    return {name: sha256_file(folder.path / name) for name in names}


@dataclasses.dataclass
class _Variant:
    """One variant and its place on disk."""

    name: str
    out: Path
    folder: DataFolder
    part: Sample
    representation: RepresentationConfig
    settings: dict[str, Any]

    def run(self, checkpoint: str, encoding: EncodeConfig) -> dict[str, Any]:
        """Make the variant unless it stands; what ``ablate`` says about it."""
        path = self.out / self.name
        settings = {**self.settings, "representation": dataclasses.asdict(self.representation)}
        kept = read_json(path / "figures.json") if self._stands() else {}
        if kept.get("settings") == settings:
            logger.info("%s: stands already", path)
            return self._about(kept["changed_items"], new=False)
        logger.info("%s: %s", path, self.representation.options or "as trained")
        (path / "figures.json").unlink(missing_ok=True)
        if self.representation.options.get("words") == "ocr":
            self._read_pictures()
        index_folder(
            self.folder.path,
            path / "index",
            checkpoint=checkpoint,
            representation=self.representation,
            encoding=encoding,
            items=self.part.item_ids,
        )
        retrieve_queries(
            RetrieveConfig(
                indexes=[str(path / "index")], checkpoint=checkpoint, k=settings["k"], encoding=encoding
            ),
            queries=self.out / "queries.jsonl",
            out=path / "run.jsonl",
            force=True,  # what stands there was made under other settings
        )
        changed = self._num_changed()
        if not changed and self.name != "full":
            logger.warning("%s: no entry differs from those of 'full': the variant shows nothing", path)
        figures = evaluate(read_run(path / "run.jsonl"), self.part.qrels)
        write_json(
            path / "figures.json", {"settings": settings, "changed_items": changed, "figures": figures}
        )
        return self._about(changed, new=True)

    def _stands(self) -> bool:
        needed = ("figures.json", "run.jsonl", "index/manifest.json")
        return all((self.out / self.name / name).is_file() for name in needed)

    def _about(self, changed: int, *, new: bool) -> dict[str, Any]:
        return {"representation": self.representation.options, "changed_items": changed, "new": new}

    def _read_pictures(self) -> None:
        """Let OCR read what it has not read yet: seconds a picture on a CPU."""
        from tqdm import tqdm

        from tabrag.tables.ocr_cache import read_words_once

        for item_id in tqdm(self.part.item_ids, desc="ocr"):
            table = self.folder.tables[item_id]
            read_words_once(self.folder.image_path(table), self.representation.options["ocr_folder"])

    def _num_changed(self) -> int:
        full, own = (item_hashes(read_rows(self.out / name / "index")) for name in ("full", self.name))
        return sum(own[item_id] != full[item_id] for item_id in own)
