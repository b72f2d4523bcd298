#include "engine/update/update_path.h"

#include <algorithm>
#include <charconv>

#include "base/limits.h"
#include "base/status.h"
#include "base/strings.h"
#include "engine/update/update_operator.h"

namespace mayfly::engine {
namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;

absl::Status CheckPositional(const UpdatePath& parts, std::string_view path) {
  const auto count = std::count(parts.begin(), parts.end(), "$");
  if (count > 1) {
    return Error(ErrorCode::kBadValue,
                 StrCat("Too many positional (i.e. '$') elements found in path '", path, "'"));
  }
  if (IsPositional(parts[0])) {
    return Error(ErrorCode::kBadValue,
                 StrCat("Cannot have positional (i.e. '$') element in the first position in path '",
                        path, "'"));
  }
  if (ArrayFilterIdentifier(parts[0])) {
    return Error(ErrorCode::kBadValue,
                 StrCat("Cannot have array filter identifier (i.e. '$[<id>]') "
                        "element in the first position in path '",
                        path, "'"));
  }
  return absl::OkStatus();
}

}  // namespace

UpdatePath SplitPath(std::string_view path) {
  UpdatePath parts;
  size_t start = 0;
  for (;;) {
    const size_t dot = path.find('.', start);
    parts.emplace_back(path.substr(start, dot - start));
    if (dot == std::string_view::npos) return parts;
    start = dot + 1;
  }
}

absl::StatusOr<UpdatePath> ParseUpdatePath(std::string_view path) {
  if (path.empty()) {
    return Error(ErrorCode::kEmptyFieldName, "An empty update path is not valid.");
  }
  UpdatePath parts = SplitPath(path);
  for (const std::string& part : parts) {
    if (part.empty()) {
      return Error(ErrorCode::kEmptyFieldName,
                   StrCat("The update path '", path,
                          "' contains an empty field name, which is not allowed."));
    }
  }
  if (parts.size() > static_cast<size_t>(base::kMaxStoredNestingDepth)) {
    return Error(ErrorCode::kOverflow,
                 StrCat("Updating the path would exceed the maximum nesting depth of ",
                        base::kMaxStoredNestingDepth));
  }
  MAYFLY_RETURN_IF_ERROR(CheckPositional(parts, path));
  return parts;
}

std::optional<std::string_view> ArrayFilterIdentifier(std::string_view part) {
  if (part.size() < 3 || part.substr(0, 2) != "$[" || part.back() != ']') return std::nullopt;
  return part.substr(2, part.size() - 3);
}

bool IsDynamic(const UpdatePath& path) {
  return std::any_of(path.begin(), path.end(), [](const std::string& part) {
    return IsPositional(part) || ArrayFilterIdentifier(part).has_value();
  });
}

std::optional<uint32_t> ArrayIndex(std::string_view part) {
  if (part.empty() || part.size() > 9 || (part[0] == '0' && part.size() > 1)) return std::nullopt;
  uint32_t index = 0;
  const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), index);
  if (error != std::errc() || end != part.data() + part.size()) return std::nullopt;
  return index;
}

bool IsPrefixOf(const UpdatePath& a, const UpdatePath& b) {
  return a.size() <= b.size() && std::equal(a.begin(), a.end(), b.begin());
}

std::string JoinPath(const UpdatePath& path) {
  std::string joined;
  for (const std::string& part : path) {
    if (!joined.empty()) joined += '.';
    joined += part;
  }
  return joined;
}

absl::Span<const UpdateNameRow> PositionalPathParts() {
  static constexpr UpdateNameRow kRows[] = {
      {"$", "In a path: the element by which the filter found the document."},
      {"$[]", "In a path: every element."},
      {"$[<identifier>]", "In a path: every element that an array filter of that name accepts."},
  };
  return kRows;
}

}  // namespace mayfly::engine
