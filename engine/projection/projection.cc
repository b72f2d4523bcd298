#include "engine/projection/projection.h"

#include <utility>

#include "base/status.h"
#include "engine/projection/positional.h"
#include "engine/projection/projection_tree.h"

namespace mayfly::engine {
namespace {

using Node = Projection::Node;
using Action = Projection::Node::Action;
using bson::ValueView;

class Application {
 public:
  // `frame` has the whole document; null if nothing is computed.
  Application(ProjectionKind kind, Frame* frame)
      : keeps_others_(kind != ProjectionKind::kInclusion), frame_(frame) {}

  // Writes what `node` makes of `document` into the open document. Recursion is bounded by the tree
  // and the document.
  absl::Status Write(const Node& node, bson::View document, bson::Builder* out) {
    uint64_t written = 0;  // children that are done, by place; more than 64 are found by name
    for (const bson::Element& element : document) {
      const int place = node.Find(element.key);
      if (place < 0) {
        if (keeps_others_) out->Append(element);
        continue;
      }
      MAYFLY_ASSIGN_OR_RETURN(const bool done, WriteChild(*node.children[place], element, out));
      if (done && place < 64) written |= uint64_t{1} << place;
    }
    if (!node.computes) return absl::OkStatus();
    for (size_t i = 0; i < node.children.size(); ++i) {
      const Node& child = *node.children[i];
      if (!child.computes) continue;
      const bool done =
          i < 64 ? (written >> i & 1) != 0 : InPlace(child, document.Find(node.names[i]));
      if (!done) MAYFLY_RETURN_IF_ERROR(WriteComputed(child, node.names[i], document, out));
    }
    return absl::OkStatus();
  }

 private:
  // Whether a computed child takes the place of the field that is there, and is not added at the
  // end.
  bool InPlace(const Node& child, ValueView existing) const {
    if (existing.IsMissing()) return false;
    return keeps_others_ || (child.action == Action::kChildren && existing.IsContainer());
  }

  // False if the child must still be written at the end.
  absl::StatusOr<bool> WriteChild(const Node& child, const bson::Element& element,
                                  bson::Builder* out) {
    switch (child.action) {
      case Action::kKeep:
        out->Append(element);
        return true;
      case Action::kDrop:
        return true;
      case Action::kSlice:
        WriteSlice(child.slice, element, out);
        return true;
      case Action::kElement:
      case Action::kCompute:
      case Action::kChildren:
        break;
    }
    if (child.action == Action::kChildren && element.value.IsDocument()) {
      out->OpenDocument(element.key);
      MAYFLY_RETURN_IF_ERROR(Write(child, element.value.AsDocument(), out));
      out->Close();
      return true;
    }
    if (child.action == Action::kChildren && element.value.IsArray()) {
      out->OpenArray(element.key);
      MAYFLY_RETURN_IF_ERROR(WriteElements(child, element.value.AsDocument(), out));
      out->Close();
      return true;
    }
    if (!child.computes) {
      if (keeps_others_) out->Append(element);
      return true;
    }
    if (!keeps_others_) return false;
    MAYFLY_RETURN_IF_ERROR(WriteValue(child, element.key, element.value, out));
    return true;
  }

  absl::Status WriteElements(const Node& node, bson::View array, bson::Builder* out) {
    for (const bson::Element& element : array) {
      if (element.value.IsDocument()) {
        out->PushOpenDocument();
        MAYFLY_RETURN_IF_ERROR(Write(node, element.value.AsDocument(), out));
        out->Close();
      } else if (element.value.IsArray()) {
        out->PushOpenArray();
        MAYFLY_RETURN_IF_ERROR(WriteElements(node, element.value.AsDocument(), out));
        out->Close();
      } else if (node.computes) {
        out->PushOpenDocument();
        MAYFLY_RETURN_IF_ERROR(Write(node, bson::View(), out));
        out->Close();
      } else if (keeps_others_) {
        out->Push(element.value);
      }
    }
    return absl::OkStatus();
  }

  absl::Status WriteComputed(const Node& node, std::string_view name, bson::View document,
                             bson::Builder* out) {
    return WriteValue(node, name, node.element ? document.Find(name) : ValueView(), out);
  }

  // What a computing node makes of `existing`, under `name`; nothing if that is missing.
  absl::Status WriteValue(const Node& node, std::string_view name, ValueView existing,
                          bson::Builder* out) {
    if (node.expression) {
      bson::Value scratch;
      MAYFLY_ASSIGN_OR_RETURN(const ValueView value, node.expression->View(*frame_, &scratch));
      out->Append(name, value);
      return absl::OkStatus();
    }
    if (node.element) return WriteElement(*node.element, name, existing, out);
    out->OpenDocument(name);
    MAYFLY_RETURN_IF_ERROR(Write(node, bson::View(), out));
    out->Close();
    return absl::OkStatus();
  }

