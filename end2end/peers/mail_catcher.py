"""A mail server by an independent implementation: asks for a password, takes every mail, prints each as one line of JSON.

The first line is the port it listens on. Ends when its standard input does.
"""

import asyncio
import email
import email.policy
import json
import sys

from aiosmtpd.smtp import SMTP, AuthResult, LoginPassword

USER, PASSWORD = sys.argv[1].encode(), sys.argv[2].encode()


class Handler:
    async def handle_DATA(self, server, session, envelope):
        mail = email.message_from_bytes(envelope.original_content, policy=email.policy.default)
        part = lambda kind: mail.get_body(preferencelist=(kind,)).get_content()
        taken = {
            "greeting": session.host_name,
            "from": envelope.mail_from,
            "to": envelope.rcpt_tos,
            "from_header": str(mail["from"]),
            "subject": str(mail["subject"]),
            "message_id": str(mail["message-id"]),
            "plain": part("plain"),
            "html": part("html"),
        }
        print(json.dumps(taken), flush=True)
        return "250 taken"


def known(server, session, envelope, mechanism, auth):
    right = isinstance(auth, LoginPassword) and (auth.login, auth.password) == (USER, PASSWORD)
    return AuthResult(success=right)


async def main():
    loop = asyncio.get_running_loop()
    # Passwords without TLS: this is a test on one machine.
    conversation = lambda: SMTP(Handler(), authenticator=known, auth_required=True, auth_require_tls=False)
    server = await loop.create_server(conversation, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)
    server.close()


asyncio.run(main())
