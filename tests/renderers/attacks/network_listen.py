# Waits for connections itself.
import socket

attempt("listen", lambda: socket.create_server(("127.0.0.1", 0)))
