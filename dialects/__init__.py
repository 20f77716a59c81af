if __name__ == "dialects":
    raise ImportError("import this package as lamina.dialects: under the name 'dialects' each class would exist twice")
