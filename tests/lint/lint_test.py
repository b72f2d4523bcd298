"""Proves that each lint rule finds a violation of its kind, and is silent where there is none."""

import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True

import lint
from functions import find_functions
from tree import Tree, blank_comments_and_literals


class RuleTest(unittest.TestCase):
    """Gives each test a tree of its own made from {path: text}."""

    def violations(self, rule, files):
        with tempfile.TemporaryDirectory() as folder:
            for path, text in files.items():
                full = pathlib.Path(folder, path)
                full.parent.mkdir(parents=True, exist_ok=True)
                full.write_text(text)
            return [str(violation) for violation in lint.RULES[rule](Tree(folder))]

    def assert_finds(self, rule, files, *expected):
        found = self.violations(rule, files)
        self.assertEqual(len(found), len(expected), found)
        for text, line in zip(expected, found):
            self.assertIn(text, line)

    def assert_silent(self, rule, files):
        self.assertEqual(self.violations(rule, files), [])


class LayoutTest(RuleTest):
    def test_folder_order_finds_an_include_of_a_later_folder(self):
        files = {
            "base/a.h": '#include "bson/b.h"\n',
            "bson/b.h": '#include "base/a.h"\n',
            "server/s.cc": '#include "bson/b.h"\n#include <base/a.h>\n',
        }
        self.assert_finds(
            "folder_order", files, "base/a.h:1: base/ may not include bson/b.h", "goes in quotes"
        )

    def test_folder_order_finds_an_unknown_folder(self):
        self.assert_finds("folder_order", {"util/a.h": "", "a.cc": ""}, "live in a folder", "not in the table")

    def test_folder_order_finds_sources_that_include_tests(self):
        files = {"ttl/a.cc": '#include "tests/support/x.h"\n', "tests/support/x.h": '#include "ttl/b.h"\n'}
        self.assert_finds("folder_order", files, "ttl/ may not include tests/support/x.h")

    def test_folder_order_leaves_third_party_headers_of_the_same_name_alone(self):
        self.assert_silent("folder_order", {"base/a.cc": "#include <bson/bson.h>\n"})

    def test_engine_order_finds_a_later_sub_folder_the_facade_and_an_unknown_one(self):
        files = {
            "engine/query/a.cc": '#include "engine/update/u.h"\n#include "engine/expression/e.h"\n',
            "engine/plan/p.cc": '#include "engine/engine.h"\n#include "engine/misc/m.h"\n',
            "engine/misc/m.h": "",
            "engine/engine.cc": '#include "engine/cursor/c.h"\n',
        }
        self.assert_finds(
            "engine_order", files,
            "engine/misc is not in the order",
            "engine/plan comes before engine/engine.h",
            "its folder is not in the order",
            "engine/query comes before engine/update/u.h",
        )

    def test_engine_order_keeps_the_pure_folders_off_the_stores(self):
        text = '#include "engine/storage/kv.h"\n#include "engine/storage/database.h"\n'
        files = {"engine/query/a.cc": text, "engine/catalog/c.cc": text}
        self.assert_finds("engine_order", files, "engine/query/a.cc:2: engine/query knows no storage")

    def test_library_owners_finds_each_library_outside_its_folder(self):
        for header in ["sqlite3.h", "asio.hpp", "asio/ip/tcp.hpp", "bson/bson.h", "bson.h", "bid_functions.h",
                       "mongoc/mongoc.h", "spdlog/spdlog.h", "CLI/CLI.hpp", "yaml-cpp/yaml.h", "unicode/coll.h", "s2/s2cell.h",
                       "pcre2.h", "zlib.h", "snappy.h", "zstd.h"]:
            with self.subTest(header):
                self.assert_finds("library_owners", {"ttl/a.cc": f"#include <{header}>\n"}, "belongs to")

    def test_library_owners_lets_the_owner_and_its_tests_include_it(self):
        files = {path: "#include <sqlite3.h>\n" for path in [
            "engine/storage/sqlite/a.cc", "tests/engine/storage/sqlite/a_test.cc"]}
        self.assert_silent("library_owners", files)
        self.assert_finds("library_owners", {"engine/storage/a.cc": "#include <sqlite3.h>\n"}, "belongs to")

    def test_own_header_first(self):
        files = {
            "base/a.h": "",
            "base/a.cc": '#include <map>\n#include "base/a.h"\n',
            "base/b.h": "",
            "base/b.cc": '// b\n#include "base/b.h"\n#include <map>\n',
            "base/c.cc": "#include <map>\n",
        }
        self.assert_finds("own_header_first", files, 'base/a.cc:1: the first include is to be "base/a.h"')

    def test_header_start(self):
        files = {
            "base/a.h": "// Good.\n#pragma once\n",
            "base/b.h": "#pragma once\n",
            "base/c.h": "// No guard.\nint x;\n",
        }
        self.assert_finds("header_start", files, "base/b.h:1: the first line", "base/c.h:1: the first line of code")

    def test_folder_readme(self):
        files = {"base/a.h": "", "bson/b.h": "", "bson/README.md": "", ".ci/run": "", "README.md": ""}
        self.assert_finds("folder_readme", files, "base/README.md: is missing")


