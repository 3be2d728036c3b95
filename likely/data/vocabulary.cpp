#include "likely/data/vocabulary.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <utility>

#include "likely/core/create.hpp"
#include "likely/core/utf8.hpp"

namespace likely::data {

namespace {

constexpr std::string_view kUnknown = "<unknown>";

template <class Visit>
void for_each_character(std::string_view text, const Visit& visit) {
  for (std::size_t place = 0; place < text.size();) {
    const std::size_t length = likely::detail::first_character(text.substr(place)).bytes;
    if (length == 0) refuse("Vocabulary", "byte " + std::to_string(place) + " is not UTF-8");
    visit(text.substr(place, length));
    place += length;
  }
}

template <class Visit>
void for_each_word(std::string_view text, const Visit& visit) {
  constexpr std::string_view kSpaces = " \t\n\r\v\f";
  std::size_t end = 0;
  while (true) {
    const std::size_t begin = text.find_first_not_of(kSpaces, end);
    if (begin == std::string_view::npos) return;
    end = std::min(text.find_first_of(kSpaces, begin), text.size());
    visit(text.substr(begin, end - begin));
  }
}

class WindowSource final : public Source {
 public:
  WindowSource(Tensor tokens, std::int64_t length) : tokens_(std::move(tokens)), length_(length) {}

  std::int64_t size() const override { return tokens_.size() - length_; }
  Batch rows(std::span<const std::int64_t> which) const override {
    const Shape shape{static_cast<std::int64_t>(which.size()), length_};
    Batch batch{Tensor::uninitialized(shape, tokens_.dtype()), Tensor::uninitialized(shape, tokens_.dtype())};
    const std::size_t element = size_of(tokens_.dtype());
    const std::size_t bytes = static_cast<std::size_t>(length_) * element;
    const auto* from = static_cast<const char*>(tokens_.raw());
    auto* x = static_cast<char*>(batch.x.mutable_raw());
    auto* y = static_cast<char*>(batch.y.mutable_raw());
    for (std::size_t i = 0; i < which.size(); ++i) {
      const char* start = from + static_cast<std::size_t>(which[i]) * element;
      std::memcpy(x + i * bytes, start, bytes);
      std::memcpy(y + i * bytes, start + element, bytes);
    }
    return batch;
  }

 private:
  Tensor tokens_;
  std::int64_t length_;
};

}  // namespace

Vocabulary::Vocabulary(Kind kind, std::vector<std::string> symbols)
    : kind_(kind), symbols_(std::move(symbols)) {
  for (const std::string& symbol : symbols_) {
    if (!numbers_.emplace(symbol, static_cast<std::int64_t>(numbers_.size())).second) {
      refuse("Vocabulary", "the symbol \"" + symbol + "\" comes twice");
    }
  }
}

Vocabulary Vocabulary::of_characters(std::string_view text) {
  std::set<std::string, std::less<>> seen;
  for_each_character(text, [&](std::string_view character) {
    if (!seen.contains(character)) seen.emplace(character);
  });
  return {Kind::characters, std::vector<std::string>(seen.begin(), seen.end())};
}

Vocabulary Vocabulary::of_words(std::string_view text, const WordOptions& options) {
  std::map<std::string, std::int64_t, std::less<>> counts;
  for_each_word(text, [&](std::string_view word) {
    const auto found = counts.find(word);
    if (found != counts.end()) {
      ++found->second;
    } else {
      counts.emplace(word, 1);
    }
  });
  std::vector<std::pair<std::string, std::int64_t>> ranked;
  for (const auto& [word, count] : counts) {
    if (count >= options.least && word != kUnknown) ranked.emplace_back(word, count);
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  if (options.most > 0 && ranked.size() > static_cast<std::size_t>(options.most)) {
    ranked.resize(static_cast<std::size_t>(options.most));
  }
  std::vector<std::string> symbols{std::string(kUnknown)};
  for (auto& [word, count] : ranked) symbols.push_back(std::move(word));
  return {Kind::words, std::move(symbols)};
}

std::int64_t Vocabulary::number(std::string_view symbol) const {
  auto found = numbers_.find(std::string(symbol));
  if (found == numbers_.end()) found = numbers_.find(std::string(kUnknown));
  if (found == numbers_.end()) refuse("Vocabulary", "the symbol \"" + std::string(symbol) + "\" is unknown");
  return found->second;
}

Tensor Vocabulary::encode(std::string_view text) const {
  std::vector<std::int64_t> numbers;
  const auto add = [&](std::string_view symbol) { numbers.push_back(number(symbol)); };
  if (kind_ == Kind::words) {
    for_each_word(text, add);
  } else {
    for_each_character(text, add);
  }
  return tensor(numbers);
}

std::string Vocabulary::decode(const Tensor& numbers) const {
  std::string text;
  for (const std::int64_t number : numbers.to_vector<std::int64_t>()) {
    if (number < 0 || number >= size()) {
      refuse("Vocabulary", "number " + std::to_string(number) + " is out of range for " +
                               std::to_string(size()) + " symbols");
    }
    if (kind_ == Kind::words && !text.empty()) text += ' ';
    text += symbols_[static_cast<std::size_t>(number)];
  }
  return text;
}

Dataset windows(const Tensor& tokens, std::int64_t length) {
  if (tokens.rank() != 1) refuse("windows", "one dimension is needed, got shape " + tokens.shape().string());
  if (length < 1 || length >= tokens.size()) {
    refuse("windows", "a length from 1 to " + std::to_string(tokens.size() - 1) + " is needed for " +
                          std::to_string(tokens.size()) + " tokens, got " + std::to_string(length));
  }
  return Dataset(std::make_shared<WindowSource>(tokens.with_track({}).contiguous(), length));
}

}  // namespace likely::data
