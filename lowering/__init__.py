if __name__ == "lowering":
    raise ImportError(
        "import this package as lamina.lowering: under the name 'lowering' each class would exist twice"
    )
