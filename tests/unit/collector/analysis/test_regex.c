// SPDX-License-Identifier: GPL-2.0
// sources: collector/analysis/re2_class.c collector/analysis/re2_escape.c
// sources: collector/analysis/re2_syntax.c collector/analysis/regex.c collector/base/utf8.c
// sources: collector/pprof/profile_fault.c
// libs: -lpcre2-8
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "analysis/re2_syntax.h"
#include "analysis/regex.h"
#include "pprof/profile_fault.h"

#define NR(array)	(sizeof(array) / sizeof(*(array)))

static struct regex *compile(const char *s)
{
	struct profile_fault fault = {};
	struct regex *r;

	if (regex_new(&r, s, strlen(s), &fault))
		fail_msg("'%s': %s", s, fault.text);
	return r;
}

/* The text is copied, so that ASan sees a read behind its end. */
static int find(const char *s, const char *text, size_t len)
{
	struct regex *r = compile(s);
	char *copy = malloc(len ? len : 1);
	int found;

	assert_non_null(copy);
	memcpy(copy, text, len);
	found = regex_find(r, copy, len);
	free(copy);
	regex_free(r);
	return found;
}

struct search {
	const char *s;
	const char *text;
	int found;
};

static void assert_finds(const struct search *searches, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		const struct search *x = &searches[i];

		if (find(x->s, x->text, strlen(x->text)) != x->found)
			fail_msg("'%s' in '%s': not %d", x->s, x->text, x->found);
	}
}

static void test_plain(void **state)
{
	static const struct search searches[] = {
		{ "", "", 1 }, { "", "a", 1 }, { "b", "abc", 1 }, { "b", "acd", 0 },
		{ "a|c", "xc", 1 }, { "a||c", "x", 1 }, { "^$", "", 1 }, { "()", "", 1 },
		{ "(?:ab)+c", "xababc", 1 }, { "(?P<n>a)(?<n>b)", "ab", 1 },
		{ "a.c", "a\nc", 0 }, { "(?s)a.c", "a\nc", 1 }, { "(?s:a.)c", "a\nc", 1 },
		{ "a*?b+?c??$", "aabb", 1 }, { "(?U)a+", "a", 1 },
		{ "^ab", "xab", 0 }, { "ab$", "abx", 0 }, { "\\Aab\\z", "ab", 1 },
		{ "^*a", "ba", 1 }, { "(?:\\b)+a", "a", 1 }, { "\\b*a", "ba", 1 },
		{ "\\.c$", "a.c", 1 }, { "\\.c$", "abc", 0 }, { "\\_\\-\\/", "_-/", 1 },
		{ "std::vector<int\\*>", "std::vector<int*>", 1 }, { "a b", "ab", 0 },
		{ "#x", "#x", 1 }, { "\\Qa.b\\Ec", "a.bc", 1 }, { "\\Qa.b", "a.b", 1 },
		{ "\\Qa.b", "axb", 0 }, { "\\Qab\\E+$", "abb", 1 },
	};

	(void)state;
	assert_finds(searches, NR(searches));
}

/* In these, PCRE2 alone would do something else. */
static void test_newlines(void **state)
{
	static const struct search searches[] = {
		{ "a$", "a\n", 0 }, { "(?m)a$", "a\n", 1 }, { "(?m)a$", "a\nb", 1 },
		{ "(?m)^b", "a\nb", 1 }, { "^b", "a\nb", 0 }, { "\\n(?m:^)", "a\n", 1 },
		{ "a\\z", "a\n", 0 }, { "a.b", "a\rb", 1 }, { "[^a]", "\n", 1 },
		{ "(?m)(?-m:a$)", "a\n", 0 },
	};

	(void)state;
	assert_finds(searches, NR(searches));
}

static void test_counts(void **state)
{
	static const struct search searches[] = {
		{ "^a{2}$", "aa", 1 }, { "^a{2}$", "aaa", 0 }, { "^a{2,}$", "aaa", 1 },
		{ "^a{1,2}$", "aaa", 0 }, { "^a{0}b$", "b", 1 }, { "^(?:a{2}){3}$", "aaaaaa", 1 },
		{ "^a{,2}$", "a{,2}", 1 }, { "^a{,2}$", "aa", 0 }, { "^a{01}$", "a{01}", 1 },
		{ "^{$", "{", 1 }, { "^a{x}$", "a{x}", 1 }, { "^a{1, 2}$", "a{1, 2}", 1 },
		{ "^a{2,1$", "a{2,1", 1 }, { "^}]$", "}]", 1 }, { "^(a{1000}){0}$", "", 1 },
		{ "(a{10}|(b{10}){2}){50}", "", 0 },
	};

	(void)state;
	assert_finds(searches, NR(searches));
}

