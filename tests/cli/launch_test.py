#!/usr/bin/env python3
"""`heaptally run`: the program must not notice, and its end is its own.

    launch_test.py HEAPTALLY CALL_SITES
"""

import json
import os
import pty
import re
import shutil
import signal
import subprocess
import sys

from tool import (Tool, clean_environment, contains, equal, fails, fails_with,
                  main, matches, succeeds)

heaptally = Tool(sys.argv[1])


def run(*words, **more):
    return heaptally("run", *words, **more)


def write(path, text, mode=0o755):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, mode)
    return path


# The program's own.

def test_exit_statuses_are_the_programs(folder):
    for status in (0, 1, 2, 3, 126, 127, 255):
        result = run("--", "sh", "-c", f"exit {status}")
        equal((result.status, result.out, result.err), (status, "", ""))


def test_death_by_signal_is_the_programs(folder):
    for number in (signal.SIGTERM, signal.SIGKILL, signal.SIGABRT):
        result = run("--", "sh", "-c", f"kill -{int(number)} $$")
        equal(result.status, -number)
    line = f"'{heaptally.path}' run -- sh -c 'kill -TERM $$'; echo $?"
    done = subprocess.run(["bash", "-c", line], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, check=True,
                          env=clean_environment())
    equal(done.stdout, "143\n")


def test_a_signal_to_the_process_reaches_the_program(folder):
    program = ("import signal, sys, time\n"
               "signal.signal(signal.SIGTERM, lambda *_: sys.exit(7))\n"
               "print('ready', flush=True)\n"
               "time.sleep(30)\n")
    child = subprocess.Popen(
        [heaptally.path, "run", "--", sys.executable, "-c", program],
        stdout=subprocess.PIPE, env=clean_environment(), text=True)
    equal(child.stdout.readline(), "ready\n")
    child.terminate()
    equal(child.wait(timeout=30), 7)
    child.stdout.close()


def test_standard_streams_are_the_programs(folder):
    text = "line\n" * 20000
    result = run("--", "cat", stdin=text)
    equal((result.out == text, result.err, result.status), (True, "", 0))
    result = run("--", "sh", "-c", "echo out; echo err >&2")
    equal((result.out, result.err), ("out\n", "err\n"))


def test_the_environment_is_the_programs(folder):
    plain = subprocess.run(["env"], env=clean_environment(), check=True,
                           stdout=subprocess.PIPE, text=True).stdout
    lines = [line for line in plain.splitlines() if not line.startswith("_=")]
    for options in ([], ["--no-follow"], ["--mode", "counters"]):
        out = succeeds(run(*options, "--", "env"))
        equal([line for line in out.splitlines()
               if not line.startswith("_=")], lines)


def test_the_users_own_preload_stays(folder):
    # The loader skips a library that it has already; any one serves.
    libc = re.search(r"\s(/\S*libm\.so\.6)\s", open("/proc/self/maps").read() +
                     subprocess.run(["ldd", sys.executable], check=True,
                                    stdout=subprocess.PIPE,
                                    text=True).stdout).group(1)
    out = succeeds(run("--", "env", env={"LD_PRELOAD": libc}))
    equal([line for line in out.splitlines() if "LD_PRELOAD" in line],
          [f"LD_PRELOAD={libc}"])


def test_follow_keeps_the_environment_for_children(folder):
    out = succeeds(run("--follow", "--", "env"))
    contains(out, "\nLD_PRELOAD=")
    matches([line for line in out.splitlines()
             if line.startswith("HEAPTALLY=")][0],
            "HEAPTALLY=.*mode=all.*control=on.*env=keep.*")


def test_process_id_open_files_and_folder_are_kept(folder):
    program = [sys.executable, "-c", "import os; print(os.getpid()); "
               "print(os.getcwd()); print(os.listdir('/proc/self/fd'))"]

    def output(words):
        child = subprocess.Popen(
            words, stdout=subprocess.PIPE, cwd=folder,
            stdin=subprocess.DEVNULL, env=clean_environment(), text=True)
        pid, here, files = child.communicate(timeout=30)[0].splitlines()
        equal(int(pid), child.pid)
        equal(here, os.path.realpath(folder))
        return files
    equal(output([heaptally.path, "run", "--", *program]), output(program))


