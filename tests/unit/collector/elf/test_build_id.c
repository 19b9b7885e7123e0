// SPDX-License-Identifier: GPL-2.0
// sources: collector/elf/build_id.c collector/base/regular_file.c collector/elf/validate.c
// libs: -ldw -lelf -lz -llzma
/* FIXTURES: see test_symbolizer.c. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "elf/build_id.h"
#include "opened.h"
#include "sparse.h"

/* debug/ stands for /usr/lib/debug, bin/ for the folder of the program. */
static char top[32];
static char id[BUILD_ID_HEX_SIZE];

static void run(const char *format, const char *a, const char *b)
{
	char cmd[8192];

	snprintf(cmd, sizeof(cmd), format, a, b);
	assert_int_equal(system(cmd), 0);
}

static char *under(const char *rest)
{
	static char path[4][4096];
	static int turn;

	turn = (turn + 1) % 4;
	snprintf(path[turn], sizeof(path[turn]), "%s%s", top, rest);
	return path[turn];
}

static void install(const char *fixture, const char *to)
{
	char from[4096];

	assert_non_null(getenv("FIXTURES"));
	snprintf(from, sizeof(from), "%s/%s", getenv("FIXTURES"), fixture);
	run("cp '%s' '%s'", from, under(to));
}

static const char *by_id(void)
{
	static char rest[300];

	snprintf(rest, sizeof(rest), "/debug/.build-id/%.2s/%s.debug", id, id + 2);
	return rest;
}

static int set_up(void **state)
{
	int fd;

	(void)state;
	strcpy(top, "/tmp/test_elfid.XXXXXX");
	assert_non_null(mkdtemp(top));
	run("mkdir -p '%s/bin/.debug' '%s/debug'", top, top);
	install("chain", "/bin/chain");
	fd = open(under("/bin/chain"), O_RDONLY);
	assert_int_equal(build_id_read(fd, id), 0);
	close(fd);
	run("mkdir -p '%s/debug/.build-id/%.2s'", top, id);
	run("mkdir -p '%s/debug%s/bin'", top, top);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	run("rm -r '%s'%s", top, "");
	return 0;
}

static struct build_id_wanted wanted(void)
{
	static char folder[sizeof(top) + 4];

	snprintf(folder, sizeof(folder), "%s/bin", top);
	return (struct build_id_wanted){
		.build_id = id, .link = "chain.debug", .folder = folder,
	};
}

/* path: of the file that should be found, NULL for none. */
static void expect_debug(const struct build_id_wanted *w, const char *path)
{
	int fd = build_id_open_debug(under("/debug"), w);
	struct stat got, want;

	if (!path) {
		assert_int_equal(fd, -ENOENT);
		return;
	}
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &got), 0);
	assert_int_equal(stat(under(path), &want), 0);
	assert_int_equal(got.st_ino, want.st_ino);
	close(fd);
}

static void places(void **state)
{
	struct build_id_wanted w = wanted();
	char last[4200];

	(void)state;
	expect_debug(&w, NULL);
	snprintf(last, sizeof(last), "/debug%s/bin/chain.debug", top);
	install("linked/chain.debug", last);
	expect_debug(&w, last);
	install("linked/chain.debug", "/bin/.debug/chain.debug");
	expect_debug(&w, "/bin/.debug/chain.debug");
	install("linked/chain.debug", "/bin/chain.debug");
	expect_debug(&w, "/bin/chain.debug");
	install("linked/chain.debug", by_id());
	expect_debug(&w, by_id());
}

static void no_folder_no_link(void **state)
{
	struct build_id_wanted w = wanted();

	(void)state;
	install("linked/chain.debug", "/bin/chain.debug");
	w.link = NULL;
	expect_debug(&w, NULL);
	w = wanted();
	w.folder = NULL;
	expect_debug(&w, NULL);
	install("linked/chain.debug", by_id());
	w.link = NULL;
	expect_debug(&w, by_id());
}

static void another_files(void **state)
{
	struct build_id_wanted w = wanted();

	(void)state;
	install("wrong/chain.debug", by_id());
	install("wrong/chain.debug", "/bin/chain.debug");
	install("linked/noid.debug", "/bin/.debug/chain.debug");
	expect_debug(&w, NULL);
}

static void by_crc(void **state)
{
	struct build_id_wanted w = wanted();
	unsigned int crc;
	FILE *f;

	(void)state;
	install("linked/noid.debug", "/bin/chain.debug");
	run("gzip -c '%s' | tail -c8 | head -c4 | od -An -tu4 >'%s'",
	    under("/bin/chain.debug"), under("/crc"));
	f = fopen(under("/crc"), "r");
	assert_int_equal(fscanf(f, "%u", &crc), 1);
	fclose(f);
	w.build_id = "";
	w.crc = crc;
	expect_debug(&w, "/bin/chain.debug");
	w.crc = crc + 1;
	expect_debug(&w, NULL);
}

