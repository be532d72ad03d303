"""Scores predictions: python3 evals/score.py evals/router.jsonl predictions.jsonl

A prediction is one JSON object a line, matched by id; every field but id may be missing and then counts as wrong where it is scored:
{"id":"d001","services":[…],"capability":"…","path":"…","outcome":"…","tools":[ranked tool names],"slots":{…}}
For journeys the id is "j01.1", "j01.2", … (script, turn).
"""
import collections, json, sys


def load(p):
    with open(p, encoding="utf-8") as f:
        return [json.loads(x) for x in f if x.strip()]


def flat(s):
    """A slot object as a set of (slot, value) pairs. compare_to counts by its dates, not by its kind; sort is left out."""
    out = {("metric", m) for m in s.get("metrics") or []} | {("dimension", d) for d in s.get("dimensions") or []}
    for k in ("date_from", "date_to", "limit"):
        if s.get(k) is not None:
            out.add((k, s[k]))
    for k, v in (s.get("filters") or {}).items():
        if isinstance(v, dict):
            out |= {("filter", k, op, json.dumps(x)) for op, x in v.items()}
        else:
            out |= {("filter", k, str(x).lower()) for x in v}
    c = s.get("compare_to")
    if c:
        out |= {("compare_from", c.get("date_from")), ("compare_to", c.get("date_to"))}
    return out


gold = []
for r in load(sys.argv[1]):
    if "turns" in r:
        gold += [(f"{r['id']}.{n}", t["query"], t["expect"], r["tags"]) for n, t in enumerate(r["turns"], 1)]
    else:
        gold.append((r["id"], r["query"], r["expect"], r["tags"]))
pred = {p["id"]: p for p in load(sys.argv[2])}

hit, n = collections.Counter(), collections.Counter()
confused, per_tag = collections.Counter(), collections.defaultdict(lambda: [0, 0])
tp = fp = fn = 0
for i, query, e, tags in gold:
    p = pred.get(i, {})
    sv, cap = sorted(p.get("services") or []) == e["services"], p.get("capability") == e["capability"]
    path, out = p.get("path") == e["path"], p.get("outcome") == e["outcome"]
    for k, ok in (("services", sv), ("capability", cap), ("services+capability", sv and cap), ("path", path),
                  ("outcome", out), ("route (all four)", sv and cap and path and out)):
        n[k] += 1
        hit[k] += ok
    for t in tags or ["untagged"]:
        per_tag[t][0] += sv and cap and path and out
        per_tag[t][1] += 1
    if not cap:
        confused[(e["capability"], p.get("capability"))] += 1
    if e["tools_any"]:
        right, ranked = set(e["tools_any"]), p.get("tools") or []
        n["tool@1"] += 1
        hit["tool@1"] += bool(ranked[:1]) and ranked[0] in right
        n["recall@15"] += 1
        found = {t.split("_")[0] for t in right & set(ranked[:15])}
        hit["recall@15"] += found >= {t.split("_")[0] for t in right}  # one right tool for every network asked
        if e["write_tool"]:
            n["write_tool in top 15"] += 1
            hit["write_tool in top 15"] += e["write_tool"] in ranked[:15]
    if e["slots"] is not None:
        a, b = flat(e["slots"]), flat(p.get("slots") or {})
        tp, fp, fn = tp + len(a & b), fp + len(b - a), fn + len(a - b)
        n["slots exact"] += 1
        hit["slots exact"] += a == b
for k in n:
    print(f"{k:24} {hit[k] / n[k]:7.2%}  ({hit[k]}/{n[k]})")
if n["slots exact"]:
    print(f"{'slot F1 (micro)':24} {2 * tp / max(1, 2 * tp + fp + fn):7.2%}")
print("capability confusions:", dict(confused.most_common(12)))
print("route by tag:", {t: f"{a}/{b}" for t, (a, b) in sorted(per_tag.items())})
