"""The linalg dialect: what Lamina adds to xDSL's, and one view of all structured operations."""
