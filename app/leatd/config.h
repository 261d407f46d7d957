/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef LEATD_CONFIG_H
#define LEATD_CONFIG_H

/**
 * @file
 * What leatd is told: one table of keys that drives the file, the command line,
 * --help, --check and the reference page.
 *
 * A key belongs to a section. "port" and "listen" sections may come several times
 * and fill a struct each; the keys of the others are also long options and fill
 * struct leatd_conf. The table says where a value goes, so a key is one line of it.
 */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <leat_error.h>
#include <leat_ip.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LEATD_PORTS_MAX    8
#define LEATD_LISTENS_MAX  32
#define LEATD_ROUTES_MAX   64
#define LEATD_FIELDS_MAX   8  /**< header fields of one route */
#define LEATD_ADDRS_MAX    8  /**< addresses of one port */
#define LEATD_CPUS_MAX     64 /**< CPUs in one list, and workers */
#define LEATD_CPU_ID_MAX   1023
#define LEATD_NAME_LEN     16  /**< bytes of a port's or listener's name, the zero included */
#define LEATD_DEV_LEN      32  /**< bytes of a device's name, the zero included */
#define LEATD_ARGS_LEN     192 /**< bytes of a device's arguments, the zero included */
#define LEATD_ADDRESS_LEN  116 /**< bytes of a listener's address, the zero included */
#define LEATD_WORD_LEN     24  /**< bytes of a protocol's or transport's name, the zero included */
#define LEATD_WHERE_LEN    192 /**< bytes of "FILE:LINE" or an option, the zero included */
#define LEATD_VALUE_LEN    512 /**< bytes of a printed value, the zero included */
#define LEATD_HIDDEN       "(hidden)" /**< what is printed in the place of a secret */
#define LEATD_PASSWORD_LEN 129        /**< bytes of a password, the zero included */
#define LEATD_DIR_LEN      96         /**< bytes of a directory's path, the zero included */
#define LEATD_LINE_LEN_MAX 197        /**< bytes of one line of the file */
#define LEATD_PATH_LEN     192        /**< bytes of a route's path or a file's, the zero included */
#define LEATD_FIELD_LEN    192        /**< bytes of a header field, the zero included */

enum leatd_idle {
	LEATD_IDLE_POLL,
	LEATD_IDLE_ADAPTIVE,
	LEATD_IDLES,
};

/** As enum leat_tcp_congestion. */
enum leatd_congestion {
	LEATD_CUBIC,
	LEATD_NEWRENO,
	LEATD_CONGESTIONS,
};

/** As enum leat_inet_cookies. */
enum leatd_cookies {
	LEATD_COOKIES_AUTO,
	LEATD_COOKIES_ALWAYS,
	LEATD_COOKIES_NEVER,
	LEATD_COOKIES,
};

/** As enum leat_zaphttp_generation. */
enum leatd_zap_headers {
	LEATD_ZAP_BINARY,
	LEATD_ZAP_JSON,
	LEATD_ZAP_HEADERS,
};

/** Work that a device may be forbidden to do for us. */
enum leatd_offload {
	LEATD_OFFLOAD_TX_IP_CKSUM,
	LEATD_OFFLOAD_TX_TCP_CKSUM,
	LEATD_OFFLOAD_RX_IP_CKSUM,
	LEATD_OFFLOAD_RX_TCP_CKSUM,
	LEATD_OFFLOAD_TX_MULTI_SEG,
	LEATD_OFFLOAD_TX_TSO,
	LEATD_OFFLOADS,
};

/** Methods of HTTP that a route may have. */
enum leatd_method {
	LEATD_GET,
	LEATD_HEAD,
	LEATD_POST,
	LEATD_PUT,
	LEATD_DELETE,
	LEATD_OPTIONS,
	LEATD_TRACE,
	LEATD_PATCH,
	LEATD_ANY_METHOD,
	LEATD_METHODS,
};

/** Routes that there are without a section [route NAME]; as leat_route_builtin_names(). */
enum leatd_builtin {
	LEATD_BUILTIN_NONE,
	LEATD_BUILTIN_ECHO,
	LEATD_BUILTIN_HEADERS,
	LEATD_BUILTIN_HEALTH,
	LEATD_BUILTIN_KV,
	LEATD_BUILTIN_RPC,
	LEATD_BUILTINS,
};

