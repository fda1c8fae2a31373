"""Three mail servers: in clear, with STARTTLS, and with TLS from the first byte, the last two for those who sign in. Prints
their ports, then each letter that came; refuses letters to nobody@, and the first one to later@."""

import asyncio
import json
import ssl
import sys
from email import message_from_bytes
from email.policy import default

from aiosmtpd.smtp import SMTP, AuthResult, LoginPassword

certificate, key = sys.argv[1:3]


class Handler:
    def __init__(self):
        self.turned_away = 0

    async def handle_RCPT(self, server, session, envelope, address, options):
        if address.startswith("nobody@"):
            return "550 5.1.1 no such user"
        if address.startswith("later@") and self.turned_away < 1:
            self.turned_away += 1
            return "451 4.7.1 later"
        envelope.rcpt_tos.append(address)
        return "250 ok"

    async def handle_DATA(self, server, session, envelope):
        letter = message_from_bytes(envelope.content, policy=default)
        told = {
            "tls": server.transport.get_extra_info("ssl_object") is not None,
            "signed_in": session.authenticated is True,
            "to": envelope.rcpt_tos,
            "subject": letter["Subject"],
            "id": letter["Message-ID"],
            "automatic": letter["Auto-Submitted"],
            "plain": letter.get_body(("plain",)).get_content(),
            "html": letter.get_body(("html",)).get_content(),
        }
        print(json.dumps(told), flush=True)
        return "250 ok"


def signs_in(server, session, envelope, mechanism, data):
    good = isinstance(data, LoginPassword) and (data.login, data.password) == (b"ambit@x", b"s:cret")
    return AuthResult(success=good)


def context():
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.load_cert_chain(certificate, key)
    return made


async def main():
    loop = asyncio.get_running_loop()
    handler = Handler()
    signed = {"authenticator": signs_in, "auth_required": True}
    ways = [
        (None, {}),
        (None, {"tls_context": context(), "require_starttls": True, **signed}),
        (context(), {"auth_require_tls": False, **signed}),
    ]
    ports = []
    for outer, options in ways:
        make = lambda options=options: SMTP(handler, hostname="localhost", **options)
        server = await loop.create_server(make, "127.0.0.1", 0, ssl=outer)
        ports.append(server.sockets[0].getsockname()[1])
    print(json.dumps(ports), flush=True)
    await loop.run_in_executor(None, sys.stdin.read)


asyncio.run(main())
