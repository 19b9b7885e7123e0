// SPDX-License-Identifier: GPL-2.0
// sources: collector/formats/call_tree.c collector/formats/firefox_threads.c
// sources: collector/formats/firefox_writer.c collector/formats/folded_writer.c
// sources: collector/formats/format.c collector/formats/frame_stacks.c
// sources: collector/formats/named_frames.c collector/formats/otlp_attributes.c
// sources: collector/formats/otlp_writer.c collector/formats/speedscope_writer.c
// sources: collector/formats/text_writer.c collector/pprof/decode.c
// sources: collector/pprof/decode_message.c collector/pprof/decode_references.c
// sources: collector/arch/x86/packed_ids.c
// sources: collector/pprof/decode_sample.c
// sources: collector/pprof/encode.c collector/pprof/frame_name.c collector/pprof/gzip_file.c
// sources: collector/pprof/gzip_stream.c collector/pprof/id_space.c
// sources: collector/pprof/legacy_text.c collector/pprof/model.c collector/pprof/profile.c
// sources: collector/pprof/profile_fault.c collector/pprof/profile_input.c
// sources: collector/pprof/profile_source.c collector/pprof/read_ahead.c
// sources: collector/pprof/gzip_member.c
// sources: collector/pprof/protobuf.c collector/pprof/text_escape.c
// sources: collector/pprof/text_layout.c collector/pprof/text_table.c
// sources: collector/pprof/value_unit.c collector/procfs/resource_usage.c
// sources: collector/base/json.c collector/base/span_set.c collector/base/string_table.c
// sources: collector/base/tuple_map.c collector/base/utf8.c
// libs: -lz -lisal -lxxhash -lm
/*
 * Input: a profile file. It is written in each format. Text and JSON are valid UTF-8 without
 * control characters, and each quote of JSON has a partner.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "formats/format.h"
#include "pprof/model.h"
#include "pprof/profile_fault.h"

#include "decode.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_text(const char *text, size_t len)
{
	uint32_t rune;
	size_t n;

	for (; len; text += n, len -= n) {
		n = utf8_next(text, len, &rune);
		check(n && (rune == '\n' || rune == '\t' || !utf8_is_control(rune)));
	}
}

static void check_json(const char *text)
{
	bool is_quoted = false;

	for (; *text; text++) {
		if (is_quoted && *text == '\\')
			text++;
		else if (*text == '"')
			is_quoted = !is_quoted;
		check(!is_quoted || *text != '\n');
	}
	check(!is_quoted);
}

static void write_format(const struct format *f, const struct model *m, uint32_t type)
{
	struct profile_fault fault = { 0 };
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	int err;

	check(out);
	err = f->write(m, type, out, &fault);
	check(!fclose(out));
	check(!err || strstr(fault.text, ": "));
	if (!err && !f->is_gzipped && strcmp(f->name, "otlp"))
		check_text(text, len);
	if (!err && (!strcmp(f->name, "speedscope") || !strcmp(f->name, "firefox")))
		check_json(text);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct model *m = decode(data, size);

	if (!m)
		return 0;
	for (const struct format *f = formats; f->name; f++)
		for (size_t type = 0; type < m->sample_types.nr && type < 4; type++)
			write_format(f, m, type);
	model_free(m);
	return 0;
}
