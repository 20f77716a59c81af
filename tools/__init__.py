if __name__ == "tools":
    # Under two names each class would exist twice.
    raise ImportError("import this package as lamina.tools")
