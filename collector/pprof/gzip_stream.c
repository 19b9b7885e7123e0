// SPDX-License-Identifier: GPL-2.0
#include "pprof/gzip_stream.h"

#include <errno.h>
#include <sys/types.h>

#include "pprof/gzip_file.h"

static ssize_t write_through(void *cookie, const char *data, size_t len)
{
	struct gzstream *s = cookie;

	if (!s->err)
		s->err = gzout_write(s->gz, data, len);
	return s->err ? 0 : (ssize_t)len;
}

FILE *gzstream_open(struct gzstream *s, struct gzout *gz)
{
	*s = (struct gzstream){ .gz = gz };
	return fopencookie(s, "w", (cookie_io_functions_t){ .write = write_through });
}

int gzstream_close(struct gzstream *s, FILE *out)
{
	if (fclose(out) && !s->err)
		return -EIO;
	return s->err;
}
