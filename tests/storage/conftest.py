import sys
from pathlib import Path

# `storage_cases` is imported by name here and in the processes that the tests start.
sys.path.insert(0, str(Path(__file__).parent))
