# SPDX-License-Identifier: BSD-3-Clause
"""What the suites are made of: the lab, the daemon, captures, clients and the oracle."""
