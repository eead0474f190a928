# Changes what files say of themselves.
import os

for path in (BAIT, HOME + "/.cf_canary", "/tmp/cf_canary"):
    attempt("chmod", lambda: os.chmod(path, 0o644) or "changed")
    attempt("chown", lambda: os.chown(path, os.getuid(), os.getgid()) or "changed")
    attempt("utime", lambda: os.utime(path, (1, 1)) or "changed")
    attempt("setxattr", lambda: os.setxattr(path, "user.cf", b"1") or "changed")
    attempt("truncate", lambda: os.truncate(path, 0) or "changed")
