if __name__ == "passes":
    # Under two names each class would exist twice.
    raise ImportError("import this package as lamina.passes")
