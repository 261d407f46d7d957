// SPDX-License-Identifier: BSD-3-Clause

#ifndef DPDK_ECHO_H
#define DPDK_ECHO_H

#include <string>

#include "dpdk_fixture.h"

// A client and a server that sends back what it gets.
class WireEcho : public Wire
{
      protected:
	void Open(unsigned int nb_frames)
	{
		leat_endpoint server = Server();
		leat_error error = {};

		ASSERT_NO_FATAL_FAILURE(Join(nb_frames));
		ASSERT_EQ(0, xps[1]->ops->listen(xps[1], &server, &listener, &error)) << error.text;
		ASSERT_EQ(0, xps[0]->ops->connect(xps[0], &server, &session, &conn));
	}

	void ClientTurn()
	{
		for (const leat_transport_event &ev : Turn(0)) {
			EXPECT_EQ(conn, ev.conn);
			switch (ev.type) {
			case LEAT_TRANSPORT_OPEN:
				EXPECT_EQ(&session, ev.conn->session);
				is_open = true;
				break;
			case LEAT_TRANSPORT_DATA:
				leat_transport_consumed(ev.conn, ev.mbuf->pkt_len);
				got += Take(ev.mbuf);
				break;
			case LEAT_TRANSPORT_CLOSED:
				client_error = ev.error;
				is_client_closed = true;
				break;
			default:
				break;
			}
		}
		while (is_open && sent < to_send.size()) {
			std::string part = to_send.substr(sent, 1000);
			rte_mbuf *mbuf = Text(0, part);

			if (leat_transport_send(conn, mbuf) < 0) {
				rte_pktmbuf_free(mbuf);
				break;
			}
			sent += part.size();
		}
		if (is_open && !is_shut && got.size() == to_send.size()) {
			leat_transport_shutdown(conn);
			is_shut = true;
		}
		Flush(0);
	}

	void ServerTurn()
	{
		for (const leat_transport_event &ev : Turn(1)) {
			switch (ev.type) {
			case LEAT_TRANSPORT_OPEN:
				EXPECT_EQ(&listener, ev.conn->listener);
				EXPECT_EQ(nullptr, ev.conn->session);
				break;
			case LEAT_TRANSPORT_DATA:
				leat_transport_consumed(ev.conn, ev.mbuf->pkt_len);
				back += Take(ev.mbuf);
				server_conn = ev.conn;
				break;
			case LEAT_TRANSPORT_EOF:
				leat_transport_shutdown(ev.conn);
				break;
			case LEAT_TRANSPORT_CLOSED:
				is_server_closed = true;
				break;
			default:
				break;
			}
		}
		while (!back.empty()) {
			std::string part = back.substr(0, 1000);
			rte_mbuf *mbuf = Text(1, part);

			if (leat_transport_send(server_conn, mbuf) < 0) {
				rte_pktmbuf_free(mbuf);
				break;
			}
			back.erase(0, part.size());
		}
		Flush(1);
	}

	// Until both are closed; the clock goes a millisecond per turn.
	void Run(int nb_turns_max)
	{
		for (int i = 0; i < nb_turns_max && !(is_client_closed && is_server_closed); i++) {
			ClientTurn();
			ServerTurn();
			now_us += 1000;
		}
	}

	int listener = 0;
	int session = 0;
	leat_conn *conn = nullptr;
	leat_conn *server_conn = nullptr;
	std::string to_send, got, back;
	size_t sent = 0;
	bool is_open = false, is_shut = false;
	bool is_client_closed = false, is_server_closed = false;
	int client_error = -1;
};

inline std::string
Pattern(size_t len)
{
	std::string s(len, '\0');

	for (size_t i = 0; i < len; i++)
		s[i] = (char)(i * 31 + i / 251);
	return s;
}

#endif // DPDK_ECHO_H
