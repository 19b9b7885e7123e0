/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads what a process publishes about itself for readers outside: OpenTelemetry's process context,
 * version 2 (OpenTelemetry Enhancement Proposal 4719). A header is in a mapping with the name
 * OTEL_CTX. It leads to a payload, which process/process_context.h decodes.
 */
#ifndef COLLECTOR_CONTEXT_MAPPING_H
#define COLLECTOR_CONTEXT_MAPPING_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define CONTEXT_MAPPING_MAX_BYTES	(64U << 10)	/* of a payload */

/* What the last read has found. All zeroes: nothing yet. */
struct context_mapping {
	uint64_t header;	/* address of the header; 0: not known */
	uint64_t published_at;	/* stamp in the header of the payload that was read; 0: none */
};

/* A copy of a payload. The caller frees data with free(). */
struct context_payload {
	uint8_t *data;
	uint32_t bytes;
};

/*
 * Reads the payload of pid if it is not the one that m has seen. While m->header is known and
 * nothing has changed, this is one read of 32 bytes. Else it reads /proc/PID/maps.
 *
 * The process may change all of this meanwhile. If it follows the protocol, the payload belongs to
 * the header. The caller checks afterwards that pid still runs the same program.
 *
 * Memory of files is not read, since a read of a FUSE file can wait for ever. The header and
 * the payload must be anonymous memory, or a memfd.
 *
 * Returns: 1 with a new *payload; 0 if nothing has changed; or a negative errno:
 * - -ENOENT: there is no context, or there are several.
 * - -EAGAIN: the process is changing it.
 * - -EACCES: the payload is in a file, or not mapped.
 * - -E2BIG, -ENOMEM.
 */
int context_mapping_read(pid_t pid, struct context_mapping *m, struct context_payload *payload);

#endif /* COLLECTOR_CONTEXT_MAPPING_H */
