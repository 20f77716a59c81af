"""Writing IR text, dispatched by op name."""
