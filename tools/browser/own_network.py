"""Run a command in its own network namespace with only a loopback interface, if the system allows it.

A browser aborts all loading (`ERR_NETWORK_CHANGED`) when an address of the machine is added or removed, as
happens whenever a container starts. Chromium has no switch to turn that off.

Run as: python -m tools.browser.own_network COMMAND [ARGUMENT...]
"""

import fcntl
import os
import socket
import struct
import subprocess
import sys
from collections.abc import Mapping
from typing import Final, NoReturn

from stack.existing import existing_addresses

_INSIDE: Final = "--inside"
_GET_FLAGS, _SET_FLAGS, _UP = 0x8913, 0x8914, 0x1  # from netdevice(7)
_REQUEST: Final = struct.Struct("16sh14x")


def main() -> NoReturn:
    """Become the command."""
    arguments = sys.argv[1:]
    if arguments[:1] == [_INSIDE]:
        raise_loopback()
        command = arguments[1:]
    elif (entrance := way_in(os.environ)) is not None:
        command = [*entrance, sys.executable, "-m", "tools.browser.own_network", _INSIDE, *arguments]
    else:
        command = arguments
    os.execvp(command[0], command)


def way_in(environ: Mapping[str, str]) -> list[str] | None:
    """Return the command prefix that enters the namespace; None if that is forbidden, or a running stack must
    be reached.
    """
    if existing_addresses(environ) is not None:
        return None
    as_user = [] if os.geteuid() == 0 else ["--user", "--map-current-user", "--keep-caps"]
    entrance = ["unshare", *as_user, "--net"]
    try:
        tried = subprocess.run([*entrance, "true"], capture_output=True, check=False)
    except FileNotFoundError:
        return None
    return entrance if tried.returncode == 0 else None


def raise_loopback() -> None:
    """Bring up `lo`, which is down in a new namespace.

    Raises:
        OSError: this process lacks the right.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        answer = fcntl.ioctl(any_socket, _GET_FLAGS, _REQUEST.pack(b"lo", 0))
        name, flags = _REQUEST.unpack(answer)
        fcntl.ioctl(any_socket, _SET_FLAGS, _REQUEST.pack(name, flags | _UP))


if __name__ == "__main__":
    main()
