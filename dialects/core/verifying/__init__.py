"""Verification by the op tables: constraints, traits, regions, uses; hand-written checks by op name."""
