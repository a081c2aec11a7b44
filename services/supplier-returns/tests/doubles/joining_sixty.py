"""A process that joins sixty guides of two pages each as the service does, and tells what it cost.

Prints JSON: the size of the result, the seconds of CPU of the joining process, and in bytes the most memory
that this process and the joining one took above what they take idle, added up.
"""

import asyncio
import io
import json
import random
import resource
import sys
from pathlib import Path

import pikepdf

from servicekit.pdfs.processes import Joining

GUIDES = 60
PAGES = 2
SCAN_BYTES = 100 * 1024
"""Of the picture on each page; it is of noise, so that nothing can pack it."""


def guide(number: int) -> bytes:
    """Return a PDF of two pages, each filled by a picture."""
    with pikepdf.Pdf.new() as made:
        for page in range(PAGES):
            picture = made.make_stream(
                random.Random(f"{number}/{page}").randbytes(SCAN_BYTES),
                Type=pikepdf.Name.XObject,
                Subtype=pikepdf.Name.Image,
                Width=1024,
                Height=SCAN_BYTES // 1024,
                ColorSpace=pikepdf.Name.DeviceGray,
                BitsPerComponent=8,
            )
            made.add_blank_page()
            made.pages[-1].Resources = pikepdf.Dictionary(XObject=pikepdf.Dictionary(Im0=picture))
            made.pages[-1].Contents = made.make_stream(b"q 500 0 0 700 0 0 cm /Im0 Do Q\n")
        content = io.BytesIO()
        made.save(content)
        return content.getvalue()


def most_of_a_child() -> int:
    """Return the peak memory of any ended child process, in bytes."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024


def resident(field: str) -> int:
    """Return a memory field of this process in bytes: `VmRSS`, or `VmHWM` for the peak."""
    with Path("/proc/self/status").open() as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith(f"{field}:"))


def read(folder: str, count: int) -> list[bytes]:
    """Read the PDF files, so that creating them leaves nothing in this process's memory."""
    return [(Path(folder) / str(number)).read_bytes() for number in range(count)]


async def measure(folder: str) -> dict[str, float]:
    """Join one file, then all. Return the additional cost."""
    joining = Joining()
    await joining.join(read(folder, 1))
    idle, idle_child = resident("VmRSS"), most_of_a_child()
    cpu = children_cpu_s()
    joined = await joining.join(read(folder, GUIDES))
    return {
        "bytes": len(joined),
        "cpu_s": children_cpu_s() - cpu,
        "memory": resident("VmHWM") - idle + most_of_a_child() - idle_child,
    }


def children_cpu_s() -> float:
    """Return the CPU seconds of the ended child processes."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    print(json.dumps(asyncio.run(measure(sys.argv[1]))))  # noqa: T201
