# Deletes and empties what it finds.
import os
import shutil

attempt("unlink", lambda: os.unlink(BAIT) or "gone")
attempt("rmdir", lambda: os.rmdir("/tmp/cf_canary/folder") or "gone")
attempt("open w", lambda: open(BAIT, "w"))
shutil.rmtree("/tmp/cf_canary", ignore_errors=True)
