#include "engine/expression/values.h"

#include <cmath>
#include <cstdio>

#include "bson/json.h"

namespace mayfly::engine {

bson::Value ArrayBuilder::Finish() {
  builder_.Close().End();
  // The bytes are {"": [ ... ]}: a length, a type byte and the NUL of the name stand before the
  // array.
  constexpr size_t kArrayOffset = 6;
  return bson::Value::FromArray(bson::View(std::string_view(bytes_).substr(kArrayOffset)));
}

std::vector<bson::ValueView> Elements(bson::ValueView array) {
  std::vector<bson::ValueView> out;
  for (const bson::Element& element : array.AsDocument()) out.push_back(element.value);
  return out;
}

std::string DoubleToText(double v) {
  if (std::isnan(v)) return "NaN";
  if (std::isinf(v)) return v > 0 ? "Infinity" : "-Infinity";
  char text[40];
  for (int digits = 15; digits <= 17; ++digits) {
    std::snprintf(text, sizeof text, "%.*g", digits, v);
    if (std::strtod(text, nullptr) == v) break;
  }
  return text;
}

std::string ValueText(bson::ValueView value) {
  if (value.IsMissing()) return "MISSING";
  return bson::ToShellText(value);
}

}  // namespace mayfly::engine
