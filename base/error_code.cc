#include "base/error_code.h"

namespace mayfly::base {

std::string ErrorCodeName(ErrorCode code) {
  switch (static_cast<int>(code)) {
#define MAYFLY_ERROR_CODE(constant, number, name) \
  case number:                                    \
    return name;
#include "base/error_code.def"
#undef MAYFLY_ERROR_CODE
  }
  return "Location" + std::to_string(static_cast<int>(code));
}

}  // namespace mayfly::base
