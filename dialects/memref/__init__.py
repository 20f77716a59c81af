"""The memref dialect: what Lamina adds to xDSL's."""
