import os
import sys

import crud
import ttl
from harness import Context, run_all

context = Context(os.environ["MAYFLY_URI"])
sys.exit(1 if run_all(context, [crud.connect, crud.restart] + ttl.SCENARIOS + crud.SCENARIOS) else 0)
