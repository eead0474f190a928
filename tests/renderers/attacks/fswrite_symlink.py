# Writes through links that it made itself.
import os

for target in (BAIT, HOME + "/.cf_canary", "/tmp/cf_canary"):
    try:
        os.symlink(target, "link")
    except OSError as error:
        print("held:", error)
        continue
    report("link", "made")
    attempt("through", lambda: open("link", "w").write("x"))
    attempt("below", lambda: open("link/pwn", "w").write("x"))
    os.unlink("link")
