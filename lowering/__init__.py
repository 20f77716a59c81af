if __name__ == "lowering":
    # Under two names each class would exist twice.
    raise ImportError("import this package as lamina.lowering")
