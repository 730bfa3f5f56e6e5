"""A figure stands in a script element, so nothing in it may end that element."""

import json

from app.web.figures import figure_script

HOSTILE = '</script><script>alert(1)</script> <!-- & \u2028 \u2029 "quoted" ü'


def test_no_text_ends_the_element_and_all_comes_back_as_it_was() -> None:
    figure = {"data": [{"name": HOSTILE, HOSTILE: [1, 2.5, None]}]}
    element = str(figure_script(figure))
    text = element.removeprefix('<script type="application/json">').removesuffix("</script>")
    assert len(text) < len(element)
    assert not set("<>&\u2028\u2029") & set(text)
    assert json.loads(text) == figure
