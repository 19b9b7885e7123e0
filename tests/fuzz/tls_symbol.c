// SPDX-License-Identifier: GPL-2.0
// sources: collector/elf/tls_symbol.c collector/elf/validate.c collector/elf/string_section.c
// libs: -lelf -lz -llzma
/*
 * Input: an ELF file that may define the variable of thread contexts. An offset from the thread
 * pointer is negative. elfutils is not instrumented.
 */
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "elf/tls_symbol.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC), err;
	struct tls_symbol s;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	err = tls_symbol_read(fd, "otel_thread_ctx_v1", &s);
	if ((err && s.access != TLS_ACCESS_NONE) ||
	    (s.access == TLS_ACCESS_PROGRAM && s.offset >= 0))
		abort();
	tls_symbol_has_version(fd, "custom_labels_abi_version", 1);
	close(fd);
	return 0;
}
