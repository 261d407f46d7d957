/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * hiredis_cases HOST PORT: what programs do with hiredis, blocking and not. It prints what it
 * gets, which is the same of every server that answers as Redis does: a hash has one field,
 * for fields come in any order. The end-to-end tests compile it and compare. The exit status is 1 when something did not work at all.
 */

#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hiredis/async.h>
#include <hiredis/hiredis.h>

#define NB_PIPELINED 10000
#define NB_ASYNC     1000
#define NB_MESSAGES  100
#define LARGE_LEN    (1024 * 1024 + 1)
#define POLL_MAX_MS  5000

static void
fail(const char *what, const char *why)
{
	fprintf(stderr, "%s: %s\n", what, why);
	exit(1);
}

static void
print_reply(const redisReply *reply)
{
	switch (reply->type) {
	case REDIS_REPLY_STRING:
		printf("\"%.*s\"", (int)reply->len, reply->str);
		break;
	case REDIS_REPLY_STATUS:
	case REDIS_REPLY_ERROR:
		printf("<%s>", reply->str);
		break;
	case REDIS_REPLY_INTEGER:
		printf("%lld", reply->integer);
		break;
	case REDIS_REPLY_NIL:
		printf("nil");
		break;
	case REDIS_REPLY_ARRAY:
		printf("[");
		for (size_t i = 0; i < reply->elements; i++) {
			printf(i > 0 ? " " : "");
			print_reply(reply->element[i]);
		}
		printf("]");
		break;
	default:
		printf("type %d", reply->type);
	}
}

static redisContext *
open_context(const char *host, int port)
{
	redisContext *c = redisConnect(host, port);

	if (c == NULL || c->err != 0)
		fail("connect", c != NULL ? c->errstr : "no memory");
	if (redisSetTimeout(c, (struct timeval){ 5, 0 }) != REDIS_OK)
		fail("timeout", c->errstr);
	return c;
}

static redisReply *
get_reply(redisContext *c)
{
	void *reply = NULL;

	if (redisGetReply(c, &reply) != REDIS_OK)
		fail("reply", c->errstr);
	return reply;
}

/* Send a line of words and print what comes. */
static void
show(redisContext *c, const char *line)
{
	redisReply *reply;

	if (redisAppendCommand(c, line) != REDIS_OK)
		fail(line, c->errstr);
	reply = get_reply(c);
	printf("%s: ", line);
	print_reply(reply);
	printf("\n");
	freeReplyObject(reply);
}

static void
show_values(redisContext *c)
{
	static const char *const lines[] = { "FLUSHALL", "PING", "SET k v", "GET k", "GET none",
		"INCRBY n 41", "INCR n", "HSET h f v", "HGETALL h", "HGET h none", "HLEN h",
		"ZADD z 1.5 a -inf b", "ZSCORE z a", "ZSCORE z b", "ZSCORE z none", "TYPE z",
		"EXISTS k h z none", "TTL k", "GET h", "INCR k", "SET k", "NOSUCH a b",
		"SET k v EX 0", "SELECT 10000", "DEL k h z", "DBSIZE" };

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		show(c, lines[i]);
}

static void
show_binary(redisContext *c)
{
	char *value = malloc(LARGE_LEN);
	redisReply *reply;

	for (size_t i = 0; value != NULL && i < LARGE_LEN; i++)
		value[i] = (char)(i * 31 % 251);
	reply = redisCommand(c, "SET %b %b", "\0\r\n", (size_t)3, value, (size_t)LARGE_LEN);
	if (reply == NULL || reply->type != REDIS_REPLY_STATUS)
		fail("SET", c->errstr);
	freeReplyObject(reply);
	reply = redisCommand(c, "GET %b", "\0\r\n", (size_t)3);
	if (reply == NULL || reply->len != LARGE_LEN || memcmp(reply->str, value, LARGE_LEN) != 0)
		fail("GET", "another value");
	freeReplyObject(reply);
	free(value);
	printf("a value of %d bytes\n", LARGE_LEN);
}

