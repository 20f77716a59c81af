"""What upstream's op definitions (ODS) promise, as tables: operands, attributes, traits, assembly formats."""
