#include "engine/query/query_shape.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "base/limits.h"
#include "base/strings.h"
#include "bson/json.h"
#include "bson/number.h"

namespace mayfly::engine {
namespace {

using base::StrCat;
using bson::ValueView;

std::string Join(std::vector<std::string> parts) {
  std::string joined;
  for (const std::string& part : parts) {
    if (!joined.empty()) joined += ',';
    joined += part;
  }
  return joined;
}

std::string NodeShape(const FilterNode& node) {
  std::string shape = StrCat(static_cast<int>(node.kind()), ":", node.path());
  if (node.kind() == FilterKind::kSchema) return StrCat(shape, bson::ToShellText(ToDocument(node)));
  if (node.children().empty()) return shape;
  std::vector<std::string> children;
  for (const FilterPtr& child : node.children()) children.push_back(NodeShape(*child));
  std::sort(children.begin(), children.end());
  return StrCat(shape, "(", Join(std::move(children)), ")");
}

bool IsTrue(ValueView value) {
  return value.IsBool() ? value.AsBool() : !value.IsNumber() || bson::IsNonZero(value);
}

std::string ProjectionShape(bson::View projection, bool sorted) {
  std::vector<std::string> fields;
  for (const bson::Element& element : projection) {
    const bool plain = element.value.IsBool() || element.value.IsNumber();
    fields.push_back(StrCat(
        element.key, "=",
        plain ? std::string(IsTrue(element.value) ? "1" : "0") : ExpressionShape(element.value)));
  }
  if (sorted) std::sort(fields.begin(), fields.end());
  return Join(std::move(fields));
}

std::string TypeShape(ValueView value) {
  if (value.IsArray()) return "?array<>";
  return StrCat("?", value.IsNumber() ? "number" : bson::TypeName(value.type()));
}

void FilterClauses(bson::View filter, int depth, std::vector<std::string>* out);

std::string FilterShape(bson::View filter, int depth) {
  std::vector<std::string> clauses;
  FilterClauses(filter, depth, &clauses);
  if (clauses.size() == 1) return clauses.front();
  return StrCat("$and(", Join(std::move(clauses)), ")");
}

std::string OperatorShape(const bson::Element& op, int depth) {
  const std::string_view name = op.key;
  if (op.value.IsDocument() && (name == "$not" || name == "$elemMatch")) {
    const bson::View inner = op.value.AsDocument();
    std::vector<std::string> parts;
    if (inner.First().key.starts_with("$") && !inner.empty()) {
      for (const bson::Element& element : inner) parts.push_back(OperatorShape(element, depth + 1));
    } else {
      parts.push_back(FilterShape(inner, depth + 1));
    }
    return StrCat(name, "(", Join(std::move(parts)), ")");
  }
  if (name == "$exists") return StrCat(name, IsTrue(op.value) ? "1" : "0");
  if (name == "$type") {
    // One type is a list of one.
    const bool is_list = op.value.IsArray();
    std::string types;
    if (!is_list) return StrCat(name, "[", bson::ToShellText(op.value), "]");
    for (const bson::Element& type : op.value.AsDocument()) {
      types += bson::ToShellText(type.value);
    }
    return StrCat(name, "[", types, "]");
  }
  return StrCat(name, TypeShape(op.value));
}

void FieldClauses(const bson::Element& field, int depth, std::vector<std::string>* out) {
  const bool has_operators = field.value.IsDocument() && !field.value.AsDocument().empty() &&
                             field.value.AsDocument().First().key.starts_with("$");
  if (!has_operators) {
    out->push_back(StrCat(field.key, "$eq", TypeShape(field.value)));
    return;
  }
  for (const bson::Element& op : field.value.AsDocument()) {
    out->push_back(StrCat(field.key, OperatorShape(op, depth)));
  }
}

void FilterClauses(bson::View filter, int depth, std::vector<std::string>* out) {
  if (depth > base::kMaxNestingDepth) return;
  for (const bson::Element& element : filter) {
    const std::string_view name = element.key;
    const bool has_branches = name == "$and" || name == "$or" || name == "$nor";
    if (has_branches && element.value.IsArray()) {
      std::vector<std::string> branches;
      for (const bson::Element& branch : element.value.AsDocument()) {
        if (branch.value.IsDocument()) {
          branches.push_back(FilterShape(branch.value.AsDocument(), depth + 1));
        }
      }
      if (name == "$and") {
        out->insert(out->end(), branches.begin(), branches.end());
      } else {
        out->push_back(StrCat(name, "(", Join(std::move(branches)), ")"));
      }
    } else if (name == "$expr") {
      out->push_back(StrCat(name, ExpressionShape(element.value)));
    } else if (name == "$comment") {
      continue;
    } else if (name.starts_with("$")) {
      out->push_back(StrCat(name, bson::ToShellText(element.value)));
    } else {
      FieldClauses(element, depth, out);
    }
  }
}

std::string ValueShape(ValueView value, int depth) {
  if (depth > base::kMaxNestingDepth) return "?";
  if (value.IsString() && value.AsString().starts_with("$")) return std::string(value.AsString());
  if (!value.IsContainer()) return TypeShape(value);
  std::string shape = value.IsArray() ? "[" : "{";
  for (const bson::Element& element : value.AsDocument()) {
    if (!value.IsArray()) shape += StrCat(element.key, ":");
    shape += StrCat(ValueShape(element.value, depth + 1), ",");
  }
  return shape += value.IsArray() ? "]" : "}";
}

uint64_t Fnv(std::string_view text, uint64_t seed) {
  uint64_t hash = 0xcbf29ce484222325u ^ seed;
  for (const char c : text) {
    hash ^= static_cast<uint8_t>(c);
    hash *= 0x100000001b3u;
  }
  return hash ^ hash >> 29;
}

std::string Hex(uint64_t value, int digits) {
  static constexpr char kDigits[] = "0123456789ABCDEF";
  std::string text(digits, '0');
  for (int i = digits - 1; i >= 0; --i, value >>= 4) text[i] = kDigits[value & 15];
  return text;
}

}  // namespace

std::string PlanShape(const FilterNode& filter, const ShapeParts& parts) {
  return StrCat(NodeShape(filter), "|", bson::ToShellText(parts.sort), "|",
                ProjectionShape(parts.projection, true), "|", bson::ToShellText(parts.collation));
}

std::string FindShape(bson::View filter, const ShapeParts& parts) {
  return StrCat(FilterShape(filter, 0), "|", bson::ToShellText(parts.sort), "|",
                ProjectionShape(parts.projection, false), "|", bson::ToShellText(parts.collation));
}

std::string ExpressionShape(ValueView value) { return ValueShape(value, 0); }

std::string PipelineShape(bson::View pipeline, bson::View collation) {
  std::string shape;
  for (const bson::Element& stage : pipeline) {
    if (!stage.value.IsDocument()) continue;
    const bson::Element body = stage.value.AsDocument().First();
    shape += StrCat(body.key, ":");
    shape += body.key == "$match" && body.value.IsDocument()
                 ? FilterShape(body.value.AsDocument(), 0)
                 : ExpressionShape(body.value);
    shape += ";";
  }
  return StrCat(shape, "|", bson::ToShellText(collation));
}

std::string ShortHash(std::string_view shape) {
  const uint64_t hash = Fnv(shape, 0);
  return Hex(hash ^ hash >> 32, 8);
}

std::string LongHash(std::string_view shape) {
  constexpr std::array<uint64_t, 4> kSeeds = {0, 0x9E3779B97F4A7C15u, 0xC2B2AE3D27D4EB4Fu,
                                              0x165667B19E3779F9u};
  std::string text;
  for (const uint64_t seed : kSeeds) text += Hex(Fnv(shape, seed), 16);
  return text;
}

}  // namespace mayfly::engine
