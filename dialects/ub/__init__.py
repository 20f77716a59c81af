"""The ub dialect (poison and unreachable code): what upstream defines, and what xDSL's lacks."""
