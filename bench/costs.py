#!/usr/bin/env python3
"""What heaptally costs, against stock jemalloc and heaptrack on the same work.

Runs are interleaved (A B C A B C …) and medians are taken, so that a machine
whose speed drifts treats all alike; ratios are taken run by run. Instructions
are counted by valgrind's callgrind and repeat exactly.

  python3 bench/costs.py --build build            all of it, about ten minutes
  python3 bench/costs.py --build build pair tree  some of it
  python3 bench/costs.py --build build --runs 9 --csv costs.csv

Needs: valgrind, heaptrack, libjemalloc2, g++ (tests/run.sh installs them).
"""
import argparse
import csv
import os
import platform
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

JEMALLOC = "/usr/lib/x86_64-linux-gnu/libjemalloc.so.2"


class Variant:
    """A way of running a program: environment and a prefix."""

    def __init__(self, name, env=None, prefix=()):
        self.name, self.env, self.prefix = name, env or {}, list(prefix)


def variants(build, scratch, with_heaptrack):
    library = os.path.join(build, "lib", "libheaptally.so")
    if not os.path.exists(library):
        sys.exit(f"costs.py: {library} is missing; build first: "
                 f"cmake --build {build}")
    result = [
        Variant("glibc"),
        Variant("jemalloc", {"LD_PRELOAD": JEMALLOC}),
        Variant("counters",
                {"LD_PRELOAD": library, "HEAPTALLY": "mode=counters"}),
        Variant("sampled",
                {"LD_PRELOAD": library, "HEAPTALLY": "mode=sampled=512KiB"}),
        Variant("all", {"LD_PRELOAD": library, "HEAPTALLY": "mode=all"}),
    ]
    if with_heaptrack and shutil.which("heaptrack"):
        result.append(Variant("heaptrack", {}, [
            "heaptrack", "--raw", "-o",
            os.path.join(scratch, "heaptrack")]))
    return result


def run_once(variant, command, scratch):
    """Wall and CPU seconds and peak resident KiB of one run."""
    for name in os.listdir(scratch):
        if name.startswith("heaptrack"):
            os.unlink(os.path.join(scratch, name))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.monotonic()
    report = os.path.join(scratch, "time")
    # GNU time reports the peak of this one command, not of all so far.
    subprocess.run(
        ["/usr/bin/env"] + [f"{k}={v}" for k, v in variant.env.items()]
        + variant.prefix + command if variant.prefix else
        ["/usr/bin/time", "-o", report, "-f", "%M", "/usr/bin/env"]
        + [f"{k}={v}" for k, v in variant.env.items()] + command,
        check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        cwd=scratch)
    wall = time.monotonic() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = (after.ru_utime + after.ru_stime
           - before.ru_utime - before.ru_stime)
    peak = 0
    if not variant.prefix:
        with open(report) as f:
            peak = int(f.read().split()[-1])
    return wall, cpu, peak


def compare(title, command, the_variants, runs, scratch, rows):
    samples = {v.name: [] for v in the_variants}
    for v in the_variants:
        run_once(v, command, scratch)  # warm up
    for i in range(runs):
        print(f"\r{title}: run {i + 1} of {runs} ", end="", file=sys.stderr)
        for v in the_variants:
            samples[v.name].append(run_once(v, command, scratch))
    print("\r" + " " * 60 + "\r", end="", file=sys.stderr)
    base = samples["jemalloc"]
    print(f"\n### {title}\n")
    print("| variant | CPU s | × jemalloc | spread | wall s | peak MiB "
          "| × jemalloc |\n|---|---|---|---|---|---|---|")
    for v in the_variants:
        own = samples[v.name]
        ratios = [a[1] / b[1] for a, b in zip(own, base)]
        peak = statistics.median(s[2] for s in own) / 1024
        base_peak = statistics.median(s[2] for s in base) / 1024
        cpu = statistics.median(s[1] for s in own)
        wall = statistics.median(s[0] for s in own)
        ratio = statistics.median(ratios)
        memory = f"{peak:.1f} | {peak / base_peak:.2f}" if peak else "– | –"
        print(f"| {v.name} | {cpu:.3f} | {ratio:.2f} | "
              f"{min(ratios):.2f}–{max(ratios):.2f} | {wall:.3f} | {memory} |")
        rows.append([title, v.name, f"{cpu:.4f}", f"{ratio:.3f}",
                     f"{wall:.4f}", f"{peak:.2f}"])


def instructions(variant, command, scratch):
    env = dict(os.environ, **variant.env)
    run = subprocess.run(
        ["valgrind", "--tool=callgrind",
         "--callgrind-out-file=" + os.path.join(scratch, "callgrind")]
        + command, env=env, capture_output=True, text=True, check=True)
    return int(re.search(r"Collected : (\d+)", run.stderr).group(1))


def pair(build, the_variants, scratch, rows):
    """Instructions of one malloc and free of 64 bytes, the loop included."""
    program = os.path.join(build, "bin", "malloc_pair")
    print("\n### Instructions a malloc and free of 64 bytes\n")
    print("| variant | instructions |\n|---|---|")
    for v in the_variants:
        if v.prefix:
            continue
        few = instructions(v, [program, "100000"], scratch)
        many = instructions(v, [program, "300000"], scratch)
        each = (many - few) / 200000
        print(f"| {v.name} | {each:.1f} |")
        rows.append(["pair", v.name, f"{each:.1f}", "", "", ""])