def test_argument_words_are_passed_as_they_are(folder):
    words = ["--mode", "", "a b", "--", "-x", "*", "ä"]
    program = "import sys, json; print(json.dumps(sys.argv[1:]))"
    out = succeeds(run("--mode=counters", "--", sys.executable, "-c", program,
                       *words))
    equal(json.loads(out), words)
    # Without "--" the first word that is no option begins the program.
    equal(succeeds(run("--mode", "counters", "echo", "--mode", "x")),
          "--mode x\n")


# Programs that are scripts.

def test_scripts_run(folder):
    equal(succeeds(run("--", write(f"{folder}/a", "#!/bin/sh\necho $0 $1\n"),
                       "x")), f"{folder}/a x\n")
    equal(succeeds(run("--", write(f"{folder}/b", "echo $0 $1\n"), "x")),
          f"{folder}/b x\n")


def test_a_script_of_env_is_measured_itself(folder):
    script = write(f"{folder}/a.py", "#!/usr/bin/env python3\n"
                   "import sys\n"
                   "print(sys.argv)\n"
                   "print('libheaptally' in open('/proc/self/maps').read())\n")
    equal(succeeds(run("--", script, "x")), f"['{script}', 'x']\nTrue\n")


def test_the_program_itself_is_preloaded_and_its_children_are_not(folder):
    look = ("grep -c libheaptally /proc/$$/maps >/dev/null && echo yes; "
            "sh -c 'grep -c libheaptally /proc/$$/maps || true'")
    out = succeeds(run("--", "sh", "-c", look))
    equal(out, "yes\n0\n")
    out = succeeds(run("--follow", "--", "sh", "-c", look))
    equal(out.splitlines()[0], "yes")
    equal(out.splitlines()[1] != "0", True, "child is preloaded")


def test_a_shell_script_gets_a_note_on_a_terminal_only(folder):
    script = write(f"{folder}/a", "#!/bin/sh\nexit 3\n")
    for more, noted in (([], True), (["--follow"], False)):
        master, slave = pty.openpty()
        done = subprocess.run([heaptally.path, "run", *more, "--", script],
                              stderr=slave, env=clean_environment(),
                              check=False)
        os.close(slave)
        try:
            shown = os.read(master, 65536).decode()
        except OSError:  # Nothing was written.
            shown = ""
        os.close(master)
        equal(done.returncode, 3)
        equal(shown, f"heaptally run: note: {script} is a shell script; what "
              "it starts runs without heaptally unless --follow is given\r\n"
              if noted else "")
    equal(run("--", script).err, "")


# Faults.

def test_programs_that_cannot_be_run(folder):
    fails(run("--", "no-such-program"), "heaptally run: cannot find the "
          "program no-such-program in PATH")
    fails(run("--", "/no/such"), "heaptally run: cannot run /no/such: No such "
          "file or directory")
    data = write(f"{folder}/data", "x", 0o644)
    fails(run("--", data), f"heaptally run: cannot run {data}: it is not "
          f"executable (chmod +x {data})")
    fails(run("--", folder),
          f"heaptally run: cannot run {folder}: it is a folder")
    fails(run(), "heaptally run: the program to run is missing: heaptally run "
          "-- PROGRAM [ARGUMENTS...]")
    fails(run("--follow"), "heaptally run: the program to run is missing: "
          "heaptally run -- PROGRAM [ARGUMENTS...]")


def test_a_statically_linked_program_is_refused(folder):
    source = write(f"{folder}/a.c", "int main(void) { return 0; }\n", 0o644)
    program = f"{folder}/a"
    subprocess.run(["cc", "-static", "-o", program, source], check=True)
    fails(run("--", program), f"heaptally run: {program} is statically "
          "linked, so nothing can be preloaded into it; link it with "
          "libheaptally.a or build it dynamically")
    script = write(f"{folder}/script", f"#!{program}\n")
    fails_with(run("--", script), f"heaptally run: {program} is statically.*")


