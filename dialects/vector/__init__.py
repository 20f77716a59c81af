"""What xDSL's vector dialect lacks of upstream's."""
