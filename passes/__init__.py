if __name__ == "passes":
    raise ImportError("import this package as lamina.passes: under the name 'passes' each class would exist twice")
