#!/usr/bin/env python3
"""What tools/equations refuses: a small book is written, broken in one place at a time, and checked."""

import contextlib
import importlib.machinery
import importlib.util
import io
import pathlib
import sys
import tempfile
import unittest

PROJECT = pathlib.Path(__file__).resolve().parent.parent.parent

BOOK = """1.1 A name
  y = f[x] | g
  notation: nothing to compute

1.2 A sum
  y = Σ_i x_i
  code: likely/sum.hpp Sum::of
  test: Udl01.Eq2_Sum
  note: see errata
"""
TEST = "TEST(Udl01, Eq2_Sum) {}\n"


def load_tool():
    sys.dont_write_bytecode = True
    loader = importlib.machinery.SourceFileLoader("equations", str(PROJECT / "tools" / "equations"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("equations", loader))
    loader.exec_module(module)
    return module


class EquationsTool(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.tool = load_tool()
        self.tool.ROOT = self.root
        self.tool.FOLDER = self.root / "docs" / "equations"
        self.tool.PAGE = self.root / "docs" / "equations.md"
        self.tool.TESTS = self.root / "tests" / "equations"
        self.tool.CHAPTERS = {1: ("A chapter", 2)}
        for path in (self.tool.FOLDER, self.tool.TESTS, self.root / "likely"):
            path.mkdir(parents=True)
        self.write("docs/equations/chapter_01.txt", BOOK)
        self.write("tests/equations/chapter_01_test.cpp", TEST)
        self.write("likely/sum.hpp", "struct Sum { double of(); };\n")
        self.assertEqual(self.run_tool(), (0, []))

    def write(self, name, text):
        (self.root / name).write_text(text, encoding="utf-8")

    def run_tool(self, *arguments):
        errors = io.StringIO()
        sys.argv = ["equations", *arguments]
        with contextlib.redirect_stderr(errors):
            status = self.tool.main()
        return status, errors.getvalue().splitlines()

    def expect(self, *problems):
        """What --check says, besides that the page is out of date."""
        status, found = self.run_tool("--check")
        self.assertEqual(status, 1)
        self.assertEqual([line for line in found if "out of date" not in line], list(problems))

    def replace(self, old, new):
        self.assertIn(old, BOOK)
        self.write("docs/equations/chapter_01.txt", BOOK.replace(old, new))

    def test_page(self):
        self.assertEqual(self.run_tool("--check"), (0, []))
        page = self.tool.PAGE.read_text(encoding="utf-8")
        self.assertIn("| 1.1 | A name | `y = f[x] \\| g` | notation: nothing to compute |  |", page)
        self.assertIn("| 1.2 | A sum<br>*see errata* | `y = Σ_i x_i` | [`Sum::of`](../likely/sum.hpp) | "
                      "[Eq2_Sum](../tests/equations/chapter_01_test.cpp) |", page)
        self.write("docs/equations.md", page + "edited\n")
        self.assertEqual(self.run_tool("--check"), (1, ["docs/equations.md is out of date: run tools/equations"]))
        self.assertEqual(self.run_tool("--chekc")[0], 2)

    def test_missing_number(self):
        self.tool.CHAPTERS = {1: ("A chapter", 3)}
        self.expect("docs/equations/chapter_01.txt: 1.3 is missing")

    def test_order(self):
        self.replace("1.1 A name", "1.2 A name")
        self.expect("docs/equations/chapter_01.txt: 1.1 is missing",
                    "docs/equations/chapter_01.txt:5: 1.2 is out of order or beyond 1.2")

    def test_heading(self):
        self.replace("1.2 A sum", "2.2 A sum")
        self.write("tests/equations/chapter_01_test.cpp", "")
        self.expect("docs/equations/chapter_01.txt:5: expected '1.NUMBER Title', got '2.2 A sum'",
                    "docs/equations/chapter_01.txt: 1.2 is missing")

    def test_file_and_name(self):
        self.replace("likely/sum.hpp Sum::of", "likely/product.hpp Sum::of")
        self.expect("docs/equations/chapter_01.txt:5: code: there is no file likely/product.hpp")
        self.replace("Sum::of", "Sum::off")
        self.expect("docs/equations/chapter_01.txt:5: code: likely/sum.hpp does not have 'off'")
        self.replace(" Sum::of", "")
        self.expect("docs/equations/chapter_01.txt:5: code: likely/sum.hpp without a name")

    def test_tests(self):
        self.replace("Eq2_Sum", "Eq2_Product")
        self.expect("docs/equations/chapter_01.txt:5: test: there is no TEST Udl01.Eq2_Product in tests/equations",
                    "tests/equations/chapter_01_test.cpp: Udl01.Eq2_Sum is not mentioned at 1.2")

    def test_entry_without_a_test(self):
        self.replace("  test: Udl01.Eq2_Sum\n", "")
        self.write("tests/equations/chapter_01_test.cpp", "")
        self.expect("docs/equations/chapter_01.txt:5: expected code and test, or else notation")

    def test_no_chapter(self):
        (self.tool.FOLDER / "chapter_01.txt").unlink()
        self.write("tests/equations/chapter_01_test.cpp", "")
        self.expect("docs/equations/chapter_01.txt: there is no such file",
                    "docs/equations/chapter_01.txt: 1.1 is missing",
                    "docs/equations/chapter_01.txt: 1.2 is missing")


if __name__ == "__main__":
    unittest.main()
