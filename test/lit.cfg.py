import os

import lit.formats

config.name = "Lamina"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir"]
config.test_source_root = os.path.dirname(__file__)
config.environment["PATH"] = os.environ["PATH"]
if "PYTHONPATH" in os.environ:
    config.environment["PYTHONPATH"] = os.environ["PYTHONPATH"]
config.environment["LAMINA_CACHE"] = "off"  # every test compiles
config.excludes = ["Inputs", "plugin"]  # the plugin has to be installed first: test_plugins.py
