"""What ``app.tracing`` needs where traces are sent. It is imported then only, since it takes long."""

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import Tracer


def make_tracer(part: str, version: str) -> Tracer:
    """A tracer that sends in the background; the environment says where, as OpenTelemetry documents it."""
    resource = Resource.create({"service.name": f"codejury-{part}", "service.version": version})
    provider = TracerProvider(resource=resource)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return provider.get_tracer("codejury", version)
