// SPDX-License-Identifier: GPL-2.0
#include "base/libgnutls.h"

#define ROW(name)	{ "gnutls_" #name, (void **)&libgnutls.name }

struct libgnutls libgnutls;

static const struct library_symbol symbols[] = {
	ROW(base64_encode2), ROW(certificate_allocate_credentials),
	ROW(certificate_free_credentials), ROW(certificate_set_x509_key_mem), ROW(free),
	ROW(hash_fast), ROW(pcert_deinit), ROW(pcert_list_import_x509_raw), ROW(privkey_deinit),
	ROW(privkey_import_x509_raw), ROW(privkey_init), ROW(strerror),
};

static struct library library = {
	.names = { "libgnutls.so.30" }, .symbols = symbols,
	.nr_symbols = sizeof(symbols) / sizeof(*symbols),
};

int libgnutls_load(void)
{
	return library_load(&library);
}
