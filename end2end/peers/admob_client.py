"""Drives the AdMob sandbox with Google's own client and compares what it reads with the sandbox's truth.

Usage: admob_client.py BASE_URL FROM TO   (days such as 2026-11-20)
Prints one JSON object; exits with a message on the first difference.
"""

import json
import sys
import urllib.parse
import urllib.request

from google.api_core.client_options import ClientOptions
from google.oauth2.credentials import Credentials
from googleapiclient.discovery import build
from googleapiclient.errors import HttpError

BASE, FROM, TO = sys.argv[1:4]


def expect(condition, message):
    if not condition:
        sys.exit(f"official client: {message}")


def truth(**query):
    query = {"network": "admob", "from": FROM, "to": TO, **query}
    with urllib.request.urlopen(f"{BASE}/__sandbox/truth?{urllib.parse.urlencode(query)}") as answer:
        return json.load(answer)


def day(text):
    year, month, date = (int(part) for part in text.split("-"))
    return {"year": year, "month": month, "day": date}


def pages(collection, method, key, **arguments):
    items, request = [], getattr(collection, method)(**arguments)
    count = 0
    while request is not None:
        answer = request.execute()
        items += answer.get(key, [])
        request = getattr(collection, f"{method}_next")(request, answer)
        count += 1
    return items, count


def rows(report):
    expect("header" in report[0] and "footer" in report[-1], "a report starts with a header and ends with a footer")
    expect(int(report[-1]["footer"]["matchingRowCount"]) == len(report) - 2, "the footer counts the rows")
    return [chunk["row"] for chunk in report[1:-1]]


def metric(row, name):
    value = row["metricValues"][name]
    return int(value.get("microsValue") or value["integerValue"])


def main():
    credentials = Credentials(token="sandbox-official-client")
    options = ClientOptions(api_endpoint=f"{BASE}/")
    admob = build("admob", "v1beta", static_discovery=True, client_options=options, credentials=credentials)
    old = build("admob", "v1", static_discovery=True, client_options=options, credentials=credentials)
    accounts = admob.accounts()

    listed, count = pages(accounts, "list", "account", pageSize=2)
    expect(len(listed) == 3 and count == 2, f"three accounts on two pages expected, {len(listed)} on {count} came")
    expect(old.accounts().list().execute()["account"] == listed, "v1 and v1beta list the same accounts")
    one = accounts.get(name=listed[0]["name"]).execute()
    expect(one["reportingTimeZone"] == "Etc/UTC" and one["currencyCode"] == "USD", "accounts report USD in UTC")

    apps, units = [], []
    for account in listed:
        apps += pages(accounts.apps(), "list", "apps", parent=account["name"], pageSize=2)[0]
        units += pages(accounts.adUnits(), "list", "adUnits", parent=account["name"], pageSize=5)[0]
    names = {app["manualAppInfo"]["displayName"] for app in apps}
    expect({"Puzzle Game", "My Game", "Word Quest"} <= names, f"known apps are missing in {names}")
    expect({unit["appId"] for unit in units} == {app["appId"] for app in apps}, "every app has ad units")

    span = {"startDate": day(FROM), "endDate": day(TO)}
    total = {"mediation": 0, "network": 0}
    countries = {}
    for account in listed:
        spec = {"dateRange": span, "dimensions": ["COUNTRY"], "metrics": ["ESTIMATED_EARNINGS", "IMPRESSIONS"]}
        body = {"reportSpec": spec}
        for row in rows(accounts.mediationReport().generate(parent=account["name"], body=body).execute()):
            code = row["dimensionValues"]["COUNTRY"]["value"]
            countries[code] = countries.get(code, 0) + metric(row, "ESTIMATED_EARNINGS")
            total["mediation"] += metric(row, "ESTIMATED_EARNINGS")
        spec = {"dateRange": span, "dimensions": ["DATE", "APP"], "metrics": ["ESTIMATED_EARNINGS"]}
        for row in rows(accounts.networkReport().generate(parent=account["name"], body={"reportSpec": spec}).execute()):
            total["network"] += metric(row, "ESTIMATED_EARNINGS")
    for kind, micros in total.items():
        wanted = truth(metric="revenue", report=kind)["micros"]
        expect(micros == wanted, f"{kind} revenue is {micros}, truth says {wanted}")
    by_country = {item["key"]: item["micros"] for item in truth(metric="revenue", by="country")["items"]}
    expect(countries == by_country, "revenue by country differs from truth")

    parent = listed[0]["name"]
    unit = "ca-app-pub-3940256099942544/6300978111"
    group = {
        "displayName": "Official client group",
        "targeting": {"platform": "ANDROID", "format": "BANNER", "adUnitIds": [unit]},
        "mediationGroupLines": {
            "-1": {"adSourceId": "5450213213286189855", "cpmMode": "LIVE"},
            "-2": {"adSourceId": "4069896914521993236", "cpmMode": "MANUAL", "cpmMicros": "500000"},
        },
    }
    groups = accounts.mediationGroups()
    made = groups.create(parent=parent, body=group).execute()
    line = next(line for line in made["mediationGroupLines"].values() if line["cpmMode"] == "MANUAL")
    changed = groups.patch(
        name=made["name"],
        updateMask=f'mediation_group_lines["{line["id"]}"].cpm_micros',
        body={"mediationGroupLines": {line["id"]: {"cpmMicros": "750000"}}},
    ).execute()
    expect(changed["mediationGroupLines"][line["id"]]["cpmMicros"] == "750000", "the patched price is kept")
    found = groups.list(parent=parent, filter='IN(DISPLAY_NAME, "Official client group")').execute()["mediationGroups"]
    expect(found == [changed], "the list shows the group once, as patched")
    try:
        groups.create(parent=parent, body=group).execute()
        sys.exit("official client: a second group of the same name was accepted")
    except HttpError as error:
        expect(error.status_code == 409, f"a duplicate answers 409, not {error.status_code}")
    print(json.dumps({"accounts": len(listed), "apps": len(apps), "ad_units": len(units), "micros": total, "group": made["name"]}))


if __name__ == "__main__":
    main()
