// SPDX-License-Identifier: GPL-2.0
#include "push/auth_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Returns: the number of bytes that were read, at most size; or a negative errno. */
static ssize_t read_all(const char *path, char *to, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	size_t len = 0;
	ssize_t n = 0;

	if (fd < 0)
		return -errno;
	while (len < size && (n = read(fd, to + len, size - len)) > 0)
		len += n;
	if (n < 0)
		n = -errno;
	close(fd);
	return n < 0 ? n : (ssize_t)len;
}

static size_t without_newline(const char *s, size_t len)
{
	if (len && s[len - 1] == '\n')
		len--;
	if (len && s[len - 1] == '\r')
		len--;
	return len;
}

/* A control character, such as a newline, could begin a further header. Returns: 0 or -EBADMSG. */
static int check(const char *s, size_t len)
{
	if (!len || len == AUTH_FILE_MAX_BYTES)
		return -EBADMSG;
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)s[i] < ' ' || s[i] == 0x7f)
			return -EBADMSG;
	return 0;
}

int auth_file_read(const char *path, char **secret)
{
	char text[AUTH_FILE_MAX_BYTES];
	ssize_t nr = read_all(path, text, sizeof(text));
	size_t len = nr > 0 ? without_newline(text, nr) : 0;
	int err = nr < 0 ? (int)nr : check(text, len);

	if (!err) {
		*secret = strndup(text, len);
		err = *secret ? 0 : -ENOMEM;
	}
	explicit_bzero(text, sizeof(text));
	return err;
}

void auth_file_free(char *secret)
{
	if (!secret)
		return;
	explicit_bzero(secret, strlen(secret));
	free(secret);
}
