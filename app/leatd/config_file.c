/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The configuration file. inih splits lines into keys and values; our reader hands
 * it one line after the other, so that the number of a line is known, a section is
 * seen even where it is empty, and nothing is cut without a word.
 */

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <ini.h>

#include <leat_common.h>

#include "config.h"

#define SECTION_LEN 48 /* bytes of "port NAME", below inih's own limit */

static_assert(LEATD_WORD_LEN + LEATD_NAME_LEN < SECTION_LEN, "a section has kind and name");

struct conf_file {
	struct leatd_conf *conf;
	struct leat_error *error; /* filled by the first wrong line, which ends the reading */
	const char *path;
	FILE *stream;
	char *line; /* of getline() */
	size_t line_size;
	uint32_t line_no; /* of the line in hand, from 1 */
	bool failed;
	char where[LEATD_WHERE_LEN]; /* of the line in hand */
	char title[SECTION_LEN];     /* "port p0"; "" before the first section */
	char section[SECTION_LEN];   /* "port" */
	char where_section[LEATD_WHERE_LEN];
	void *base;          /* the struct that the section's keys fill */
	uint64_t seen;       /* keys of this section */
	uint64_t seen_plain; /* keys of all sections without a name */
	struct leatd_port_conf port;
	struct leatd_listen_conf listen;
	struct leatd_route_conf route;
};

static void
file_where(const struct conf_file *file, char where[LEATD_WHERE_LEN])
{
	(void)snprintf(where, LEATD_WHERE_LEN, "%.160s:%" PRIu32, file->path, file->line_no);
}

/* A section is complete: add the port, the listener or the route that it described. */
static int
section_end(struct conf_file *file)
{
	int ret;

	if (file->base == NULL || !leatd_section_has_name(file->section))
		return 0;
	ret = leatd_section_check(file->section, file->seen, file->where_section, file->error);
	if (ret < 0)
		return ret;
	if (file->base == &file->port)
		return leatd_conf_add_port(file->conf, &file->port, file->error);
	if (file->base == &file->route)
		return leatd_conf_add_route(file->conf, &file->route, file->error);
	return leatd_conf_add_listen(file->conf, &file->listen, file->error);
}

/* Candidates for leatd_nearest(): the names of the sections. */
static const char *
section_next(const void *arg, uint32_t idx)
{
	const struct leatd_key *keys;
	uint32_t nb;

	(void)arg; /* every section is a candidate */
	keys = leatd_key_table(&nb);
	for (uint32_t i = 0; i < nb; i++)
		if ((i == 0 || strcmp(keys[i].section, keys[i - 1].section) != 0) && idx-- == 0)
			return keys[i].section;
	return NULL;
}

static int
section_unknown(struct conf_file *file)
{
	const char *near = leatd_nearest(file->section, section_next, NULL);

	if (near != NULL)
		return leat_error_set(file->error, -EINVAL,
			"%s: unknown section [%s]; did you mean [%s]?", file->where, file->title,
			near);
	return leat_error_set(file->error, -EINVAL,
		"%s: unknown section [%s]; there are: port, listen, route, worker, memory, limits, "
		"server, control, tcp",
		file->where, file->title);
}

/* Begin a section that has a name: its struct starts from the defaults. */
static int
section_begin_named(struct conf_file *file, const char *name)
{
	int ret;

	if (name == NULL)
		return leat_error_set(file->error, -EINVAL,
			"%s: section [%s] needs a name, such as [%s %s0]", file->where,
			file->section, file->section, file->section);
	ret = leatd_name_check(name, file->where, file->error);
	if (ret < 0)
		return ret;
	if (strcmp(file->section, "port") == 0) {
		memset(&file->port, 0, sizeof(file->port));
		file->base = &file->port;
		file->port.is_from_file = true;
		leatd_copy(file->port.name, sizeof(file->port.name), name);
		leatd_copy(file->port.where, sizeof(file->port.where), file->where);
	} else if (strcmp(file->section, "route") == 0) {
		memset(&file->route, 0, sizeof(file->route));
		file->base = &file->route;
		leatd_copy(file->route.name, sizeof(file->route.name), name);
		leatd_copy(file->route.where, sizeof(file->route.where), file->where);
	} else {
		memset(&file->listen, 0, sizeof(file->listen));
		file->base = &file->listen;
		file->listen.is_from_file = true;
		leatd_copy(file->listen.name, sizeof(file->listen.name), name);
		leatd_copy(file->listen.where, sizeof(file->listen.where), file->where);
	}
	leatd_section_init(file->section, file->base);
	return 0;
}

