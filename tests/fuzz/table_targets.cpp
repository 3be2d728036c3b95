// Tables of text, at both levels: read whole, in pieces and by row, and as rows to learn from and to predict
// for.
#include <fmt/format.h>

#include <cmath>

#include "likely/core/create.hpp"
#include "likely/data/batches.hpp"
#include "likely/io/csv.hpp"
#include "likely/io/csv_layout.hpp"
#include "likely/io/csv_stream.hpp"
#include "likely/io/mnist1d.hpp"
#include "likely/io/npy.hpp"
#include "likely/models/softmax/score_file.hpp"
#include "likely/models/tables/table_file.hpp"
#include "likely/runs/rows.hpp"
#include "tests/fuzz/choices.hpp"
#include "tests/fuzz/raw_archive.hpp"
#include "tests/fuzz/target.hpp"

namespace likely::fuzz {

namespace {

using Paths = const std::filesystem::path&;

const std::string kMixed =
    "id,height,species\n1,2.5,cat\n2,-1e3,\"dog, \"\"big\"\"\"\r\n-3,4,cat\n7,NA,mouse\n8,1,\n";

void look_at(const io::Table& table) {
  for (const io::CsvColumn& column : table.columns()) {
    const Tensor& values = table[column.name];
    demand(values.size() == table.rows(), "a column of another length than the table");
    if (column.kind != io::CsvColumn::Kind::category) continue;
    const auto words = static_cast<double>(column.categories.size());
    for (const double place : values.to_vector<double>())
      demand(place >= -1.0 && place < words, "a word that is not among the column's");
  }
}

// The three ways to read a table agree on its rows.
void look_at_all(Paths path, const io::CsvOptions& options) {
  const io::Table whole = io::read_csv(path, options);
  look_at(whole);
  io::CsvStream stream(path, options);
  std::int64_t rows = 0;
  while (const auto piece = stream.next(2)) {
    look_at(*piece);
    rows += piece->rows();
  }
  demand(rows == whole.rows(), fmt::format("{} rows in pieces, {} at once", rows, whole.rows()));
}

void look_at(const tables::Rows& rows) {
  demand(
      rows.x.dim(0) == rows.size() && rows.x.dim(1) == static_cast<std::int64_t>(rows.schema.inputs.size()),
      "inputs of another shape");
  demand(rows.numbers.size() == static_cast<std::size_t>(rows.size()), "rows without a number");
  const std::vector<double> x = rows.x.to_vector<double>();
  const std::size_t width = rows.schema.inputs.size();
  for (std::size_t i = 0; i < x.size(); ++i) {
    demand(!std::isinf(x[i]), "an infinite input");
    const tables::Column& column = rows.schema.inputs[i % width];
    if (column.holds_words && !std::isnan(x[i]))
      demand(x[i] >= 0.0 && x[i] < static_cast<double>(column.words.size()),
             "a word that is not among the column's");
  }
  if (!rows.y.defined()) return;
  for (const double y : rows.y.to_vector<double>()) {
    demand(std::isfinite(y), "a target that is not finite");
    if (rows.schema.classifies())
      demand(y >= 0.0 && y < static_cast<double>(rows.schema.classes.size()), "a class that is none");
  }
}

void look_at(const runs::HeldOutLogits& scores) {
  demand(scores.logits.rank() == 2 && scores.logits.dim(1) >= 2, "scores of no classes");
  demand(scores.labels.shape() == Shape{scores.logits.dim(0)}, "labels for other rows");
  for (const double z : scores.logits.to_vector<double>())
    demand(std::isfinite(z), "a logit that is not finite");
  for (const double y : scores.labels.to_vector<double>())
    demand(y >= 0.0 && y < static_cast<double>(scores.logits.dim(1)), "a label that is no class");
}

// A column of labels and one for each class, most of them sound.
std::string scores_of(Choices& choices) {
  const std::size_t classes = 1 + choices.below(4);
  const bool words = choices.one_in(2);
  std::string text = choices.word_of({"label", "class", "y"});
  for (std::size_t k = 0; k < classes; ++k)
    text += words ? fmt::format(",p_{}", "abcd"[k]) : fmt::format(",{}", k);
  const std::size_t rows = choices.below(12);
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t label = choices.below(classes + (choices.one_in(20) ? 2 : 0));
    text += words ? fmt::format("\n{}", "abcdef"[label]) : fmt::format("\n{}", label);
    for (std::size_t k = 0; k < classes; ++k)
      text += "," + (choices.one_in(20) ? choices.number_text() : fmt::format("{}", choices.below(9)));
  }
  return text + "\n";
}

tables::Schema schema() {
  return {.inputs = {{"height"}, {"species", true, {"cat", "dog"}}, {"age"}},
          .target = "y",
          .classes = {"a", "b"}};
}

std::string table_of(Choices& choices) {
  const char separator = choices.pick({',', ';', '\t', ' '});
  const std::size_t columns = 1 + choices.below(5);
  const std::size_t rows = choices.below(30);
  const char* const end = choices.pick({"\n", "\r\n"});
  std::string text = choices.one_in(8) ? "\xef\xbb\xbf" : "";
  const auto add_field = [&](std::string field) {
    if (choices.one_in(12)) field = "\"" + field + "\"";
    text += field;
  };
  // What each column mostly holds.
  std::vector<std::size_t> kinds;
  for (std::size_t column = 0; column < columns; ++column) kinds.push_back(choices.below(4));
  const std::vector<std::string> names{"height", "species", "age", "y", "id"};
  for (std::size_t row = 0; row <= rows; ++row) {
    const std::size_t width = choices.one_in(40) ? choices.below(9) : columns;
    for (std::size_t column = 0; column < width; ++column) {
      if (column > 0) text += separator;
      if (row == 0) {
        add_field(choices.word_of({names[column % names.size()]}));
      } else if (choices.one_in(16)) {
        add_field(choices.one_in(2) ? choices.word() : choices.number_text());
      } else {
        switch (kinds[column % columns]) {
          case 0: add_field(fmt::format("{}", choices.below(9))); break;
          case 1: add_field(fmt::format("{}", choices.number())); break;
          case 2: add_field(choices.pick({"cat", "dog", "a", "b"})); break;
          default: add_field(fmt::format("{}", row)); break;
        }
      }
    }
    text += end;
  }
  return text;
}

// What a user may ask for: a refusal then is about the file, and names it.
io::CsvOptions options_of(Choices& choices) {
  io::CsvOptions options;
  options.separator = choices.pick({',', ';', '\t', ' ', 'a'});
  options.quote = choices.pick({'"', '\''});
  options.skip = choices.one_in(8) ? choices.whole() & 0xffff : static_cast<std::int64_t>(choices.below(3));
  options.header = !choices.one_in(3);
  options.missing = choices.pick({io::Missing::refuse, io::Missing::keep, io::Missing::drop_row});
  if (choices.one_in(4)) options.categories = {choices.word_of({"height", "species", "age"})};
  return options;
}

}  // namespace

