"""``python -m lamina.tools.opt``."""

import sys

from lamina.tools.opt import main

sys.exit(main())
