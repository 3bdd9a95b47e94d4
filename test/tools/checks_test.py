# SPDX-License-Identifier: Apache-2.0
"""Each check refuses a bad example and lets a good one pass.   python3 -m unittest discover -s test/tools -p '*_test.py'"""
import pathlib
import shutil
import sys
import tempfile
import textwrap
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import check_fences  # noqa: E402
import check_format  # noqa: E402
import check_layers  # noqa: E402
import check_reading_order  # noqa: E402
import check_reference  # noqa: E402
import check_sizes  # noqa: E402
import functions  # noqa: E402
import tree  # noqa: E402


class TreeCase(unittest.TestCase):
    """A directory that looks like the project's."""

    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.root)
        for folder in ("controller", "test", "docs"):
            (self.root / folder).mkdir()

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text))

    def assert_only(self, problems, *parts):
        """Exactly one problem, and it names all `parts`."""
        self.assertEqual(len(problems), 1, problems)
        for part in parts:
            self.assertIn(part, problems[0])


class Layers(TreeCase):
    def setUp(self):
        super().setUp()
        for name in ("base/error.h", "api/pod.h", "metrics/registry.h", "kube/client.h", "queue/queue.h"):
            self.write(f"controller/{name}", "#pragma once\n")

    def test_downward_includes_pass(self):
        self.write("controller/kube/client.cc", '#include "kube/client.h"\n#include <string>\n#include "api/pod.h"\n')
        self.write("controller/main.cc", '#include "kube/client.h"\n')
        self.assertEqual(check_layers.check(self.root), [])

    def test_an_upward_include_is_refused(self):
        self.write("controller/base/error.cc", '#include "base/error.h"\n#include "kube/client.h"\n')
        self.assert_only(check_layers.check(self.root), "base/error.cc:2", "upward", "kube/client.h")

    def test_a_sideways_include_is_refused(self):
        self.write("controller/queue/queue.cc", '#include "kube/client.h"\n')
        self.assert_only(check_layers.check(self.root), "queue/queue.cc:1", "sideways")

    def test_a_test_header_is_refused(self):
        self.write("test/support/fake_clock.h", "#pragma once\n")
        self.write("controller/base/clock.cc", '#include "support/fake_clock.h"\n')
        self.assert_only(check_layers.check(self.root), "base/clock.cc:1", "no such file")

    def test_a_folder_without_rank_is_refused(self):
        self.write("controller/misc/helper.cc", "\n")
        self.assert_only(check_layers.check(self.root), "misc/", "no rank")

    def test_an_include_in_a_comment_does_not_count(self):
        self.write("controller/base/error.cc", '// #include "kube/client.h"\n/* \n#include "api/pod.h"\n*/\n')
        self.assertEqual(check_layers.check(self.root), [])


class Fences(TreeCase):
    def test_libraries_behind_their_fences_pass(self):
        self.write("controller/api/decoder.cc", "#include <simdjson.h>\n#include <nlohmann/json.hpp>\n")
        self.write("controller/kube/cpprest_transport.cc", "#include <cpprest/http_client.h>\n#include <pplx/pplxtasks.h>\n")
        self.write("controller/base/log.cc", "#include <spdlog/spdlog.h>\n")
        self.write("test/unit/api/decoder_test.cc", "#include <nlohmann/json.hpp>\n")
        self.assertEqual(check_fences.check(self.root), [])

    def test_a_library_outside_is_refused(self):
        self.write("controller/claims/plan.cc", "#include <nlohmann/json.hpp>\n")
        self.assert_only(check_fences.check(self.root), "claims/plan.cc:1", "nlohmann")

    def test_a_library_that_leaks_through_a_header_is_refused(self):
        self.write("controller/api/json.h", "#include <nlohmann/json.hpp>\n")
        self.write("controller/api/body.h", '#include "api/json.h"\n')
        self.write("controller/kube/client.cc", '#include "api/body.h"\n')
        self.assert_only(check_fences.check(self.root), "kube/client.cc", "api/body.h -> controller/api/json.h")

    def test_a_second_file_with_cpprest_is_refused(self):
        self.write("controller/kube/a.cc", "#include <cpprest/http_client.h>\n")
        self.write("controller/kube/b.cc", "#include <cpprest/uri.h>\n")
        self.assert_only(check_fences.check(self.root), "a.cc", "b.cc", "one .cc")

    def test_a_header_with_cpprest_is_refused(self):
        self.write("controller/kube/a.h", "#include <cpprest/http_client.h>\n")
        self.assert_only(check_fences.check(self.root), "a.h", "one .cc")

    def test_each_forbidden_word_is_refused(self):
        for text in ("std::this_thread::sleep_for(1s);", "auto t = std::chrono::steady_clock::now();", "std::recursive_mutex m;",
                     "thread_local int x;", "std::atomic<std::shared_ptr<int>> p;", "std::mutex m;", "std::thread t(f);",
                     "worker.detach();", "auto f = std::async(g);"):
            with self.subTest(text):
                self.write("controller/queue/queue.cc", f"// first line\n{text}\n")
                self.assert_only(check_fences.check(self.root), "queue.cc:2")

    def test_forbidden_words_in_comments_strings_and_longer_names_pass(self):
        self.write("controller/queue/queue.cc", """\
            // never sleep_for, never a std::mutex
            const char* kText = "thread_local";
            const char* kRaw = R"(std::recursive_mutex)";
            std::thread::id owner_;
            constexpr int kMillion = 1'000'000;  // the ' begins no literal: std::async
            """)
        self.assertEqual(check_fences.check(self.root), [])


