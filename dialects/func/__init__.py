"""The func dialect (functions): what upstream defines, and what xDSL's lacks."""
