# SPDX-License-Identifier: BSD-3-Clause
"""End-to-end tests: the real daemon in network namespaces, against real peers."""
