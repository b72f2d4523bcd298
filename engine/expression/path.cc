#include "engine/expression/path.h"

#include <algorithm>
#include <charconv>

#include "base/status.h"
#include "engine/expression/expression.h"

namespace mayfly::engine {
namespace {

constexpr size_t kMaxIndexDigits = 9;
constexpr base::ErrorCode kPathTooDeep{5984700};

// The number that `part` writes as the key of an array element ("0", "17", not "01"), or -1.
int64_t ArrayIndex(std::string_view part) {
  if (part.empty() || part.size() > kMaxIndexDigits) return -1;
  if (part[0] == '0' && part.size() > 1) return -1;
  int64_t index = 0;
  const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), index);
  const bool all_digits = error == std::errc() && end == part.data() + part.size();
  return all_digits && part[0] != '-' ? index : -1;
}

class Walk {
 public:
  Walk(const Path& path, LeafArray leaf, PathVisitor visitor)
      : path_(path), leaf_(leaf), visitor_(visitor) {}

  // Walks the components from `i` on below `document`. `outer` is the array position recorded so
  // far, or -1.
  bool Document(bson::View document, size_t i, int64_t outer) {
    bson::ValueView value;
    while (true) {
      value = document.Find(path_.part(i++));
      if (i == path_.size() || value.IsArray()) break;
      if (!value.IsDocument()) return visitor_(bson::ValueView(), outer);
      document = value.AsDocument();
    }
    if (!value.IsArray() || (i == path_.size() && leaf_ == LeafArray::kWhole)) {
      return visitor_(value, outer);
    }
    return Array(value, i, outer);
  }

 private:
  bool Array(bson::ValueView array, size_t i, int64_t outer) {
    if (i == path_.size()) return Leaf(array, outer);
    const int64_t wanted = path_.index(i);
    int64_t index = -1;
    for (const bson::Element& element : array.AsDocument()) {
      ++index;
      if (element.value.IsDocument() &&
          Document(element.value.AsDocument(), i, outer >= 0 ? outer : index)) {
        return true;
      }
      if (index == wanted && Named(element.value, i + 1, outer)) return true;
    }
    return false;
  }

  // The elements of an array at the end of the path, then the array.
  bool Leaf(bson::ValueView array, int64_t outer) {
    int64_t index = -1;
    for (const bson::Element& element : array.AsDocument()) {
      ++index;
      if (visitor_(element.value, outer >= 0 ? outer : index)) return true;
    }
    return visitor_(array, outer);
  }

  // An array element whose position is a component of the path; `i` is the component after it.
  bool Named(bson::ValueView element, size_t i, int64_t outer) {
    if (i == path_.size()) return visitor_(element, outer);
    if (element.IsDocument()) return Document(element.AsDocument(), i, outer);
    return element.IsArray() && Array(element, i, outer);
  }

  const Path& path_;
  LeafArray leaf_;
  PathVisitor visitor_;
};

}  // namespace

Path::Path(std::string_view text) : text_(text) {
  size_t begin = 0;
  while (true) {
    const size_t dot = text.find('.', begin);
    const size_t end = dot == std::string_view::npos ? text.size() : dot;
    parts_.push_back({static_cast<uint32_t>(begin), static_cast<uint32_t>(end - begin),
                      ArrayIndex(text.substr(begin, end - begin))});
    if (dot == std::string_view::npos) break;
    begin = dot + 1;
  }
}

bool VisitPath(const Path& path, bson::View document, LeafArray leaf, PathVisitor visitor) {
  return Walk(path, leaf, visitor).Document(document, 0, -1);
}

absl::Status CheckFieldPath(std::string_view path) {
  const absl::Status status = ParseFieldPath(path).status();
  if (base::CodeOf(status) == kPathTooDeep) {
    return base::Error(base::ErrorCode::kOverflow, base::MessageOf(status));
  }
  return status;
}

bool CreatedBefore(std::string_view a, std::string_view b) {
  const auto is_number = [](std::string_view text) {
    return !text.empty() &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  };
  const bool a_number = is_number(a);
  if (a_number != is_number(b)) return a_number;
  if (a_number && a.size() != b.size()) return a.size() < b.size();
  return a < b;
}

}  // namespace mayfly::engine