static void test_classes(void **state)
{
	static const struct search searches[] = {
		{ "[a-c]", "b", 1 }, { "[^a-c]", "b", 0 }, { "^[]a]$", "]", 1 },
		{ "^[^]]$", "]", 0 },
		{ "^[a-]$", "-", 1 }, { "^[-a]$", "-", 1 }, { "^[a\\]]$", "]", 1 },
		{ "^[\\d-z]$", "-", 1 }, { "^[\\d-z]$", "k", 0 }, { "^[--a]$", "A", 1 },
		{ "^[[a]$", "[", 1 }, { "^[[:x]$", ":", 1 }, { "^[a-c-e]$", "d", 0 },
		{ "\\d\\D\\w\\W\\s\\S", "1x_! x", 1 }, { "\\s", "\v", 0 },
		{ "[[:space:]]", "\v", 1 },
		{ "^[\\W\\D]$", "1", 0 }, { "^[\\w]$", "\xc3\xa9", 0 }, { "^\\W$", "\xc3\xa9", 1 },
		{ "^[[:alpha:]_]$", "_", 1 }, { "^[[:^alpha:]]$", "1", 1 },
		{ "^[[:^alpha:]]$", "a", 0 }, { "^[^[:^alpha:]]$", "a", 1 },
		{ "^[[:word:]]+$", "a_1", 1 }, { "^[[:ascii:]]$", "\xc3\xa9", 0 },
		{ "^[[:punct:]]{4}$", "!:[~", 1 }, { "^[[:cntrl:]]$", "\x7f", 1 },
		{ "^[&&~~]$", "~", 1 }, { "^[\\^a]$", "^", 1 },
	};

	(void)state;
	assert_finds(searches, NR(searches));
}

static void test_escapes(void **state)
{
	static const struct search searches[] = {
		{ "^\\x41\\x{1F600}$", "A\xf0\x9f\x98\x80", 1 }, { "^\\101$", "A", 1 },
		{ "^\\12$", "\n", 1 }, { "^\\0601$", "01", 1 },
		{ "^\\a\\f\\t\\v\\r$", "\a\f\t\v\r", 1 },
		{ "^[\\x30-\\x{39}]$", "5", 1 }, { "^\\x{000041}$", "A", 1 },
		{ "\\x{d800}", "\xed\xa0\x80", 0 }, { "[^\\x00-\\x{10FFFF}]", "a", 0 },
	};
	static const char nul[] = { 'a', 0, 'b' };

	(void)state;
	assert_finds(searches, NR(searches));
	assert_int_equal(find("a\\x00b", nul, sizeof(nul)), 1);
	assert_int_equal(find("^.\\0.$", nul, sizeof(nul)), 1);
}

static void test_case(void **state)
{
	static const struct search searches[] = {
		{ "(?i)ABC", "abc", 1 }, { "a(?i)b|c", "C", 1 }, { "(?:(?i)a)b", "AB", 0 },
		{ "(?i:a)b", "Ab", 1 }, { "^a(?i)*b$", "aaB", 1 }, { "^a(?i)*b$", "AB", 0 },
		{ "^a(?i){2}b$", "aaB", 1 }, { "^a(?i){b$", "a{B", 1 },
		{ "^(?:a(?i))+b$", "aaB", 0 }, { "^a(?i)|^b$", "B", 1 },
		{ "(?i)a(?-i)b", "AB", 0 }, { "(?i)(?-i:a)b", "aB", 1 },
		{ "(?i)\xc3\xa9", "\xc3\x89", 1 }, { "(?i)k", "\xe2\x84\xaa", 1 },
		{ "(?i)\\w", "\xe2\x84\xaa", 1 }, { "\\w", "\xe2\x84\xaa", 0 },
		{ "(?i)\\W", "\xe2\x84\xaa", 0 }, { "(?i)\\W", "\xc5\xbf", 0 },
		{ "(?i)[[:upper:]]", "a", 1 }, { "(?i)[[:^upper:]]", "a", 0 },
		{ "(?i)[[:^upper:]]", "1", 1 }, { "(?i)[[:^upper:]]", "\xc5\xbf", 0 },
		{ "(?i)[[:^digit:]]", "\xe2\x84\xaa", 1 },
		{ "(?i)[^k]", "K", 0 }, { "(?i)\\p{Lu}", "a", 1 }, { "(?i)\\P{Lu}", "a", 0 },
	};

	(void)state;
	assert_finds(searches, NR(searches));
}

