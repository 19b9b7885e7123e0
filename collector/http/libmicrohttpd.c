// SPDX-License-Identifier: GPL-2.0
#include "http/libmicrohttpd.h"

#define ROW(name)	{ "MHD_" #name, (void **)&libmicrohttpd.name }

struct libmicrohttpd libmicrohttpd;

static const struct library_symbol symbols[] = {
	ROW(add_response_header), ROW(create_response_from_buffer),
	ROW(create_response_from_callback), ROW(create_response_from_fd), ROW(destroy_response),
	ROW(get_connection_info), ROW(get_daemon_info), ROW(get_timeout),
	ROW(lookup_connection_value), ROW(queue_response), ROW(quiesce_daemon),
	ROW(resume_connection), ROW(run), ROW(set_response_options), ROW(start_daemon),
	ROW(stop_daemon), ROW(suspend_connection),
};

static struct library library = {
	.names = { "libmicrohttpd.so.12" }, .symbols = symbols,
	.nr_symbols = sizeof(symbols) / sizeof(*symbols),
};

int libmicrohttpd_load(void)
{
	return library_load(&library);
}
