#include "likely/io/csv_stream.hpp"

#include <string_view>
#include <utility>

#include "likely/io/csv_records.hpp"
#include "likely/io/csv_schema.hpp"
#include "likely/io/input_file.hpp"

namespace likely::io {

namespace {

class CsvSource final : public data::Source {
 public:
  CsvSource(const std::filesystem::path& path, std::string target, std::vector<std::string> inputs,
            const CsvOptions& options)
      : schema_("csv_dataset", path, options, &index_),
        file_("csv_dataset", path),
        target_(std::move(target)),
        inputs_(std::move(inputs)) {
    rows({});  // refuses columns that are not there, or no numbers
  }

  std::int64_t size() const override { return static_cast<std::int64_t>(index_.offsets.size()); }

  data::Batch rows(std::span<const std::int64_t> which) const override {
    TableBuilder table(schema_);
    std::vector<CsvField> fields;
    std::string scratch;
    const std::string_view text(reinterpret_cast<const char*>(file_.bytes().data()), file_.bytes().size());
    for (const std::int64_t row : which) {
      const auto i = static_cast<std::size_t>(row);
      if (index_.offsets[i] + index_.lengths[i] > text.size())
        file_.file().refuse("the file has become shorter");
      const std::string_view record = text.substr(index_.offsets[i], index_.lengths[i]);
      if (!split_record(record, schema_.dialect(), fields, scratch)) fields.clear();
      table.add(fields, 0);
    }
    return table.finish().dataset(target_, inputs_).all();
  }

 private:
  CsvIndex index_;
  CsvSchema schema_;
  MappedFile file_;
  std::string target_;
  std::vector<std::string> inputs_;
};

}  // namespace

CsvStream::CsvStream(const std::filesystem::path& path, const CsvOptions& options)
    : schema_(std::make_unique<CsvSchema>("CsvStream", path, options)),
      records_(std::make_unique<CsvRecords>("CsvStream", path, schema_->dialect())) {
  CsvSchema::skip_header(*records_, options);
}

CsvStream::~CsvStream() = default;

const std::vector<CsvColumn>& CsvStream::columns() const { return schema_->columns(); }
const std::vector<std::string>& CsvStream::notes() const { return schema_->notes(); }

std::optional<Table> CsvStream::next(std::int64_t rows) {
  if (rows < 1) refuse("CsvStream", "at least one row must be asked for, got " + std::to_string(rows));
  TableBuilder table(*schema_);
  while (table.rows() < rows && records_->next()) table.add(records_->fields(), records_->line());
  if (table.rows() == 0) return std::nullopt;
  return table.finish();
}

data::Dataset csv_dataset(const std::filesystem::path& path, const std::string& target,
                          const std::vector<std::string>& inputs, const CsvOptions& options) {
  if (ByteStream("csv_dataset", path).is_packed()) {
    refuse("csv_dataset", path.string() + " is packed: unpack it, or read it with CsvStream");
  }
  return data::Dataset(std::make_shared<CsvSource>(path, target, inputs, options));
}

}  // namespace likely::io
