"""The complex dialect (complex numbers): what upstream defines, and what xDSL's lacks."""
