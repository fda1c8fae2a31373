"""Ends TLS for a server that speaks plain HTTP, as a proxy in front of it does.

    front.py CERTIFICATE KEY PORT [forward]

Prints the port of loopback on which it listens. With `forward` it says in each request for whom and how it was asked, in the headers that proxies use.
"""

import asyncio
import ssl
import sys

CERTIFICATE, KEY, PORT = sys.argv[1], sys.argv[2], int(sys.argv[3])
FORWARD = "forward" in sys.argv[4:]
LOOPBACK = "127.0.0.1"
# Of bytes that are passed on at once.
PIECE = 64 * 1024


def passed_on(head, peer):
    """The head of a request as the server gets it: one request a connection, and how it came."""
    lines = [line for line in head.removesuffix(b"\r\n\r\n").split(b"\r\n") if not line.lower().startswith(b"connection:")]
    lines.append(b"connection: close")
    if FORWARD:
        host = next(line.partition(b":")[2].strip() for line in lines if line.lower().startswith(b"host:"))
        lines += [b"x-forwarded-proto: https", b"x-forwarded-host: " + host, b"x-forwarded-for: " + peer.encode()]
    return b"\r\n".join(lines) + b"\r\n\r\n"


async def pass_on(source, target):
    while piece := await source.read(PIECE):
        target.write(piece)
        await target.drain()


async def serve(asking, answering):
    """One connection; either side may go when it has what it wants."""
    upwards = None
    try:
        head = await asking.readuntil(b"\r\n\r\n")
        answers, requests = await asyncio.open_connection(LOOPBACK, PORT)
        requests.write(passed_on(head, answering.get_extra_info("peername")[0]))
        upwards = asyncio.create_task(pass_on(asking, requests))
        await pass_on(answers, answering)
    except (asyncio.IncompleteReadError, OSError):
        pass
    finally:
        if upwards:
            upwards.cancel()
            requests.close()
        answering.close()


async def main():
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATE, KEY)
    server = await asyncio.start_server(serve, LOOPBACK, 0, ssl=context)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


asyncio.run(main())
