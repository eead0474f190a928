# Pulls files in by links and renames.
import os

for target in (BAIT, HOME + "/.cf_canary"):
    attempt("link", lambda: os.link(target, "hard") or "linked")
    attempt("rename in", lambda: os.rename(target, "moved") or "moved")
    attempt("rename out", lambda: os.rename("script.py", target) or "moved")
    attempt("replace", lambda: os.replace("/scratch", "/tmp/cf_canary/pwn") or "moved")
