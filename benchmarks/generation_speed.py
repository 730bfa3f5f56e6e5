"""Tokens per second of batched generation against one prompt at a time: python -m benchmarks.generation_speed

Both in one run, with the packaged small model, by the code that workers use. Goal on a CPU: batched at least four
times as fast. Where there is a GPU the same is done there, and the best engine that can be imported is run beside it
in a process of its own; goal: at least half of its tokens per second. Sampled at temperature 0.8 to the token limit.
"""

import gc
import json
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

from app.language_models import ModelSpec, Prompt, Sampling
from app.language_models.gguf import converted
from app.language_models.hugging_face import HuggingFaceModel
from app.language_models.libraries import torch_library
from app.language_models.packaged import packaged

TOKENS = 32
SAMPLING = Sampling(temperature=0.8, top_p=0.95, max_tokens=TOKENS)
HEADS = ("def add(a, b):", "def read_table(path):", "class Stack:\n    def push(self, item):", "import os\n\n")
ENGINES = ("vllm", "sglang")


def main() -> None:
    """Print both speeds and their ratio, on the CPU and on a GPU if there is one."""
    with tempfile.TemporaryDirectory() as folder:
        spec = ModelSpec("hugging_face", "packaged:smollm2-135m", device="cpu", cache_dir=folder)
        _compare(spec, alone=4, together=64)
        if not torch_library().cuda.is_available():
            print("GPU: none here, so that no other engine is compared.")
            return
        _compare(replace(spec, device="cuda"), alone=16, together=512)
        _compare_with_engine(replace(spec, device="cuda"), Path(folder))


def _compare(spec: ModelSpec, *, alone: int, together: int) -> None:
    one = _speed(HuggingFaceModel(spec, most_rows=1), alone)
    batched = _speed(HuggingFaceModel(spec), together)
    print(f"{spec.device}: batch 1 {one:.1f} tokens/s, batched {batched:.1f} tokens/s, ratio {batched / one:.1f}")


def _speed(model: HuggingFaceModel, count: int) -> float:
    """Tokens per second over all prompts, after a warm-up."""
    list(model.generate(_prompts(2), replace(SAMPLING, max_tokens=4)))
    start = time.perf_counter()
    tokens = sum(each.tokens for each in model.generate(_prompts(count), SAMPLING))
    seconds = time.perf_counter() - start
    model.close()
    gc.collect()
    return tokens / seconds


def _prompts(count: int) -> list[Prompt]:
    """Prompts of several lengths; no two are the same."""
    return [
        Prompt(str(place), f'"""Exercise {place}."""\n' * (1 + place % 3) + HEADS[place % len(HEADS)], place)
        for place in range(count)
    ]


def _compare_with_engine(spec: ModelSpec, folder: Path) -> None:
    engine = next((name for name in ENGINES if find_spec(name)), None)
    if engine is None:
        print(f"GPU: none of {', '.join(ENGINES)} can be imported here, so that no other engine is compared.")
        return
    path = converted(packaged("smollm2-135m"), folder / "converted")
    command = [sys.executable, "-c", PROGRAMS[engine], str(path), json.dumps([each.text for each in _prompts(512)])]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    if ended.returncode:
        print(f"GPU: {engine} is here but failed: {ended.stderr.strip().splitlines()[-1:]}")
        return
    theirs = float(ended.stdout.strip().splitlines()[-1])
    ours = _speed(HuggingFaceModel(spec), 512)
    print(f"GPU: {engine} {theirs:.1f} tokens/s, here {ours:.1f} tokens/s, ratio {ours / theirs:.2f}")


PROGRAMS = {
    "vllm": f"""
import json, sys, time
from vllm import LLM, SamplingParams
model = LLM(sys.argv[1], dtype="bfloat16", gpu_memory_utilization=0.5)
prompts = json.loads(sys.argv[2])
params = SamplingParams(temperature=0.8, top_p=0.95, max_tokens={TOKENS})
model.generate(prompts[:2], params)
start = time.perf_counter()
answers = model.generate(prompts, params)
print(sum(len(each.outputs[0].token_ids) for each in answers) / (time.perf_counter() - start))
""",
    "sglang": f"""
import json, sys, time
import sglang
if __name__ == "__main__":
    model = sglang.Engine(model_path=sys.argv[1], dtype="bfloat16", mem_fraction_static=0.5)
    prompts = json.loads(sys.argv[2])
    params = {{"temperature": 0.8, "top_p": 0.95, "max_new_tokens": {TOKENS}}}
    model.generate(prompts[:2], params)
    start = time.perf_counter()
    answers = model.generate(prompts, params)
    print(sum(each["meta_info"]["completion_tokens"] for each in answers) / (time.perf_counter() - start))
""",
}


if __name__ == "__main__":
    main()
