"""What is wrong with a field is said in our words, whatever its kind."""

from typing import Annotated

import pytest
from pydantic import Field

from app.web.forms import FormInvalid, FormModel, read_form


class Fields(FormModel):
    """A field of each kind that our forms have."""

    share: Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)] = 1
    number: Annotated[float, Field(ge=0, lt=5, allow_inf_nan=False)] = 1
    count: Annotated[int, Field(ge=1, le=10)] = 1
    yes: bool = True
    key: Annotated[str, Field(pattern="^[A-Z]+$", max_length=3)] = "A"


@pytest.mark.parametrize(
    ("field", "given", "words"),
    [
        ("share", "abc", "Enter a number."),
        ("share", "nan", "Enter a number."),
        ("share", "0", "It must be more than 0."),
        ("share", "1.5", "The most is 1."),
        ("number", "5", "It must be less than 5."),
        ("number", "-0.5", "The least is 0."),
        ("count", "abc", "Enter a whole number."),
        ("count", "1.5", "Enter a whole number."),
        ("count", "11", "The most is 10."),
        ("yes", "perhaps", "Choose one of the answers."),
        ("key", "a", "This is not written as the field asks for."),
        ("key", "AAAA", "Use at most 3 characters."),
    ],
)
def test_each_kind_of_field_has_words(field: str, given: str, words: str) -> None:
    with pytest.raises(FormInvalid) as refused:
        read_form(Fields, {field: given})
    assert refused.value.state.errors == {field: words}
