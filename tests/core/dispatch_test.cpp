#include "likely/core/dispatch.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <type_traits>

#include "likely/core/create.hpp"
#include "tests/support/declarations.hpp"
#include "tests/support/refusal.hpp"

namespace likely {
namespace {

using detail::TypeTable;
using testing::expect_refusal;

constexpr DType kNoType = static_cast<DType>(7);

// The C++ type that f was called with.
const auto kTypeName = []<class T>(T zero) -> std::string {
  EXPECT_EQ(zero, T{});
  return std::string(name_of(dtype_of<T>));
};

TEST(Dispatch, CallsWithTheTypeBehindEach) {
  for (const DType type : {DType::f32, DType::f64, DType::i64, DType::boolean}) {
    EXPECT_EQ(detail::with_type("sort", type, kTypeName), name_of(type));
    EXPECT_EQ(detail::type_or_nothing(type, kTypeName), name_of(type));
  }
  for (const DType type : {DType::f32, DType::f64}) {
    EXPECT_EQ(detail::with_floating("softmax", type, kTypeName), name_of(type));
    EXPECT_EQ(detail::floating_or_nothing(type, kTypeName), name_of(type));
    EXPECT_TRUE(detail::is_f32_or_f64(type));
  }
}

TEST(Dispatch, MayReturnNothing) {
  std::string called;
  detail::with_type("sort", DType::boolean, [&](auto zero) { called += kTypeName(zero); });
  detail::with_floating("softmax", DType::f64, [&](auto zero) { called += kTypeName(zero); });
  EXPECT_EQ(called, "boolf64");
}

TEST(Dispatch, RefusesWhatIsNotFloating) {
  expect_refusal([] { detail::with_floating("softmax", DType::i64, kTypeName); },
                 "[softmax] floating numbers are needed, got i64");
  expect_refusal([] { detail::with_floating("softmax", DType::boolean, kTypeName); },
                 "[softmax] floating numbers are needed, got bool");
  for (const DType type : {DType::i64, DType::boolean, kNoType}) {
    EXPECT_EQ(detail::floating_or_nothing(type, kTypeName), "");
    EXPECT_FALSE(detail::is_f32_or_f64(type));
  }
}

TEST(Dispatch, RefusesATypeThatAnOperationDoesNotHave) {
  expect_refusal([] { detail::refuse_type("matmul", DType::boolean); }, "[matmul] is not defined for bool");
  // As it will be with a new floating type, which has a name and no case.
  expect_refusal([] { detail::refuse_not_floating("softmax", DType::f32); },
                 "[softmax] is not defined for f32");
}

TEST(Dispatch, RefusesWhatIsNoType) {
  expect_refusal([] { detail::with_type("sort", kNoType, kTypeName); }, "[sort] there is no element type 7");
  expect_refusal([] { detail::with_floating("softmax", kNoType, kTypeName); },
                 "[softmax] there is no element type 7");
  EXPECT_EQ(detail::type_or_nothing(kNoType, kTypeName), "");
}

TEST(Dispatch, ByTensorsRefusesWhatIsNoType) {
  expect_refusal([] { (void)full({2}, 1.5, kNoType); }, "[full] there is no element type 7");
  expect_refusal([] { (void)ones({2}).to(kNoType); }, "[to] there is no element type 7");
}

TEST(Dispatch, KnowsTheLimitsOfFloatingTypes) {
  const detail::FloatingLimits narrow = detail::limits_of("Beta", DType::f32);
  EXPECT_EQ(narrow.epsilon, 0x1p-23);
  EXPECT_EQ(narrow.least, 0x1p-149);
  EXPECT_EQ(narrow.least_normal, 0x1p-126);
  EXPECT_EQ(narrow.largest, 0x1.fffffep127);
  EXPECT_EQ(narrow.below_one, 1.0 - 0x1p-24);
  const detail::FloatingLimits wide = detail::limits_of("Beta", DType::f64);
  EXPECT_EQ(wide.epsilon, 0x1p-52);
  EXPECT_EQ(wide.least, 0x1p-1074);
  EXPECT_EQ(wide.least_normal, 0x1p-1022);
  EXPECT_EQ(wide.largest, 0x1.fffffffffffffp1023);
  EXPECT_EQ(wide.below_one, 1.0 - 0x1p-53);
  expect_refusal([] { (void)detail::limits_of("Beta", DType::i64); },
                 "[Beta] floating numbers are needed, got i64");
}

TEST(TypeTable, HasAnEntryForEachTypeAndNothingForOthers) {
  TypeTable<const char*> names;
  EXPECT_EQ(names[DType::f32], nullptr);
  names.fill([](DType type) {
    return detail::floating_or_nothing(
        type, []<class T>(T) { return std::is_same_v<T, float> ? "narrow" : "wide"; });
  });
  EXPECT_STREQ(names[DType::f32], "narrow");
  EXPECT_STREQ(names[DType::f64], "wide");
  for (const DType type :
       {DType::i64, DType::boolean, kNoType, static_cast<DType>(8), static_cast<DType>(255)})
    EXPECT_EQ(names[type], nullptr) << static_cast<int>(type);
}

TEST(TypeTable, OfTablesHasAnEntryForEachPair) {
  TypeTable<TypeTable<int>> sizes;
  sizes.fill([](DType from) {
    TypeTable<int> row;
    row.fill([from](DType to) { return static_cast<int>(10 * size_of(from) + size_of(to)); });
    return row;
  });
  EXPECT_EQ(sizes[DType::f32][DType::boolean], 41);
  EXPECT_EQ(sizes[DType::i64][DType::f32], 84);
  EXPECT_EQ(sizes[static_cast<DType>(200)][DType::f32], 0);
}

TEST(StoredAs, IsAByteForBoolsAlone) {
  EXPECT_TRUE((std::is_same_v<detail::stored_as<bool>, std::uint8_t>));
  EXPECT_TRUE((std::is_same_v<detail::stored_as<float>, float>));
  EXPECT_TRUE((std::is_same_v<detail::stored_as<std::int64_t>, std::int64_t>));
}

// Where a source asks for a floating type by its name, and takes every other for one it knows: a new type
// would be taken for it as well.
std::set<std::string> choices_by_type_in(const std::string& text) {
  static const std::regex kChoice(
      R"re([=!]=\s*DType::f(?:32|64)\b|DType::f(?:32|64)\s*[=!]=|case\s+DType::)re");
  std::set<std::string> found;
  for (std::sregex_iterator choice(text.begin(), text.end(), kChoice), none; choice != none; ++choice) {
    const auto place = static_cast<std::size_t>(choice->position());
    const std::size_t begin = text.find_first_not_of(' ', text.rfind('\n', place) + 1);
    found.insert(text.substr(begin, text.find('\n', place) - begin));
  }
  return found;
}

TEST(ChoicesByType, AreFoundInASource) {
  const std::set<std::string> found = choices_by_type_in(R"(
    return x.dtype() == DType::f32 ? a : b;
    const bool wide = DType::f64 != type;
    if (dtype ==
        DType::f64) return;
    switch (type) {
      case DType::boolean: break;
    }
    cast(x, DType::f32);
    if (dtype == DType::i64) return;
    if (is_floating(type)) return;
  )");
  EXPECT_EQ(found.size(), 4U);
  EXPECT_TRUE(found.contains("return x.dtype() == DType::f32 ? a : b;"));
  EXPECT_TRUE(found.contains("const bool wide = DType::f64 != type;"));
  EXPECT_TRUE(found.contains("case DType::boolean: break;"));
}

TEST(ChoicesByType, AreMadeInOnePlace) {
  // What may stay asks about a value, and does for every type what is right.
  const std::map<std::string, std::string> allowed = {
      {"likely/core/dtype.hpp", "says what each type is"},
      {"likely/core/dispatch.hpp", "is the one place"},
      {"likely/optim/lbfgs.cpp", "refuses what is loaded and is not f64"},
      {"likely/io/csv.cpp", "asks whether numbers were read into fewer digits"},
  };
  std::set<std::string> met;
  for (const char* layer :
       {"core", "kernels", "autodiff", "ops", "tree", "prob", "nn", "optim", "data", "io", "plot"}) {
    int sources = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(std::string("likely/") + layer)) {
      const std::string extension = entry.path().extension().string();
      if (extension != ".cpp" && extension != ".hpp") continue;
      ++sources;
      const std::set<std::string> choices = choices_by_type_in(testing::without_comments(entry.path()));
      if (choices.empty()) continue;
      const std::string path = entry.path().generic_string();
      met.insert(path);
      EXPECT_TRUE(allowed.contains(path))
          << path << " chooses by type: " << *choices.begin()
          << "\nuse with_type or with_floating of likely/core/dispatch.hpp, which refuse a type that is new";
    }
    EXPECT_GT(sources, 0) << "likely/" << layer << " was not read";
  }
  for (const auto& [path, why] : allowed)
    EXPECT_TRUE(met.contains(path)) << path << " makes no choice by type any more: strike it from the list";
}

}  // namespace
}  // namespace likely
