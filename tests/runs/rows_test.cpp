#include "likely/runs/rows.hpp"

#include <gtest/gtest.h>

#include "likely/core/create.hpp"
#include "likely/io/npy.hpp"
#include "tests/support/check_gradients.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::runs {
namespace {

using testing::expect_refusal;
using testing::TemporaryFolder;
using testing::write_bytes;

TEST(Rows, ComeFromCsvWithAndWithoutNames) {
  const TemporaryFolder folder;
  write_bytes(folder / "named.csv", "a,b\n1,2\n3,4.5\n");
  write_bytes(folder / "plain.csv", "1,2\n3,4.5\n");
  write_bytes(folder / "labelled.csv", "label,a,b\n7,1,2\n7,3,4.5\n");
  const Tensor expected = tensor({{1.0, 2.0}, {3.0, 4.5}});
  for (const char* name : {"named.csv", "plain.csv", "labelled.csv"})
    EXPECT_TRUE(array_equal(read_rows(folder / name, {2}).x, expected)) << name;
}

// What counts as a number is the same for a first line as for the others.
TEST(Rows, MayBeSeparatedByOthersThanCommas) {
  const TemporaryFolder folder;
  testing::write_bytes(folder / "rows.csv", "a;b\n1,5;2\n3,25;4\n");
  const RowsOfFile rows = read_rows(folder / "rows.csv", {2});
  EXPECT_TRUE(array_equal(rows.x, tensor({{1.5, 2.0}, {3.25, 4.0}})));
  ASSERT_EQ(rows.notes.size(), 1U);
  EXPECT_EQ(rows.notes[0], "column \"a\": \"1,5\" in line 2 is read as a number with a decimal comma");
}

TEST(Rows, AFirstLineOfNumbersIsNoHeader) {
  const TemporaryFolder folder;
  write_bytes(folder / "signs.csv", "+1,+2\n3,4.5\n");
  EXPECT_TRUE(array_equal(read_rows(folder / "signs.csv", {2}).x, tensor({{1.0, 2.0}, {3.0, 4.5}})));
  EXPECT_EQ(read_table(folder / "signs.csv").size(), 2);
  write_bytes(folder / "small.csv", "1e-999,-1e-999\n3,4.5\n");
  EXPECT_TRUE(array_equal(read_rows(folder / "small.csv", {2}).x, tensor({{0.0, 0.0}, {3.0, 4.5}})));
}

TEST(Rows, ComeFromNpyNpzAndIdx) {
  const TemporaryFolder folder;
  const Tensor rows = tensor({{1.0, 2.0, 3.0, 4.0}, {5.0, 6.0, 7.0, 8.0}});
  io::save_npy(folder / "x.npy", rows.to(DType::f64));
  io::NamedTensors arrays;
  arrays.tensors.emplace_back("y", tensor({0, 1}));
  arrays.tensors.emplace_back("x", rows);
  io::save_npz(folder / "both.npz", arrays);
  write_bytes(folder / "two-ubyte",
              std::string("\0\0\x08\x03\0\0\0\x01\0\0\0\x02\0\0\0\x02\0\x33\x66\xff", 20));
  EXPECT_TRUE(array_equal(read_rows(folder / "x.npy", {4}).x, rows));
  EXPECT_TRUE(array_equal(read_rows(folder / "both.npz", {4}).x, rows));
  EXPECT_EQ(read_rows(folder / "x.npy", {1, 2, 2}).x.shape(), Shape({2, 1, 2, 2}));
  EXPECT_TRUE(array_equal(read_rows(folder / "two-ubyte", {4}).x, tensor({{0.0, 0.2, 0.4, 1.0}})));
}

TEST(Rows, RefuseNamingTheFile) {
  const TemporaryFolder folder;
  const std::string at = folder.path().string() + "/";
  write_bytes(folder / "three.csv", "1,2,3\n");
  write_bytes(folder / "words.csv", "a,b\n1,x\n");
  write_bytes(folder / "empty.csv", "");
  write_bytes(folder / "rows.xls", "1,2\n");
  io::save_npy(folder / "x.npy", zeros({2, 3}));
  expect_refusal([&] { read_rows(folder / "none.csv", {2}); }, at + "none.csv: there is no such file");
  expect_refusal([&] { read_rows(folder.path(), {2}); },
                 folder.path().string() + ": this is a folder, a file is needed");
  expect_refusal([&] { read_rows(folder / "three.csv", {2}); },
                 at + "three.csv: 3 columns, the model needs 2");
  expect_refusal([&] { read_rows(folder / "empty.csv", {2}); }, at + "empty.csv: the file is empty");
  expect_refusal([&] { read_rows(folder / "x.npy", {2}); },
                 at + "x.npy: rows have 3 numbers, the model needs 2");
  expect_refusal([&] { read_rows(folder / "rows.xls", {2}); },
                 at + "rows.xls: the ending says neither .csv, .npy, .npz nor .idx (or -ubyte), nor any of "
                      "them with .gz");
  EXPECT_THROW(read_rows(folder / "words.csv", {2}), Error);
  io::save_npy(folder / "large.npy", tensor({{1.0, 1e160}}, DType::f64));
  expect_refusal([&] { read_rows(folder / "large.npy", {2}); },
                 at + "large.npy: it holds numbers that are too large for f32");
  expect_refusal([&] { read_rows(folder / std::string(300, 'x'), {2}); },
                 at + std::string(300, 'x') + ": File name too long");
}

TEST(Rows, OfATableHaveTheLastColumnAsTarget) {
  const TemporaryFolder folder;
  write_bytes(folder / "t.csv", "x,y\n1,0.5\n2,1.5\n");
  const data::Dataset table = read_table(folder / "t.csv");
  EXPECT_TRUE(array_equal(table.all().x, tensor({{1.0}, {2.0}})));
  EXPECT_TRUE(array_equal(table.all().y, tensor({0.5, 1.5})));
  write_bytes(folder / "far.csv", "x,y\n1000000000.1,0.5\n1000000000.2,1.5\n1000000000.3,1.5\n");
  expect_refusal([&] { read_table(folder / "far.csv"); },
                 (folder / "far.csv").string() + ": column \"x\": f32 does not tell its numbers apart");
  write_bytes(folder / "one.csv", "x\n1\n");
  expect_refusal([&] { read_table(folder / "one.csv"); },
                 (folder / "one.csv").string() +
                     ": at least two columns are needed: inputs, and the target as the last");
}

TEST(Predictions, BecomeCsvAndJson) {
  const Predictions predictions = {{"class", tensor({1, 0}), {"no", "yes, \"surely\""}},
                                   {"number", tensor({3, 4})},
                                   {"p", tensor({0.1, 0.25})}};
  EXPECT_EQ(csv_of(predictions), "class,number,p\n\"yes, \"\"surely\"\"\",3,0.1\nno,4,0.25\n");
  EXPECT_EQ(json_of({{"class", tensor({1, 0}), {"no", "yes"}}, {"p", tensor({0.5, 0.25})}}),
            R"({"rows":2,"columns":{"class":["yes","no"],"p":[0.5,0.25]},"notes":[]})");
  // Names of columns come from a user's classes.
  EXPECT_EQ(csv_of({{"p_a,b", tensor({0.5})}, {"p_\"c\"", tensor({0.25})}}),
            "\"p_a,b\",\"p_\"\"c\"\"\"\n0.5,0.25\n");
  EXPECT_EQ(csv_of({}), "");
}

}  // namespace
}  // namespace likely::runs
