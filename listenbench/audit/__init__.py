"""Audits: proof that a data set tests hearing, and nothing else."""

from listenbench.audit.check import Check, failures
from listenbench.audit.run import audit

__all__ = ["Check", "audit", "failures"]
