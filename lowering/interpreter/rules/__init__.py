"""What each op means, a module per dialect."""
