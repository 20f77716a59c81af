"""What xDSL's math dialect lacks of upstream's."""