/* A line "[section name]": end the section before it and begin this one. */
static int
section_begin(struct conf_file *file, const char *line)
{
	size_t len = strcspn(line + 1, "]");
	char *name;
	int ret;

	ret = section_end(file);
	if (ret < 0)
		return ret;
	file->base = NULL;
	if (line[1 + len] != ']' || strspn(line + 2 + len, " \t") != strcspn(line + 2 + len, ";#"))
		return leat_error_set(file->error, -EINVAL,
			"%s: a section is [name], alone in its line", file->where);
	if (len >= SECTION_LEN)
		return leat_error_set(file->error, -EINVAL,
			"%s: the section's name has more than %d bytes", file->where,
			SECTION_LEN - 1);
	memcpy(file->title, line + 1, len);
	file->title[len] = '\0';
	leatd_copy(file->section, sizeof(file->section), file->title);
	name = strchr(file->section, ' ');
	if (name != NULL) {
		*name++ = '\0';
		name += strspn(name, " ");
	}
	if (!leatd_section_exists(file->section))
		return section_unknown(file);
	file->seen = 0;
	leatd_copy(file->where_section, sizeof(file->where_section), file->where);
	if (leatd_section_has_name(file->section))
		return section_begin_named(file, name);
	if (name != NULL)
		return leat_error_set(file->error, -EINVAL, "%s: section [%s] takes no name",
			file->where, file->section);
	file->base = file->conf;
	return 0;
}

/* One line "key = value", from inih. Returns its convention: not 0 is good. */
static int
key_line(void *user, const char *section, const char *name, const char *value)
{
	struct conf_file *file = user;
	const struct leatd_key *key;
	uint64_t *seen;
	char place[SECTION_LEN + 16];

	(void)section; /* section_begin() has seen it */
	if (file->failed)
		return 0;
	file->failed = true;
	if (file->base == NULL) {
		(void)leat_error_set(file->error, -EINVAL,
			"%s: '%.40s' stands before the first [section]", file->where, name);
		return 0;
	}
	key = leatd_key_find(file->section, name);
	if (key == NULL) {
		(void)snprintf(place, sizeof(place), " in section [%s]", file->title);
		(void)leatd_key_unknown(file->section, name, file->where, place, file->error);
		return 0;
	}
	seen = leatd_section_has_name(file->section) ? &file->seen : &file->seen_plain;
	if ((*seen & leatd_key_bit(key)) != 0 && !leatd_key_may_repeat(key)) {
		(void)leat_error_set(file->error, -EINVAL, "%s: %s is given twice in section [%s]",
			file->where, name, file->title);
		return 0;
	}
	*seen |= leatd_key_bit(key);
	file->failed = leatd_key_set(key, file->base, file->where, value, file->error) < 0;
	return !file->failed;
}

/*
 * The next line for inih, without leading blanks (which would make it part of the
 * line before) and without its end; or NULL: the end, or the first wrong line.
 */
static char *
line_next(char *buf, int size, void *stream)
{
	struct conf_file *file = stream;
	ssize_t len;
	char *line;

	if (file->failed)
		return NULL;
	len = getline(&file->line, &file->line_size, file->stream);
	if (len < 0)
		return NULL;
	file->line_no++;
	file_where(file, file->where);
	if (memchr(file->line, '\0', (size_t)len) != NULL) {
		(void)leat_error_set(file->error, -EINVAL, "%s: a zero byte", file->where);
		goto fail;
	}
	line = file->line + strspn(file->line, " \t\r\n");
	for (len = (ssize_t)strlen(line); len > 0 && isspace((unsigned char)line[len - 1]);)
		line[--len] = '\0';
	if (len > LEATD_LINE_LEN_MAX || len >= size) {
		(void)leat_error_set(file->error, -EINVAL, "%s: a line of more than %d bytes",
			file->where, LEATD_LINE_LEN_MAX);
		goto fail;
	}
	if (line[0] == '[' && section_begin(file, line) < 0)
		goto fail;
	if (line[0] != '\0' && strchr("[;#", line[0]) == NULL && strchr(line, '=') == NULL) {
		(void)leat_error_set(file->error, -EINVAL,
			"%s: neither 'key = value' nor [section]", file->where);
		goto fail;
	}
	memcpy(buf, line, (size_t)len + 1);
	return buf;

fail:
	file->failed = true;
	return NULL;
}

int
leatd_conf_load(struct leatd_conf *conf, const char *path, struct leat_error *error)
{
	struct conf_file file = { .conf = conf, .error = error, .path = path };
	int ret;

	file.stream = fopen(path, "re");
	if (file.stream == NULL) {
		ret = -errno;
		return leat_error_set(
			error, ret, "cannot read configuration file %s: %s", path, strerror(-ret));
	}
	ret = ini_parse_stream(line_next, &file, key_line, &file);
	if (ferror(file.stream)) {
		ret = leat_error_set(error, -EIO, "cannot read configuration file %s: %s", path,
			strerror(errno));
		goto close_stream;
	}
	if (ret != 0 && !file.failed)
		ret = leat_error_set(error, -EINVAL,
			"%.160s:%d: neither 'key = value' nor [section]", path, ret);
	else
		ret = file.failed ? -EINVAL : section_end(&file);

close_stream:
	free(file.line);
	(void)fclose(file.stream); /* it was only read */
	return ret;
}
