#include "likely/models/words/evaluate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <string_view>

#include "likely/core/create.hpp"
#include "likely/core/error.hpp"
#include "likely/core/finite_number.hpp"
#include "likely/core/printable.hpp"
#include "likely/io/csv_records.hpp"
#include "likely/io/decimal_comma.hpp"
#include "likely/io/missing_words.hpp"
#include "likely/io/text.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/index.hpp"
#include "likely/ops/matmul.hpp"
#include "likely/ops/view.hpp"
#include "likely/prob/ranks.hpp"

namespace likely::words {

namespace {

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  const char* const kBlanks = " \t,";
  for (std::size_t at = line.find_first_not_of(kBlanks); at != std::string::npos;
       at = line.find_first_not_of(kBlanks, at)) {
    const std::size_t end = std::min(line.find_first_of(kBlanks, at), line.size());
    fields.push_back(line.substr(at, end - at));
    at = end;
  }
  return fields;
}

[[noreturn]] void refuse_line(const char* reader, const std::filesystem::path& path, std::size_t index,
                              const std::string& message) {
  refuse(reader, fmt::format("{}, line {}: {}", path.string(), index + 1, message));
}

// Without the mark with which some programs begin UTF-8.
std::vector<std::string> lines_of(const std::filesystem::path& path) {
  std::vector<std::string> lines = io::read_lines(path);
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (!lines.empty() && lines[0].starts_with(kMark)) lines[0].erase(0, kMark.size());
  return lines;
}

struct Row {
  std::size_t line = 0;  // from 0
  std::string text;
  std::vector<std::string> fields;
};

// The lines that are no notes and not empty, cut at what the first of them is cut by: a tab, else a
// semicolon, else a comma, else blanks.
std::vector<Row> rows_of(const std::filesystem::path& path, const std::vector<std::string>& lines) {
  std::vector<Row> rows;
  std::optional<char> separator;
  std::string scratch;
  std::vector<io::CsvField> fields;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].starts_with('#') || lines[i].find_first_not_of(" \t") == std::string::npos) continue;
    for (const char c : {'\t', ';', ','}) {
      if (!separator && lines[i].find(c) != std::string::npos) separator = c;
    }
    if (!separator) separator = ' ';
    if (!io::split_record(lines[i], {*separator, '"', {}}, fields, scratch))
      refuse_line("read_similarities", path, i, "a quote is followed by something else than the next field");
    Row& row = rows.emplace_back(Row{i, lines[i], {}});
    for (const io::CsvField& field : fields) row.fields.emplace_back(field.text);
  }
  return rows;
}

std::optional<double> judged_number(const std::string& field) {
  double value = 0.0;
  if (io::parse_decimal_comma(field, value)) return value;
  return finite_number(field);
}

[[noreturn]] void refuse_pair(const std::filesystem::path& path, const Row& row) {
  refuse_line("read_similarities", path, row.line,
              fmt::format("two words and a number are expected, got \"{}\"",
                          printable_line(beginning(row.text, 60))));
}

struct PairColumns {
  std::size_t first = 0, second = 1, judged = 2;
};

// The columns in front of the number whose names begin with "word", where there are two.
bool name_words(const std::vector<std::string>& names, PairColumns& columns) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < columns.judged; ++i) {
    std::string small;
    for (const char c : names[i]) small += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    if (small.starts_with("word")) found.push_back(i);
  }
  if (found.size() != 2) return false;
  columns.first = found[0];
  columns.second = found[1];
  return true;
}

// "1,love,sex,6.77", and "N,old,new,1.58": the first two columns are no pair.
void refuse_column_in_front(const std::filesystem::path& path, const std::vector<Row>& pairs,
                            const PairColumns& columns) {
  std::set<std::string> first, third;
  bool numbers = true;
  for (const Row& row : pairs) {
    numbers = numbers && judged_number(row.fields[0]).has_value();
    first.insert(row.fields[0]);
    if (row.fields.size() > 2) third.insert(row.fields[2]);
  }
  if (numbers || (columns.judged > 2 && 2 * first.size() < third.size()))
    refuse_line("read_similarities", path, pairs[0].line,
                fmt::format("the two words must stand in the first two columns, or in columns called word1 "
                            "and word2; \"{}\" seems to be none",
                            printable_line(beginning(pairs[0].fields[0], 60))));
}

