"""From structured operations on buffers to loops."""
