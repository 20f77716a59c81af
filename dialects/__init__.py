if __name__ == "dialects":
    # Under two names each class would exist twice.
    raise ImportError("import this package as lamina.dialects")
