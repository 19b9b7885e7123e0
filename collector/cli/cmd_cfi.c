// SPDX-License-Identifier: GPL-2.0
#include "cli/cmd_cfi.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "unwind/compile.h"
#include "unwind/verify.h"
#include "base/utf8.h"

#define NS_PER_S	1000000000ULL
#define NS_PER_MS	1e6

/* Sums over all files. */
struct total {
	size_t nr_files;
	uint64_t rows;
	uint64_t bytes;
	uint64_t text_bytes;
	uint64_t covered_bytes;
	uint64_t unsupported_bytes;
	uint64_t cpu_ns;
};

/* Prints a problem of a file. Returns: -EINVAL. */
static int print_error(const char *file, const char *why, const char *remedy)
{
	fputs("pprof-collect: ", stderr);
	utf8_print(stderr, file);
	fprintf(stderr, ": %s: %s\n", why, remedy);
	return -EINVAL;
}

/* Prints why a function of unwind/ returned err. Returns: -EINVAL. */
static int print_reason(const char *file, int err)
{
	const char *remedy = err == -ENOMEM ? "free memory" :
			     err == -EIO ? "run it again" : "name another file";

	return print_error(file, cfi_reason(err), remedy);
}

static uint64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * NS_PER_S + now.tv_nsec;
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * part / whole : 0;
}

static void print_heading(FILE *out)
{
	fprintf(out, "%9s %5s %10s %6s %8s %8s %11s %8s  %s\n", "ROWS", "RARE", "BYTES", "A ROW",
		"OF TEXT", "COVERED", "UNSUPPORTED", "MS", "FILE");
}

static void print_sizes(FILE *out, uint64_t rows, uint64_t bytes, uint64_t text_bytes,
			uint64_t covered_bytes)
{
	fprintf(out, " %10" PRIu64 " %6.2f %7.2f%% %7.2f%%", bytes, (double)bytes / rows,
		percent(bytes, text_bytes), percent(covered_bytes, text_bytes));
}

static void print_file(FILE *out, const char *file, const struct cfi *c, uint64_t ns)
{
	const struct cfi_stats *s = &c->stats;

	fprintf(out, "%9" PRIu32 " %5" PRIu32, s->rows, s->rules);
	print_sizes(out, s->rows, c->bytes, s->text_bytes, s->covered_bytes);
	fprintf(out, " %11" PRIu64 " %8.2f  ", s->unsupported_bytes, ns / NS_PER_MS);
	utf8_print(out, file);
	putc('\n', out);
}

static void print_total(FILE *out, const struct total *t)
{
	fprintf(out, "%9" PRIu64 " %5s", t->rows, "");
	print_sizes(out, t->rows, t->bytes, t->text_bytes, t->covered_bytes);
	fprintf(out, " %11" PRIu64 " %8.2f  %zu files\n", t->unsupported_bytes,
		t->cpu_ns / NS_PER_MS, t->nr_files);
}

static void add(struct total *t, const struct cfi *c, uint64_t ns)
{
	t->nr_files++;
	t->rows += c->stats.rows;
	t->bytes += c->bytes;
	t->text_bytes += c->stats.text_bytes;
	t->covered_bytes += c->stats.covered_bytes;
	t->unsupported_bytes += c->stats.unsupported_bytes;
	t->cpu_ns += ns;
}

static int check_file(int fd, const char *file, const struct cfi *c, FILE *out)
{
	struct cfi_verify result;
	int err = cfi_verify_file(fd, c, file, out, &result);

	if (err)
		return print_reason(file, err);
	fprintf(out, "%9" PRIu64 " of %" PRIu64 " rows differ from libdw's; %" PRIu64
		" bytes have a rule that libdw lacks\n", result.nr_wrong, result.nr_compared,
		result.extra_bytes);
	return result.nr_wrong ? -EINVAL : 0;
}

static int show_opened(int fd, const char *file, bool check, FILE *out, struct total *t)
{
	uint64_t start_ns = cpu_ns(), ns;
	struct cfi c;
	int err = cfi_compile(fd, &c);

	if (err)
		return print_reason(file, err);
	ns = cpu_ns() - start_ns;
	print_file(out, file, &c, ns);
	add(t, &c, ns);
	if (check)
		err = check_file(fd, file, &c, out);
	cfi_fini(&c);
	return err;
}

/* O_NONBLOCK: a FIFO must not block. O_NOCTTY: no terminal may become the controlling one. */
static int show_file(const char *file, bool check, FILE *out, struct total *t)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), err;
	struct stat st;

	if (fd < 0)
		return print_error(file, strerror(errno), "name a file that you may read");
	if (fstat(fd, &st))
		err = print_error(file, strerror(errno), "run it again");
	else if (S_ISDIR(st.st_mode))
		err = print_error(file, "is a folder", "name files in it");
	else if (!S_ISREG(st.st_mode))
		err = print_error(file, "is no regular file", "name an ELF file");
	else
		err = show_opened(fd, file, check, out, t);
	close(fd);
	return err;
}

int cmd_cfi_run(char *const *files, size_t nr_files, bool check, FILE *out)
{
	struct total total = { 0 };
	int err = 0;

	print_heading(out);
	for (size_t i = 0; i < nr_files; i++)
		if (show_file(files[i], check, out, &total))
			err = -EINVAL;
	if (total.nr_files > 1)
		print_total(out, &total);
	return err;
}
