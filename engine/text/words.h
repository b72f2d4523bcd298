// Words of a text as a text index sees them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/text/index.h"

namespace mayfly::engine::text {

struct Sensitivity {
  bool to_case = false;
  bool to_diacritics = false;
};

enum class StopWords { kKeep, kLeaveOut };

// The stems of the words of `text`, in order.
std::vector<std::string> Words(std::string_view text, const Language& language,
                               const Sensitivity& sensitivity, StopWords stop_words);

// In lower case and without accents, as far as the sensitivity leaves them out.
std::string Fold(std::string_view text, const Sensitivity& sensitivity);

}  // namespace mayfly::engine::text
