#include "engine/catalog/special_index_options.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "absl/strings/ascii.h"
#include "base/status.h"
#include "base/strings.h"
#include "bson/json.h"
#include "bson/number.h"
#include "engine/catalog/wildcard_scope.h"
#include "engine/projection/projection.h"

namespace mayfly::engine {
namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;
using bson::ValueView;

constexpr int64_t kMaxTextWeight = 99'999;
constexpr int64_t kMaxGeoBits = 32;
constexpr int64_t kNewestVersion = 3;  // of text and 2dsphere indexes

absl::Status CannotCreate(std::string_view text) {
  return Error(ErrorCode::kCannotCreateIndex, text);
}

absl::Status WrongType(std::string_view name, ValueView value, std::string_view expected) {
  return Error(ErrorCode::kTypeMismatch, StrCat("The field '", name, "' must be ", expected,
                                                ", but got ", bson::TypeName(value.type())));
}

bool IsKind(ValueView value, std::string_view kind) {
  return value.IsString() && value.AsString() == kind;
}

bool IsWildcardPath(std::string_view path) { return path == "$**" || path.ends_with(".$**"); }

// A version option: an int, long or double from 1 to 3.
absl::StatusOr<int32_t> ReadVersion(std::string_view name, ValueView value) {
  if (value.IsMissing()) return kNewestVersion;
  if (!value.IsNumber()) return WrongType(name, value, "a number");
  const auto version = bson::ToInt64Exact(value);
  if (value.type() == bson::Type::kDecimal128 || !version.has_value() || *version < 1 ||
      *version > kNewestVersion) {
    return CannotCreate(StrCat("unsupported ", name, ": ", bson::ToShellText(value)));
  }
  return static_cast<int32_t>(*version);
}

constexpr std::array<std::string_view, 31> kLanguages = {
    "none",    "danish",    "dutch",      "english",  "finnish", "french",  "german",  "hungarian",
    "italian", "norwegian", "portuguese", "romanian", "russian", "spanish", "swedish", "turkish",
    "da",      "nl",        "en",         "fi",       "fr",      "de",      "hu",      "it",
    "nb",      "pt",        "ro",         "ru",       "es",      "sv",      "tr"};

absl::StatusOr<std::map<std::string, int64_t>> ReadWeights(bson::View requested) {
  std::map<std::string, int64_t> weights;
  for (const bson::Element& element : requested.Find("key").AsDocument()) {
    if (IsKind(element.value, "text")) weights[std::string(element.key)] = 1;
  }
  const ValueView given = requested.Find("weights");
  if (given.IsMissing()) return weights;
  if (given.IsString() || given.IsArray()) {
    return CannotCreate("the weights of a text index must be a document");
  }
  if (!given.IsDocument()) return WrongType("weights", given, "an object");
  for (const bson::Element& element : given.AsDocument()) {
    const std::string_view name = element.key;
    if (!element.value.IsNumber()) return CannotCreate("text index weights must be numbers");
    const int64_t weight = bson::ToInt64Truncated(element.value);
    if (weight < 1 || weight > kMaxTextWeight) {
      return CannotCreate(StrCat("text index weight must be in the exclusive interval (0,100000) ",
                                 "but found: ", weight));
    }
    if (name.empty() || (name.starts_with("$") && name != "$**")) {
      return CannotCreate(StrCat("weight for an illegal field name: '", name, "'"));
    }
    weights[std::string(name)] = weight;
  }
  return weights;
}

absl::Status AppendText(bson::View requested, bson::Builder* stored) {
  MAYFLY_ASSIGN_OR_RETURN(const auto weights, ReadWeights(requested));
  const ValueView language = requested.Find("default_language");
  if (!language.IsMissing()) {
    if (!language.IsString()) return WrongType("default_language", language, "a string");
    const std::string lower = absl::AsciiStrToLower(base::ToAbsl(language.AsString()));
    if (std::find(kLanguages.begin(), kLanguages.end(), lower) == kLanguages.end()) {
      return CannotCreate(StrCat("default_language is not valid: ", language.AsString()));
    }
  }
  const ValueView field = requested.Find("language_override");
  if (!field.IsMissing()) {
    if (!field.IsString()) return WrongType("language_override", field, "a string");
    if (field.AsString().empty() || field.AsString().front() == '$') {
      return CannotCreate("language_override is not valid");
    }
  }
  MAYFLY_ASSIGN_OR_RETURN(const int32_t version,
                          ReadVersion("textIndexVersion", requested.Find("textIndexVersion")));
  stored->OpenDocument("weights");
  for (const auto& [name, weight] : weights) {
    stored->Append(name, bson::Value::IntFitting(weight));
  }
  stored->Close();
  stored->String("default_language", language.IsMissing() ? "english" : language.AsString());
  stored->String("language_override", field.IsMissing() ? "language" : field.AsString());
  stored->Int32("textIndexVersion", version);
  return absl::OkStatus();
}

absl::Status AppendSphere(bson::View requested, bson::Builder* stored) {
  MAYFLY_ASSIGN_OR_RETURN(
      const int32_t version,
      ReadVersion("2dsphereIndexVersion", requested.Find("2dsphereIndexVersion")));
  stored->Int32("2dsphereIndexVersion", version);
  return absl::OkStatus();
}

absl::Status AppendPlane(bson::View requested, bson::Builder* stored) {
  const auto invalid = [](std::string_view text) {
    return Error(ErrorCode::kInvalidOptions, text);
  };
  double low = -180;
  double high = 180;
  for (const auto& [name, target] : {std::pair("min", &low), std::pair("max", &high)}) {
    const ValueView value = requested.Find(name);
    if (value.IsMissing()) continue;
    if (!value.IsNumber()) return WrongType(name, value, "a number");
    *target = bson::ToDouble(value);
  }
  if (!(low < high)) return invalid("region for hash must be valid and have positive area");
  const ValueView bits = requested.Find("bits");
  if (!bits.IsMissing()) {
    if (!bits.IsNumber()) return WrongType("bits", bits, "a number");
    const int64_t count = bson::ToInt64Truncated(bits);
    if (bits.type() == bson::Type::kDecimal128 || count < 1 || count > kMaxGeoBits) {
      return invalid(StrCat("bits for hash must be > 0 and <= 32, but ", bson::ToShellText(bits),
                            " bits were specified"));
    }
  }
  for (const bson::Element& element : requested) {
    if (element.key == "min" || element.key == "max") {
      stored->Double(element.key, bson::ToDouble(element.value));
    } else if (element.key == "bits") {
      stored->Int32("bits", static_cast<int32_t>(bson::ToInt64Truncated(element.value)));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckProjectedValues(bson::View projection) {
  for (const bson::Element& element : projection) {
    const ValueView value = element.value;
    if (value.IsBool() || value.IsNumber()) continue;
    if (value.IsDocument() && !value.AsDocument().empty() &&
        value.AsDocument().First().key.front() != '$') {
      continue;  // a nested projection; the parser looks inside
    }
    return Error(51271,
                 StrCat("Bad projection specification, cannot use computed fields when ",
                        "parsing a spec in wildcardProjection: ", bson::ToShellText(projection)));
  }
  return absl::OkStatus();
}

absl::Status CheckProjection(ValueView projection, std::string_view wildcard) {
  if (!projection.IsDocument()) return WrongType("wildcardProjection", projection, "an object");
  if (projection.AsDocument().empty()) {
    return Error(ErrorCode::kFailedToParse, "The 'wildcardProjection' field can't be empty");
  }
  if (wildcard != "$**") {
    return Error(ErrorCode::kFailedToParse,
                 StrCat("The 'wildcardProjection' field is only allowed when 'key' is {\"$**\": 1}",
                        ", not with ", wildcard));
  }
  MAYFLY_RETURN_IF_ERROR(CheckProjectedValues(projection.AsDocument()));
  static const EvaluationContext kForFolding;
  return Projection::Parse(projection.AsDocument(), {.evaluation = &kForFolding}).status();
}

absl::Status AppendWildcard(bson::View requested, bson::Builder* stored) {
  const bson::View key = requested.Find("key").AsDocument();
  std::string_view wildcard;
  for (const bson::Element& element : key) {
    if (IsWildcardPath(element.key)) wildcard = element.key;
  }
  const ValueView projection = requested.Find("wildcardProjection");
  if (!projection.IsMissing()) MAYFLY_RETURN_IF_ERROR(CheckProjection(projection, wildcard));
  if (key.Count() > 1) {
    if (projection.IsMissing() && wildcard == "$**") {
      return CannotCreate(
          "a compound wildcard index over all fields needs a wildcardProjection that excludes the "
          "other fields of the index");
    }
    bson::Builder draft;
    draft.Document("key", key).String("name", "draft").Append("wildcardProjection", projection);
    const WildcardScope scope(IndexSpecFromStored(draft.Finish()));
    for (const bson::Element& element : key) {
      if (!IsWildcardPath(element.key) && scope.MayHoldBelow(element.key)) {
        return Error(7246209, StrCat("the wildcard must not hold the other field of the index: ",
                                     element.key));
      }
    }
  }
  stored->Append("wildcardProjection", projection);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<IndexKind> SpecialKindOf(bson::View key) {
  int hashed = 0;
  int wildcards = 0;
  bool text = false;
  bool text_ended = false;
  bool geo = false;
  bool plane = false;
  int position = 0;
  for (const bson::Element& element : key) {
    const ValueView value = element.value;
    const bool is_text = IsKind(value, "text");
    if (is_text && text_ended) {
      return CannotCreate("'text' fields in index must all be adjacent");
    }
    if (text && !is_text) text_ended = true;
    text = text || is_text;
    if (IsKind(value, "2d") && position != 0) return Error(16801, "2d has to be first in index");
    plane = plane || IsKind(value, "2d");
    geo = geo || plane || IsKind(value, "2dsphere");
    if (IsKind(value, "hashed")) ++hashed;
    if (IsWildcardPath(element.key) && !is_text) {
      if (value.IsString()) {
        return CannotCreate(StrCat("a wildcard cannot be of the kind ", value.AsString()));
      }
      ++wildcards;
    }
    ++position;
  }
  if (wildcards > 1) {
    return Error(7246201, "wildcard indexes do not support multiple wildcard fields");
  }
  if (hashed > 1) return Error(31303, "A maximum of one index field is allowed to be hashed");
  if ((wildcards > 0) + (hashed > 0) + text + geo > 1) {
    return CannotCreate(
        StrCat("index cannot be of several special kinds: ", bson::ToShellText(key)));
  }
  if (wildcards > 0) return IndexKind::kWildcard;
  if (hashed > 0) return IndexKind::kHashed;
  if (text) return IndexKind::kText;
  if (geo) return plane ? IndexKind::kGeo2d : IndexKind::kGeo2dSphere;
  return IndexKind::kAscending;
}

bson::Document KeptKey(bson::View key, IndexKind special) {
  if (special != IndexKind::kText || key.Has("_fts")) return bson::Document(key);
  bson::Builder kept;
  bool named = false;
  for (const bson::Element& element : key) {
    if (!IsKind(element.value, "text")) {
      kept.Append(element);
    } else if (!std::exchange(named, true)) {
      kept.String("_fts", "text").Int32("_ftsx", 1);
    }
  }
  return kept.Finish();
}

absl::Status AppendSpecialOptions(bson::View requested, IndexKind special, bson::Builder* stored) {
  if (special != IndexKind::kText && requested.Has("weights")) {
    return CannotCreate("the field 'weights' is only allowed in a text index");
  }
  if (special != IndexKind::kWildcard && requested.Has("wildcardProjection")) {
    return Error(ErrorCode::kBadValue,
                 "The field 'wildcardProjection' is only allowed in a wildcard index");
  }
  switch (special) {
    case IndexKind::kAscending:
    case IndexKind::kDescending:
    case IndexKind::kHashed:
      return absl::OkStatus();
    case IndexKind::kText:
      return AppendText(requested, stored);
    case IndexKind::kGeo2d:
      return AppendPlane(requested, stored);
    case IndexKind::kGeo2dSphere:
      return AppendSphere(requested, stored);
    case IndexKind::kWildcard:
      return AppendWildcard(requested, stored);
  }
  return absl::OkStatus();
}

}  // namespace mayfly::engine
