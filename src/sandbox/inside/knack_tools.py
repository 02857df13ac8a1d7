"""Calls tools of the conversation: from knack_tools import call. Beside the code of a model, in its sandbox."""

import json
import os
import socket


class ToolError(Exception):
    """Why a tool gave no result."""


def call(tool, **input):
    """The result of a tool that only reads, with these arguments. Raises ToolError."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
        line.connect(os.environ["KNACK_CALLS"])
        line.sendall(json.dumps({"tool": tool, "input": input}).encode() + b"\n")
        answer = json.loads(b"".join(iter(lambda: line.recv(65536), b"")))
    if "error" in answer:
        raise ToolError(answer["error"])
    return answer["output"]
