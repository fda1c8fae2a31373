"""Leads what the clients of others ask of the service whose name stands in their source to a server on this machine, and nothing anywhere else.

Python imports a module of this name before any program, so that the clients stay as their authors wrote them. Environment: FRONT_PORT, the port of loopback that
answers for the service with TLS. That the clients trust its authority is a matter of SSL_CERT_FILE and REQUESTS_CA_BUNDLE.
"""

import asyncio
import os
import socket
import sys

SERVICE = "www.virustotal.com"
LOOPBACK = "127.0.0.1"
# Clients ask for the state of what they wait for every 20 seconds; here the answer is there at once.
WAIT_MAX = 0.05

look_up = socket.getaddrinfo
wait = asyncio.sleep


def look_up_service(host, port, *arguments, **named):
    if host in (SERVICE, SERVICE.encode()) and port in (443, "443", "https"):
        host, port = LOOPBACK, int(os.environ["FRONT_PORT"])
    return look_up(host, port, *arguments, **named)


def wait_shortly(delay, *arguments, **named):
    return wait(min(delay, WAIT_MAX), *arguments, **named)


def only_loopback(event, arguments):
    """No connection leaves the machine, whatever a client has in mind."""
    if event == "socket.connect" and isinstance(arguments[1], tuple) and arguments[1][0] != LOOPBACK:
        raise RuntimeError(f"a client connects to {arguments[1]}")
    if event == "socket.getaddrinfo" and arguments[0] not in (LOOPBACK, LOOPBACK.encode()):
        raise RuntimeError(f"a client looks up {arguments[0]}")


socket.getaddrinfo = look_up_service
asyncio.sleep = wait_shortly
sys.addaudithook(only_loopback)
