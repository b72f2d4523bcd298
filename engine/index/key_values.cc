#include "engine/index/key_values.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/limits.h"
#include "base/status.h"
#include "base/strings.h"

namespace mayfly::engine {
namespace {

using bson::ValueView;

// One indexed field on its way down the document: `value` with `rest` of the path still to go.
struct Slot {
  ValueView value;
  std::string_view rest;
  bool done = false;
};

using Slots = std::vector<Slot>;

std::string_view TakeComponent(std::string_view* path) {
  const size_t dot = path->find('.');
  const std::string_view component = path->substr(0, dot);
  *path = dot == std::string_view::npos ? std::string_view() : path->substr(dot + 1);
  return component;
}

bool IsPosition(std::string_view component) {
  return !component.empty() && component.size() < 10 &&
         std::all_of(component.begin(), component.end(),
                     [](char c) { return c >= '0' && c <= '9'; }) &&
         (component.size() == 1 || component.front() != '0');
}

class Walk {
 public:
  Walk(std::span<const IndexField> fields, absl::FunctionRef<void(std::span<const ValueView>)> sink)
      : fields_(fields), sink_(sink), tuple_(fields.size()) {}

  absl::Status Run(Slots slots, int depth) {
    if (depth > base::kMaxNestingDepth) {
      return base::Error(base::ErrorCode::kOverflow, "document is nested too deeply to be indexed");
    }
    for (Slot& slot : slots) Descend(slot);
    const Slot* array = nullptr;
    for (size_t i = 0; i < slots.size(); ++i) {
      if (slots[i].done) continue;
      info_.multikey_fields |= 1u << i;
      if (array != nullptr && array->value.data() != slots[i].value.data()) {
        return base::Error(base::ErrorCode::kCannotIndexParallelArrays,
                           base::StrCat("cannot index parallel arrays [", LastName(i), "] [",
                                        LastName(array - slots.data()), "]"));
      }
      array = &slots[i];
    }
    if (array == nullptr) {
      Emit(slots);
      return absl::OkStatus();
    }
    return Expand(slots, array->value, depth);
  }

  const DocumentKeysInfo& info() const { return info_; }

 private:
  std::string_view LastName(size_t field) const {
    const std::string_view path = fields_[field].path;
    return path.substr(path.rfind('.') + 1);
  }

  // Follows the path through documents; stops at its end, where a field is missing, or at an array.
  void Descend(Slot& slot) {
    while (!slot.done) {
      if (slot.value.IsArray()) {
        std::string_view rest = slot.rest;
        const std::string_view component = rest.empty() ? rest : TakeComponent(&rest);
        const ValueView selected =
            IsPosition(component) ? slot.value.AsDocument().Find(component) : ValueView();
        if (selected.IsMissing()) return;  // to be expanded
        slot.value = selected;
        slot.rest = rest;
      } else if (slot.rest.empty()) {
        slot.done = true;
      } else if (slot.value.IsDocument()) {
        const std::string_view component = TakeComponent(&slot.rest);
        slot.value = slot.value.AsDocument().Find(component);
        if (slot.value.IsMissing()) slot.done = true;
      } else {
        slot.value = ValueView();
        slot.done = true;
      }
    }
  }

  absl::Status Expand(const Slots& slots, ValueView array, int depth) {
    const bson::View elements = array.AsDocument();
    if (elements.empty()) return ExpandEmpty(slots);
    for (const bson::Element& element : elements) {
      Slots next = slots;
      for (Slot& slot : next) {
        if (slot.done) continue;
        slot.value = element.value;
        // An array directly inside an array is a value of its own, and nothing can be below it.
        if (slot.rest.empty() || element.value.IsArray()) slot.done = true;
        if (!slot.rest.empty() && element.value.IsArray()) slot.value = ValueView();
      }
      MAYFLY_RETURN_IF_ERROR(Run(std::move(next), depth + 1));
    }
    return absl::OkStatus();
  }

  absl::Status ExpandEmpty(Slots slots) {
    for (Slot& slot : slots) {
      if (slot.done) continue;
      slot.value =
          slot.rest.empty() ? ValueView(bson::Type::kUndefined, slot.value.data(), 0) : ValueView();
      slot.done = true;
    }
    Emit(slots);
    return absl::OkStatus();
  }

  void Emit(const Slots& slots) {
    for (size_t i = 0; i < slots.size(); ++i) {
      tuple_[i] = slots[i].value;
      if (!tuple_[i].IsMissing()) info_.any_field_exists = true;
    }
    sink_(tuple_);
  }

  std::span<const IndexField> fields_;
  absl::FunctionRef<void(std::span<const ValueView>)> sink_;
  std::vector<ValueView> tuple_;
  DocumentKeysInfo info_;
};

// Most indexes: fields of the root, without arrays. False if the document needs the whole walk.
bool EmitPlain(std::span<const IndexField> fields, bson::View document,
               absl::FunctionRef<void(std::span<const ValueView>)> sink, DocumentKeysInfo* info) {
  constexpr size_t kMaxFields = 4;
  if (fields.size() > kMaxFields) return false;
  std::array<ValueView, kMaxFields> tuple;
  for (size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].path.find('.') != std::string::npos) return false;
    tuple[i] = document.Find(fields[i].path);
    if (tuple[i].IsArray()) return false;
    if (!tuple[i].IsMissing()) info->any_field_exists = true;
  }
  sink({tuple.data(), fields.size()});
  return true;
}

}  // namespace

absl::StatusOr<DocumentKeysInfo> ForEachKey(
    std::span<const IndexField> fields, bson::View document,
    absl::FunctionRef<void(std::span<const ValueView>)> sink) {
  if (DocumentKeysInfo info; EmitPlain(fields, document, sink, &info)) return info;
  Walk walk(fields, sink);
  Slots slots(fields.size());
  for (size_t i = 0; i < fields.size(); ++i) {
    slots[i].value = ValueView(bson::Type::kDocument, document.data(), document.size());
    slots[i].rest = fields[i].path;
  }
  MAYFLY_RETURN_IF_ERROR(walk.Run(std::move(slots), 0));
  return walk.info();
}

}  // namespace mayfly::engine
