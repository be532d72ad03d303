"""Drives the sandbox with public clients of two networks and compares what they read with the sandbox's truth.

Usage: networks_client.py BASE_URL DAY KEYS   (KEYS: JSON object with the fields of each network's connect form)
Prints one JSON object; exits with a message on the first difference.
"""

import asyncio
import csv
import io
import json
import sys
import types
import urllib.parse
import urllib.request

BASE, DAY = sys.argv[1:3]
KEYS = json.loads(sys.argv[3])

# The AppLovin client only puts its rows into a frame; a list serves as one.
sys.modules.setdefault("pandas", types.SimpleNamespace(DataFrame=list))

from applovin_report.revenue_reporting_api import RevenueReport  # noqa: E402
from ironsource_api import utils  # noqa: E402
from ironsource_api.ironsource_api import IronSourceAPI  # noqa: E402
from ironsource_api.monetize_api import AdUnits, Platform, monetize_api  # noqa: E402
from ironsource_api.monetize_api.placement_config import Capping, Placement  # noqa: E402


def expect(condition, message):
    if not condition:
        sys.exit(f"public client: {message}")


def truth(network, **query):
    query = {"network": network, "from": DAY, "to": DAY, **query}
    with urllib.request.urlopen(f"{BASE}/__sandbox/truth?{urllib.parse.urlencode(query)}") as answer:
        return json.load(answer)["micros"]


def micros(texts):
    return sum(round(float(text) * 1_000_000) for text in texts)


def applovin():
    RevenueReport.ENDPOINT = f"{BASE}/applovin/@r.applovin.com/maxReport"
    report = RevenueReport(KEYS["applovin"]["report_key"])
    columns = ["day", "application", "country", "estimated_revenue"]
    rows = report.get_report(DAY, DAY, columns, max_retries=0)
    expect(micros(row["estimated_revenue"] for row in rows) == truth("applovin"), "MAX revenue is not the truth")
    batches = [row for batch in report.get_report_batch(DAY, DAY, columns, batch_size=50) for row in batch]
    expect(batches == rows, "batches are not the whole report")
    return len(rows)


async def levelplay():
    for module in (utils, monetize_api):
        for name in [name for name in dir(module) if name.endswith("_URL")]:
            setattr(module, name, getattr(module, name).replace("https://platform.ironsrc.com", f"{BASE}/unity"))
    keys = KEYS["unity"]
    client = IronSourceAPI()
    client.set_credentials("demo@sandbox.example", keys["refresh_token"], keys["secret_key"])
    api = client.monetize_api()
    apps = await api.get_apps()
    key = apps[0]["appKey"]
    revenue = (await api.get_user_ad_revenue(DAY, key)).decode()
    rows = csv.DictReader(io.StringIO(revenue))
    expect(micros(row["revenue"] for row in rows) == truth("unity", app=key), "user revenue is not the truth")
    made = await api.add_temporary_app("Made by the client", Platform.Android, coppa=False)
    app = made["appKey"]
    capping = Capping(limit=3, interval="d", enabled=True)
    new = Placement(AdUnits.RewardedVideo, ad_delivery=True, name="Shop", item_name="Coins", reward_amount=5, capping=capping)
    await api.add_placements(app, [new])
    (placement,) = await api.get_placements(app)
    expect(placement["capping"]["cappingLimit"] == 3, "the capping was lost")
    changed = Placement(AdUnits.RewardedVideo, ad_delivery=False, placement_id=placement["id"])
    await api.update_placements(app, [changed])
    (placement,) = await api.get_placements(app)
    expect(placement["adDelivery"] == 0, "the placement goes on serving")
    await api.delete_placements(app, AdUnits.RewardedVideo, placement["id"])
    expect(await api.get_placements(app) == [], "the placement is still there")
    # Its instances are of a retired version; the client hands the refusal on.
    expect((await api.get_instances(app))["code"] == 410, "a retired version answered")
    return len(apps)


print(json.dumps({"applovin": applovin(), "levelplay": asyncio.run(levelplay())}))
