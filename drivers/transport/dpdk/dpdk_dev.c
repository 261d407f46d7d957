/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * What a person can mend (no such interface, not root, used by another leatd) is found
 * out here, because a driver tells of it, if at all, in its log.
 */

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <rte_errno.h>
#include <rte_ethdev.h>

#include "dpdk_priv.h"
#include "leat_dpdk_lock.h"

#define DEV_PCI_DIR "/sys/bus/pci/devices"
#define LOCK_END    ".lock"

static bool
dev_is_of(const char *name, const char *driver)
{
	return strncmp(name, driver, strlen(driver)) == 0;
}

/* A driver that binds to an interface of the kernel that is there before. */
static bool
dev_needs_iface(const char *name)
{
	return dev_is_of(name, "net_af_packet") || dev_is_of(name, "net_af_xdp");
}

/* A driver whose iface= is the kernel's; that of net_vhost is a path. */
static bool
dev_names_iface(const char *name)
{
	return dev_needs_iface(name) || dev_is_of(name, "net_tap");
}

/* "0000:03:00.0" or "03:00.0". */
static bool
dev_is_pci_address(const char *name)
{
	unsigned int domain, bus, device, function;
	int len = 0;

	if (sscanf(name, "%x:%x:%x.%x%n", &domain, &bus, &device, &function, &len) == 4)
		return name[len] == '\0';
	len = 0;
	return sscanf(name, "%x:%x.%x%n", &bus, &device, &function, &len) == 3 && name[len] == '\0';
}

/* Copy the value of ",key=value" in args. false: it does not fit. */
static bool
dev_get_arg(const char *args, const char *key, char *value, size_t value_max)
{
	size_t key_len = strlen(key);

	value[0] = '\0';
	for (const char *p = strchr(args, ','); p != NULL; p = strchr(p, ',')) {
		size_t len;

		p++;
		if (strncmp(p, key, key_len) != 0 || p[key_len] != '=')
			continue;
		p += key_len + 1;
		len = strcspn(p, ",");
		if (len >= value_max)
			return false;
		memcpy(value, p, len);
		value[len] = '\0';
		return true;
	}
	return true;
}

static int
dev_parse(const struct leat_dpdk_port_conf *conf, struct dpdk_dev *dev, struct leat_error *error)
{
	size_t name_len = strcspn(conf->dev, ",");

	if (strlen(conf->dev) >= LEAT_DPDK_DEV_MAX || name_len == 0)
		return leat_error_set(error, -EINVAL,
			"port %s: device \"%s\" is not a name of 1 to %u bytes", conf->name,
			conf->dev, LEAT_DPDK_DEV_MAX - 1);
	memcpy(dev->name, conf->dev, name_len);
	dev->name[name_len] = '\0';
	dev->is_pci = dev_is_pci_address(dev->name);
	if (dev_names_iface(dev->name) &&
		!dev_get_arg(conf->dev, "iface", dev->iface, sizeof(dev->iface)))
		return leat_error_set(error, -EINVAL,
			"port %s: the interface in \"%s\" has a name of more than %d bytes",
			conf->name, conf->dev, IFNAMSIZ - 1);
	dev->may_rx_intr = !dev_needs_iface(dev->name);
	if (dev_needs_iface(dev->name) && dev->iface[0] == '\0')
		return leat_error_set(error, -EINVAL,
			"port %s: %s needs an interface: write dev=%s,iface=NAME", conf->name,
			dev->name, dev->name);
	return 0;
}

/* Ask the kernel about an interface of this network namespace. */
static int
dev_ask_iface(const char *iface, unsigned long request, struct ifreq *ifr)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int ret;

	if (fd < 0)
		return -errno;
	memset(ifr, 0, sizeof(*ifr));
	(void)snprintf(ifr->ifr_name, sizeof(ifr->ifr_name), "%s", iface); /* fits */
	ret = ioctl(fd, request, ifr) < 0 ? -errno : 0;
	(void)close(fd); /* nothing was written */
	return ret;
}

uint16_t
dpdk_dev_iface_mtu(const struct dpdk_dev *dev)
{
	struct ifreq ifr;

	if (dev->iface[0] == '\0' || dev_ask_iface(dev->iface, SIOCGIFMTU, &ifr) < 0)
		return 0;
	return (uint16_t)LEAT_MIN(ifr.ifr_mtu, UINT16_MAX);
}

static int
dev_check_iface(const char *port, const struct dpdk_dev *dev, struct leat_error *error)
{
	struct ifreq ifr;
	int ret = dev_ask_iface(dev->iface, SIOCGIFFLAGS, &ifr);

	if (ret == -ENODEV)
		return leat_error_set(error, ret,
			"port %s: there is no interface %s in this network namespace (see `ip "
			"link`)",
			port, dev->iface);
	if (ret < 0)
		return leat_error_set(error, ret, "port %s: cannot read the state of %s: %s", port,
			dev->iface, strerror(-ret));
	if ((ifr.ifr_flags & IFF_UP) == 0)
		return leat_error_set(error, -ENETDOWN,
			"port %s: interface %s is down: bring it up with `ip link set %s up`", port,
			dev->iface, dev->iface);
	return 0;
}

