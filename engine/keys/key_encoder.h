// Keys: BSON values as bytes whose memcmp order is the order of bson::Compare.
//
//   key       := field*                  each complemented if its direction is descending
//   field     := value
//   value     := tag payload             tags.h; self-delimiting: no value is a prefix of another
//   MinKey, undefined, missing, null, MaxKey, bool: the tag alone (undefined and missing share one)
//   number    := number_key.h
//   string    := text                    symbols too; under a collation, the sort key instead of
//   the text document  := (tag name value)* kEnd  tag: the lowest of the value's rank, so that
//   rank, name, value compare in turn;
//                                        name := text
//   array     := value* kEnd
//   binary    := size subtype bytes      size and bytes with the inner length of subtype 2
//   objectId  := 12 bytes
//   date      := 8 bytes, sign bit flipped
//   timestamp := 8 bytes
//   regex     := text text               pattern, options
//   dbPointer := size bytes              namespace, NUL, id
//   code      := text
//   codeWithScope := text (tag name value)* kEnd
//   text      := bytes kEnd              00 as 01 01 and 01 as 01 02, so that kEnd ends it and is
//   below all else size      := one byte below 255, or 255 and four bytes
//
// All big-endian. Between fields 00 and FF do not occur as a tag or complemented tag, so `prefix`
// itself sorts below and `prefix` + FF above every key that goes on after the complete fields in
// `prefix`, record ids included.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "bson/compare.h"
#include "bson/value.h"
#include "bson/view.h"
#include "engine/keys/ordering.h"
#include "engine/keys/type_bits.h"

namespace mayfly::engine {

// Immutable and thread-safe; allocates nothing besides the output. `strings` (null: binary) must
// outlive it.
class KeyEncoder {
 public:
  explicit KeyEncoder(Ordering ordering = {}, const bson::StringComparator* strings = nullptr)
      : ordering_(ordering), strings_(strings) {}

  // Appends `value`, of a validated document, as the key's field number `field` (from 0). What the
  // key does not tell of the value's type goes to `*bits` if that is not null.
  void Append(int field, bson::ValueView value, std::string* out, TypeBits* bits = nullptr) const;

  // Appends what sorts, in the direction of `field`, just below (above) every value of the rank of
  // `type`: for bounds that stay within one type bracket.
  void AppendBeforeType(int field, bson::Type type, std::string* out) const;
  void AppendAfterType(int field, bson::Type type, std::string* out) const;

  const Ordering& ordering() const { return ordering_; }
  const bson::StringComparator* strings() const { return strings_; }

 private:
  Ordering ordering_;
  const bson::StringComparator* strings_;
};

// Makes complete fields into what sorts above every key that begins with them.
void AppendAfterPrefix(std::string* key);

// A range of one field's values: low <= value <= high, without the ends that are not inclusive.
struct ValueRange {
  bson::ValueView low;
  bson::ValueView high;
  bool low_inclusive = true;
  bool high_inclusive = true;
};
// Keys in [start, end) are those whose field is in the range. To `*start` and `*end`, which hold
// the same complete fields before `field`, the bounds are appended; the direction of the field is
// taken care of.
void AppendRange(const KeyEncoder& encoder, int field, const ValueRange& range, std::string* start,
                 std::string* end);

// The lowest value of a rank in Compare's order, and the highest or what is just above it.
struct ValueBracket {
  bson::Value low;
  bson::Value high;
  bool high_inclusive = true;
};
// For example strings: "" up to but not {}. Numbers: NaN to Infinity.
ValueBracket BracketOf(bson::Type type);

// The values of the first `fields` fields, with their original types by `type_bits`. Strings under
// a collation come back as their sort keys. Error: kInternalError if `key` is not what an encoder
// made.
absl::StatusOr<std::vector<bson::Value>> DecodeKey(std::string_view key, std::string_view type_bits,
                                                   Ordering ordering, int fields);
// Bytes of the first `fields` fields of `key`, for instance to go on after all that begin with
// them.
absl::StatusOr<size_t> PrefixSize(std::string_view key, Ordering ordering, int fields);

}  // namespace mayfly::engine