// The numbers of the four words; nothing where one has no vector.
std::optional<std::array<std::int64_t, 4>> numbers_of(const WordVectors& vectors,
                                                      const std::array<std::string, 4>& question,
                                                      std::int64_t most) {
  std::array<std::int64_t, 4> numbers{};
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::optional<std::int64_t> number = vectors.find(question[i]);
    if (!number || *number >= most) return std::nullopt;
    numbers[i] = *number;
  }
  return numbers;
}

std::int64_t best_but(const float* cosines, std::int64_t words, const std::array<std::int64_t, 4>& question) {
  std::int64_t best = -1;
  for (std::int64_t i = 0; i < words; ++i) {
    if (best >= 0 && cosines[i] <= cosines[best]) continue;
    if (i != question[0] && i != question[1] && i != question[2]) best = i;
  }
  return best;
}

double pearson(const std::vector<double>& x, const std::vector<double>& y) {
  const auto n = static_cast<double>(x.size());
  double mean_x = 0.0, mean_y = 0.0, xx = 0.0, yy = 0.0, xy = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    mean_x += x[i] / n;
    mean_y += y[i] / n;
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    yy += (y[i] - mean_y) * (y[i] - mean_y);
    xy += (x[i] - mean_x) * (y[i] - mean_y);
  }
  return xx > 0.0 && yy > 0.0 ? xy / std::sqrt(xx * yy) : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

std::vector<AnalogySection> read_analogies(const std::filesystem::path& path) {
  const std::vector<std::string> lines = lines_of(path);
  std::vector<AnalogySection> sections;
  std::size_t questions = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::vector<std::string> fields = fields_of(lines[i]);
    if (fields.empty()) continue;
    if (fields[0].starts_with(':')) {
      std::string name = lines[i].substr(lines[i].find(':') + 1);
      name.erase(0, std::min(name.find_first_not_of(" \t"), name.size()));
      sections.push_back({name, {}});
      continue;
    }
    if (fields.size() != 4)
      refuse_line("read_analogies", path, i, fmt::format("a question has four words, got {}", fields.size()));
    if (sections.empty()) sections.emplace_back();
    sections.back().questions.push_back({fields[0], fields[1], fields[2], fields[3]});
    ++questions;
  }
  if (questions == 0) refuse("read_analogies", path.string() + ": there are no questions");
  return sections;
}

std::vector<JudgedPair> read_similarities(const std::filesystem::path& path) {
  const std::vector<Row> rows = rows_of(path, lines_of(path));
  if (rows.empty())
    refuse("read_similarities", path.string() + ": there are no pairs of words with a number");
  const auto is_judged = [](const std::string& field) { return judged_number(field).has_value(); };
  // Where the number stands is told by the last row, as the first may be names.
  const std::vector<std::string>& last = rows.back().fields;
  PairColumns columns;
  const auto found = last.size() < 3 ? last.end() : std::find_if(last.begin() + 2, last.end(), is_judged);
  if (found == last.end()) refuse_pair(path, rows.back());
  columns.judged = static_cast<std::size_t>(found - last.begin());
  const bool named =
      rows.size() > 1 && columns.judged < rows[0].fields.size() && !is_judged(rows[0].fields[columns.judged]);
  const std::vector<std::string> missing = io::usual_missing_words();
  if (named && std::find(missing.begin(), missing.end(), rows[0].fields[columns.judged]) != missing.end())
    refuse_pair(path, rows[0]);
  const std::vector<Row> pairs(rows.begin() + (named ? 1 : 0), rows.end());
  const bool found_by_name = named && name_words(rows[0].fields, columns);
  if (!found_by_name) refuse_column_in_front(path, pairs, columns);
  std::vector<JudgedPair> judged;
  bool comma = false, point = false;
  for (const Row& row : pairs) {
    if (row.fields.size() != last.size() || !is_judged(row.fields[columns.judged]) ||
        row.fields[columns.first].empty() || row.fields[columns.second].empty())
      refuse_pair(path, row);
    const std::string& number = row.fields[columns.judged];
    comma = comma || number.find(',') != std::string::npos;
    point = point || number.find('.') != std::string::npos;
    if (comma && point)
      refuse_line("read_similarities", path, row.line,
                  fmt::format("\"{}\" has another decimal sign than the numbers above it", number));
    judged.push_back({row.fields[columns.first], row.fields[columns.second], *judged_number(number)});
  }
  return judged;
}

