// Checks index specifications from clients: each option has a row that says how its value is read.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "base/limits.h"
#include "base/status.h"
#include "base/strings.h"
#include "bson/builder.h"
#include "bson/json.h"
#include "bson/number.h"
#include "engine/catalog/expiry_rule.h"
#include "engine/catalog/index_spec.h"
#include "engine/catalog/special_index_options.h"
#include "engine/query/collation.h"
#include "engine/query/filter.h"

namespace mayfly::engine {
namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;
using bson::ValueView;

absl::Status CannotCreate(std::string_view text) {
  return Error(ErrorCode::kCannotCreateIndex, text);
}

// What the options amount to while they are read.
struct Draft {
  bson::View requested;
  ValueView key;
  std::string name;
  bool has_name = false;
  bool unique = false;
  bool sparse = false;
  bool hidden = false;
  bool prepare_unique = false;
  ValueView expire;
  ValueView partial;
  ValueView collation;
  int version = 2;
};

absl::Status WrongType(std::string_view name, ValueView value, std::string_view expected) {
  return Error(ErrorCode::kTypeMismatch,
               StrCat("Error in specification: The field '", name, "' must be ", expected,
                      ", but got ", bson::TypeName(value.type())));
}

absl::Status ReadFlag(std::string_view name, ValueView value, bool* out) {
  if (value.IsBool()) {
    *out = value.AsBool();
  } else if (value.IsNumber()) {
    *out = bson::IsNonZero(value);
  } else {
    return WrongType(name, value, "a boolean or number");
  }
  return absl::OkStatus();
}

absl::Status ReadDocument(std::string_view name, ValueView value, ValueView* out) {
  if (!value.IsDocument()) return WrongType(name, value, "an object");
  *out = value;
  return absl::OkStatus();
}

absl::Status ReadKey(Draft& draft, ValueView value) {
  if (!value.IsDocument()) return WrongType("key", value, "an object");
  draft.key = value;
  return absl::OkStatus();
}

absl::Status ReadName(Draft& draft, ValueView value) {
  if (!value.IsString()) return WrongType("name", value, "a string");
  draft.name = std::string(value.AsString());
  draft.has_name = true;
  return absl::OkStatus();
}

absl::Status ReadVersion(Draft& draft, ValueView value) {
  if (!value.IsNumber()) return WrongType("v", value, "a number");
  const auto version = bson::ToInt64Exact(value);
  if (!version.has_value()) {
    return Error(ErrorCode::kBadValue, "Index version must be representable as a 32-bit integer");
  }
  if (*version != 1 && *version != 2) {
    return CannotCreate(
        StrCat("Invalid index specification; cannot create an index with v=", *version));
  }
  draft.version = static_cast<int>(*version);
  return absl::OkStatus();
}

absl::Status Ignore(Draft&, ValueView) { return absl::OkStatus(); }

absl::Status ReadUnique(Draft& draft, ValueView value) {
  return ReadFlag("unique", value, &draft.unique);
}

absl::Status ReadSparse(Draft& draft, ValueView value) {
  return ReadFlag("sparse", value, &draft.sparse);
}

absl::Status ReadHidden(Draft& draft, ValueView value) {
  if (!value.IsBool()) return WrongType("hidden", value, "a boolean");
  draft.hidden = value.AsBool();
  return absl::OkStatus();
}

absl::Status ReadPrepareUnique(Draft& draft, ValueView value) {
  return ReadFlag("prepareUnique", value, &draft.prepare_unique);
}

absl::Status ReadExpireAfterSeconds(Draft& draft, ValueView value) {
  draft.expire = value;
  return absl::OkStatus();
}

absl::Status ReadPartialFilter(Draft& draft, ValueView value) {
  return ReadDocument("partialFilterExpression", value, &draft.partial);
}

absl::Status ReadCollation(Draft& draft, ValueView value) {
  return ReadDocument("collation", value, &draft.collation);
}

// Read with the others of its kind: special_index_options.h.
absl::Status OfSpecialKind(Draft&, ValueView) { return absl::OkStatus(); }

struct OptionRow {
  std::string_view name;
  absl::Status (*read)(Draft&, ValueView);
  std::string_view help;
};

constexpr std::array kOptionRows = {
    OptionRow{"key", ReadKey, "The fields, each with a direction or a kind."},
    OptionRow{"name", ReadName, "The name; required."},
    OptionRow{"v", ReadVersion, "The version of the format: 1 or 2."},
    OptionRow{"ns", Ignore, "The namespace, as old clients send it."},
    OptionRow{"background", Ignore, "Builds never block readers or writers."},
    OptionRow{"unique", ReadUnique, "No two documents have the same key."},
    OptionRow{"sparse", ReadSparse, "Documents without any of the fields have no entry."},
    OptionRow{"hidden", ReadHidden, "Kept up, but not used by queries."},
    OptionRow{"prepareUnique", ReadPrepareUnique,
              "New documents must fit a unique index; comes before collMod with unique."},
    OptionRow{"expireAfterSeconds", ReadExpireAfterSeconds, "Documents expire: docs/ttl.md."},
    OptionRow{"partialFilterExpression", ReadPartialFilter,
              "Only documents that match have an entry."},
    OptionRow{"collation", ReadCollation,
              "How strings are ordered and compared; by default as in the collection."},
    OptionRow{"wildcardProjection", OfSpecialKind,
              "Of wildcard indexes: the paths that are in or out."},
    OptionRow{"storageEngine", Ignore, "Settings of MongoDB's storage engine."},
    OptionRow{"weights", OfSpecialKind, "Of text indexes: what each field counts."},
    OptionRow{"default_language", OfSpecialKind,
              "Of text indexes: the language of documents that name none."},
    OptionRow{"language_override", OfSpecialKind,
              "Of text indexes: the field that names a document's language."},
    OptionRow{"textIndexVersion", OfSpecialKind, "Of text indexes: 1 to 3."},
    OptionRow{"2dsphereIndexVersion", OfSpecialKind, "Of 2dsphere indexes: 1 to 3."},
    OptionRow{"bits", OfSpecialKind, "Of 2d indexes: the precision, 1 to 32."},
    OptionRow{"min", OfSpecialKind, "Of 2d indexes: the lowest coordinate."},
    OptionRow{"max", OfSpecialKind, "Of 2d indexes: the highest coordinate."},
    OptionRow{"dropDups", Ignore, "No longer in MongoDB."},
    OptionRow{"clustered", Ignore,
              "Of the index of a clustered collection, as listIndexes shows it."},
};

absl::StatusOr<Draft> ReadOptions(bson::View requested, UnknownIndexOptions unknown) {
  Draft draft;
  draft.requested = requested;
  for (const bson::Element& element : requested) {
    const auto row = std::find_if(kOptionRows.begin(), kOptionRows.end(),
                                  [&](const OptionRow& r) { return r.name == element.key; });
    if (row == kOptionRows.end()) {
      if (unknown == UnknownIndexOptions::kIgnore) continue;
      return Error(ErrorCode::kInvalidIndexSpecificationOption,
                   StrCat("The field '", element.key,
                          "' is not valid for an index specification. Specification: ",
                          bson::ToShellText(requested)));
    }
    MAYFLY_RETURN_IF_ERROR(row->read(draft, element.value));
  }
  if (draft.key.IsMissing()) {
    return Error(ErrorCode::kFailedToParse,
                 "The 'key' field is a required property of an index specification");
  }
  if (!draft.has_name) {
    return Error(ErrorCode::kFailedToParse,
                 "The 'name' field is a required property of an index specification");
  }
  return draft;
}

absl::Status CheckKeyValue(const bson::Element& element) {
  const ValueView value = element.value;
  if (value.IsString()) {
    const std::string_view kind = value.AsString();
    if (kind == "hashed" || kind == "text" || kind == "2d" || kind == "2dsphere")
      return absl::OkStatus();
    if (kind == "wildcard" && !element.key.ends_with("$**")) {
      return Error(7246202, "Unknown index plugin 'wildcard': a wildcard index is made with '$**'");
    }
    return CannotCreate(StrCat("Unknown index plugin '", kind, "'"));
  }
  if (!value.IsNumber()) {
    return CannotCreate(StrCat("Values in v:2 index key pattern cannot be of type ",
                               bson::TypeName(value.type()),
                               ". Only numbers > 0, numbers < 0, and strings are allowed."));
  }
  const double direction = bson::ToDouble(value);
  if (direction == 0 || std::isnan(direction)) {
    return CannotCreate("Values in the index key pattern cannot be 0.");
  }
  return absl::OkStatus();
}

absl::Status CheckKeyPath(std::string_view path) {
  if (path.empty()) return CannotCreate("Index keys cannot be an empty field.");
  if (path.find('\0') != std::string_view::npos)
    return CannotCreate("Index keys cannot contain NUL.");
  if (path == "$**") return absl::OkStatus();
  if (path.ends_with(".$**")) path.remove_suffix(4);
  size_t start = 0;
  while (start <= path.size()) {
    const size_t dot = std::min(path.find('.', start), path.size());
    const std::string_view part = path.substr(start, dot - start);
    if (part.empty()) return CannotCreate("Index keys cannot contain an empty field.");
    if (part.front() == '$' && part != "$id" && part != "$ref" && part != "$db") {
      return CannotCreate("Index key contains an illegal field name: field name starts with '$'.");
    }
    start = dot + 1;
  }
  return absl::OkStatus();
}

absl::Status CheckKey(bson::View key) {
  if (key.empty()) return CannotCreate("Index keys cannot be empty.");
  int count = 0;
  for (const bson::Element& element : key) {
    ++count;
    MAYFLY_RETURN_IF_ERROR(CheckKeyPath(element.key));
    MAYFLY_RETURN_IF_ERROR(CheckKeyValue(element));
    for (const bson::Element& other : key) {
      if (other.value.data() == element.value.data()) break;
      if (other.key == element.key) {
        return Error(ErrorCode::kBadValue,
                     StrCat("The field '", element.key, "' appears multiple times"));
      }
    }
  }
  if (count > base::kMaxIndexFields) {
    return Error(13103, StrCat("too many keys in index: at most ", base::kMaxIndexFields));
  }
  return absl::OkStatus();
}

// Filters that may limit an index: a tree of $and and $or over simple comparisons.
absl::Status CheckPartialFilter(bson::View filter, int depth);

// No regular expressions and no $elemMatch among the values of $all.
bool HasOnlyValues(ValueView all) {
  if (!all.IsArray()) return true;  // the filter's parser reports it
  for (const bson::Element& element : all.AsDocument()) {
    if (element.value.type() == bson::Type::kRegex) return false;
    if (element.value.IsDocument() && element.value.AsDocument().First().key == "$elemMatch") {
      return false;
    }
  }
  return true;
}

absl::Status CheckPartialOperators(std::string_view path, bson::View operators) {
  static constexpr std::array<std::string_view, 11> kAllowed = {
      "$eq",   "$lt", "$lte", "$gt",        "$gte",          "$exists",
      "$type", "$in", "$all", "$geoWithin", "$geoIntersects"};
  for (const bson::Element& element : operators) {
    if (!element.key.starts_with("$")) return absl::OkStatus();
    if (std::find(kAllowed.begin(), kAllowed.end(), element.key) == kAllowed.end()) {
      return CannotCreate(
          StrCat("Expression not supported in partial index: ", path, " ", element.key));
    }
    if (element.key == "$all" && !HasOnlyValues(element.value)) {
      return CannotCreate(StrCat("Expression not supported in partial index: ", path, " $all"));
    }
    const bool is_false =
        element.key == "$exists" && ((element.value.IsBool() && !element.value.AsBool()) ||
                                     (element.value.IsNumber() && !bson::IsNonZero(element.value)));
    if (is_false)
      return CannotCreate(StrCat("Expression not supported in partial index: $not ", path));
  }
  return absl::OkStatus();
}

absl::Status CheckPartialFilter(bson::View filter, int depth) {
  constexpr int kMaxPartialFilterDepth = 100;
  if (depth > kMaxPartialFilterDepth)
    return CannotCreate("partialFilterExpression is nested too deeply");
  for (const bson::Element& element : filter) {
    if (element.key == "$and" || element.key == "$or") {
      if (!element.value.IsArray()) continue;  // the filter's parser reports it
      for (const bson::Element& child : element.value.AsDocument()) {
        if (child.value.IsDocument()) {
          MAYFLY_RETURN_IF_ERROR(CheckPartialFilter(child.value.AsDocument(), depth + 1));
        }
      }
    } else if (element.key.starts_with("$") && element.key != "$comment") {
      return CannotCreate(StrCat("Expression not supported in partial index: ", element.key));
    } else if (element.value.IsDocument()) {
      MAYFLY_RETURN_IF_ERROR(CheckPartialOperators(element.key, element.value.AsDocument()));
    } else if (element.value.type() == bson::Type::kRegex) {
      return CannotCreate(
          StrCat("Expression not supported in partial index: ", element.key, " $regex"));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckIdOptions(const Draft& draft) {
  static constexpr std::array<std::string_view, 6> kAllowed = {"key", "name",      "v",
                                                               "ns",  "collation", "background"};
  for (const bson::Element& element : draft.requested) {
    const bool harmless = element.key == "unique" && draft.unique;
    if (std::find(kAllowed.begin(), kAllowed.end(), element.key) == kAllowed.end() && !harmless) {
      return Error(ErrorCode::kInvalidIndexSpecificationOption,
                   StrCat("The field '", element.key,
                          "' is not valid for an _id index specification. Specification: ",
                          bson::ToShellText(draft.requested)));
    }
    if (harmless) {
      return Error(
          ErrorCode::kInvalidIndexSpecificationOption,
          StrCat("The field 'unique' is not valid for an _id index specification. Specification: ",
                 bson::ToShellText(draft.requested)));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckWildcard(const Draft& draft) {
  if (draft.version != 2) return CannotCreate("wildcard indexes need an index version of 2");
  if (draft.sparse)
    return CannotCreate("wildcard indexes are always sparse: 'sparse' cannot be given");
  if (draft.unique) return CannotCreate("wildcard indexes cannot be unique");
  if (!draft.expire.IsMissing())
    return CannotCreate("wildcard indexes cannot have expireAfterSeconds");
  return absl::OkStatus();
}

absl::Status CheckCombination(const Draft& draft, const IndexSpec& spec) {
  if (spec.IsWildcard()) MAYFLY_RETURN_IF_ERROR(CheckWildcard(draft));
  if (draft.sparse && !draft.partial.IsMissing()) {
    return CannotCreate("cannot mix \"partialFilterExpression\" and \"sparse\" options");
  }
  if (spec.special == IndexKind::kHashed && draft.unique)
    return Error(16764, "Currently hashed indexes cannot guarantee uniqueness");
  if (draft.unique && draft.prepare_unique) {
    return CannotCreate("an index cannot be both unique and prepareUnique");
  }
  if (draft.expire.IsMissing()) return absl::OkStatus();
  if (draft.key.AsDocument().Count() != 1) {
    return CannotCreate(
        "TTL indexes are single-field indexes, compound indexes do not support TTL");
  }
  const bool last_write = IsLastModificationKey(spec.key);
  if (last_write && (draft.unique || draft.sparse || !draft.partial.IsMissing())) {
    return CannotCreate(
        "an index on _ts with expireAfterSeconds cannot be unique, sparse or partial");
  }
  return absl::OkStatus();
}

// The collation's document as it is stored; nullopt for the simple one.
absl::StatusOr<std::optional<bson::Document>> ResolveCollation(const Draft& draft,
                                                               const IndexDefaults& defaults) {
  if (draft.collation.IsMissing()) {
    if (defaults.collation == nullptr) return std::optional<bson::Document>();
    return std::optional<bson::Document>(bson::Document(defaults.collation->spec()));
  }
  if (draft.collation.AsDocument().empty())
    return Error(ErrorCode::kBadValue, "collation needs a locale");
  MAYFLY_ASSIGN_OR_RETURN(const CollationPtr collation,
                          ParseCollation(draft.collation.AsDocument()));
  if (collation == nullptr) return std::optional<bson::Document>();
  return std::optional<bson::Document>(bson::Document(collation->spec()));
}

}  // namespace

absl::StatusOr<int32_t> ParseExpireAfterSeconds(bson::View key, ValueView value) {
  const auto refuse = [&](std::string_view why) {
    return CannotCreate(StrCat("TTL index 'expireAfterSeconds' option must be ", why));
  };
  if (!value.IsNumber()) {
    return refuse(StrCat("numeric, but received a type of '", bson::TypeName(value.type()), "'"));
  }
  if (bson::IsNaN(value) || bson::IsInfinite(value)) return refuse("a finite number");
  const int64_t seconds = bson::ToInt64Truncated(value);
  const bool last_write = IsLastModificationKey(key);
  if (seconds > std::numeric_limits<int32_t>::max()) {
    return refuse(StrCat("within an acceptable range, at most 2147483647: ", seconds));
  }
  if (last_write && seconds != kNeverExpires && seconds < 1) {
    return refuse(StrCat("-1 or between 1 and 2147483647 on _ts: ", seconds));
  }
  if (!last_write && seconds < 0) {
    return refuse(StrCat("within an acceptable range, not below 0: ", seconds));
  }
  return static_cast<int32_t>(seconds);
}

std::vector<IndexOptionDescription> DescribeIndexOptions() {
  std::vector<IndexOptionDescription> all;
  for (const OptionRow& row : kOptionRows) all.push_back({row.name, row.help, row.read == Ignore});
  return all;
}

absl::Span<const IndexKindDescription> DescribeIndexKinds() {
  static constexpr IndexKindDescription kKinds[] = {
      {"{a: 1}", "Ascending, or descending with a negative number; several fields: compound."},
      {"{a: 'hashed'}", "The hash of the value: equality only."},
      {"{'$**': 1}", "Wildcard: every path, or those below one; may be part of a compound index."},
      {"{a: '2dsphere'}", "Points and shapes on the earth."},
      {"{a: '2d'}", "Points on a plane."},
      {"{a: 'text'}", "Words of texts, for $text; {'$**': 'text'}: of all strings."},
  };
  return kKinds;
}

absl::StatusOr<IndexSpec> ParseIndexSpec(bson::View requested, const IndexDefaults& defaults,
                                         UnknownIndexOptions unknown) {
  MAYFLY_ASSIGN_OR_RETURN(const Draft draft, ReadOptions(requested, unknown));
  const bson::View key = draft.key.AsDocument();
  MAYFLY_RETURN_IF_ERROR(CheckKey(key));
  MAYFLY_ASSIGN_OR_RETURN(const IndexKind special, SpecialKindOf(key));
  if (draft.name.empty())
    return CannotCreate("Error in specification: The index name cannot be empty");
  if (draft.name == "*") return Error(ErrorCode::kBadValue, "The index name '*' is not valid.");
  if (draft.name.find('\0') != std::string::npos)
    return CannotCreate("index names cannot contain NUL");

  const bson::Element first = key.First();
  const bool is_id = key.Count() == 1 && first.key == "_id" && first.value.IsNumber() &&
                     bson::ToDouble(first.value) > 0;
  if (key.Count() == 1 && first.key == "_id" && first.value.IsNumber() && !is_id) {
    return Error(ErrorCode::kBadValue,
                 StrCat("The field 'key' for an _id index must be {_id: 1}, but got ",
                        bson::ToShellText(key)));
  }
  if (is_id) {
    MAYFLY_RETURN_IF_ERROR(CheckIdOptions(draft));
    return MakeIdIndexSpec(defaults.collation);
  }
  const ValueView clustered = requested.Find("clustered");
  if (clustered.IsBool() && clustered.AsBool()) {
    return Error(6243700, "an index with 'clustered: true' must have the key {_id: 1}");
  }
  if (draft.name == "_id_") {
    return Error(ErrorCode::kBadValue, "The index name '_id_' is reserved for the _id index");
  }

  MAYFLY_ASSIGN_OR_RETURN(const auto collation, ResolveCollation(draft, defaults));
  if (!draft.partial.IsMissing()) {
    FilterParseContext context;
    context.features.expr = false;
    context.features.text_search = false;
    context.features.where = false;
    MAYFLY_RETURN_IF_ERROR(ParseFilter(draft.partial.AsDocument(), context).status());
    MAYFLY_RETURN_IF_ERROR(CheckPartialFilter(draft.partial.AsDocument(), 0));
  }
  bson::Builder stored;
  const bool without_collation = special == IndexKind::kText || special == IndexKind::kGeo2d;
  if (without_collation && collation.has_value()) {
    return CannotCreate(
        StrCat("Index type does not support collation: ", bson::ToShellText(*collation)));
  }
  stored.Int32("v", draft.version).Document("key", KeptKey(key, special));
  stored.String("name", draft.name);
  if (draft.unique) stored.Bool("unique", true);
  if (draft.sparse) stored.Bool("sparse", true);
  if (draft.hidden) stored.Bool("hidden", true);
  if (draft.prepare_unique) stored.Bool("prepareUnique", true);
  if (!draft.expire.IsMissing()) {
    MAYFLY_ASSIGN_OR_RETURN(const int32_t seconds, ParseExpireAfterSeconds(key, draft.expire));
    stored.Int32("expireAfterSeconds", seconds);
  }
  stored.Append("partialFilterExpression", draft.partial);
  if (collation.has_value()) stored.Document("collation", *collation);
  MAYFLY_RETURN_IF_ERROR(AppendSpecialOptions(draft.requested, special, &stored));
  IndexSpec spec = IndexSpecFromStored(stored.Finish());
  MAYFLY_RETURN_IF_ERROR(CheckCombination(draft, spec));
  return spec;
}

}  // namespace mayfly::engine
