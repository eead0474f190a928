# Sends to a unix socket without connecting.
import socket

attempt("sendto", lambda: socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b"x", "/tmp/cf_canary/sock"))
