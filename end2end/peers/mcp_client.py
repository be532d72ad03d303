"""Lists and calls tools of the desk with the official Python client: once in the current revision, once in the one before.

Usage: mcp_client.py URL TOKEN
Prints one JSON object; exits with a message on the first thing that is not as it should be.
"""

import asyncio
import json
import sys

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

URL, TOKEN = sys.argv[1:3]


async def every_tool(client):
    names, cursor = [], None
    while True:
        page = await client.list_tools(cursor=cursor)
        names += [tool.name for tool in page.tools]
        cursor = page.next_cursor
        if cursor is None:
            return names


async def look(mode):
    progress = []

    async def told(done, total, message):
        progress.append(done)

    async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {TOKEN}"}, timeout=60) as http:
        async with Client(streamable_http_client(URL, http_client=http), mode=mode) as client:
            names = await every_tool(client)
            accounts = await client.call_tool("admob_list_accounts", {})
            assert not accounts.is_error, accounts
            asked = await client.call_tool(
                "adagent_ask", {"question": "What was my revenue yesterday?"}, progress_callback=told
            )
            assert not asked.is_error, asked
            wrong = await client.call_tool("adagent_run_status", {"run_id": "nonsense"})
            assert wrong.is_error, wrong
            prompts = await client.list_prompts()
            prompt = await client.get_prompt("daily_check", {})
            resources = await client.list_resources()
            networks = await client.read_resource("adagent://networks")
            return {
                "revision": client.protocol_version,
                "tools": names,
                "accounts": len(accounts.structured_content["items"]),
                "answer": asked.structured_content["answer"],
                "status": asked.structured_content["status"],
                "progress": progress,
                "prompts": len(prompts.prompts),
                "prompt": prompt.messages[0].content.text,
                "resources": [str(resource.uri) for resource in resources.resources],
                "networks": len(json.loads(networks.contents[0].text)["items"]),
            }


async def main():
    print(json.dumps({mode: await look(mode) for mode in ("auto", "legacy")}))


asyncio.run(main())
