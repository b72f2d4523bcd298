// Nodes of more than one family of filter operators, for the parsers in this folder.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/expression/path.h"
#include "engine/query/filter.h"

namespace mayfly::engine {

// A predicate about the values at one path.
class PathNode : public FilterNode {
 public:
  std::string_view path() const override { return path_.text(); }
  absl::StatusOr<bool> Matches(bson::View document, MatchContext& context) const override;
  absl::StatusOr<bool> MatchesValue(bson::ValueView value, MatchContext& context) const override {
    return Test(value, context);
  }
  void Serialize(bson::Builder* out) const override;
  // Appends the operator without its path: "$gt: 5".
  virtual void SerializeOperator(bson::Builder* out) const = 0;
  bool MatchesMissing() const override;

 protected:
  PathNode(FilterKind kind, std::string_view path, LeafArray leaf = LeafArray::kTraverse)
      : FilterNode(kind), path_(path), leaf_(leaf) {}
  PathNode(FilterKind kind, std::string_view path, LeafArray leaf, std::vector<FilterPtr> children)
      : FilterNode(kind, std::move(children)), path_(path), leaf_(leaf) {}

 private:
  // Whether one value at the path fulfils the predicate.
  virtual bool Test(bson::ValueView value, MatchContext& context) const = 0;

  Path path_;
  LeafArray leaf_;
};

// $eq, $lt, $lte, $gt, $gte: `kind` is one of kEqual ... kGreaterEqual.
FilterPtr MakeComparison(FilterKind kind, std::string_view path, bson::ValueView operand,
                         const bson::StringComparator* strings);

// $in: equality with one of `values`, or a match of one of `regexes`, which are kRegex nodes of the
// path. One value or one regular expression alone becomes what it stands for.
FilterPtr MakeIn(std::string_view path, std::vector<bson::Value> values,
                 std::vector<FilterPtr> regexes, const bson::StringComparator* strings);

FilterPtr MakeAnd(std::vector<FilterPtr> children);
FilterPtr MakeOr(std::vector<FilterPtr> children);
FilterPtr MakeNor(std::vector<FilterPtr> children);
FilterPtr MakeNot(FilterPtr child);
FilterPtr MakeAlwaysTrue();
FilterPtr MakeAlwaysFalse();
FilterPtr MakeExists(std::string_view path);

// Pattern and options as in a BSON regular expression. 51091 if PCRE2 does not compile it, 51108
// for an unknown option. `strings` is the operation's collation, which regular expressions ignore
// but index bounds do not.
absl::StatusOr<FilterPtr> MakeRegex(std::string_view path, bson::Regex regex,
                                    const bson::StringComparator* strings);

// Rewrites the tree under `root` without changing what it matches; see ParseFilter.
FilterPtr Simplify(FilterPtr root, const bson::StringComparator* strings);

// Serialises `node` as operators of `path` into the open document; false if it is not only about
// that path.
bool SerializeAsOperators(const FilterNode& node, std::string_view path, bson::Builder* out);

}  // namespace mayfly::engine
