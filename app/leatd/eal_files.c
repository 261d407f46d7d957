/* SPDX-License-Identifier: BSD-3-Clause */

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <leat_dpdk_lock.h>

#include "eal_files.h"

#define EAL_PREFIX    "leat-"
#define EAL_LOCK_NAME "leat.lock"

/* Hugepages of one size. */
struct eal_pages {
	unsigned long size_kb;
	unsigned long nb_free;
	unsigned long nb_reserved;
};

static unsigned long
eal_read_count(const char *dir, const char *name, const char *file)
{
	char path[LEAT_EAL_PATH_MAX];
	unsigned long value = 0;
	FILE *f;
	int len;

	len = snprintf(path, sizeof(path), "%s/%s/%s", dir, name, file);
	if (len < 0 || (size_t)len >= sizeof(path))
		return 0;
	f = fopen(path, "re");
	if (f == NULL)
		return 0;
	if (fscanf(f, "%lu", &value) != 1)
		value = 0;
	(void)fclose(f); /* read only */
	return value;
}

/* Add up what is free; the smallest size is the one that a person can still reserve. */
static int
eal_sum_hugepages(const char *dir, struct eal_pages *smallest, unsigned long *free_kb)
{
	struct dirent *entry;
	DIR *d = opendir(dir);

	memset(smallest, 0, sizeof(*smallest));
	*free_kb = 0;
	if (d == NULL)
		return -errno;
	while ((entry = readdir(d)) != NULL) {
		struct eal_pages pages = { 0 };

		if (sscanf(entry->d_name, "hugepages-%lukB", &pages.size_kb) != 1)
			continue;
		if (pages.size_kb == 0)
			continue;
		pages.nb_free = eal_read_count(dir, entry->d_name, "free_hugepages");
		pages.nb_reserved = eal_read_count(dir, entry->d_name, "nr_hugepages");
		*free_kb += pages.nb_free * pages.size_kb;
		if (smallest->size_kb == 0 || pages.size_kb < smallest->size_kb)
			*smallest = pages;
	}
	(void)closedir(d); /* read only */
	return smallest->size_kb != 0 ? 0 : -ENOENT;
}

int
eal_check_hugepages(const char *dir, size_t memory_mb, struct leat_error *error)
{
	unsigned long needed_kb = (unsigned long)memory_mb * 1024;
	unsigned long free_kb;
	unsigned long nb_missing;
	struct eal_pages pages;

	if (eal_sum_hugepages(dir, &pages, &free_kb) < 0)
		return leat_error_set(error, -ENOMEM,
			"this kernel has no hugepages (%s): start with --no-huge", dir);
	if (free_kb >= needed_kb)
		return 0;
	nb_missing = (needed_kb - free_kb + pages.size_kb - 1) / pages.size_kb;
	return leat_error_set(error, -ENOMEM,
		"%zu MiB of memory need hugepages and %lu MiB are free: reserve %lu more of %lu kB "
		"with `echo %lu > %s/hugepages-%lukB/nr_hugepages` as root, ask for less memory, "
		"or start with --no-huge",
		memory_mb, free_kb / 1024, nb_missing, pages.size_kb,
		pages.nb_reserved + nb_missing, dir, pages.size_kb);
}

/* Where the EAL puts its directories, by its own rules. */
static int
eal_runtime_base(char base[LEAT_EAL_PATH_MAX])
{
	const char *dir = getenv("RUNTIME_DIRECTORY");
	int n;

	if (dir == NULL && getuid() == 0)
		dir = "/var/run";
	if (dir == NULL)
		dir = getenv("XDG_RUNTIME_DIR");
	if (dir == NULL)
		dir = "/tmp";
	n = snprintf(base, LEAT_EAL_PATH_MAX, "%s/dpdk", dir);
	return n > 0 && n < LEAT_EAL_PATH_MAX - 64 ? 0 : -ENAMETOOLONG;
}

/* The EAL puts plain files and sockets there, and no directory. */
static void
eal_remove_dir(const char *path)
{
	struct dirent *entry;
	DIR *d = opendir(path);

	if (d == NULL)
		return;
	while ((entry = readdir(d)) != NULL) {
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			(void)unlinkat(dirfd(d), entry->d_name, 0); /* rmdir will tell */
	}
	(void)closedir(d); /* read only */
	(void)rmdir(path); /* what cannot be removed stays; the next start tries again */
}

