"""The affine dialect (affine maps and sets): what upstream defines, and what xDSL's lacks."""