static int open_alt(const char *link)
{
	struct build_id_wanted w = wanted();

	w.link = link;
	return build_id_open_alt(under("/debug"), &w);
}

static void expect_alt(const char *link, int found)
{
	int fd = open_alt(link);

	assert_int_equal(fd >= 0, found);
	if (fd >= 0)
		close(fd);
}

/* A file of nearly 1 TB: its CRC would take 1 s a GB. */
static void by_crc_of_a_hole(void **state)
{
	struct build_id_wanted w = wanted();
	clock_t start = clock();

	(void)state;
	install("linked/noid.debug", "/bin/chain.debug");
	assert_int_equal(truncate(under("/bin/chain.debug"), 5LL << 30), 0);
	w.build_id = "";
	expect_debug(&w, NULL);
	assert_int_equal(truncate(under("/bin/chain.debug"), 1LL << 40), 0);
	expect_debug(&w, NULL);
	assert_true(clock() - start < 2 * CLOCKS_PER_SEC);
}

/* A link is a file name. A path in it is not followed. */
static void hostile_links(void **state)
{
	struct build_id_wanted w = wanted();

	int watch;

	(void)state;
	install("linked/chain.debug", "/chain.debug");
	w.link = "../chain.debug";
	expect_debug(&w, NULL);
	w.link = under("/chain.debug");
	expect_debug(&w, NULL);
	w.link = ".";
	expect_debug(&w, NULL);
	w.link = "";
	expect_debug(&w, NULL);
	assert_int_equal(mkfifo(under("/bin/fifo"), 0600), 0);
	watch = opened_watch(under("/bin/fifo"));
	w.link = "fifo";
	expect_debug(&w, NULL);
	assert_int_equal(symlink("fifo", under("/bin/link")), 0);
	w.link = "link";
	expect_debug(&w, NULL);
	expect_alt("fifo", 0);
	assert_false(opened_since(watch));
	close(watch);
}

static void alt_places(void **state)
{
	(void)state;
	install("chain", "/outside");
	install("wrong/chain.debug", "/bin/other");
	install("chain", "/debug/alt");
	expect_alt(under("/bin/chain"), 1);
	expect_alt("chain", 1);
	expect_alt(".debug/../chain", 1);
	expect_alt(under("/debug/alt"), 1);
	expect_alt("../debug/alt", 1);
	expect_alt("other", 0);
	expect_alt("none", 0);
	expect_alt("../outside", 0);
	expect_alt(under("/outside"), 0);
	expect_alt(under("/bin/../outside"), 0);
	assert_int_equal(symlink(under("/outside"), under("/bin/link")), 0);
	expect_alt("link", 0);
	install("chain", by_id());
	expect_alt("none", 1);
}

/* "/tmp/x-bin" is not in "/tmp/x". */
static void alt_beside_the_folder(void **state)
{
	(void)state;
	run("mkdir '%s-2'%s", under("/bin"), "");
	install("chain", "/bin-2/alt");
	expect_alt("../bin-2/alt", 0);
}

static void expect_id(const char *fixture, int err, const char *hex)
{
	char got[BUILD_ID_HEX_SIZE] = "untouched", path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", getenv("FIXTURES"), fixture);
	fd = open(path, O_RDONLY);
	assert_true(fd >= 0);
	assert_int_equal(build_id_read(fd, got), err);
	if (!err)
		assert_string_equal(got, hex);
	close(fd);
}

static void build_ids(void **state)
{
	(void)state;
	expect_id("chain.stripped", 0, id);
	expect_id("linked/chain.debug", 0, id);
	expect_id("chain.noid", 0, "");
	expect_id("mini.syms.xz", -ENOEXEC, NULL);
	assert_int_equal(strlen(id), 40);
}

static void sparse(void **state)
{
	char got[BUILD_ID_HEX_SIZE];
	int sections = sparse_sections(), notes = sparse_notes();
	long before_kb = most_kb();

	(void)state;
	assert_int_equal(build_id_read(sections, got), -ENOEXEC);
	assert_int_equal(build_id_read(notes, got), 0);
	assert_string_equal(got, "");
	assert_true(most_kb() - before_kb < SPARSE_MAX_KB);
	close(sections);
	close(notes);
}

static void hex(void **state)
{
	char text[7] = "??????";

	(void)state;
	build_id_to_hex((const uint8_t *)"\x00\xaf\x09", 3, text);
	assert_string_equal(text, "00af09");
	build_id_to_hex((const uint8_t *)"", 0, text);
	assert_string_equal(text, "");
}

#define test(name)	cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(places),
		test(no_folder_no_link),
		test(another_files),
		test(by_crc),
		test(by_crc_of_a_hole),
		test(hostile_links),
		test(alt_places),
		test(alt_beside_the_folder),
		test(build_ids),
		cmocka_unit_test(sparse),
		cmocka_unit_test(hex),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
