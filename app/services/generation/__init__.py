"""Models write completions for benchmarks: asked for, estimated, run in shards that are resumed, never repeated."""
