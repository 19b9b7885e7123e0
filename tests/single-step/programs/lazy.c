// SPDX-License-Identifier: GPL-2.0
/* Functions of libraries called for the first time: linked with -z lazy. */
#include <ctype.h>
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static volatile double x = 0.7;

static __attribute__((noipa)) double mathematics(void)
{
	return sin(x) + cos(x) + exp(x) + log(x) + pow(x, 1.3) + atan2(x, 2) + fmod(x, 0.3);
}

static __attribute__((noipa)) size_t strings(char *text)
{
	char copy[128];

	memcpy(copy, text, strlen(text) + 1);
	memmove(copy + 1, copy, 20);
	memset(copy + 40, 'x', 40);
	return strlen(copy) + !strchr(copy, 'x') + strcmp(copy, text) + !memchr(copy, 'y', 80) +
	       toupper(copy[3]) + !strstr(copy, "xx");
}

int main(void)
{
	void *library = dlopen("libm.so.6", RTLD_LAZY);
	double (*f)(double) = library ? (double (*)(double))dlsym(library, "tgamma") : NULL;
	char text[128];
	FILE *null = fopen("/dev/null", "w");
	time_t now = time(NULL);
	struct tm tm;

	if (!null || !f)
		return 1;
	snprintf(text, sizeof(text), "a text of some %d letters, %.3f", 77, mathematics());
	fprintf(null, "%zu %s %ld %g\n", strings(text), getenv("PATH"), (long)getpid(), f(x));
	if (gmtime_r(&now, &tm))
		strftime(text, sizeof(text), "%c", &tm);
	free(realloc(malloc(100), 100000));
	free(calloc(10, 100));
	dlclose(library);
	return fclose(null);
}
