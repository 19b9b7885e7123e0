// SPDX-License-Identifier: GPL-2.0
#include "push/push_settings.h"

#include <err.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "push/auth_file.h"

void push_settings_fini(struct push_settings *s)
{
	for (size_t i = 0; i < s->nr; i++)
		push_backend_fini(&s->backends[i]);
	free(s->backends);
	push_labels_fini(&s->labels);
	*s = (struct push_settings){ 0 };
}

static int print_error(const char *path, int err)
{
	warnx("cannot read %s: %s: name another file", path, strerror(-err));
	return err;
}

static int check_secret(const char *path)
{
	char *secret = NULL;
	int err = path ? auth_file_read(path, &secret) : 0;

	auth_file_free(secret);
	if (err == -EBADMSG)
		warnx("%s has no secret: write one line: USER:PASSWORD, or a token", path);
	else if (err)
		print_error(path, err);
	return err;
}

int push_settings_check(const struct push_settings *s)
{
	int err = 0;

	for (size_t i = 0; !err && i < s->nr; i++) {
		const struct push_backend *b = &s->backends[i];
		const char *const files[] = { b->cert_file, b->key_file, b->ca_file };

		for (size_t n = 0; !err && n < sizeof(files) / sizeof(*files); n++)
			if (files[n] && access(files[n], R_OK))
				err = print_error(files[n], -errno);
		if (!err)
			err = check_secret(b->auth_file);
	}
	return err;
}
