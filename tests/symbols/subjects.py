"""Builds the subject program in many ways, and finds places in it."""
import pathlib
import re
import subprocess

SOURCE = pathlib.Path(__file__).with_name("subject.cc")

GCC = ["g++", "-std=c++20"]
CLANG = ["clang++-16", "-std=c++20"]
LIBRARY = ["-shared", "-fPIC", "-DSUBJECT_IS_A_LIBRARY"]

# What is built: compilers, versions and forms of DWARF, linkers, kinds of file.
VARIANTS = {
    "gcc_O0": [*GCC, "-O0", "-g"],
    "gcc_O2": [*GCC, "-O2", "-g"],
    "gcc_O3_dwarf4": [*GCC, "-O3", "-g", "-gdwarf-4"],
    "gcc_O2_dwarf5": [*GCC, "-O2", "-g", "-gdwarf-5"],
    "gcc_O2_compressed": [*GCC, "-O2", "-g", "-gz"],
    "gcc_O2_compressed_gnu": [*GCC, "-O2", "-g", "-gz=zlib-gnu"],
    "gcc_O2_split": [*GCC, "-O2", "-g", "-gsplit-dwarf"],
    "gcc_O2_split_dwarf4": [*GCC, "-O2", "-gdwarf-4", "-gsplit-dwarf"],
    "gcc_O2_type_units": [*GCC, "-O2", "-g", "-fdebug-types-section"],
    "gcc_O2_lto": [*GCC, "-O2", "-g", "-flto"],
    "gcc_O2_non_pie": [*GCC, "-O2", "-g", "-no-pie"],
    "gcc_O2_static": [*GCC, "-O2", "-g", "-static"],
    "gcc_O2_library": [*GCC, "-O2", "-g", *LIBRARY],
    "gcc_O2_lld": [*GCC, "-O2", "-g", "-fuse-ld=lld"],
    "gcc_O2_lld_sections": [*GCC, "-O2", "-g", "-fuse-ld=lld",
                            "-ffunction-sections", "-Wl,--gc-sections"],
    "gcc_O2_mold": [*GCC, "-O2", "-g", "-fuse-ld=mold"],
    "gcc_O2_mold_library": [*GCC, "-O2", "-g", "-fuse-ld=mold", *LIBRARY],
    "gcc_O2_prelink_base": [*GCC, "-O2", "-g", *LIBRARY,
                            "-Wl,-Ttext-segment=0x10000000"],
    "clang_O0": [*CLANG, "-O0", "-g"],
    "clang_O2": [*CLANG, "-O2", "-g"],
    "clang_O2_dwarf4": [*CLANG, "-O2", "-g", "-gdwarf-4"],
    "clang_O2_split": [*CLANG, "-O2", "-g", "-gsplit-dwarf"],
    "clang_O2_lld": [*CLANG, "-O2", "-g", "-fuse-ld=lld"],
    "gcc_O2_no_debug": [*GCC, "-O2", "-g0"],
}


def build(name, folder):
    """Path of the program; it is built in `folder`, where its .dwo stay."""
    program = folder / name
    subprocess.run([*VARIANTS[name], "-Wl,--build-id=sha1", str(SOURCE), "-o",
                    str(program)], check=True, cwd=folder)
    return program


def call_sites(program):
    """The last byte of each call: (address, name of the called function)."""
    text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", program],
                          check=True, text=True, stdout=subprocess.PIPE).stdout
    sites, called = [], None
    for line in text.splitlines():
        found = re.match(r"\s*([0-9a-f]+):\s+(\S+)\s*(.*)", line)
        if not found:
            continue
        if called is not None:
            sites.append((int(found[1], 16) - 1, called))
        target = re.search(r"<([^>]*)>", found[3])
        is_call = found[2] == "call"
        called = (target[1] if target else "") if is_call else None
    return sites


def line_of(mark):
    """The line of the subject that carries the comment `line: mark`."""
    for number, line in enumerate(SOURCE.read_text().splitlines(), 1):
        if line.endswith("// line: " + mark):
            return number
    raise KeyError(mark)
