"""Drives the sandbox of Google Ad Manager with Google's own client and compares what it reads with the sandbox's truth.

Usage: admanager_client.py BASE_URL FROM TO   (days such as 2026-11-20)
Prints one JSON object; exits with a message on the first difference.
"""

import json
import sys
import urllib.request

from google.ads import admanager_v1 as am
from google.api_core import exceptions
from google.auth.exceptions import RefreshError
from google.oauth2.credentials import Credentials
from google.protobuf import field_mask_pb2
from google.type import date_pb2, money_pb2

BASE, FROM, TO = sys.argv[1:4]
PARENT = "networks/21700000001"


def expect(condition, message):
    if not condition:
        sys.exit(f"official client: {message}")


def client(kind, refresh=""):
    """The REST transport takes a host with a path, and plain http. With a refresh token, the access token is stale."""
    credentials = Credentials(
        token="stale" if refresh else "sandbox-official-client",
        refresh_token=refresh or None,
        token_uri=f"{BASE}/admanager/token",
        client_id="adagent-sandbox",
        client_secret="sandbox-secret",
    )
    transport = kind.get_transport_class("rest")
    host = BASE.removeprefix("http://") + "/admanager"
    return kind(transport=transport(host=host, url_scheme="http", credentials=credentials))


def truth(metric):
    query = f"network=admanager&metric={metric}&from={FROM}&to={TO}"
    with urllib.request.urlopen(f"{BASE}/__sandbox/truth?{query}") as answer:
        return json.load(answer)


def day(text):
    year, month, date = (int(part) for part in text.split("-"))
    return date_pb2.Date(year=year, month=month, day=date)


networks = list(client(am.NetworkServiceClient).list_networks())
expect([it.network_code for it in networks] == ["21700000001"], "one network is seen")

units = client(am.AdUnitServiceClient)
pager = units.list_ad_units(am.ListAdUnitsRequest(parent=PARENT, page_size=20))
pages = list(pager.pages)
count = sum(len(page.ad_units) for page in pages)
expect(len(pages) > 2 and count == pages[0].total_size, "pages hold every ad unit")
expect(all(unit.status == am.AdUnitStatusEnum.AdUnitStatus.ACTIVE for page in pages for unit in page.ad_units), "active")

orders = client(am.OrderServiceClient)
found = list(orders.list_orders(am.ListOrdersRequest(parent=PARENT, filter='displayName = "Nordic*"')))
expect(len(found) == 1 and found[0].status == am.OrderStatusEnum.OrderStatus.APPROVED, "a filter finds the order")

made = orders.batch_create_orders(
    am.BatchCreateOrdersRequest(
        parent=PARENT,
        requests=[
            am.CreateOrderRequest(
                parent=PARENT,
                order=am.Order(
                    display_name="From the official client",
                    trafficker=f"{PARENT}/users/245000001",
                    advertiser=f"{PARENT}/companies/4600000101",
                ),
            )
        ],
    )
).orders[0]
orders.batch_approve_orders(am.BatchApproveOrdersRequest(parent=PARENT, names=[made.name]))
expect(orders.get_order(name=made.name).status == am.OrderStatusEnum.OrderStatus.APPROVED, "the order is approved")

lines = client(am.LineItemServiceClient)
line = lines.get_line_item(name=f"{PARENT}/lineItems/6500000001")
changed = lines.update_line_item(
    line_item=am.LineItem(name=line.name, rate=money_pb2.Money(currency_code="USD", units=3)),
    update_mask=field_mask_pb2.FieldMask(paths=["rate"]),
)
expect(changed.rate.units == 3 and changed.display_name == line.display_name, "only the rate changed")

company = client(am.CompanyServiceClient).create_company(
    parent=PARENT,
    company=am.Company(display_name="Official Company", type_=am.CompanyTypeEnum.CompanyType.ADVERTISER),
)
expect(company.type_ == am.CompanyTypeEnum.CompanyType.ADVERTISER, "an enum sent as a number is understood")

reports = client(am.ReportServiceClient)
Definition = am.ReportDefinition
report = reports.create_report(
    parent=PARENT,
    report=am.Report(
        display_name="Official report",
        report_definition=Definition(
            dimensions=[Definition.Dimension.DATE, Definition.Dimension.AD_UNIT_ID],
            metrics=[Definition.Metric.IMPRESSIONS, Definition.Metric.REVENUE],
            date_range=Definition.DateRange(
                fixed=Definition.DateRange.FixedDateRange(start_date=day(FROM), end_date=day(TO))
            ),
            report_type=Definition.ReportType.HISTORICAL,
        ),
    ),
)
operation = reports.run_report(name=report.name)
result = operation.result(timeout=60)
rows = list(reports.fetch_report_result_rows(am.FetchReportResultRowsRequest(name=result.report_result, page_size=100)))
impressions = sum(row.metric_value_groups[0].primary_values[0].int_value for row in rows)
revenue = sum(round(row.metric_value_groups[0].primary_values[1].double_value * 1e6) for row in rows)
expect(impressions == truth("impressions")["value"], "impressions are the truth")
expect(revenue == truth("revenue")["micros"], "revenue is the truth")

refused = 0
for call, kind in (
    (lambda: orders.get_order(name=f"{PARENT}/orders/1"), exceptions.NotFound),
    (lambda: orders.batch_pause_orders(parent=PARENT, names=[company.name]), exceptions.BadRequest),
    (lambda: client(am.OrderServiceClient).get_order(name="networks/1/orders/1"), exceptions.Forbidden),
    (lambda: client(am.NetworkServiceClient, "sandbox-admanager-refresh-token-revoked").list_networks(), RefreshError),
):
    try:
        call()
        sys.exit(f"official client: {kind.__name__} was expected")
    except kind:
        refused += 1

renewed = client(am.NetworkServiceClient, "sandbox-admanager-refresh-token")
expect(len(list(renewed.list_networks())) == 1, "a stale token is refreshed")

print(json.dumps({"adUnits": count, "rows": len(rows), "order": made.name, "refused": refused}))