/* net_tap makes its interface, or takes over one that is a tap and nobody's. */
static int
dev_check_tap(const char *port, const struct dpdk_dev *dev, struct leat_error *error)
{
	char path[IFNAMSIZ + 64];

	if (dev->iface[0] == '\0' || if_nametoindex(dev->iface) == 0)
		return 0;
	(void)snprintf(path, sizeof(path), "/sys/class/net/%s/tun_flags", dev->iface); /* fits */
	if (access(path, F_OK) == 0)
		return 0;
	return leat_error_set(error, -EBUSY,
		"port %s: interface %s is there already and is not a tap: name one that %s can "
		"make",
		port, dev->iface, dev->name);
}

/* The EAL has scanned the PCI bus if and only if a device of it was named at its start. */
static int
dev_check_pci(const char *port, const struct dpdk_dev *dev, struct leat_error *error)
{
	char path[LEAT_DPDK_DEV_MAX + 64];
	char link[LEAT_DPDK_DEV_MAX];
	const char *driver = "no driver";
	ssize_t len;
	uint16_t port_id;

	if (rte_eth_dev_get_port_by_name(dev->name, &port_id) == 0)
		return 0;
	(void)snprintf(path, sizeof(path), DEV_PCI_DIR "/%s%s",
		strlen(dev->name) < strlen("0000:00:00.0") ? "0000:" : "", dev->name); /* fits */
	if (access(path, F_OK) < 0)
		return leat_error_set(error, -ENODEV,
			"port %s: there is no PCI device %s (see `dpdk-devbind.py --status`)", port,
			dev->name);
	(void)strncat(path, "/driver", sizeof(path) - strlen(path) - 1);
	len = readlink(path, link, sizeof(link) - 1);
	if (len > 0) {
		link[len] = '\0';
		driver = strrchr(link, '/') != NULL ? strrchr(link, '/') + 1 : link;
	}
	if (strcmp(driver, "vfio-pci") == 0 || strcmp(driver, "uio_pci_generic") == 0)
		return leat_error_set(error, -EBUSY,
			"port %s: PCI device %s is bound to %s and DPDK has not taken it: it has "
			"no driver "
			"for it, or another process has it",
			port, dev->name, driver);
	return leat_error_set(error, -EBUSY,
		"port %s: PCI device %s is bound to %s: give it to DPDK with "
		"`dpdk-devbind.py --bind=vfio-pci %s`",
		port, dev->name, driver, dev->name);
}

/*
 * The file that stands for the device. An interface belongs to a network namespace, and
 * two of them may have one of the same name. Sockets (memif, vhost) need none: their
 * other end takes one peer.
 */
static bool
dev_lock_key(const struct dpdk_dev *dev, char *key, size_t key_max)
{
	struct stat netns;

	if (dev->is_pci) {
		(void)snprintf(key, key_max, "pci-%s", dev->name); /* fits */
		return true;
	}
	if (dev->iface[0] == '\0')
		return false;
	if (stat("/proc/self/ns/net", &netns) < 0)
		netns.st_ino = 0;
	(void)snprintf(key, key_max, "net-%lu-%s", (unsigned long)netns.st_ino, dev->iface);
	return true; /* it fits */
}

/* The directory is not ours alone: what does not have the name of a lock is not looked at. */
static bool
dev_is_lock_name(const char *name)
{
	size_t len = strlen(name);
	size_t end_len = strlen(LOCK_END);

	if (strncmp(name, "pci-", 4) != 0 && strncmp(name, "net-", 4) != 0)
		return false;
	return len > end_len && strcmp(name + len - end_len, LOCK_END) == 0;
}

/* Files of leatd's that were killed; a held one stays, see leat_dpdk_lock_take(). */
static void
dev_remove_stale_locks(void)
{
	char path[DPDK_LOCK_PATH_MAX];
	struct dirent *entry;
	pid_t holder;
	DIR *dir = opendir(LEAT_DPDK_LOCK_DIR);

	if (dir == NULL)
		return;
	while ((entry = readdir(dir)) != NULL) {
		int n = snprintf(path, sizeof(path), "%s/%s", LEAT_DPDK_LOCK_DIR, entry->d_name);
		int fd;

		if (!dev_is_lock_name(entry->d_name) || entry->d_type != DT_REG)
			continue;
		if (n < 0 || (size_t)n >= sizeof(path))
			continue;
		fd = leat_dpdk_lock_take(path, &holder);
		if (fd >= 0)
			leat_dpdk_lock_release(path, fd);
	}
	(void)closedir(dir); /* read only */
}

