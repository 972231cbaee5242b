"""``python -m aitia``."""

import sys

from .cli import main

sys.exit(main())
