"""A collector, and behind it a receiver that reads what comes through with OpenTelemetry's own protobuf classes.

Usage: collector.py OUT. Prints the collector's port, writes one span a line (JSON) to OUT, ends when its input does. The
collector is rotel: it accepts OTLP over HTTP, batches, and sends on to the receiver here.
"""

import gzip
import http.server
import json
import os
import pathlib
import socket
import subprocess
import sys
import sysconfig
import threading
import time

import rotel
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)

OUT = open(sys.argv[1], "a", encoding="utf-8", buffering=1)


def value(any_value):
    kind = any_value.WhichOneof("value")
    return None if kind is None else getattr(any_value, kind) if kind != "array_value" else str(any_value)


def attributes(pairs):
    return {pair.key: value(pair.value) for pair in pairs}


class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        if self.headers.get("content-encoding") == "gzip":
            body = gzip.decompress(body)
        request = ExportTraceServiceRequest()
        request.ParseFromString(body)
        for resource_spans in request.resource_spans:
            resource = attributes(resource_spans.resource.attributes)
            for scope_spans in resource_spans.scope_spans:
                for span in scope_spans.spans:
                    line = {
                        "trace": span.trace_id.hex(),
                        "span": span.span_id.hex(),
                        "parent": span.parent_span_id.hex(),
                        "name": span.name,
                        "kind": span.kind,
                        "start": span.start_time_unix_nano,
                        "end": span.end_time_unix_nano,
                        "status": span.status.code,
                        "events": len(span.events),
                        "attributes": attributes(span.attributes),
                        "resource": resource,
                    }
                    OUT.write(json.dumps(line) + "\n")
        answer = ExportTraceServiceResponse().SerializeToString()
        self.send_response(200)
        self.send_header("content-type", "application/x-protobuf")
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def main():
    receiver = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=receiver.serve_forever, daemon=True).start()
    port = free_port()
    agent = pathlib.Path(rotel.__file__).with_name("rotel-agent")
    # The agent is linked against the library of the Python it was built for.
    libraries = [os.environ.get("LD_LIBRARY_PATH", ""), sysconfig.get_config_var("LIBDIR") or ""]
    collector = subprocess.Popen(
        [
            str(agent),
            "start",
            "--otlp-http-endpoint",
            f"127.0.0.1:{port}",
            "--otlp-grpc-endpoint",
            f"127.0.0.1:{free_port()}",
            "--exporter",
            "otlp",
            "--otlp-exporter-endpoint",
            f"http://127.0.0.1:{receiver.server_port}",
            "--otlp-exporter-protocol",
            "http",
            "--batch-timeout",
            "100ms",
        ],
        env={**os.environ, "LD_LIBRARY_PATH": ":".join(filter(None, libraries))},
        stdout=sys.stderr,
        stderr=sys.stderr,
    )
    try:
        for _ in range(200):
            if collector.poll() is not None:
                sys.exit("the collector ended: is the library of this Python installed (libpython3.11)?")
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        print(port, flush=True)
        sys.stdin.read()
    finally:
        # A collector that is told to stop sends what it still has.
        collector.terminate()
        collector.wait(timeout=20)
        receiver.shutdown()


main()
