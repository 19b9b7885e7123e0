// SPDX-License-Identifier: GPL-2.0
#include "pprof/gzip_member.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <isa-l/igzip_lib.h>
#define ZLIB_CONST
#include <zlib.h>

/* zlib.h: inflate() sets this bit of data_type between two blocks. */
#define BETWEEN_BLOCKS	128

struct gzip_member {
	z_stream header;
	bool has_header;		/* the header was read */
	struct inflate_state body;	/* blocks and trailer */
};

static void start_body(struct gzip_member *g)
{
	isal_inflate_init(&g->body);
	g->body.crc_flag = ISAL_GZIP_NO_HDR_VER;
}

struct gzip_member *gzip_member_new(void)
{
	struct gzip_member *g = malloc(sizeof(*g));

	if (!g)
		return NULL;
	g->header = (z_stream){ 0 };
	g->has_header = false;
	start_body(g);
	/* 16 selects the gzip header (zlib.h). */
	if (inflateInit2(&g->header, 16 + MAX_WBITS) == Z_OK)
		return g;
	free(g);
	return NULL;
}

void gzip_member_free(struct gzip_member *g)
{
	if (!g)
		return;
	inflateEnd(&g->header);
	free(g);
}

void gzip_member_reset(struct gzip_member *g)
{
	inflateReset(&g->header);
	g->has_header = false;
	start_body(g);
}

/* With Z_BLOCK, zlib stops after the header. It writes nothing, but expects an address. */
static int read_header(struct gzip_member *g, const uint8_t **at, const uint8_t *end,
		       const char **found)
{
	z_stream *z = &g->header;
	uint8_t none;
	int ret;

	if (*at == end)
		return -ENODATA;
	z->next_in = *at;
	z->avail_in = end - *at;
	z->next_out = &none;
	z->avail_out = 0;
	ret = inflate(z, Z_BLOCK);
	*at = z->next_in;
	if (ret == Z_MEM_ERROR)
		return -ENOMEM;
	if (ret != Z_OK) {
		*found = z->msg ? z->msg : "a fault";
		return -EBADMSG;
	}
	g->has_header = z->data_type & BETWEEN_BLOCKS;
	return 0;
}

static const char *fault_text(int ret)
{
	switch (ret) {
	case ISAL_INVALID_BLOCK:
		return "an invalid block";
	case ISAL_INVALID_SYMBOL:
		return "an invalid symbol";
	case ISAL_INVALID_LOOKBACK:
		return "an invalid distance";
	case ISAL_INCORRECT_CHECKSUM:
		return "incorrect data check";
	}
	return "a fault";
}

static int read_body(struct gzip_member *g, const uint8_t **at, const uint8_t *end, uint8_t *to,
		     size_t len, size_t *got, const char **found)
{
	struct inflate_state *body = &g->body;
	const uint8_t *before = *at;
	int ret;

	body->next_in = (uint8_t *)*at;
	body->avail_in = end - *at;
	body->next_out = to;
	body->avail_out = len;
	ret = isal_inflate(body);
	*at = body->next_in;
	*got = len - body->avail_out;
	if (ret != ISAL_DECOMP_OK) {
		*found = fault_text(ret);
		return -EBADMSG;
	}
	if (body->block_state == ISAL_BLOCK_FINISH)
		return 1;
	return *got || *at != before ? 0 : -ENODATA;
}

int gzip_member_read(struct gzip_member *g, const uint8_t **at, const uint8_t *end, uint8_t *to,
		     size_t len, size_t *got, const char **found)
{
	*got = 0;
	if (!g->has_header)
		return read_header(g, at, end, found);
	return read_body(g, at, end, to, len, got, found);
}
