/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Publish and subscribe.
 */

#include <errno.h>

#include "command_priv.h"
#include "command_run.h"

/* One confirmation: what was done, the channel, and how many subscriptions are left. */
static void
reply_subscription(const struct leat_client *client, const char *kind,
	const struct leat_slice *channel, struct leat_reply *reply)
{
	leat_reply_push(reply, 3);
	leat_reply_bytes(reply, leat_slice_str(kind));
	if (channel != NULL)
		leat_reply_bytes(reply, *channel);
	else
		leat_reply_null(reply);
	leat_reply_integer(reply, leat_pubsub_nb_subscriptions(&client->subscriber));
}

void
cmd_subscribe(
	struct leat_command_ctx *ctx, const struct leat_request *req, struct leat_reply *reply)
{
	for (uint32_t i = 1; i < req->argc; i++) {
		int ret =
			leat_pubsub_subscribe(ctx->pubsub, &ctx->client->subscriber, req->argv[i]);

		if (ret == -EMSGSIZE)
			command_error(ctx, reply, "ERR channel name is too long");
		else if (ret < 0)
			command_error(ctx, reply, "ERR max number of subscriptions reached");
		else
			reply_subscription(ctx->client, "subscribe", &req->argv[i], reply);
	}
}

/* UNSUBSCRIBE without arguments. */
static void
unsubscribe_all(struct leat_command_ctx *ctx, struct leat_reply *reply)
{
	struct leat_pubsub_subscriber *subscriber = &ctx->client->subscriber;
	uint32_t nb_left = leat_pubsub_nb_subscriptions(subscriber);

	if (nb_left == 0)
		reply_subscription(ctx->client, "unsubscribe", NULL, reply);
	while (nb_left > 0) {
		struct leat_slice channel = leat_pubsub_subscription_channel(
			leat_pubsub_first_of_subscriber(subscriber));

		/* The name dies with the subscription, so the reply is written before. */
		leat_reply_push(reply, 3);
		leat_reply_bytes(reply, LEAT_SLICE("unsubscribe"));
		leat_reply_bytes(reply, channel);
		(void)leat_pubsub_unsubscribe(ctx->pubsub, subscriber, channel); /* is there */
		LEAT_VERIFY(leat_pubsub_nb_subscriptions(subscriber) == nb_left - 1);
		nb_left--;
		leat_reply_integer(reply, nb_left);
	}
}

void
cmd_unsubscribe(
	struct leat_command_ctx *ctx, const struct leat_request *req, struct leat_reply *reply)
{
	if (req->argc == 1)
		unsubscribe_all(ctx, reply);
	for (uint32_t i = 1; i < req->argc; i++) {
		(void)leat_pubsub_unsubscribe(/* not subscribed: confirmed all the same */
			ctx->pubsub, &ctx->client->subscriber, req->argv[i]);
		reply_subscription(ctx->client, "unsubscribe", &req->argv[i], reply);
	}
}

/* Returns whether the client took the message. */
static bool
publish_to(struct leat_command_ctx *ctx, struct leat_client *to, struct leat_slice channel,
	struct leat_slice message)
{
	struct leat_reply *push = ctx->push_begin(ctx, to);

	if (push == NULL)
		return false;
	leat_reply_push(push, 3);
	leat_reply_bytes(push, LEAT_SLICE("message"));
	leat_reply_bytes(push, channel);
	leat_reply_bytes(push, message);
	ctx->push_end(ctx, to);
	return true;
}

void
cmd_publish(struct leat_command_ctx *ctx, const struct leat_request *req, struct leat_reply *reply)
{
	struct leat_pubsub_subscription *subscription =
		leat_pubsub_first_of_channel(ctx->pubsub, req->argv[1]);
	int64_t nb_receivers = 0;

	for (; subscription != NULL; subscription = leat_pubsub_next_of_channel(subscription)) {
		struct leat_client *to =
			LEAT_CONTAINER_OF(leat_pubsub_subscription_subscriber(subscription),
				struct leat_client, subscriber);

		nb_receivers += publish_to(ctx, to, req->argv[1], req->argv[2]);
	}
	leat_reply_integer(reply, nb_receivers);
}
