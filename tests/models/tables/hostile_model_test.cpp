// Saved models of tables in which something does not fit: whatever it is, it is refused by name.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "likely/core/create.hpp"
#include "likely/io/checksum.hpp"
#include "likely/io/json.hpp"
#include "likely/models/tables/experiment.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/compare.hpp"
#include "likely/ops/join.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/view.hpp"
#include "tests/support/check_gradients.hpp"
#include "tests/support/hostile_tensors.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::tables {
namespace {

using testing::expect_refusal;
using testing::hostile_tensors;
using testing::HostileFile;
using testing::read_bytes;
using testing::write_bytes;

// Three numbers and a word; the target is a class or a number.
Rows make_rows(bool classes) {
  Rng rng(3);
  Rows rows;
  rows.schema.inputs = {{.name = "a"},
                        {.name = "b"},
                        {.name = "c"},
                        {.name = "word", .holds_words = true, .words = {"left", "right", "up"}}};
  rows.schema.target = "y";
  const Tensor numbers = rng.normal({40, 3}, 0.0, 1.0, DType::f64);
  const Tensor words = rng.randint(0, 3, {40, 1}).to(DType::f64);
  rows.x = concat({numbers, words}, 1);
  const Tensor y = sum(numbers, 1);
  if (classes) rows.schema.classes = {"high", "low"};
  rows.y = classes ? (y > 0.0).to(DType::i64) : y;
  for (std::int64_t i = 0; i < 40; ++i) rows.numbers.push_back(i);
  return rows;
}

class HostileTableModel : public ::testing::TestWithParam<bool> {
 protected:
  HostileTableModel() : rows_(make_rows(GetParam())) {
    const ModelOptions quick{.hidden = {5}, .members = 2, .epochs = 2, .weight_decay = {0.1}};
    fit_rows(rows_, quick, 1)->model.save(folder_.path());
  }
  void read() { TableModel::load(folder_.path()).predict(rows_.x); }

