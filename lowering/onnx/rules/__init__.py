"""The rules that turn ONNX's operators into `nn`, a module for each family of operators."""