void add_table_targets(std::vector<Target>& all) {
  const auto tables = [] { return std::vector<std::string>{kMixed, packed(kMixed)}; };
  all.push_back({"csv",
                 [](std::string_view input) {
                   const auto missing = input.size() % 2 == 0 ? io::Missing::keep : io::Missing::drop_row;
                   return read_file(input, kPacked,
                                    [&](Paths path) { look_at_all(path, {.missing = missing}); });
                 },
                 tables});
  all.push_back({"csv_layout",
                 [](std::string_view input) {
                   return read_file(input, kPacked, [](Paths path) {
                     io::CsvOptions options = io::guess_csv_layout(path).options();
                     demand(options.separator == io::guess_separator(path), "two separators are guessed");
                     options.missing = io::Missing::keep;
                     look_at(io::read_csv(path, options));
                   });
                 },
                 tables});
  all.push_back(
      {"csv_dataset",
       [](std::string_view input) {
         return read_file(input, 2.0 * kPlain, [](Paths path) {
           io::csv_dataset(path, "species", {}, {.missing = io::Missing::keep}).all();
         });
       },
       [] { return std::vector<std::string>{"id,height,species\n1,2.5,cat\n2,-1e3,dog\n-3,4,cat\n"}; }});
  all.push_back({"csv_meaning",
                 [](std::string_view input) {
                   Choices choices(input);
                   const io::CsvOptions options = options_of(choices);
                   std::string text = table_of(choices);
                   if (choices.one_in(8)) text = gzip_of(text, choices);
                   return read_file(text, kPacked, [&](Paths path) {
                     switch (choices.below(3)) {
                       case 0: look_at_all(path, options); break;
                       case 1: io::csv_dataset(path, "y", {}, options).all(); break;
                       default: look_at(io::read_csv(path, io::guess_csv_layout(path).options()));
                     }
                   });
                 },
                 [] {
                   return std::vector<std::string>{"", std::string(60, '\1'), std::string(90, '\5')};
                 },
                 false});

  // `likely calibrate`.
  all.push_back({"scores",
                 [](std::string_view input) {
                   return read_file(
                       input, kPacked, [](Paths path) { look_at(confidence::read_scores(path).rows); },
                       "scores.csv");
                 },
                 [] {
                   return std::vector<std::string>{"label,cat,dog\ncat,2.5,-1\ndog,0,1\n",
                                                   "p_0,p_1,y\n0.25,0.75,1\n1,0,0\n"};
                 }});
  all.push_back(
      {"scores_npz",
       [](std::string_view input) {
         return read_file(
             input, kPacked, [](Paths path) { look_at(confidence::read_scores(path).rows); }, "scores.npz");
       },
       [] {
         return std::vector<std::string>{written(
             [](Paths path) {
               io::NamedTensors arrays;
               arrays.tensors = {{"labels", tensor({0, 1})}, {"logits", tensor({{0.5, 2.0}, {1.0, -1.0}})}};
               io::save_npz(path, arrays);
             },
             "scores.npz")};
       }});
  all.push_back({"scores_meaning",
                 [](std::string_view input) {
                   Choices choices(input);
                   return read_file(
                       scores_of(choices), kPacked,
                       [](Paths path) { look_at(confidence::read_scores(path).rows); }, "scores.csv");
                 },
                 [] {
                   return std::vector<std::string>{"", std::string(60, '\1'), std::string(90, '\5')};
                 },
                 false});

  // `likely train csv` and `likely predict`.
  all.push_back({"table_to_learn_from",
                 [](std::string_view input) {
                   return read_file(input, kPacked,
                                    [](Paths path) { look_at(tables::read_table({.file = path})); });
                 },
                 [] { return std::vector<std::string>{}; }});
  all.push_back({"table_meaning",
                 [](std::string_view input) {
                   Choices choices(input);
                   tables::ReadOptions options;
                   options.missing = choices.pick(
                       {tables::Missing::impute, tables::Missing::drop, tables::Missing::refuse});
                   options.task =
                       choices.pick({tables::Task::automatic, tables::Task::classify, tables::Task::regress});
                   options.target = choices.word_of({"last", "y", "0", "-1", "species"});
                   if (choices.one_in(4)) options.ignore = {choices.word_of({"id", "height"})};
                   const bool further = choices.one_in(3);
                   return read_file(table_of(choices), kPacked, [&](Paths path) {
                     options.file = path;
                     if (further) {
                       look_at(tables::read_rows(path, schema(),
                                                 {.missing = options.missing, .target = choices.one_in(2)}));
                     } else {
                       look_at(tables::read_table(options));
                     }
                   });
                 },
                 [] {
                   return std::vector<std::string>{"", std::string(60, '\1'), std::string(90, '\5')};
                 },
                 false});
  all.push_back({"further_rows",
                 [](std::string_view input) {
                   return read_file(input, kPacked,
                                    [](Paths path) { look_at(tables::read_rows(path, schema())); });
                 },
                 [] { return std::vector<std::string>{}; }});
  all.push_back({"columns_of_a_table",
                 [](std::string_view input) {
                   return read_text(
                       [&] { tables::Schema::parse(std::string(input), "columns.json").text(); });
                 },
                 [] { return std::vector<std::string>{schema().text()}; }});
  for (const std::string ending : {".csv", ".npy", ".npz", ".idx"}) {
    all.push_back({"rows_to_predict_" + ending.substr(1),
                   [ending](std::string_view input) {
                     return read_file(
                         input, 2.0 * kPacked,
                         [](Paths path) {
                           const Tensor rows = runs::read_rows(path, {3}).x;
                           demand(rows.rank() == 2 && rows.dim(1) == 3 && rows.dim(0) > 0,
                                  "rows of another shape");
                         },
                         "rows" + ending);
                   },
                   [ending]() -> std::vector<std::string> {
                     if (ending == ".csv") return {"a,b,c\n1,2,3\n4,5,6\n", "1,2,3\n"};
                     if (ending == ".idx")
                       return {std::string("\0\0\x08\x02\0\0\0\x01\0\0\0\x03\x01\x02\x03", 15)};
                     const Tensor rows = tensor({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}});
                     if (ending == ".npy") return {written([&](Paths path) { io::save_npy(path, rows); })};
                     return {written([&](Paths path) { io::save_npz(path, {{{"x", rows}}, {}}); })};
                   }});
  }
  all.push_back(
      {"mnist1d",
       [](std::string_view input) {
         const std::string bytes(input);
         return read_folder({{"mnist1d_train.csv", bytes}, {"mnist1d_test.csv", bytes}}, kPacked,
                            [](Paths folder) { io::load_mnist1d(folder); });
       },
       [] {
         std::string row = "3";
         for (int i = 0; i < 40; ++i) row += fmt::format(",{}", 0.25 * i);
         std::string names = "label";
         for (int i = 0; i < 40; ++i) names += fmt::format(",x{}", i);
         return std::vector<std::string>{names + "\n" + row + "\n" + row + "\n", row + "\n" + row + "\n"};
       },
       false});
}

}  // namespace likely::fuzz
