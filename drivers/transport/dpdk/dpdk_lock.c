/* SPDX-License-Identifier: BSD-3-Clause */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "leat_dpdk_lock.h"

/* A holder removes its file, so that what was opened may have lost its name meanwhile. */
#define LOCK_TRIES_MAX 8

static pid_t
lock_read_holder(int fd)
{
	char text[16] = "";
	long pid = 0;

	if (pread(fd, text, sizeof(text) - 1, 0) > 0)
		pid = strtol(text, NULL, 10);
	return pid > 0 ? (pid_t)pid : 0;
}

static bool
lock_is_named(int fd, const char *path)
{
	struct stat by_fd;
	struct stat by_path;

	return fstat(fd, &by_fd) == 0 && stat(path, &by_path) == 0 &&
	       by_fd.st_ino == by_path.st_ino && by_fd.st_dev == by_path.st_dev;
}

static int
lock_write_holder(int fd)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%ld\n", (long)getpid());

	if (ftruncate(fd, 0) < 0)
		return -errno;
	if (pwrite(fd, text, (size_t)len, 0) != len)
		return errno != 0 ? -errno : -EIO;
	return 0;
}

int
leat_dpdk_lock_take(const char *path, pid_t *holder)
{
	int ret;

	for (unsigned int i = 0; i < LOCK_TRIES_MAX; i++) {
		int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

		if (fd < 0)
			return -errno;
		if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
			ret = errno == EWOULDBLOCK ? -EBUSY : -errno;
			if (ret == -EBUSY)
				*holder = lock_read_holder(fd);
			(void)close(fd); /* read only */
			return ret;
		}
		if (lock_is_named(fd, path)) {
			ret = lock_write_holder(fd);
			if (ret == 0)
				return fd;
			leat_dpdk_lock_release(path, fd);
			return ret;
		}
		(void)close(fd); /* a file without name */
	}
	return -EAGAIN;
}

void
leat_dpdk_lock_release(const char *path, int fd)
{
	(void)unlink(path); /* a file that stays is not locked and does no harm */
	(void)close(fd);    /* as above */
}
