"""The reference entries of the nn ops, a module per op family."""
