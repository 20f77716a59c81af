"""Compiled code kept on disk: the second start of a model neither reads nor lowers it.

``folder`` holds files that only their owner writes, ``entries`` says what such a file contains, ``keys``
tells one compilation from another, ``kept`` puts them together for :func:`lamina.compile`. Nothing here
imports xDSL before there is something to compile.
"""
