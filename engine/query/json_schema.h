// $jsonSchema: JSON Schema draft 4 with BSON types, as MongoDB understands it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "bson/view.h"
#include "engine/expression/regex.h"
#include "engine/query/type_set.h"

namespace mayfly::engine {

// One schema with its keywords; those left out demand nothing. A keyword about one kind of value
// (lengths of strings, items of arrays ...) demands nothing of other kinds. Collations do not
// apply. Immutable, thread-safe.
class JsonSchema {
 public:
  // Errors: 14 TypeMismatch, 9 FailedToParse for unknown and unsupported keywords and bad numbers,
  // 2 BadValue for unknown types, 51091 for a bad pattern.
  static absl::StatusOr<std::unique_ptr<JsonSchema>> Parse(bson::View schema);

  bool Matches(bson::ValueView value) const;

  // The rest is for the parser.
  using Ptr = std::unique_ptr<JsonSchema>;
  // {bsonType: ..., additionalX: false} and the like: allowed, forbidden, or by schema.
  struct Additional {
    bool allowed = true;
    Ptr schema;  // null: `allowed` decides
    bool Accepts(bson::ValueView value) const {
      return schema == nullptr ? allowed : schema->Matches(value);
    }
  };
  struct Limit {
    bson::Value value;
    bool exclusive = false;
  };
  struct Dependency {
    std::string name;
    std::vector<std::string> required;  // used if `schema` is null
    Ptr schema;
  };

  std::optional<TypeSet> types;
  std::vector<bson::Value> allowed_values;  // enum; in canonical form, empty: any
  Ptr excluded;                             // not
  std::vector<Ptr> all_of;
  std::vector<Ptr> any_of;
  std::vector<Ptr> one_of;

  std::optional<Limit> minimum;
  std::optional<Limit> maximum;
  bson::Value multiple_of;  // missing: none

  std::optional<int64_t> min_length;  // code points
  std::optional<int64_t> max_length;
  std::optional<Regex> pattern;

  std::optional<int64_t> min_items;
  std::optional<int64_t> max_items;
  bool unique_items = false;
  Ptr each_item;               // items: {...}
  std::vector<Ptr> item_list;  // items: [...]
  bool has_item_list = false;
  Additional additional_items;

  std::optional<int64_t> min_properties;
  std::optional<int64_t> max_properties;
  std::vector<std::string> required;
  std::vector<std::pair<std::string, Ptr>> properties;
  std::vector<std::pair<Regex, Ptr>> pattern_properties;
  Additional additional_properties;
  std::vector<Dependency> dependencies;

 private:
  bool MatchesNumber(bson::ValueView value) const;
  bool MatchesString(std::string_view text) const;
  bool MatchesArray(bson::View array) const;
  bool MatchesObject(bson::View object) const;
  bool MatchesFields(bson::View object) const;
  bool MatchesCombinations(bson::ValueView value) const;
};

// The value with the fields of all documents in it sorted by name: values that are equal but for
// the order of fields have equal canonical forms.
bson::Value WithSortedFields(bson::ValueView value);

}  // namespace mayfly::engine
