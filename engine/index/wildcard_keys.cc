#include "engine/index/wildcard_keys.h"

#include <utility>
#include <vector>

#include "base/limits.h"
#include "base/status.h"
#include "base/strings.h"
#include "bson/value.h"
#include "engine/index/key_values.h"
#include "engine/keys/type_bits.h"

namespace mayfly::engine {
namespace {

using bson::ValueView;

class Walk {
 public:
  using Sink = absl::FunctionRef<void(std::string fields, std::string type_bits)>;

  Walk(const Index& index, const KeyEncoder& encoder, Sink sink)
      : index_(index),
        scope_(*index.wildcard),
        encoder_(encoder),
        paths_(encoder.ordering()),
        at_(index.spec.SpecialField()),
        sink_(sink) {}

  absl::StatusOr<uint32_t> Run(bson::View document) {
    MAYFLY_RETURN_IF_ERROR(ReadOthers(document));
    MAYFLY_RETURN_IF_ERROR(Document(document, 0));
    if (!any_ && index_.spec.fields.size() > 1) {
      const bson::Value lowest = bson::Value::MinKey();
      Emit(lowest, lowest);
    }
    return found_array_ ? 1u << at_ : 0u;
  }

 private:
  // Values of the fields beside the wildcard.
  absl::Status ReadOthers(bson::View document) {
    const auto& fields = index_.spec.fields;
    if (fields.size() == 1) return absl::OkStatus();
    for (size_t i = 0; i < fields.size(); ++i) {
      others_.emplace_back();
      if (i == at_) continue;
      MAYFLY_ASSIGN_OR_RETURN(
          const DocumentKeysInfo info,
          ForEachKey(std::span(&fields[i], 1), document,
                     [&](std::span<const ValueView> values) { others_.back() = values.front(); }));
      if (info.multikey_fields != 0) {
        return base::Error(7246301, base::StrCat("multikey for the field ", fields[i].path,
                                                 " is not allowed in a compound wildcard index"));
      }
    }
    return absl::OkStatus();
  }

  absl::Status Document(bson::View document, int depth) {
    if (depth > base::kMaxNestingDepth) {
      return base::Error(base::ErrorCode::kOverflow, "document is nested too deeply to be indexed");
    }
    const size_t size = path_.size();
    for (const bson::Element& element : document) {
      if (size != 0) path_.push_back('.');
      path_.append(element.key);
      if (scope_.MayHoldBelow(path_)) MAYFLY_RETURN_IF_ERROR(Value(element.value, depth));
      path_.resize(size);
    }
    return absl::OkStatus();
  }

  absl::Status Value(ValueView value, int depth) {
    if (value.IsDocument() && !value.AsDocument().empty()) {
      return Document(value.AsDocument(), depth + 1);
    }
    if (!value.IsArray()) {
      EmitAt(value);
      return absl::OkStatus();
    }
    found_array_ = true;
    const bson::View elements = value.AsDocument();
    if (elements.empty()) EmitAt(ValueView(bson::Type::kUndefined, value.data(), 0));
    for (const bson::Element& element : elements) {
      if (element.value.IsDocument() && !element.value.AsDocument().empty()) {
        MAYFLY_RETURN_IF_ERROR(Document(element.value.AsDocument(), depth + 1));
      } else {
        EmitAt(element.value);
      }
    }
    return absl::OkStatus();
  }

  void EmitAt(ValueView value) {
    if (scope_.HoldsValueAt(path_)) Emit(bson::Value::String(path_), value);
  }

  void Emit(const bson::Value& path, ValueView value) {
    const ValueView null(bson::Type::kNull, nullptr, 0);
    std::string fields;
    bits_.Clear();
    int position = 0;
    for (size_t i = 0; i < index_.spec.fields.size(); ++i) {
      if (i == at_) {
        paths_.Append(position++, path, &fields, &bits_);
        encoder_.Append(position++, value, &fields, &bits_);
      } else {
        encoder_.Append(position++, others_[i].IsMissing() ? null : others_[i], &fields, &bits_);
      }
    }
    any_ = true;
    sink_(std::move(fields), std::string(bits_.bytes()));
  }

  const Index& index_;
  const WildcardScope& scope_;
  const KeyEncoder& encoder_;
  const KeyEncoder paths_;  // paths are compared byte by byte under any collation
  const size_t at_;
  Sink sink_;
  std::vector<ValueView> others_;
  std::string path_;
  TypeBits bits_;
  bool found_array_ = false;
  bool any_ = false;
};

}  // namespace

absl::StatusOr<uint32_t> ForEachWildcardKey(
    const Index& index, bson::View document, const KeyEncoder& encoder,
    absl::FunctionRef<void(std::string fields, std::string type_bits)> sink) {
  return Walk(index, encoder, sink).Run(document);
}

}  // namespace mayfly::engine
