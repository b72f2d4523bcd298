"""What the crash tests share: the driver, or the word that they are skipped; connections without a second try."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "drivers"))

try:
    from pymongo import MongoClient, helpers
except ImportError:
    print(f"SKIPPED crash/{os.path.basename(sys.argv[0])}: python3-pymongo is not installed")
    sys.exit(77)

# PyMongo prints what its background threads meet when a server goes away, which happens on purpose here.
helpers._handle_exception = lambda: None  # pylint: disable=protected-access


def connect(server):
    return MongoClient(server.uri(options="?directConnection=true"), retryWrites=False, retryReads=False,
                       serverSelectionTimeoutMS=10000)
