"""`python -m flexmb` is the command `flexmb`."""

import sys

from flexmb.cli import main

sys.exit(main())
