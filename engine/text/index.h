// Text search: which words a document has in the fields of a text index, and how well they answer a
// query. The only folder that uses Snowball.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "bson/view.h"

namespace mayfly::engine::text {

// One of the languages that text indexes know, with its stemmer and its stop words. Immutable.
class Language;
// By name ("english") or code ("en"), in any case; "none" knows no stems and no stop words. Null if
// there is none of that name.
const Language* FindLanguage(std::string_view name);

// What a text index covers. Immutable; may be used by many threads.
class Index {
 public:
  // From the index's stored specification: `weights`, `default_language`, `language_override`.
  static std::unique_ptr<const Index> FromSpec(bson::View spec);

  // Queries do not see it.
  bool hidden() const { return hidden_; }
  const Language& default_language() const { return *default_language_; }

  // A string of the document that the index covers.
  struct Text {
    std::string_view text;
    double weight = 1;
    const Language* language = nullptr;
  };
  std::vector<Text> Texts(bson::View document) const;

 private:
  void Collect(bson::View document, const std::string& prefix, const Language& language, int depth,
               std::vector<Text>* out) const;

  std::map<std::string, double, std::less<>> weights_;  // dotted paths
  bool everything_ = false;                             // {"$**": "text"}
  double everything_weight_ = 1;
  std::string override_field_;
  const Language* default_language_ = nullptr;
  bool hidden_ = false;
};

}  // namespace mayfly::engine::text
