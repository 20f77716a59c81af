"""The builtin dialect (modules and casts): what upstream defines, and what xDSL's lacks."""
