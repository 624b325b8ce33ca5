"""The training queries of a data set folder: what is relevant to each, and what is easily taken for it."""

from __future__ import annotations

import logging
from pathlib import Path

from tabrag import distributed
from tabrag.data.config import PairsConfig
from tabrag.data.content import content_digest
from tabrag.data.folder import DataFolder
from tabrag.data.sampling import set_shares
from tabrag.errors import UserError
from tabrag.evaluation.ranking import check_qrels
from tabrag.evaluation.runs import read_run
from tabrag.files import sha256_json

logger = logging.getLogger(__name__)


class TrainingPairs:
    """The training queries of a folder with item numbers instead of ids.

    Queries without a relevant item are left out. Tables of the same content (titles and cell texts) are never
    negatives of each other's queries.

    Attributes:
        item_ids: The corpus's ids by item number.
        query_ids: Ids of the training queries, in the order of the judgements.
        texts: Their texts.
        positives: Item numbers relevant to each.
        relevant: The same and, behind them, those relevant to another training query of the same text: none
            of these is a negative.
        max_relevant: Most of them.
        negatives: Item numbers that are easily taken for a relevant one, best first; none of a positive's
            content.
        neighbours: Item -> items with training queries that resemble it.
        set_names: The data sets that the queries come from, by name.
        sets: Number of each query's data set in ``set_names``.
    """

    def __init__(self, config: PairsConfig, *, num_neighbours: int = 0, mix_temperature: float = 1.0) -> None:
        """Read the folder and the run of negatives.

        Args:
            config: Where they are.
            num_neighbours: See :class:`tabrag.data.config.TrainingDataConfig`.
            mix_temperature: See there.

        Raises:
            UserError: A split has no query with a relevant item, a query has no text, or the run does not fit
                the folder.
        """
        self.config = config
        self.mix_temperature = mix_temperature
        self.folder = DataFolder(config.folder)
        self.item_ids: list[str] = list(self.folder.items.ids)
        number = {item_id: row for row, item_id in enumerate(self.item_ids)}
        queries = self.folder.queries
        self.query_ids: list[str] = []
        self.texts: list[str] = []
        self.positives: list[list[int]] = []
        qrels = self.folder.qrels(config.split)
        for split in filter(None, (config.split, config.dev_split)):
            check_qrels(self.folder.qrels(split), query_ids=queries, item_ids=number)
            if not any(
                grade > 0 for grades in self.folder.qrels(split).values() for grade in grades.values()
            ):
                raise UserError(f"{config.folder}: split '{split}' has no query with a relevant item")
        for query_id, grades in qrels.items():
            relevant = [number[item_id] for item_id, grade in grades.items() if grade > 0]
            if relevant:
                self.query_ids.append(query_id)
                self.texts.append(queries[query_id].text)
                self.positives.append(relevant)
        if without_text := [query_id for query_id in self.query_ids if not queries[query_id].text.strip()]:
            raise UserError(
                f"{config.folder}: {len(without_text)} training queries have no text, the first is "
                f"'{without_text[0]}': remove them"
            )
        self.relevant = self._relevant_by_text()
        self.max_relevant = max(map(len, self.relevant))
        self._contents: dict[int, bytes] = {}
        self.negatives: list[list[int]] = [[] for _ in self.query_ids]
        if config.negatives:
            self._read_negatives(Path(config.negatives), number)
        elif config.num_negatives or num_neighbours:
            raise UserError("data.num_negatives and data.num_neighbours need a run in data.negatives")
        self.neighbours = self._neighbours() if num_neighbours else {}
        self._first = self._first_of_content()
        self.set_names = sorted({queries[query_id].data_set for query_id in self.query_ids})
        names = {name: set_ for set_, name in enumerate(self.set_names)}
        self.sets = [names[queries[query_id].data_set] for query_id in self.query_ids]
        self._log_mix()

    def __len__(self) -> int:
        return len(self.query_ids)

    def digest(self) -> str:
        """12 hex digits that change with the queries, what is relevant to them, and their candidates."""
        facts = [self.item_ids, self.query_ids, self.texts, self.positives, self.negatives]
        several = [self.sets] if len(self.set_names) > 1 else []
        return sha256_json(facts + several)[:12]

    def _log_mix(self) -> None:
        if len(self.set_names) == 1 or not distributed.is_main():
            return
        sizes = [self.sets.count(set_) for set_ in range(len(self.set_names))]
        shares = set_shares(sizes, temperature=self.mix_temperature)
        logger.info(
            "data sets: %s",
            ", ".join(
                f"{name or 'unnamed'} {size} queries, {share:.1%} of an epoch"
                for name, size, share in zip(self.set_names, sizes, shares, strict=True)
            ),
        )

    def content_number(self, item: int) -> int:
        """The number that an item shares with those of the same content: two with one number are the same
        table.
        """
        return self._first.get(item, item)

    def _relevant_by_text(self) -> list[list[int]]:
        keys = [" ".join(text.casefold().split()) for text in self.texts]
        of_text: dict[str, list[int]] = {}
        for key, relevant in zip(keys, self.positives, strict=True):
            of_text.setdefault(key, []).extend(relevant)
        return [
            list(dict.fromkeys((*relevant, *of_text[key])))
            for key, relevant in zip(keys, self.positives, strict=True)
        ]

    def _content(self, item: int) -> bytes:
        if item not in self._contents:
            record = self.folder.items.record(self.item_ids[item])
            self._contents[item] = content_digest(record, folder=self.folder.path, titles=True)
        return self._contents[item]

    def _first_of_content(self) -> dict[int, int]:
        """Item -> the first item of its content, for those items of batches that repeat another."""
        items = sorted({item for line in (*self.positives, *self.negatives) for item in line})
        first: dict[bytes, int] = {}
        numbers = {item: first.setdefault(self._content(item), item) for item in items}
        repeated = {item: number for item, number in numbers.items() if item != number}
        if repeated and distributed.is_main():
            logger.info("%d tables repeat the content of another; none is its negative", len(repeated))
        return repeated

    def _read_negatives(self, path: Path, number: dict[str, int]) -> None:
        row_of = {query_id: row for row, query_id in enumerate(self.query_ids)}
        for query_id, candidates in read_run(path).items():
            row = row_of.get(query_id)
            if row is None:
                continue
            known = set(map(self._content, self.relevant[row]))
            found: list[int] = []
            for item_id in dict.fromkeys(candidate.item_id for candidate in candidates):
                item = number.get(item_id)
                if item is None:
                    raise UserError(
                        f"{path}: candidate '{item_id}' of query '{query_id}' is not an item of "
                        f"{self.config.folder}; make the run over this corpus"
                    )
                if len(found) < self.config.negative_depth and self._content(item) not in known:
                    found.append(item)
            self.negatives[row] = found
        without = sum(not negatives for negatives in self.negatives)
        if without == len(self):
            raise UserError(f"{path}: no candidates for any training query of split '{self.config.split}'")
        if without and distributed.is_main():
            logger.warning("%d of %d training queries have no hard negative in %s", without, len(self), path)

    def _neighbours(self) -> dict[int, list[int]]:
        """Item -> items with training queries that its queries' candidates name, by summed reciprocal
        rank.
        """
        scores: dict[int, dict[int, float]] = {}
        for relevant, candidates in zip(self.positives, self.negatives, strict=True):
            for item in relevant:
                line = scores.setdefault(item, {})
                for rank, candidate in enumerate(candidates, start=1):
                    line[candidate] = line.get(candidate, 0.0) + 1.0 / rank
        return {
            item: sorted(line.keys() & scores.keys(), key=lambda other: (-line[other], other))[
                : self.config.negative_depth
            ]
            for item, line in scores.items()
        }