class Sizes(TreeCase):
    def test_small_files_and_functions_pass(self):
        self.write("controller/base/a.h", "// What it is.\n#pragma once\nint F(int a, int b);\n")
        self.write("controller/base/a.cc", "int F(int a, int b) {\n  return a + b;\n}\n")
        self.assertEqual(check_sizes.check(self.root), [])

    def test_a_long_source_file_is_refused(self):
        self.write("controller/base/a.cc", "int x;\n" * 401)
        self.assert_only(check_sizes.check(self.root), "a.cc", "401 lines")

    def test_a_long_header_is_refused(self):
        self.write("controller/base/a.h", "// comment\n" * 251)
        self.assert_only(check_sizes.check(self.root), "a.h", "251 lines")

    def test_a_long_function_is_refused(self):
        short = "".join(f"void F{i}() {{}}\n" for i in range(9))
        self.write("controller/base/a.cc", short + "void Long() {\n" + "  x();\n" * 79 + "}\n")
        self.assert_only(check_sizes.check(self.root), "a.cc:10", "Long", "81 lines")

    def test_a_long_test_is_refused_earlier(self):
        self.write("test/unit/base/a_test.cc", "TEST(Suite, Name) {\n" + "  x();\n" * 59 + "}\n")
        self.assert_only(check_sizes.check(self.root), "TEST", "61 lines")

    def test_many_functions_of_middling_length_are_refused(self):
        self.write("controller/base/a.cc", ("void F() {\n" + "  x();\n" * 39 + "}\n") * 2 + "void G() {}\n" * 8)
        self.assert_only(check_sizes.check(self.root), "8 of 10")

    def test_many_parameters_are_refused(self):
        self.write("controller/base/a.cc", "int F(int a, std::map<int, int> b, int c, int d, int e, int f = G(1, 2)) { return 0; }\n")
        self.assert_only(check_sizes.check(self.root), "F", "6 parameters")

    def test_a_callback_with_dictated_parameters_passes_when_marked(self):
        self.write("controller/base/a.cc", """\
            // NOLINT(readability-function-size): OpenSSL's callback type.
            void OnMessage(int a, int b, int c, int d, int e, int f) {}
            """)
        self.assertEqual(check_sizes.check(self.root), [])

    def test_headers_without_comments_are_refused(self):
        self.write("controller/base/a.h", "// one\nint a;\nint b;\nint c;\nint d;\n")
        self.assert_only(check_sizes.check(self.root), "20%")


class Functions(unittest.TestCase):
    def names(self, text):
        return [(f.name, f.lines, f.parameters) for f in functions.find(tree.code_of(textwrap.dedent(text)))]

    def test_functions_are_found_in_namespaces_and_classes(self):
        self.assertEqual(self.names("""\
            namespace dra {
            class CAPABILITY("mutex") Thing : public Base {
             public:
              explicit Thing(int a) : a_{a}, b_(F(a, {1, 2})) {
                Start();
              }
              int size() const { return a_; }
              bool operator()(int x, int y) const noexcept { return x < y; }
              Result<void> Run(const std::stop_token& stop) override REQUIRES(mutex_) {
                auto inner = [](int q) { return q; };
              }
             private:
              int a_ GUARDED_BY(mutex_){3};
              std::map<std::string, int> b_ = {{"x", 1}, {"y", 2}};
            };
            enum class Color { kRed };
            constexpr int kTable[] = {1, 2, 3};
            template <class T, int N = 3>
            requires(std::integral<T> || true) T Twice(T t) {
              return t;
            }
            struct Point MakePoint() { return {}; }
            }  // namespace dra
            """), [("Thing", 3, 1), ("size", 1, 0), ("operator()", 1, 2), ("Run", 3, 1), ("Twice", 3, 1), ("MakePoint", 1, 0)])

    def test_braces_in_literals_comments_and_macros_do_not_confuse(self):
        self.assertEqual(self.names("""\
            #define OPEN(x) \\
              do { x
            void F() {
              const char* a = "}"; char b = '{'; // }
              const char* c = R"({"a": {)";
            }
            void G() {}
            """), [("F", 4, 0), ("G", 1, 0)])