def test_a_set_uid_program_runs_with_a_warning(folder):
    program = shutil.copy("/bin/true", f"{folder}/a")
    others = os.geteuid() == 0  # Only root can give a file away.
    if others:
        os.chown(program, 65534, 65534)
    os.chmod(program, 0o4755)
    result = run("--", program)
    equal(result.status, 0)
    equal(result.err, f"heaptally run: warning: {program} gets other rights "
          "than yours when it runs (set-uid, set-gid or capabilities), so the "
          "system preloads nothing into it; it runs without heaptally\n"
          if others else "")


def test_bad_options_of_run(folder):
    fails(run("--mode", "al", "--", "true"),
          "heaptally run: unknown mode al; did you mean all? there are "
          "counters, sampled=BYTES and all")
    fails(run("--depth", "5000", "--", "true"),
          "heaptally run: --depth: 5000 is not a whole number from 1 to 4096")
    fails(run("--min-size", "x", "--", "true"),
          "heaptally run: --min-size: x is not a size; write bytes or use K, "
          "M or G: 4096, 64K, 1.5M")
    fails(run("--mod", "all", "--", "true"),
          "heaptally run: unknown option --mod; did you mean --mode?")
    fails(run("--follow", "--no-follow", "--", "true"),
          "heaptally run: --follow and --no-follow exclude each other")
    fails(run("--at-exit", f"{folder}/none/x", "--", "true"),
          f"heaptally run: --at-exit: cannot write into the folder "
          f"{folder}/none: No such file or directory")
    fails(run("--at-exit", f"{folder}", "--", "true"),
          f"heaptally run: --at-exit: {folder} is a folder; name a file in it")
    fails(run("--at-exit", f"{folder}/a,b", "--", "true"),
          f"heaptally run: {folder}/a,b has a comma, which the variable "
          "HEAPTALLY cannot express; use another path")


def test_a_missing_runtime_is_named_with_all_places(folder):
    copy = f"{folder}/bin/heaptally"
    os.mkdir(f"{folder}/bin")
    shutil.copy(heaptally.path, copy)
    result = Tool(copy)("run", "--", "true")
    fails_with(result, r"heaptally run: cannot find the runtime "
               rf"libheaptally.so \(tried {folder}/lib/libheaptally.so, .*\); "
               "name it with --runtime")
    fails(run("--runtime", "/no/such.so", "--", "true"), "heaptally run: "
          "cannot read the runtime /no/such.so: No such file or directory")
    os.mkdir(f"{folder}/a b")
    spaced = write(f"{folder}/a b/libheaptally.so", "")
    fails(run("--runtime", spaced, "--", "true"), "heaptally run: the "
          "runtime's path has a space or a colon, which LD_PRELOAD cannot "
          f"express: {spaced}; copy it elsewhere and name the copy with "
          "--runtime")


# Options.

def test_the_command_line_wins_over_the_variable(folder):
    path = f"{folder}/x.heaptally"
    succeeds(run("--mode", "counters", "--at-exit", path, "--", "true",
                 env={"HEAPTALLY": "mode=all,depth=9"}))
    report = json.loads(succeeds(heaptally("report", path, "--json")))
    equal(report["mode"], "counters")
    dump = succeeds(heaptally("dump", path, "--section", "facts"))
    contains(dump, "depth_limit=9")


def test_the_mode_of_the_variable_counts_when_none_is_given(folder):
    path = f"{folder}/x.heaptally"
    succeeds(run("--at-exit", path, "--", "true",
                 env={"HEAPTALLY": "mode=counters"}))
    report = json.loads(succeeds(heaptally("report", path, "--json")))
    equal(report["mode"], "counters")


# At exit.

def test_the_snapshot_at_exit_is_whole_and_named_when_the_program_has_ended(
        folder):
    result = run("--at-exit", "out-%p.heaptally", "--", sys.executable, "-c",
                 "import os; print(os.getpid()); keep = [bytearray(99999)]; "
                 "os.chdir('/')", cwd=folder)
    pid = succeeds(result).strip()
    equal(os.listdir(folder), [f"out-{pid}.heaptally"])
    path = f"{folder}/out-{pid}.heaptally"
    report = json.loads(succeeds(heaptally("report", path, "--json")))
    equal(report["process"]["pid"], int(pid))
    equal(report["books"]["balanced"], True)
    named = [frame for t in report["tracebacks"] for frame in t["frames"]
             if not frame["function"].startswith(frame["module"] + "+0x")]
    equal(len(named) > 0, True, "some frame has a name")
    # Named in the file, not only while it was read.
    with open(path, "rb") as file:
        equal(file.read(64)[48] & 1, 1, "flag: names are there")