/** The word of each, and NULL behind the last. */
extern const char *const leatd_builtin_words[LEATD_BUILTINS + 1];

struct leatd_addr {
	struct leat_ip_addr addr;
	uint8_t prefix_len;
};

struct leatd_addrs {
	uint8_t nb;
	struct leatd_addr list[LEATD_ADDRS_MAX];
};

struct leatd_cpus {
	uint16_t nb; /**< 0: leatd chooses */
	uint16_t ids[LEATD_CPUS_MAX];
};

struct leatd_port_conf {
	char name[LEATD_NAME_LEN];
	char where[LEATD_WHERE_LEN]; /**< for messages */
	bool is_from_file;
	char dev[LEATD_DEV_LEN]; /**< PCI address or name of a vdev */
	char args[LEATD_ARGS_LEN];
	struct leatd_addrs addrs;
	struct leat_ip_addr gateway;  /**< IPv4, or none */
	struct leat_ip_addr gateway6; /**< IPv6, or none */
	uint64_t vlan_id;             /**< 0: untagged */
	uint64_t mtu;                 /**< bytes of an IP packet, 0: the device's */
	uint64_t refused; /**< bit 1 << enum leatd_offload for each offload not to be used */
};

struct leatd_listen_conf {
	char name[LEATD_NAME_LEN]; /**< "" from the command line */
	char where[LEATD_WHERE_LEN];
	bool is_from_file;
	char protocol[LEATD_WORD_LEN];
	char transport[LEATD_WORD_LEN];
	char address[LEATD_ADDRESS_LEN];
	uint64_t port;
	uint64_t keep_idle_s;     /**< 0: no keep-alives */
	uint64_t keep_interval_s; /**< 0: 75 */
	uint64_t nb_keep_probes;  /**< 0: 9 */
	uint64_t idle_timeout_s;  /**< 0: none; so the next three */
	uint64_t head_timeout_s;
	uint64_t body_timeout_s;
	uint64_t choice_timeout_s;
	uint64_t zap_headers;     /**< enum leatd_zap_headers */
	uint64_t builtins;        /**< bit 1 << enum leatd_builtin; 0: all of them */
	struct leat_ip_addr addr; /**< filled by leatd_conf_check() for a dpdk listener */
};

/** Header fields, each "Name: value". */
struct leatd_fields {
	uint8_t nb;
	char list[LEATD_FIELDS_MAX][LEATD_FIELD_LEN];
};

/** A path of HTTP: a handler, or an answer that is always the same. */
struct leatd_route_conf {
	char name[LEATD_NAME_LEN];
	char where[LEATD_WHERE_LEN];
	char path[LEATD_PATH_LEN];
	uint64_t methods;             /**< bit 1 << enum leatd_method; 0: as it is usual */
	char listen[LEATD_NAME_LEN];  /**< name of a listener; "": all of HTTP */
	char handler[LEATD_WORD_LEN]; /**< "": the answer is fixed */
	uint64_t status;              /**< 0: 200 */
	struct leatd_fields headers;
	char body[LEATD_PATH_LEN]; /**< a file; "": none */
};

struct leatd_tcp_conf {
	uint64_t congestion; /**< enum leatd_congestion */
	uint64_t rcv_wnd;    /**< bytes */
	uint64_t snd_len;    /**< bytes */
	uint64_t rto_min_ms;
	uint64_t ack_delay_ms;
	uint64_t nb_retries;
	uint64_t nb_syn_retries;
	uint64_t nb_synack_retries;
	uint64_t cookies; /**< enum leatd_cookies */
	uint64_t time_wait_s;
	uint64_t fin_timeout_s;
};

