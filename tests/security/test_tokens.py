"""Every kind of secret that opens something is 256 random bits, and the database has its hash alone."""

from base64 import urlsafe_b64decode

from app.ids import hash_token, new_token
from app.storage.base import Base

OPENING = ("token", "ticket", "secret", "cookie", "api_key")
KINDS = {"api_tokens", "sign_ins", "invitations", "personal_links", "setup_links"}
COUNTS = {"completions.prompt_tokens", "completions.tokens"}  # of what models read and wrote
SIGNING = {"webhooks.secret"}  # opens nothing here: it signs what is sent, for which a hash would not do


def test_a_token_is_256_bits_and_no_two_are_alike() -> None:
    tokens = [new_token() for _ in range(10_000)]
    assert {len(urlsafe_b64decode(token + "=")) for token in tokens} == {32}
    assert len(set(tokens)) == len(tokens)
    assert all(any(token[place] != tokens[0][place] for token in tokens) for place in range(43))  # no letter is fixed


def test_no_table_keeps_a_token_itself() -> None:
    found = set()
    for table in Base.metadata.sorted_tables:
        for column in table.columns:
            if any(word in column.name for word in OPENING) and f"{table.name}.{column.name}" not in SIGNING | COUNTS:
                found.add(table.name)
                assert column.name.endswith("_hash"), f"{table.name}.{column.name}"
                assert getattr(column.type, "length", None) == len(hash_token("x")), f"{table.name}.{column.name}"
    assert found >= KINDS


def test_a_hash_is_looked_up_and_never_compared_letter_by_letter() -> None:
    """What is looked up by a unique index of hashes tells nothing by its time."""
    for name in KINDS:
        assert Base.metadata.tables[name].columns["token_hash"].unique
