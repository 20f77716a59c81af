"""How the tables are made from upstream's definitions: run by developers, not imported by tools."""
