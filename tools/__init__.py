if __name__ == "tools":
    raise ImportError(
        "import this package as lamina.tools: under the name 'tools' each class would exist twice"
    )
