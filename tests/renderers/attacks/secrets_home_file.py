# Opens the canary in the home folder and the usual places of credentials.
for path in (HOME + "/.cf_canary", HOME + "/.ssh/id_ed25519", HOME + "/.aws/credentials", HOME + "/.netrc", HOME + "/.pypirc", HOME + "/.bashrc", HOME + "/.gitconfig"):
    attempt(path, lambda: open(path).read(1))
