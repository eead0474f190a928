# Makes sockets of the families that reach deep into the kernel.
import socket

for family, kind, protocol in ((2, 3, 1), (17, 3, 3), (16, 3, 0), (16, 3, 12), (38, 5, 0), (40, 1, 0), (31, 3, 1), (29, 3, 1), (44, 3, 0), (21, 5, 0)):
    attempt(f"family {family}", lambda: socket.socket(family, kind, protocol))
