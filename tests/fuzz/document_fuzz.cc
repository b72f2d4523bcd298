// Arbitrary bytes as a document. What validation lets through is walked, printed, compared, hashed
// and rebuilt.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "bson/builder.h"
#include "bson/compare.h"
#include "bson/json.h"
#include "bson/validate.h"

namespace mayfly::bson {
namespace {

void Expect(bool condition) {
  if (!condition) std::abort();
}

void Rebuild(View view, Builder* out) {
  for (const Element& e : view) {
    if (e.value.IsDocument()) {
      out->OpenDocument(e.key);
      Rebuild(e.value.AsDocument(), out);
      out->Close();
    } else {
      out->Append(e.key, Value(e.value));
    }
  }
}

void Check(std::string_view bytes) {
  // Views stay inside of any bytes whose length prefix is right.
  if (bytes.size() < 5 || View(bytes).size() != bytes.size()) return;
  size_t total = 5;
  for (const Element& e : View(bytes)) total += 2 + e.key.size() + e.value.size();
  if (!ValidateDocument(bytes).ok()) return;
  const View view(bytes);
  Expect(total == bytes.size());
  Builder builder;
  Rebuild(view, &builder);
  const Document rebuilt = builder.Finish();
  Expect(rebuilt.bytes() == bytes);
  Expect(CompareDocuments(view, rebuilt) == 0);
  Expect(Hash(Value::FromDocument(view)) == Hash(Value::FromDocument(rebuilt)));
  ToShellText(view);
  ToCanonicalJson(view);
  ToRelaxedJson(view);
}

}  // namespace
}  // namespace mayfly::bson

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  mayfly::bson::Check({reinterpret_cast<const char*>(data), size});
  return 0;
}
