// Small languages: settings, sweeps, name patterns, index strings, tables of equations, networks.
#include "likely/core/create.hpp"
#include "likely/io/network_json.hpp"
#include "likely/models/equations/equations.hpp"
#include "likely/nn/description.hpp"
#include "likely/ops/einsum.hpp"
#include "likely/runs/settings.hpp"
#include "likely/runs/sweep_space.hpp"
#include "likely/tree/name_pattern.hpp"
#include "tests/fuzz/choices.hpp"
#include "tests/fuzz/target.hpp"

namespace likely::fuzz {

namespace {

runs::Settings settings() {
  return {"recipe",
          {runs::whole_setting("epochs", 10, "passes"), runs::number_setting("lr", 0.1, "rate"),
           runs::flag_setting("deep", false, "deep?"),
           runs::word_setting("activation", "relu", "which", {"relu", "tanh"}),
           runs::text_setting("note", "", "anything")}};
}

void set(const std::string& assignment) {
  runs::Settings chosen = settings();
  chosen.set(assignment);
  demand(chosen.whole("epochs") >= 1, "epochs below their range");
  demand(chosen.number("lr") >= 0.0, "lr below its range, or not a number");
  chosen.flag("deep");
  demand(chosen.text("activation") == "relu" || chosen.text("activation") == "tanh",
         "a word that is not allowed");
}

void sweep(const std::string& text, bool list) {
  const runs::SweptSetting swept =
      list ? runs::parse_list(settings(), text) : runs::parse_range(settings(), text);
  swept.candidates();
  if (swept.is_list()) {
    for (std::size_t i = 0; i < swept.values.size(); ++i)
      set(swept.name + "=" + swept.text(static_cast<double>(i)));
  } else {
    set(swept.name + "=" + swept.text(swept.low));
    set(swept.name + "=" + swept.text(swept.high));
  }
}

// What `*` and `|` mean, in the plainest way.
bool fits_plainly(std::string_view name, std::string_view pattern) {
  std::size_t start = 0;
  while (true) {
    const std::size_t end = std::min(pattern.find('|', start), pattern.size());
    const std::string_view one = pattern.substr(start, end - start);
    // reached[j]: the first j characters of the name fit what was read of the pattern.
    std::vector<bool> reached(name.size() + 1, false);
    reached[0] = true;
    for (const char c : one) {
      std::vector<bool> next(name.size() + 1, false);
      for (std::size_t j = 0; j <= name.size(); ++j) {
        if (c == '*') next[j] = reached[j] || (j > 0 && next[j - 1]);
        if (c != '*' && j > 0) next[j] = reached[j - 1] && name[j - 1] == c;
      }
      reached = next;
    }
    if (reached[name.size()]) return true;
    if (end == pattern.size()) return false;
    start = end + 1;
  }
}

std::vector<Tensor> operands(std::string_view indices) {
  // Small enough for any output of eight axes.
  std::vector<Tensor> list;
  for (std::size_t place = 0; place != std::string_view::npos && list.size() < 3;) {
    const std::size_t end = std::min(indices.find(',', place), indices.find("->", place));
    const std::string_view one = indices.substr(place, end == std::string_view::npos ? end : end - place);
    Shape shape;
    for (const char c : one) {
      if (c != ' ' && c != '.' && shape.rank() < Shape::kMaxRank) shape.push_back(1 + (c & 1));
    }
    list.push_back(ones(shape));
    place = end == std::string_view::npos || indices[end] != ',' ? std::string_view::npos : end + 1;
  }
  return list;
}

// What was read is written, in both forms, so that it reads back. JSON says more than text can: layers that
// do not exist, and words with blanks in them.
void write_back(const nn::Description& read, bool from_text) {
  std::string text;
  try {
    text = nn::text_of(read);
  } catch (const Error&) {
    demand(!from_text || read.empty(), "a description that was text and cannot be again");
    return;
  }
  if (from_text) demand(nn::read_description(text) == read, "a text of a description that reads otherwise");
  std::string json;
  try {
    json = io::description_json(read);
  } catch (const Error&) {
    return;
  }
  const nn::Description again = io::description_from_json(json);
  demand(again.size() == read.size(), "layers that JSON lost");
  demand(io::description_json(again) == json, "JSON of a description that reads otherwise");
}

std::vector<std::string> starts() { return {"", std::string(40, '\1'), std::string(60, '\2')}; }

}  // namespace

void add_text_targets(std::vector<Target>& all) {
  all.push_back({"network_text",
                 [](std::string_view input) {
                   return read_text([&] { write_back(nn::read_description(input), true); });
                 },
                 [] {
                   return std::vector<std::string>{
                       "linear 64, relu, dropout 0.1, linear 10",
                       "conv2d 8 3x1 padding=same, residual [relu, residual [tanh]] [identity], flatten",
                       "linear out=3=3, upsample_nearest 1.5x2e9"};
                 }});
  all.push_back({"network_json",
                 [](std::string_view input) {
                   return read_text([&] { write_back(io::description_from_json(input), false); });
                 },
                 [] {
                   return std::vector<std::string>{
                       R"([{"layer":"linear","out":64},{"layer":"relu"}])",
                       R"([{"layer":"residual","body":[{"layer":"conv2d","kernel":[3,1]}],"shortcut":[]}])",
                       R"([{"layer":"a b","x":-1e300,"y":true,"z":"1x2"}])"};
                 }});
  all.push_back(
      {"settings", [](std::string_view input) { return read_text([&] { set(std::string(input)); }); },
       [] {
         return std::vector<std::string>{"epochs=12", "lr=1e-3", "deep=true", "activation=tanh", "note=a=b"};
       }});
  all.push_back({"settings_meaning",
                 [](std::string_view input) {
                   Choices choices(input);
                   const std::string text = choices.word_of({"epochs", "lr", "deep", "activation", "note"}) +
                                            (choices.one_in(20) ? "" : "=") +
                                            (choices.one_in(3) ? choices.word() : choices.number_text());
                   return read_text([&] { set(text); });
                 },
                 starts, false});
  all.push_back({"sweep",
                 [](std::string_view input) {
                   return read_text(
                       [&] { sweep(std::string(input), input.find("..") == std::string_view::npos); });
                 },
                 [] {
                   return std::vector<std::string>{"lr=0.1,0.01", "epochs=10..200", "lr=1e-3..0.1",
                                                   "activation=relu,tanh"};
                 }});
  all.push_back({"sweep_meaning",
                 [](std::string_view input) {
                   Choices choices(input);
                   const bool list = choices.one_in(2);
                   std::string text = choices.word_of({"epochs", "lr", "deep", "activation", "note"}) + "=";
                   text += choices.number_text();
                   for (std::size_t left = list ? choices.below(5) : 1; left > 0; --left)
                     text += (list ? "," : "..") + choices.number_text();
                   return read_text([&] { sweep(text, list); });
                 },
                 starts, false});
  all.push_back(
      {"name_pattern",
       [](std::string_view input) {
         const std::size_t middle = std::min(input.find('\n'), input.size());
         const std::string_view name = input.substr(0, middle);
         const std::string_view pattern = input.substr(std::min(middle + 1, input.size()));
         return read_text([&] {
           demand(name_fits(name, pattern) == fits_plainly(name, pattern), "a name that fits, or does not");
         });
       },
       [] {
         return std::vector<std::string>{"encoder.3.bias\n*.bias|norm.*",
                                         "aaaaaaaaaaaaaaaaaaaaab\n*a*a*a*a*a*a*a*c", "\n", "\n*", "a\n|"};
       }});
  all.push_back({"einsum",
                 [](std::string_view input) {
                   return read_text([&] {
                     const Tensor result = einsum(input, operands(input));
                     demand(result.rank() <= Shape::kMaxRank && result.size() <= 256,
                            "more axes than letters");
                   });
                 },
                 [] {
                   return std::vector<std::string>{"bij,bjk->bik", "ii->", "i,j->ij", "ij,jk",
                                                   "ab,bc,cd->ad", "a->",  "->",      "ii->i"};
                 }});
  all.push_back({"equations",
                 [](std::string_view input) {
                   return read_file(input, 0.0, [&](const std::filesystem::path& path) {
                     const std::vector<equations::Equation> all_found =
                         equations::parse(input, path.string());
                     equations::describe(all_found, "");
                     equations::json_of(all_found);
                   });
                 },
                 [] { return std::vector<std::string>{}; }});
  all.push_back({"equation_numbers",
                 [](std::string_view input) {
                   static const std::vector<equations::Equation> kAll{
                       {.chapter = 6, .number = 11, .title = "Momentum"},
                       {.chapter = 6, .number = 12, .title = "Nesterov"}};
                   return read_text([&] {
                     equations::describe(equations::find(kAll, std::string(input)), std::string(input));
                   });
                 },
                 [] {
                   return std::vector<std::string>{"6.11", "6", ""};
                 }});
}

}  // namespace likely::fuzz
