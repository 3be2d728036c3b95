#include "likely/runs/rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "likely/core/error.hpp"
#include "likely/io/csv.hpp"
#include "likely/io/csv_layout.hpp"
#include "likely/io/csv_records.hpp"
#include "likely/io/csv_writer.hpp"
#include "likely/io/idx.hpp"
#include "likely/io/json.hpp"
#include "likely/io/npy.hpp"
#include "likely/io/parse_number.hpp"
#include "likely/io/path_kind.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/view.hpp"

namespace likely::runs {

namespace {

namespace fs = std::filesystem;
using io::Json;

[[noreturn]] void refuse_file(const fs::path& path, const std::string& why) {
  throw Error(fmt::format("{}: {}", path.string(), why));
}

void check_there(const fs::path& path) {
  if (!io::path_exists(path)) refuse_file(path, "there is no such file");
  if (io::is_folder(path)) refuse_file(path, "this is a folder, a file is needed");
}

void check_not_empty(const fs::path& path) {
  io::CsvRecords records("read_csv", path, {',', '"'});
  if (!records.next()) refuse_file(path, "the file is empty");
}

// A first line without a single number in it has names.
bool has_names(const fs::path& path, const io::CsvLayout& layout) {
  io::CsvRecords records("read_csv", path, {layout.separator, '"'});
  records.skip_lines(layout.skip);
  records.next();
  for (const io::CsvField& field : records.fields()) {
    double value = 0.0;
    if (io::parse_number(field.text, value)) return false;
  }
  return true;
}

io::CsvLayout layout_of(const fs::path& path) {
  check_there(path);
  check_not_empty(path);
  io::CsvLayout layout = io::guess_csv_layout(path);
  layout.header = has_names(path, layout);
  return layout;
}

bool changes(const Tensor& column) {
  const std::vector<double> values = column.to_vector<double>();
  return std::any_of(values.begin(), values.end(), [&](double value) { return value != values.front(); });
}

Tensor csv_rows(const fs::path& path, std::int64_t width, std::vector<std::string>& notes) {
  const io::CsvLayout layout = layout_of(path);
  const io::Table table = io::read_csv(path, layout.options());
  notes = table.notes();
  if (!layout.separator_note.empty()) notes.insert(notes.begin(), layout.separator_note);
  std::vector<std::string> names;
  for (const io::CsvColumn& column : table.columns()) names.push_back(column.name);
  if (static_cast<std::int64_t>(names.size()) == width + 1) {
    std::erase_if(names, [](const std::string& name) {
      return name == "label" || name == "class" || name == "target" || name == "y";
    });
  }
  if (static_cast<std::int64_t>(names.size()) != width)
    refuse_file(path, fmt::format("{} columns, the model needs {}", table.columns().size(), width));
  return table.matrix(names);
}

Tensor npz_rows(const fs::path& path) {
  const io::NamedTensors arrays = io::load_npz(path);
  for (const auto& [name, tensor] : arrays.tensors) {
    if (name == "x" || arrays.tensors.size() == 1) return tensor;
  }
  refuse_file(path, fmt::format("{} arrays, none of which is called x", arrays.tensors.size()));
}

// Pictures are bytes in these files.
Tensor idx_rows(const fs::path& path) {
  const Tensor raw = io::load_idx(path, DType::f32);
  return raw.size() > 0 && max(raw).item() > 1.0 ? raw / 255.0 : raw;
}

std::string field_of(const PredictionColumn& column, const Tensor& values, std::int64_t row) {
  if (values.dtype() == DType::f64) return fmt::format("{}", values.data<double>()[row]);
  if (values.dtype() == DType::f32) return fmt::format("{}", values.data<float>()[row]);
  const std::int64_t place = values.data<std::int64_t>()[row];
  if (static_cast<std::size_t>(place) >= column.words.size()) return std::to_string(place);
  return io::csv_field(column.words[static_cast<std::size_t>(place)]);
}

}  // namespace

RowsOfFile read_rows(const fs::path& path, const Shape& input) {
  check_there(path);
  std::string name = path.filename().string();
  if (name.ends_with(".gz")) name.resize(name.size() - 3);
  const std::int64_t width = input.size();
  Tensor rows;
  std::vector<std::string> notes;
  if (name.ends_with(".csv") || name.ends_with(".txt")) {
    rows = csv_rows(path, width, notes);
  } else if (name.ends_with(".npy")) {
    rows = io::load_npy(path);
  } else if (name.ends_with(".npz")) {
    rows = npz_rows(path);
  } else if (name.ends_with("ubyte") || name.ends_with(".idx")) {
    rows = idx_rows(path);
  } else {
    refuse_file(path,
                "the ending says neither .csv, .npy, .npz nor .idx (or -ubyte), nor any of them with .gz");
  }
  // A single row needs no axis for rows.
  if (rows.rank() > 0 && rows.shape() == input) rows = unsqueeze(rows, 0);
  if (rows.rank() == 0 || rows.dim(0) == 0) refuse_file(path, "there are no rows");
  const std::int64_t found = rows.size() / rows.dim(0);
  if (found != width)
    refuse_file(path, fmt::format("rows have {} numbers, the model needs {}", found, width));
  Shape shape = input;
  shape.insert(0, rows.dim(0));
  const Tensor narrow = rows.to(DType::f32);
  const auto infinite = [](const Tensor& x) {
    const std::vector<double> values = x.to_vector<double>();
    return std::any_of(values.begin(), values.end(), [](double value) { return std::isinf(value); });
  };
  if (rows.dtype() == DType::f64 && infinite(narrow) && !infinite(rows))
    refuse_file(path, "it holds numbers that are too large for f32");
  return {reshape(narrow, shape), std::move(notes)};
}

data::Dataset read_table(const fs::path& path) {
  const io::Table table = io::read_csv(path, layout_of(path).options());
  if (table.columns().size() < 2)
    refuse_file(path, "at least two columns are needed: inputs, and the target as the last");
  data::Dataset rows = table.dataset(table.columns().back().name);
  const Tensor x = rows.all().x;
  for (std::size_t i = 0; i + 1 < table.columns().size(); ++i) {
    const std::string& name = table.columns()[i].name;
    if (changes(table[name]) && !changes(select(x, 1, static_cast<std::int64_t>(i))))
      refuse_file(path, fmt::format("column \"{}\": f32 does not tell its numbers apart", name));
  }
  return rows;
}

std::string json_of(const Predictions& predictions, const std::vector<std::string>& notes) {
  Json columns = Json::object();
  for (const PredictionColumn& column : predictions) {
    Json values = Json::array();
    const bool floating = is_floating(column.values.dtype());
    for (const double value : column.values.to_vector<double>()) {
      const auto place = static_cast<std::size_t>(value);
      if (floating) {
        values.push_back(value);
      } else if (place < column.words.size()) {
        values.push_back(column.words[place]);
      } else {
        values.push_back(static_cast<std::int64_t>(value));
      }
    }
    columns[column.name] = values;
  }
  const Json json{{"rows", predictions.empty() ? 0 : predictions[0].values.size()},
                  {"columns", columns},
                  {"notes", notes}};
  return io::json_text(json);
}

std::string csv_of(const Predictions& predictions) {
  if (predictions.empty()) return "";
  std::string text;
  std::vector<Tensor> values;
  for (const PredictionColumn& column : predictions) {
    text += (text.empty() ? "" : ",") + io::csv_field(column.name);
    const DType dtype = column.values.dtype();
    values.push_back((is_floating(dtype) ? column.values : column.values.to(DType::i64)).contiguous());
  }
  text += '\n';
  for (std::int64_t row = 0; row < values[0].size(); ++row) {
    for (std::size_t i = 0; i < predictions.size(); ++i) {
      if (i > 0) text += ',';
      text += field_of(predictions[i], values[i], row);
    }
    text += '\n';
  }
  return text;
}

}  // namespace likely::runs
