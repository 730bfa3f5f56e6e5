"""CPU seconds to score the 2,360 CoNaLa pairs: ``python -m benchmarks.score_conala [METRIC …]``.

CPU seconds of this one process, not the wall clock: what one core needs, however busy the machine is.
"""

import sys
from time import process_time

from app.metrics import Segment, create
from app.services.scoring import DEFAULT_METRICS
from tests import conala


def main() -> None:
    """Print each metric's CPU seconds, then their sums: RUBY's exact graph distances outweigh all the rest."""
    print(f"{'starting and importing':<22}  {process_time():7.2f} CPU s")
    segments = [Segment(pair.output, pair.references) for pair in conala.pairs()]
    taken: dict[str, float] = {}
    for name in sys.argv[1:] or DEFAULT_METRICS:
        start = process_time()
        metric = create(name)
        metric.score_segments(segments)
        taken[name] = process_time() - start
        print(f"{name:<22}  {taken[name]:7.2f} CPU s  {metric.signature}", flush=True)
    print(f"{'all':<22}  {sum(taken.values()):7.2f} CPU s")
    print(f"{'without RUBY':<22}  {sum(taken.values()) - taken.get('ruby', 0.0):7.2f} CPU s")


if __name__ == "__main__":
    main()