class SizeTest(RuleTest):
    LONG_FILE = "int x;\n" * 601
    LONG_FUNCTION = "int F() {\n" + "  x();\n" * 69 + "}\n"

    def test_file_size(self):
        self.assert_finds("file_size", {"base/a.cc": self.LONG_FILE}, "has 601 lines")
        self.assert_silent("file_size", {"base/a.cc": "int x;\n" * 600})

    def test_function_size(self):
        self.assert_finds("function_size", {"base/a.cc": self.LONG_FUNCTION}, "F has 71 lines")
        self.assert_silent("function_size", {"base/a.cc": self.LONG_FUNCTION.replace("  x();\n", "", 1)})

    def test_function_size_of_python(self):
        self.assert_finds("function_size", {"tools/a.py": "def f():\n" + "    x()\n" * 70}, "f has 71 lines")

    def test_an_exception_silences_only_its_own_number(self):
        source = {"base/a.cc": self.LONG_FUNCTION}
        entry = "tests/lint/exceptions.txt"
        self.assert_silent("function_size", {**source, entry: "base/a.cc F 71\n"})
        self.assert_finds("function_size", {**source, entry: "base/a.cc F 70\n"}, "grew from 70 to 71")
        self.assert_finds("function_size", {**source, entry: "base/a.cc F 72\n"}, "lower its number")

    def test_a_stale_exception_is_found(self):
        entry = {"tests/lint/exceptions.txt": "# list\nbase/a.cc F 71\nbase/a.cc file 601\n"}
        self.assert_finds("function_size", entry, "base/a.cc F is no offender any more")
        self.assert_finds("file_size", entry, "base/a.cc file is no offender any more")


class TextTest(RuleTest):
    def test_clock(self):
        for call in ["std::chrono::system_clock::now()", "clock_gettime(CLOCK_REALTIME, &t)", "gettimeofday(&t, 0)",
                     "time(nullptr)", "std::time(0)", "absl::Now()", "time(&now)"]:
            with self.subTest(call):
                self.assert_finds("clock", {"ttl/a.cc": f"auto x = {call};\n"}, "only base/clock.cc")

    def test_clock_lets_clock_cc_steady_clocks_and_comments_be(self):
        files = {
            "base/clock.cc": "clock_gettime(CLOCK_REALTIME, &t);\n",
            "ttl/a.cc": "// system_clock\nauto x = std::chrono::steady_clock::now();\nrow.time(0);\nint timeout(0);\n",
        }
        self.assert_silent("clock", files)

    def test_sleep(self):
        files = {
            "tests/a_test.cc": "std::this_thread::sleep_for(1ms);\n",
            "base/a.cc": "usleep(10);\nsleep(1);\n",
            "tests/scripts/a.py": "time.sleep(1)\n",
            "tools/a.sh": "sleep 1\n",
        }
        self.assertEqual(len(self.violations("sleep", files)), 5)
        files = {"base/a.cc": "// sleep(1)\nint sleeping;\n", "tests/drivers/a.py": "time.sleep(1)\n"}
        self.assert_silent("sleep", files)

    def test_todo(self):
        files = {"base/a.cc": "// TODO(#12): later\n// TODO: never\n// FIXME\n// mkstemp XXXXXX\n"}
        self.assert_finds("todo", files, "base/a.cc:2: TODO", "base/a.cc:3: FIXME")

    def test_registry_hosts(self):
        host = "registry" + ".npmjs" + ".org"
        self.assert_finds("registry_hosts", {"tests/package.json": f"https://{host}/x\n"}, "registry's host")

    def test_stray_words(self):
        for word in ["sub" + "agent", "/wor" + "k/main", "an L" + "LM"]:
            with self.subTest(word):
                self.assert_finds("stray_words", {"docs/a.md": f"see {word} here\n"}, "of itself alone")
        self.assert_silent("stray_words", {"docs/a.md": "framework/x, userAgent, agentless\n"})


