"""How the tables are made from upstream's definitions: only run by developers, never imported by the tools."""
