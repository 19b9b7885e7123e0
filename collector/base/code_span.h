/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A span around an address: all addresses in it have the same answer to a look-up. The look-up
 * begins with a span without limits. It passes each range that it compares with the address, and
 * so makes the span narrower.
 */
#ifndef COLLECTOR_CODE_SPAN_H
#define COLLECTOR_CODE_SPAN_H

#include <stdint.h>

/* It has no address itself, so it is the same for file offsets and for biased addresses. */
struct code_span {
	uint64_t before;	/* bytes before the address */
	uint64_t after;		/* bytes from the address on, which is at least 1 */
};

#define CODE_SPAN_ALL		((struct code_span){ UINT64_MAX, UINT64_MAX })
#define CODE_SPAN_ONE_BYTE	((struct code_span){ 0, 1 })

/* Narrows the span to the addresses that are on the same side of [start, end) as addr. */
static inline void code_span_pass(struct code_span *span, uint64_t addr, uint64_t start,
				  uint64_t end)
{
	uint64_t before = addr < start ? UINT64_MAX : addr < end ? addr - start : addr - end;
	uint64_t after = addr < start ? start - addr : addr < end ? end - addr : UINT64_MAX;

	if (before < span->before)
		span->before = before;
	if (after < span->after)
		span->after = after;
}

#endif /* COLLECTOR_CODE_SPAN_H */
