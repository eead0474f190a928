# Reads the accounts and the identity of the machine.
for path in ("/etc/shadow", "/etc/passwd", "/etc/group", "/etc/hosts", "/etc/resolv.conf", "/etc/machine-id", "/etc/hostname", "/etc/ssl/private"):
    attempt(path, lambda: open(path).read(1))