struct leatd_conf {
	uint32_t nb_ports;
	struct leatd_port_conf ports[LEATD_PORTS_MAX];
	uint32_t nb_listens;
	struct leatd_listen_conf listens[LEATD_LISTENS_MAX];
	uint32_t nb_routes;
	struct leatd_route_conf routes[LEATD_ROUTES_MAX];
	uint64_t nb_workers;
	struct leatd_cpus cpus;
	uint64_t idle; /**< enum leatd_idle */
	uint64_t memory_mb;
	bool no_huge;
	uint64_t nb_rx_mbufs; /**< of one port */
	uint64_t nb_tx_mbufs; /**< of one port */
	uint64_t store_mb;
	uint64_t carry_mb;
	uint64_t nb_conns_max;
	uint64_t nb_keys_max;
	uint64_t nb_channels_max;
	uint64_t nb_subscriptions_max;
	uint64_t nb_pipelines_max;
	uint64_t request_max; /**< bytes */
	uint64_t bulk_max;    /**< bytes of one argument of RESP; request_max may be less */
	uint64_t query_max;   /**< bytes of one request of RESP; request_max may be less */
	char requirepass[LEATD_PASSWORD_LEN]; /**< "": none */
	uint64_t drain_timeout_s;
	char record_dir[LEATD_DIR_LEN]; /**< a path, or "none" */
	uint64_t nb_record_segs;
	uint64_t nb_records_max;
	struct leatd_tcp_conf tcp;
};

enum leatd_key_type {
	LEATD_KEY_NUMBER, /**< uint64_t, decimal, min to max */
	LEATD_KEY_SIZE,   /**< uint64_t, bytes; K, M or G may follow; min to max */
	LEATD_KEY_BOOL,   /**< bool: yes or no; a plain option on the command line */
	LEATD_KEY_CHOICE, /**< uint64_t: index into choices */
	LEATD_KEY_SET,    /**< uint64_t: bit 1 << index into choices; once per line, they add up */
	LEATD_KEY_TEXT,   /**< char[max + 1], min to max bytes */
	LEATD_KEY_SECRET, /**< as TEXT; never printed */
	LEATD_KEY_DEVICE, /**< as TEXT: a PCI address or the name of a vdev */
	LEATD_KEY_IPV4,   /**< struct leat_ip_addr */
	LEATD_KEY_IPV6,   /**< struct leat_ip_addr */
	LEATD_KEY_PREFIX, /**< struct leatd_addrs: A/LEN, once per line */
	LEATD_KEY_FIELD,  /**< struct leatd_fields: Name: value, once per line */
	LEATD_KEY_CPUS,   /**< struct leatd_cpus: 0-3,6 */
	LEATD_KEY_TYPES,
};

struct leatd_key {
	const char
		*section; /**< "port", "listen", "route": repeatable; the others are options too */
	const char *name;
	enum leatd_key_type type;
	uint64_t min;
	uint64_t max;
	const char *const *choices; /**< of CHOICE and SET, NULL at the end */
	const char *default_text;   /**< NULL: must be given; "": nothing, and the field is zero */
	const char *meta;           /**< what stands for the value in --help */
	const char *help;           /**< one line */
	size_t offset;              /**< of the field in the section's struct */
};

/** What this build has: each list ends with NULL. */
struct leatd_parts {
	const char *const *protocols;
	const char *const *transports;
	const char *const *handlers; /**< of routes */
};

/** @return the table in the order of its sections. @param nb receives its length. */
const struct leatd_key *leatd_key_table(uint32_t *nb);

/** @return the key of that name in that section, or NULL. */
const struct leatd_key *leatd_key_find(const char *section, const char *name);

/** @return whether a key may be given several times; its values add up. */
bool leatd_key_may_repeat(const struct leatd_key *key);

/** @return whether @p section has keys; "port p0" is not a section, "port" is. */
bool leatd_section_exists(const char *section);

/** @return whether a section is repeatable and takes a name: "port", "listen" and "route". */
bool leatd_section_has_name(const char *section);

/** Say which values a key allows ("a number from 1 to 4094") into @p text. @return @p text. */
const char *leatd_key_allowed(const struct leatd_key *key, char text[LEATD_VALUE_LEN]);

/**
 * The word of a list that @p word was most likely meant to be.
 *
 * @param next
 *   Gives one candidate after the other, and NULL at the end.
 * @return
 *   The nearest one of at most two edits (one for a word of up to three letters),
 *   or NULL.
 */
const char *leatd_nearest(
	const char *word, const char *(*next)(const void *arg, uint32_t idx), const void *arg);

/**
 * Set the field of @p key in @p base from text.
 *
 * @param base
 *   The struct of the key's section: leatd_conf, leatd_port_conf, leatd_listen_conf or
 *   leatd_route_conf.
 * @param where
 *   "FILE:LINE" or the option, for the sentence.
 * @return
 *   0, or -EINVAL with the sentence in @p error; the field is then as it was.
 */
int leatd_key_set(const struct leatd_key *key, void *base, const char *where, const char *value,
	struct leat_error *error);

