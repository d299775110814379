"""BM25: the library's index of words, asked with analysed terms, never its query language."""

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from time import perf_counter

from tantivy import Document, Index, Occur, Query, Schema, SchemaBuilder

from app.retrieval import analysis
from app.retrieval.pieces import Answer, Pieces

HEAP = 256_000_000  # bytes; one thread, so that the index is the same every time
MORE = 20  # hits beyond the depth, so that ties at its end are cut by our own second key
WORDS, CHARACTERS, NUMBER = "words", "characters", "number"


def build_schema() -> Schema:
    """Return the fields: words, characters of scripts without blanks, the piece's number."""
    return (
        SchemaBuilder()
        .add_text_field(WORDS, tokenizer_name="words", index_option="freq")
        .add_text_field(CHARACTERS, tokenizer_name="whitespace", index_option="freq")
        .add_unsigned_field(NUMBER, fast=True)
        .build()
    )


def write_index(folder: Path, texts: Iterable[tuple[str, str]]) -> None:
    """Index (title, text) of the pieces in their order."""
    index = Index(build_schema(), path=str(folder))
    index.register_tokenizer("words", analysis.build_analyser())
    writer = index.writer(HEAP, 1)
    for number, (title, text) in enumerate(texts):
        document = Document()
        document.add_unsigned(NUMBER, number)
        document.add_text(WORDS, f"{title}\n{text}")
        characters = analysis.split_unspaced(f"{title}\n{text}")
        if characters:
            document.add_text(CHARACTERS, " ".join(characters))
        writer.add_document(document)
    writer.commit()
    writer.wait_merging_threads()


class Bm25:
    """A built index; k1 1.2, b 0.75, as the library has them fixed."""

    def __init__(self, folder: Path, pieces: Pieces) -> None:
        index = Index.open(str(folder))
        self._schema = index.schema
        self._searcher = index.searcher()
        self._analyser = analysis.build_analyser()
        self._pieces = pieces

    def search(self, texts: Sequence[str], depth: int) -> list[Answer]:
        """Return the best pieces for each text; one without known terms finds nothing."""
        return [self._search_one(text, depth) for text in texts]

    def _search_one(self, text: str, depth: int) -> Answer:
        begun = perf_counter()
        found = self._searcher.search(self.build_query(text), depth + MORE, count=False).hits
        found_at = [address for _, address in found]
        numbers = [int(at or 0) for at in self._searcher.fast_field_values(NUMBER, found_at)]
        ordered = self._pieces.order([score for score, _ in found], numbers, depth)
        return Answer(ordered, 1000 * (perf_counter() - begun))

    def build_query(self, text: str) -> Query:
        """Return the query of a text: any of its terms, each as often as it is there."""
        terms = Counter((WORDS, term) for term in self._analyser.analyze(text))
        terms.update((CHARACTERS, term) for term in analysis.pick_unspaced(text))
        return Query.boolean_query(
            [(Occur.Should, self._build_term(*term, times)) for term, times in terms.items()]
        )

    def _build_term(self, field: str, term: str, times: int) -> Query:
        query = Query.term_query(self._schema, field, term, index_option="freq")
        return query if times == 1 else Query.boost_query(query, float(times))
