"""A figure's JSON stands in a script element, so nothing in it may end that element."""

import json

from app.web.figures import figure_json

HOSTILE = '</script><script>alert(1)</script> <!-- & \u2028 \u2029 "quoted" ü'


def test_no_text_ends_the_script_element_and_all_comes_back_as_it_was() -> None:
    figure = {"data": [{"name": HOSTILE, HOSTILE: [1, 2.5, None]}]}
    text = str(figure_json(figure))
    assert not set("<>&\u2028\u2029") & set(text)
    assert json.loads(text) == figure
