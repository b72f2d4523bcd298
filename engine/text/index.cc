#include "engine/text/index.h"

#include <functional>
#include <utility>

#include "base/limits.h"
#include "bson/number.h"
#include "engine/text/language.h"

namespace mayfly::engine::text {
namespace {

constexpr std::string_view kEverything = "$**";
constexpr std::string_view kUsualLanguage = "english";
constexpr std::string_view kUsualOverride = "language";

const Language& LanguageOr(bson::ValueView name, const Language& otherwise) {
  const Language* language = name.IsString() ? FindLanguage(name.AsString()) : nullptr;
  return language == nullptr ? otherwise : *language;
}

}  // namespace

std::unique_ptr<const Index> Index::FromSpec(bson::View spec) {
  auto index = std::make_unique<Index>();
  const bson::ValueView weights = spec.Find("weights");
  if (weights.IsDocument()) {
    for (const bson::Element& element : weights.AsDocument()) {
      const double weight = element.value.IsNumber() ? bson::ToDouble(element.value) : 1;
      if (element.key == kEverything) {
        index->everything_ = true;
        index->everything_weight_ = weight;
      } else {
        index->weights_.emplace(element.key, weight);
      }
    }
  }
  index->hidden_ = spec.Find("hidden").IsBool() && spec.Find("hidden").AsBool();
  index->default_language_ =
      &LanguageOr(spec.Find("default_language"), *FindLanguage(kUsualLanguage));
  const bson::ValueView field = spec.Find("language_override");
  index->override_field_ = std::string(field.IsString() ? field.AsString() : kUsualOverride);
  return index;
}

std::vector<Index::Text> Index::Texts(bson::View document) const {
  std::vector<Text> texts;
  Collect(document, "", *default_language_, 0, &texts);
  return texts;
}

void Index::Collect(bson::View document, const std::string& prefix, const Language& language,
                    int depth, std::vector<Text>* out) const {
  if (depth > base::kMaxNestingDepth) return;
  const Language& own = LanguageOr(document.Find(override_field_), language);
  for (const bson::Element& element : document) {
    const std::string path = prefix + std::string(element.key);
    const auto weight = weights_.find(path);
    const bool covered = weight != weights_.end() || everything_;
    const auto add = [&](bson::ValueView value) {
      if (value.IsString() && covered) {
        out->push_back({.text = value.AsString(),
                        .weight = weight != weights_.end() ? weight->second : everything_weight_,
                        .language = &own});
      } else if (value.IsDocument()) {
        Collect(value.AsDocument(), path + ".", own, depth + 1, out);
      }
    };
    if (!element.value.IsArray()) {
      add(element.value);
      continue;
    }
    for (const bson::Element& item : element.value.AsDocument()) add(item.value);
  }
}

}  // namespace mayfly::engine::text