/* The pid in "leat-123", 0 for any other name. */
static pid_t
eal_prefix_pid(const char *name)
{
	long pid;
	char *end;

	if (strncmp(name, EAL_PREFIX, strlen(EAL_PREFIX)) != 0)
		return 0;
	name += strlen(EAL_PREFIX);
	if (!isdigit((unsigned char)*name))
		return 0;
	errno = 0;
	pid = strtol(name, &end, 10);
	return errno == 0 && *end == '\0' && pid > 0 && pid <= INT32_MAX ? (pid_t)pid : 0;
}

/* A leatd holds the lock of its directory, so that a reused pid does not deceive us. */
static bool
eal_dir_is_stale(const char *path, pid_t pid)
{
	char lock[LEAT_EAL_PATH_MAX + NAME_MAX + 32];
	bool stale;
	int fd;

	(void)snprintf(lock, sizeof(lock), "%s/" EAL_LOCK_NAME, path); /* has room */
	fd = open(lock, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return errno == ENOENT && kill(pid, 0) < 0 && errno == ESRCH;
	stale = flock(fd, LOCK_EX | LOCK_NB) == 0;
	(void)close(fd); /* read only */
	return stale;
}

static void
eal_remove_stale(const char *base)
{
	char path[LEAT_EAL_PATH_MAX + NAME_MAX + 2];
	struct dirent *entry;
	DIR *d = opendir(base);

	if (d == NULL)
		return;
	while ((entry = readdir(d)) != NULL) {
		pid_t pid = eal_prefix_pid(entry->d_name);
		int n = snprintf(path, sizeof(path), "%s/%s", base, entry->d_name);

		if (pid == 0 || pid == getpid() || n < 0 || n >= LEAT_EAL_PATH_MAX)
			continue;
		if (eal_dir_is_stale(path, pid))
			eal_remove_dir(path);
	}
	(void)closedir(d); /* read only */
}

static int
eal_make_dir(const char *path, struct leat_error *error)
{
	if (mkdir(path, 0700) == 0 || errno == EEXIST)
		return 0;
	return leat_error_set(error, -errno, "cannot create DPDK's run-time directory %s: %s%s",
		path, strerror(errno),
		errno == EACCES || errno == EPERM ? " (run leatd as root)" : "");
}

int
eal_runtime_open(struct leat_eal *eal, struct leat_error *error)
{
	char base[LEAT_EAL_PATH_MAX];
	char lock[LEAT_EAL_PATH_MAX + 16];
	pid_t holder = 0;
	int ret;

	ret = eal_runtime_base(base);
	if (ret < 0)
		return leat_error_set(error, ret, "the path of the run-time directory is too long");
	ret = eal_make_dir(base, error);
	if (ret < 0)
		return ret;
	eal_remove_stale(base);
	(void)snprintf(eal->file_prefix, sizeof(eal->file_prefix), EAL_PREFIX "%ld",
		(long)getpid()); /* has room */
	ret = snprintf(eal->runtime_dir, sizeof(eal->runtime_dir), "%s/%s", base, eal->file_prefix);
	LEAT_VERIFY(ret > 0 && (size_t)ret < sizeof(eal->runtime_dir));
	ret = eal_make_dir(eal->runtime_dir, error);
	if (ret < 0)
		return ret;
	(void)snprintf(lock, sizeof(lock), "%s/" EAL_LOCK_NAME, eal->runtime_dir); /* has room */
	ret = leat_dpdk_lock_take(lock, &holder);
	if (ret == -EBUSY)
		return leat_error_set(error, -EALREADY,
			"%s is in use by another leatd (pid %ld): do containers share it?",
			eal->runtime_dir, (long)holder);
	if (ret < 0)
		return leat_error_set(error, ret, "cannot lock %s: %s", lock, strerror(-ret));
	eal->lock_fd = ret;
	return 0;
}

void
eal_runtime_close(struct leat_eal *eal)
{
	eal_remove_dir(eal->runtime_dir);
	(void)close(eal->lock_fd); /* after the directory: until then it is ours */
	eal->lock_fd = -1;
}