  Rows rows_;
  testing::TemporaryFolder folder_;
  const std::filesystem::path model_ = folder_ / "model.safetensors";
  const std::filesystem::path columns_ = folder_ / "columns.json";
};
INSTANTIATE_TEST_SUITE_P(, HostileTableModel, ::testing::Bool(),
                         [](const auto& chosen) { return chosen.param ? "Classes" : "Numbers"; });

TEST_P(HostileTableModel, TensorsAreCheckedOneByOne) {
  read();
  testing::expect_all_refused(hostile_tensors(io::load_safetensors(model_)), model_, [&] { read(); });
}

TEST_P(HostileTableModel, TellsWhatIsWrong) {
  const double low = TableModel::load(folder_.path()).encoder.low.at({0});
  const io::NamedTensors valid = io::load_safetensors(model_);
  const auto expect = [&](const std::string& name, const Tensor& value, const std::string& message) {
    io::NamedTensors file = valid;
    for (auto& [known, tensor] : file.tensors) {
      if (known == name) tensor = value;
    }
    testing::write_plain_safetensors(model_, file);
    expect_refusal([&] { read(); },
                   "[load] " + model_.string() + " does not fit the model:\n  different: " + message);
  };
  expect("encoder.fill", zeros({0}, DType::f64), "encoder.fill is (0,) f64, must be (4,) f64");
  expect("encoder.fill", zeros({1}, DType::f64), "encoder.fill is (1,) f64, must be (4,) f64");
  expect("encoder.low", zeros({3}, DType::f64), "encoder.low is (3,) f64, must be (4,) f64");
  expect("encoder.high", full({4}, INFINITY, DType::f64), "encoder.high holds inf, must be finite");
  expect("encoder.high", full({4}, -1e6, DType::f64),
         fmt::format("encoder.low holds {}, must be at most -1000000, which high holds", low));
  expect("encoder.used", tensor({0, 1, 2, 3, 4, 6}), "encoder.used holds 6, must be growing places below 6");
  expect("encoder.used", tensor({0, 1, 2, 3, 4, 4}), "encoder.used holds 4, must be growing places below 6");
  expect("encoder.scaler.scale", zeros({6}, DType::f64),
         "encoder.scaler.scale holds 0, must be finite and above 0");
  expect("weight", full({}, 1.5, DType::f64), "weight holds 1.5, must be at most 1");
  io::NamedTensors file = valid;
  if (GetParam()) {
    file.tensors.emplace_back("target.mean", zeros({}, DType::f64));
    file.tensors.emplace_back("target.scale", ones({}, DType::f64));
    testing::write_plain_safetensors(model_, file);
    expect_refusal([&] { read(); },
                   "[load] " + model_.string() +
                       " does not fit the model:\n  different: target is there, must be empty for a model of "
                       "classes");
  }
}

// Memory is not taken because a file says so.
TEST_P(HostileTableModel, SizesThatTheFileDoesNotHaveAreRefused) {
  const io::NamedTensors valid = io::load_safetensors(model_);
  const io::SortedJson sizes = io::parse_json<io::SortedJson>(valid.metadata.at("sizes"));
  for (const char* name : {"features", "linear", "network", "hidden"}) {
    for (const io::SortedJson& value : std::initializer_list<io::SortedJson>{
             -1, 0, 1, 1000000000, 9007199254740993, 1e300, 2.5, "x", nullptr}) {
      io::SortedJson changed = sizes;
      changed[name] = value;
      if (std::string(name) == "hidden") changed[name] = io::SortedJson::array({value});
      io::NamedTensors file = valid;
      file.metadata["sizes"] = io::json_text(changed);
      testing::write_plain_safetensors(model_, file);
      EXPECT_THROW(read(), Error) << io::json_text(changed);
    }
    io::SortedJson changed = sizes;
    changed.erase(name);
    io::NamedTensors file = valid;
    file.metadata["sizes"] = io::json_text(changed);
    testing::write_plain_safetensors(model_, file);
    EXPECT_THROW(read(), Error) << io::json_text(changed);
  }
  io::NamedTensors file = valid;
  file.metadata["sizes"] = R"({"hidden":[5],"features":1000000000000,"linear":2,"network":2})";
  testing::write_plain_safetensors(model_, file);
  expect_refusal([&] { read(); }, "[csv] " + model_.string() + ": linear.members.0.layers.0.weight is " +
                                      (GetParam() ? "(2" : "(1") + ", 6) f32, must be " +
                                      (GetParam() ? "(2" : "(1") + ", 1000000000000) f32");
}

TEST_P(HostileTableModel, ColumnsThatContradictThemselvesAreRefused) {
  const auto valid = io::parse_json<io::SortedJson>(read_bytes(columns_));
  const auto expect = [&](const auto& change, const std::string& message) {
    auto columns = valid;
    columns.erase("checksum");
    change(columns);
    write_bytes(columns_, io::json_text(columns));
    expect_refusal([&] { read(); }, "[csv] " + columns_.string() + message);
  };
  expect([](auto& c) { c["inputs"] = io::SortedJson::array(); }, ": there are no inputs");
  expect([](auto& c) { c["inputs"][1]["name"] = "a"; }, ": the column \"a\" is there twice");
  expect([](auto& c) { c["target"] = "b"; }, ": the column \"b\" is there twice");
  expect(
      [](auto& c) {
        c["inputs"][3]["words"] = {"up", "left", "right"};
      },
      ": the words of column \"word\" are not sorted");
  expect([](auto& c) { c["classes"] = {"high"}; }, ": there is only one class, \"high\"");
  expect([](auto& c) { c["classes"] = {"low", "high", "low"}; }, ": the class \"low\" is there twice");
  expect([](auto& c) { c["nameless_columns"] = 3; }, ": nameless_columns is 3, there are 4 inputs");
  expect([](auto& c) { c["nameless_columns"] = -1; }, ": nameless_columns is -1, there are 4 inputs");
  expect([](auto& c) { c["nameless_columns"] = 1e300; }, ": nameless_columns is 1e+300");
  expect([](auto& c) { c["target"] = 3; }, " does not describe the columns of a table");
}

TEST_P(HostileTableModel, ColumnsOfAnotherTableAreRefused) {
  const auto valid = io::parse_json<io::SortedJson>(read_bytes(columns_));
  const auto expect = [&](const auto& change) {
    auto columns = valid;
    columns.erase("checksum");
    change(columns);
    write_bytes(columns_, io::json_text(columns));
    EXPECT_THROW(read(), Error) << io::json_text(columns);
  };
  expect([](auto& c) { c["inputs"].erase(0); });
  expect([](auto& c) { c["inputs"].push_back({{"name", "d"}}); });
  expect([](auto& c) { c["inputs"][3].erase("words"); });
  expect([](auto& c) { c["inputs"][3]["words"] = {"left", "right"}; });
  expect([](auto& c) { c["classes"] = {"high", "low", "middle"}; });
  expect([&](auto& c) {
    c["classes"] = GetParam() ? io::SortedJson::array() : io::SortedJson{"high", "low"};
  });
}

TEST_P(HostileTableModel, AChangedByteIsSeen) {
  for (const std::filesystem::path& path : {model_, columns_}) {
    const std::string valid = read_bytes(path);
    for (std::size_t i = 0; i < valid.size(); i += valid.size() / 300 + 1) {
      std::string bytes = valid;
      bytes[i] = static_cast<char>(bytes[i] ^ 1);
      write_bytes(path, bytes);
      EXPECT_THROW(read(), Error) << path << ", byte " << i;
    }
    write_bytes(path, valid);
  }
  read();
}

// Written by an older likely: no checksums.
TEST_P(HostileTableModel, OlderModelsAreRead) {
  auto columns = io::parse_json<io::SortedJson>(read_bytes(columns_));
  columns.erase("checksum");
  write_bytes(columns_, io::json_text(columns));
  read();
}

}  // namespace
}  // namespace likely::tables
