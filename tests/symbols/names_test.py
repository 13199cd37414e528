#!/usr/bin/env python3
"""Names of addresses, against known answers and against other symbolizers.

    names_test.py NAMES_OF LLVM_SYMBOLIZER [PROGRAM...]

Builds the subject with each compiler, linker and form of debug information and
checks its known frames; then compares every call site with addr2line (see
oracle.py for what counts as equal). PROGRAMs are compared in the same way, at
up to 4000 call sites each.
"""
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import unittest

import oracle
import subjects

NAMES_OF = LLVM_SYMBOLIZER = None
PROGRAMS = []
SUBJECTS = {}  # Paths by variant.
# In a real program; beyond this share addr2line would not be the measure. Of
# Clang's line tables and inlined calls it understands less.
LARGEST_SHARE_FOR_LLVM = {"gcc": 0.05, "clang": 0.25}

HIDDEN = "(anonymous namespace)::"
# Functions without parameters, and marks of lines, innermost first.
KNOWN_FRAMES = {
    1: [("deep::Third", "third"), ("deep::Second<", "second"),
        (HIDDEN + "Hidden::Call", "call"),
        (HIDDEN + "HiddenFunction", "hidden")],
    2: [(HIDDEN + "Descend<0>", "bottom"),
        *((HIDDEN + f"Descend<{depth}>", "descend") for depth in range(1, 21)),
        ("Deep", "deep")],
}


def ours(program, addresses, *options):
    text = subprocess.run(
        [NAMES_OF, *options, program], check=True, text=True,
        input=oracle.hex_lines(addresses), stdout=subprocess.PIPE).stdout
    frames, _, missing = text.partition("missing:\n")
    return oracle.parse(frames), missing


def short(function):
    """Without parameters, and without the return type of a template."""
    return oracle.without_parameters(function).removeprefix("void ")


def setUpModule():
    folder = pathlib.Path(tempfile.mkdtemp())
    unittest.addModuleCleanup(shutil.rmtree, folder)
    for variant in subjects.VARIANTS:
        SUBJECTS[variant] = subjects.build(variant, folder)


class KnownFrames(unittest.TestCase):
    def check(self, program):
        sites = [address for address, called in subjects.call_sites(program)
                 if called.split("@")[0] == "Mark"]
        answers, missing = ours(program, sites)
        self.assertEqual("", missing)
        seen = set()
        for frames in answers:
            for number, known in KNOWN_FRAMES.items():
                if frames[0][2] == subjects.line_of(known[0][1]):
                    seen.add(number)
                    self.check_frames(known, frames)
            if frames[0][2] == subjects.line_of("lambda"):
                seen.add(3)
                self.assertRegex(frames[0][0], r"^InLambda.*::(\{lambda|\$_)")
                self.assertIn("::operator()", frames[0][0])
        self.assertEqual({1, 2, 3}, seen)

    def check_frames(self, known, frames):
        self.assertEqual([subjects.line_of(mark) for _, mark in known],
                         [line for _, _, line in frames])
        self.assertEqual({str(subjects.SOURCE)},
                         {file for _, file, _ in frames})
        for (function, _), frame in zip(known, frames):
            if function.endswith("<"):
                self.assertTrue(short(frame[0]).startswith(function), frame)
                self.assertIn("Hidden", frame[0])
            else:
                self.assertEqual(function, short(frame[0]))

    def test_each_variant_shows_the_lines_of_the_calls(self):
        for variant in subjects.VARIANTS:
            if variant == "gcc_O2_no_debug":
                continue
            with self.subTest(variant):
                self.check(SUBJECTS[variant])


class OtherSymbolizers(unittest.TestCase):
    def compare(self, program, addresses):
        """Fails unless every address has the frames that addr2line gives or,
        where it is wrong, those that LLVM's symbolizer gives; returns in how
        many places it was asked."""
        aliases = oracle.Aliases(program)
        mine, _ = ours(program, addresses)
        theirs = oracle.addr2line(program, addresses)
        self.assertEqual(len(addresses), len(mine))
        self.assertEqual(len(addresses), len(theirs))
        doubtful = [i for i in range(len(mine))
                    if not oracle.same(mine[i], theirs[i], aliases)]
        if not doubtful:
            return 0
        second = oracle.llvm_symbolizer(LLVM_SYMBOLIZER, program,
                                        [addresses[i] for i in doubtful])
        for i, frames in zip(doubtful, second):
            self.assertTrue(
                oracle.same(mine[i], frames, aliases),
                f"{addresses[i]:#x}\nours      {mine[i]}\n"
                f"addr2line {theirs[i]}\nllvm      {frames}")
        return len(doubtful)

    def test_each_variant_agrees_at_every_call_site(self):
        for variant in subjects.VARIANTS:
            if variant == "gcc_O2_compressed_gnu":
                continue  # Neither of the others reads .zdebug_info.
            with self.subTest(variant):
                program = SUBJECTS[variant]
                self.compare(program, some(subjects.call_sites(program), 1000))

    def test_real_programs_agree_at_some_thousand_call_sites(self):
        for program in map(pathlib.Path, PROGRAMS):
            with self.subTest(program.name):
                sites = some(subjects.call_sites(program), 4000)
                asked = self.compare(program, sites)
                print(f"  {program.name}: {len(sites)} addresses, in {asked} "
                      "places llvm-symbolizer decided")
                self.assertLessEqual(asked / len(sites),
                                     LARGEST_SHARE_FOR_LLVM[maker(program)])


def maker(program):
    """Which compiler the program is from, by what it left in it."""
    comment = subprocess.run(["readelf", "-p", ".comment", str(program)],
                             check=True, capture_output=True, text=True)
    return "clang" if "clang" in comment.stdout else "gcc"


def some(sites, count):
    addresses = sorted(address for address, _ in sites)
    return sorted(random.Random(1).sample(addresses,
                                          min(count, len(addresses))))


if __name__ == "__main__":
    NAMES_OF, LLVM_SYMBOLIZER, *PROGRAMS = sys.argv[1:]
    unittest.main(argv=sys.argv[:1], verbosity=2)