static int
dev_lock(const char *port, struct dpdk_dev *dev, struct leat_error *error)
{
	char key[LEAT_DPDK_DEV_MAX + 16];
	pid_t holder = 0;
	int ret;

	if (!dev_lock_key(dev, key, sizeof(key)))
		return 0;
	if (mkdir(LEAT_DPDK_LOCK_DIR, 0700) < 0 && errno != EEXIST)
		return leat_error_set(error, errno == EACCES ? -EPERM : -errno,
			"port %s: cannot create %s for the lock of device %s: %s (run leatd as "
			"root)",
			port, LEAT_DPDK_LOCK_DIR, dev->name, strerror(errno));
	(void)snprintf(dev->lock_path, sizeof(dev->lock_path), "%s/%s" LOCK_END, LEAT_DPDK_LOCK_DIR,
		key); /* fits */
	dev_remove_stale_locks();
	ret = leat_dpdk_lock_take(dev->lock_path, &holder);
	if (ret == -EBUSY && holder == getpid())
		return leat_error_set(error, ret,
			"port %s: device %s is already that of another port", port,
			dev->iface[0] != '\0' ? dev->iface : dev->name);
	if (ret == -EBUSY)
		return leat_error_set(error, ret,
			"port %s: device %s is in use by another leatd (pid %ld)", port,
			dev->iface[0] != '\0' ? dev->iface : dev->name, (long)holder);
	if (ret == -EACCES)
		return leat_error_set(error, -EPERM,
			"port %s: device %s can only be opened by root: run leatd as root", port,
			dev->iface[0] != '\0' ? dev->iface : dev->name);
	if (ret < 0)
		return leat_error_set(error, ret, "port %s: cannot lock %s: %s", port,
			dev->lock_path, strerror(-ret));
	dev->lock_fd = ret;
	return 0;
}

/*
 * No other port of this process, nor a driver like bonding, may have the ethdev. Who owns
 * it is forgotten when it is closed.
 */
static int
dev_own(const char *port, struct dpdk_dev *dev, struct leat_error *error)
{
	struct rte_eth_dev_owner owner = { 0 };
	struct rte_eth_dev_info info;
	int ret;

	ret = rte_eth_dev_info_get(dev->port_id, &info);
	if (ret < 0)
		return leat_error_set(error, ret, "port %s: device %s tells nothing of itself: %s",
			port, dev->name, strerror(-ret));
	dev->device = (struct rte_device *)(uintptr_t)info.device;
	ret = rte_eth_dev_owner_new(&owner.id);
	if (ret < 0)
		return leat_error_set(error, ret, "port %s: no ethdev owner is free", port);
	(void)snprintf(owner.name, sizeof(owner.name), "%s", port); /* fits */
	ret = rte_eth_dev_owner_set(dev->port_id, &owner);
	if (ret < 0) {
		(void)rte_eth_dev_owner_get(dev->port_id, &owner); /* only for the sentence */
		return leat_error_set(error, -EBUSY,
			"port %s: device %s is already that of port %s", port, dev->name,
			owner.name);
	}
	return 0;
}

/* Hand the device to its driver, unless it is there already, such as a PCI device. */
static int
dev_probe(const struct leat_dpdk_port_conf *conf, struct dpdk_dev *dev, struct leat_error *error)
{
	int ret;

	if (rte_eth_dev_get_port_by_name(dev->name, &dev->port_id) == 0)
		return 0;
	ret = rte_dev_probe(conf->dev);
	if (ret == -EFAULT) /* no bus knows a driver for the name */
		return leat_error_set(error, -ENODEV,
			"port %s: \"%s\" is neither a PCI address nor begins with the name of a "
			"DPDK "
			"driver, such as net_af_xdp, net_af_packet, net_tap, net_memif or "
			"net_virtio_user",
			conf->name, conf->dev);
	if (ret < 0)
		return dpdk_errno(ret);
	dev->was_probed = true;
	if (rte_eth_dev_get_port_by_name(dev->name, &dev->port_id) < 0)
		return leat_error_set(error, -ENODEV, "port %s: device %s is not a network device",
			conf->name, dev->name);
	return 0;
}

int
dpdk_dev_open(
	const struct leat_dpdk_port_conf *conf, struct dpdk_dev *dev, struct leat_error *error)
{
	int ret;

	memset(dev, 0, sizeof(*dev));
	dev->lock_fd = -1;
	ret = dev_parse(conf, dev, error);
	if (ret == 0 && dev->is_pci)
		ret = dev_check_pci(conf->name, dev, error);
	if (ret == 0 && dev_needs_iface(dev->name))
		ret = dev_check_iface(conf->name, dev, error);
	if (ret == 0 && dev_is_of(dev->name, "net_tap"))
		ret = dev_check_tap(conf->name, dev, error);
	if (ret < 0)
		return ret;
	ret = dev_lock(conf->name, dev, error);
	if (ret < 0)
		return ret;
	ret = dev_probe(conf, dev, error);
	if (ret < 0)
		goto close_dev;
	ret = dev_own(conf->name, dev, error);
	if (ret < 0)
		goto close_dev;
	return 0;

close_dev:
	dpdk_dev_close(dev);
	return ret;
}

void
dpdk_dev_close(struct dpdk_dev *dev)
{
	if (dev->was_probed && dev->device != NULL)
		(void)rte_dev_remove(dev->device); /* what a driver keeps ends with the process */
	if (dev->lock_fd >= 0)
		leat_dpdk_lock_release(dev->lock_path, dev->lock_fd);
	dev->lock_fd = -1;
}
