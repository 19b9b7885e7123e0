// SPDX-License-Identifier: GPL-2.0
// sources: collector/session/custom_profile.c collector/procfs/time_namespace.c
// sources: collector/base/stop_signals.c
// libs: -Wl,--wrap=warnx
/*
 * Input: the size of the first of two answers of the module, then both answers, which hold values
 * of a custom profile. Nothing is read beyond the bytes of an answer.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <sanitizer/asan_interface.h>

#include "aggregate/aggregator.h"
#include "device/error_text.h"
#include "session/custom_profile.h"
#include "device/device.h"
#include "base/stop_signals.h"

#define EXEC_ID	5

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
void __wrap_warnx(const char *format, ...);

static struct {
	const uint8_t *data;
	size_t size;
	size_t first;
} input;

static void check(bool holds)
{
	if (!holds)
		abort();
}

void __wrap_warnx(const char *format, ...)
{
	check(format);
}

int device_custom_list(struct device *d, pid_t pid, struct pprof_custom_name *names, uint32_t room)
{
	(void)d;
	(void)pid;
	(void)names;
	(void)room;
	return 0;
}

/* The rest of the buffer, after the answer, must not be read: it is poisoned. */
int device_custom_read(struct device *d, struct pprof_custom_read *read, void *data, uint32_t bytes)
{
	size_t size = read->next ? input.size - input.first : input.first;

	(void)d;
	check(size <= bytes && !strcmp((const char *)read->name, "v"));
	ASAN_UNPOISON_MEMORY_REGION(data, bytes);
	if (size)
		memcpy(data, input.data + (read->next ? input.first : 0), size);
	ASAN_POISON_MEMORY_REGION((char *)data + size, bytes - size);
	read->bytes = size;
	read->exec_id = EXEC_ID;
	read->next = !read->next;
	return 0;
}

void device_error_print_custom(pid_t pid, int err)
{
	(void)pid;
	(void)err;
	check(false);
}

int aggregator_take(struct aggregator *c, const struct pprof_sample *sample)
{
	uint64_t sum = 0;

	(void)c;
	check(sample->ev.exec_id == EXEC_ID && sample->nr_frames <= PPROF_MAX_FRAMES);
	check(sample->ev.rec.size == sizeof(*sample) + sample->nr_frames * sizeof(uint64_t));
	for (uint32_t i = 0; i < sample->nr_frames; i++)
		sum += sample->frames[i];
	return sum == 1 ? -ENOMEM : 0;	/* uses the sum, so that all frames are read */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct custom_profile_id profile = { .pid = 1, .name = "v", .exec_id = EXEC_ID };
	struct stop stop = { .fd = -1 };

	if (!size || size > 8192)
		return 0;
	input.data = data + 1;
	input.size = size - 1;
	input.first = data[0] * 8 < input.size ? data[0] * 8 : input.size;
	custom_profile_take(NULL, &profile, NULL, &stop);
	return 0;
}