  // The first element of the array that matches {name: {$elemMatch: ...}}.
  absl::Status WriteElement(const FilterNode& filter, std::string_view name, ValueView array,
                            bson::Builder* out) {
    if (!array.IsArray()) return absl::OkStatus();
    MatchContext context(frame_->context());
    context.record_position = true;
    MAYFLY_ASSIGN_OR_RETURN(const bool matches, filter.Matches(frame_->root, context));
    if (!matches || context.position < 0) return absl::OkStatus();
    out->OpenArray(name).Push(ElementAt(array.AsDocument(), context.position)).Close();
    return absl::OkStatus();
  }

  static void WriteSlice(ArraySlice slice, const bson::Element& element, bson::Builder* out) {
    if (!element.value.IsArray()) {
      out->Append(element);
      return;
    }
    const bson::View array = element.value.AsDocument();
    int64_t begin = slice.skip;
    if (begin < 0) begin = std::max<int64_t>(0, array.Count() + begin);
    int64_t index = 0;
    out->OpenArray(element.key);
    for (const bson::Element& item : array) {
      if (index >= begin && index - begin < slice.limit) out->Push(item.value);
      ++index;
    }
    out->Close();
  }

  const bool keeps_others_;
  Frame* const frame_;
};

// Appends the paths below `node` that are kept; false if something else is done with one.
bool CollectKept(const Node& node, const std::string& prefix, std::vector<std::string>* out) {
  for (size_t i = 0; i < node.children.size(); ++i) {
    const Node& child = *node.children[i];
    const std::string path = prefix + node.names[i];
    const bool is_plain = child.action == Action::kKeep || child.action == Action::kDrop ||
                          child.action == Action::kChildren;
    if (!is_plain) return false;
    if (child.action == Action::kKeep) out->push_back(path);
    if (!CollectKept(child, path + ".", out)) return false;
  }
  return true;
}

void CollectRead(const Node& node, const std::string& prefix, Dependencies* out) {
  for (size_t i = 0; i < node.children.size(); ++i) {
    const Node& child = *node.children[i];
    const std::string path = prefix + node.names[i];
    if (child.expression) {
      child.expression->AddDependencies(out);
    } else if (child.action != Action::kChildren) {
      if (child.action != Action::kDrop) out->paths.insert(path);
    } else {
      // What is computed inside depends on whether this is an array or a document.
      if (child.computes) out->paths.insert(path);
      CollectRead(child, path + ".", out);
    }
  }
}

}  // namespace

Projection::Projection(ProjectionKind kind, std::unique_ptr<Node> root)
    : kind_(kind), root_(std::move(root)) {}
Projection::Projection(Projection&&) noexcept = default;
Projection& Projection::operator=(Projection&&) noexcept = default;
Projection::~Projection() = default;

bool Projection::IsIdentity() const { return root_->children.empty(); }

absl::Status Projection::Apply(bson::View document, MatchContext& context,
                               bson::Builder* out) const {
  Frame* frame = nullptr;
  if (root_->computes) {
    frame = &context.frame();
    frame->root = document;
    frame->row = context.row;
  }
  if (positional_.empty()) return Application(kind_, frame).Write(*root_, document, out);
  bson::Builder projected;
  MAYFLY_RETURN_IF_ERROR(Application(kind_, frame).Write(*root_, document, &projected));
  return WritePositional(projected.Finish(), document, {*filter_, positional_, context}, out);
}

absl::StatusOr<bson::Document> Projection::Apply(Frame& frame) const {
  bson::Builder builder;
  MAYFLY_RETURN_IF_ERROR(Application(kind_, &frame).Write(*root_, frame.root, &builder));
  return builder.Finish();
}

absl::StatusOr<bson::Document> Projection::Apply(bson::View document, MatchContext& context) const {
  bson::Builder builder;
  MAYFLY_RETURN_IF_ERROR(Apply(document, context, &builder));
  return builder.Finish();
}

std::optional<std::vector<std::string>> Projection::CoveredPaths() const {
  std::vector<std::string> paths;
  const bool simple = kind_ == ProjectionKind::kInclusion && positional_.empty();
  if (!simple || !CollectKept(*root_, "", &paths)) return std::nullopt;
  return paths;
}

void Projection::AddDependencies(Dependencies* out) const {
  if (!positional_.empty()) out->whole_document = true;
  CollectRead(*root_, "", out);
}

}  // namespace mayfly::engine
