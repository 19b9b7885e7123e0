/* SPDX-License-Identifier: GPL-2.0 */
/* libmicrohttpd, which is loaded when a server starts: see base/library.h. */
#ifndef COLLECTOR_LIBMICROHTTPD_H
#define COLLECTOR_LIBMICROHTTPD_H

#include <microhttpd.h>

#include "base/library.h"

/* The functions that are used, without "MHD_". They are NULL before libmicrohttpd_load(). */
extern struct libmicrohttpd {
	LIBRARY_POINTER(MHD_add_response_header) add_response_header;
	LIBRARY_POINTER(MHD_create_response_from_buffer) create_response_from_buffer;
	LIBRARY_POINTER(MHD_create_response_from_callback) create_response_from_callback;
	LIBRARY_POINTER(MHD_create_response_from_fd) create_response_from_fd;
	LIBRARY_POINTER(MHD_destroy_response) destroy_response;
	LIBRARY_POINTER(MHD_get_connection_info) get_connection_info;
	LIBRARY_POINTER(MHD_get_daemon_info) get_daemon_info;
	LIBRARY_POINTER(MHD_get_timeout) get_timeout;
	LIBRARY_POINTER(MHD_lookup_connection_value) lookup_connection_value;
	LIBRARY_POINTER(MHD_queue_response) queue_response;
	LIBRARY_POINTER(MHD_quiesce_daemon) quiesce_daemon;
	LIBRARY_POINTER(MHD_resume_connection) resume_connection;
	LIBRARY_POINTER(MHD_run) run;
	LIBRARY_POINTER(MHD_set_response_options) set_response_options;
	LIBRARY_POINTER(MHD_start_daemon) start_daemon;
	LIBRARY_POINTER(MHD_stop_daemon) stop_daemon;
	LIBRARY_POINTER(MHD_suspend_connection) suspend_connection;
} libmicrohttpd;

/* Loads the library, once. Returns: 0; or -ENOENT if it cannot be loaded, or lacks a function. */
int libmicrohttpd_load(void);

#endif /* COLLECTOR_LIBMICROHTTPD_H */