class DocumentTest(RuleTest):
    def test_differences_compares_numbers_both_ways(self):
        files = {
            "docs/differences.md": "## 1. One\n## 2. Two\n## 2. Again\n",
            "tests/differences/diff_01_one.test": "",
            "tests/differences/diff_03_three.test": "",
        }
        self.assert_finds("differences", files, "stands twice", "no test tests/differences/diff_02", "has no number 3")

    def test_differences_finds_the_page_missing(self):
        self.assert_finds("differences", {"README.md": ""}, "is missing")

    def test_links(self):
        text = "[a](b.md) [b](../c/) [c](#x) [d](https://example.org/x) [e](gone.md)\n"
        files = {"docs/a.md": text, "docs/b.md": "", "c/README.md": ""}
        self.assert_finds("links", files, "docs/a.md:1: gone.md does not exist")


class FormatTest(RuleTest):
    def test_clang_format(self):
        style = "BasedOnStyle: Google\nColumnLimit: 100\n"
        files = {".clang-format": style, "base/a.cc": "int x;\n\nint  y ;\n", "base/b.cc": "int x;\n"}
        self.assert_finds("clang_format", files, "base/a.cc:3: not formatted")


class ParsingTest(unittest.TestCase):
    def functions(self, text):
        return [(f.name, f.length) for f in find_functions(blank_comments_and_literals(text))]

    def test_literals_and_comments_are_blanked_without_losing_lines(self):
        text = 'a("// no");  // {\n/* {\n*/ b(\'{\', 1\'000\'000, R"x({\n)")x");\nc();\n'
        code = blank_comments_and_literals(text)
        self.assertNotIn("{", code)
        self.assertEqual(code.count("\n"), text.count("\n"))
        self.assertIn("1'000'000", code)
        self.assertIn("c();", code)

    def test_functions_are_told_from_scopes_and_initialisers(self):
        text = """
namespace a::b {
constexpr Row kRows[] = {
    {"x", &F},
};
struct S : Base<int> {
  S() : a_{1}, b_(2) {
    f();
  }
  bool operator==(const S& o) const { return true; }
  std::vector<int> v{1, 2};
  enum class E { kA, kB };
};
template <typename T, typename = std::enable_if_t<(sizeof(T) > 1)>>
class alignas(64) Q {
  int x = 1;
};
absl::StatusOr<int> S::G(std::function<void()> f = {}) {
  if (x) {
    auto l = [&](int y) {
      return y;
    };
  }
}
TEST(Suite, Case) {
  EXPECT_TRUE(x);
}
const auto kHandler = [](int x) {
  return x;
};
}  // namespace a::b
"""
        found = dict(self.functions(text))
        self.assertEqual(found["S::G"], 7)
        self.assertEqual(found["operator=="], 1)
        self.assertEqual(found["Suite.Case"], 3)
        self.assertEqual(found["lambda"], 3)
        self.assertNotIn("kRows", found)
        self.assertNotIn("Q", found)

    def test_a_body_after_brace_initialisers_of_members_is_measured(self):
        text = "S::S(int a)\n    : a_{a},\n      b_{1} {\n  f();\n  g();\n}\n"
        self.assertEqual(max(length for _, length in self.functions(text)), 4)

    def test_directives_do_not_count_as_braces(self):
        text = "#define OPEN \\\n  {\nvoid F() {\n#if X\n#endif\n}\n"
        self.assertEqual(self.functions(text), [("F", 4)])


class CoverageTest(unittest.TestCase):
    def test_every_rule_has_a_help_text_and_a_test_here(self):
        text = pathlib.Path(__file__).read_text()
        for name, rule in lint.RULES.items():
            self.assertTrue(rule.__doc__, name)
            self.assertIn(f'"{name}"', text, name)


if __name__ == "__main__":
    unittest.main()
