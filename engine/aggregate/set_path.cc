#include "engine/aggregate/set_path.h"

#include "bson/builder.h"

namespace mayfly::engine {
namespace {

void Write(bson::View document, const std::vector<std::string>& path, size_t i,
           bson::ValueView value, bson::Builder* out);

void WriteField(bson::ValueView before, const std::vector<std::string>& path, size_t i,
                bson::ValueView value, bson::Builder* out) {
  if (i + 1 == path.size()) {
    out->Append(path[i], value);
    return;
  }
  if (value.IsMissing() && !before.IsDocument()) {
    out->Append(path[i], before);
    return;
  }
  out->OpenDocument(path[i]);
  Write(before.IsDocument() ? before.AsDocument() : bson::View(), path, i + 1, value, out);
  out->Close();
}

void Write(bson::View document, const std::vector<std::string>& path, size_t i,
           bson::ValueView value, bson::Builder* out) {
  bool seen = false;
  for (const bson::Element& element : document) {
    if (element.key != path[i]) {
      out->Append(element);
    } else if (!seen) {
      seen = true;
      WriteField(element.value, path, i, value, out);
    }
  }
  if (!seen && !value.IsMissing()) WriteField({}, path, i, value, out);
}

}  // namespace

bson::Document WithPath(bson::View document, const std::vector<std::string>& path,
                        bson::ValueView value) {
  bson::Builder out;
  Write(document, path, 0, value, &out);
  return out.Finish();
}

}  // namespace mayfly::engine
