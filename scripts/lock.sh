#!/usr/bin/env bash
# Makes requirements/*.lock anew from pyproject.toml: `make lock`, or `make lock ARGS=--upgrade` for newer versions.
# usage: lock.sh UV [uv pip compile's options]
set -euo pipefail
cd "$(dirname "$0")/.."
uv=$1
shift

compile() {  # OUTPUT [options]
    local output=$1
    shift
    "$uv" pip compile --quiet --universal --python-version 3.11 --no-annotate --no-header \
        --override requirements/override.txt --output-file "$output" "$@" pyproject.toml
}

# Packages that the override turned off on every platform, with the hashes that follow them, only make noise.
drop_never() {
    awk '/^[^ ]/ { never = /sys_platform == .never./ } !never' "$1" > "$1.new"
    mv "$1.new" "$1"
}

compile requirements/run.lock --generate-hashes --group build "$@"
drop_never requirements/run.lock
compile requirements/dev.lock --generate-hashes --group build --group dev --constraints requirements/run.lock "$@"
drop_never requirements/dev.lock

# Language models. No hashes, since torch comes from PyPI, from its makers' own index or from a disk, each with a
# build of its own; nor CUDA's libraries, which torch itself asks for at exact versions where its build needs them.
grep --only-matching '^[a-z][^ ]*==[^ ]*\( ; [^\\]*[^ \\]\)\{0,1\}' requirements/run.lock > requirements/run.pins
.venv/bin/python -c 'import tomllib
with open("pyproject.toml", "rb") as file:
    print(*tomllib.load(file)["project"]["optional-dependencies"]["models"], sep="\n")' > requirements/models.in
"$uv" pip compile --quiet --universal --python-version 3.11 --no-annotate --no-header \
    --constraints requirements/run.pins --output-file requirements/models.lock "$@" requirements/models.in
grep --invert-match --extended-regexp '^(nvidia-|cuda-|triton)' requirements/models.lock > requirements/models.new
mv requirements/models.new requirements/models.lock
rm requirements/run.pins requirements/models.in