def test_each_followed_child_leaves_its_own_file(folder):
    child_program = "import os; print(os.getpid())"
    parent_program = ("import os, subprocess, sys\n"
                      "subprocess.run([sys.executable, '-c', "
                      f"{child_program!r}])\n"
                      "print(os.getpid())")
    result = run("--follow", "--at-exit", f"{folder}/%p.heaptally", "--",
                 sys.executable, "-c", parent_program)
    child, parent = succeeds(result).split()
    equal({f"{child}.heaptally", f"{parent}.heaptally"} -
          set(os.listdir(folder)), set(), "files that are missing")
    for pid in (child, parent):
        report = json.loads(succeeds(
            heaptally("report", f"{folder}/{pid}.heaptally", "--json")))
        equal(report["process"]["pid"], int(pid))
    leftovers = [f for f in os.listdir(folder)
                 if not re.fullmatch(r"\d+\.heaptally", f)]
    equal(leftovers, [], "leftovers")


def test_a_file_without_names_is_named_while_it_is_read(folder):
    path = f"{folder}/raw.heaptally"
    runtime = os.path.join(os.path.dirname(os.path.dirname(heaptally.path)),
                           "lib", "libheaptally.so")
    environment = clean_environment()
    environment["LD_PRELOAD"] = runtime
    environment["HEAPTALLY"] = f"mode=all,at_exit={path}"
    subprocess.run([sys.executable, "-c", "pass"], check=True,
                   env=environment)
    with open(path, "rb") as file:
        equal(file.read(64)[48] & 1, 0, "flag: names are there")
    contains(succeeds(heaptally("report", path)), "Py_BytesMain")
    contains(succeeds(heaptally("compare", path, path, "--json")),
             "Py_BytesMain")
    succeeds(heaptally("pack", path))
    with open(path, "rb") as file:
        equal(file.read(64)[48] & 1, 1, "flag: names are there")


# Stacks that are not recorded, or not to their end.

def report_of_call_sites(folder, *options):
    """The report as JSON and as text of forty call sites of three blocks."""
    file = f"{folder}/x.heaptally"
    equal(succeeds(run("--at-exit", file, *options, "--", sys.argv[2])), "")
    return (json.loads(succeeds(heaptally("report", file, "--json"))),
            succeeds(heaptally("report", file)))


def test_a_full_table_is_counted_and_named(folder):
    report, text = report_of_call_sites(folder, "--max-tracebacks", "5")
    equal(report["totals"]["current"]["blocks"], 120)
    equal(report["coverage"]["without_stack"], {"table_full": 105})
    equal(report["books"]["balanced"], True)
    rows = report["tracebacks"]
    equal(sorted(row["blocks"] for row in rows), [3, 3, 3, 3, 3, 105])
    full = rows[0]
    equal((full["reason"], full["requested"], full["frames"]),
          ("table_full", 10500, []))
    contains(text, "  coverage   15 of 120 blocks, 12.5 % of usable, have a "
                   "stack; without one:\n             105 blocks (11.5 KiB): "
                   "the table of tracebacks was full\n")
    contains(text, "\n      (the table of tracebacks was full)\n")


def test_a_depth_limit_is_counted_and_marked(folder):
    report, text = report_of_call_sites(folder, "--depth", "1")
    equal(report["coverage"]["without_stack"], {})
    equal([(row["walk_end"], len(row["frames"]))
           for row in report["tracebacks"]], 40 * [("depth_limit", 1)])
    contains(text, "  coverage   every block has a stack\n             40 "
                   "tracebacks (120 blocks, 13.1 KiB usable) end early: depth "
                   "limit 40\n")
    equal(text.count("\n      \u2026 the stack goes on: depth limit\n"), 20)


if __name__ == "__main__":
    main(sys.modules["__main__"])
