"""The dialect `bounds` for Lamina."""
