#include "apps/likely/words_options.hpp"

#include <CLI/CLI.hpp>
#include <map>
#include <string>

namespace likely::command {

void add_format(CLI::App& command, words::VectorFormat& format) {
  static const std::map<std::string, words::VectorFormat> kFormats{{"text", words::VectorFormat::text},
                                                                   {"binary", words::VectorFormat::binary}};
  command
      .add_option_function<std::string>(
          "--format", [&format](const std::string& name) { format = kFormats.at(name); },
          "text or binary; by its ending if left out: .txt and .vec are text, .bin is binary")
      ->type_name("NAME")
      ->check(CLI::IsMember({"text", "binary"}));
}

}  // namespace likely::command