static void test_properties(void **state)
{
	static const struct search searches[] = {
		{ "^\\pN$", "7", 1 }, { "^\\PN$", "7", 0 }, { "\\p{Lu}", "a", 0 },
		{ "^\\p{Greek}$", "\xce\xb1", 1 }, { "^\\P{Greek}$", "\xce\xb1", 0 },
		{ "^\\p{^Greek}$", "a", 1 }, { "^\\P{^Greek}$", "\xce\xb1", 1 },
		{ "^[\\p{Greek}\\d]$", "1", 1 }, { "^[^\\pL]$", "a", 0 }, { "^\\p{Any}$", "\n", 1 },
		{ "^\\p{Thai}$", "a", 0 },
	};

	(void)state;
	assert_finds(searches, NR(searches));
}

/* Each byte that is not UTF-8 is one character, U+FFFD. */
static void test_bytes(void **state)
{
	static const struct search searches[] = {
		{ "^..$", "\xff\xfe", 1 }, { "^\\x{FFFD}$", "\xff", 1 },
		{ "^a.b$", "a\x80" "b", 1 },
		{ "^.{3}$", "\xe2\x84x", 1 }, { "^.$", "\xc3\xa9", 1 },
		{ "^\xc3\xa9$", "\xc3\xa9", 1 },
		{ "\\xff", "\xff", 0 }, { "\\xff", "\xc3\xbf", 1 },
	};

	(void)state;
	assert_finds(searches, NR(searches));
}

static void assert_refused(const char *s, size_t len, const char *want)
{
	struct profile_fault fault = {};
	struct regex *r;

	if (regex_new(&r, s, len, &fault) != -EBADMSG || r)
		fail_msg("'%s' was accepted", s);
	if (!strstr(fault.text, want) || !strstr(fault.text, ": "))
		fail_msg("'%s': %s", s, fault.text);
}