def template_heavy_source(scratch):
    """A preprocessed file that keeps a compiler busy with templates."""
    source = os.path.join(scratch, "templates.cc")
    with open(source, "w") as f:
        f.write("""#include <algorithm>
#include <functional>
#include <future>
#include <map>
#include <regex>
#include <string>
#include <unordered_map>
std::regex word("[a-z]+");
std::map<std::string, std::map<int, std::function<void(std::string)>>> table;
int main() {
  std::unordered_map<std::string, std::vector<std::string>> lists;
  std::sort(lists["a"].begin(), lists["a"].end());
  auto answer = std::async([] { return 1; });
  std::cmatch match;
  std::regex_match("xx", match, word);
  return answer.get();
}
""")
    preprocessed = os.path.join(scratch, "templates.ii")
    subprocess.run(["g++", "-std=c++17", "-E", source, "-o", preprocessed],
                   check=True)
    return preprocessed


def snapshot(build, scratch, rows, blocks, size, title):
    """Pause and duration of a snapshot of a process with many blocks."""
    tool = os.path.join(build, "bin", "heaptally")
    target = subprocess.Popen(
        [tool, "run", "--", os.path.join(build, "bin", "many_blocks"),
         str(blocks), str(size)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert target.stdout.readline() == "ready\n"
    with open(f"/proc/{target.pid}/statm") as f:
        resident = int(f.read().split()[1]) * 4096
    out = os.path.join(scratch, "big.heaptally")
    pauses, walls = [], []
    for _ in range(3):
        started = time.monotonic()
        subprocess.run([tool, "snapshot", str(target.pid), "-o", out],
                       check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        walls.append(time.monotonic() - started)
        import json
        report = json.loads(subprocess.run(
            [tool, "report", out, "--json", "--top", "1"], check=True,
            capture_output=True, text=True).stdout)
        pauses.append(report["cost"]["pause_ms"])
        assert report["books"]["balanced"] is True
        assert report["totals"]["current"]["blocks"] >= blocks
        os.unlink(out)
    target.stdin.close()
    target.wait()
    pause = statistics.median(pauses)
    gib = resident / 2**30
    print(f"| {title} | {gib:.2f} | {pause:.1f} | {pause / gib:.1f} | "
          f"{statistics.median(walls):.2f} |")
    rows.append(["snapshot " + title, "", f"{pause:.2f}", f"{pause / gib:.2f}",
                 f"{statistics.median(walls):.3f}", f"{resident / 2**20:.0f}"])


def page(build, rows):
    """What the Memory tool's page waits for on a large snapshot."""
    print("\n### The page, on 5 million blocks and 200,000 tracebacks\n")
    run = subprocess.run([os.path.join(build, "bin", "analysis_benchmark"),
                          "--csv"], check=True, capture_output=True, text=True)
    print("| step | ms | limit | processor ms | resident MiB | peak MiB |\n"
          "|---|---|---|---|---|---|")
    for step in list(csv.reader(run.stdout.splitlines()))[1:]:
        print("| " + " | ".join(step) + " |")
        rows.append(["page: " + step[0], "", step[3], "", step[1], step[5]])


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--build", default="build", help="build folder")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--csv", help="write the figures there as well")
    parser.add_argument("what", nargs="*",
                        choices=["pair", "loop", "tree", "cc1plus",
                                 "snapshot", "page", []],
                        help="parts to run (all)")
    arguments = parser.parse_args()
    what = arguments.what or ["pair", "loop", "tree", "cc1plus", "snapshot",
                              "page"]
    build = os.path.abspath(arguments.build)
    rows = [["workload", "variant", "cpu_s or value", "ratio", "wall_s",
             "peak_mib"]]
    with tempfile.TemporaryDirectory(prefix="heaptally-costs-") as scratch:
        plain = variants(build, scratch, False)
        full = variants(build, scratch, True)
        print(f"Machine: {platform.machine()}, {os.cpu_count()} processors, "
              f"Linux {platform.release()}; {arguments.runs} interleaved runs, "
              f"medians.")
        if "pair" in what:
            pair(build, plain, scratch, rows)
        if "loop" in what:
            compare("malloc and free of 64 bytes, 30 million times",
                    [os.path.join(build, "bin", "malloc_pair"), "30000000"],
                    plain, arguments.runs, scratch, rows)
        if "tree" in what:
            tree = os.path.join(build, "bin", "tree_builder")
            compare("tree builder, 2,560 trees of 2,047 nodes",
                    [tree, "10", "2560"], full, arguments.runs, scratch, rows)
            compare("tree builder, 10 trees of 524,287 nodes, each node with a "
                    "call stack of its own",
                    [tree, "18", "10"], full, arguments.runs, scratch, rows)
        if "cc1plus" in what:
            cc1plus = subprocess.run(
                ["g++", "-print-prog-name=cc1plus"], check=True,
                capture_output=True, text=True).stdout.strip()
            compare("cc1plus -O1 of a file heavy with templates",
                    [cc1plus, "-quiet", "-O1", "-std=c++17",
                     template_heavy_source(scratch), "-o", "/dev/null"], full,
                    arguments.runs, scratch, rows)
        if "snapshot" in what:
            print("\n### Snapshots\n\n| heap | resident GiB | pause ms | "
                  "ms a GiB | captured, named, packed s |\n"
                  "|---|---|---|---|---|")
            snapshot(build, scratch, rows, 5000000, 48,
                     "5 million blocks of 48 bytes")
            snapshot(build, scratch, rows, 1000000, 2000,
                     "1 million blocks of 2000 bytes")
        if "page" in what:
            page(build, rows)
    if arguments.csv:
        with open(arguments.csv, "w", newline="") as f:
            csv.writer(f).writerows(rows)
        print(f"\nFigures written to {arguments.csv}.")


if __name__ == "__main__":
    main()
