"""Frames of addresses as binutils' addr2line and LLVM's symbolizer give them,
and what of a difference to ours is no difference.

Rules, each with its reason:
 1. Paths are compared after os.path.normpath: ours are written without "a/..".
 2. "(discriminator N)" is dropped: it tells basic blocks of one line apart.
 3. "?" as a line is 0, "??" as a file or function is unknown. A file without a
    line is unknown too: addr2line takes it from an STT_FILE symbol.
 4. Marks of a compiler's clone (".constprop.0", "[clone .cold]") are dropped:
    the source function is the same.
 5. Both print the bare DW_AT_name of a function without linkage name (internal
    linkage); ours is the full name. Then the bare name has to be the last
    component of ours.
 6. addr2line prints the name of the ELF symbol, with parameters, for the
    outermost frame of such a function; ours has no parameters if the code is
    a clone under another name. Then ours has to be theirs without them.
 7. Without debug information each of the symbols of one address is right: the C
    library's fclose is _IO_fclose and __new_fclose too.

Where addr2line still differs, LLVM's symbolizer has to agree with us on every
frame under the same rules. Known causes, both in binutils 2.40:
 a. an *innermost* inlined function without linkage name is given the ELF symbol
    of the function around it;
 b. an address that two units claim (copies that the linker merged) may be left
    without any line.
"""
import os
import re
import subprocess

ADDR2LINE = ("addr2line", "-r", "-a", "-i", "-f", "-C", "-e")
LLVM = ("--addresses", "--output-style=GNU", "--no-demangle", "--inlines",
        "--functions=linkage", "-e")


def run(command, text):
    return subprocess.run(command, check=True, text=True, input=text,
                          stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL).stdout


def hex_lines(addresses):
    return "".join(f"{a:#x}\n" for a in addresses)


def addr2line(binary, addresses):
    """A list of (function, file, line), innermost first, for each address."""
    return parse(run([*ADDR2LINE, binary], hex_lines(addresses)))


def llvm_symbolizer(program, binary, addresses):
    text = run([program, *LLVM, binary], hex_lines(addresses))
    # Demangled by the demangler that the others use.
    return parse(run(["c++filt", "-r", "-i"], text))


def parse(text):
    answers, lines = [], text.splitlines()
    i = 0
    while i < len(lines):
        if re.fullmatch("0x[0-9a-f]+", lines[i]):
            answers.append([])
            i += 1
            continue
        file, _, line = lines[i + 1].rpartition(":")
        line = line.split(" ")[0]
        line = 0 if line == "?" else int(line)
        answers[-1].append((lines[i], normal_path(file, line), line))
        i += 2
    return answers


def normal_path(path, line):
    return "" if path in ("", "??") or line == 0 else os.path.normpath(path)


def without_clone(name):
    name = re.sub(r" \[clone [^\]]*\]", "", name)
    return re.sub(r"\.(constprop|isra|part|cold|lto_priv|localalias)\b.*", "",
                  name)


def without_parameters(name):
    """`a::f(int) const` -> `a::f`, leaving template arguments alone."""
    end = len(name)
    for suffix in (" const", " &", " &&", " volatile"):
        if name.endswith(suffix):
            end -= len(suffix)
            break
    if end == 0 or name[end - 1] != ")" or name.endswith("operator()"):
        return name
    depth = 0
    for i in range(end - 1, -1, -1):
        depth += {")": 1, "(": -1}.get(name[i], 0)
        if depth == 0:
            return name[:i]
    return name


def same_function(ours, theirs):
    theirs = without_clone(theirs)
    if theirs == "??":
        return ours == "??"
    bare_ours, bare_theirs = map(without_parameters, (ours, theirs))
    return (ours == theirs or bare_ours.endswith("::" + theirs)
            or bare_theirs == ours or bare_theirs.endswith(" " + ours))


class Aliases:
    """Which symbols of a program share an address."""

    def __init__(self, program):
        self.addresses = {}
        for options in ([], ["-D"]):
            text = run(["nm", "-C", "--defined-only",
                        "--without-symbol-versions", *options, program], "")
            for line in text.splitlines():
                address, _, name = line.split(" ", 2)
                self.addresses.setdefault(name, set()).add(address)

    def same(self, ours, theirs):
        none = set()
        return bool(self.addresses.get(ours, none) &
                    self.addresses.get(theirs, none))


def same_frame(ours, theirs, aliases):
    same_name = same_function(ours[0], theirs[0]) or (
        not ours[1] and aliases.same(ours[0], theirs[0]))
    return same_name and ours[1:] == theirs[1:]


def same(ours, theirs, aliases):
    return len(ours) == len(theirs) and all(
        same_frame(mine, other, aliases) for mine, other in zip(ours, theirs))
