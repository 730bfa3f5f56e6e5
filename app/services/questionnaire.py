"""Ready-made questions. The words are ours, in the sense of the scales of the published studies."""

from typing import Any

HELPFULNESS_TEXT = "How helpful is this code for someone who has to solve the problem?"

HELPFULNESS: dict[str, Any] = {
    "choices": [
        {
            "value": 0,
            "key": "0",
            "label": "Not helpful",
            "description": "It has nothing to do with the problem, or reading it would only cost time.",
        },
        {
            "value": 1,
            "key": "1",
            "label": "Slightly helpful",
            "description": "It contains something of use, yet writing the code from scratch would be easier.",
        },
        {
            "value": 2,
            "key": "2",
            "label": "Somewhat helpful",
            "description": "It needs considerable changes, but it points the right way.",
        },
        {
            "value": 3,
            "key": "3",
            "label": "Small change",
            "description": "A small change turns it into a solution.",
        },
        {
            "value": 4,
            "key": "4",
            "label": "Solves it",
            "description": "It solves the problem as it stands.",
        },
    ]
}
