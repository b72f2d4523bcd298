#include "bson/validate.h"

#include "base/status.h"
#include "bson/builder.h"
#include "bson/json.h"
#include "gtest/gtest.h"
#include "tests/bson/random_value.h"

namespace mayfly::bson {
namespace {

using base::ErrorCode;

ErrorCode CodeFor(std::string_view bytes) { return base::CodeOf(ValidateDocument(bytes)); }

// The bytes of a document whose elements are given.
std::string Wrap(std::string_view elements) {
  const auto size = static_cast<uint32_t>(elements.size() + 5);
  std::string bytes(reinterpret_cast<const char*>(&size), 4);
  bytes.append(elements).push_back('\0');
  return bytes;
}

template <size_t n>
std::string Wrap(const char (&elements)[n]) {
  return Wrap(std::string_view(elements, n - 1));
}

std::string Nested(int levels) {
  std::string bytes = Wrap("");
  for (int i = 1; i < levels; ++i) {
    bytes = Wrap(std::string("\x03", 1) + std::string("a\0", 2) + bytes);
  }
  return bytes;
}

TEST(Validate, RandomDocumentsAreValidAndEveryTruncationIsNot) {
  const uint64_t seed = base::Random::FromSystem().NextU64();
  SCOPED_TRACE("seed " + std::to_string(seed));
  testing::RandomValues values(seed);
  for (int i = 0; i < 2000; ++i) {
    const Document document = values.Container(0, false);
    ASSERT_TRUE(ValidateDocument(document.bytes()).ok()) << ToShellText(document);
    for (size_t n = 0; n < document.bytes().size(); ++n) {
      ASSERT_EQ(CodeFor(document.bytes().substr(0, n)), ErrorCode::kInvalidBSON);
    }
  }
}

TEST(Validate, LengthMustBeExact) {
  EXPECT_EQ(CodeFor(""), ErrorCode::kInvalidBSON);
  EXPECT_EQ(CodeFor(std::string("\x05\0\0\0", 4)), ErrorCode::kInvalidBSON);
  EXPECT_EQ(CodeFor(std::string("\x05\0\0\0\0\0", 6)), ErrorCode::kInvalidBSON);
  EXPECT_EQ(CodeFor(std::string("\x04\0\0\0\0", 5)), ErrorCode::kInvalidBSON);
  EXPECT_EQ(CodeFor(std::string("\xFF\xFF\xFF\xFF\0", 5)), ErrorCode::kInvalidBSON);
  EXPECT_EQ(CodeFor(Wrap("")), ErrorCode::kOk);
}

TEST(Validate, MalformedElementsAreRefused) {
  const std::string cases[] = {
      std::string("\x05\0\0\0\x01", 5),            // no terminator
      Wrap("\x08"),                                // no name
      Wrap("\x08name"),                            // unterminated name
      Wrap("\x08\x61\0"),                          // no value
      Wrap("\x08\x61\0\x02"),                      // boolean neither 0 nor 1
      Wrap("\x14\x61\0\0"),                        // unknown type
      Wrap("\x00\x61\0"),                          // end inside
      Wrap("\x02\x61\0\0\0\0\0\0"),                // string of length 0
      Wrap("\x02\x61\0\xFF\xFF\xFF\xFF\0"),        // negative length
      Wrap("\x02\x61\0\x03\0\0\0x\0"),             // string too long
      Wrap("\x02\x61\0\x02\0\0\0xy"),              // string without NUL
      Wrap("\x05\x61\0\xFF\xFF\xFF\xFF\0"),        // negative size
      Wrap("\x05\x61\0\x02\0\0\0\x00x"),           // binary too long
      Wrap("\x05\x61\0\x03\0\0\0\x02\0\0\0"),      // subtype 2 without inner length
      Wrap("\x05\x61\0\x04\0\0\0\x02\x01\0\0\0"),  // subtype 2 with a wrong inner length
      Wrap("\x0B\x61\0re\0i"),                     // regex options unterminated
      Wrap("\x0C\x61\0\x01\0\0\0\0"
           "12345678901"),  // dbPointer too short
      Wrap("\x0C\x61\0\x01\0\0\0x"
           "123456789012"),                                    // dbPointer without NUL
      Wrap("\x03\x61\0\x06\0\0\0\0"),                          // nested too long
      Wrap("\x03\x61\0\x04\0\0\0\0"),                          // nested too short
      Wrap("\x0F\x61\0\x0F\0\0\0\x01\0\0\0\0\x05\0\0\0\0\0"),  // scope shorter than its room
      Wrap("\x0F\x61\0\x0E\0\0\0\x02\0\0\0\0\x05\0\0\0\0"),    // code reaches into the scope
      Wrap("\x0F\x61\0\x0E\0\0\0\x01\0\0\0x\x05\0\0\0\0"),     // code without NUL
  };
  for (size_t i = 0; i < std::size(cases); ++i) {
    EXPECT_EQ(CodeFor(cases[i]), ErrorCode::kInvalidBSON) << "case " << i;
  }
}

TEST(Validate, WellFormedElementsPass) {
  EXPECT_EQ(CodeFor(Wrap("\x05\x61\0\x05\0\0\0\x02\x01\0\0\0x")), ErrorCode::kOk);
  EXPECT_EQ(CodeFor(Wrap("\x0F\x61\0\x0E\0\0\0\x01\0\0\0\0\x05\0\0\0\0")), ErrorCode::kOk);
  EXPECT_EQ(CodeFor(Wrap("\x0C\x61\0\x01\0\0\0\0"
                         "123456789012")),
            ErrorCode::kOk);
  EXPECT_EQ(CodeFor(Wrap("\x0A\0\xFF\0\x7F\0\x06\0")), ErrorCode::kOk);
  EXPECT_EQ(CodeFor(Wrap("\x02\x61\0\x02\0\0\0\xFF\0")), ErrorCode::kOk) << "UTF-8 is not checked";
}

TEST(Validate, DepthIsLimited) {
  EXPECT_TRUE(ValidateDocument(Nested(base::kMaxNestingDepth)).ok());
  EXPECT_EQ(CodeFor(Nested(base::kMaxNestingDepth + 1)), ErrorCode::kOverflow);
  EXPECT_EQ(CodeFor(Nested(5000)), ErrorCode::kOverflow);
  EXPECT_TRUE(ValidateDocument(Nested(3), 3).ok());
  EXPECT_FALSE(ValidateDocument(Nested(4), 3).ok());
}

}  // namespace
}  // namespace mayfly::bson
