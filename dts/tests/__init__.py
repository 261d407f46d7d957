# SPDX-License-Identifier: BSD-3-Clause
"""The suites, one file a topic."""
