"""Loaded by every Python of a sandbox, before the code of a skill.

A script finds the modules beside it, as everywhere, if its folder is mounted read-only. Python itself does not look there
(PYTHONSAFEPATH), because an earlier run may have left modules in a folder of the thread.

In a sandbox with a way out, urllib, requests, httpx and others find the proxy by its variables; libraries that connect by themselves (http.client, aiohttp, websockets, smtplib) do not, and try to resolve names,
which nothing in the sandbox can. Here a name gets an address that stands for it in this process alone, and a socket that connects to
it asks the forwarder for a tunnel and connects to that. It decides nothing: code without it gets no further.
"""

import os
import sys


def _see_modules_beside():
    arguments = getattr(sys, "orig_argv", [])[1:]
    script = next((each for each in arguments if not each.startswith("-")), "")
    folder = os.path.dirname(os.path.realpath(script))
    if os.path.isfile(script) and os.statvfs(folder).f_flag & os.ST_RDONLY:
        sys.path.insert(0, folder)


_see_modules_beside()


def _install(tunnels):
    import errno
    import ipaddress
    import itertools
    import socket

    resolve, by_name, connect = socket.getaddrinfo, socket.gethostbyname, socket.socket.connect
    addresses, names, numbers = {}, {}, itertools.count(1)

    def is_address(host):
        try:
            return bool(ipaddress.ip_address(host.partition("%")[0]))
        except ValueError:
            return False

    def stands_for(host):
        """The address that stands for a name; None for what is no name of another machine."""
        name = host.decode("ascii") if isinstance(host, (bytes, bytearray)) else host
        if not isinstance(name, str) or name.lower() in ("", "localhost", "sandbox") or is_address(name):
            return None
        if name not in addresses:
            at = next(numbers)
            address = "127.%d.%d.%d" % (64 + (at >> 16), at >> 8 & 255, at & 255)
            names[address] = name
            addresses[name] = address
        return addresses[name]

    def getaddrinfo(host, port, family=0, type=0, proto=0, flags=0):
        address = None if family not in (0, socket.AF_INET) else stands_for(host)
        return resolve(address or host, port, family, type, proto, flags)

    def gethostbyname(host):
        return stands_for(host) or by_name(host)

    def tunnel_to(host, port):
        target = "%s:%d" % ("[%s]" % host if ":" in host else host, port)
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as question:
            connect(question, ("127.0.0.1", tunnels))
            question.sendall(target.encode("idna" if ":" not in host else "ascii") + b"\n")
            answer = b"".join(iter(lambda: question.recv(1024), b"")).decode().strip()
        if answer.isdigit():
            return int(answer)
        reason = "The proxy did not connect to %s: %s" % (target, answer or "no answer")
        raise ConnectionRefusedError(errno.ECONNREFUSED, reason)

    def inside(sock, address):
        """Where a socket connects instead: to a tunnel, if the address is of another machine."""
        if sock.family not in (socket.AF_INET, socket.AF_INET6) or sock.type != socket.SOCK_STREAM:
            return address
        host, port = address[0], address[1]
        name = names.get(host) or names.get(stands_for(host))
        if name is None and sock.family == socket.AF_INET and is_address(host):
            name = None if host.startswith("127.") or host == "0.0.0.0" else host
        return address if name is None else ("127.0.0.1", tunnel_to(name, port))

    def connect_tunnel(self, address):
        return connect(self, inside(self, address))

    def connect_ex(self, address):
        try:
            return try_connect(self, inside(self, address))
        except ConnectionRefusedError as error:
            return error.errno

    try_connect = socket.socket.connect_ex
    socket.getaddrinfo, socket.gethostbyname = getaddrinfo, gethostbyname
    socket.socket.connect, socket.socket.connect_ex = connect_tunnel, connect_ex


if os.environ.get("KNACK_TUNNELS", "").isdigit():
    _install(int(os.environ["KNACK_TUNNELS"]))
