#include "engine/aggregate/shape.h"

#include <utility>

#include "base/strings.h"
#include "engine/aggregate/shape_node.h"

namespace mayfly::engine {

Shape::Shape(Kind kind, std::unique_ptr<Node> root) : kind_(kind), root_(std::move(root)) {}
Shape::Shape(Shape&&) noexcept = default;
Shape& Shape::operator=(Shape&&) noexcept = default;
Shape::~Shape() = default;

// Applies a tree to one document.
class Shape::Application {
 public:
  Application(Kind kind, Frame& frame) : kind_(kind), frame_(frame) {}

  // Writes what `node` makes of `document` into the open document.
  absl::Status Write(const Node& node, bson::View document, bson::Builder* out) {
    // Children that have been written, so that the rest can be added at the end. Trees are small.
    std::vector<bool> written(node.children.size());
    for (const bson::Element& element : document) {
      const int child = node.Find(element.key);
      if (child < 0) {
        if (kind_ != Kind::kInclusion) out->Append(element);
        continue;
      }
      MAYFLY_ASSIGN_OR_RETURN(bool done, WriteChild(*node.children[child], element, out));
      written[child] = done;
    }
    if (!node.computes) return absl::OkStatus();
    for (size_t i = 0; i < node.children.size(); ++i) {
      if (written[i] || !node.children[i]->computes) continue;
      MAYFLY_RETURN_IF_ERROR(WriteComputed(*node.children[i], node.names[i], out));
    }
    return absl::OkStatus();
  }

 private:
  // False if the child must still be written at the end.
  absl::StatusOr<bool> WriteChild(const Node& child, const bson::Element& element,
                                  bson::Builder* out) {
    switch (child.action) {
      case Node::Action::kKeep:
        out->Append(element);
        return true;
      case Node::Action::kDrop:
        return true;
      case Node::Action::kCompute:
        if (kind_ == Kind::kInclusion) return false;
        MAYFLY_RETURN_IF_ERROR(WriteComputed(child, element.key, out));
        return true;
      case Node::Action::kChildren:
        break;
    }
    if (element.value.IsDocument()) {
      out->OpenDocument(element.key);
      MAYFLY_RETURN_IF_ERROR(Write(child, element.value.AsDocument(), out));
      out->Close();
      return true;
    }
    if (element.value.IsArray()) {
      out->OpenArray(element.key);
      MAYFLY_RETURN_IF_ERROR(WriteElements(child, element.value, out));
      out->Close();
      return true;
    }
    if (child.computes && kind_ == Kind::kInclusion) return false;
    if (child.computes) {
      MAYFLY_RETURN_IF_ERROR(WriteComputed(child, element.key, out));
    } else if (kind_ != Kind::kInclusion) {
      out->Append(element);
    }
    return true;
  }

  absl::Status WriteElements(const Node& node, bson::ValueView array, bson::Builder* out) {
    for (const bson::Element& element : array.AsDocument()) {
      if (element.value.IsDocument()) {
        out->PushOpenDocument();
        MAYFLY_RETURN_IF_ERROR(Write(node, element.value.AsDocument(), out));
        out->Close();
      } else if (element.value.IsArray()) {
        out->PushOpenArray();
        MAYFLY_RETURN_IF_ERROR(WriteElements(node, element.value, out));
        out->Close();
      } else if (node.computes) {
        out->PushOpenDocument();
        MAYFLY_RETURN_IF_ERROR(Write(node, bson::View(), out));
        out->Close();
      } else if (kind_ != Kind::kInclusion) {
        out->Push(element.value);
      }
    }
    return absl::OkStatus();
  }

  absl::Status WriteComputed(const Node& node, std::string_view name, bson::Builder* out) {
    if (node.expression) {
      bson::Value scratch;
      MAYFLY_ASSIGN_OR_RETURN(bson::ValueView value, node.expression->View(frame_, &scratch));
      out->Append(name, value);
      return absl::OkStatus();
    }
    out->OpenDocument(name);
    MAYFLY_RETURN_IF_ERROR(Write(node, bson::View(), out));
    out->Close();
    return absl::OkStatus();
  }

  const Kind kind_;
  Frame& frame_;
};

absl::StatusOr<bson::Document> Shape::Apply(Frame& frame) const {
  bson::Builder out;
  MAYFLY_RETURN_IF_ERROR(Application(kind_, frame).Write(*root_, frame.root, &out));
  return out.Finish();
}

void Shape::AddDependencies(Dependencies* out) const {
  struct Walk {
    Kind kind;
    Dependencies* out;
    void Visit(const Node& node, const std::string& path) const {
      if (node.expression) node.expression->AddDependencies(out);
      if (node.action == Node::Action::kKeep) out->paths.insert(path);
      for (size_t i = 0; i < node.children.size(); ++i) {
        const std::string below = path.empty() ? node.names[i] : path + "." + node.names[i];
        // A nested field that is computed depends on whether its parents are arrays or documents.
        if (node.children[i]->computes && !path.empty()) out->paths.insert(path);
        Visit(*node.children[i], below);
      }
    }
  };
  Walk{kind_, out}.Visit(*root_, "");
}

}  // namespace mayfly::engine
