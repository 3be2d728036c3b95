#include "likely/data/vocabulary.hpp"

#include <gtest/gtest.h>

#include "likely/core/create.hpp"
#include "likely/data/batches.hpp"
#include "likely/io/text.hpp"
#include "tests/support/check_gradients.hpp"
#include "tests/support/shared_data.hpp"

namespace likely::data {
namespace {

using testing::expect_refusal;
using Symbols = std::vector<std::string>;

TEST(Vocabulary, NumbersCharactersInOrder) {
  const Vocabulary vocabulary = Vocabulary::of_characters("bad\u00e9 cab");
  EXPECT_EQ(vocabulary.symbols(), (Symbols{" ", "a", "b", "c", "d", "\u00e9"}));
  const Tensor numbers = vocabulary.encode("ab\u00e9");
  EXPECT_TRUE(array_equal(numbers, tensor({1, 2, 5})));
  EXPECT_EQ(vocabulary.decode(numbers), "ab\u00e9");
  EXPECT_EQ(vocabulary.size(), 6);
}

TEST(Vocabulary, NumbersWordsByFrequency) {
  const std::string text = "the cat\nand the  dog\tand the end";
  const Vocabulary all = Vocabulary::of_words(text);
  EXPECT_EQ(all.symbols(), (Symbols{"<unknown>", "the", "and", "cat", "dog", "end"}));
  const Vocabulary frequent = Vocabulary::of_words(text, {.least = 2});
  EXPECT_TRUE(array_equal(frequent.encode("the dog and"), tensor({1, 0, 2})));
  EXPECT_EQ(frequent.decode(tensor({1, 0, 2})), "the <unknown> and");
  EXPECT_EQ(Vocabulary::of_words(text, {.most = 1}).symbols(), (Symbols{"<unknown>", "the"}));
}

TEST(Vocabulary, ComesBackFromItsSymbols) {
  const Vocabulary first = Vocabulary::of_words("x y y");
  const Vocabulary second(Vocabulary::Kind::words, first.symbols());
  EXPECT_TRUE(array_equal(second.encode("y z x"), first.encode("y z x")));
}

TEST(Vocabulary, FindsThe65SymbolsOfShakespeare) {
  LIKELY_SHARED_DATA(path, "tinyshakespeare/input.txt.gz");
  const std::string text = io::read_text(path);
  EXPECT_EQ(text.size(), 1'115'394U);
  const Vocabulary vocabulary = Vocabulary::of_characters(text);
  EXPECT_EQ(vocabulary.size(), 65);
  EXPECT_EQ(vocabulary.decode(vocabulary.encode(text)), text);
}

TEST(Vocabulary, RefusesWhatItDoesNotKnow) {
  const Vocabulary vocabulary = Vocabulary::of_characters("ab");
  expect_refusal([&] { vocabulary.encode("abc"); }, "[Vocabulary] the symbol \"c\" is unknown");
  expect_refusal([&] { vocabulary.decode(tensor({2})); },
                 "[Vocabulary] number 2 is out of range for 2 symbols");
  for (const char* broken : {"ab\xff", "ab\xc3", "ab\xe2\x82", "ab\x80"}) {
    expect_refusal([&] { Vocabulary::of_characters(broken); }, "[Vocabulary] byte 2 is not UTF-8");
  }
  expect_refusal(
      [] {
        Vocabulary(Vocabulary::Kind::words, {"a", "a"});
      },
      "[Vocabulary] the symbol \"a\" comes twice");
}

TEST(Windows, PredictTheNextToken) {
  const Dataset dataset = windows(tensor({10, 11, 12, 13, 14}), 3);
  EXPECT_EQ(dataset.size(), 2);
  const Batch batch = dataset.rows({1, 0});
  EXPECT_TRUE(array_equal(batch.x, tensor({{11, 12, 13}, {10, 11, 12}})));
  EXPECT_TRUE(array_equal(batch.y, tensor({{12, 13, 14}, {11, 12, 13}})));
  EXPECT_TRUE(array_equal(dataset.all().y, tensor({{11, 12, 13}, {12, 13, 14}})));
}

TEST(Windows, RefuseToReachBeyondTheEnd) {
  expect_refusal(
      [] {
        windows(tensor({1, 2, 3}), 3);
      },
      "[windows] a length from 1 to 2 is needed for 3 tokens, got 3");
  expect_refusal([] { windows(zeros({2, 2}), 1); }, "[windows] one dimension is needed, got shape (2, 2)");
}

}  // namespace
}  // namespace likely::data