std::vector<AnalogyScore> score_analogies(const WordVectors& vectors,
                                          const std::vector<AnalogySection>& sections, std::int64_t most,
                                          const CancelTest& cancelled) {
  if (most < 0)
    refuse("score_analogies", fmt::format("the number of words must not be negative, got {}", most));
  const std::int64_t words = most > 0 ? std::min(most, vectors.size()) : vectors.size();
  const Tensor directions = contiguous(slice(vectors.directions(), 0, {0, words}));
  const Tensor across = transpose(directions);
  constexpr std::size_t kAtOnce = 128;
  std::vector<AnalogyScore> scores;
  for (const AnalogySection& section : sections) {
    AnalogyScore score{.name = section.name, .all = static_cast<std::int64_t>(section.questions.size())};
    std::vector<std::array<std::int64_t, 4>> known;
    for (const auto& question : section.questions) {
      if (const auto numbers = numbers_of(vectors, question, words)) known.push_back(*numbers);
    }
    score.asked = static_cast<std::int64_t>(known.size());
    for (std::size_t begin = 0; begin < known.size(); begin += kAtOnce) {
      give_up_if(cancelled);
      const std::size_t end = std::min(begin + kAtOnce, known.size());
      std::array<std::vector<std::int64_t>, 3> asked;
      for (std::size_t i = begin; i < end; ++i) {
        for (std::size_t j = 0; j < asked.size(); ++j) asked[j].push_back(known[i][j]);
      }
      const auto rows = [&](std::size_t j) { return index_select(directions, 0, tensor(asked[j])); };
      const Tensor cosines = matmul(rows(1) - rows(0) + rows(2), across).contiguous();
      for (std::size_t i = begin; i < end; ++i) {
        const float* const near = cosines.data<float>() + static_cast<std::int64_t>(i - begin) * words;
        if (best_but(near, words, known[i]) == known[i][3]) ++score.right;
      }
    }
    scores.push_back(std::move(score));
  }
  return scores;
}

AnalogyScore total_of(const std::vector<AnalogyScore>& scores) {
  AnalogyScore total{.name = "total"};
  for (const AnalogyScore& score : scores) {
    total.right += score.right;
    total.asked += score.asked;
    total.all += score.all;
  }
  return total;
}

double spearman(const std::vector<double>& x, const std::vector<double>& y) {
  if (x.size() != y.size())
    refuse("spearman",
           fmt::format("{} numbers beside {}: there must be as many of both", x.size(), y.size()));
  return pearson(likely::detail::mean_ranks(x), likely::detail::mean_ranks(y));
}

SimilarityScore score_similarities(const WordVectors& vectors, const std::vector<JudgedPair>& pairs) {
  const Tensor directions = vectors.directions();
  const std::int64_t dimension = vectors.dimension();
  const float* const rows = directions.data<float>();
  std::vector<double> judged, cosines;
  for (const JudgedPair& pair : pairs) {
    const auto first = vectors.find(pair.first), second = vectors.find(pair.second);
    if (!first || !second) continue;
    double cosine = 0.0;
    for (std::int64_t i = 0; i < dimension; ++i)
      cosine += static_cast<double>(rows[*first * dimension + i]) *
                static_cast<double>(rows[*second * dimension + i]);
    judged.push_back(pair.judged);
    cosines.push_back(cosine);
  }
  SimilarityScore score{.asked = static_cast<std::int64_t>(judged.size()),
                        .all = static_cast<std::int64_t>(pairs.size())};
  score.rho = spearman(judged, cosines);
  constexpr double kNormal975 = 1.959963984540054;
  const double error =
      score.asked > 3
          ? std::sqrt((1.0 + score.rho * score.rho / 2.0) / (static_cast<double>(score.asked) - 3.0))
          : std::numeric_limits<double>::infinity();
  score.low = std::tanh(std::atanh(score.rho) - kNormal975 * error);
  score.high = std::tanh(std::atanh(score.rho) + kNormal975 * error);
  return score;
}

}  // namespace likely::words
