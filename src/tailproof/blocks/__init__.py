"""The ingest: files of several formats become blocks of float64 rows, with exact positions to resume from."""

from tailproof.blocks.block import Block, Problem, Refusal
from tailproof.blocks.delimited import DEFAULT_NA
from tailproof.blocks.source import Source, open_source

__all__ = ["DEFAULT_NA", "Block", "Problem", "Refusal", "Source", "open_source"]
