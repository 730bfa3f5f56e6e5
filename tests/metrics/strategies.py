"""Texts that metrics meet: code over few tokens, so that texts share some, and anything at all."""

from hypothesis import strategies as st

from app.metrics import Segment

_TOKENS = ("x", "myList", "sorted", "dogs", "dog", "Running", "runs", "(", ")", "'a'", "=", "é", "_")
code = st.lists(st.sampled_from(_TOKENS), max_size=12).map(" ".join)
# Every code point, lone surrogates and NUL among them: what a metric is given must never make it raise.
anything = st.text(st.characters(exclude_categories=()), max_size=60)
text = code | anything
segments = st.lists(
    st.builds(Segment, text, st.lists(text, min_size=1, max_size=3).map(tuple)), min_size=1, max_size=6
)
