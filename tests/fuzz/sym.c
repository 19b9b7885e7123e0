// SPDX-License-Identifier: GPL-2.0
// sources: collector/sym.c collector/elfsym.c collector/fileid.c collector/maker.c
// sources: collector/namecache.c collector/namefile.c
// sources: collector/debuginfo.c collector/symtab.c collector/plt.c
// sources: collector/elfnames.c
// sources: collector/elfid.c collector/demangle.c collector/spans.c collector/sigbus.c
// sources: collector/strtab.c collector/regular.c collector/elfbounds.c
// libs: -ldw -lelf -lz -llzma -liberty -lxxhash
/* Input: an ELF file. elfutils itself is not instrumented. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sym.h"

#define MAX_LINES	8
#define NR_LOOKUPS	64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look_around(struct sym *s, size_t size)
{
	struct sym_line l[MAX_LINES];

	for (size_t i = 0; i < NR_LOOKUPS; i++) {
		int nr = sym_lookup(s, size * i / NR_LOOKUPS, l, MAX_LINES);

		if (nr > MAX_LINES)
			abort();
		for (int k = 0; k < nr; k++)
			if (!strlen(l[k].name) || !strlen(l[k].system_name))
				abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct sym *s;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	s = sym_open(fd, NULL);
	if (s && strlen(sym_build_id(s)) % 2)
		abort();
	if (s)
		look_around(s, size);
	sym_free(s);
	return 0;
}
