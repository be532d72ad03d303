"""Reads a page of metrics from its input with Prometheus' own parser; prints every family as JSON."""

import json
import sys

from prometheus_client.parser import text_string_to_metric_families

families = {}
for family in text_string_to_metric_families(sys.stdin.read()):
    if family.name in families:
        sys.exit(f"{family.name} occurs twice")
    families[family.name] = {
        "type": family.type,
        "help": family.documentation,
        "samples": [{"name": s.name, "labels": s.labels, "value": str(s.value)} for s in family.samples],
    }
json.dump(families, sys.stdout)
