# Connects to a listener on this machine.
import socket

attempt("connect", lambda: socket.create_connection(("127.0.0.1", PORT), 1).recv(16))
attempt("connect 6", lambda: socket.create_connection(("::1", PORT), 1))
