"""Python imports this at its start where this folder is on its search path, and then sees nothing that extras bring."""

import sys

from hidden import Hiding

sys.meta_path.insert(0, Hiding)
