"""Strategies: what the property tests of the domain draw from."""

from hypothesis import strategies as st

from app.domain.spans import Span

TEXTS = st.text(
    st.one_of(
        st.sampled_from(list(" \n\r\t.!?。？؟#ab \u05d0\u05d1\u4e2d\u6587e\u0301\U0001f98a")),
        st.characters(codec="utf-8"),
    ),
    max_size=120,
)
DOC_IDS = st.one_of(
    st.sampled_from(["d", "d#0-5", "d#0-5#1-2", "BBC#788#6", "", "#1-2", "d#007-9", "d#5-3"]),
    st.text(st.characters(codec="utf-8"), max_size=12),
)


@st.composite
def make_spans(draw: st.DrawFn, doc_ids: st.SearchStrategy[str], shortest: int = 1) -> Span:
    start = draw(st.integers(0, 40))
    return Span(draw(doc_ids), start, start + draw(st.integers(shortest, 30)))


SPANS = make_spans(st.sampled_from(["d1", "d2"]))