@unittest.skipIf(check_format._program()[1], check_format._program()[1])
class Format(TreeCase):
    def setUp(self):
        super().setUp()
        shutil.copy(tree.ROOT / ".clang-format", self.root)

    def test_a_formatted_file_passes(self):
        self.write("controller/base/a.cc", "int F(int a) { return a; }\n")
        self.assertEqual(check_format.check(self.root), [])

    def test_an_unformatted_file_is_refused(self):
        self.write("controller/base/a.cc", "int   F( int a ){return a;}\n")
        self.assert_only(check_format.check(self.root), "controller/base/a.cc", "not formatted")


class FormatWithoutProgram(TreeCase):
    def test_a_missing_clang_format_fails_and_says_how_to_install_it(self):
        which, check_format.shutil.which = check_format.shutil.which, lambda name: None
        self.addCleanup(setattr, check_format.shutil, "which", which)
        self.assert_only(check_format.check(self.root), "missing", "apt-get install")


class ReadingOrder(TreeCase):
    def document(self, count=12):
        for i in range(count):
            self.write(f"controller/base/f{i}.h", "// line\n" * 10)
        names = "\n".join(f"{i}. `controller/base/f{i}.h`" for i in range(count))
        self.write("docs/architecture.md", f"<!-- reading-order -->\n{names}\n<!-- /reading-order -->\n")

    def test_a_dozen_short_files_pass(self):
        self.document()
        self.assertEqual(check_reading_order.check(self.root), [])

    def test_a_missing_file_is_refused(self):
        self.document()
        (self.root / "controller/base/f3.h").unlink()
        self.assert_only(check_reading_order.check(self.root), "f3.h does not exist")

    def test_too_many_lines_are_refused(self):
        self.document()
        self.write("controller/base/f3.h", "// line\n" * 2400)
        self.assert_only(check_reading_order.check(self.root), "2510 lines")

    def test_too_many_files_are_refused(self):
        self.document(count=17)
        self.assert_only(check_reading_order.check(self.root), "17 files")

    def test_a_document_without_the_list_is_refused(self):
        self.write("docs/architecture.md", "nothing\n")
        self.assert_only(check_reading_order.check(self.root), "no reading order")


class Reference(TreeCase):
    def setUp(self):
        super().setUp()
        self.write("controller/metrics/claim_probe.cc", 'CounterFamily(registry, "dra_claims_total", "...");\n')
        self.write("controller/claims/problem.h", 'inline constexpr std::string_view kClaimFull = "ClaimFull";\n')

    def document(self, metrics=("dra_claims_total",), reasons=("ClaimFull",), text=""):
        rows = "".join(f"| `{name}` | counter | | says |\n" for name in metrics)
        events = "".join(f"| Pod | Warning | `{name}` | means | do |\n" for name in reasons)
        (self.root / "docs/operations.md").write_text(
            f"<!-- metrics -->\n{rows}<!-- /metrics -->\n<!-- events -->\n{events}<!-- /events -->\n{text}")
        return check_reference.check(self.root)

    def test_a_complete_document_passes(self):
        self.assertEqual(self.document(text="see `dra_claims_total`"), [])

    def test_a_metric_that_is_not_documented_is_refused(self):
        self.assert_only(self.document(metrics=()), "lacks the metric dra_claims_total")

    def test_a_metric_that_does_not_exist_is_refused(self):
        self.assert_only(self.document(metrics=("dra_claims_total", "workqueue_speed"))[:1], "lists the metric workqueue_speed")
        self.assert_only(self.document(text="look at `rest_client_joy`"), "names the metric rest_client_joy")

    def test_event_reasons_are_compared_both_ways(self):
        self.assert_only(self.document(reasons=()), "lacks the Event reason ClaimFull")
        self.assert_only(self.document(reasons=("ClaimFull", "ClaimLost")), "lists the Event reason ClaimLost")


if __name__ == "__main__":
    unittest.main()
