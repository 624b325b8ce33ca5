"""What the README of docrag-open says: its rules, licences and counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from tabrag.data.card import Card
from tabrag.data.document_copies import MAX_HOLDERS as MAX_RUN_HOLDERS
from tabrag.data.document_copies import RUN
from tabrag.data.document_corpus import MIN_GROUPED, MIN_LEFT_OUT, Corpus
from tabrag.data.document_questions import MAX_HOLDERS, MAX_TITLES, MIN_FIT, VERDICTS
from tabrag.types import Qrels, Query


def docrag_note(
    cards: Mapping[str, Card],
    corpus: Corpus,
    counts: Counter[tuple[str, str]],
    queries: Sequence[Query],
    qrels: Mapping[str, Qrels],
) -> str:
    """The text of the README.

    Args:
        cards: Those of the parts, by name.
        corpus: What the pass over the documents found.
        counts: (data set, verdict) -> questions.
        queries: The questions that are left.
        qrels: Their judgements by split.
    """
    return "\n\n".join([_rules(corpus), _licences(cards), _rule_table(counts), _split_table(queries, qrels)])


def _rules(corpus: Corpus) -> str:
    return f"""Documents of TAT-QA, FinQA, HybridQA, OTT-QA and MultiHiertt; questions are judged on
documents. Rules, in this order:

1. A MultiHiertt document that shares {MIN_LEFT_OUT:.0%} or more of the shorter one's runs of {RUN} words that
   hold a number with a page of a document with questions is left out: {len(corpus.left_out):,}. Runs in over
   {MAX_RUN_HOLDERS} pages do not count.
2. A question is dropped that does not name its document. It *names nothing* where it shares with it no word
   and no two neighbouring words that at most {MAX_HOLDERS} documents hold, nor two words of the title that at
   most {MAX_TITLES} titles hold; it *fits another document* that holds all these and {MIN_FIT:.0%} of its
   words on the subject; it is *answered elsewhere* if another document holds all these and the numbers of its
   formula or the words of its answers; it is *not to be checked* if its own document holds none of these and
   another one all that is rare.
3. Documents that share {MIN_GROUPED:.0%} of the runs ({corpus.num_copies:,} pairs) and tables of one
   Wikipedia page are in one split.
   Shares of train, dev and test: HybridQA 70, 15, 15 %; OTT-QA and TAT-QA 0, 50, 50 %; reports with official
   dev questions of FinQA 0, 50, 50 %, its other reports train or test by company.

The questions have words in common with their documents by rule 2, which helps lexical search. `evidence` of a
query says what of the document its answer needs."""


def _licences(cards: Mapping[str, Card]) -> str:
    lines = ["| data set | name | licence | source | citation |", "|---|---|---|---|---|"]
    for name, card in cards.items():
        lines.append(f"| {name} | {card.name} | {card.licence} | {card.url} | {card.citation} |")
    return "\n".join(lines)


def _rule_table(counts: Counter[tuple[str, str]]) -> str:
    lines = [f"| questions of | in the source | {' | '.join(VERDICTS)} |", "|---" * (len(VERDICTS) + 2) + "|"]
    for name in [*dict.fromkeys(name for name, _ in counts), "all"]:
        found = [
            sum(count for (one, rule), count in counts.items() if rule == verdict and name in (one, "all"))
            for verdict in VERDICTS
        ]
        lines.append(f"| {name} | " + " | ".join(f"{count:,}" for count in (sum(found), *found)) + " |")
    return "\n".join(lines)


def _split_table(queries: Sequence[Query], qrels: Mapping[str, Qrels]) -> str:
    lines = ["| split | data set | questions | documents | text | table | both | unknown |", "|---" * 8 + "|"]
    for split, judged in qrels.items():
        for name in dict.fromkeys(query.data_set for query in queries):
            ones = [query for query in queries if query.data_set == name and query.id in judged]
            if not ones:
                continue
            documents = len({next(iter(judged[query.id])) for query in ones})
            kinds = Counter(query.evidence for query in ones)
            figures = [len(ones), documents, *(kinds[kind] for kind in ("text", "table", "both", ""))]
            lines.append(f"| {split} | {name} | " + " | ".join(f"{figure:,}" for figure in figures) + " |")
    return "\n".join(lines)
