#include "engine/projection/positional.h"

#include "base/status.h"

namespace mayfly::engine {
namespace {

constexpr int kNoElement = 51246;
constexpr int kElementMismatch = 51247;

absl::Status WriteFrom(bson::View document, size_t depth, int64_t index,
                       const std::vector<std::string>& path, bson::Builder* out) {
  for (const bson::Element& element : document) {
    const bool on_path = depth < path.size() && element.key == path[depth];
    if (on_path && element.value.IsDocument()) {
      out->OpenDocument(element.key);
      MAYFLY_RETURN_IF_ERROR(WriteFrom(element.value.AsDocument(), depth + 1, index, path, out));
      out->Close();
      continue;
    }
    if (!on_path || !element.value.IsArray()) {
      out->Append(element);
      continue;
    }
    if (index < 0) {
      return base::Error(kNoElement,
                         "Executor error during find command :: caused by :: positional operator "
                         "'.$' couldn't find a matching element in the array");
    }
    const bson::ValueView value = ElementAt(element.value.AsDocument(), index);
    if (value.IsMissing()) {
      return base::Error(kElementMismatch,
                         "Executor error during find command :: caused by :: positional operator "
                         "'.$' element mismatch");
    }
    out->OpenArray(element.key).Push(value).Close();
  }
  return absl::OkStatus();
}

}  // namespace

bson::ValueView ElementAt(bson::View array, int64_t index) {
  for (const bson::Element& element : array) {
    if (index-- == 0) return element.value;
  }
  return {};
}

absl::Status WritePositional(bson::View projected, bson::View document,
                             const Positional& positional, bson::Builder* out) {
  MatchContext context(positional.context.evaluation());
  context.record_position = true;
  MAYFLY_ASSIGN_OR_RETURN(const bool matches, positional.filter.Matches(document, context));
  const int64_t index = matches ? context.position : -1;
  return WriteFrom(projected, 0, index, positional.path, out);
}

}  // namespace mayfly::engine
