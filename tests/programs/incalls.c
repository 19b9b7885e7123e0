// SPDX-License-Identifier: GPL-2.0
/*
 * Spends its CPU time in system calls: MS of it in read() of /dev/zero, by read_zeros(), then as
 * much in getrandom(), by ask_random().
 *
 *	incalls MS
 */
#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

#include "program.h"

static char room[256 << 10];

static KEEP void read_zeros(int fd, uint64_t end_ns)
{
	while (cpu_ns() < end_ns) {
		if (read(fd, room, sizeof(room)) != sizeof(room)) {
			perror("read");
			exit(1);
		}
	}
}

static KEEP void ask_random(uint64_t end_ns)
{
	while (cpu_ns() < end_ns) {
		if (getrandom(room, sizeof(room), 0) != sizeof(room)) {
			perror("getrandom");
			exit(1);
		}
	}
}

int main(int argc, char **argv)
{
	uint64_t span_ns;
	int fd = open("/dev/zero", O_RDONLY);

	if (argc != 2)
		usage("incalls MS");
	if (fd < 0) {
		perror("/dev/zero");
		return 1;
	}
	settle();
	span_ns = arg_count(argv[1]) * NSEC_PER_MSEC;
	read_zeros(fd, cpu_ns() + span_ns);
	ask_random(cpu_ns() + span_ns);
	return 0;
}
