// SPDX-License-Identifier: GPL-2.0
// sources: collector/symbol/demangle.c collector/symbol/demangle_dlang.c
// libs: -liberty
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include <sanitizer/lsan_interface.h>

#include "symbol/demangle.h"

static void expect(const char *name, const char *readable)
{
	char buf[256];

	assert_string_equal(demangle_name(name, buf, sizeof(buf)), readable);
}

static void cplusplus(void **state)
{
	(void)state;
	expect("_Z3addii", "add(int, int)");
	expect("_ZN6shapes5albumC2Ev", "shapes::album::album()");
	expect("_ZN12_GLOBAL__N_14workEPKc", "(anonymous namespace)::work(char const*)");
	expect("_Z4workv.cold", "work() [clone .cold]");
	expect("_ZNKSt6vectorIiSaIiEE4sizeEv", "std::vector<int, std::allocator<int> >::size() const");
}

static void rust(void **state)
{
	(void)state;
	expect("_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad");
	expect("_ZN3std2rt10lang_start28_$u7b$$u7b$closure$u7d$$u7d$17ha86af84d9cc65291E",
	       "std::rt::lang_start::{{closure}}");
	expect("_RNvNtCs1234_7mycrate3foo3bar", "mycrate::foo::bar");
}

static void dlang(void **state)
{
	(void)state;
	expect("_D2dd__T3FooTkZQh4spinMFmZm", "dd.Foo!(uint).Foo.spin(ulong)");
	expect("_D3std5stdio4File5closeMFNeZv", "std.stdio.File.close()");
	expect("_D8demangle4testFiZv.part.0", "demangle.test(int) [clone .part.0]");
	expect("_D8demangle4testFiZv@plt", "demangle.test(int)@plt");
	expect("_Dmain", "D main");
}

static void suffix_stays(void **state)
{
	(void)state;
	expect("_Z3addii@plt", "add(int, int)@plt");
	expect("_Z3addii@@VERS_1", "add(int, int)@@VERS_1");
}

static void not_mangled(void **state)
{
	static const char *const names[] = {
		"main", "", "_start", "i", "f", "_Z", "_ZN", "_Zfoo", "_R", "_Rx", "malloc@plt",
		"_ZN6shapes5albumC2Ev?", "_D", "_D1", "_D9short", "_DYNAMIC", "_Dmain2", "_D1fFiZv?",
	};
	char buf[64];

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		assert_ptr_equal(demangle_name(names[i], buf, sizeof(buf)), names[i]);
}

static void just_fits(void **state)
{
	const char *name = "_Z3addii@plt", *readable = "add(int, int)@plt";
	char buf[64];

	(void)state;
	for (size_t size = 0; size <= strlen(readable); size++)
		assert_ptr_equal(demangle_name(name, buf, size), name);
	assert_string_equal(demangle_name(name, buf, strlen(readable) + 1), readable);
}

/* Each argument is a pair of the one before: 2^35 times "int" without a limit. */
static void explosive(void **state)
{
	char name[1024] = "_Z1fSt4pairIiiES_IS0_S0_E", buf[4096];

	(void)state;
	for (int i = 1; i < 36; i++) {
		char digit = i < 10 ? '0' + i : 'A' + i - 10;

		if (i == 4)
			assert_ptr_equal(demangle_name(name, buf, sizeof(buf)), buf);
		sprintf(name + strlen(name), "S_IS%c_S%c_E", digit, digit);
	}
	assert_ptr_equal(demangle_name(name, buf, sizeof(buf)), name);
}

/* A function of the sanitizer's allocator. gcc has no header that declares it. */
size_t __sanitizer_get_current_allocated_bytes(void);

/* Each argument is an array of the one before, indexed by it: 2^levels times "int". */
static void make_explosive_dlang(char *name, int levels)
{
	strcpy(name, "_D1fFHiiHQeQg");
	for (int i = 0; i < levels; i++)
		strcat(name, "HQgQi");
	strcat(name, "Zv");
}

/* After many of them the demangler gives up: this test is the last one. */
static void explosive_dlang(void **state)
{
	char name[256], buf[65536];

	(void)state;
	make_explosive_dlang(name, 3);
	assert_ptr_equal(demangle_name(name, buf, sizeof(buf)), buf);
	make_explosive_dlang(name, 30);
	/* The memory that an aborted demangler holds is lost: see demangle_dlang.c. */
	__lsan_disable();
	for (int i = 0; i < 100; i++)
		assert_ptr_equal(demangle_name(name, buf, sizeof(buf)), name);
	__lsan_enable();
	assert_true(__sanitizer_get_current_allocated_bytes() < 16 << 20);
}

/* Each argument has two readings, and contains the next one: 2^levels tries. */
static void slow_dlang(void **state)
{
	char name[1024] = "_D1f", buf[4096];

	(void)state;
	for (int i = 0; i < 60; i++)
		strcat(name, "__T1gS11");
	strcat(name, "1x");
	for (int i = 0; i < 60; i++)
		strcat(name, "Z");
	strcat(name, "Zv");
	assert_ptr_equal(demangle_name(name, buf, sizeof(buf)), name);
}

/* The limit of libiberty is 1024 letters. The limit here is higher. */
static void long_names(void **state)
{
	static char name[100000], buf[100000], nested[100000];

	(void)state;
	sprintf(name, "_Z3000%0*dv", 3000, 0);
	memset(name + 6, 'a', 3000);
	assert_ptr_equal(demangle_name(name, buf, sizeof(buf)), buf);
	assert_int_equal(strlen(buf), 3000 + 2);
	memset(nested, 'P', sizeof(nested) - 1);
	memcpy(nested, "_Z1f", 4);
	assert_ptr_equal(demangle_name(nested, buf, sizeof(buf)), nested);
	nested[4000] = '\0';
	nested[3999] = 'i';
	demangle_name(nested, buf, sizeof(buf));
	memcpy(nested, "_D1fF", 5);
	memcpy(nested + 3998, "Zv", 2);
	demangle_name(nested, buf, sizeof(buf));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cplusplus),
		cmocka_unit_test(rust),
		cmocka_unit_test(dlang),
		cmocka_unit_test(suffix_stays),
		cmocka_unit_test(not_mangled),
		cmocka_unit_test(just_fits),
		cmocka_unit_test(explosive),
		cmocka_unit_test(long_names),
		cmocka_unit_test(slow_dlang),
		cmocka_unit_test(explosive_dlang),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
