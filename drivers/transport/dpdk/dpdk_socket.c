/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * AF_PACKET and AF_XDP receive through sockets that wake who polls them, but their DPDK
 * drivers keep these to themselves. The kernel tells which of our descriptors they are:
 * those of such a socket that were not there before the port was opened.
 */

#include <dirent.h>
#include <stdlib.h>

#include <sys/socket.h>

#include "dpdk_priv.h"

#define SOCKET_FD_DIR "/proc/self/fd"

static bool
socket_receives_frames(int fd)
{
	socklen_t len = sizeof(int);
	int domain;

	if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &len) < 0)
		return false;
	return domain == AF_PACKET || domain == AF_XDP;
}

static bool
sockets_have(const struct dpdk_sockets *sockets, int fd)
{
	for (uint32_t i = 0; i < sockets->nb; i++) {
		if (sockets->fds[i] == fd)
			return true;
	}
	return false;
}

void
dpdk_sockets_find(struct dpdk_sockets *sockets, const struct dpdk_sockets *old)
{
	struct dirent *entry;
	DIR *dir = opendir(SOCKET_FD_DIR);

	sockets->nb = 0;
	if (dir == NULL) /* without them an idle worker sleeps in short turns */
		return;
	while ((entry = readdir(dir)) != NULL && sockets->nb < DPDK_SOCKETS_MAX) {
		int fd = (int)strtol(
			entry->d_name, NULL, 10); /* "." and ".." are 0: no such socket */

		if (socket_receives_frames(fd) && (old == NULL || !sockets_have(old, fd)))
			sockets->fds[sockets->nb++] = fd;
	}
	(void)closedir(dir); /* read only */
}
