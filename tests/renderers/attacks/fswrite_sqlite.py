# Lets a library write for it.
import sqlite3

def write():
    with sqlite3.connect("/tmp/cf_canary/pwn.db") as base:
        return base.execute("create table t (x)")

attempt("sqlite", write)
