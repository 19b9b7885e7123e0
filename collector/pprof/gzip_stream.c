// SPDX-License-Identifier: GPL-2.0
#include "pprof/gzip_stream.h"

#include <errno.h>
#include <sys/types.h>

#include "pprof/gzip_file.h"

static ssize_t write_through(void *cookie, const char *data, size_t len)
{
	struct gzip_stream *s = cookie;

	if (!s->err)
		s->err = gzip_file_write(s->gz, data, len);
	return s->err ? 0 : (ssize_t)len;
}

FILE *gzip_stream_open(struct gzip_stream *s, struct gzip_file *gz)
{
	*s = (struct gzip_stream){ .gz = gz };
	return fopencookie(s, "w", (cookie_io_functions_t){ .write = write_through });
}

int gzip_stream_close(struct gzip_stream *s, FILE *out)
{
	if (fclose(out) && !s->err)
		return -EIO;
	return s->err;
}
