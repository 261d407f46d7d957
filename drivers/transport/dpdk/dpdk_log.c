/* SPDX-License-Identifier: BSD-3-Clause */

#include <errno.h>
#include <string.h>

#include <rte_log.h>

#include "leat_dpdk_log.h"

/* "EAL: Cannot open it\n" -> "Cannot open it": the sentence around it names the place. */
static void
log_set_reason(struct leat_dpdk_log *log, const char *line, size_t len)
{
	const char *colon = memchr(line, ':', len);

	if (colon != NULL && (size_t)(colon - line) + 1 < len && colon[1] == ' ') {
		len -= (size_t)(colon - line) + 2;
		line = colon + 2;
	}
	while (len > 0 && (line[len - 1] == '\n' || line[len - 1] == '.' || line[len - 1] == ' '))
		len--;
	len = LEAT_MIN(len, sizeof(log->reason) - 1);
	memcpy(log->reason, line, len);
	log->reason[len] = '\0';
}

static void
log_write(FILE *out, const char *buf, size_t len)
{
	while (len > 0) {
		const char *newline = memchr(buf, '\n', len);
		size_t line_len = newline == NULL ? len : (size_t)(newline - buf);

		if (line_len > 0)
			(void)fprintf(out, "dpdk: %.*s\n", (int)line_len, buf); /* no one to tell */
		line_len += newline == NULL ? 0 : 1;
		buf += line_len;
		len -= line_len;
	}
	(void)fflush(out); /* as above */
}

/* DPDK flushes after each message, so that a call is one whole message. */
static ssize_t
log_cookie_write(void *cookie, const char *buf, size_t len)
{
	struct leat_dpdk_log *log = cookie;

	if (log->keep && log->reason[0] == '\0' && rte_log_cur_msg_loglevel() <= (int)RTE_LOG_ERR)
		log_set_reason(log, buf, len);
	else if (!log->keep && log->out != NULL)
		log_write(log->out, buf, len);
	return (ssize_t)len;
}

int
leat_dpdk_log_open(struct leat_dpdk_log *log, FILE *out)
{
	static const cookie_io_functions_t functions = { .write = log_cookie_write };

	memset(log, 0, sizeof(*log));
	log->out = out;
	log->keep = true;
	log->previous = rte_log_get_stream();
	log->stream = fopencookie(log, "w", functions);
	if (log->stream == NULL)
		return -ENOMEM;
	(void)rte_openlog_stream(log->stream); /* always 0 */
	return 0;
}

void
leat_dpdk_log_pass(struct leat_dpdk_log *log)
{
	log->keep = false;
	log->reason[0] = '\0';
}

void
leat_dpdk_log_close(struct leat_dpdk_log *log)
{
	if (log->stream == NULL)
		return;
	(void)rte_openlog_stream(log->previous); /* always 0 */
	(void)fclose(log->stream);               /* a cookie without close cannot fail */
	log->stream = NULL;
}

const char *
leat_dpdk_log_reason(const struct leat_dpdk_log *log, const char *otherwise)
{
	return log->reason[0] != '\0' ? log->reason : otherwise;
}
