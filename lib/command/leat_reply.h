/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef LEAT_REPLY_H
#define LEAT_REPLY_H

/**
 * @file
 * Waist 2, answering half: what a command says, whatever codec puts it on the wire.
 *
 * A command writes exactly one value: a scalar, or an aggregate header followed
 * by as many values as it announced. The codec writes each piece at once into
 * the windows of the writer; nothing is kept.
 */

#include <leat_bytes.h>

#ifdef __cplusplus
extern "C" {
#endif

struct leat_http_date;
struct leat_reply;

#define LEAT_WEB_FIELDS_MAX 16 /**< further fields of one answer */

/**
 * A field of HTTP. One of a request may be escaped, as the codec that it came in writes
 * texts; of an answer none is, and its name and value may be sent as they are.
 */
struct leat_web_field {
	struct leat_slice name;
	struct leat_slice value;
	bool is_name_escaped;
	bool is_value_escaped;
};

/** What a route answers to a request of HTTP, whatever carries that. */
struct leat_web_answer {
	uint16_t status;                /**< 200 to 599 */
	struct leat_slice content_type; /**< empty: none is said */
	/** Further ones, but none that the codec writes: lengths, Date, Connection. */
	const struct leat_web_field *fields;
	uint32_t nb_fields;            /**< up to LEAT_WEB_FIELDS_MAX */
	const struct leat_slice *body; /**< of any number of slices; none where there is no body */
	uint32_t nb_slices;
	bool is_const; /**< the body stays for ever, in memory such as struct leat_loan wants */
};

/** What a codec supplies; every pointer is set. */
struct leat_reply_ops {
	void (*null)(struct leat_reply *reply);
	void (*status)(struct leat_reply *reply, struct leat_slice text); /**< such as "OK" */
	void (*integer)(struct leat_reply *reply, int64_t value);
	void (*score)(struct leat_reply *reply, double value); /**< a sorted set's score */
	void (*bytes)(struct leat_reply *reply, struct leat_slice value);
	void (*verbatim)(struct leat_reply *reply, struct leat_slice text); /**< for a person */
	void (*array)(struct leat_reply *reply, uint32_t nb_values);
	void (*map)(struct leat_reply *reply, uint32_t nb_pairs);
	void (*set)(struct leat_reply *reply, uint32_t nb_values);
	void (*push)(struct leat_reply *reply, uint32_t nb_values);
	/** One line, such as "ERR syntax error"; its first word is the kind. */
	void (*error)(struct leat_reply *reply, struct leat_slice text);
	/**
	 * The whole answer to a request that came as one of HTTP. Only what leads to a route
	 * may ask for it; in a codec that carries no HTTP it is our own mistake.
	 */
	void (*answer)(struct leat_reply *reply, const struct leat_web_answer *answer);
};

#define LEAT_REPLY_STATE_WORDS 18 /**< of 64 bits */

struct leat_reply {
	const struct leat_reply_ops *ops;
	struct leat_writer *writer;
	uint32_t flags;   /**< of the request that is answered; the codec's own meaning */
	uint8_t resp;     /**< RESP version that the client speaks when it reads this */
	uint64_t wall_ms; /**< Unix time in milliseconds, of this turn; 0: not known */
	struct leat_http_date *date; /**< the worker's, so that it is made once a second; or NULL */
	/** The codec's own, between the values of an aggregate; the first is 0 at the start. */
	uint64_t state[LEAT_REPLY_STATE_WORDS];
};

static inline void
leat_reply_null(struct leat_reply *reply)
{
	reply->ops->null(reply);
}

static inline void
leat_reply_status(struct leat_reply *reply, struct leat_slice text)
{
	reply->ops->status(reply, text);
}

static inline void
leat_reply_integer(struct leat_reply *reply, int64_t value)
{
	reply->ops->integer(reply, value);
}

static inline void
leat_reply_score(struct leat_reply *reply, double value)
{
	reply->ops->score(reply, value);
}

static inline void
leat_reply_bytes(struct leat_reply *reply, struct leat_slice value)
{
	reply->ops->bytes(reply, value);
}

/**
 * As leat_reply_bytes(), of bytes that the writer may refer to instead of copying them.
 *
 * @param loan
 *   Its bytes are the value.
 */
static inline void
leat_reply_bytes_lent(struct leat_reply *reply, const struct leat_loan *loan)
{
	reply->writer->loan = loan;
	reply->ops->bytes(reply, loan->bytes);
	reply->writer->loan = NULL;
}

static inline void
leat_reply_verbatim(struct leat_reply *reply, struct leat_slice text)
{
	reply->ops->verbatim(reply, text);
}

static inline void
leat_reply_array(struct leat_reply *reply, uint32_t nb_values)
{
	reply->ops->array(reply, nb_values);
}

static inline void
leat_reply_map(struct leat_reply *reply, uint32_t nb_pairs)
{
	reply->ops->map(reply, nb_pairs);
}

static inline void
leat_reply_set(struct leat_reply *reply, uint32_t nb_values)
{
	reply->ops->set(reply, nb_values);
}

static inline void
leat_reply_push(struct leat_reply *reply, uint32_t nb_values)
{
	reply->ops->push(reply, nb_values);
}

static inline void
leat_reply_error(struct leat_reply *reply, struct leat_slice text)
{
	reply->ops->error(reply, text);
}

static inline void
leat_reply_answer(struct leat_reply *reply, const struct leat_web_answer *answer)
{
	reply->ops->answer(reply, answer);
}

#define LEAT_REPLY_ERROR_MAX 512 /**< bytes of leat_reply_errorf()'s line; more is cut off */

/**
 * Write an error of at most LEAT_REPLY_ERROR_MAX - 1 bytes.
 *
 * @param fmt
 *   What a peer sent goes through "%.*s". CR and LF become spaces in the line, since
 *   they could end it.
 */
void leat_reply_errorf(struct leat_reply *reply, const char *fmt, ...) LEAT_PRINTF(2, 3);

#ifdef __cplusplus
}
#endif

#endif /* LEAT_REPLY_H */
