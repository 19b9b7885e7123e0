// SPDX-License-Identifier: GPL-2.0
/*
 * A service that publishes its name by an OpenTelemetry process context.
 *
 *	published at-once SECONDS NAME
 *	published late SECONDS NAME
 *
 * It spins for SECONDS in before(), if it publishes late. Then it publishes service.name=NAME and
 * service.version=1.2, and spins for SECONDS in after(). At the same time a child, which publishes
 * nothing, spins for SECONDS in child().
 */
#include <string.h>
#include <sys/wait.h>

#include "otel_publish.h"
#include "program.h"

static KEEP void before(uint64_t ns)
{
	uint64_t end = cpu_ns() + ns;

	spin_until(end);
}

static KEEP void after(uint64_t ns)
{
	uint64_t end = cpu_ns() + ns;

	spin_until(end);
}

static KEEP void child(uint64_t ns)
{
	uint64_t end = cpu_ns() + ns;

	spin_until(end);
}

static void publish(const char *name)
{
	const char *const attributes[] = {
		"service.name", name, "service.version", "1.2", "service.instance.id", "5", NULL,
	};
	struct otel_message payload = otel_resource(attributes);
	struct otel_header *header = otel_map(true);

	if (!header) {
		perror("memfd_create");
		exit(1);
	}
	otel_update(header, &payload, clock_ns(CLOCK_BOOTTIME));
}

int main(int argc, char **argv)
{
	uint64_t ns;
	pid_t pid;

	if (argc != 4 || (strcmp(argv[1], "at-once") && strcmp(argv[1], "late")))
		usage("published at-once|late SECONDS NAME");
	ns = arg_seconds(argv[2]);
	if (!strcmp(argv[1], "late"))
		before(ns);
	publish(argv[3]);
	pid = fork();
	if (!pid) {
		child(ns);
		_exit(0);
	}
	after(ns);
	return waitpid(pid, NULL, 0) == pid ? 0 : 1;
}
