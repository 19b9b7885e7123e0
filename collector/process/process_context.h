/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Decodes the payload of a process context (see procfs/context_mapping.h): the message
 * ProcessContext of OpenTelemetry Enhancement Proposal 4719. The content is not trusted.
 */
#ifndef COLLECTOR_PROCESS_CONTEXT_H
#define COLLECTOR_PROCESS_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Limit of a name or a value. A longer one is left out: a part of it could mean something else. */
#define PROCESS_CONTEXT_MAX_TEXT	255

/* Limit of labels: see process_context.labels. */
#define PROCESS_CONTEXT_MAX_LABELS	4

/* Limit of names of attributes of threads: their number has 8 bits. */
#define PROCESS_CONTEXT_MAX_KEYS	256

/* All zeroes is empty. */
struct process_context {
	/*
	 * The labels of the process: key, NUL, value, NUL, key, ... These are the resource
	 * attributes service.name, service.namespace, service.version and
	 * deployment.environment.name, as far as the process has them. They are equal in all
	 * processes of a service. service.instance.id is left out: it would split equal stacks by
	 * process, as pid does.
	 */
	char *labels;
	size_t label_bytes;	/* 0: there are none */
	const char *service;	/* the value of service.name in labels, or NULL */
	/*
	 * Has it a schema of thread contexts that is known? Then nr_keys names of their attributes
	 * follow each other in keys, each with a NUL. A name that is not valid is "".
	 */
	bool has_threads;
	char *keys;
	unsigned int nr_keys;
};

/*
 * Decodes a payload into c, which is overwritten. process_context_fini() frees what is in it.
 *
 * A value is left out if it is no string of 1 to PROCESS_CONTEXT_MAX_TEXT bytes, if it is no valid
 * UTF-8, or contains a NUL, and if the key comes twice.
 * Returns: 0; -EINVAL if the payload is no such message; or -ENOMEM. On failure c is empty.
 */
int process_context_decode(struct process_context *c, const uint8_t *payload, size_t bytes);

/* Returns the name of attribute `index` of thread contexts, or NULL if it has none. */
const char *process_context_key(const struct process_context *c, unsigned int index);

/* Is text a valid label: 1 to PROCESS_CONTEXT_MAX_TEXT bytes of UTF-8 without a NUL? */
bool process_context_is_label(const char *text, size_t bytes);

/* Frees the memory of c. c may be empty. */
void process_context_fini(struct process_context *c);

#endif /* COLLECTOR_PROCESS_CONTEXT_H */
