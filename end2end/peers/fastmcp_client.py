"""Lists and calls tools of the desk with FastMCP's client, and hears that the list changed.

Usage: fastmcp_client.py URL TOKEN API_URL API_TOKEN
Switches AdMob off with the second token, which the first one's session must hear of. Prints one JSON object.
"""

import asyncio
import json
import sys
import urllib.request

from fastmcp import Client
from fastmcp.client.messages import MessageHandler
from fastmcp.client.transports import StreamableHttpTransport

URL, TOKEN, API, API_TOKEN = sys.argv[1:5]


class Heard(MessageHandler):
    def __init__(self):
        self.changed = asyncio.Event()

    async def on_tool_list_changed(self, notification):
        self.changed.set()


def switch_off():
    headers = {"Authorization": f"Bearer {API_TOKEN}", "Content-Type": "application/json"}
    request = urllib.request.Request(
        f"{API}/api/settings/context", data=b'{"enabled_networks": []}', headers=headers, method="PUT"
    )
    with urllib.request.urlopen(request) as answer:
        assert answer.status == 200, answer.status


async def main():
    heard = Heard()
    transport = StreamableHttpTransport(URL, headers={"Authorization": f"Bearer {TOKEN}"})
    async with Client(transport, message_handler=heard) as client:
        before = [tool.name for tool in await client.list_tools()]
        called = await client.call_tool("admob_list_accounts", {})
        accounts = len(called.structured_content["items"])
        await asyncio.to_thread(switch_off)
        await asyncio.wait_for(heard.changed.wait(), 60)
        after = [tool.name for tool in await client.list_tools()]
        print(json.dumps({"before": before, "after": after, "accounts": accounts}))


asyncio.run(main())
