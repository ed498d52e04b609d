"""The store: the event log and the evidence, in one SQLite file."""

from __future__ import annotations

from quiz.store.errors import CardChanged, StoreFailed, StoreRefused
from quiz.store.opening import open_log, open_store
from quiz.store.store import ANY, Store

__all__ = ["ANY", "CardChanged", "Store", "StoreFailed", "StoreRefused", "open_log", "open_store"]
