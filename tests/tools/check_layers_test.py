#!/usr/bin/env python3
"""tools/check_layers finds what it is there to find, in small projects that are made for it."""
import pathlib
import subprocess
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools/check_layers"
MAP = "## Layers\n```\nlikely/\n  core/  tensors\n  autodiff/  tapes\n  ops/  operations\n  io/  files\n  train/  loops\n```\n"


class CheckLayers(unittest.TestCase):
    def found(self, files):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, text in {"docs/architecture.md": MAP, **files}.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            ran = subprocess.run([TOOL, root], capture_output=True, text=True, check=False)
            lines = ran.stdout.splitlines()
            self.assertEqual(ran.returncode, 1 if lines else 0, ran.stderr)
            return lines

    def test_includes_upwards_are_fine(self):
        self.assertEqual(self.found({
            "likely/core/shape.hpp": "#pragma once\n",
            "likely/io/file.cpp": '#include "likely/core/shape.hpp"\n#include "likely/likely.hpp"\n',
            "likely/autodiff/tape.cpp": '#include "likely/ops/view.hpp"\n',
            "likely/ops/view.hpp": "#pragma once\n"}), [])

    def test_an_include_downwards_is_named(self):
        self.assertEqual(self.found({"likely/core/shape.cpp": '#include "likely/io/file.hpp"\n'}),
                         ["likely/core/shape.cpp: core/ stands above io/ and includes likely/io/file.hpp"])

    def test_a_folder_that_is_on_no_map_is_named(self):
        self.assertEqual(self.found({"likely/misc/all.cpp": ""}),
                         ["likely/misc/all.cpp: misc/ is not among the layers of docs/architecture.md"])

    def test_internal_headers_stay_where_they_say(self):
        files = {"likely/io/lock.hpp": "// A lock. Internal to io/ and\n// train/.\n#pragma once\n",
                 "likely/train/loop.cpp": '#include "likely/io/lock.hpp"\nio::detail::lock();\n'}
        self.assertEqual(self.found(files), [])
        files["likely/io/lock.hpp"] = "// A lock. Internal to io/.\n#pragma once\n"
        self.assertEqual(self.found(files), [
            "likely/train/loop.cpp: includes likely/io/lock.hpp, which is internal to io/",
            "likely/train/loop.cpp: uses io::detail, and includes nothing of io/ that is meant for train/"])

    def test_internal_to_nobody_is_named(self):
        self.assertEqual(self.found({"likely/io/lock.hpp": "// A lock. Internal to readers.\n#pragma once\n"}), [
            'likely/io/lock.hpp: says that it is internal, and not to which folder ("Internal to io/.")'])

    def test_what_is_internal_is_not_needed_by_what_is_installed(self):
        files = {"likely/io/lock.hpp": "// A lock. Internal to\n// io/.\n#pragma once\n",
                 "likely/io/sums-inl.hpp": "#pragma once\n",
                 "likely/io/folder.hpp": '#pragma once\n#include "likely/io/lock.hpp"\n#include "likely/io/sums-inl.hpp"\n'}
        self.assertEqual(self.found(files), [
            "likely/io/folder.hpp: is installed, and includes likely/io/lock.hpp, which is not",
            "likely/io/folder.hpp: is installed, and includes likely/io/sums-inl.hpp, which is not"])
        files["likely/io/folder.hpp"] = "// Internal to io/.\n" + files["likely/io/folder.hpp"]
        self.assertEqual(self.found(files), [])

    def test_what_is_installed_for_others_keeps_to_its_folders(self):
        files = {"likely/io/lock.hpp": "// A lock. Only for io/.\n#pragma once\n",
                 "likely/io/folder.hpp": '#pragma once\n#include "likely/io/lock.hpp"\n'}
        self.assertEqual(self.found(files), [])
        files["likely/train/loop.hpp"] = '#pragma once\n#include "likely/io/lock.hpp"\n'
        self.assertEqual(self.found(files), [
            "likely/train/loop.hpp: includes likely/io/lock.hpp, which is internal to io/"])
        del files["likely/train/loop.hpp"], files["likely/io/folder.hpp"]
        self.assertEqual(self.found(files), ['likely/io/lock.hpp: is installed for no other header: it is internal '
                                             '("Internal to" instead of "Only for")'])

    def test_internal_to_likely_is_for_all_folders(self):
        files = {"likely/core/sum.hpp": "// A sum. Internal to likely.\n#pragma once\n",
                 "likely/io/file.cpp": '#include "likely/core/sum.hpp"\n'}
        self.assertEqual(self.found(files), [])
        files["likely/io/file.hpp"] = '#pragma once\n#include "likely/core/sum.hpp"\n'
        self.assertEqual(self.found(files), [
            "likely/io/file.hpp: is installed, and includes likely/core/sum.hpp, which is not"])

    def test_options_of_the_command_are_named(self):
        files = {"likely/io/file.cpp": 'throw Error("give `force`");  // the command says --force\nreturn --count;\n'}
        self.assertEqual(self.found(files), [])
        files["likely/io/file.cpp"] = 'throw Error("replace it (--force)");\nformat("\\"x\\": --{} needs more", name);\n'
        self.assertEqual(self.found(files), [
            "likely/io/file.cpp: a text speaks of --force, an option of the command; name the setting instead, as `force`",
            "likely/io/file.cpp: a text speaks of --{}, an option of the command; name the setting instead, as `{}`"])


if __name__ == "__main__":
    unittest.main()
