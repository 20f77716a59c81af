"""The forms and checks of the memref dialect, as upstream has them."""
