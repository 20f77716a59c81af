"""The cf dialect (branches between blocks): what upstream defines, and what xDSL's lacks."""