static void test_refused(void **state)
{
	static const char *const bad[][2] = {
		{ "(a)\\1", "backreference, which RE2 does not have at byte 4" },
		{ "\\8", "backreference" }, { "(?P=n)", "of a kind" }, { "(?P>n)", "of a kind" },
		{ "a(?=b)", "lookahead or lookbehind, which RE2 does not have at byte 2" },
		{ "(?!b)", "lookahead" }, { "(?<=b)", "lookbehind" }, { "(?<!b)", "lookbehind" },
		{ "a*+", "possessive" }, { "a++", "possessive" }, { "a?+", "possessive" },
		{ "a**", "second quantifier" }, { "a{2}{3}", "second quantifier" },
		{ "a*??", "second quantifier" }, { "a{2}+", "possessive" },
		{ "a*\\Q\\E*", "second" },
		{ "*a", "nothing before it at byte 1" }, { "(+)", "nothing before" },
		{ "a|?", "nothing before" }, { "(*ACCEPT)", "nothing before" },
		{ "{2}", "nothing before" }, { "(?i)*", "nothing before" }, { "a*(?i)*", "second" },
		{ "a|(?i)*", "nothing before" },
		{ "(?>a)", "of a kind" }, { "(?#a)", "of a kind" }, { "(?|a)", "of a kind" },
		{ "(?R)", "of a kind" }, { "(?1)", "of a kind" }, { "(?x)a", "of a kind" },
		{ "(?i-)", "of a kind" }, { "(?i-m-s)", "of a kind" }, { "(?", "of a kind" },
		{ "(?i", "of a kind" }, { "(?^)", "of a kind" },
		{ "(?P<>a)", "without a name" }, { "(?P<a-b>a)", "without a name" },
		{ "(?P<a", "without a name" },
		{ "\\C", "escape" }, { "\\Z", "escape" }, { "\\G", "escape" }, { "\\h", "escape" },
		{ "\\K", "escape" }, { "\\X", "escape" }, { "\\N", "escape" }, { "\\R", "escape" },
		{ "\\u1234", "escape" }, { "\\x4", "escape" }, { "\\x{}", "escape" },
		{ "\\x{110000}", "escape" }, { "\\x{4", "escape" }, { "\\cA", "escape" },
		{ "\\k<n>", "escape" }, { "\\g1", "escape" }, { "\\E", "escape" },
		{ "\\\xc3\xa9", "escape" },
		{ "a\\", "nothing after" }, { "[\\b]", "escape" }, { "[\\", "nothing after" },
		{ "[a", "[ without" }, { "[]", "[ without" }, { "[^]", "[ without" },
		{ "[", "[ without" },
		{ "[a-", "[ without" }, { "[z-a]", "downwards" }, { "[a-\\d]", "escape" },
		{ "[[:foo:]]", "unknown class" }, { "[[::]]", "unknown class" },
		{ "(a", "( without its ) at byte 1" }, { "a(b(c)", "( without its ) at byte 2" },
		{ "a)", ") without its (" },
		{ "a{1001}", "above 1000" }, { "a{3,2}", "above 1000" },
		{ "a{99999999999}", "above" },
		{ "a{1001,}", "above 1000" }, { "(a{100}){11}", "above 1000" },
		{ "((b{20}|a){10}c){6}", "above 1000" },
		{ "\\p", "class \\p" }, { "\\p{", "class \\p" }, { "\\p{}", "class \\p" },
		{ "\\pQ", "class \\p" }, { "\\p{Grek}", "class \\p" },
		{ "\\p{Cc Cf}", "class \\p" },
		{ "\\p{L&}", "class \\p" }, { "\\p{^}", "class \\p" },
		{ "\\p{NoSuchScript}", "RE2's syntax" }, { "\\p{ASCII_Hex_Digit}", "RE2's syntax" },
		{ "\xff", "not UTF-8" }, { "[\xff]", "not UTF-8" }, { "\\Q\xff", "not UTF-8" },
		{ "(?P<\xff>a)", "without a name" },
		{ "((((((a{10}){10}){10}){10}){10}){10})", "above" },
		{ "(?:[a-z]bcdefghijklmnopqrstuvwxyz){999}", "too large" },
	};

	(void)state;
	for (size_t i = 0; i < NR(bad); i++)
		assert_refused(bad[i][0], strlen(bad[i][0]), bad[i][1]);
}

static char *repeat(const char *s, size_t nr)
{
	size_t len = strlen(s);
	char *text = malloc(len * nr + 1);

	assert_non_null(text);
	for (size_t i = 0; i < nr; i++)
		memcpy(text + i * len, s, len);
	text[len * nr] = 0;
	return text;
}

static void test_bounds(void **state)
{
	char *open = repeat("(", RE2_SYNTAX_MAX_DEPTH + 1);
	char *close = repeat(")", RE2_SYNTAX_MAX_DEPTH);
	char *large = repeat("a", REGEX_MAX_BYTES + 1), *nested;

	(void)state;
	assert_refused(open, RE2_SYNTAX_MAX_DEPTH + 1, "250 deep");
	assert_refused(large, REGEX_MAX_BYTES + 1, "at most 32768");
	assert_true(asprintf(&nested, "%sa%s", open + 1, close) > 0);
	assert_int_equal(find(nested, "a", 1), 1);
	free(nested);
	free(open);
	free(close);
	free(large);
}

/* The search ends at its limit, and does not return "not found". */
static void test_too_long(void **state)
{
	char *text = repeat("a", 200);

	(void)state;
	assert_int_equal(find("^(a|a|aa)*[bc]", text, 200), -ETIME);
	assert_int_equal(find("^(a|a|aa)*a$", text, 200), 1);
	free(text);
}

/* Deep stacks of the JIT, for texts that are long. */
static void test_long_text(void **state)
{
	char *text = repeat("ab", 50000);

	(void)state;
	assert_int_equal(find("^(?:ab)*$", text, 100000), 1);
	assert_int_equal(find("b$", text, 100000), 1);
	assert_int_equal(find("c", text, 100000), 0);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain),
		cmocka_unit_test(test_newlines),
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_classes),
		cmocka_unit_test(test_escapes),
		cmocka_unit_test(test_case),
		cmocka_unit_test(test_properties),
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_too_long),
		cmocka_unit_test(test_long_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
