"""What xDSL's scf dialect lacks of upstream's."""
