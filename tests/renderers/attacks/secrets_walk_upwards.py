# Climbs out of the working folder by its parent.
import os

attempt("..", lambda: open("../../../../.." + BAIT).read(1))
attempt("dir_fd", lambda: os.open("tmp/cf_canary/file", os.O_RDONLY, dir_fd=os.open("/", os.O_RDONLY)))
