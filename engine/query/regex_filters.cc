// $regex with $options, and regular expressions in the place of a value.
#include <algorithm>

#include "base/status.h"
#include "base/strings.h"
#include "bson/compare.h"
#include "engine/expression/regex.h"
#include "engine/query/filter_families.h"
#include "engine/query/filter_nodes.h"

namespace mayfly::engine {
namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;
using bson::Type;
using bson::Value;
using bson::ValueView;

constexpr std::string_view kSpecial = "^$.|?*+()[]{}\\";

// The text every match begins with, if the pattern is anchored at its start; `is_all` if every text
// that begins so matches.
struct Prefix {
  std::string text;
  bool is_all = false;
};

bool IsQuantifier(char c) { return c == '*' || c == '?' || c == '{'; }

// Takes one literal character from the start of `*rest`; nullopt if there is none.
std::optional<char> TakeLiteral(std::string_view* rest) {
  if (rest->empty()) return std::nullopt;
  char c = rest->front();
  if (c == '\\') {
    // Only escapes of characters that are not letters or digits stand for themselves.
    if (rest->size() < 2 || std::isalnum(static_cast<unsigned char>((*rest)[1])))
      return std::nullopt;
    c = (*rest)[1];
    rest->remove_prefix(2);
    return c;
  }
  if (kSpecial.find(c) != std::string_view::npos) return std::nullopt;
  rest->remove_prefix(1);
  return c;
}

std::optional<Prefix> AnchoredPrefix(std::string_view pattern, std::string_view options) {
  if (options.find_first_of("imx") != std::string_view::npos) return std::nullopt;
  if (pattern.find('|') != std::string_view::npos) return std::nullopt;
  std::string_view rest = pattern;
  if (rest.starts_with("\\A")) {
    rest.remove_prefix(2);
  } else if (rest.starts_with('^')) {
    rest.remove_prefix(1);
  } else {
    return std::nullopt;
  }
  Prefix prefix;
  while (std::optional<char> c = TakeLiteral(&rest)) {
    // What may be absent is no part of the prefix.
    if (!rest.empty() && IsQuantifier(rest.front())) {
      while (!prefix.text.empty() && (*c & 0xC0) == 0x80) {  // all bytes of one UTF-8 character
        c = prefix.text.back();
        prefix.text.pop_back();
      }
      return prefix;
    }
    prefix.text.push_back(*c);
    if (!rest.empty() && rest.front() == '+') return prefix;
  }
  prefix.is_all = rest.empty();
  return prefix;
}

// All texts that begin with `prefix`.
Interval PrefixInterval(const std::string& prefix) {
  std::string end = prefix;
  while (!end.empty() && static_cast<unsigned char>(end.back()) == 0xFF) end.pop_back();
  if (end.empty()) return TypeBracket(Type::kString);
  end.back() = static_cast<char>(end.back() + 1);
  return {Value::String(prefix), Value::String(end), true, false};
}

std::string Sorted(std::string_view options) {
  std::string sorted(options);
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

class RegexNode final : public PathNode {
 public:
  RegexNode(std::string_view path, Regex regex, bson::Regex source,
            const bson::StringComparator* strings)
      : PathNode(FilterKind::kRegex, path),
        regex_(std::move(regex)),
        source_(Value::FromRegex(source.pattern, source.options)),
        is_binary_(strings == nullptr) {}

  ValueView operand() const override { return source_; }

  void SerializeOperator(bson::Builder* out) const override {
    const bson::Regex source = source_.view().AsRegex();
    out->String("$regex", source.pattern);
    if (!source.options.empty()) out->String("$options", source.options);
  }
  bool DependsOnCollation() const override { return false; }

  std::optional<IndexBounds> Bounds(Multikey) const override {
    const bson::Regex source = source_.view().AsRegex();
    Interval strings = TypeBracket(Type::kString);
    bool exact = false;
    if (is_binary_) {
      if (const auto prefix = AnchoredPrefix(source.pattern, source.options)) {
        strings = PrefixInterval(prefix->text);
        exact = prefix->is_all;
      }
    }
    return IndexBounds{{std::move(strings), Interval::Point(source_)}, exact};
  }

 private:
  bool Test(ValueView value, MatchContext&) const override {
    if (value.IsString() || value.type() == Type::kSymbol) return regex_.Matches(value.AsString());
    if (value.type() != Type::kRegex) return false;
    const bson::Regex other = value.AsRegex();
    const bson::Regex source = source_.view().AsRegex();
    return other.pattern == source.pattern && other.options == source.options;
  }

  Regex regex_;
  Value source_;
  bool is_binary_;
};

absl::StatusOr<FilterPtr> MakeRegexOperator(const FilterOperator& op, bson::Regex regex) {
  if (regex.pattern.find('\0') != std::string_view::npos) {
    return Error(ErrorCode::kBadValue, "Regular expression cannot contain an embedded null byte");
  }
  return MakeRegex(op.path, regex, op.parser.context().strings);
}

// {$regex: pattern, $options: options} in either order.
absl::Status ParseRegex(const FilterOperator& op, std::vector<FilterPtr>* out) {
  bson::Regex regex;
  if (op.operand.type() == Type::kRegex) {
    regex = op.operand.AsRegex();
  } else if (op.operand.IsString()) {
    regex.pattern = op.operand.AsString();
  } else {
    return Error(ErrorCode::kBadValue, "$regex has to be a string");
  }
  bool after_regex = false;
  for (const bson::Element& element : op.siblings) {
    if (element.value.data() == op.operand.data() && element.key == "$regex") after_regex = true;
    if (element.key != "$options") continue;
    if (!element.value.IsString()) {
      return Error(ErrorCode::kBadValue, "$options has to be a string");
    }
    if (!regex.options.empty()) {
      return Error(after_regex ? 51075 : 51074, "options set in both $regex and $options");
    }
    regex.options = element.value.AsString();
  }
  MAYFLY_ASSIGN_OR_RETURN(FilterPtr node, MakeRegexOperator(op, regex));
  out->push_back(std::move(node));
  return absl::OkStatus();
}

// Read by ParseRegex; alone it is an error.
absl::Status ParseOptions(const FilterOperator& op, std::vector<FilterPtr>*) {
  if (op.siblings.Has("$regex")) return absl::OkStatus();
  return Error(ErrorCode::kBadValue, "$options needs a $regex");
}

constexpr FilterRow kRows[] = {
    {"$regex", ParseRegex, nullptr, "The text matches the regular expression."},
    {"$options", ParseOptions, nullptr, "Options of $regex: i, m, s, x, u."},
};

}  // namespace

absl::StatusOr<FilterPtr> MakeRegex(std::string_view path, bson::Regex regex,
                                    const bson::StringComparator* strings) {
  MAYFLY_ASSIGN_OR_RETURN(Regex compiled, Regex::Compile(regex.pattern, regex.options));
  const std::string options = Sorted(regex.options);
  return std::make_unique<RegexNode>(path, std::move(compiled), bson::Regex{regex.pattern, options},
                                     strings);
}

FilterFamily RegexFilters() { return {"regex", kRows}; }

}  // namespace mayfly::engine
