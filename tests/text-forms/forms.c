// SPDX-License-Identifier: GPL-2.0
// sources: collector/pprof/legacy_text.c collector/pprof/profile.c
// sources: collector/pprof/gzip_file.c collector/pprof/protobuf.c
// sources: collector/pprof/gzip_stream.c collector/base/tuple_map.c
// sources: collector/base/string_table.c collector/base/utf8.c
// sources: collector/procfs/resource_usage.c
// sources: collector/pprof/text_escape.c collector/pprof/text_layout.c
// sources: collector/pprof/text_table.c
// libs: -lz -lxxhash
/*
 * Writes made-up profiles of each form, of this program's own functions, as
 * text and as profile.proto: forms DIR makes KIND.txt and KIND.pb.gz there.
 */
#include <err.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "pprof/gzip_file.h"
#include "pprof/legacy_text.h"
#include "tests/unit/madeup.h"

/* Never run: their addresses are what counts. */
static int alpha(void)
{
	__asm__ volatile("nop; nop; nop");
	return 1;
}

static int beta(void)
{
	__asm__ volatile("nop; nop; nop");
	return 2;
}

static int gamma_with_a_long_name(void)
{
	__asm__ volatile("nop; nop; nop");
	return 3;
}

#define NR_FUNCTIONS	3

static const struct {
	const char *name;
	int (*fn)(void);
} functions[NR_FUNCTIONS] = {
	{ "alpha", alpha }, { "beta", beta },
	{ "gamma_with_a_long_name", gamma_with_a_long_name },
};

static int find_code(struct dl_phdr_info *info, size_t size, void *mapping)
{
	struct profile_mapping *m = mapping;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const Elf64_Phdr *ph = &info->dlpi_phdr[i];

		if (ph->p_type != PT_LOAD || !(ph->p_flags & PF_X))
			continue;
		m->start = (info->dlpi_addr + ph->p_vaddr) & -4096UL;
		m->limit = (info->dlpi_addr + ph->p_vaddr + ph->p_memsz + 4095) & -4096UL;
		m->offset = ph->p_offset & -4096UL;
	}
	return 1;
}

static uint64_t add_mapping(struct profile *p)
{
	struct profile_mapping m = { .flags = PROFILE_HAS_FUNCTIONS };
	char path[4096] = "";

	dl_iterate_phdr(find_code, &m);
	if (readlink("/proc/self/exe", path, sizeof(path) - 1) < 0)
		err(1, "/proc/self/exe");
	m.file = path;
	return profile_mapping(p, &m);
}

/* Values differ in each stack, and differ from each other. */
static void add_sample(struct profile *p, const uint64_t *ids, size_t nr, int64_t n,
		       const struct profile_label *label)
{
	const int64_t values[PROFILE_MAX_VALUES] = { n + 7, 1000000 * n, n, 24 * n };

	if (profile_sample(p, ids, nr, values, label, !!label))
		errx(1, "cannot add a sample");
}

static void fill(struct profile *p)
{
	const struct profile_label label = { .key = "tid", .num = 77 };
	uint64_t mapping = add_mapping(p), ids[NR_FUNCTIONS], pair[2];
	uint64_t lost, cut;

	for (int i = 0; i < NR_FUNCTIONS; i++)
		ids[i] = madeup_location(p, mapping, (uintptr_t)functions[i].fn + 1 + i,
					 functions[i].name, i ? "/src/forms.c" : NULL,
					 10 + i, 1 + i);
	lost = madeup_synthetic(p, "lostProfileEvent");
	cut = madeup_synthetic(p, "[truncated: no rule]");
	add_sample(p, ids, NR_FUNCTIONS, 60, NULL);
	add_sample(p, ids + 1, 2, 11, &label);
	add_sample(p, ids + 1, 2, 11, NULL);
	add_sample(p, &lost, 1, 5, NULL);
	pair[0] = ids[0];
	pair[1] = cut;
	add_sample(p, pair, 2, 3, NULL);
	pair[1] = ids[2];
	add_sample(p, pair, 2, 2, NULL);
	add_sample(p, (uint64_t[]){ ids[0], ids[0], ids[2] }, 3, 1, NULL);
	profile_comment(p, "lost: 5");
}

static void write_as(struct profile *p, const struct profile_type *kind, const char *ending,
		     unsigned int flags)
{
	struct gzip_file *gz;
	char path[64];
	int failed;

	snprintf(path, sizeof(path), "%s.%s", kind->name, ending);
	gz = gzip_file_open(path, GZIP_FILE_REPLACE | flags);
	if (!gz)
		err(1, "%s", path);
	failed = flags ? legacy_text_write(p, kind->name, kind->form, getpid(), gz)
		       : profile_write(p, gz);
	if (failed || gzip_file_commit(gz, NULL))
		errx(1, "cannot write %s", path);
}

int main(int argc, char **argv)
{
	if (argc != 2 || chdir(argv[1]))
		errx(2, "forms DIR");
	for (int i = 0; i < MADEUP_NR_TYPES; i++) {
		const struct profile_type *kind = &madeup_types[i];
		struct profile *p = profile_new(&kind->profile);

		if (!p)
			err(1, "%s", kind->name);
		profile_set_period(p, kind->form == TEXT_HEAP ? 524288 : 1000000);
		fill(p);
		write_as(p, kind, "pb.gz", 0);
		write_as(p, kind, "txt", GZIP_FILE_PLAIN);
		profile_free(p);
	}
	return 0;
}