static void
show_pipeline(redisContext *c)
{
	for (int i = 0; i < NB_PIPELINED; i++)
		redisAppendCommand(c, i % 2 == 0 ? "SET p %d" : "GET p", i);
	for (int i = 0; i < NB_PIPELINED; i++) {
		redisReply *reply = get_reply(c);
		bool is_get = i % 2 != 0;

		if (is_get ? reply->type != REDIS_REPLY_STRING || atoi(reply->str) != i - 1
			   : reply->type != REDIS_REPLY_STATUS)
			fail("pipeline", "another reply");
		freeReplyObject(reply);
	}
	printf("%d pipelined\n", NB_PIPELINED);
}

static void
show_messages(redisContext *c, const char *host, int port)
{
	redisContext *sub = open_context(host, port);
	redisReply *reply;

	show(sub, "SUBSCRIBE a b");
	reply = get_reply(sub);
	print_reply(reply);
	freeReplyObject(reply);
	for (int i = 0; i < NB_MESSAGES; i++)
		freeReplyObject(redisCommand(c, "PUBLISH %s %d", i % 2 == 0 ? "a" : "b", i));
	for (int i = 0; i < NB_MESSAGES; i++) {
		reply = get_reply(sub);
		print_reply(reply);
		freeReplyObject(reply);
	}
	printf("\n");
	show(sub, "GET k");
	redisFree(sub);
}

/* The loop that an asynchronous context wants: poll() on one connection. */
struct loop {
	bool wants_read;
	bool wants_write;
	int nb_done;
	int nb_wrong;
};

static void
loop_add_read(void *data)
{
	((struct loop *)data)->wants_read = true;
}

static void
loop_del_read(void *data)
{
	((struct loop *)data)->wants_read = false;
}

static void
loop_add_write(void *data)
{
	((struct loop *)data)->wants_write = true;
}

static void
loop_del_write(void *data)
{
	((struct loop *)data)->wants_write = false;
}

static void
on_reply(redisAsyncContext *ac, void *r, void *data)
{
	struct loop *loop = ac->ev.data;
	const redisReply *reply = r;
	long idx = (long)data;

	loop->nb_done++;
	if (reply == NULL || reply->type != REDIS_REPLY_STRING || atol(reply->str) != idx)
		loop->nb_wrong++;
	if (loop->nb_done == NB_ASYNC)
		redisAsyncDisconnect(ac);
}

static void
show_async(const char *host, int port)
{
	redisAsyncContext *ac = redisAsyncConnect(host, port);
	struct loop loop = { 0 };
	struct pollfd fd;

	if (ac == NULL || ac->err != 0)
		fail("connect", ac != NULL ? ac->errstr : "no memory");
	fd.fd = ac->c.fd;
	ac->ev.data = &loop;
	ac->ev.addRead = loop_add_read;
	ac->ev.delRead = loop_del_read;
	ac->ev.addWrite = loop_add_write;
	ac->ev.delWrite = loop_del_write;
	loop.wants_write = true; /* the handshake ends with it */
	for (long i = 0; i < NB_ASYNC; i++)
		redisAsyncCommand(ac, on_reply, (void *)i, "ECHO %d", (int)i);
	while (loop.nb_done < NB_ASYNC) {
		fd.events =
			(short)((loop.wants_read ? POLLIN : 0) | (loop.wants_write ? POLLOUT : 0));
		if (poll(&fd, 1, POLL_MAX_MS) <= 0)
			fail("asynchronous", "nothing comes");
		if ((fd.revents & POLLIN) != 0)
			redisAsyncHandleRead(ac); /* frees the context behind the last reply */
		else if ((fd.revents & POLLOUT) != 0)
			redisAsyncHandleWrite(ac);
		else
			fail("asynchronous", "the connection broke");
	}
	printf("%d asynchronous, %d wrong\n", loop.nb_done, loop.nb_wrong);
}

int
main(int argc, char **argv)
{
	redisContext *c;

	if (argc != 3)
		fail("usage", "hiredis_cases HOST PORT");
	c = open_context(argv[1], atoi(argv[2]));
	show_values(c);
	show_binary(c);
	show_pipeline(c);
	show_messages(c, argv[1], atoi(argv[2]));
	show_async(argv[1], atoi(argv[2]));
	show(c, "QUIT");
	redisFree(c);
	return 0;
}