/** Print a field as the file would have it into @p text. @return @p text. */
const char *leatd_key_format(
	const struct leatd_key *key, const void *base, char text[LEATD_VALUE_LEN]);

/** Set each field of a section's struct to its default; keys without one to zero. */
void leatd_section_init(const char *section, void *base);

/** Nothing but defaults: no port, no listener. */
void leatd_conf_init(struct leatd_conf *conf);

/**
 * The "unknown key" sentence for @p name in @p section, with the key that was
 * probably meant, or the section that has it.
 *
 * @param place
 *   " in section [port p0]", or "" where @p where tells enough.
 * @return
 *   -EINVAL.
 */
int leatd_key_unknown(const char *section, const char *name, const char *where, const char *place,
	struct leat_error *error);

/**
 * Add a complete port or listener. One of the command line replaces one of the file
 * with the same name, or for listeners with the same transport, address and port.
 *
 * @return
 *   0; -EEXIST: given twice in the same place; -ENOSPC: LEATD_PORTS_MAX or
 *   LEATD_LISTENS_MAX are there already. The sentence is in @p error.
 */
int leatd_conf_add_port(
	struct leatd_conf *conf, const struct leatd_port_conf *port, struct leat_error *error);
int leatd_conf_add_listen(
	struct leatd_conf *conf, const struct leatd_listen_conf *listen, struct leat_error *error);

/**
 * Add a complete route.
 *
 * @return
 *   0; -EEXIST: a route of that name is there; -ENOSPC: LEATD_ROUTES_MAX are there already.
 *   The sentence is in @p error.
 */
int leatd_conf_add_route(
	struct leatd_conf *conf, const struct leatd_route_conf *route, struct leat_error *error);

/** @return 0, or -EINVAL with the sentence: a key that must be given is not in @p seen. */
int leatd_section_check(
	const char *section, uint64_t seen, const char *where, struct leat_error *error);

/** @return the bit of a key in a @p seen mask. */
uint64_t leatd_key_bit(const struct leatd_key *key);

/** @return 0, or -EINVAL with the sentence: a name is 1 to 15 of a-z A-Z 0-9 _ -. */
int leatd_name_check(const char *name, const char *where, struct leat_error *error);

/** Read NAME,dev=D,addr=A/LEN[,key=value...][;arguments]. @return as leatd_conf_add_port(). */
int leatd_conf_port_option(struct leatd_conf *conf, const char *text, struct leat_error *error);

/** Read PROTOCOL,TRANSPORT,ADDRESS,PORT[,key=value...]. @return as leatd_conf_add_listen(). */
int leatd_conf_listen_option(struct leatd_conf *conf, const char *text, struct leat_error *error);

/**
 * Read a configuration file into @p conf.
 *
 * @return
 *   0; -EINVAL, or the -errno of opening it, with the sentence and, where there is
 *   one, the line in @p error. The first wrong line is told.
 */
int leatd_conf_load(struct leatd_conf *conf, const char *path, struct leat_error *error);

/**
 * Check all that can be checked without starting, the parts that belong together
 * included, and resolve the listeners' addresses.
 *
 * @return
 *   0, or -EINVAL with the sentence in @p error.
 */
int leatd_conf_check(
	struct leatd_conf *conf, const struct leatd_parts *parts, struct leat_error *error);

/** The part of leatd_conf_check() that is about routes, but for their paths and files. */
int leatd_routes_conf_check(
	const struct leatd_conf *conf, const struct leatd_parts *parts, struct leat_error *error);

/** @return whether a listener has routes. */
bool leatd_listen_has_routes(const struct leatd_listen_conf *listen);

/** @return whether @p port has an address of the family. */
bool leatd_port_has_family(const struct leatd_port_conf *port, bool is_ipv4);

/** @return whether a listener that was checked is one of @p port: of its address or of any. */
bool leatd_listen_is_for(
	const struct leatd_listen_conf *listen, const struct leatd_port_conf *port);

/** Print what is configured, one line for each port, listener and section. */
void leatd_conf_print(const struct leatd_conf *conf, FILE *out);

/** Copy a text that is known to fit. @param to_len is the room at @p to, in bytes. */
void leatd_copy(char *to, size_t to_len, const char *from);

#ifdef __cplusplus
}
#endif

#endif /* LEATD_CONFIG_H */
