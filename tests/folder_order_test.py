#!/usr/bin/env python3
"""Enforces docs/architecture.md: a folder includes only folders below it.

    folder_order_test.py ROOT         checks the tree
    folder_order_test.py --self-test  checks that the check can fail

Reads the #include lines of every source file. A quoted include is written from
the root and names a file that exists (or one that the build generates).
"""

import pathlib
import re
import sys
import tempfile

FOLDERS = ("accounting", "allocator", "snapshot", "integration", "bench",
           "tests")
MAY_INCLUDE = {
    "accounting": {"accounting"},
    "allocator": {"accounting", "allocator"},
    "snapshot": {"snapshot"},
    "integration": {"accounting", "allocator", "snapshot", "integration"},
    "bench": set(FOLDERS) - {"tests"},
    "tests": set(FOLDERS) - {"bench"},
}
# Only the capture looks at the living heap; the analyses know the file alone.
CAPTURE = re.compile(r"snapshot/capture[a-z_]*\.(h|cc)$")
CAPTURE_MAY_INCLUDE = {"accounting", "allocator", "snapshot"}
# jemalloc is known in one place.
JEMALLOC = re.compile(r"(allocator|bench|tests)/[a-z_/]*jemalloc[a-z_]*\.(h|cc)$")

INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]', re.MULTILINE)


def allowed(path):
    folder = path.split("/")[0]
    if CAPTURE.match(path):
        return CAPTURE_MAY_INCLUDE
    return MAY_INCLUDE[folder]


def fault_of(root, path, quote, name):
    """A sentence about one include, or None."""
    if name.startswith("jemalloc/") and not JEMALLOC.match(path):
        return f"{path} includes <{name}>: only allocator/jemalloc.* may"
    if quote == "<":
        return None
    target = name.split("/")[0]
    if target not in FOLDERS:
        beside = (root / path).parent / name
        if target == "generated" or "integration/api" in path:
            return None
        if beside.exists():
            return f'{path} includes "{name}": write it from the root'
        return None
    if target not in allowed(path):
        return f'{path} includes "{name}": {target}/ is not below it'
    if not (root / name).exists() and not name.endswith((".inc", ".pb.h")):
        return f'{path} includes "{name}", which does not exist'
    return None


def faults(root):
    found, files = [], 0
    for folder in FOLDERS:
        for file in sorted((root / folder).rglob("*")):
            if file.suffix not in (".h", ".cc", ".c", ".def"):
                continue
            files += 1
            path = file.relative_to(root).as_posix()
            text = file.read_text(encoding="utf-8")
            for quote, name in INCLUDE.findall(text):
                fault = fault_of(root, path, quote, name)
                if fault:
                    found.append(fault)
    return found, files


def self_test():
    tree = {
        "accounting/a.h": '#include "accounting/b.h"\n',
        "accounting/b.h": '#include <vector>\n',
        "accounting/up.cc": '#include "allocator/c.h"\n',           # fault
        "allocator/c.h": '#include "accounting/a.h"\n',
        "allocator/beside.cc": '#include "c.h"\n',                  # fault
        "allocator/x.cc": '  #  include <jemalloc/jemalloc.h>\n',   # fault
        "allocator/jemalloc.h": '#include <jemalloc/jemalloc.h>\n',
        "allocator/gone.cc": '#include "accounting/none.h"\n',      # fault
        "snapshot/capture_sink.cc": '#include "allocator/c.h"\n',
        "snapshot/census.cc": '#include "accounting/a.h"\n',        # fault
        "integration/cli/main.cc": '#include "snapshot/s.h"\n'
                                   '#include "bench/b.h"\n',        # fault
        "snapshot/s.h": "",
        "bench/b.h": "",
        "tests/t.cc": '#include "integration/cli/main.cc"\n',
    }
    with tempfile.TemporaryDirectory() as directory:
        root = pathlib.Path(directory)
        for path, text in tree.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, encoding="utf-8")
        found, files = faults(root)
    at = sorted(fault.split()[0] for fault in found)
    want = ["accounting/up.cc", "allocator/beside.cc", "allocator/gone.cc",
            "allocator/x.cc", "integration/cli/main.cc", "snapshot/census.cc"]
    if at != want or files != len(tree):
        sys.exit(f"self-test: found faults at {at}, want {want}")
    print(f"self-test: {len(want)} planted faults of {files} files found")


def main():
    if sys.argv[1:] == ["--self-test"]:
        self_test()
        return
    found, files = faults(pathlib.Path(sys.argv[1]))
    for fault in found:
        print(fault)
    if files == 0:
        found.append("no files")
    print(f"{files} files, {len(found)} faults")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
