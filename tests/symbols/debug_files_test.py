#!/usr/bin/env python3
"""Debug information that is not in the file itself: where it is found, when it
must not be used, and what is said when it is missing.

    debug_files_test.py NAMES_OF
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import subjects

NAMES_OF = None
VARIANT = "gcc_O2"


def run(*command, **options):
    subprocess.run([str(word) for word in command], check=True, **options)


def build_id_of(program):
    text = subprocess.run(["readelf", "-n", str(program)], check=True,
                          text=True, stdout=subprocess.PIPE).stdout
    return text.partition("Build ID: ")[2].split()[0]


def by_build_id(folder, build_id):
    return folder / ".build-id" / build_id[:2] / (build_id[2:] + ".debug")


class DebugFiles(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.built = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.built)
        subjects.build(VARIANT, cls.built)

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.debug_folder = self.folder / "debug files"
        self.debug_folder.mkdir()
        self.program = self.folder / VARIANT
        shutil.copy(self.built / VARIANT, self.program)
        self.build_id = build_id_of(self.program)
        self.sites = [address for address, called
                      in subjects.call_sites(self.program) if called == "Mark"]
        self.whole, _ = self.names()
        self.assertIn("deep::Third()", self.whole)

    def names(self, *options, program=None, environment=None):
        """The frames of the calls of Mark, and what is said to be missing."""
        text = subprocess.run(
            [NAMES_OF, "--debug-dir", self.debug_folder, *options,
             program or self.program], check=True, text=True, env=environment,
            input="".join(f"{a:#x}\n" for a in self.sites),
            stdout=subprocess.PIPE).stdout
        frames, _, missing = text.partition("missing:\n")
        return frames, missing

    def hint(self, text, program=None, build_id=None):
        return "\t".join([str(program or self.program),
                          build_id or self.build_id, text]) + "\n"

    def separate(self, destination):
        """Moves the debug information out of the program."""
        destination.parent.mkdir(parents=True, exist_ok=True)
        run("objcopy", "--only-keep-debug", self.program, destination)
        run("objcopy", "--strip-all", self.program)

    def no_debug_hint(self):
        path = by_build_id(self.debug_folder, self.build_id)
        return self.hint("no debug information; build it with -g, or put its "
                         f"debug file at {path}")

    def test_a_debug_file_is_found_by_its_build_id(self):
        self.separate(by_build_id(self.debug_folder, self.build_id))
        self.assertEqual((self.whole, ""), self.names())

    def test_a_debug_file_is_found_by_the_link_in_each_usual_folder(self):
        self.separate(self.folder / "subject.debug")
        self.assertNotEqual(self.whole, self.names()[0])
        run("objcopy", "--add-gnu-debuglink=subject.debug", self.program,
            cwd=self.folder)
        for place in (self.folder, self.folder / ".debug", self.debug_folder,
                      pathlib.Path(f"{self.debug_folder}{self.folder}")):
            with self.subTest(place):
                place.mkdir(parents=True, exist_ok=True)
                moved = place / "subject.debug"
                if place != self.folder:
                    shutil.move(self.folder / "subject.debug", moved)
                self.assertEqual((self.whole, ""), self.names())
                if place != self.folder:
                    shutil.move(moved, self.folder / "subject.debug")

    def test_without_build_ids_the_checksum_of_the_link_decides(self):
        run("objcopy", "--remove-section=.note.gnu.build-id", self.program)
        self.separate(self.folder / "subject.debug")
        run("objcopy", "--add-gnu-debuglink=subject.debug", self.program,
            cwd=self.folder)
        self.assertEqual((self.whole, ""), self.names())
        with open(self.folder / "subject.debug", "ab") as file:
            file.write(b"\0")
        self.assertEqual(
            f"{self.program}\t\tno debug information; build it with -g\n",
            self.names()[1])

    def test_a_debug_file_with_another_build_id_is_not_used(self):
        other = subjects.build("clang_O2", self.folder)
        path = by_build_id(self.debug_folder, self.build_id)
        self.separate(path)
        run("objcopy", "--only-keep-debug", other, path)
        frames, missing = self.names()
        self.assertNotIn("subject.cc", frames)
        self.assertEqual(self.no_debug_hint(), missing)

    def test_a_replaced_file_is_not_used(self):
        recorded = "ab" * 20
        path = by_build_id(self.debug_folder, recorded)
        frames, missing = self.names("--build-id", recorded)
        self.assertNotIn("Mark", frames)
        self.assertNotIn("deep", frames)
        self.assertEqual(
            self.hint("the file was replaced: it has build id "
                      f"{self.build_id}; put the debug file of the recorded "
                      f"build at {path}", build_id=recorded), missing)

    def test_a_replaced_or_deleted_file_is_named_by_its_debug_file(self):
        self.separate(by_build_id(self.debug_folder, self.build_id))
        subjects.build("clang_O2", self.folder).rename(self.program)
        self.assertEqual((self.whole, ""),
                         self.names("--build-id", self.build_id))
        self.program.unlink()
        self.assertEqual((self.whole, ""),
                         self.names("--build-id", self.build_id))

    def test_a_deleted_file_is_said_to_be_gone(self):
        self.program.unlink()
        path = by_build_id(self.debug_folder, self.build_id)
        frames, missing = self.names("--build-id", self.build_id)
        self.assertIn("??\n??:0", frames)
        self.assertEqual(
            self.hint("the file is gone; put the debug file of the recorded "
                      f"build at {path}"), missing)

    def test_a_file_that_is_not_elf_is_said_to_be_so(self):
        self.program.write_text("#!/bin/sh\n")
        path = by_build_id(self.debug_folder, self.build_id)
        self.assertEqual(
            self.hint("the file cannot be read as ELF; put the debug file of "
                      f"the recorded build at {path}"),
            self.names("--build-id", self.build_id)[1])

    def test_a_stripped_program_has_no_names_and_says_so(self):
        run("strip", self.program)
        frames, missing = self.names()
        self.assertEqual("??\n??:0\n" * len(self.sites),
                         "".join(line for line in frames.splitlines(True)
                                 if not line.startswith("0x")))
        self.assertEqual(self.no_debug_hint(), missing)

    def test_symbols_without_lines_give_functions_without_files(self):
        run("strip", "--strip-debug", self.program)
        frames, missing = self.names()
        self.assertIn("(anonymous namespace)::HiddenFunction(int)\n??:0\n",
                      frames)
        self.assertEqual(self.no_debug_hint(), missing)

    def test_a_stripped_library_has_the_names_of_its_exports(self):
        library = subjects.build("gcc_O2_library", self.folder)
        self.sites = [address for address, called
                      in subjects.call_sites(library) if called == "Mark"]
        run("strip", library)
        self.assertIn("\nDeep()\n??:0\n", self.names(program=library)[0])

    def test_compressed_mini_debug_data_gives_functions(self):
        mini = self.folder / "mini"
        run("objcopy", "--strip-debug", self.program, mini)
        run("strip", self.program)
        run("xz", "--keep", mini)
        run("objcopy", f"--add-section=.gnu_debugdata={mini}.xz", self.program)
        frames, missing = self.names()
        self.assertIn("(anonymous namespace)::HiddenFunction(int)\n??:0\n",
                      frames)
        self.assertEqual(self.no_debug_hint(), missing)

    def test_damaged_mini_debug_data_is_no_harm(self):
        damaged = self.folder / "damaged"
        damaged.write_bytes(b"\xfd7zXZ\0" + bytes(100))
        run("strip", self.program)
        run("objcopy", f"--add-section=.gnu_debugdata={damaged}", self.program)
        self.assertIn("??\n??:0", self.names()[0])

    def shared_by_dwz(self):
        """Two debug files whose common part dwz moved into a third one."""
        path = by_build_id(self.debug_folder, self.build_id)
        self.separate(path)
        other = subjects.build("gcc_O3_dwarf4", self.folder)
        run("objcopy", "--only-keep-debug", other, self.folder / "other.debug")
        shared = self.debug_folder / ".dwz" / "shared.debug"
        shared.parent.mkdir()
        run("dwz", "-m", shared, "-M", shared, path,
            self.folder / "other.debug")
        return shared

    def test_a_part_shared_by_dwz_is_followed(self):
        shared = self.shared_by_dwz()
        self.assertEqual((self.whole, ""), self.names())
        moved = by_build_id(self.debug_folder, build_id_of(shared))
        moved.parent.mkdir(parents=True)
        shared.rename(moved)
        self.assertEqual((self.whole, ""), self.names())

    def test_a_missing_part_shared_by_dwz_is_named(self):
        self.shared_by_dwz().unlink()
        path = by_build_id(self.debug_folder, self.build_id)
        frames, missing = self.names()
        self.assertIn("subject.cc", frames)
        self.assertEqual(
            self.hint("the debug file that it shares with others (dwz) is "
                      "missing; put the debug file of the recorded build at "
                      f"{path}"), missing)

    def test_missing_split_files_are_named(self):
        program = subjects.build("gcc_O2_split", self.folder)
        for split in self.folder.glob("*.dwo"):
            split.unlink()
        self.sites = [address for address, called
                      in subjects.call_sites(program) if called == "Mark"]
        frames, missing = self.names(program=program)
        self.assertIn("(anonymous namespace)::HiddenFunction(int)\n", frames)
        self.assertIn("subject.cc", frames)
        self.assertEqual(
            self.hint("its .dwo files are missing; keep them where they were "
                      "built, or build with -gno-split-dwarf", program=program,
                      build_id=build_id_of(program)), missing)

    def test_a_debian_package_is_named_for_a_packaged_file(self):
        program = pathlib.Path("/usr/bin/perl")
        self.sites = [address for address, _
                      in subjects.call_sites(program)[:20]]
        self.assertEqual(
            self.hint("no debug information; install perl-base-dbgsym",
                      program=program, build_id=build_id_of(program)),
            self.names(program=program)[1])

    def test_debuginfod_is_asked_only_if_allowed_and_set(self):
        server = self.folder / "server"
        self.separate(server / "buildid" / self.build_id / "debuginfo")
        environment = {"DEBUGINFOD_URLS": f"file://{server}/",
                       "DEBUGINFOD_CACHE_PATH": str(self.folder / "cache")}
        self.assertEqual(self.no_debug_hint(),
                         self.names(environment=environment)[1])
        self.assertFalse((self.folder / "cache").exists())
        self.assertEqual(self.no_debug_hint(),
                         self.names("--debuginfod", environment={})[1])
        self.assertEqual((self.whole, ""),
                         self.names("--debuginfod", environment=environment))


if __name__ == "__main__":
    NAMES_OF = sys.argv.pop(1)
    unittest.main(verbosity=2)
