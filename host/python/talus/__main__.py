"""`python3 -m talus`: the program `talus`, with the verb `view`."""

import sys

from .program import main

sys.exit(main())
