#include "engine/expression/array_keys.h"

#include "base/status.h"

namespace mayfly::engine {
namespace {

using bson::Type;
using bson::ValueView;

constexpr ValueView kUndefined(Type::kUndefined, nullptr, 0);

// One path on its way: `next` is the component to take from `value`; at the end `value` is the
// result.
struct Track {
  const Path* path;
  size_t next = 0;
  ValueView value;
  bool done() const { return next == path->size(); }
};

class Generator {
 public:
  using Visit = absl::FunctionRef<void(const std::vector<ValueView>&)>;
  explicit Generator(Visit visit) : visit_(visit) {}

  // Recursion is bounded by the number of components.
  absl::Status Run(std::vector<Track> tracks) {
    const uint8_t* array = nullptr;
    for (Track& track : tracks) {
      Advance(&track);
      if (!track.value.IsArray() || (track.done() && expanded_)) continue;
      if (array != nullptr && array != track.value.data()) {
        return base::Error(base::ErrorCode::kBadValue,
                           "cannot sort with keys that are parallel arrays");
      }
      array = track.value.data();
    }
    if (array == nullptr) {
      Emit(tracks);
      return absl::OkStatus();
    }
    return Expand(std::move(tracks), array);
  }

 private:
  // Walks through documents and named positions up to an array that has to be taken apart, or the
  // end.
  void Advance(Track* track) {
    while (!track->done()) {
      if (track->value.IsDocument()) {
        track->value = track->value.AsDocument().Find(track->path->part(track->next++));
        continue;
      }
      if (!track->value.IsArray()) {
        track->value = ValueView();
        track->next = track->path->size();
        return;
      }
      if (!IsPosition(*track)) return;
      track->value = track->value.AsDocument().Find(track->path->part(track->next++));
      // A named element is a value, not one of many.
      if (track->done() && track->value.IsArray()) return;
    }
  }

  static bool IsPosition(const Track& track) {
    if (track.path->index(track.next) < 0) return false;
    const std::string_view name = track.path->part(track.next);
    for (const bson::Element& element : track.value.AsDocument()) {
      if (element.value.IsDocument() && element.value.AsDocument().Has(name)) return false;
    }
    return true;
  }

  absl::Status Expand(std::vector<Track> tracks, const uint8_t* array) {
    const bson::View elements(array);
    if (elements.empty()) return WithElement(tracks, array, kUndefined);
    for (const bson::Element& element : elements) {
      MAYFLY_RETURN_IF_ERROR(WithElement(tracks, array, element.value));
    }
    return absl::OkStatus();
  }

  // Every track that stands at `array` goes on with its element. Elements at the end of a path are
  // not taken apart.
  absl::Status WithElement(std::vector<Track> tracks, const uint8_t* array, ValueView element) {
    bool ends_here = false;
    for (Track& track : tracks) {
      if (track.value.data() != array || !track.value.IsArray()) continue;
      ends_here |= track.done();
      track.value = !track.done() && !element.IsDocument() ? ValueView() : element;
      if (track.value.IsMissing()) track.next = track.path->size();
    }
    const bool before = expanded_;
    expanded_ = before || ends_here;
    const absl::Status status = Run(std::move(tracks));
    expanded_ = before;
    return status;
  }

  void Emit(const std::vector<Track>& tracks) {
    key_.clear();
    for (const Track& track : tracks) key_.push_back(track.value);
    visit_(key_);
  }

  Visit visit_;
  std::vector<ValueView> key_;
  bool expanded_ = false;  // an array at the end of a path was taken apart already
};

}  // namespace

absl::Status VisitArrayKeys(bson::View document, const std::vector<const Path*>& paths,
                            absl::FunctionRef<void(const std::vector<ValueView>&)> visit) {
  const ValueView root(Type::kDocument, document.data(), document.size());
  std::vector<Track> tracks;
  for (const Path* path : paths) tracks.push_back({path, 0, root});
  return Generator(visit).Run(std::move(tracks));
}

}  // namespace mayfly::engine
