"""CPU seconds to score the 2,360 CoNaLa pairs: ``python -m benchmarks.score_conala [METRIC …]``."""

import sys
from time import process_time

from app.metrics import Segment, available, create
from tests import conala


def main() -> None:
    print(f"starting and importing  {process_time():6.2f} s")
    segments = [Segment(pair.output, pair.references) for pair in conala.pairs()]
    for name in sys.argv[1:] or available():
        start = process_time()
        metric = create(name)
        metric.score_segments(segments)
        print(f"{name:<22}  {process_time() - start:6.2f} s  {metric.signature}")


if __name__ == "__main__":
    main()
