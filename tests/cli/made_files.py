"""Snapshot files with known contents (see make_files.cc)."""

import os
import subprocess
import sys


def make_files(folder):
    subprocess.run([sys.argv[2], folder], check=True)
    return [os.path.join(folder, f"{name}.heaptally")
            for name in ("before", "after", "other")]


def measure(blocks, requested, usable):
    return {"blocks": blocks, "requested": requested, "usable": usable}
