"""Reading IR text: one pass over the characters, dispatched by op name."""
